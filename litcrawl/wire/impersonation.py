"""Requests in a browser's guise, for hosts that answer nobody else: through scrapy-impersonate, under the limits of all others."""

from __future__ import annotations

import math
import ssl
from base64 import b64decode
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from curl_cffi import CurlECode, CurlOpt
from curl_cffi.curl import CURL_WRITEFUNC_ERROR
from curl_cffi.requests import AsyncSession
from curl_cffi.requests import Response as Answer
from curl_cffi.requests.exceptions import CertificateVerifyError, DNSError, IncompleteRead, RequestException, Timeout
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, DownloadFailedError, DownloadTimeoutError, ResponseDataLossError
from scrapy.http import Headers, Response
from scrapy.settings import BaseSettings
from scrapy_impersonate import RequestParser

from litcrawl.exceptions import Miss
from litcrawl.slots import IDLE
from litcrawl.terms import Reason
from litcrawl.wire.addresses import GlobalResolver, NotGlobal
from litcrawl.wire.body import Limits, respond
from litcrawl.wire.errors import CertificateError, CutShort
from litcrawl.wire.hosts import is_global, is_private_literal
from litcrawl.wire.proxies import Routes, proxy_of
from litcrawl.wire.response import IMPERSONATED

_ENCODED = ("Content-Encoding", "Content-Length")


class Impersonation:
    """
    Sends requests with `meta["impersonate"]`, and returns whole answers, as `Transport` does, over connections that are kept.

    scrapy-impersonate has no limits of its own: time-outs, size caps, certificates, proxies and addresses are ours here as well. A
    browser's headers are its own: of ours only the chain's cookies are sent. Bodies stay in memory, for curl_cffi streams without
    back-pressure, and so may be no larger than an API's answer; curl undoes codings, and is stopped where what comes out is too large.
    """

    def __init__(self, settings: BaseSettings):
        self._limits = Limits.of(settings)
        self._routes = Routes.from_settings(settings)
        self._most = settings.getint("CONCURRENT_REQUESTS")
        self._sessions: dict[float, AsyncSession[Answer]] = {}

    async def fetch(self, request: Request) -> Response:
        """The answer; or an exception of `litcrawl.wire.errors` or `Miss` (`too-large`, `unsafe`), whose text quotes no address."""
        host = urlsplit(request.url).hostname or ""
        received = Received(self._limits.answer)
        try:
            return await self._exchange(request, host, received)
        except (RequestException, NotGlobal) as error:
            failure = _translate(error, host, received)
        if isinstance(failure, CutShort):
            request.meta["received"] = [*request.meta.get("received", ()), failure.received]
        raise failure

    async def close(self) -> None:
        while self._sessions:
            await self._sessions.popitem()[1].close()

    async def _exchange(self, request: Request, host: str, received: Received) -> Response:
        route = self._routes.of(host)
        request.meta["routed"] = route is not None
        arguments = _arguments(request, route) | {"content_callback": received.take}
        guarded = bool(request.meta.get("global_only")) and "proxy" not in arguments
        if guarded:
            await _check_global(host)
        start = monotonic()
        answer = await self._session(request.meta.get("download_timeout", IDLE)).request(**arguments)
        request.meta["download_latency"] = monotonic() - start
        address = answer.primary_ip or None
        if guarded and not (address and is_global(address)):
            raise Miss(Reason.UNSAFE, f"{host} is not a public address")
        headers = Headers(answer.headers.multi_items())
        if "Content-Encoding" in headers:  # undone by curl
            for name in _ENCODED:
                headers.pop(name, None)
        address = None if "proxy" in arguments else address
        return respond(request, answer.status_code, headers, bytes(received.body), [IMPERSONATED], address)

    def _session(self, idle: float) -> AsyncSession[Answer]:
        """The session of requests that may be without a byte for so many seconds."""
        if idle not in self._sessions:
            authorities = ssl.get_default_verify_paths().cafile  # the system's, or those of SSL_CERT_FILE; else curl_cffi's own
            self._sessions[idle] = AsyncSession(
                max_clients=self._most,
                verify=authorities or True,  # type: ignore[arg-type]  # a path is taken as well
                trust_env=False,  # Scrapy's HttpProxyMiddleware has read it
                timeout=self._limits.seconds,
                discard_cookies=True,
                curl_options={
                    CurlOpt.CONNECTTIMEOUT_MS: int(idle * 1000),
                    CurlOpt.LOW_SPEED_LIMIT: 1,
                    CurlOpt.LOW_SPEED_TIME: math.ceil(idle),
                },
            )
        return self._sessions[idle]


class Received:
    """A body as curl hands it over, decoded; at `most` so many bytes."""

    def __init__(self, most: int):
        self._most = most
        self.body = bytearray()
        self.too_large = False

    def take(self, piece: bytes) -> int:
        self.too_large = len(self.body) + len(piece) > self._most
        if self.too_large:
            return CURL_WRITEFUNC_ERROR  # curl ends the transfer (https://curl.se/libcurl/c/CURLOPT_WRITEFUNCTION.html)
        self.body += piece
        return len(piece)


def _arguments(request: Request, route: str | None) -> dict[str, Any]:
    """The request as curl_cffi takes it: a browser's, with our cookies."""
    cookies = {"Cookie": cookie} if (cookie := request.headers.get("Cookie")) else {}
    guise = {"impersonate": request.meta["impersonate"]}
    bare = Request(request.url, method=request.method, headers=cookies, body=request.body, meta=guise)
    arguments: dict[str, Any] = RequestParser(bare).as_dict()
    proxy, authorization = proxy_of(request, route)
    if proxy is None:
        return {name: value for name, value in arguments.items() if name != "proxy"}
    if authorization:
        user, _, password = b64decode(authorization["Proxy-Authorization"].partition(" ")[2]).decode("latin-1").partition(":")
        arguments["proxy_auth"] = (user, password)
    return arguments | {"proxy": str(proxy)}


async def _check_global(host: str) -> None:
    if is_private_literal(host):
        raise Miss(Reason.UNSAFE, f"{host} is not a public address")
    resolver = GlobalResolver()
    try:
        await resolver.resolve(host)
    finally:
        await resolver.close()


def _translate(error: Exception, host: str, received: Received) -> Exception:
    if received.too_large:
        return Miss(Reason.TOO_LARGE, "more than an answer may hold, once decoded")
    at = len(received.body)
    match error:
        case NotGlobal():
            return Miss(Reason.UNSAFE, str(error))
        case Timeout():
            return DownloadTimeoutError(f"no answer in time ({type(error).__name__})")
        case CertificateVerifyError():
            return CertificateError(f"certificate of {host} refused")
        case DNSError():
            return CannotResolveHostError(f"cannot resolve {host}")
        case IncompleteRead():
            return CutShort(f"ended at byte {at}", at)
        case RequestException(code=CurlECode.BAD_CONTENT_ENCODING):
            return ResponseDataLossError(f"cannot be decoded beyond byte {at}")
        case _:
            return DownloadFailedError(f"no answer ({type(error).__name__})")
