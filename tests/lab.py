"""A small archive on loopback, and the sources that know it: a third party's, named by class path in `LITCRAWL_SOURCES`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawling import crawl
from loopback import Answer, loopback
from scrapy import Request

from litcrawl.exceptions import Malformed
from litcrawl.ids import Ids
from litcrawl.items import Licence, Link, Step
from litcrawl.resolver import Answer as Told
from litcrawl.resolver import Resolver
from litcrawl.source import Found, Source, json_object
from litcrawl.terms import Want

SOURCES = "lab.Lab,lab.Spare"
SETTINGS = {
    "LITCRAWL_SOURCES": SOURCES,
    "LITCRAWL_SLOTS": {},
    "LITCRAWL_BACKOFF": [0.01, 0.03],
    "LITCRAWL_CLOSED": [0.02, 0.05],
    "LITCRAWL_CONTACT": "lab@litcrawl.dev",
    "AUTOTHROTTLE_ENABLED": 0,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
}


class Lab(Source):
    """Lists all files of all versions of an article."""

    name = "lab"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML, Want.PDF, Want.SUPPLEMENTARY})
    versioned = True
    basis = "pmc"

    def ask(self, question):
        yield Step(step="listing", url=f"{self.settings['LAB_URL']}/{question.ids.pmcid}")

    def listing(self, response, question, state):
        listed = json_object(response)["versions"]
        if not isinstance(listed, dict):
            raise Malformed("versions are an object")
        versions = {int(number): files for number, files in listed.items()}
        for version in question.versions_of(set(versions)):
            for name, (want, licence) in versions[version].items():
                yield Link(
                    want=Want(want),
                    url=f"{self.settings['LAB_URL']}/{question.ids.pmcid}/{version}/{name}",
                    filename=name,
                    version=version,
                    licence=licence and Licence(raw=licence, spdx=licence, basis=self.basis),
                )


class Spare(Source):
    """Has one XML under an address that the PMCID gives."""

    name = "spare"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML})
    basis = "europe_pmc"

    def ask(self, question):
        yield Link(want=Want.XML, url=f"{self.settings['LAB_URL']}/spare/{question.ids.pmcid}.xml")


class CannotAsk(Lab):
    """Fails over every file."""

    def request(self, step, key):
        if step["step"] == "listing":
            return super().request(step, key)
        raise RuntimeError("cannot ask")


class CannotBegin(Lab):
    def ask(self, question):
        raise RuntimeError("cannot begin")


class CannotRead(Lab):
    def read(self, step, response, question):
        for finding in super().read(step, response, question):
            if isinstance(finding, Found):
                raise RuntimeError("cannot read")
            yield finding


class Odd(Lab):
    """Believes whatever its upstream sends."""

    def listing(self, response, question, state):
        for url in json_object(response)["odd"]:
            yield Link(want=Want.XML, url=url)


class Register(Resolver):
    """Tells the PMCIDs of articles: that of PMID 12 is PMC12."""

    name = "register"
    accepts = ("pmid",)
    provides = frozenset({"pmcid"})
    most = 8
    basis = "register"

    def request_batch(self, kind, values):
        return Request(f"{self.settings['LAB_URL']}/register/{','.join(values)}")

    def answers(self, response, kind, values):
        known = json_object(response)
        if not isinstance(known.get("pmcids"), dict):
            raise Malformed("no table")
        return {pmid: Told(ids=Ids(pmid=pmid, pmcid=pmcid)) for pmid, pmcid in known["pmcids"].items()}


class SmallRegister(Register):
    """Takes few a call."""

    most = 4


class Records(Register):
    """Asks for one article by the address of its record."""

    by_record = True


class BuggyRegister(Register):
    def answers(self, response, kind, values):
        raise RuntimeError("cannot read")


class DumbRegister(Register):
    """Cannot ask for one of them."""

    name = "dumb"

    def request_batch(self, kind, values):
        if "13" in values:
            raise RuntimeError("cannot ask")
        return super().request_batch(kind, values)


class OddRegister(Register):
    """Of one article it tells what nobody can take down."""

    name = "odd"

    def answers(self, response, kind, values):
        return {pmid: "PMC13" if pmid == "13" else told for pmid, told in super().answers(response, kind, values).items()}


def jats(pmcid: str, words: str = "text", *, doi: str | None = None, licence: str | None = None) -> bytes:
    return (
        f'<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta><article-id pub-id-type="pmc">{pmcid}</article-id>'
        + (f'<article-id pub-id-type="doi">{doi}</article-id>' if doi else "")
        + (f'<permissions><license xlink:href="{licence}"/></permissions>' if licence else "")
        + f"</article-meta></front><body><p>{words}</p></body></article>"
    ).encode()


def pdf(size: int = 100, of: bytes = b"x") -> bytes:
    return b"%PDF-1.5\n" + of * size + b"\n%%EOF\n"


@dataclass
class World:
    """What the archive holds, `files[path] = bytes`, and how it answers otherwise: `first(path, n)` may give an `Answer`."""

    files: dict[str, bytes] = field(default_factory=dict)
    first: Any = None
    latency: float = 0.0
    server: Any = None

    def add(self, pmcid: str, files: dict[str, bytes], version: int = 1, licence: str | None = None) -> None:
        """Put an article's files there."""
        listing = json.loads(self.files.get(f"/{pmcid}", b'{"versions": {}}'))
        kinds = {"xml": "xml", "pdf": "pdf"}
        listing["versions"][str(version)] = {
            name: [kinds.get(name.rpartition(".")[2], "supplementary") if name.startswith(pmcid) else "supplementary", licence]
            for name in files
        }
        self.files[f"/{pmcid}"] = json.dumps(listing).encode()
        for name, content in files.items():
            self.files[f"/{pmcid}/{version}/{name}"] = content

    def usual(self, pmcid: str, **more: Any) -> None:
        """An article with an XML, a PDF and two supplements."""
        number = pmcid.removeprefix("PMC")
        self.add(
            pmcid,
            {
                f"{pmcid}.xml": jats(pmcid, f"article {number}"),
                f"{pmcid}.pdf": pdf(of=number.encode()),
                "s1.csv": f"a,b\n{number},1\n".encode(),
                "s2.txt": f"notes on {number}\n".encode() * 50,
            },
            **more,
        )

    def answer(self, arrival: Any, n: int) -> Answer:
        if self.first and (answer := self.first(arrival.path, n)):
            return answer
        body = self.files.get(arrival.path)
        return Answer(404, body=b"no", latency=self.latency) if body is None else Answer(body=body, latency=self.latency)

    @property
    def asked(self) -> list[str]:
        """The paths asked for so far, in order."""
        return [one.path for one in self.server.arrivals]

    def settings(self, **more: Any) -> dict[str, Any]:
        return SETTINGS | {"LAB_URL": self.server.url("")} | more

    async def crawl(self, out: Path, ids: str, settings: dict[str, Any] | None = None, **more: Any) -> Any:
        """A crawl of this archive, inside the test."""
        return await crawl(out, ids=ids, settings=self.settings(**(settings or {})), **more)

    async def process(self, out: Path, ids: str, *more: str, **options: Any) -> Process:
        """A crawl of this archive as users start it."""
        settings = {**self.settings(), "LITCRAWL_OUT": str(out), "LITCRAWL_MIN_FREE": "0"}
        texts = {name: ",".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in settings.items()}
        given = [word for name, text in texts.items() for word in ("-s", f"{name}={text}")]
        return await start("crawl", "fetch", "-a", f"ids={ids}", *given, *more, **options)


@asynccontextmanager
async def lab(*pmcids: str):
    """An archive that holds these articles."""
    world = World()
    for pmcid in pmcids:
        world.usual(pmcid)
    async with loopback(world.answer) as server:
        world.server = server
        yield world


@dataclass
class Process:
    """A running `litcrawl`."""

    child: asyncio.subprocess.Process

    def kill(self) -> None:
        self.child.kill()

    def interrupt(self) -> None:
        self.child.send_signal(signal.SIGINT)

    async def end(self) -> tuple[int, str]:
        """Exit status and what was said on standard error."""
        _, said = await self.child.communicate()
        return self.child.returncode, said.decode()


async def start(
    *arguments: str, cwd: Path | None = None, before: Any = None, stdin: Any = asyncio.subprocess.DEVNULL, **environment: str
) -> Process:
    """Start `litcrawl` from a folder that is not the project's."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LITCRAWL_", "SCRAPY_"))}
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "from litcrawl.cli import main; main()", *arguments,
        cwd=cwd or "/", env=inherited | {"PYTHONPATH": str(Path(__file__).parent)} | environment, preexec_fn=before,
        stdin=stdin, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    return Process(child)


def tree(out: Path) -> dict[str, bytes]:
    """The files of the articles, without the records of the runs."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name != "article.json" and not path.relative_to(out).as_posix().startswith(("runs/", "index.sqlite"))
    }
