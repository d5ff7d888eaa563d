"""Semantic Scholar: papers by batch, matched by their identifiers; a preprint and its article are one paper there."""

import json

import asking
import pytest
from scrapy.http import Response

from litcrawl.exceptions import Malformed
from litcrawl.ids import Ids
from litcrawl.items import Claim, Licence, Link, Relation, Title
from litcrawl.spiders.semantic_scholar import SemanticScholar
from litcrawl.terms import Reason, Stage

PAPER = "https://api.semanticscholar.org/graph/v1/paper"
FIELDS = "fields=externalIds,openAccessPdf,title"
DOI, ARXIV = "10.1000/abc", "10.48550/arxiv.2304.05376"
ARTICLE = Ids(doi=DOI, pmid="38", pmcid="PMC11")
PREPRINT = Ids(doi=ARXIV, arxiv="2304.05376")


def paper(pdf=None, title="A title", **ids):
    return {"paperId": "c31c", "externalIds": {"CorpusId": 1, "MAG": "2", "DBLP": ["x"], **ids}, "openAccessPdf": pdf, "title": title}


def open_pdf(url, status="HYBRID", licence="CCBY"):
    return {"url": url, "status": status, "license": licence, "disclaimer": "Notice: https://doi.org/10.1000/abc"}


BOTH = {"DOI": DOI.upper(), "ArXiv": "2304.05376", "PubMed": 38, "PubMedCentral": "11"}


@pytest.fixture
def source():
    return asking.source(SemanticScholar)


def answers(source, body, kind, *values):
    plain = body if isinstance(body, str) else json.dumps(body)
    return source.answers(Response(f"{PAPER}/batch", body=plain.encode()), kind, list(values))


def answer(source, record, **ids):
    asked = asking.question("pdf", **(ids or {"doi": DOI}))
    return asking.read(source, asking.first(source, asked), asked, json.dumps(record))


class TestBatch:
    @pytest.mark.parametrize(
        ("kind", "values", "names"),
        [
            ("doi", [DOI, ARXIV, "10.48550/arxiv.math/0601001"], ["DOI:10.1000/abc", "ARXIV:2304.05376", "ARXIV:math/0601001"]),
            ("pmid", ["1"], ["PMID:1"]),
            ("pmcid", ["PMC11", "PMC12"], ["PMCID:11", "PMCID:12"]),
            ("arxiv", ["hep-th/9901001"], ["ARXIV:hep-th/9901001"]),
        ],
    )
    def test_papers_are_asked_for_by_name(self, source, kind, values, names):
        request = source.request_batch(kind, values)
        assert (request.method, request.url, json.loads(request.body)) == ("POST", f"{PAPER}/batch?{FIELDS}", {"ids": names})
        assert (request.headers["Content-Type"], request.headers["Accept-Encoding"]) == (b"application/json", b"gzip")

    def test_answers_are_matched_by_their_identifiers_and_not_by_position(self, source):
        known = answers(source, [paper(DOI="10.1000/C"), None, paper(DOI="10.1000/a", PubMed="7")], "doi",
                        "10.1000/a", "10.1000/b", "10.1000/c")  # fmt: skip
        assert {value: one.ids for value, one in known.items()} == {
            "10.1000/c": Ids(doi="10.1000/c"),
            "10.1000/a": Ids(doi="10.1000/a", pmid="7"),
        }

    def test_a_paper_that_was_merged_into_another_is_unknown(self, source):
        assert answers(source, [paper(DOI="10.1000/journal")], "doi", "10.1101/2020.01.02.123456") == {}

    def test_a_journal_s_article_never_gets_an_arxiv_id(self, source):
        known = answers(source, [paper(**BOTH)], "doi", DOI)[DOI]
        assert known.ids == ARTICLE
        assert known.facts == [Title(text="A title"), Relation(relation="preprint", ids=PREPRINT.as_dict())]

    def test_a_preprint_never_gets_what_names_the_journal_s_article(self, source):
        known = answers(source, [paper(**BOTH)], "doi", ARXIV)[ARXIV]
        assert known.ids == PREPRINT
        assert known.facts == [Title(text="A title"), Relation(relation="published", ids=ARTICLE.as_dict())]

    def test_both_may_be_asked_for_in_one_call(self, source):
        assert answers(source, [paper(**BOTH), paper(**BOTH)], "doi", DOI, ARXIV).keys() == {DOI, ARXIV}

    def test_by_the_other_identifiers(self, source):
        assert answers(source, [paper(**BOTH)], "pmid", "38")["38"].ids == ARTICLE
        assert answers(source, [paper(**BOTH)], "pmcid", "PMC11")["PMC11"].ids == ARTICLE
        assert answers(source, [paper(**BOTH)], "arxiv", "2304.05376")["2304.05376"].ids == PREPRINT
        assert answers(source, [paper(PubMedCentral="PMC11", PubMed="038")], "pmcid", "PMC11")["PMC11"].ids == Ids(pmid="38", pmcid="PMC11")

    def test_what_came_along_spares_the_rung_its_request(self, source):
        body = [paper(open_pdf("https://a.org/1.pdf"), DOI=DOI), paper(open_pdf("", "CLOSED", None), DOI="10.1000/closed")]
        known = answers(source, body, "doi", DOI, "10.1000/closed")
        assert [one.url for one in known[DOI].heard["semantic_scholar"]] == ["https://a.org/1.pdf"]
        assert known["10.1000/closed"].heard == {"semantic_scholar": []}
        assert known["10.1000/closed"].facts[1:] == [Claim(raw=None, access="closed", basis="semantic_scholar")]

    @pytest.mark.parametrize("body", ["", "null", "{}", '{"data": []}', '{"error": "x"}', "[]", "[null]", "<html></html>"])
    def test_what_has_no_place_for_each_paper_is_no_answer(self, source, body):
        with pytest.raises(Malformed):
            answers(source, body, "doi", DOI, "10.1000/b")

    @pytest.mark.parametrize(
        "odd", [5, "x", [], {}, {"externalIds": None}, {"externalIds": [DOI]}, {"externalIds": {"DOI": [DOI], "PubMed": True, "ArXiv": {}}}]
    )
    def test_odd_shapes_cost_at_most_that_paper(self, source, odd):
        assert answers(source, [odd, paper(DOI=DOI)], "doi", DOI, "10.1000/b").keys() == {DOI}


class TestSingle:
    @pytest.mark.parametrize(
        ("ids", "name"),
        [
            ({"doi": "10.1000/a<b>;c", "pmid": "1"}, "DOI:10.1000/a%3Cb%3E%3Bc"),
            ({"pmid": "1", "pmcid": "PMC2"}, "PMID:1"),
            ({"pmcid": "PMC2"}, "PMCID:2"),
            ({"arxiv": "2304.05376"}, "ARXIV:2304.05376"),
            ({"doi": ARXIV, "arxiv": "2304.05376"}, "ARXIV:2304.05376"),
        ],
    )
    def test_it_is_asked_for_by_the_best_identifier(self, source, ids, name):
        assert asking.first(source, asking.question("pdf", **ids)).url == f"{PAPER}/{name}?{FIELDS}"
        assert source.declines(Ids(**ids)) is None

    def test_a_book_is_nothing_to_ask_for(self, source):
        assert source.declines(Ids(bookid="NBK1")) is Reason.NEEDS_ID

    def test_a_paper(self, source):
        licence = Licence(raw="CCBY", spdx="LicenseRef-CC-BY", access="hybrid", basis="semantic_scholar")
        assert answer(source, paper(open_pdf("https://a.org/1.pdf"), **BOTH)) == [
            ARTICLE,
            Title(text="A title"),
            Relation(relation="preprint", ids=PREPRINT.as_dict()),
            Claim(raw="CCBY", spdx="LicenseRef-CC-BY", access="hybrid", basis="semantic_scholar", url="https://a.org/1.pdf"),
            Link(want="pdf", url="https://a.org/1.pdf", licence=licence),
        ]

    def test_an_article_s_copy_on_arxiv_is_a_preprint(self, source):
        (link,) = (one for one in answer(source, paper(open_pdf("https://arxiv.org/pdf/2304.05376"), **BOTH)) if isinstance(one, Link))
        assert link.stage is Stage.PREPRINT

    def test_a_journal_s_copy_is_not_the_preprint_s(self, source):
        found = answer(source, paper(open_pdf("https://a.org/1.pdf"), **BOTH), doi=ARXIV, arxiv="2304.05376")
        assert found == [PREPRINT, Title(text="A title"), Relation(relation="published", ids=ARTICLE.as_dict())]

    def test_a_preprint_without_a_journal_has_no_relation(self, source):
        found = answer(
            source, paper(open_pdf("https://arxiv.org/pdf/2304.05376", None, None), ArXiv="2304.05376", DOI=ARXIV), arxiv="2304.05376"
        )
        assert found == [PREPRINT, Title(text="A title"), Link(want="pdf", url="https://arxiv.org/pdf/2304.05376", stage=Stage.PREPRINT)]

    @pytest.mark.parametrize(
        "pdf",
        [None, "", [], "https://a.org/1.pdf", {}, {"url": None}, {"url": ""}, {"url": 7, "status": 7, "license": []},
         {"url": "https://doi.org/10.1000/abc"}, {"url": "http://arxiv.org/abs/2304.05376"}, {"url": "javascript:x"}],
    )  # fmt: skip
    def test_an_open_pdf_that_is_none(self, source, pdf):
        assert answer(source, paper(pdf, DOI=DOI)) == [Ids(doi=DOI), Title(text="A title")]

    def test_a_page_about_the_article_has_terms_and_is_no_link(self, source):
        found = answer(source, paper(open_pdf("https://doi.org/10.1000/abc", "GOLD"), DOI=DOI))
        assert found[2:] == [
            Claim(raw="CCBY", spdx="LicenseRef-CC-BY", access="gold", basis="semantic_scholar", url="https://doi.org/10.1000/abc")
        ]

    @pytest.mark.parametrize(
        ("status", "body", "reason"),
        [
            (404, '{"error": "Paper with id DOI:10.1000/abc not found"}', Reason.ABSENT),
            (403, '{"message": "Forbidden"}', Reason.UNAVAILABLE),
            (429, '{"message": "Too Many Requests", "code": "429"}', Reason.RATE_LIMITED),
            (200, "[]", Reason.UNAVAILABLE),
            (200, "null", Reason.UNAVAILABLE),
            (200, '{"paperId": "x"}', Reason.UNAVAILABLE),
            (200, json.dumps(paper(DOI="10.1000/another")), Reason.ABSENT),
            (200, json.dumps(paper()), Reason.ABSENT),
        ],
    )
    def test_the_ways_it_says_no(self, source, status, body, reason):
        asked = asking.question("pdf", doi=DOI)
        assert asking.missed(source, asking.first(source, asked), asked, body, status=status) is reason


def test_metadata_and_whom_it_cites_are_asked_for_where_they_are_wanted():
    of = asking.source(SemanticScholar)
    assert "abstract" not in of.request_batch("doi", ["10.5555/one"]).url
    assert of.at_once() == 500
    of.scope = frozenset({"metadata"})
    fields = of.request_batch("doi", ["10.5555/one"]).url.partition("fields=")[2].split(",")
    assert {"title", "abstract", "authors.name", "externalIds"} <= set(fields)
    assert not {"references.externalIds", "citations.externalIds"} & set(fields)
    of.scope = frozenset({"metadata", "refs", "citations"})
    fields = of.request_batch("doi", ["10.5555/one"]).url.partition("fields=")[2].split(",")
    assert {"references.externalIds", "citations.externalIds"} <= set(fields)
    assert of.at_once() == 50
