"""Requests on the wire, through aiohttp: one pool per crawler, certificates verified, time limited, nothing added of its own."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Protocol, cast

import aiohttp
from aiohttp.connector import Connection
from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.settings import BaseSettings
from yarl import URL

from litcrawl.exceptions import Miss
from litcrawl.slots import IDLE
from litcrawl.terms import Reason
from litcrawl.wire import ranges
from litcrawl.wire.addresses import GlobalResolver
from litcrawl.wire.body import Limits, Reception
from litcrawl.wire.errors import NETWORK_ERRORS, StalePart, translate
from litcrawl.wire.hosts import is_private_literal
from litcrawl.wire.parts import Held, Parts
from litcrawl.wire.proxies import Routes, proxy_of

_KEEPALIVE = 30.0  # seconds that an idle connection is kept: longer than the slowest published gap between requests
_HEADER_LINE = 32 << 10  # publishers send Content-Security-Policy and Link lines beyond aiohttp's 8 KiB
# A reader that has twice as much waiting is paused, and what a paused TLS connection still held is lost when its server closes it:
# a file that is cut where it lies would seem to end elsewhere in each try.
_READ_BUFFER = 2 << 20


class Fetcher(Protocol):
    """A layer of the wire: the transport, credentials above it, a cassette on top."""

    async def fetch(self, request: Request) -> Response: ...

    async def close(self) -> None: ...


class _Answer(aiohttp.ClientResponse):
    """Knows the address it came from, for a small answer has given its connection back before anybody can ask; and always ends."""

    peer: str | None = None

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        peername = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = peername[0] if peername else None
        await super().start(connection)
        lost = connection.protocol.closed if connection.protocol is not None else None  # an idle protocol is falsy
        if lost is None:
            return self
        lost.remove_done_callback(_looked_at)  # one a connection, however many answers it gives
        lost.add_done_callback(_looked_at)
        if not self.content.is_eof():
            # A malformed chunk makes aiohttp close the connection and tell nobody: the reader would wait until the deadline.
            end = partial(_end, self.content)
            lost.add_done_callback(end)
            self.content.on_eof(partial(_forget, lost, end))
        return self


async def _sent_once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """
    One request is one at the server: aiohttp sends a GET again where a kept connection was lost, at once and past all pacing.

    It does so for its own errors alone (https://docs.aiohttp.org/en/stable/client_advanced.html#client-middleware); ours go straight up.
    """
    try:
        return await handler(request)
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        failure = translate(error)
    raise failure


def _looked_at(lost: asyncio.Future[None]) -> None:
    """How an idle connection ends concerns nobody; asyncio logs an error that is never looked at."""
    if not lost.cancelled():
        lost.exception()


def _end(content: aiohttp.StreamReader, lost: asyncio.Future[None]) -> None:
    if not content.is_eof() and content.exception() is None:
        content.set_exception(aiohttp.ClientPayloadError("malformed body"))


def _forget(lost: asyncio.Future[None], end: Callable[[asyncio.Future[None]], None]) -> None:
    lost.remove_done_callback(end)  # the connection may serve thousands of further answers


class Transport:
    """
    Sends a request as it is and returns the whole answer; redirects, cookies and retries are the middlewares' work.

    Of `request.meta` it reads `spool`, `global_only`, `download_timeout` and `proxy`, and sets `download_latency`, `received` and
    `routed`: whether it went over a route of `LITCRAWL_PROXY`.
    """

    def __init__(self, settings: BaseSettings):
        self._limits = Limits.of(settings)
        self._parts = Parts(settings["LITCRAWL_OUT"], settings.getint("LITCRAWL_MIN_FREE"))
        self._routes = Routes.from_settings(settings)
        self._connections = settings.getint("CONCURRENT_REQUESTS")
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        self._tls: ssl.SSLContext | None = None

    async def fetch(self, request: Request) -> Response:
        """The answer; or an exception of `litcrawl.wire.errors`, `Miss` (`too-large`, `unsafe`) or `StorageError`."""
        name = request.meta.get("spool")
        # In the loop: nearly always a record that is not there, which is told sooner than a thread is found to ask.
        held = self._parts.held(name, request.url) if name and request.method == "GET" else None
        try:
            async with asyncio.timeout(self._limits.seconds) as clock:
                return await self._exchange(request, held, clock)
        except TimeoutError as error:
            failure = translate(error)
        raise failure

    async def close(self) -> None:
        """Close every connection; may be called more than once."""
        while self._sessions:
            await self._sessions.popitem()[1].close()

    async def _exchange(self, request: Request, held: Held | None, clock: asyncio.Timeout) -> Response:
        start = monotonic()
        answer = await self._send(request, held)
        async with answer:
            request.meta["download_latency"] = monotonic() - start
            headers = Headers(answer.raw_headers)
            if held and not ranges.fits(held, answer.status, headers):
                if answer.status in (200, 206, 416):
                    await asyncio.to_thread(self._parts.discard, request.meta["spool"])
                if answer.status in (206, 416):  # asking again at once would break the host's pace: the retry comes in its turn
                    answer.close()
                    raise StalePart(f"{held.length} bytes were held of what is another file by now")
                held = None
            address = None if request.meta["routed"] or request.meta.get("proxy") else answer.peer
            return await Reception(request, answer, headers, self._parts, self._limits, held).response(clock, address)

    async def _send(self, request: Request, held: Held | None) -> _Answer:
        """The answer, as far as its headers."""
        try:
            url = URL(request.url, encoded=True)  # as it is, to the byte: no percent-encoding is normalised
            headers = [each for each in request.headers.to_tuple_list() if each[0] != "Proxy-Authorization"]
            if held:
                headers += ranges.request_headers(held).items()
            route = self._routes.of(url.raw_host or "")
            proxy, authorization = proxy_of(request, route)
            if authorization and url.scheme == "http":  # no tunnel: the proxy reads the request itself
                headers += authorization.items()
            request.meta["routed"] = route is not None
            guarded = bool(request.meta.get("global_only")) and proxy is None
            if guarded and is_private_literal(url.raw_host or ""):
                raise Miss(Reason.UNSAFE, f"{url.raw_host} is not a public address")
            idle = request.meta.get("download_timeout", IDLE)  # seconds without a byte, connecting included
            answer = await self._session(guarded).request(
                request.method,
                url,
                data=request.body or None,
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=None, connect=idle, sock_connect=idle, sock_read=idle),
                allow_redirects=False,
                proxy=proxy,
                proxy_headers=authorization,
            )
            return cast(_Answer, answer)  # the session's response_class
        except NETWORK_ERRORS as error:
            failure = translate(error)
        raise failure  # outside the handler: no context that would quote the address

    def _session(self, guarded: bool) -> aiohttp.ClientSession:
        """The session of all requests, or of those whose connections may end at public addresses only."""
        session = self._sessions.get(guarded)
        if session is None:
            if self._tls is None:
                self._tls = ssl.create_default_context()  # the system's authorities, or those of SSL_CERT_FILE
                self._tls.set_alpn_protocols(["http/1.1"])
            connector = aiohttp.TCPConnector(
                ssl=self._tls,
                limit=self._connections,
                keepalive_timeout=_KEEPALIVE,
                resolver=GlobalResolver() if guarded else None,
            )
            session = self._sessions[guarded] = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                response_class=_Answer,
                middlewares=(_sent_once,),
                skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
                read_bufsize=_READ_BUFFER,
                max_line_size=_HEADER_LINE,
                max_field_size=_HEADER_LINE,
            )
        return session
