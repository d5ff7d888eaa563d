"""Hosts by their real names, on loopback and over real TLS: what the services of a crawl are asked, and by whom."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp.connector
import trustme
from aiohttp.abc import AbstractResolver
from curl_cffi import CurlOpt
from loopback import Behaviour, Loopback

from litcrawl.wire import impersonation

TLS, PLAIN = 443, 80


class World(Loopback):
    """The hosts, each request noted; and a proxy by which they can be reached."""

    secure_port = 0

    @asynccontextmanager
    async def proxy(self) -> AsyncIterator[Proxy]:
        proxy = Proxy(self)
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
        proxy.port = _port(server)
        try:
            yield proxy
        finally:
            server.close()


@dataclass
class Proxy:
    """Tunnels to any host of the world; `heads` are what it was told."""

    world: World
    port: int = 0
    heads: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
            from_host, to_host = await asyncio.open_connection("127.0.0.1", self.world.secure_port)
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            back = asyncio.create_task(_pump(from_host, writer))
            await _pump(reader, to_host)
            to_host.close()
            await back
        writer.close()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await source.read(65536):
            target.write(data)
            await target.drain()


@asynccontextmanager
async def hosts(monkeypatch: Any, folder: Path, behaviour: Behaviour, *names: str) -> AsyncIterator[World]:
    """
    Every name leads here, whatever it is; those named have certificates. `arrival.host` is the name that was asked for.

    Port 80 speaks plain HTTP, any other TLS.
    """
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(folder / "ca.pem"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*names).configure_cert(context)
    world = World(behaviour)
    secure = await asyncio.start_server(world._serve, "127.0.0.1", 0, ssl=context)
    plain = await asyncio.start_server(world._serve, "127.0.0.1", 0)
    ports = {TLS: _port(secure), PLAIN: _port(plain)}
    world.secure_port = ports[TLS]

    class Resolver(AbstractResolver):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            pass

        async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET) -> list[Any]:
            at = ports.get(port, ports[TLS])
            return [{"hostname": host, "host": "127.0.0.1", "port": at, "family": socket.AF_INET, "proto": 0, "flags": 0}]

        async def close(self) -> None:
            pass

    session = impersonation.AsyncSession

    def local_session(**arguments: Any) -> Any:
        resolved = [f"{name}:{ports[TLS]}:127.0.0.1" for name in names]
        return session(**arguments | {"curl_options": arguments["curl_options"] | {CurlOpt.PORT: ports[TLS], CurlOpt.RESOLVE: resolved}})

    monkeypatch.setattr(aiohttp.connector, "DefaultResolver", Resolver)
    monkeypatch.setattr(impersonation, "AsyncSession", local_session)
    try:
        yield world
    finally:
        secure.close()
        plain.close()


def _port(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port
