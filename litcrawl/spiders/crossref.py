"""Crossref: licences, relations and retraction of a work by its DOI, and links for text miners, fifty works a call."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, ClassVar
from urllib.parse import urlencode

from scrapy import Request
from scrapy.http import Response

from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import Ids, quote_doi
from litcrawl.items import Heard, Link, Metadata, Step
from litcrawl.parsers import crossref, crossref_metadata
from litcrawl.resolver import Answer, Resolver
from litcrawl.source import Finding, Question, json_object
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason, Want

API = "https://api.crossref.org"
_ARXIV = "10.48550/"  # all of them registered with DataCite: https://info.arxiv.org/help/doi.html


class Crossref(Resolver):
    """
    Serves
      Metadata; titles, licences with version and start, preprint and published version, corrections, retraction (the publishers' notices
      and Retraction Watch), and with them the text-mining links of `crossref_tdm`. It tells no other identifier.
    Needs
      DOI. No key; a contact buys a larger allowance.
    Pace
      Lists 1 a second, single records 5; with a contact 3 and 10. Each answer announces its own.
    Documentation
      https://www.crossref.org/documentation/retrieve-metadata/rest-api/
    Beware
      A DOI that it does not know is missing from a list, and 404 alone; those of other agencies are unknown here. A comma
      parts the filters of a list, so a DOI that holds one goes alone. A field that a list cannot select fails it with 400.
    """

    name = "crossref"
    requires = frozenset({"doi"})
    offers = frozenset({Want.ACCESS, Want.RELATED, Want.METADATA})
    basis = crossref.BASIS
    origin: ClassVar = {"title": "Crossref", "url": "https://www.crossref.org/", "license": None}
    accepts = ("doi",)
    by_record = True
    speaks_for = frozenset({"crossref_tdm"})
    most = 50

    def serves(self, ids: Ids) -> bool:
        return may_hold(ids)

    def alone(self, value: str) -> bool:
        return "," in value

    def request_batch(self, kind: str, values: list[str]) -> Request:
        """A list; a single DOI by its own address, where a 404 states that it is unknown, and nothing in it parts filters."""
        url = address(values[0])
        if len(values) > 1:
            filters = ",".join(f"doi:{value}" for value in values)
            query = {"filter": filters, "rows": len(values), "select": ",".join(self._fields())}
            url = f"{API}/works?{urlencode(query, safe=':,/')}"
        return Request(url, headers={"Accept-Encoding": "gzip"}, dont_filter=True)

    def answers(self, response: Response, kind: str, values: list[str]) -> dict[str, Answer]:
        answer = json_object(response)
        records, whole = crossref.works(answer) if len(values) > 1 else ([crossref.work(answer)], True)
        asked = {value.casefold(): value for value in values}
        told = {asked[doi]: record for record in records if (doi := record["DOI"].casefold()) in asked}
        if not whole and len(told) < len(asked):
            raise Malformed("a part of the list")
        return {doi: self._answer(doi, record) for doi, record in told.items()}

    def ask(self, question: Question) -> Iterator[Step | Link]:
        yield step(question)

    def work(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The record of one work."""
        told = record(response, question)
        yield from crossref.facts(told, response.url)
        yield from self._metadata(told, question.ids.doi or "")
        yield Heard(source="crossref_tdm", links=crossref.links(told, today()))

    def _answer(self, doi: str, told: crossref.Record) -> Answer:
        facts = [*crossref.facts(told, address(doi)), *self._metadata(told, doi)]
        return Answer(ids=Ids(doi=doi), facts=facts, heard={"crossref_tdm": crossref.links(told, today())})

    def _metadata(self, told: crossref.Record, doi: str) -> Iterator[Metadata]:
        if Want.METADATA in self.scope:
            yield Metadata(fields=crossref_metadata.metadata(told, doi))

    def _fields(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*crossref.FIELDS, *(crossref_metadata.FIELDS if Want.METADATA in self.scope else ()))))


def may_hold(ids: Ids) -> bool:
    """Whether Crossref can know such an article."""
    return not (ids.doi or "").startswith(_ARXIV)


def address(doi: str) -> str:
    """Where Crossref keeps the record of a work."""
    return f"{API}/works/{quote_doi(doi)}"


def step(question: Question) -> Step:
    """The call for the record of one article."""
    return Step(step="work", url=address(question.ids.doi or ""))


def record(response: Response, question: Question) -> crossref.Record:
    """The record that such a call brought. Raises `Malformed`, or `Miss` when it is another work's."""
    told = crossref.work(json_object(response))
    if told["DOI"].casefold() != (question.ids.doi or "").casefold():
        raise Miss(Reason.WRONG_ARTICLE, f"the record of {told['DOI'][:200]}")
    return told


def today() -> str:
    """The date by which a licence is in force or not."""
    return datetime.now(UTC).date().isoformat()


class CrossrefSpider(LadderSpider):
    name = "crossref"
    rungs_named = (Crossref,)
