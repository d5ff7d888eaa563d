"""OpenAlex: identifiers of an article, where its open copies lie, whether it is retracted."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

from scrapy import Request
from scrapy.http import Response

from litcrawl import copies
from litcrawl import ids as identifiers
from litcrawl.copies import Copy
from litcrawl.exceptions import BadIdentifier, Malformed, Miss
from litcrawl.ids import Ids, quote_doi
from litcrawl.items import Claim, Link, Metadata, Relation, Retraction, Step, Title
from litcrawl.parsers import openalex
from litcrawl.resolver import Answer, Resolver
from litcrawl.source import Finding, Question, json_object
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason, Stage, Want

WORKS = "https://api.openalex.org/works"
FIELDS = ("doi", "ids", "title", "is_retracted", "open_access", "locations", "best_oa_location", "primary_location")

_PAGE = 100  # records of a list at most; half as many are asked for: an identifier may be that of two records


class Openalex(Resolver):
    """
    Serves
      Metadata; DOI, PMID and PMCID from one another; links to the PDFs of open copies; licences, open-access status, retraction.
    Needs
      DOI, PMID or PMCID. With a key (`LITCRAWL_OPENALEX_API_KEY`) it is asked for fifty articles a call.
    Pace
      Single records are free, with or without a key; a list costs a ten-thousandth of a dollar, of which a free key has one a day.
    Documentation
      https://developers.openalex.org/
    Beware
      A comma, a bar or an ampersand in a DOI would end it in a list. A 404 is HTML. A PMCID comes without its letters. A spent
      allowance is a 429 like any other: only its headers say so.
    """

    name = "openalex"
    offers = frozenset({Want.PDF, Want.ACCESS, Want.METADATA})
    accepts = ("doi", "pmid", "pmcid")
    provides = frozenset({"doi", "pmid", "pmcid"})
    guesses = True
    basis = "openalex"
    origin: ClassVar = {
        "title": "OpenAlex",
        "url": "https://openalex.org/",
        "license": "https://creativecommons.org/publicdomain/zero/1.0/",
    }
    by_record = True
    most = _PAGE // 2

    def batches(self) -> bool:
        return bool(self.settings.get("LITCRAWL_OPENALEX_API_KEY"))

    def alone(self, value: str) -> bool:
        return any(separator in value for separator in ",|&")

    def request_batch(self, kind: str, values: list[str]) -> Request:
        if len(values) == 1:
            url = self._single(kind, values[0])
        else:
            those = "|".join(value.removeprefix("PMC") for value in values)
            url = f"{WORKS}?{urlencode({'filter': f'{kind}:{those}', 'per-page': _PAGE} | self._select(), safe=':/,')}"
        return Request(url, headers={"Accept-Encoding": "gzip"})

    def answers(self, response: Response, kind: str, values: list[str]) -> dict[str, Answer]:
        body = json_object(response)
        known: dict[str, Answer] = {}
        for record in [body] if len(values) == 1 and "results" not in body else _results(body):
            ids = _ids(record)
            value = getattr(ids, kind)
            if value in values and value not in known:
                links, facts = _links(record), [*_facts(record), *self._metadata(record, ids)]
                known[value] = Answer(ids=ids, facts=facts, heard={self.name: links})
        return known

    def ask(self, question: Question) -> Iterator[Step | Link]:
        kind, value = next((kind, value) for kind, value in question.ids if kind in self.accepts)
        yield Step(step="work", url=self._single(kind, value), state={"kind": kind, "value": value})

    def work(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The record of one article."""
        record = json_object(response)
        if not isinstance(record.get("ids"), dict):
            raise Malformed("no record of a work")
        ids = _ids(record)
        if getattr(ids, state["kind"]) != state["value"]:
            raise Miss(Reason.ABSENT, f"the record of {ids}")
        yield ids
        yield from _facts(record)
        yield from self._metadata(record, ids)
        yield from _links(record)

    def _single(self, kind: str, value: str) -> str:
        name = quote_doi(value) if kind == "doi" else quote(value.removeprefix("PMC"), safe="")
        return f"{WORKS}/{kind}:{name}?{urlencode(self._select(), safe=',')}"

    def _select(self) -> dict[str, str]:
        return {"select": ",".join(dict.fromkeys((*FIELDS, *(openalex.FIELDS if Want.METADATA in self.scope else ()))))}

    def _metadata(self, record: dict[str, Any], ids: Ids) -> Iterator[Metadata]:
        if Want.METADATA in self.scope and ids.doi:
            yield Metadata(fields=openalex.metadata(record, ids.doi))


def _results(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The records of a list that is whole."""
    records, meta = body.get("results"), body.get("meta")
    count = meta.get("count") if isinstance(meta, dict) else None
    if not isinstance(records, list) or not isinstance(count, int):
        raise Malformed("no list of works")
    if count > len(records):
        raise Malformed(f"{len(records)} of {count} works")
    return [record for record in records if isinstance(record, dict)]


def _ids(record: dict[str, Any]) -> Ids:
    """Identifiers come as addresses."""
    named = record.get("ids")
    named = named if isinstance(named, dict) else {}
    doi = _id("doi", record.get("doi")) or _id("doi", named.get("doi"))
    return Ids(doi=doi, pmid=_id("pmid", named.get("pmid")), pmcid=_id("pmcid", named.get("pmcid")))


def _id(kind: str, value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value) if kind == "doi" else str(value).rstrip("/").rpartition("/")[2]
    with suppress(BadIdentifier):
        return getattr(identifiers.parse(text, kind).ids, kind)
    return None


def _facts(record: dict[str, Any]) -> Iterator[Title | Claim | Relation | Retraction]:
    if title := copies.word(record.get("title")):
        yield Title(text=title)
    if isinstance(record.get("is_retracted"), bool):
        yield Retraction(retracted=record["is_retracted"])
    yield from copies.claims(_copies(record), Openalex.basis, _status(record))


def _links(record: dict[str, Any]) -> list[Link]:
    return copies.links(_copies(record), Openalex.basis, _status(record))


def _status(record: dict[str, Any]) -> str | None:
    access = record.get("open_access")
    return copies.word(access.get("oa_status")) if isinstance(access, dict) else None


def _copies(record: dict[str, Any]) -> list[Copy]:
    listed = record.get("locations")
    places = [*(listed if isinstance(listed, list) else ()), record.get("best_oa_location"), record.get("primary_location")]
    return copies.best_first(_copy(one) for one in places if isinstance(one, dict) and one.get("is_oa") is not False)


def _copy(location: dict[str, Any]) -> Copy:
    stage = copies.STAGES.get(copies.word(location.get("version")) or "")
    if stage is None and location.get("is_published") is True:
        stage = Stage.PUBLISHED
    elif stage is None and location.get("is_accepted") is True:
        stage = Stage.ACCEPTED
    return Copy(
        pdf=copies.pdf_address(location.get("pdf_url")),
        page=copies.address(location.get("landing_page_url")),
        stage=stage,
        licence=copies.word(location.get("license")),
    )


class OpenalexSpider(LadderSpider):
    name = "openalex"
    rungs_named = (Openalex,)
