"""Follows redirects of file requests by our rules: bounded, without loops, never into a private network, with the chain's own cookies."""

from __future__ import annotations

import logging
import re
from time import time
from typing import Self
from urllib.parse import urldefrag, urljoin, urlsplit, urlunsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.httpobj import urlparse_cached
from w3lib.url import safe_url_string

from litcrawl.exceptions import Miss
from litcrawl.middlewares import cookies
from litcrawl.targets import LONGEST, from_outside
from litcrawl.terms import Reason
from litcrawl.wire import hosts

logger = logging.getLogger(__name__)

_STATUSES = frozenset({301, 302, 303, 307, 308})
# Of one URL's tries: nothing to the next.
_ONE_URL = ("retry_times", "tries", "waited", "not_before", "received", "download_latency", "routed")
# Of one host: a browser's guise, what its key is judged by.
_ONE_HOST = ("impersonate", "lane")
# Of a proxy that HttpProxyMiddleware took from the environment: it is to choose again, by the next host and scheme.
_CHOSEN = ("proxy", "_auth_proxy", "_scheme_proxy")
_SECRET = re.compile(rb"auth|cookie|key|token|secret|referer", re.I)
_BODY = ("Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location")


class RedirectMiddleware:
    """
    Follows the redirects of requests with `meta["follow"]`; those of others reach their callback, with one warning a host.

    At most `REDIRECT_MAX_TIMES`. A URL that comes again with the same cookies is `loop`; after a cookie test, which asks
    whether a cookie comes back, it is `blocked`. A literal address that is not public, this machine by name, and other
    schemes than http and https are `unsafe` when the chain began at a host name; where the name leads is checked at
    connect time (`global_only`). Headers that may hold a secret stay with their origin, a proxy's password with the proxy; a Referer is
    never sent.

    In place of Scrapy's, of which only the settings would be left; before `RetryMiddleware` on an answer's way.
    """

    def __init__(self, settings: BaseSettings):
        self._most = settings.getint("REDIRECT_MAX_TIMES")
        self._priority = settings.getint("REDIRECT_PRIORITY_ADJUST")
        self._warned: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler.settings)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        location = response.headers.get("Location")
        if response.status not in _STATUSES or not location:
            return response
        if not request.meta.get("follow"):
            self._warn(request.url, location)
            return response
        chain = [*request.meta.get("redirect_urls", []), request.url]
        url = _target(request.url, location)
        _check_target(url, chain[0])
        jar = self._jar(request, response)
        follow = self._follow(request, response, url, jar)
        seen = request.meta.get("redirect_seen") or [_step(request)]
        tested = request.meta.get("cookie_test", False) or "Cookie" in follow.headers
        if _step(follow) in seen or len(chain) > self._most:
            raise Miss(Reason.BLOCKED if tested else Reason.LOOP, f"{len(chain)} redirects lead to {follow.url}")
        follow.meta.update(redirect_urls=chain, redirect_seen=[*seen, _step(follow)], cookie_test=tested)
        return follow

    def _warn(self, url: str, location: bytes) -> None:
        """An API that has moved brings nothing any more: said once of each host, and of the target no more than its host."""
        host = urlsplit(url).hostname or ""
        if host in self._warned:
            return
        self._warned.add(host)
        try:
            target = (urlsplit(_target(url, location)).hostname or "")[:80]
        except Miss:
            target = "what is no address"
        logger.warning("%s redirects its API to %s: not followed, its answers count as unavailable", host, target)

    def _jar(self, request: Request, response: Response) -> cookies.Jar:
        parts = urlparse_cached(request)
        return cookies.taken(
            request.meta.get("cookies") or {},
            hosts.plain(parts.hostname or ""),
            parts.scheme == "https",
            response.headers.getlist("Set-Cookie"),
            time(),
        )

    def _follow(self, request: Request, response: Response, url: str, jar: cookies.Jar) -> Request:
        meta = {key: value for key, value in request.meta.items() if key not in _ONE_URL}
        meta["cookies"] = jar
        if "redirect_urls" not in request.meta and from_outside(request, response):
            meta["global_only"] = True
        follow = request.replace(url=url, meta=meta, cookies=None, dont_filter=True, priority=request.priority + self._priority)
        if response.status == 303 or (response.status in {301, 302} and request.method == "POST"):
            follow = follow.replace(method="HEAD" if request.method == "HEAD" else "GET", body=b"")
            for name in _BODY:
                follow.headers.pop(name, None)
        follow.headers.pop("Referer", None)
        follow.headers.pop("Cookie", None)
        authorization = _proxy_authorization(follow)
        source, target = urlparse_cached(request), urlparse_cached(follow)
        if (source.scheme, source.netloc) != (target.scheme, target.netloc):
            for name in _ONE_HOST:
                follow.meta.pop(name, None)
            for name in [name for name in follow.headers if _SECRET.search(name)]:
                del follow.headers[name]
        if authorization:
            follow.headers["Proxy-Authorization"] = authorization
        if cookie := cookies.header(jar, hosts.plain(target.hostname or ""), target.scheme == "https"):
            follow.headers["Cookie"] = cookie
        return follow


def _proxy_authorization(follow: Request) -> bytes | None:
    """
    Take the password for its proxy from a request, and the proxy itself where the environment named it.

    What is returned is for the proxy that the request still names, wherever it leads; None when it is for none, or another.
    """
    authorization: bytes | None = (follow.headers.pop("Proxy-Authorization", None) or [None])[-1]
    if follow.meta.get("_scheme_proxy"):
        for name in _CHOSEN:
            follow.meta.pop(name, None)
    proxy = follow.meta.get("proxy")
    return authorization if proxy and proxy == follow.meta.get("_auth_proxy") else None


def _target(base: str, location: bytes) -> str:
    """The absolute address that a Location means, without user, password and fragment; `unsafe` when it means none."""
    if len(location) > LONGEST:
        raise Miss(Reason.UNSAFE, f"redirect to an address of {len(location)} bytes")
    try:
        text = location.decode("utf-8")
    except UnicodeDecodeError:
        text = location.decode("latin-1")
    # As browsers do: white space around it and line breaks in it are not meant (WHATWG URL, section 4.4).
    text = re.sub(r"[\t\r\n]", "", text).strip("".join(map(chr, range(33)))).replace("\\", "/")
    try:
        parts = urlsplit(urldefrag(urljoin(base, text)).url)
        host = hosts.plain(parts.hostname or "").encode("idna").decode()
        netloc = f"[{host}]" if ":" in host else host
        if parts.port is not None:
            netloc += f":{parts.port}"
        return safe_url_string(urlunsplit(parts._replace(netloc=netloc)))
    except ValueError as error:  # UnicodeError, of the host name, is one
        raise Miss(Reason.UNSAFE, "redirect to what is no address") from error


def _check_target(url: str, first: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"}:
        raise Miss(Reason.UNSAFE, f"redirect to the scheme {parts.scheme[:20]}")
    origin = urlsplit(first).hostname or ""
    if hosts.literal(origin) or hosts.is_local_name(origin):
        return
    host = parts.hostname or ""
    if hosts.is_local_name(host) or hosts.is_private_literal(host):
        raise Miss(Reason.UNSAFE, f"redirect to {host[:80]}")


def _step(request: Request) -> list[str]:
    """What makes two requests of a chain the same: address and cookies."""
    return [urldefrag(request.url).url, (request.headers.get("Cookie") or b"").decode("latin-1")]
