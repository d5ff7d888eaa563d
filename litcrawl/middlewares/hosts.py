"""Is the host of an address a name, or a number in disguise? Pure: nothing is looked up."""

from __future__ import annotations

import re
import socket
import unicodedata
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import unquote

_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")


def literal(host: str) -> str | None:
    """
    The IP address that a URL's host spells out, in any form that clients understand; None for a name.

    `127.1`, `2130706433`, `0x7f.0.0.1` and `0177.0.0.1` are all 127.0.0.1, and so they are in full-width digits or
    percent-encoded (WHATWG URL, section 3.5). Numbers that are no address at all give `0.0.0.0`: never a public one.
    """
    host = plain(host)
    if ":" in host:
        try:
            return str(IPv6Address(host.strip("[]").partition("%")[0]))
        except ValueError:
            return "::"
    if not _NUMBERS.fullmatch(host):
        return None
    try:
        return str(IPv4Address(socket.inet_aton(host)))
    except OSError:
        return "0.0.0.0"  # noqa: S104  # compared, not bound


def is_local_name(host: str) -> bool:
    """Whether a name means this machine wherever it is asked (RFC 6761, section 6.3)."""
    host = plain(host)
    return host in {"", "localhost"} or host.endswith(".localhost")


def plain(host: str) -> str:
    """A host as resolvers see it: decoded, compatibility forms folded, lower case, no final dot."""
    return unicodedata.normalize("NFKC", unquote(host)).lower().replace("。", ".").rstrip(".")
