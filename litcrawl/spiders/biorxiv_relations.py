"""The open API of bioRxiv and medRxiv, asked only which preprint and which published article belong together."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from scrapy.http import Response

from litcrawl import copies
from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import ARXIV_DOI, Ids, quote_doi
from litcrawl.items import Claim, Heard, Licence, Link, Relation, Step
from litcrawl.licences import spdx
from litcrawl.source import Finding, Question, Source, json_object
from litcrawl.spiders.base import LadderSpider
from litcrawl.stated import stated
from litcrawl.terms import Reason, Stage, Want

API = "https://api.biorxiv.org"
SERVERS = ("biorxiv", "medrxiv")
# Of openRxiv's and, before, Cold Spring Harbor's DOIs only these are preprints; the press's journals and books look otherwise.
_PREPRINT = re.compile(r"10\.(?:1101|64898)/(?:[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.)?([0-9]{6,8})")
_LONGEST = 2000  # characters of a licence
_MEDRXIV_DIGITS = 8  # its manuscripts' numbers begin with the year
_PREPRINT_FIELDS = ("biorxiv_doi", "medrxiv_doi", "preprint_doi")


class BiorxivRelations(Source):
    """
    Serves
      The published article of a preprint, with the preprint's licence; the preprint of a published article.
    Needs
      DOI. No key.
    Pace
      No published limit; AutoThrottle. One call for most preprints, two for an article without one.
    Documentation
      https://api.biorxiv.org/
    Beware
      A DOI that a server does not hold is 200 with an empty list and a message. "NA" stands for none. One entry a version,
      in no order to rely on. The prefix 10.1101 is also that of journals.
    """

    name = "biorxiv_relations"
    requires = frozenset({"doi"})
    offers = frozenset({Want.RELATED})
    basis = "biorxiv"

    def serves(self, ids: Ids) -> bool:
        return not (ids.doi or "").startswith(ARXIV_DOI)

    def ask(self, question: Question) -> Iterator[Step | Link]:
        doi = question.ids.doi or ""
        preprint = server_order(doi)
        yield call("details" if preprint else "pubs", preprint or SERVERS, doi)

    def details(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The versions of a preprint: the newest says whether it was published, and under which licence it stands."""
        own = versions(response, question)
        if not own:
            if not state["rest"]:
                yield Heard(source="biorxiv", links=[])
            yield elsewhere("details", state, question)
            return
        yield from facts(own[max(own)], question, response.url)
        yield Heard(source="biorxiv", links=links(own, question))

    def pubs(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The preprints of a published article."""
        own = [one for one in _collection(response) if stated(doi=one.get("published_doi")).doi == question.ids.doi]
        if not own and state["rest"]:
            yield elsewhere("pubs", state, question)
        for one in own:
            yield from _relation("preprint", next((one[name] for name in _PREPRINT_FIELDS if one.get(name)), None), question.ids)


def server_order(doi: str) -> tuple[str, ...]:
    """The servers that may hold a preprint, the likelier first; none for what is no preprint of theirs: a journal's article, say."""
    preprint = _PREPRINT.fullmatch(doi)
    if preprint is None:
        return ()
    return SERVERS[::-1] if len(preprint[1]) == _MEDRXIV_DIGITS else SERVERS


def call(step: str, servers: Sequence[str], doi: str) -> Step:
    """The call of the first of some servers; the others stand in its state."""
    return Step(step=step, url=f"{API}/{step}/{servers[0]}/{quote_doi(doi)}", state={"rest": list(servers[1:])})


def elsewhere(step: str, state: dict[str, Any], question: Question) -> Step:
    """The same call of the next server. Raises `Miss` when all have been asked."""
    if not state["rest"]:
        raise Miss(Reason.ABSENT, "no such preprint")
    return call(step, state["rest"], question.ids.doi or "")


def versions(response: Response, question: Question) -> dict[int, dict[str, Any]]:
    """The entries of the preprint that was asked for, by the number of the version; 0 where an entry states none."""
    own = [one for one in _collection(response) if stated(doi=one.get("doi")).doi == question.ids.doi]
    return {_version(one): one for one in own}


def facts(entry: dict[str, Any], question: Question, url: str) -> Iterator[Claim | Relation]:
    """What an entry, found at `url`, tells of the preprint: its licence, and the article that came of it."""
    raw = entry.get("license")
    if isinstance(raw, str) and raw:
        yield Claim(raw=raw[:_LONGEST], spdx=spdx(raw), basis=BiorxivRelations.basis, about="preprint", url=url)
    yield from _relation("published", entry.get("published"), question.ids)


def links(own: dict[int, dict[str, Any]], question: Question) -> list[Link]:
    """Where the XML of the versions that are wanted lies, of those that have one, the newest first."""
    held = {version: url for version, entry in own.items() if (url := copies.address(entry.get("jatsxml")))}
    found = []
    for version in question.versions_of(set(held)):
        raw = copies.word(own[version].get("license"))
        licence = Licence(raw=raw, spdx=spdx(raw), basis=BiorxivRelations.basis) if raw else None
        found.append(Link(want=Want.XML, url=held[version], version=version or None, stage=Stage.PREPRINT, licence=licence))
    return found


def _collection(response: Response) -> list[dict[str, Any]]:
    """The entries of an answer; none is stated by a message. Raises `Malformed` for anything else."""
    answer = json_object(response)
    collection, messages = answer.get("collection"), answer.get("messages")
    said = " ".join(str(one.get("status")) for one in messages if isinstance(one, dict)) if isinstance(messages, list) else ""
    if not isinstance(collection, list) or not (collection or said) or "error" in said.lower():
        raise Malformed(f"no list of preprints: {said[:200]}")
    return [one for one in collection if isinstance(one, dict)]


def _version(entry: dict[str, Any]) -> int:
    text = str(entry.get("version"))
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0


def _relation(relation: str, doi: Any, of: Ids) -> Iterator[Relation]:
    other = stated(doi=doi)
    if other.doi and other.doi != of.doi:
        yield Relation(relation=relation, ids=other.as_dict())


class BiorxivRelationsSpider(LadderSpider):
    name = "biorxiv_relations"
    rungs_named = (BiorxivRelations,)
