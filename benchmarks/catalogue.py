"""Services of metadata that a benchmark starts on loopback, and the sources that ask them; records are made up as they are asked for."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import orjson
from scrapy import Request
from scrapy.http import Response

from litcrawl.ids import Ids
from litcrawl.items import Metadata
from litcrawl.publications.record import Told, author, told
from litcrawl.publications.source import MetadataSource
from litcrawl.resolver import Answer, Resolver
from litcrawl.source import json_object
from litcrawl.terms import Want

WORDS = ("cell", "river", "vaccine", "neural", "growth", "lattice", "climate", "protein", "theory", "cohort", "maize", "signal")
WITHOUT_ABSTRACT = 0.06  # of all publications; nobody has it


def record(doi: str) -> dict[str, Any]:
    """A publication, always the same for a DOI: an abstract of a thousand characters, five authors, thirty references."""
    draw = random.Random(doi)  # noqa: S311

    def words(n: int) -> str:
        return " ".join(draw.choices(WORDS, k=n))

    return {
        "type": "JOURNAL_ARTICLE",
        "title": words(10),
        "abstract": words(160) if draw.random() >= WITHOUT_ABSTRACT else None,
        "date": f"20{draw.randrange(10, 26)}-05-18",
        "publisher": "Words Ltd",
        "container": f"Annals of {draw.choice(WORDS)}",
        "citation_count": draw.randrange(1, 90),
        "authors": [f"{draw.choice(WORDS).title()} {draw.choice(WORDS).title()}-{draw.randrange(5000)}" for _ in range(5)],
        "subjects": draw.sample(WORDS, 4),
        "refs": [f"10.5555/cited.{draw.randrange(1_000_000)}" for _ in range(30)],
    }


def stated(doi: str, values: dict[str, Any]) -> Told:
    """What a source tells of a record."""
    return told(doi=doi, **(values | {"authors": [author(name) for name in values.get("authors", ())]}))


class _List(Resolver):
    requires = frozenset({"doi"})
    accepts = ("doi",)
    offers = frozenset({Want.METADATA})
    most = 50

    def request_batch(self, kind: str, values: list[str]) -> Request:
        return Request(f"{self.settings['BENCHMARKS_CATALOGUE']}/{self.name}/{','.join(values)}", headers={"Accept-Encoding": "gzip"})

    def answers(self, response: Response, kind: str, values: list[str]) -> dict[str, Answer]:
        records = json_object(response)
        return {doi: Answer(ids=Ids(doi=doi), facts=[Metadata(fields=stated(doi, records[doi]))]) for doi in values if doi in records}


class Agency(_List):
    """Fifty a call, as Crossref: no subjects, half of the abstracts."""

    name = "agency"
    basis = "agency"


class Index(_List):
    """Fifty a call, as OpenAlex: subjects, and all abstracts that there are."""

    name = "index"
    basis = "index"


class Graph(MetadataSource):
    """One a call, as OpenAIRE."""

    name = "graph"
    basis = "graph"

    def address(self, doi: str) -> str:
        return f"{self.settings['BENCHMARKS_CATALOGUE']}/graph/{doi}"

    def told(self, response: Response, doi: str) -> Told:
        return stated(doi, json_object(response))


def _answer(path: str) -> bytes:
    _, service, asked = path.split("/", 2)
    if service == "graph":
        return orjson.dumps(record(asked))
    records = {}
    for doi in asked.split(","):
        whole = records[doi] = record(doi)
        if service == "agency":
            whole.pop("subjects")
            if int(doi.rpartition(".")[2]) % 2:
                whole.pop("abstract")
    return orjson.dumps(records)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while head := await reader.readuntil(b"\r\n\r\n"):
            body = _answer(head.split(b" ", 2)[1].decode())
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
    writer.close()


@contextmanager
def catalogue() -> Iterator[str]:
    """The services, in a thread; their address."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(_serve, "127.0.0.1", 0, limit=1 << 20))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
