"""A small arXiv: its records, pages and e-prints, made as the real one's look, of papers that do not exist."""

from __future__ import annotations

import gzip
import io
import tarfile
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from crawling import Crawled, crawl
from loopback import HOSTS, Answer, loopback

from litcrawl.arxiv import urls
from litcrawl.arxiv.archiver import ArchiverSpider

CC_BY = "http://creativecommons.org/licenses/by/4.0/"
NONEXCLUSIVE = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
OAI = 'xmlns="http://www.openarchives.org/OAI/2.0/"'


def envelope(inner: str) -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH {OAI}><responseDate>2026-11-30T10:00:00Z</responseDate>'
        f'<request verb="x">https://oaipmh.arxiv.org/oai</request>{inner}</OAI-PMH>'
    ).encode()


def refusal(code: str, message: str = "") -> bytes:
    return envelope(f'<error code="{code}">{message}</error>')


def header(paper: str, datestamp: str = "2026-01-02", status: str = "") -> str:
    return f"<header{status}><identifier>oai:arXiv.org:{paper}</identifier><datestamp>{datestamp}</datestamp></header>"


def raw(paper: str, *types: str, licence: str | None = NONEXCLUSIVE, doi: str = "") -> str:
    """The inner record: one version for each source type; `I` is a withdrawn one."""
    versions = "".join(
        f'<version version="v{n}"><date>Mon, 22 Oct 2018 22:41:50 GMT</date><size>{"0kb" if kind == "I" else "401kb"}</size>'
        f"<source_type>{kind}</source_type></version>"
        for n, kind in enumerate(types, 1)
    )
    stated = f"<license>{licence}</license>" if licence else ""
    return (
        f'<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>{paper}</id><submitter>A. Body</submitter>{versions}'
        "<title>On  a\n thing</title>"
        f"<authors>A. Body</authors>{f'<doi>{doi}</doi>' if doi else ''}{stated}<abstract>  We do.\n</abstract></arXivRaw>"
    )


def record(paper: str, *types: str, datestamp: str = "2026-01-02", licence: str | None = NONEXCLUSIVE, doi: str = "") -> bytes:
    inner = raw(paper, *(types or ("D",)), licence=licence, doi=doi)
    return envelope(f"<GetRecord><record>{header(paper, datestamp)}<metadata>{inner}</metadata></record></GetRecord>")


def identifiers(*headers: str, token: str | None = None) -> bytes:
    """A page of a list; `token` is the whole element."""
    return envelope(f"<ListIdentifiers>{''.join(headers)}{token or ''}</ListIdentifiers>")


def page(paper: str, licence: str | None = CC_BY, comments: str | None = None) -> bytes:
    box = f'<div class="abs-license"><a href="{licence}" title="Rights to this article" class="has_license">view license</a></div>'
    row = f'<tr><td class="tablecell label">Comments:</td><td class="tablecell comments mathjax">{comments}</td></tr>'
    return (
        f'<!DOCTYPE html><html><head><meta name="citation_title" content="On a thing"/><meta name="citation_arxiv_id" content="{paper}"/>'
        f'</head><body><div id="abs"><h1 class="title mathjax">On a thing</h1><blockquote class="abstract mathjax">We do.</blockquote>'
        f"<table>{row if comments else ''}</table></div>{box if licence else ''}</body></html>"
    ).encode()


def feed(*papers: str) -> bytes:
    entries = "".join(f"<entry><id>http://arxiv.org/abs/{one}</id><title>t</title></entry>" for one in papers)
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>articles</title>{entries}</feed>'.encode()


def tar(name: str = "main.tex", content: bytes = b"\\documentclass{article}", form: int = tarfile.USTAR_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def pdf(words: str = "") -> bytes:
    return b"%PDF-1.5\n" + words.encode() + b"\n%%EOF\n"


@dataclass
class World:
    """An arXiv on loopback: `papers` maps an id to the source types of its versions; `first(arrival, n)` may give another answer."""

    papers: dict[str, tuple[str, ...]]
    licences: dict[str, str | None] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    datestamps: dict[str, str] = field(default_factory=dict)
    lists: dict[str, bytes] = field(default_factory=dict)
    first: Any = None
    server: Any = None

    def answer(self, arrival: Any, n: int) -> Answer:
        if self.first and (answer := self.first(arrival, n)):
            return answer
        parts = urlsplit(arrival.path)
        if parts.path == "/oai":
            return Answer(body=self._oai(dict(parse_qsl(parts.query))))
        body = self.lists.get(parts.path) or self._of_version(*parts.path[1:].split("/", 1))
        return Answer(404, body=b"<html>no</html>") if body is None else Answer(body=body)

    def _oai(self, query: dict[str, str]) -> bytes:
        if query["verb"] == "GetRecord":
            paper = query["identifier"].removeprefix("oai:arXiv.org:")
            if paper not in self.papers:
                return refusal("idDoesNotExist")
            newest = f"{paper}v{len(self.papers[paper])}"
            day = self.datestamps.get(paper, "2026-01-02")
            return record(paper, *self.papers[paper], datestamp=day, licence=self.licences.get(newest, NONEXCLUSIVE))
        return self.lists.get(query.get("resumptionToken", "first")) or refusal("badResumptionToken")

    def _of_version(self, what: str, name: str) -> bytes | None:
        paper, _, number = name.rpartition("v")
        kind = dict(enumerate(self.papers.get(paper, ()), 1)).get(int(number or 0))
        if kind is None:
            return None
        if what == "abs":
            return page(paper, self.licences.get(name, NONEXCLUSIVE), self.comments.get(name))
        return self.file(what, name, kind)

    def file(self, what: str, name: str, kind: str) -> bytes | None:
        """The file of a version: its PDF, or its e-print as its source type has it."""
        if kind == "I":
            return None
        if what == "pdf":
            return None if kind == "H" else pdf(name)
        words = name.encode()
        made = {"D": lambda: packed(tar(content=words)), "1": lambda: packed(words), "F": lambda: pdf(name), "H": lambda: b"<html>" + words}
        return made[kind]()

    @property
    def asked(self) -> list[str]:
        """What was asked for, in order; records by their paper alone."""
        return [one.path.partition("identifier=")[2].partition("&")[0] or one.path for one in self.server.arrivals]

    def count(self, *what: str) -> int:
        """How many requests there were for addresses that begin so."""
        return sum(one.path.startswith(what) for one in self.server.arrivals)

    async def crawl(self, out: Path, settings: dict[str, Any] | None = None, **arguments: Any) -> Crawled:
        return await crawl(out, spider="arxiv", settings=QUICK | (settings or {}), **arguments)


QUICK = {
    "LITCRAWL_SLOTS": {},
    "LITCRAWL_BACKOFF": [0.01, 0.03],
    "LITCRAWL_CLOSED": [0.02, 0.05],
    "AUTOTHROTTLE_ENABLED": 0,
    "DOWNLOAD_DELAY": 0,
}


@asynccontextmanager
async def arxiv(monkeypatch: pytest.MonkeyPatch, papers: dict[str, tuple[str, ...]], **more: Any):
    """An arXiv whose three hosts are three addresses of this machine; tries follow each other at once."""
    world = World(papers, **more)
    async with loopback(world.answer) as server:
        world.server = server
        for name, host, path in (("FOR_PROGRAMS", HOSTS[0], ""), ("OAI", HOSTS[1], "/oai"), ("SITE", HOSTS[2], "")):
            monkeypatch.setattr(urls, name, server.url(path, host))
        monkeypatch.setattr(ArchiverSpider, "DELAYS", (0.01, 0.01, 0.01))
        yield world
