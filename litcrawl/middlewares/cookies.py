"""The cookies of one redirect chain, as plain data that travels in the request. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from typing import Any

# {domain: {name: {"value", "secure", "below"}}}; `below`: hosts under the domain get it too.
Jar = dict[str, dict[str, dict[str, Any]]]

_MOST, _LONGEST = 50, 4096
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def taken(jar: Jar, host: str, secure: bool, set_cookies: Iterable[bytes], now: float) -> Jar:
    """
    A new jar with what an answer's Set-Cookie headers say (RFC 6265, section 5.3); `secure`: it came over https.

    A Domain attribute is believed when the host lies under it and it has a dot. That is less than browsers ask (they
    know which domains are shared), and enough here: nothing outlives the chain, and nothing personal is in it. Paths are
    not looked at: a chain visits few.
    """
    new: Jar = {domain: dict(cookies) for domain, cookies in jar.items()}
    for header in set_cookies:
        pair, *attributes = header.decode("utf-8", "replace")[: 2 * _LONGEST].split(";")
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not name or len(name) + len(value) > _LONGEST or _CONTROL.search(name + value):
            continue
        said = {key.strip().lower(): text.strip() for key, _, text in (attribute.partition("=") for attribute in attributes)}
        if "secure" in said and not secure:
            continue
        domain = said.get("domain", "").lstrip(".").lower()
        below = bool(domain) and "." in domain and (host == domain or host.endswith(f".{domain}"))
        if domain and not below:
            continue
        held = new.setdefault(domain or host, {})
        if _is_over(said, now):
            held.pop(name, None)
        elif name in held or len(held) < _MOST:
            held[name] = {"value": value, "secure": "secure" in said, "below": below}
    return new


def header(jar: Jar, host: str, secure: bool) -> str:
    """The Cookie header for a request to `host`; empty when there is nothing to send."""
    return "; ".join(
        f"{name}={cookie['value']}"
        for domain, cookies in sorted(jar.items())
        if host == domain or host.endswith(f".{domain}")
        for name, cookie in sorted(cookies.items())
        if (host == domain or cookie["below"]) and (secure or not cookie["secure"])
    )


def _is_over(said: dict[str, str], now: float) -> bool:
    """Whether the cookie is set in order to be deleted. Max-Age goes before Expires."""
    if re.fullmatch(r"-?[0-9]{1,18}", said.get("max-age", "")):
        return int(said["max-age"]) <= 0
    try:
        return parsedate_to_datetime(said.get("expires", "")).timestamp() <= now
    except (TypeError, ValueError, IndexError, OverflowError, OSError):
        return False
