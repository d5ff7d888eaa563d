"""Requests in a browser's guise, for hosts that answer nobody else: through scrapy-impersonate, under the limits of all others."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64decode
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from curl_cffi import CurlOpt
from curl_cffi.requests import AsyncSession
from curl_cffi.requests import Response as Answer
from curl_cffi.requests.exceptions import CertificateVerifyError, DNSError, IncompleteRead, RequestException, Timeout
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, DownloadFailedError, DownloadTimeoutError
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

_ENCODED = ("Content-Encoding", "Content-Length")


class Impersonation:
    """
    Sends requests with `meta["impersonate"]`, and returns whole answers, as `Transport` does; one session for all of them.

    scrapy-impersonate has no limits of its own: time-outs, size caps, certificates, proxies and addresses are ours here as well. A
    browser's headers are its own: of ours only the chain's cookies are sent. Bodies stay in memory, for curl_cffi streams without
    back-pressure, and so may be no larger than an API's answer.
    """

    def __init__(self, settings: BaseSettings):
        self._limits = Limits.of(settings)
        self._routes = Routes.from_settings(settings)
        self._most = settings.getint("CONCURRENT_REQUESTS")
        self._session: AsyncSession[Answer] | None = None

    async def fetch(self, request: Request) -> Response:
        """The answer; or an exception of `litcrawl.wire.errors` or `Miss` (`too-large`, `unsafe`), whose text quotes no address."""
        host = urlsplit(request.url).hostname or ""
        try:
            return await self._exchange(request, host)
        except (RequestException, NotGlobal) as error:
            failure = _translate(error, host)
        raise failure

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _exchange(self, request: Request, host: str) -> Response:
        route = self._routes.of(host)
        request.meta["routed"] = route is not None
        arguments = _arguments(request, route)
        guarded = bool(request.meta.get("global_only")) and "proxy" not in arguments
        if guarded:
            await _check_global(host)
        start = monotonic()
        answer = await self._open().request(**arguments)
        try:
            request.meta["download_latency"] = monotonic() - start
            address = answer.primary_ip or None
            if guarded and not (address and is_global(address)):
                raise Miss(Reason.UNSAFE, f"{host} is not a public address")
            body = await self._body(request, answer)
        finally:
            await _end(answer)
        headers = Headers(answer.headers.multi_items())
        if "Content-Encoding" in headers:  # undone by curl, under the cap
            for name in _ENCODED:
                headers.pop(name, None)
        return respond(request, answer.status_code, headers, body, ["impersonated"], None if "proxy" in arguments else address)

    async def _body(self, request: Request, answer: Answer) -> bytes:
        body = bytearray()
        try:
            async for chunk in answer.aiter_content():
                body += chunk
                if len(body) > self._limits.answer:
                    raise Miss(Reason.TOO_LARGE, f"more than {self._limits.answer} bytes")
        except IncompleteRead:
            request.meta["received"] = [*request.meta.get("received", ()), len(body)]
            failure = CutShort(f"ended at byte {len(body)}", len(body))
        else:
            return bytes(body)
        raise failure

    def _open(self) -> AsyncSession[Answer]:
        if self._session is None:
            authorities = ssl.get_default_verify_paths().cafile  # the system's, or those of SSL_CERT_FILE
            self._session = AsyncSession(
                max_clients=self._most,
                verify=authorities or True,  # type: ignore[arg-type]  # a path is taken as well
                trust_env=False,  # Scrapy's HttpProxyMiddleware has read it
                timeout=IDLE,
                discard_cookies=True,
                curl_options={CurlOpt.TIMEOUT_MS: int(self._limits.seconds * 1000)},
            )
        return self._session


def _arguments(request: Request, route: str | None) -> dict[str, Any]:
    """The request as curl_cffi takes it: a browser's, with our cookies."""
    cookies = {"Cookie": cookie} if (cookie := request.headers.get("Cookie")) else {}
    guise = {"impersonate": request.meta["impersonate"]}
    bare = Request(request.url, method=request.method, headers=cookies, body=request.body, meta=guise)
    arguments: dict[str, Any] = RequestParser(bare).as_dict() | {"stream": True}
    proxy, authorization = proxy_of(request, route)
    if proxy is None:
        return {name: value for name, value in arguments.items() if name != "proxy"}
    if authorization:
        user, _, password = b64decode(authorization["Proxy-Authorization"].partition(" ")[2]).decode().partition(":")
        arguments["proxy_auth"] = (user, password)
    return arguments | {"proxy": str(proxy)}


async def _end(answer: Answer) -> None:
    """Let go of an answer, also one that goes on and on: `aclose` would wait for its end."""
    if answer.astream_task is not None:
        transfer = asyncio.ensure_future(answer.astream_task)
        transfer.cancel()
        await asyncio.wait([transfer])


async def _check_global(host: str) -> None:
    if is_private_literal(host):
        raise Miss(Reason.UNSAFE, f"{host} is not a public address")
    resolver = GlobalResolver()
    try:
        await resolver.resolve(host)
    finally:
        await resolver.close()


def _translate(error: Exception, host: str) -> Exception:
    match error:
        case NotGlobal():
            return Miss(Reason.UNSAFE, str(error))
        case Timeout():
            return DownloadTimeoutError(f"no answer in time ({type(error).__name__})")
        case CertificateVerifyError():
            return CertificateError(f"certificate of {host} refused")
        case DNSError():
            return CannotResolveHostError(f"cannot resolve {host}")
        case _:
            return DownloadFailedError(f"no answer ({type(error).__name__})")
