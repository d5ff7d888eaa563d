"""The open API of bioRxiv and medRxiv, asked only which preprint and which published article belong together."""

import re
from collections.abc import Iterator
from typing import Any

from scrapy.http import Response

from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import ARXIV_DOI, Ids, quote_doi
from litcrawl.items import Claim, Link, Relation, Step
from litcrawl.licences import spdx
from litcrawl.source import Finding, Question, Source, json_object
from litcrawl.spiders.base import LadderSpider
from litcrawl.stated import stated
from litcrawl.terms import Reason, Want

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
        preprint = _PREPRINT.fullmatch(question.ids.doi or "")
        medrxiv_first = preprint and len(preprint[1]) == _MEDRXIV_DIGITS
        yield self._call("details" if preprint else "pubs", list(reversed(SERVERS) if medrxiv_first else SERVERS), question.ids)

    def details(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The versions of a preprint: the newest says whether it was published, and under which licence it stands."""
        own = [one for one in _collection(response) if stated(doi=one.get("doi")).doi == question.ids.doi]
        if not own:
            if not state["rest"]:
                raise Miss(Reason.ABSENT, "no such preprint")
            yield self._call("details", state["rest"], question.ids)
            return
        newest = max(own, key=_version)
        raw = newest.get("license")
        if isinstance(raw, str) and raw:
            yield Claim(raw=raw[:_LONGEST], spdx=spdx(raw), basis=self.basis, about="preprint", url=response.url)
        yield from _relation("published", newest.get("published"), question.ids)

    def pubs(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The preprints of a published article."""
        own = [one for one in _collection(response) if stated(doi=one.get("published_doi")).doi == question.ids.doi]
        if not own and state["rest"]:
            yield self._call("pubs", state["rest"], question.ids)
        for one in own:
            yield from _relation("preprint", next((one[name] for name in _PREPRINT_FIELDS if one.get(name)), None), question.ids)

    def _call(self, step: str, servers: list[str], ids: Ids) -> Step:
        return Step(step=step, url=f"{API}/{step}/{servers[0]}/{quote_doi(ids.doi or '')}", state={"rest": servers[1:]})


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
