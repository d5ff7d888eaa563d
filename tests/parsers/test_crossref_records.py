"""Crossref's records, one case an oddity that real ones show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litcrawl.exceptions import Malformed
from litcrawl.ids import Ids
from litcrawl.items import Claim, Licence, Link, Relation, Retraction, Title
from litcrawl.parsers import crossref

TODAY = "2026-11-30"
DOI = "10.5555/12345678"
CC_BY = "https://creativecommons.org/licenses/by/4.0/"


def link(url="https://pub.tld/a.pdf", kind="application/pdf", version="vor", use="text-mining"):
    return {"URL": url, "content-type": kind, "content-version": version, "intended-application": use}


def licence(url=CC_BY, version="vor", start=(2020, 1, 1)):
    return {"URL": url, "content-version": version, "start": {"date-parts": [list(start)]}, "delay-in-days": 0}


def links(*entries, **record):
    return crossref.links({"DOI": DOI, "link": list(entries)} | record, TODAY)


def claims(*entries):
    return [one for one in crossref.facts({"DOI": DOI, "license": list(entries)}, "u") if isinstance(one, Claim)]


def relations(**record):
    return [(one.relation, {kind: value for kind, value in one.ids.items() if value}) for one in crossref.relations({"DOI": DOI} | record)]


def related(name, value="10.1/other", kind="doi"):
    return relations(relation={name: [{"id-type": kind, "id": value, "asserted-by": "subject"}]})


def update(kind, doi="10.5555/24242424x", source="publisher"):
    return [{"DOI": doi, "type": kind, "label": kind.title(), "source": source, "updated": {"date-parts": [[2012, 12, 29]]}}]


def wrapped(message, kind="work-list"):
    return {"status": "ok", "message-type": kind, "message": message}


# the envelope


def test_a_single_work():
    assert crossref.work(wrapped({"DOI": DOI}, "work")) == {"DOI": DOI}


@pytest.mark.parametrize(
    "answer",
    [
        {},
        wrapped(None, "work"),
        wrapped([{"DOI": DOI}], "work"),
        wrapped({}, "work"),
        wrapped({"DOI": None}, "work"),
        wrapped({"DOI": DOI, "agency": {"id": "datacite"}}, "work-agency"),
    ],
)
def test_what_is_no_single_work(answer):
    with pytest.raises(Malformed):
        crossref.work(answer)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        wrapped(None),
        wrapped([]),
        wrapped({}),
        wrapped({"items": None}),
        wrapped({"items": {"DOI": DOI}}),
        wrapped({"items": [], "total-results": 0}, "member-list"),
        {"status": "failed", "message-type": "validation-failure", "message": [{"type": "filter-not-available"}]},
    ],
)
def test_what_is_no_list_of_works(answer):
    with pytest.raises(Malformed):
        crossref.works(answer)


@pytest.mark.parametrize(("total", "whole"), [(2, True), (3, False), (None, True), ("many", True)])
def test_a_list_says_whether_it_is_whole(total, whole):
    assert crossref.works(wrapped({"items": [{"DOI": DOI}, {"DOI": "10.1/b"}], "total-results": total}))[1] is whole


def test_what_is_no_record_is_left_out_of_a_list():
    items = [None, [], "10.1/a", {}, {"DOI": ["10.1/a"]}, {"DOI": DOI}]
    assert crossref.works(wrapped({"items": items}))[0] == [{"DOI": DOI}]


# titles


@pytest.mark.parametrize(
    ("stated", "titles"),
    [
        (["A title"], ["A title"]),
        ([], []),
        (None, []),
        ("A title", []),
        ([None, 3, ""], []),
        (["Activation of p110α (\n            <i>PIK3CA</i>\n            )"], ["Activation of p110α ( PIK3CA )"]),
        (["strained BiFeO<sub>3</sub> thin films"], ["strained BiFeO3 thin films"]),
        (['spin <mml:math xmlns:mml="u"><mml:mi>N</mml:mi></mml:math>'], ["spin N"]),
        (["Dogs &amp; cats: p < 0.05 and q > 3"], ["Dogs & cats: p < 0.05 and q > 3"]),
        (["Penisverletzung", "Penile injury", "Penisverletzung"], ["Penisverletzung", "Penile injury"]),
    ],
)
def test_titles(stated, titles):
    assert crossref.titles({"DOI": DOI, "title": stated}) == titles


def test_the_title_in_its_own_language_counts_too():
    assert crossref.titles({"title": ["In English"], "original-title": ["Auf Deutsch"]}) == ["In English", "Auf Deutsch"]


# licences


def test_every_licence_is_kept_with_its_version_and_start():
    user = "http://www.elsevier.com/open-access/userlicense/1.0/"
    made = claims(licence(user, "am", (2017, 8, 1)), licence(CC_BY, "vor", (2016, 8)), licence("https://x.tld/tdm", "tdm", (2016,)))
    assert [(one.raw, one.spdx, one.about, one.start, one.access, one.basis, one.url) for one in made] == [
        (user, "LicenseRef-Elsevier-User-1.0", "am", "2017-08-01", None, "crossref", "u"),
        (CC_BY, "CC-BY-4.0", "vor", "2016-08", None, "crossref", "u"),
        ("https://x.tld/tdm", None, "tdm", "2016", None, "crossref", "u"),
    ]


@pytest.mark.parametrize("version", ["unspecified", "stm-asf", "", None, 7])
def test_a_version_that_is_none_of_ours_is_about_none(version):
    assert claims(licence(version=version))[0].about is None


@pytest.mark.parametrize(
    ("start", "iso"),
    [
        (None, None),
        ("2020-01-01", None),
        ({}, None),
        ({"date-parts": [[None]]}, None),
        ({"date-parts": []}, None),
        ({"date-parts": [[2020, 13, 1]]}, None),
        ({"date-parts": [["2020"]], "date-time": "2020-02-03T00:00:00Z"}, "2020-02-03"),
        ({"date-parts": [[]], "date-time": "soon"}, None),
    ],
)
def test_a_start_that_is_no_date(start, iso):
    assert claims(licence() | {"start": start})[0].start == iso


@pytest.mark.parametrize("entry", [{"URL": None}, {"URL": " "}, {"URL": ["u"]}, {}, None, "u"])
def test_an_entry_without_an_address_is_no_claim(entry):
    assert claims(entry) == []


# relations and updates


@pytest.mark.parametrize(
    ("name", "relation"),
    [("has-preprint", "preprint"), ("is-preprint-of", "published"), ("has-version", "version-of"), ("is-version-of", "version-of")],
)
def test_relations(name, relation):
    assert related(name, "10.1101/ABC") == [(relation, {"doi": "10.1101/abc"})]


@pytest.mark.parametrize("name", ["has-review", "cites", "is-part-of", "is-component-of", "is-identical-to"])
def test_other_relations_are_not_ours(name):
    assert related(name) == []


def test_an_arxiv_preprint_has_both_of_its_names():
    assert related("has-preprint", "10.48550/arXiv.2303.18112") == [
        ("preprint", {"doi": "10.48550/arxiv.2303.18112", "arxiv": "2303.18112"})
    ]


@pytest.mark.parametrize(
    ("kind", "value"),
    [("issn", "2749-9952"), ("uri", "https://doi.org/10.1/a"), ("doi", "no doi"), ("doi", None), (None, "10.1/a"), ("pmid", {})],
)
def test_what_names_no_article_is_no_relation(kind, value):
    assert related("has-preprint", value, kind) == []


def test_a_relation_that_both_sides_assert_is_one():
    both = [{"id-type": "doi", "id": "10.1/v2", "asserted-by": by} for by in ("subject", "object")]
    assert relations(relation={"is-version-of": both}) == [("version-of", {"doi": "10.1/v2"})]


@pytest.mark.parametrize(
    "stated", [None, [], "x", {"has-preprint": None}, {"has-preprint": {"id": "10.1/a"}}, {"has-preprint": ["10.1/a"]}]
)
def test_relations_of_another_shape(stated):
    assert relations(relation=stated) == []


@pytest.mark.parametrize(
    ("kind", "relation"),
    [
        ("retraction", "retracts"),
        ("withdrawal", "retracts"),
        ("removal", "retracts"),
        ("correction", "corrects"),
        ("Erratum", "corrects"),
        ("partial-retraction", "corrects"),
        ("new_version", "version-of"),
    ],
)
def test_a_notice_says_what_it_does_to_the_other_work(kind, relation):
    assert relations(**{"update-to": update(kind, "10.1/paper")}) == [(relation, {"doi": "10.1/paper"})]


def test_a_new_version_of_itself_is_no_other_work():
    assert relations(**{"update-to": update("new_version", DOI.upper())}) == []


# retraction


@pytest.mark.parametrize("source", ["publisher", "retraction-watch"])
@pytest.mark.parametrize("kind", ["retraction", "Retraction", "withdrawal", "removal"])
def test_a_notice_on_this_work_retracts_it_whoever_reports_it(kind, source):
    record = {"DOI": DOI, "updated-by": update("correction") + update(kind, source=source)}
    assert crossref.retraction(record) is True
    assert Retraction(retracted=True) in list(crossref.facts(record, "u"))


def test_a_retraction_notice_is_not_itself_retracted():
    notice = {"DOI": "10.5555/24242424x", "update-to": update("retraction", DOI)}
    assert list(crossref.facts(notice, "u")) == [Relation(relation="retracts", ids=Ids(doi=DOI).as_dict()), Retraction(retracted=False)]


def test_a_work_may_be_retracted_in_place():
    assert crossref.retraction({"DOI": DOI, "update-to": update("retraction", DOI)}) is True


def test_a_relation_may_tell_of_the_retraction():
    assert crossref.retraction({"DOI": DOI, "relation": {"is-retracted-by": [{"id-type": "doi", "id": "10.1/a"}]}}) is True


@pytest.mark.parametrize("updates", [None, [], update("correction"), update("expression_of_concern"), update("partial_retraction")])
def test_a_record_without_a_retraction_says_that_the_work_stands(updates):
    assert crossref.retraction({"DOI": DOI, "updated-by": updates}) is False


@pytest.mark.parametrize("updates", ["retraction", {"type": "retraction"}, 1])
def test_updates_that_cannot_be_read_say_nothing(updates):
    assert crossref.retraction({"DOI": DOI, "updated-by": updates}) is None
    assert list(crossref.facts({"DOI": DOI, "updated-by": updates}, "u")) == []


# links


@pytest.mark.parametrize(
    ("kind", "url", "want"),
    [
        ("application/pdf", "https://pub.tld/viewFile/1", "pdf"),
        ("application/pdf", "https://pub.tld/a.xml", "pdf"),
        ("text/xml", "https://pub.tld/a", "xml"),
        ("Application/XML; charset=utf-8", "https://pub.tld/a", "xml"),
        ("application/jats+xml", "https://pub.tld/a", "xml"),
        ("unspecified", "https://pub.tld/a.PDF?x=1#p", "pdf"),
        ("unspecified", "https://pub.tld/10.1/a/pdf", None),
        ("unspecified", "https://pub.tld/doi/pdfdirect/10.1/a", None),
        ("unspecified", "https://api.wiley.com/onlinelibrary/tdm/v1/articles/10.1%2Fa", "pdf"),
        (None, "https://pub.tld/doi/full-xml", None),
        ("unspecified", "https://pub.tld/a.xml", "xml"),
        ("unspecified", "https://pub.tld/doi/10.1145/3027385", None),
        ("unspecified", "https://pub.tld/pdfs-of-ours/landing", None),
        ("text/html", "https://pub.tld/article-p5.xml", None),
        ("application/xhtml+xml", "https://pub.tld/a", None),
        ("text/plain", "https://api.elsevier.com/content/article/PII:S1?httpAccept=text/plain", None),
        ("application/epub+zip", "https://pub.tld/a.epub", None),
    ],
)
def test_the_kind_of_file_behind_a_link(kind, url, want):
    assert [one.want for one in links(link(url, kind))] == ([want] if want else [])


@pytest.mark.parametrize("use", ["similarity-checking", "syndication", "unspecified", None])
def test_links_that_are_meant_for_others(use):
    assert links(link(use=use)) == []


def test_the_best_come_first_and_each_once():
    found = links(
        link("https://p.tld/am.pdf", version="am"),
        link("https://p.tld/x.pdf", version="unspecified"),
        link("https://p.tld/vor.pdf"),
        link("https://p.tld/am.xml", "text/xml", "am"),
        link("https://p.tld/vor.xml", "text/xml"),
        link("https://p.tld/vor.pdf"),
    )
    assert [(one.url.rpartition("/")[2], one.stage) for one in found] == [
        ("vor.xml", "published"),
        ("am.xml", "accepted"),
        ("vor.pdf", "published"),
        ("x.pdf", None),
        ("am.pdf", "accepted"),
    ]


def test_what_a_preprint_s_own_server_holds_is_a_preprint():
    assert links(link(), type="posted-content")[0].stage == "preprint"


def test_a_key_goes_over_tls_only():
    assert links(link("http://api.wiley.com/onlinelibrary/tdm/v1/articles/10.1%2Fa"))[0].url.startswith("https://api.wiley.com/")
    assert links(link("http://pub.tld/a.pdf"))[0].url == "http://pub.tld/a.pdf"


@pytest.mark.parametrize(
    ("version", "entries", "raw"),
    [
        ("vor", [licence("https://p.tld/tdm", "tdm"), licence("https://p.tld/am", "am"), licence(CC_BY, "vor")], CC_BY),
        ("vor", [licence("https://p.tld/first", start=(2019,)), licence(CC_BY, start=(2021,))], CC_BY),
        ("vor", [licence("https://p.tld/later", start=(2027,)), licence(CC_BY)], CC_BY),
        ("vor", [licence("https://p.tld/later", start=(2027,))], None),
        ("vor", [licence(CC_BY, "unspecified")], CC_BY),
        ("vor", [licence(CC_BY, "tdm"), licence(CC_BY, "stm-asf")], None),
        ("vor", [licence(CC_BY) | {"start": None}], CC_BY),
        ("am", [licence(CC_BY, "vor"), licence("https://p.tld/am", "am")], "https://p.tld/am"),
        ("am", [licence(CC_BY, "vor"), licence(CC_BY, "unspecified")], None),
        ("unspecified", [licence(CC_BY, "vor")], CC_BY),
        ("unspecified", [licence("https://p.tld/am", "am")], None),
        ("tdm", [licence(CC_BY, "tdm")], None),
    ],
)
def test_a_file_s_licence_is_the_one_in_force_for_its_version(version, entries, raw):
    (found,) = links(link(version=version), license=entries)
    assert (found.licence and found.licence.raw) == raw
    if raw == CC_BY:
        assert found.licence == Licence(raw=CC_BY, spdx="CC-BY-4.0", basis="crossref")


@pytest.mark.parametrize("entries", [None, {}, "u", [None], [[]], [{"URL": None, "intended-application": "text-mining"}], [{"URL": 7}]])
def test_links_of_another_shape(entries):
    assert crossref.links({"DOI": DOI, "link": entries}, TODAY) == []


KEYS = [
    *("DOI", "URL", "id", "id-type", "type", "start", "date-parts", "date-time", "content-type", "content-version"),
    *("intended-application", "has-preprint", "is-version-of", "is-retracted-by"),
]
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.sampled_from([DOI, CC_BY, "vor", "retraction"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.fixed_dictionaries({"DOI": st.text(max_size=30)}, optional=dict.fromkeys(crossref.FIELDS[1:], json_values)))
def test_no_record_raises(record):
    assert all(isinstance(one, Title | Claim | Relation | Retraction) for one in crossref.facts(record, "u"))
    assert all(isinstance(one, Link) for one in crossref.links(record, TODAY))
