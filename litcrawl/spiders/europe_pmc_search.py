"""Europe PMC's search: identifiers, licence, retraction and related works of many articles a call, and who has their full text."""

import html
import re
from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import urlencode

from scrapy import Request
from scrapy.http import Response

from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import Ids
from litcrawl.items import Claim, Link, Relation, Retraction, Step, Title
from litcrawl.licences import spdx
from litcrawl.resolver import Answer, Resolver
from litcrawl.source import Finding, Question, json_object
from litcrawl.spiders.europe_pmc import API
from litcrawl.spiders.resolve import ResolveSpider
from litcrawl.stated import agreed, stated
from litcrawl.terms import Reason, Stage, Want

_LONGEST = 2000  # characters of a title or a licence
_PAGE = 1000  # the most records that it lists, and the most values of a record that are looked at; one article may be several records
# https://europepmc.org/help#howsearch; PubMed's numbers are found for sure only together with their source
_CLAUSES = {"pmid": "(EXT_ID:{} AND SRC:MED)", "pmcid": "PMCID:{}", "doi": 'DOI:"{}"', "bookid": "EXT_ID:{}"}
# What this article is to the other, or the other to it: https://www.nlm.nih.gov/bsd/policy/errata.html. Of a correction or a
# retraction only the notice says so ("… of", "… for"): "Retraction in" on the article itself means that it is retracted.
_RELATIONS = {
    "preprint in": "preprint",
    "preprint of": "published",
    "update in": "version-of",
    "update of": "version-of",
    "republished in": "version-of",
    "republished from": "version-of",
    "erratum for": "corrects",
    "corrected and republished from": "corrects",
    "retraction of": "retracts",
}
_RETRACTED = "retracted publication"  # the article; "Retraction of Publication" is the notice
_RECORD = re.compile(r"[A-Z]{3}/[A-Z]{0,5}[0-9]{1,12}")
_PREPRINT = re.compile(r"PPR[0-9]{1,12}")
_CITED_DOI = re.compile(r"\bdoi:\s*(10\.\S+?)[.;,]?(?=\s|$)", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,80}>")


class EuropePmcSearch(Resolver):
    """
    Serves
      DOI, PMID and PMCID; licence and openness; retraction; preprints, published versions, corrections; the full text of
      preprints, for `europe_pmc`.
    Needs
      PMID, PMCID or DOI. No key.
    Pace
      No published limit; no more than 10 requests a second, AutoThrottle.
    Documentation
      https://europepmc.org/RestfulWebService#search
    Beware
      Errors and empty stubs come with status 200, passing failures as 404. Long OR queries time out. An article may be
      there as several records; lists of one may be the bare value. Only `core` records tell licence and retraction: some
      5 kB each, 1 kB on the wire, five times a `lite` one and still far less than a call for each article.
    """

    name = "europe_pmc_search"
    offers = frozenset({Want.ACCESS, Want.RELATED})
    accepts = ("pmid", "pmcid", "doi")
    provides = frozenset(accepts)
    looks_up = frozenset({"bookid"})
    most = 50  # 504 was seen with 25, 100 are in use for short records
    basis = "europe_pmc"
    statuses: ClassVar[dict[int, Reason]] = dict.fromkeys((404, 410), Reason.UNAVAILABLE)  # of a search they say nothing of an article

    def declines(self, ids: Ids) -> Reason | None:
        return None if any(getattr(ids, kind) for kind in self.accepts) else Reason.NEEDS_ID

    def alone(self, value: str) -> bool:
        """What has to be escaped might be misread, and spoil the query for the others."""
        return '"' in value or "\\" in value

    def request_batch(self, kind: str, values: list[str]) -> Request:
        headers = {"Accept-Encoding": "gzip", "Content-Type": "application/x-www-form-urlencoded"}
        return Request(f"{API}/searchPOST", method="POST", body=_query(kind, values), headers=headers, dont_filter=True)

    def answers(self, response: Response, kind: str, values: list[str]) -> dict[str, Answer]:
        told = json_object(response)
        listed = told.get("resultList")
        records = listed.get("result") if isinstance(listed, dict) else None
        if "errCode" in told or not isinstance(records, list):
            raise Malformed(f"no list of results; {told.get('errCode')} {told.get('errMsg')!r}")
        found: dict[str, list[tuple[Ids, dict[str, Any]]]] = {value: [] for value in values}
        for record in records:
            if isinstance(record, dict):
                ids = _ids(record)
                if kind == "bookid" and len(records) == 1 and record.get("hasBook") == "Y":
                    ids = ids.merge(Ids(bookid=values[0]))  # PubMed's record of a chapter does not repeat its accession
                if (value := getattr(ids, kind)) in found:
                    found[value].append((ids, record))
        hits = told.get("hitCount")
        if isinstance(hits, int) and hits > len(records) and not all(found.values()):
            raise Malformed(f"{len(records)} of {hits} results")  # who is not among them may be among the others
        return {value: self._answer(several) for value, several in found.items() if several}

    def ask(self, question: Question) -> Iterator[Step | Link]:
        if best := self._best(question.ids):
            kind, value = best
            yield Step(step="search", url=f"{API}/search?{_query(kind, [value])}", state={"kind": kind, "value": value})

    def search(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """What the records of one article say."""
        answer = self.answers(response, state["kind"], [state["value"]]).get(state["value"])
        if answer is None:
            raise Miss(Reason.ABSENT, "no such article")
        if question.ids.contradicts(answer.ids):
            raise Miss(Reason.WRONG_ARTICLE, f"the identifiers of {answer.ids}")
        yield answer.ids
        yield from answer.facts

    def _best(self, ids: Ids) -> tuple[str, str] | None:
        return next(((kind, value) for kind in (*self.accepts, "bookid") if (value := getattr(ids, kind))), None)

    def _answer(self, several: list[tuple[Ids, dict[str, Any]]]) -> Answer:
        """What the records found by one identifier amount to; those that contradict each other tell only what they agree on."""
        first, *others = dict.fromkeys(ids for ids, _ in several)
        told = agreed((first, *others))
        if any(one.contradicts(other) for one in (first, *others) for other in others):
            return Answer(ids=told)
        records = [record for _, record in several]
        return Answer(
            ids=told,
            facts=[fact for record in records for fact in self._facts(record, told)],
            heard=_full_text(records, told) | _chapter(records, told),
        )

    def _facts(self, record: dict[str, Any], ids: Ids) -> Iterator[Title | Claim | Relation | Retraction]:
        title = record.get("title")
        if isinstance(title, str) and (text := " ".join(_TAG.sub("", html.unescape(title[:_LONGEST])).split()).removesuffix(".")):
            yield Title(text=text)
        raw = record.get("license")
        raw = raw[:_LONGEST].strip() or None if isinstance(raw, str) else None
        open_access = "open-access" if record.get("isOpenAccess") == "Y" else None
        if raw or open_access:
            yield Claim(raw=raw, spdx=raw and spdx(raw), access=open_access, basis=self.basis, about=_about(record), url=_page(record))
        linked = [one for one in _many(record, "commentCorrectionList", "commentCorrection") if isinstance(one, dict)]
        types = [str(one).casefold() for one in _many(record, "pubTypeList", "pubType")]
        if _RETRACTED in types or any(_type(one) == "retraction in" for one in linked):
            yield Retraction(retracted=True)
        for one in linked:
            other = _other(one)
            if (relation := _RELATIONS.get(_type(one))) and other and not other.shares(ids):
                yield Relation(relation=relation, ids=other.as_dict())


def _query(kind: str, values: list[str]) -> str:
    escaped = (value.replace("\\", "\\\\").replace('"', '\\"') for value in values)
    query = " OR ".join(_CLAUSES[kind].format(value) for value in escaped)
    return urlencode({"query": query, "resultType": "core", "format": "json", "pageSize": _PAGE})


def _ids(record: dict[str, Any]) -> Ids:
    """The identifiers of a record; its `id` is one of them where its source is PubMed or PMC."""
    own = {"MED": "pmid", "PMC": "pmcid", "NBK": "bookid"}.get(str(record.get("source")))
    ids = stated(doi=record.get("doi"), pmid=record.get("pmid"), pmcid=record.get("pmcid"))
    return ids.merge(stated(**{own: record.get("id")})) if own else ids


def _full_text(records: list[dict[str, Any]], ids: Ids) -> dict[str, list[Link]]:
    """What came along for `europe_pmc`: nothing to be said where it has to be asked."""
    if all(record.get("inEPMC") == "N" for record in records):
        return {"europe_pmc": []}
    named = [
        name
        for record in records
        if record.get("source") == "PPR" and record.get("inEPMC") == "Y"
        for name in (*_many(record, "fullTextIdList", "fullTextId"), record.get("id"))
    ]
    preprints = dict.fromkeys(name for name in named if isinstance(name, str) and _PREPRINT.fullmatch(name))
    if ids.pmcid or not preprints:
        return {}
    return {
        "europe_pmc": [
            Link(want=Want.XML, url=f"{API}/{name}/fullTextXML", filename=f"{name}.xml", stage=Stage.PREPRINT) for name in preprints
        ]
    }


def _chapter(records: list[dict[str, Any]], ids: Ids) -> dict[str, list[Link]]:
    """What came along for `europe_pmc_bookshelf`: it takes the PMID of a chapter whose accession is unknown."""
    if not ids.pmid or ids.bookid or not any(record.get("hasBook") == "Y" for record in records):
        return {}
    return {"europe_pmc_bookshelf": [Link(want=Want.XML, url=f"{API}/{ids.pmid}/bookXML", filename=f"{ids.pmid}.xml")]}


def _about(record: dict[str, Any]) -> str:
    if record.get("source") == "PPR":
        return "preprint"
    return "am" if "Y" in (record.get("authMan"), record.get("epmcAuthMan"), record.get("nihAuthMan")) else "vor"


def _page(record: dict[str, Any]) -> str | None:
    """The address where a reader finds this record."""
    path = f"{record.get('source')}/{record.get('id')}"
    return f"https://europepmc.org/article/{path}" if _RECORD.fullmatch(path) else None


def _type(link: dict[str, Any]) -> str:
    return str(link.get("type")).casefold().strip()


def _other(link: dict[str, Any]) -> Ids:
    """The identifiers of a linked work: its record's, and the DOI that its citation ends with."""
    reference = link.get("reference")
    cited = _CITED_DOI.search(reference) if isinstance(reference, str) else None
    return _ids({"source": link.get("source"), "id": link.get("id"), "doi": link.get("doi") or (cited and cited[1])})


def _many(record: dict[str, Any], outer: str, inner: str) -> list[Any]:
    """The values of a list that, turned from XML, is the value itself where there is one only."""
    wrapped = record.get(outer)
    value = wrapped.get(inner) if isinstance(wrapped, dict) else None
    return value[:_PAGE] if isinstance(value, list) else [] if value is None else [value]


class EuropePmcSearchSpider(ResolveSpider):
    name = "europe_pmc_search"
    rungs_named = (EuropePmcSearch,)
