"""The way to a host: straight, through the environment's proxy, or over the route that an institution has to it (`LITCRAWL_PROXY`)."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

from scrapy import Request
from scrapy.settings import BaseSettings
from scrapy.utils.url import add_http_if_no_scheme
from yarl import URL

from litcrawl.exceptions import BadArgument

SETTING = "LITCRAWL_PROXY"
_FORM = """{"link.springer.com": "http://user:password@proxy.your-library.tld:3128"}, or ".springer.com" for all hosts below"""


class Routes:
    """
    Hosts that are reached through an institution's proxy, and nothing else is.

    `table` maps a pattern to the address of an HTTP proxy: `link.springer.com` is that host, `.springer.com` that host and all below it.
    Raises `BadArgument`, without the address, for what means none: it may hold a password.
    """

    def __init__(self, table: Mapping[str, str]):
        self._exact: dict[str, str] = {}
        self._below: dict[str, str] = {}
        for pattern, proxy in table.items():
            host = str(pattern).strip().lower().rstrip(".")
            if not host.strip(".") or any(char in host for char in "/:*@ "):
                named = "" if "@" in host else f"{pattern!r} is no host; "  # the two may have been turned round
                raise BadArgument(f"{SETTING}: {named}give such as {_FORM}")
            _check(proxy, host)
            (self._below if host.startswith(".") else self._exact)[host] = str(proxy)

    @staticmethod
    def from_settings(settings: BaseSettings) -> Routes:
        """The routes of a crawl: JSON, or a dict in a settings module."""
        value = settings.get(SETTING) or ""
        return _routes(value if isinstance(value, str) else json.dumps(dict(value)))

    def of(self, host: str) -> str | None:
        """The proxy through which a host is reached; None for straight."""
        host = host.lower().rstrip(".")
        if host in self._exact:
            return self._exact[host]
        below = [pattern for pattern in self._below if host.endswith(pattern) or host == pattern[1:]]
        return self._below[max(below, key=len)] if below else None

    def passwords(self, host: str) -> list[str]:
        """The password of the proxy to a host, as it is and as its address spells it; none for a host that is reached straight."""
        password = urlsplit(self.of(host) or "").password
        return list(dict.fromkeys((password, unquote(password)))) if password else []

    def __repr__(self) -> str:
        return f"<Routes {', '.join((*self._exact, *self._below)) or 'none'}>"


def proxy_of(request: Request, route: str | None) -> tuple[URL | None, dict[str, str] | None]:
    """
    The proxy of a request without user and password, and the header that carries them to it.

    `route` comes before the environment's, which Scrapy's HttpProxyMiddleware has put into the request.
    """
    address = route or request.meta.get("proxy")
    if not address:
        return None, None
    url = URL(add_http_if_no_scheme(address))
    authorization = None if route else request.headers.get("Proxy-Authorization")
    if authorization is None and url.user is not None:
        authorization = b"Basic " + b64encode(f"{url.user}:{url.password or ''}".encode())
    return url.with_user(None), {"Proxy-Authorization": authorization.decode("latin-1")} if authorization else None


@lru_cache(8)  # each article of a publisher asks
def _routes(text: str) -> Routes:
    table: Any = {}
    if text.strip():
        try:
            table = json.loads(text)
        except ValueError:
            table = None
    if not isinstance(table, dict):
        raise BadArgument(f"{SETTING}: no JSON object; give such as {_FORM}")
    return Routes(table)


def _check(proxy: object, host: str) -> None:
    try:
        parts = urlsplit(proxy if isinstance(proxy, str) else "")
        usable = parts.scheme == "http" and bool(parts.hostname) and parts.port != 0
        usable = usable and parts.path in ("", "/") and not parts.query and not parts.fragment and bool(URL(str(proxy)).host)
    except ValueError:
        usable = False
    if not usable:
        raise BadArgument(f"{SETTING}: {host} has no address of an HTTP proxy; give such as {_FORM}")
