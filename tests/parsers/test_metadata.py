"""The oddities of each service's records; what they tell of an ordinary one stands in `tests/publications/test_sources_table.py`."""

import pytest
from records import ABSTRACT, CROSSREF, DATACITE, DOI, OPENAIRE, OPENALEX, SEMANTIC_SCHOLAR, WORK, page

from litcrawl.exceptions import Malformed
from litcrawl.parsers import crossref_metadata, datacite, html_meta, json_ld, openaire, openalex, semantic_scholar

PARSERS = {
    "crossref": (crossref_metadata.metadata, CROSSREF),
    "datacite": (datacite.metadata, DATACITE),
    "openalex": (openalex.metadata, OPENALEX),
    "openaire": (openaire.metadata, OPENAIRE),
    "semantic_scholar": (semantic_scholar.metadata, SEMANTIC_SCHOLAR),
}
ODD = [None, True, 7, -1, 1.5, "", "odd", [], [None], ["x"], [[]], [{}], {}, {"a": 1}, {"x": None}]


def odd(value, change):
    """The record again and again, each time with one of its values, at whatever depth, another."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: changed} for changed in odd(inner, change))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from ([*value[:n], changed, *value[n + 1 :]] for changed in odd(inner, change))
    yield change


@pytest.mark.parametrize("name", PARSERS)
def test_no_shape_of_a_value_is_an_error(name):
    parse, record = PARSERS[name]
    for change in ODD:
        for changed in odd(record, change):
            if isinstance(changed, dict) and isinstance(changed.get("DOI", ""), str):
                told = parse(changed, DOI)
                assert told["doi"] == DOI
                assert all(value not in (None, "", []) for value in told.values())


@pytest.mark.parametrize("name", PARSERS)
def test_an_empty_record_tells_nothing(name):
    parse, _ = PARSERS[name]
    assert parse({"DOI": DOI}, DOI) == {"doi": DOI}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"title": []}, None),
        ({"title": None}, None),
        ({"title": ["", "Second"]}, "Second"),
        ({"original-title": ["Über Sätze"]}, "Über Sätze"),
    ],
)
def test_crossref_an_empty_title_is_none(record, expected):
    assert crossref_metadata.metadata({"DOI": DOI} | record, DOI).get("title") == expected


def test_crossref_no_author_is_no_error():
    assert "authors" not in crossref_metadata.metadata({"DOI": DOI, "author": None}, DOI)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("proceedings-article", "CONFERENCE_PAPER"),
        ("reference-book", "BOOK_REFERENCE_ENTRY"),
        ("posted-content", None),
        ("component", None),
    ],
)
def test_crossref_a_type_without_counterpart_is_left_to_others(kind, expected):
    assert crossref_metadata.metadata({"DOI": DOI, "type": kind}, DOI).get("type") == expected


def test_crossref_the_earliest_date_counts_as_exact_as_it_is_stated_anywhere():
    parts = {
        "issued": {"date-parts": [[2012]]},
        "published-print": {"date-parts": [[2013, 1, 2]]},
        "posted": {"date-parts": [[2012, 3, 4]]},
    }
    assert crossref_metadata.metadata({"DOI": DOI} | parts, DOI)["pub_date"] == "2012-03-04"
    assert "pub_date" not in crossref_metadata.metadata({"DOI": DOI, "issued": {"date-parts": [[None]]}}, DOI)


def test_crossref_a_date_that_is_stated_first_need_not_be_the_earliest():
    parts = {
        "issued": {"date-parts": [[2013, 2]]},
        "published-print": {"date-parts": [[2012, 5]]},
        "posted": {"date-parts": [[2012, 5, 18]]},
        "published-online": {"date-parts": [[2012, 5, 20]]},
    }
    assert crossref_metadata.metadata({"DOI": DOI} | parts, DOI)["pub_date"] == "2012-05-18"


def test_crossref_a_licence_for_text_mining_is_not_the_publications():
    terms = [{"content-version": "tdm", "URL": "https://words.dev/tdm"}]
    assert "license" not in crossref_metadata.metadata({"DOI": DOI, "license": terms}, DOI)


def test_crossref_a_preprint_stands_in_its_server():
    record = {"DOI": DOI, "container-title": [], "institution": [{"name": "bioRxiv"}]}
    assert crossref_metadata.metadata(record, DOI)["container"] == "bioRxiv"


def test_datacite_an_organisation_keeps_its_comma():
    assert datacite.metadata(DATACITE, DOI)["authors"][1]["name"] == "University of Words, Grammar Group"


def test_datacite_subjects_are_named_once_whatever_their_scheme():
    assert datacite.metadata(DATACITE, DOI)["fields_of_study"] == [{"name": "Linguistics", "normalized_name": "linguistics"}]


def test_datacite_a_publisher_may_be_a_text():
    assert datacite.metadata({"doi": DOI, "publisher": "Dryad"}, DOI)["publisher"] == "Dryad"


@pytest.mark.parametrize("answer", [{}, {"data": None}, {"data": []}, {"data": {"attributes": {"doi": None}}}, {"errors": []}])
def test_datacite_an_answer_without_a_record_is_none(answer):
    with pytest.raises(Malformed):
        datacite.record(answer)


def test_openalex_an_abstract_is_put_in_order():
    assert openalex.abstract({"b": [1], "a": [0, 2], "odd": "x", "far": [10**9]}) == "a b a"
    assert openalex.abstract(None) is None


def test_openalex_a_conference_tells_papers_from_articles():
    record = OPENALEX | {"primary_location": {"raw_type": "proceedings-article", "source": None}}
    assert openalex.metadata(record, DOI)["type"] == "CONFERENCE_PAPER"


def test_openaire_a_product_may_have_several_dois():
    assert list(openaire.dois(OPENAIRE)) == ["10.5555/sentence", "10.5555/preprint"]


def test_openaire_authors_stand_in_their_rank():
    assert [one["name"] for one in openaire.metadata(OPENAIRE, DOI)["authors"]] == ["Ann Miller", "Bo Baker"]


@pytest.mark.parametrize("answer", [{}, {"results": []}, {"header": {}, "results": None}, {"header": {}, "results": {}}])
def test_openaire_an_answer_without_results_is_none(answer):
    with pytest.raises(Malformed):
        openaire.products(answer)


def test_openaire_no_results_are_an_answer():
    assert openaire.products({"header": {"numFound": 0}, "results": []}) == []


ARXIV = "10.48550/arxiv.2304.05376"
VENUES = {"container", "publisher"}
DATES = {"pub_date", "pub_date_precision", "year"}


def test_semantic_scholar_the_publisher_of_arxiv_is_arxiv():
    told = semantic_scholar.metadata({"venue": "arXiv.org", "publicationVenue": {"name": "arXiv.org"}}, ARXIV)
    assert (told["publisher"], told["container"]) == ("arXiv", "arXiv.org")
    assert "publisher" not in semantic_scholar.metadata({"venue": "Annals of Words"}, DOI)


@pytest.mark.parametrize(
    ("doi", "venue", "named", "untold"),
    [
        (ARXIV, "Annals of Words", {"DOI": DOI, "ArXiv": "2304.05376"}, VENUES | DATES),
        (ARXIV, "Conference on Words", {"ArXiv": "2304.05376"}, VENUES | DATES),
        (ARXIV, "arXiv.org", {"DOI": DOI, "ArXiv": "2304.05376"}, DATES),
        (ARXIV, "arXiv.org", {"DOI": ARXIV.upper(), "ArXiv": "2304.05376"}, set()),
        (DOI, "arXiv.org", {"DOI": DOI, "ArXiv": "2304.05376"}, VENUES | DATES),
        (DOI, "Annals of Words", {"DOI": DOI, "ArXiv": "2304.05376"}, set()),
    ],
)
def test_semantic_scholar_a_preprint_has_nothing_of_the_journals(doi, venue, named, untold):
    paper = SEMANTIC_SCHOLAR | {"venue": venue, "publicationVenue": {"name": venue, "publisher": "Words Ltd"}, "externalIds": named}
    told = semantic_scholar.metadata(paper, doi)
    assert (VENUES | DATES) - told.keys() == untold
    assert told["title"] == "On sentences"


def tags(*pairs, **more):
    found = html_meta.page(page(pairs, more.pop("works", ()), **more))
    return html_meta.metadata(found, DOI)


@pytest.mark.parametrize("separator", [".", ":"])
@pytest.mark.parametrize("prefix", ["DC", "dc", "dcterms"])
def test_meta_dublin_core_in_any_spelling(prefix, separator):
    told = tags((f"{prefix}{separator}title", "On sentences"), (f"{prefix}{separator}creator", "Miller, Ann"))
    assert (told["title"], told["authors"][0]["name"]) == ("On sentences", "Ann Miller")


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("bepress_citation_title", "title"), ("eprints.title", "title"), ("prism.publicationName", "container"),
        ("prism.coverDate", "pub_date"), ("prism.copyrightYear", "year"), ("eprints.date", "pub_date"),
        ("bepress_citation_date", "pub_date"),
        ("citation_technical_report_institution", "publisher"), ("citation_conference_title", "container"),
    ],
)  # fmt: skip
def test_meta_names_of_each_vocabulary(name, field):
    assert field in tags((name, "2012"))


def test_meta_all_authors_are_kept_and_each_its_orcid():
    told = html_meta.metadata(html_meta.page(page()), DOI)
    assert [(one["name"], one["orcid"]) for one in told["authors"]] == [("Ann Miller", "0000-0002-1825-0097"), ("Bo Baker", None)]
    assert [one["name"] for one in tags(("citation_authors", "Miller, Ann; Baker, Bo"))["authors"]] == ["Ann Miller", "Bo Baker"]


@pytest.mark.parametrize("name", ["citation_author", "citation_authors", "bepress_citation_author", "DC.creator", "eprints.creators_name"])
def test_meta_authors_in_one_tag_are_parted(name):
    told = tags((name, "Smith, John; Doe, Ann;"), ("citation_author_orcid", "0000-0002-1825-0097"), (name, "R &amp;amp; D Group"))
    assert [(one["name"], one["orcid"]) for one in told["authors"]] == [("John Smith", None), ("Ann Doe", None), ("R & D Group", None)]


def test_meta_the_journals_title_is_not_the_articles():
    assert "title" not in tags(("citation_journal_title", "Annals of Words"))


def test_meta_the_longest_abstract_counts_and_a_cut_teaser_is_none():
    assert tags(("description", ABSTRACT[:90]), ("dc.description", ABSTRACT))["abstract"] == ABSTRACT
    assert "abstract" not in tags(("og:description", ABSTRACT[:90]))
    assert "abstract" not in tags(("og:description", "We asked what a sentence has to have..."))
    assert tags(("og:description", ABSTRACT))["abstract"] == ABSTRACT
    citation = "A. Miller. On sentences. Annals of Words 7 (2012)."
    assert "abstract" not in tags(("description", citation), ("citation_journal_title", "Annals of Words"))


def test_meta_rights_are_a_licence_where_they_are_an_address():
    assert "license" not in tags(("dc.rights", "© 2012 The Authors"))
    link = '<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">'
    assert tags(head=link)["license"] == "https://creativecommons.org/licenses/by/4.0/"


def test_meta_tags_count_wherever_they_stand_and_in_any_encoding():
    body = '<html><head></head><body><p>x</p><meta name="citation_title" content="Über Sätze"></body></html>'.encode("iso-8859-1")
    assert html_meta.metadata(html_meta.page(body, "text/html; charset=iso-8859-1"), DOI)["title"] == "Über Sätze"
    declared = b'<?xml version="1.0" encoding="UTF-8"?>\n' + page((("citation_title", "On sentences"),), ())
    assert html_meta.metadata(html_meta.page(declared), DOI)["title"] == "On sentences"


@pytest.mark.parametrize(
    "charset", ["zlib", "hex", "base64", "rot13", "idna", "undefined", "punycode", "utf-7", "unicode_escape", "nonsense"]
)
def test_meta_an_encoding_that_is_none_of_the_webs_is_not_believed(charset):
    body = f'<meta charset="{charset}"><meta name="citation_title" content="Über \\x41 +AEE- Sätze">'.encode() + b"x" * 300_000
    for declared in (f"text/html; charset={charset}", "text/html"):
        assert html_meta.metadata(html_meta.page(body, declared), DOI)["title"] == "Über \\x41 +AEE- Sätze"


@pytest.mark.parametrize("charset", ["utf-8", "windows-1252", "iso-8859-15", "utf-16", "utf-16le", "macintosh", "gb2312", "utf-8-sig"])
def test_meta_an_encoding_of_the_web_is(charset):
    body = '<meta name="citation_title" content="Über Sätze">'.encode({"macintosh": "mac_roman", "gb2312": "gb18030"}.get(charset, charset))
    assert html_meta.metadata(html_meta.page(body, f"text/html; charset={charset}"), DOI)["title"] == "Über Sätze"


@pytest.mark.parametrize("body", [b"", b"   ", b"plain words", b"<html></html>", b"\0\0\0", b"<html><head><meta><meta name=x></head>"])
def test_meta_a_page_without_tags_tells_nothing(body):
    found = html_meta.page(body)
    assert html_meta.metadata(found, DOI) == {"doi": DOI}
    assert html_meta.dois(found) == set()


def test_meta_the_dois_of_a_page_are_those_of_its_tags_and_works():
    assert html_meta.dois(html_meta.page(page())) == {DOI}
    other = WORK | {"identifier": "https://doi.org/10.5555/other"}
    assert html_meta.dois(html_meta.page(page((("dc.identifier", "doi:10.5555/sentence"),), (other,)))) == {DOI, "10.5555/other"}


def test_json_ld_is_read_within_bounds():
    numbered = [{"@type": "Article", "identifier": f"10.5555/{n}"} for n in range(200)]
    assert html_meta.dois(html_meta.page(page((), (numbered,)))) == {f"10.5555/{n}" for n in range(100)}
    assert html_meta.dois(html_meta.page(page((), numbered))) == {f"10.5555/{n}" for n in range(100)}
    long = [{"@type": "Article", "doi": f"10.5555/{n}", "text": "x" * 400_000} for n in range(4)]
    assert html_meta.dois(html_meta.page(page((), long))) == {"10.5555/0", "10.5555/1"}
    many = {"@type": "Article", "identifier": [f"10.5555/{n}" for n in range(200)]}
    assert len(json_ld.dois(many)) == 50


def test_json_ld_alone_tells_all_that_tags_would():
    work = {
        "@context": "https://schema.org",
        "@graph": [
            {"@type": "WebPage"},
            {
                "@type": ["ScholarlyArticle"], "@id": f"https://doi.org/{DOI}", "name": "On sentences", "abstract": ABSTRACT,
                "author": [{"@type": "Person", "givenName": "Ann", "familyName": "Miller", "@id": "https://orcid.org/0000-0002-1825-0097"},
                           {"@type": "Organization", "name": "Words, Ltd"}, "Baker, Bo"],
                "datePublished": "2012-05-18", "publisher": {"@type": "Organization", "name": "Words Ltd"}, "keywords": ["Syntax"],
                "license": {"@id": "https://creativecommons.org/licenses/by/4.0/"}, "citation": [{"@id": "https://doi.org/10.5555/cited"}],
                "isPartOf": {"@type": "PublicationIssue", "isPartOf": {"@type": "Periodical", "name": "Annals of Words"}},
            },
        ],
    }  # fmt: skip
    told = tags(works=(work,))
    assert [one["name"] for one in told["authors"]] == ["Ann Miller", "Words, Ltd", "Bo Baker"]
    assert told["authors"][0]["orcid"] == "0000-0002-1825-0097"
    assert (told["container"], told["publisher"], told["pub_date"]) == ("Annals of Words", "Words Ltd", "2012-05-18")
    assert (told["refs"], told["license"]) == ([{"doi": "10.5555/cited"}], "https://creativecommons.org/licenses/by/4.0/")


@pytest.mark.parametrize("script", ["", "{", "null", "[]", '"x"', '{"@type": 7}', '{"@type": "Person"}', '{"@graph": {"@graph": []}}'])
def test_json_ld_that_cannot_be_read_holds_no_work(script):
    assert json_ld.works(script) == []
