"""OpenAlex: lists with a key, single records without; identifiers as addresses; open copies; retraction."""

import json

import asking
import pytest
from scrapy.http import Response

from litcrawl.exceptions import Malformed
from litcrawl.ids import Ids
from litcrawl.items import Claim, Link, Metadata, Retraction, Title
from litcrawl.spiders.openalex import Openalex
from litcrawl.terms import Reason, Stage

SELECT = "select=doi,ids,title,is_retracted,open_access,locations,best_oa_location,primary_location"
DOI = "10.1000/abc"


def work(doi=DOI, pmid=None, pmcid=None, **more):
    ids = {"openalex": "https://openalex.org/W1", "mag": 12}
    ids |= {"pmid": f"https://pubmed.ncbi.nlm.nih.gov/{pmid}"} if pmid else {}
    ids |= {"pmcid": f"https://www.ncbi.nlm.nih.gov/pmc/articles/{pmcid}"} if pmcid else {}
    url = doi and f"https://doi.org/{doi}"
    return {"doi": url, "ids": ids | ({"doi": url} if doi else {}), "title": "A title", "is_retracted": False} | more


def place(pdf=None, version=None, licence=None, is_oa=True, page="https://repository.edu/1", **more):
    return {"pdf_url": pdf, "landing_page_url": page, "version": version, "license": licence, "is_oa": is_oa, **more}


def listed(*works, count=None):
    return json.dumps({"meta": {"count": len(works) if count is None else count, "per_page": 100}, "results": list(works)})


@pytest.fixture
def source():
    return asking.source(Openalex)


def answers(source, body, kind, *values):
    return source.answers(Response("https://api.openalex.org/works", body=body.encode()), kind, list(values))


def answer(source, record, **ids):
    asked = asking.question("pdf", "access", **(ids or {"doi": DOI}))
    return asking.read(source, asking.first(source, asked), asked, json.dumps(record))


def links(findings):
    return [one.url for one in findings if isinstance(one, Link)]


class TestList:
    def test_only_a_key_buys_lists(self, source):
        assert not source.batches()
        assert asking.source(Openalex, LITCRAWL_OPENALEX_API_KEY="key").batches()

    @pytest.mark.parametrize(
        ("kind", "values", "filter_"),
        [
            ("doi", ["10.1000/a(1)", "10.1000/b;c"], "doi:10.1000/a%281%29%7C10.1000/b%3Bc"),
            ("pmid", ["1", "2"], "pmid:1%7C2"),
            ("pmcid", ["PMC1", "PMC2"], "pmcid:1%7C2"),
        ],
    )
    def test_many_are_asked_for_in_one_filter(self, source, kind, values, filter_):
        assert source.request_batch(kind, values).url == f"https://api.openalex.org/works?filter={filter_}&per-page=100&{SELECT}"

    @pytest.mark.parametrize("doi", ["10.1000/a,b", "10.1000/a|b", "10.1000/a&b"])
    def test_an_id_with_a_separator_goes_alone_by_its_path(self, source, doi):
        assert source.alone(doi)
        path = doi.replace(",", "%2C").replace("|", "%7C").replace("&", "%26")
        assert source.request_batch("doi", [doi]).url == f"https://api.openalex.org/works/doi:{path}?{SELECT}"
        assert answers(source, json.dumps(work(doi)), "doi", doi)[doi].ids.doi == doi

    def test_answers_are_matched_by_the_id_in_the_record(self, source):
        known = answers(source, listed(work("10.1000/B", 2, "PMC22"), None, 5, [], work("10.1000/z"), work("10.1000/a", 1, 11)), "doi",
                        "10.1000/a", "10.1000/b", "10.1000/c")  # fmt: skip
        assert {value: one.ids for value, one in known.items()} == {
            "10.1000/b": Ids(doi="10.1000/b", pmid="2", pmcid="PMC22"),
            "10.1000/a": Ids(doi="10.1000/a", pmid="1", pmcid="PMC11"),
        }

    def test_by_the_other_identifiers(self, source):
        body = listed(work(None, 2, 22), work("10.1000/a", "1"))
        assert answers(source, body, "pmid", "1", "2", "3").keys() == {"1", "2"}
        assert answers(source, body, "pmcid", "PMC22", "PMC1")["PMC22"].ids == Ids(pmid="2", pmcid="PMC22")

    def test_of_two_records_of_one_identifier_the_first_counts(self, source):
        known = answers(source, listed(work(pmid=1), work(pmid=2)), "doi", DOI, "10.1000/b")
        assert known[DOI].ids.pmid == "1"

    def test_what_came_along_spares_the_rung_its_request(self, source):
        open_ = work(locations=[place("https://repository.edu/1.pdf", "acceptedVersion")], open_access={"oa_status": "green"})
        known = answers(source, listed(open_, work("10.1000/closed", open_access={"oa_status": "closed"})), "doi", DOI, "10.1000/closed")
        assert links(known[DOI].heard["openalex"]) == ["https://repository.edu/1.pdf"]
        assert known["10.1000/closed"].heard == {"openalex": []}
        assert known[DOI].facts == [
            Title(text="A title"),
            Retraction(retracted=False),
            Claim(raw=None, access="green", basis="openalex", about="am", url="https://repository.edu/1.pdf"),
        ]

    @pytest.mark.parametrize(
        "body",
        ["", "null", "[]", "{}", "<html></html>", '{"results": null, "meta": {"count": 0}}', '{"results": []}', listed(work(), count=2),
         '{"results": {}, "meta": {"count": 0}}', '{"results": [], "meta": {"count": null}}', '{"error": "busy"}'],
    )  # fmt: skip
    def test_what_is_no_whole_list_is_no_answer(self, source, body):
        with pytest.raises(Malformed):
            answers(source, body, "doi", DOI, "10.1000/b")

    def test_an_empty_list_says_that_all_are_unknown(self, source):
        assert answers(source, listed(), "doi", DOI, "10.1000/b") == {}


class TestSingle:
    @pytest.mark.parametrize(
        ("ids", "path"),
        [
            ({"doi": "10.1000/a//b;c", "pmid": "1"}, "doi:10.1000/a%2F%2Fb%3Bc"),
            ({"pmid": "1", "pmcid": "PMC2"}, "pmid:1"),
            ({"pmcid": "PMC2", "arxiv": "2303.18112"}, "pmcid:2"),
        ],
    )
    def test_it_is_asked_for_by_the_best_identifier(self, source, ids, path):
        assert asking.first(source, asking.question("pdf", **ids)).url == f"https://api.openalex.org/works/{path}?{SELECT}"
        assert source.declines(Ids(**ids)) is None

    def test_any_of_three_identifiers_is_enough(self, source):
        assert source.declines(Ids(bookid="NBK1", arxiv="2303.18112")) is Reason.NEEDS_ID

    def test_a_record(self, source):
        best = place("https://publisher.org/1.pdf", "publishedVersion", "cc-by")
        record = work(pmid=12, is_retracted=True, open_access={"oa_status": "gold"}, primary_location=best,
                      locations=[place("https://arxiv.org/pdf/1", "submittedVersion", "other-oa"), best])  # fmt: skip
        found = answer(source, record)
        assert found[:3] == [Ids(doi=DOI, pmid="12"), Title(text="A title"), Retraction(retracted=True)]
        assert [(one.raw, one.access, one.about) for one in found if isinstance(one, Claim)] == [
            ("cc-by", "gold", "vor"),
            ("other-oa", None, "preprint"),
        ]
        assert [(one.url, one.stage) for one in found if isinstance(one, Link)] == [
            ("https://publisher.org/1.pdf", Stage.PUBLISHED),
            ("https://arxiv.org/pdf/1", Stage.SUBMITTED),
        ]

    def test_what_is_not_open_is_no_link(self, source):
        assert links(answer(source, work(locations=[place("https://publisher.org/1.pdf", is_oa=False)]))) == []

    def test_a_page_is_no_link_and_the_best_place_counts_also_where_the_list_lacks_it(self, source):
        record = work(locations=[place("https://doi.org/10.1000/abc")], best_oa_location=place("https://a.org/1.pdf"))
        assert links(answer(source, record)) == ["https://a.org/1.pdf"]

    @pytest.mark.parametrize(
        ("said", "stage"),
        [({"is_published": True}, Stage.PUBLISHED), ({"is_accepted": True, "is_published": False}, Stage.ACCEPTED), ({}, None)],
    )
    def test_a_stage_that_has_no_word(self, source, said, stage):
        found = answer(source, work(locations=[place("https://a.org/1.pdf", **said)]))
        assert [one.stage for one in found if isinstance(one, Link)] == [stage]

    @pytest.mark.parametrize("said", [None, "no", 0])
    def test_whether_it_is_retracted_may_be_unsaid(self, source, said):
        assert not [one for one in answer(source, work(is_retracted=said)) if isinstance(one, Retraction)]

    @pytest.mark.parametrize(
        "odd",
        [
            {"locations": None, "best_oa_location": None, "open_access": None, "title": None},
            {"locations": {"pdf_url": "https://a.org/1.pdf"}, "open_access": []},
            {"locations": [None, "x", {"pdf_url": 1, "license": {}, "version": []}], "title": ["A"]},
            {"ids": {"pmid": True, "pmcid": ["1"], "doi": None}},
            {"ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/", "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/x1"}},
        ],
    )
    def test_odd_shapes_cost_at_most_that_field(self, source, odd):
        found = answer(source, work() | odd)
        assert found[0] == Ids(doi=DOI)
        assert links(found) == []

    @pytest.mark.parametrize(
        ("status", "body", "reason"),
        [
            (404, "<!doctype html><title>404 Not Found</title>", Reason.ABSENT),
            (403, "{}", Reason.UNAVAILABLE),
            (429, '{"error": "Rate limit exceeded"}', Reason.RATE_LIMITED),
            (200, "[]", Reason.UNAVAILABLE),
            (200, '{"ids": null}', Reason.UNAVAILABLE),
            (200, listed(work()), Reason.UNAVAILABLE),
            (200, json.dumps(work("10.1000/another")), Reason.ABSENT),
        ],
    )
    def test_the_ways_it_says_no(self, source, status, body, reason):
        asked = asking.question("pdf", doi=DOI)
        assert asking.missed(source, asking.first(source, asked), asked, body, status=status) is reason


class TestMetadata:
    def test_lists_and_single_records_select_what_is_read(self):
        source = asking.source(Openalex, LITCRAWL_OPENALEX_API_KEY="key")
        source.scope = frozenset({"metadata"})
        for values in ([DOI], [DOI, "10.1000/def"]):
            fields = source.request_batch("doi", values).url.partition("select=")[2].split(",")
            assert {"abstract_inverted_index", "authorships", "topics", "publication_date", "cited_by_count"} < set(fields)
            assert len(fields) == len(set(fields))

    def test_a_record_brings_metadata_where_it_is_wanted(self):
        source = asking.source(Openalex)
        source.scope = frozenset({"metadata"})
        record = work(abstract_inverted_index={"Hello": [0], "world.": [1]})
        (of_list,) = (one for one in answers(source, listed(record), "doi", DOI)[DOI].facts if isinstance(one, Metadata))
        (alone,) = (one for one in answer(source, record) if isinstance(one, Metadata))
        assert of_list == alone
        assert of_list.fields["abstract"] == "Hello world."
        source.scope = frozenset()
        assert not any(isinstance(one, Metadata) for one in answer(source, record))
