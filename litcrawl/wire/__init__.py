"""The one download handler: a cassette (if asked for) above credentials above what sends: the transport, or a browser's guise."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings

from litcrawl.wire.credentials import Credentials
from litcrawl.wire.transport import Fetcher, Transport

__all__ = ["Wire"]

# Scrapy builds one handler per scheme; both must share connections and cassettes, and no two crawlers may.
_stacks: WeakKeyDictionary[Crawler, Fetcher] = WeakKeyDictionary()


class Wire:
    """The DOWNLOAD_HANDLERS entry of http and of https."""

    lazy = False

    def __init__(self, stack: Fetcher):
        self._stack = stack

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Wire:
        if crawler not in _stacks:
            _stacks[crawler] = _stack(crawler.settings)
        return cls(_stacks[crawler])

    async def download_request(self, request: Request) -> Response:
        return await self._stack.fetch(request)

    async def close(self) -> None:
        await self._stack.close()


class Senders:
    """The transport, and beside it, for requests with `meta["impersonate"]`, a browser's guise."""

    def __init__(self, settings: BaseSettings):
        self._settings = settings
        self._plain = Transport(settings)
        self._guise: Fetcher | None = None

    async def fetch(self, request: Request) -> Response:
        return await (self._impersonation() if request.meta.get("impersonate") else self._plain).fetch(request)

    async def close(self) -> None:
        for sender in filter(None, (self._plain, self._guise)):
            await sender.close()

    def _impersonation(self) -> Fetcher:
        if self._guise is None:
            from litcrawl.wire.impersonation import Impersonation  # brings curl, a tenth of a second's start that few crawls need

            self._guise = Impersonation(self._settings)
        return self._guise


def _stack(settings: BaseSettings) -> Fetcher:
    stack: Fetcher = Credentials(Senders(settings), settings)
    if settings.get("LITCRAWL_CASSETTE"):
        from litcrawl.wire.cassette import Cassette  # betamax brings requests, a second's start that few crawls need

        stack = Cassette(stack, settings)
    return stack
