"""Connections that may end at public addresses only: for hosts that a stranger's redirect named."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from aiohttp import ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult

# Addresses that stand for an IPv4 address behind a gateway: RFC 6052 (NAT64), RFC 3056 (6to4).
_NAT64 = ip_network("64:ff9b::/96")


class NotGlobal(OSError):
    """A host name led to no public address."""


def is_global(address: str) -> bool:
    """Whether a literal address is routable over the public internet; embedded IPv4 addresses are judged as what they lead to."""
    return _is_global(ip_address(address.partition("%")[0]))


def is_private_literal(host: str) -> bool:
    """Whether a URL's host is an address, and not a public one; a name is not judged here but by what it resolves to."""
    try:
        return not _is_global(ip_address(host))
    except ValueError:
        return False


def _is_global(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if not inner and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner:
            return _is_global(inner)
    return address.is_global and not address.is_multicast


class GlobalResolver(AbstractResolver):
    """A resolver that knows public addresses only, so that a connector cannot connect to another one."""

    def __init__(self) -> None:
        self._resolver = ThreadedResolver()

    async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET) -> list[ResolveResult]:
        found = [each for each in await self._resolver.resolve(host, port, family) if is_global(each["host"])]
        if not found:
            raise NotGlobal(f"{host} leads to an address that is not public")
        return found

    async def close(self) -> None:
        await self._resolver.close()
