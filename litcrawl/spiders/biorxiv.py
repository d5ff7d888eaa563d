"""bioRxiv and medRxiv: full text of preprints in JATS, from the one host that answers only browsers."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response

from litcrawl.ids import Ids
from litcrawl.items import Heard, Link, Step
from litcrawl.source import Finding, Question, Source
from litcrawl.spiders.base import LadderSpider
from litcrawl.spiders.biorxiv_relations import call, elsewhere, facts, links, server_order, versions
from litcrawl.terms import Want

HOSTS = frozenset({"www.biorxiv.org", "www.medrxiv.org"})


class Biorxiv(Source):
    """
    Serves
      JATS XML of the newest version of a preprint, or of each; what the open API tells with it: licence, published article.
    Needs
      DOI of a preprint (10.1101, 10.64898). No key. Off unless named (`sources=+biorxiv`): the files lie behind a wall that lets
      browsers pass, and it is for you to decide whether to come in a browser's guise (`LITCRAWL_IMPERSONATE`).
    Pace
      No published limit; one file a second, AutoThrottle.
    Documentation
      https://api.biorxiv.org/ and https://www.biorxiv.org/tdm
    Beware
      One entry a version, in no order to rely on: the number counts. A DOI that a server does not hold is 200 with an empty list. The
      prefix 10.1101 is also that of journals. The publisher's own way for bulk is a bucket whose reader pays. Europe PMC has a part
      of it openly, and is asked before.
    """

    name = "biorxiv"
    requires = frozenset({"doi"})
    offers = frozenset({Want.XML})
    versioned = True
    basis = "biorxiv"

    def serves(self, ids: Ids) -> bool:
        return ids.doi is None or bool(server_order(ids.doi))

    def ask(self, question: Question) -> Iterator[Step | Link]:
        doi = question.ids.doi or ""
        yield call("details", server_order(doi), doi)

    def details(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The versions of a preprint: where the XML of those that are wanted lies."""
        own = versions(response, question)
        if not own:
            if not state["rest"]:
                yield Heard(source="biorxiv_relations", links=[])
            yield elsewhere("details", state, question)
            return
        yield from facts(own[max(own)], question, response.url)
        yield Heard(source="biorxiv_relations", links=[], facts=(Want.RELATED,))
        yield from links(own, question)

    def request(self, step: dict[str, Any], key: str) -> Request:
        """Files of their own hosts, and of no other, are asked for as a browser asks."""
        request = super().request(step, key)
        parts = urlsplit(step["url"])
        if step["step"] == Want.XML and parts.scheme == "https" and parts.netloc.lower() in HOSTS:
            request.meta.update(impersonate=self.settings.get("LITCRAWL_IMPERSONATE"), lane="in a browser's guise")
        return request


class BiorxivSpider(LadderSpider):
    name = "biorxiv"
    rungs_named = (Biorxiv,)
