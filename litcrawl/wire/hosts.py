"""The host of a URL: a name, or an address in any disguise, and whether that is a public one. Pure: nothing is looked up."""

from __future__ import annotations

import re
import socket
import unicodedata
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import unquote

_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")
# Addresses that stand for an IPv4 address behind a gateway: RFC 6052 (NAT64); RFC 3056 (6to4) is known to `ipaddress`.
_NAT64 = ip_network("64:ff9b::/96")
# All of IPv6 that is given out (https://www.iana.org/assignments/ipv6-address-space/): outside lie old and local ways to write an IPv4
# address (`::7f00:1`, `::ffff:0:7f00:1`, `64:ff9b:1::`) and site-local ones, which `ipaddress` takes for global.
_UNICAST = ip_network("2000::/3")


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


def is_global(address: str) -> bool:
    """Whether an address is routable over the public internet; embedded IPv4 addresses are judged as what they lead to."""
    return _is_global(ip_address(address.partition("%")[0]))


def is_private_literal(host: str) -> bool:
    """Whether a URL's host spells out an address that is not public; a name is not judged here but by what it resolves to."""
    address = literal(host)
    return address is not None and not is_global(address)


def _is_global(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if not inner and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner:
            return _is_global(inner)
        if address not in _UNICAST:
            return False
    return address.is_global and not address.is_multicast
