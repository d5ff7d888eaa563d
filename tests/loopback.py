"""A small HTTP server on loopback that notes when requests arrive, and a crawl of given requests against it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from litcrawl.middlewares.pacing import PacingMiddleware

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")


@dataclass
class Arrival:
    at: float
    host: str
    path: str
    headers: dict[str, str]
    secure: bool = False


@dataclass
class Answer:
    status: int = 200
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b"ok"
    latency: float = 0.0
    cut: bool = False  # close after the body, which is announced as longer


Behaviour = Callable[[Arrival, int], Answer | Awaitable[Answer]]


class Loopback:
    """Answers as `behaviour(arrival, n)` says, for the n-th request of that URL (from 1)."""

    def __init__(self, behaviour: Behaviour):
        self.behaviour = behaviour
        self.arrivals: list[Arrival] = []
        self.port = 0
        self.most_at_once = 0
        self._arrived = asyncio.Event()
        self._now = 0

    def url(self, path: str = "/", host: str = HOSTS[0]) -> str:
        return f"http://{host}:{self.port}{path}"

    def times(self, *hosts: str) -> list[float]:
        return [one.at for one in self.arrivals if not hosts or one.host in hosts]

    async def until(self, count: int) -> None:
        """Wait for this many requests."""
        while len(self.arrivals) < count:
            self._arrived.clear()
            await self._arrived.wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        secure = writer.get_extra_info("ssl_object") is not None
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").split("\r\n")
                headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
                await reader.readexactly(int(headers.get("content-length", 0)))
                arrival = Arrival(monotonic(), headers["host"].partition(":")[0], first.split(" ")[1], headers, secure)
                self.arrivals.append(arrival)
                self._arrived.set()
                self._now += 1
                self.most_at_once = max(self.most_at_once, self._now)
                count = sum(one.path == arrival.path and one.host == arrival.host for one in self.arrivals)
                answer = self.behaviour(arrival, count)
                answer = answer if isinstance(answer, Answer) else await answer
                await asyncio.sleep(answer.latency)
                self._now -= 1
                length = len(answer.body) + (1000 if answer.cut else 0)
                lines = [
                    f"HTTP/1.1 {answer.status} X",
                    f"Content-Length: {length}",
                    *(f"{name}: {value}" for name, value in answer.headers),
                ]
                writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + answer.body)
                await writer.drain()
                if answer.cut:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def loopback(behaviour: Behaviour) -> AsyncIterator[Loopback]:
    """A server at three addresses."""
    world = Loopback(behaviour)
    servers = [await asyncio.start_server(world._serve, HOSTS[0], 0)]
    world.port = servers[0].sockets[0].getsockname()[1]
    servers += [await asyncio.start_server(world._serve, host, world.port) for host in HOSTS[1:]]
    try:
        yield world
    finally:
        for server in servers:
            server.close()


@dataclass
class Result:
    crawler: Crawler
    responses: list[Response]
    failures: list[Failure]
    ended: float  # monotonic

    @property
    def pacing(self) -> PacingMiddleware:
        return self.crawler.get_downloader_middleware(PacingMiddleware)


SETTINGS: dict[str, Any] = {
    "TWISTED_REACTOR_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "COOKIES_ENABLED": False,
    "COMPRESSION_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "HTTPERROR_ALLOW_ALL": True,
    "REFERER_ENABLED": False,
    "LOG_LEVEL": "WARNING",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "ADDONS": {"litcrawl.slots.SlotsAddon": 0},
    "SCHEDULER_PRIORITY_QUEUE": "litcrawl.scheduler.PacedPriorityQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
        "litcrawl.middlewares.retry.RetryMiddleware": 550,
        "litcrawl.middlewares.redirect.RedirectMiddleware": 600,
        "litcrawl.middlewares.pacing.PacingMiddleware": 950,
    },
    "DOWNLOAD_HANDLERS": {"http": "litcrawl.wire.Wire", "https": "litcrawl.wire.Wire"},
    "CONCURRENT_REQUESTS": 32,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
    "CONCURRENT_ITEMS": 1,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_DELAY_JITTER": 0,
    "RETRY_TIMES": 2,
    "RETRY_HTTP_CODES": [408, 429, 500, 502, 503, 504, *range(520, 528)],
    "RETRY_EXCEPTIONS": [
        "scrapy.exceptions.CannotResolveHostError",
        "scrapy.exceptions.DownloadConnectionRefusedError",
        "scrapy.exceptions.DownloadFailedError",
        "scrapy.exceptions.DownloadTimeoutError",
        "scrapy.exceptions.ResponseDataLossError",
    ],
    "RETRY_PRIORITY_ADJUST": 0,
    "RETRY_GIVE_UP_LOG_LEVEL": "DEBUG",
    "REDIRECT_MAX_TIMES": 10,
    "LITCRAWL_BACKOFF": [0.05, 0.4],
    "LITCRAWL_PATIENCE": 5,
    "LITCRAWL_SLOTS": {},
    "LITCRAWL_STREAM_SIZE": 8 << 20,
    "LITCRAWL_MAX_FILE_SIZE": 2 << 30,
    "LITCRAWL_OUT": tempfile.gettempdir(),
    "DOWNLOAD_TIMEOUT": 30,
}


async def crawl(requests: Iterable[Request], during: Callable[[Crawler], Awaitable[None]] | None = None, **settings: Any) -> Result:
    """Send requests (callback and errback are ours); `during` runs beside the crawl."""
    given = list(requests)
    responses: list[Response] = []
    failures: list[Failure] = []

    class Probe(Spider):
        name = "probe"

        async def start(self) -> AsyncIterator[Request]:
            for request in given:
                yield request.replace(callback=self.on_response, errback=self.on_failure)

        def on_response(self, response: Response) -> None:
            responses.append(response)

        def on_failure(self, failure: Failure) -> None:
            failures.append(failure)

    runner = AsyncCrawlerRunner({**SETTINGS, **settings})
    crawler = runner.create_crawler(Probe)
    tasks = []

    def opened() -> None:
        if during:
            tasks.append(asyncio.ensure_future(during(crawler)))

    crawler.signals.connect(opened, signals.spider_opened)
    await runner.crawl(crawler)
    for task in tasks:
        await task
    return Result(crawler, responses, failures, monotonic())
