"""Services of metadata on loopback, and the sources that know them: a third party's, named by class path in `LITCRAWL_SOURCES`."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote

from crawling import crawl
from loopback import Answer, loopback
from scrapy import Request

from litcrawl.exceptions import Malformed
from litcrawl.ids import Ids, quote_doi
from litcrawl.items import Metadata
from litcrawl.publications.record import author, told
from litcrawl.publications.source import MetadataSource
from litcrawl.resolver import Answer as Found
from litcrawl.resolver import Resolver
from litcrawl.source import json_object
from litcrawl.terms import Want

SETTINGS = {
    "LITCRAWL_SOURCES": "archive.Lister,archive.Register,archive.Pages",
    "LAB_URL": "http://127.0.0.1",
    "LITCRAWL_SLOTS": {},
    "LITCRAWL_BACKOFF": [0.01, 0.03],
    "LITCRAWL_CLOSED": [0.02, 0.05],
    "LITCRAWL_CONTACT": "lab@litcrawl.dev",
    "AUTOTHROTTLE_ENABLED": 0,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
}
ABSTRACT = "We asked what a sentence has to have, to be more than the hundred characters that an abstract is known by: it is this one."
WHOLE = {
    "type": "JOURNAL_ARTICLE", "title": "On sentences", "abstract": ABSTRACT, "date": "2012-05-18", "publisher": "Words Ltd",
    "citation_count": 3, "authors": ["Ann Miller"], "subjects": ["Linguistics"],
}  # fmt: skip


def _told(doi: str, stated: dict[str, Any]) -> dict[str, Any]:
    return told(doi=doi, **(stated | {"authors": [author(name) for name in stated.get("authors", ())]}))


class Lister(Resolver):
    """Takes four DOIs a call; a comma parts them."""

    name = "lister"
    requires = frozenset({"doi"})
    accepts = ("doi",)
    offers = frozenset({Want.METADATA})
    most = 4
    basis = "lister"
    origin: ClassVar = {"title": "The List", "url": "https://list.dev/", "license": None}

    def alone(self, value):
        return "," in value

    def request_batch(self, kind, values):
        return Request(f"{self.settings['LAB_URL']}/list/{','.join(map(quote_doi, values))}")

    def answers(self, response, kind, values):
        records = json_object(response).get("records")
        if not isinstance(records, dict):
            raise Malformed("no list")
        return {
            doi: Found(ids=Ids(doi=doi), facts=[Metadata(fields=_told(doi, stated))]) for doi, stated in records.items() if doi in values
        }


class Index(Lister):
    """Takes eight a call."""

    name = "index"
    basis = "index"
    most = 8

    def request_batch(self, kind, values):
        return Request(f"{self.settings['LAB_URL']}/index/{','.join(map(quote_doi, values))}")


class Single(MetadataSource):
    def address(self, doi):
        return f"{self.settings['LAB_URL']}/{self.name}/{quote_doi(doi)}"

    def told(self, response, doi):
        return _told(doi, json_object(response))


class Register(Single):
    name = "register"
    basis = "register"


class Pages(Single):
    name = "pages"
    basis = "pages"
    last = True


class Landing(Single):
    """Wherever it leads."""

    name = "landing"
    basis = "landing"
    follows = True


class Other(Single):
    """A further third party's."""

    name = "other"
    basis = "other"


class Agency(Single):
    """Knows what the list does not."""

    name = "agency"
    basis = "agency"
    but = frozenset({"lister"})


@dataclass
class World:
    """What each service knows: `known[service][doi]`; `first(path, n)` may answer otherwise."""

    known: dict[str, dict[str, dict[str, Any]]] = field(default_factory=lambda: {"lister": {}, "register": {}, "pages": {}})
    first: Any = None
    latency: float = 0.0
    server: Any = None

    def answer(self, arrival: Any, n: int) -> Answer:
        if self.first and (answer := self.first(arrival.path, n)):
            return answer
        _, service, rest = unquote(arrival.path).split("/", 2)
        if service in ("list", "index"):
            asked = rest.split(",10.")
            known = self.known["lister" if service == "list" else "index"]
            records = {doi: known[doi] for doi in (asked[0], *(f"10.{one}" for one in asked[1:])) if doi in known}
            return Answer(body=json.dumps({"records": records}).encode(), latency=self.latency)
        record = self.known.get(service, {}).get(rest)
        return Answer(404) if record is None else Answer(body=json.dumps(record).encode())

    @property
    def asked(self) -> list[str]:
        """The paths asked for so far, in order."""
        return [unquote(one.path) for one in self.server.arrivals]

    def settings(self, **more: Any) -> dict[str, Any]:
        return SETTINGS | {"LAB_URL": self.server.url("")} | more

    async def crawl(self, out: Path, ids: str, settings: dict[str, Any] | None = None, **more: Any) -> Any:
        return await crawl(out, spider="publications", ids=ids, settings=self.settings(**(settings or {})), **more)


@asynccontextmanager
async def archive(**known: dict[str, dict[str, Any]]):
    """Services that know these records."""
    world = World()
    world.known |= known
    async with loopback(world.answer) as server:
        world.server = server
        yield world


def publications(crawled: Any) -> dict[str, Any]:
    """The last item of each DOI."""
    return {item.doi: item for item in crawled.items}


def words(crawled: Any) -> dict[str, str]:
    return {doi: str(item.status) for doi, item in publications(crawled).items()}
