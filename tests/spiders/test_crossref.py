"""Crossref: lists of fifty, DOIs that go alone, and the record of one work."""

import json
from urllib.parse import parse_qs, urlsplit

import asking
import pytest
from scrapy.http import Response

from litcrawl import batch
from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import Ids
from litcrawl.items import Claim, Heard, Metadata, Relation, Retraction, Step, Title
from litcrawl.spiders.crossref import Crossref
from litcrawl.terms import Reason

API = "https://api.crossref.org/works"
ONE, TWO, THREE = "10.5555/12345678", "10.1002/(sici)1:2<3::aid-a4>3.0.co;2-y", "10.1000/c"
ASKED = asking.question("access", "related", doi=ONE)
# what a list may select, as Crossref's refusal of any other names it: one unknown field would fail every list
SELECTABLE = (
    "abstract URL resource member posted score created degree update-policy short-title license ISSN container-title issued update-to "
    "issue prefix approved indexed article-number clinical-trial-number accepted author group-title DOI is-referenced-by-count "
    "updated-by event chair standards-body original-title funder translator published archive published-print alternative-id subject "
    "subtitle published-online publisher-location content-domain reference title link type publisher volume references-count ISBN "
    "issn-type assertion deposited page contributor content-created short-container-title relation editor"
)


@pytest.fixture
def source():
    return asking.source(Crossref)


def work(doi=ONE, **fields):
    return {"DOI": doi, "title": ["A title"]} | fields


def single(record):
    return json.dumps({"status": "ok", "message-type": "work", "message": record})


def listed(*items, total=None):
    message = {"items": list(items), "total-results": len(items) if total is None else total}
    return json.dumps({"status": "ok", "message-type": "work-list", "message": message})


def answered(source, values, body, status=200):
    request = source.request_batch("doi", values)
    response = Response(request.url, status=status, body=body.encode(), request=request)
    source.check_status(response)
    return source.answers(response, "doi", values)


def test_a_list_asks_for_each_doi_and_only_what_is_read(source):
    request = source.request_batch("doi", [ONE, TWO])
    query = parse_qs(urlsplit(request.url).query, strict_parsing=True)
    assert request.url.startswith(f"{API}?")
    assert query["filter"] == [f"doi:{ONE},doi:{TWO}"]
    assert query["rows"] == ["2"]
    assert set(query["select"][0].split(",")) <= set(SELECTABLE.split())
    assert "mailto" not in query, "contact and keys are joined at the wire"
    assert request.headers["Accept-Encoding"] == b"gzip"


def test_a_full_list_fits_into_an_address(source):
    long = [f"10.1002/(sici)1097-4571({n:06d})45:2<107::aid-asi{n}>3.0.co;2-x" for n in range(source.most)]
    assert len(source.request_batch("doi", long).url) < 8000


@pytest.mark.parametrize(("doi", "alone"), [("10.1000/a,b", True), (TWO, False), (ONE, False)])
def test_a_doi_that_holds_what_parts_filters_goes_alone(source, doi, alone):
    assert source.alone(doi) is alone


@pytest.mark.parametrize(
    ("doi", "path"),
    [
        ("10.1000/a,b", "10.1000/a%2Cb"),
        ("10.36652/0042-4633-2023-5-404-413/", "10.36652/0042-4633-2023-5-404-413%2F"),
        (TWO, "10.1002/%28sici%291%3A2%3C3%3A%3Aaid-a4%3E3.0.co%3B2-y"),
    ],
)
def test_a_doi_that_is_left_alone_has_an_address_of_its_own(source, doi, path):
    assert source.request_batch("doi", [doi]).url == f"{API}/{path}"


def test_answers_are_matched_by_the_doi_inside(source):
    told = answered(source, [ONE, TWO, THREE], listed(work(TWO.upper()), work("10.9999/never-asked"), work(ONE)))
    assert set(told) == {ONE, TWO}
    assert {doi: answer.ids for doi, answer in told.items()} == {ONE: Ids(doi=ONE), TWO: Ids(doi=TWO)}


def test_an_answer_brings_facts_and_the_links_of_crossref_tdm(source):
    record = work(
        license=[{"URL": "http://creativecommons.org/licenses/by/4.0", "content-version": "vor", "start": {"date-parts": [[2020, 1, 2]]}}],
        relation={"has-preprint": [{"id-type": "doi", "id": "10.1101/339747"}]},
        link=[
            {
                "URL": "https://p.tld/a.pdf",
                "content-type": "application/pdf",
                "content-version": "vor",
                "intended-application": "text-mining",
            }
        ],
    ) | {"updated-by": [{"type": "retraction", "DOI": "10.5555/notice", "source": "retraction-watch"}]}
    answer = answered(source, [ONE, TWO], listed(record))[ONE]
    claim = Claim(
        raw="http://creativecommons.org/licenses/by/4.0",
        spdx="CC-BY-4.0",
        basis="crossref",
        about="vor",
        start="2020-01-02",
        url=f"{API}/{ONE}",
    )
    assert answer.facts == [
        Title(text="A title"),
        claim,
        Relation(relation="preprint", ids=Ids(doi="10.1101/339747").as_dict()),
        Retraction(retracted=True),
    ]
    assert [(link.url, link.licence.spdx) for link in answer.heard["crossref_tdm"]] == [("https://p.tld/a.pdf", "CC-BY-4.0")]


def test_a_record_without_links_says_that_there_are_none(source):
    assert answered(source, [ONE], single(work()))[ONE].heard == {"crossref_tdm": []}


@pytest.mark.parametrize("field", ["title", "original-title", "type", "license", "link", "relation", "update-to", "updated-by", "author"])
@pytest.mark.parametrize("value", [None, [], {}, "x", 1, [None], [[]], [{}], {"a": None}])
def test_an_odd_record_spoils_neither_itself_nor_the_others(source, field, value):
    told = answered(source, [ONE, TWO], listed(None, work(ONE) | {field: value}, work(TWO)))
    assert set(told) == {ONE, TWO}
    assert Title(text="A title") in told[TWO].facts


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html></html>",
        "null",
        "[]",
        '{"status": "ok", "message-type": "work-list", "message": null}',
        '{"status": "ok", "message-type": "work-list", "message": {"items": null}}',
        single(work()),
        listed(work(), total=2),
    ],
)
def test_what_is_no_whole_list_states_no_absence(source, body):
    with pytest.raises(Malformed):
        answered(source, [ONE, TWO], body)


def test_a_count_that_is_too_high_does_not_matter_when_all_are_there(source):
    assert set(answered(source, [ONE, TWO], listed(work(ONE), work(TWO), total=900))) == {ONE, TWO}


@pytest.mark.parametrize("doi", ["10.48550/arxiv.2303.18112", "10.48550/anything"])
def test_arxiv_s_dois_are_not_crossref_s(source, doi):
    assert not source.serves(Ids(doi=doi))
    assert source.serves(Ids(doi=ONE))
    assert source.serves(Ids(pmid="1")), "a DOI may still be found"


def test_one_article_is_asked_for_by_its_own_address(source):
    step = asking.first(source, ASKED)
    assert step == Step(step="work", url=f"{API}/{ONE}")
    found = asking.read(source, step, ASKED, single(work(ONE.upper())))
    assert found == [Title(text="A title"), Retraction(retracted=False), Heard(source="crossref_tdm", links=[])]


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, "Resource not found.", Reason.ABSENT),
        (400, '{"status": "failed"}', Reason.UNAVAILABLE),
        (403, "", Reason.UNAVAILABLE),
        (401, "", Reason.UNAVAILABLE),
        (301, "", Reason.UNAVAILABLE),
        (429, "", Reason.RATE_LIMITED),
        (504, "", Reason.UNAVAILABLE),
        (200, "", Reason.UNAVAILABLE),
        (200, "null", Reason.UNAVAILABLE),
        (200, single(None), Reason.UNAVAILABLE),
        (200, single(work("10.9999/other")), Reason.WRONG_ARTICLE),
    ],
)
def test_the_ways_it_says_no(source, status, body, reason):
    assert asking.missed(source, asking.first(source, ASKED), ASKED, body, status=status) == reason


@pytest.mark.parametrize(
    ("values", "status", "reason"),
    [
        ([ONE], 404, Reason.ABSENT),
        ([ONE, TWO], 404, Reason.UNAVAILABLE),
        ([ONE, TWO], 403, Reason.UNAVAILABLE),
        ([ONE, TWO], 503, Reason.UNAVAILABLE),
    ],
)
def test_a_list_that_is_refused_says_nothing_of_its_works(source, values, status, reason):
    with pytest.raises(Miss) as caught:
        answered(source, values, "Resource not found.", status)
    chunk = {"kind": "doi", "tickets": [{"ids": {"doi": value}} for value in values]}
    assert batch.of_each(chunk, source, caught.value.reason) == reason


def test_a_single_answer_about_another_work_is_none(source):
    assert answered(source, [ONE], single(work("10.9999/other"))) == {}


class TestMetadata:
    @pytest.fixture
    def source(self):
        source = asking.source(Crossref)
        source.scope = frozenset({"metadata"})
        return source

    def test_a_list_selects_what_is_read_and_nothing_that_cannot_be(self, source):
        query = parse_qs(urlsplit(source.request_batch("doi", [ONE, TWO]).url).query)
        fields = query["select"][0].split(",")
        assert {"abstract", "author", "reference", "issued", "license"} <= set(fields) <= set(SELECTABLE.split())
        assert len(fields) == len(set(fields))
        source.scope = frozenset()
        assert "abstract" not in source.request_batch("doi", [ONE, TWO]).url

    def test_a_record_brings_metadata_from_a_list_and_alone(self, source):
        body = work(publisher="Words Ltd")
        (answer,) = answered(source, [ONE], single(body)).values()
        (of_list,) = (one for one in answer.facts if isinstance(one, Metadata))
        asked = asking.question("metadata", doi=ONE)
        (alone,) = (one for one in asking.read(source, asking.first(source, asked), asked, single(body)) if isinstance(one, Metadata))
        assert of_list == alone
        assert of_list.fields == {"doi": ONE, "title": "A title", "normalized_title": "a title", "publisher": "Words Ltd"}

    def test_where_it_is_not_wanted_it_costs_nothing(self, source):
        source.scope = frozenset({"access"})
        (answer,) = answered(source, [ONE], single(work(publisher="Words Ltd"))).values()
        assert not any(isinstance(one, Metadata) for one in answer.facts)
