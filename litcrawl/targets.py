"""Where an address that an upstream named may lead. Pure."""

from __future__ import annotations

from enum import StrEnum
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from w3lib.url import safe_url_string

from litcrawl.wire import hosts

LONGEST = 8192
"""Characters of an address that is followed."""


class Reach(StrEnum):
    """How far the links of an answer may lead: no nearer to this machine than the answer itself came from."""

    ANYWHERE = "anywhere"
    """To any host: the answer came from an address that the settings or a source spell out."""
    NAMED = "named"
    """To no address that is spelled out and not public, nor to this machine by name: the answer came from a host name."""
    PUBLIC = "public"
    """Nor to a name that leads to such an address, which shows when it is connected to: the answer came from the public internet."""


def reach(response: Response) -> Reach:
    """How far the links of an answer may lead."""
    request = response.request
    assert request is not None  # the engine has set it
    first = _host([*request.meta.get("redirect_urls", ()), request.url][0])
    if hosts.literal(first) or hosts.is_local_name(first):
        return Reach.ANYWHERE
    return Reach.PUBLIC if from_outside(request, response) else Reach.NAMED


def from_outside(request: Request, response: Response) -> bool:
    """Whether an answer came from the public internet; behind a proxy, which hides the address, a host name is taken so."""
    if response.ip_address is not None:
        return hosts.is_global(str(response.ip_address))
    host = _host(request.url)
    hidden = request.meta.get("_scheme_proxy") or request.meta.get("routed")
    return bool(hidden) and not (hosts.literal(host) or hosts.is_local_name(host))


def fetchable(url: str, reach: str = Reach.ANYWHERE) -> bool:
    """Whether an address, which may be anything that an upstream sends, is one of the web, and not out of reach."""
    if len(url) > LONGEST:
        return False
    try:
        parts = urlsplit(url)
        url.encode()
        safe_url_string(url)  # as a Request will have it
        host = parts.hostname or ""
        named = len(host) <= 253 and all(0 < len(label) <= 63 for label in host.removesuffix(".").split("."))  # RFC 1035, section 2.3.4
        if parts.scheme not in ("http", "https") or not named or parts.port == 0:
            return False
    except ValueError:  # a port or an address that is none, a lone surrogate
        return False
    return reach == Reach.ANYWHERE or not (hosts.is_local_name(host) or hosts.is_private_literal(host))


def shown(url: str) -> str:
    """An address as it may be written down, whatever it is."""
    return url[:LONGEST].encode("utf-8", "replace").decode()


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""
