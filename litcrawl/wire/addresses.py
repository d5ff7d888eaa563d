"""Connections that may end at public addresses only: for hosts that a stranger's redirect named."""

from __future__ import annotations

import socket

from aiohttp import ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult

from litcrawl.wire.hosts import is_global


class NotGlobal(OSError):
    """A host name led to no public address."""


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
