"""Semantic Scholar: identifiers of an article, and one PDF that it thinks open."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit

from scrapy import Request
from scrapy.http import JsonRequest, Response

from litcrawl import copies
from litcrawl import ids as identifiers
from litcrawl.copies import Copy
from litcrawl.exceptions import BadIdentifier, Malformed, Miss
from litcrawl.ids import ARXIV_DOI, Ids, quote_doi
from litcrawl.items import Claim, Link, Metadata, Relation, Step, Title
from litcrawl.parsers import semantic_scholar
from litcrawl.resolver import Answer, Resolver
from litcrawl.source import Finding, Question, json_object, json_value
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason, Stage, Want

PAPER = "https://api.semanticscholar.org/graph/v1/paper"
FIELDS = ("externalIds", "openAccessPdf", "title")

_PREFIXES = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "arxiv": "ARXIV"}
_LINKS = {"refs": "references", "citations": "citations"}  # they make an answer many times as long
_ARXIV_HOSTS = frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org"})


class SemanticScholar(Resolver):
    """
    Serves
      Metadata; DOI, PMID and PMCID from one another; a link to one PDF, with its licence; the preprint on arXiv of a journal's article.
    Needs
      DOI, PMID, PMCID or arXiv id. A key (`LITCRAWL_SEMANTIC_SCHOLAR_API_KEY`) is optional.
    Pace
      One request a second with a key; without, a share in what all callers have together, which is often spent.
    Documentation
      https://api.semanticscholar.org/api-docs/graph
    Beware
      A preprint and the journal's article are one paper, whose DOI is that of either. Papers are merged: a DOI may bring one that
      names another. The address of the open PDF may be empty, or that of a page.
    """

    name = "semantic_scholar"
    offers = frozenset({Want.PDF, Want.METADATA})
    accepts = ("doi", "pmid", "pmcid", "arxiv")
    provides = frozenset({"doi", "pmid", "pmcid"})
    guesses = True
    basis = "semantic_scholar"
    origin: ClassVar = {
        "title": "SemanticScholar",
        "url": "https://www.semanticscholar.org/",
        "license": "https://opendatacommons.org/licenses/by/1-0/",
    }
    most = 500

    def at_once(self) -> int:
        return self.most // 10 if self.scope & _LINKS.keys() else self.most  # an answer may have 10 MB

    def request_batch(self, kind: str, values: list[str]) -> Request:
        papers = {"ids": [":".join(_name(kind, value)) for value in values]}
        return JsonRequest(f"{PAPER}/batch?{self._query()}", data=papers, headers={"Accept-Encoding": "gzip"})

    def answers(self, response: Response, kind: str, values: list[str]) -> dict[str, Answer]:
        papers = json_value(response)
        if not isinstance(papers, list) or len(papers) < len(values):  # null stands for a paper that it does not know
            raise Malformed("no list with a place for each paper")
        asked = set(values)
        known: dict[str, Answer] = {}
        for paper in papers:
            for own, other in _sides(paper) if isinstance(paper, dict) else ():
                value = getattr(own, kind)
                if value in asked and value not in known:
                    found = list(_findings(paper, own, other))
                    links = [one for one in found if isinstance(one, Link)]
                    answer = known[value] = Answer(ids=own, heard={self.name: links})
                    answer.facts += [one for one in found if not isinstance(one, Link)]
                    answer.facts += self._metadata(paper, own)
        return known

    def ask(self, question: Question) -> Iterator[Step | Link]:
        kind, value = next((kind, value) for kind, value in question.ids if kind in self.accepts)
        prefix, name = _name(kind, value)
        yield Step(step="paper", url=f"{PAPER}/{prefix}:{quote_doi(name)}?{self._query()}", state={"kind": kind, "value": value})

    def paper(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The record of one paper."""
        paper = json_object(response)
        if not isinstance(paper.get("externalIds"), dict):
            raise Malformed("no record of a paper")
        for own, other in _sides(paper):
            if getattr(own, state["kind"]) == state["value"]:
                yield own
                yield from _findings(paper, own, other)
                yield from self._metadata(paper, own)
                return
        raise Miss(Reason.ABSENT, "a paper with other identifiers")

    def _query(self) -> str:
        more = semantic_scholar.FIELDS if Want.METADATA in self.scope else ()
        links = [f"{name}.externalIds" for mark, name in _LINKS.items() if mark in self.scope]
        return urlencode({"fields": ",".join(dict.fromkeys((*FIELDS, *more, *links)))}, safe=",")

    def _metadata(self, paper: dict[str, Any], ids: Ids) -> Iterator[Metadata]:
        if Want.METADATA in self.scope and ids.doi:
            yield Metadata(fields=semantic_scholar.metadata(paper, ids.doi))


def _name(kind: str, value: str) -> tuple[str, str]:
    """What a paper is asked for by. Of a paper on arXiv its DOI is known only where no journal has given another."""
    if value.startswith(ARXIV_DOI):
        kind, value = "arxiv", value.removeprefix(ARXIV_DOI)
    return _PREFIXES[kind], value.removeprefix("PMC")


def _sides(paper: dict[str, Any]) -> tuple[tuple[Ids, Ids], tuple[Ids, Ids]]:
    """The identifiers of a paper as a journal's article and as a preprint on arXiv, each beside the other."""
    named = paper.get("externalIds")
    named = named if isinstance(named, dict) else {}
    doi, arxiv = _id("doi", named.get("DOI")), _id("arxiv", named.get("ArXiv"))
    if doi is not None and doi.startswith(ARXIV_DOI):
        arxiv = arxiv or doi.removeprefix(ARXIV_DOI)
        doi = None
    article = Ids(doi=doi, pmid=_id("pmid", named.get("PubMed")), pmcid=_id("pmcid", named.get("PubMedCentral")))
    preprint = Ids(doi=ARXIV_DOI + arxiv, arxiv=arxiv) if arxiv else Ids()
    return (article, preprint), (preprint, article)


def _id(kind: str, value: Any) -> str | None:
    with suppress(BadIdentifier):
        if isinstance(value, str | int) and not isinstance(value, bool):
            return getattr(identifiers.parse(str(value), kind).ids, kind)
    return None


def _findings(paper: dict[str, Any], own: Ids, other: Ids) -> Iterator[Title | Relation | Claim | Link]:
    if title := copies.word(paper.get("title")):
        yield Title(text=title)
    if own.arxiv and other.doi:
        yield Relation(relation="published", ids=other.as_dict())
    elif other.arxiv:
        yield Relation(relation="preprint", ids=other.as_dict())
    pdf = paper.get("openAccessPdf")
    if not isinstance(pdf, dict):
        return
    page = copies.address(pdf.get("url"))
    on_arxiv = page is not None and urlsplit(page).hostname in _ARXIV_HOSTS
    if own.arxiv and other.doi and not on_arxiv:
        return  # the journal's copy, under the journal's terms
    copy = Copy(
        pdf=copies.pdf_address(page), page=page, stage=Stage.PREPRINT if on_arxiv else None, licence=copies.word(pdf.get("license"))
    )
    status = (copies.word(pdf.get("status")) or "").lower() or None
    basis = SemanticScholar.basis
    yield from copies.claims([copy] if copy.licence else [], basis, status)
    yield from copies.links([copy], basis, status)


class SemanticScholarSpider(LadderSpider):
    name = "semantic_scholar"
    rungs_named = (SemanticScholar,)
