"""Hosts that answer whatever they like: each article has a doubtful host of its own, by name, and a sound one to fall back on."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import lab
from crawling import Crawled, crawl
from pdfs import pdf
from rawserver import HangUp, Upstream, reply

from litcrawl.items import Link, Step
from litcrawl.source import Source, json_object
from litcrawl.spiders.ncbi_idconv import NcbiIdconv
from litcrawl.terms import Want

Raw = bytes | Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]

SETTINGS: dict[str, Any] = lab.SETTINGS | {
    "LITCRAWL_SOURCES": "hostile.Doubtful,hostile.Sound",
    "LITCRAWL_STREAM_SIZE": 100_000,
    "LITCRAWL_MAX_FILE_SIZE": 1_000_000,
    "DOWNLOAD_MAXSIZE": 1_000_000,
    "DOWNLOAD_TIMEOUT": 1,
    "CONCURRENT_REQUESTS": 128,
    "RETRY_TIMES": 1,
    "LITCRAWL_PATIENCE": 1,
}


class Doubtful(Source):
    """Leads each article to a host of its own."""

    name = "doubtful"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML, Want.PDF})
    basis = "pmc"
    guesses = True

    def ask(self, question):
        for want in sorted(question.want):
            yield Link(want=want, url=f"http://{question.ids.pmcid}.test:{self.settings['PORT']}/{question.ids.pmcid}")


class Sound(Source):
    """Has every file."""

    name = "sound"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML, Want.PDF})
    basis = "pmc"

    def ask(self, question):
        for want in sorted(question.want):
            yield Link(want=want, url=f"http://sound.test:{self.settings['PORT']}/{question.ids.pmcid}.{want}")


class Lists(Source):
    """Believes the list that the article's host sends: of addresses for its PDF, of names for its supplements."""

    name = "lists"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML, Want.PDF, Want.SUPPLEMENTARY})
    basis = "pmc"

    def ask(self, question):
        yield Step(step="listing", url=f"http://{question.ids.pmcid}.test:{self.settings['PORT']}/list")

    def listing(self, response, question, state):
        listed = json_object(response)
        for url in listed.get("pdf", ()):
            yield Link(want=Want.PDF, url=url)
        for n, name in enumerate(listed.get("names", ())):
            yield Link(want=Want.SUPPLEMENTARY, url=f"http://sound.test:{self.settings['PORT']}/{n}.csv", filename=name)


class Converter(NcbiIdconv):
    """NCBI's converter, at another host."""

    name = "converter"

    def request_batch(self, kind, values):
        request = super().request_batch(kind, values)
        query = request.url.partition("?")[2]
        return request.replace(url=f"http://pmc.ncbi.nlm.nih.gov.test:{self.settings['PORT']}/?{query}")


def in_turn(*answers: bytes, pause: float = 0.0, end: bool = True) -> Raw:
    """Says these one after another, and hangs up."""

    async def say(head: bytes, writer: asyncio.StreamWriter) -> None:
        for one in answers:
            writer.write(one)
            await writer.drain()
            await asyncio.sleep(pause)
        if end:
            raise HangUp

    return say


def endless(first: bytes, then: bytes, pause: float = 0.0) -> Raw:
    """Says one thing, and another again and again for ever."""

    async def say(head: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        while True:
            writer.write(then)
            await writer.drain()
            await asyncio.sleep(pause)

    return say


@dataclass
class World:
    """`answers[host]` is what a host says; `sound.test` has a file for every article."""

    server: Upstream
    answers: dict[str, Raw] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def at(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.server.port}{path}"

    async def answer(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        host = (self.server.sent("Host") or "").partition(":")[0]
        path = head.split(b" ")[1].decode()
        self.asked.append((host, path))
        answer = self.answers.get(host + path) or self.answers.get(host) or sound(path)
        if isinstance(answer, bytes):
            writer.write(answer)
        else:
            await answer(head, writer)

    async def crawl(self, out: Path, ids: str, settings: dict[str, Any] | None = None, **more: Any) -> Crawled:
        return await crawl(out, ids=ids, settings=SETTINGS | {"PORT": self.server.port} | (settings or {}), **more)


def sound(path: str) -> bytes:
    """A good file by its ending, whose content its path names."""
    name, _, ending = path.strip("/").rpartition(".")
    if ending == "xml":
        return reply(lab.jats(name))
    return reply(pdf([f"Article {name}"]) if ending == "pdf" else f"a,b\n{name},1\n".encode())


@asynccontextmanager
async def hostile(monkeypatch: Any, elsewhere: dict[str, str] | None = None) -> AsyncIterator[World]:
    """Names under .test lead to this server; `elsewhere` says to which address some lead instead."""

    async def resolve(self: Any, host: str, port: int = 0, family: Any = socket.AF_INET) -> list[Any]:
        if not host.endswith(".test"):
            raise OSError(None, f"asked for {host}")
        address = (elsewhere or {}).get(host, "127.0.0.1")
        return [{"hostname": host, "host": address, "port": port, "family": socket.AF_INET, "proto": 0, "flags": 0}]

    monkeypatch.setattr(aiohttp.ThreadedResolver, "resolve", resolve)
    world: World

    async def answer(head: bytes, writer: asyncio.StreamWriter) -> None:
        await world.answer(head, writer)

    world = World(await Upstream(answer).start())
    try:
        yield world
    finally:
        await world.server.stop()


def listed(**lists: list[str]) -> bytes:
    return reply(json.dumps(lists).encode())


def reasons(crawled: Crawled, source: str = "doubtful") -> dict[str, str]:
    """How the first source of each article ended, by PMCID."""
    return {key: next(one["reason"] for one in article.attempts if one["source"] == source) for key, article in crawled.articles.items()}


def assert_quiet(records: list[logging.LogRecord]) -> None:
    """No traceback, no error, nothing that a library complains of."""
    assert [one.getMessage() for one in records if one.exc_info or one.levelno >= logging.ERROR] == []
    assert [one.getMessage() for one in records if one.levelno >= logging.WARNING and not one.name.startswith("litcrawl")] == []


def assert_inside(crawled: Crawled, *, bodies: str) -> None:
    """Each article has its file from the sound source, and there is no other on the disk."""
    expected = {f"{article.path}/{name}" for article in crawled.articles.values() for name in (f"body.{bodies}", "article.json")}
    assert {path for path in files(crawled.out) if not path.startswith(("runs/", "index.sqlite"))} == expected
    assert {file.source for article in crawled.articles.values() for file in article.files} == {"sound"}
    assert {str(article.outcome) for article in crawled.articles.values()} == {"complete"}


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
