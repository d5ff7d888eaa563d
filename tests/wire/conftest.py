"""Real servers on loopback that say exactly the bytes they are told to, and a transport with small limits."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from ssl import SSLContext

import pytest
from scrapy.settings import Settings

from litcrawl.wire.transport import Transport


class Upstream:
    """A server that answers each request head by calling `answer(head, writer)`; it closes the connection when that raises `Hang up`."""

    def __init__(self, answer):
        self.answer = answer
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.readers: list[asyncio.StreamReader] = []
        self.connections = 0
        self.scheme = "http"
        self._tasks: set[asyncio.Task] = set()

    async def start(self, tls: SSLContext | None = None) -> "Upstream":
        self.scheme = "https" if tls else "http"
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"

    def sent(self, header: str, which: int = -1) -> str | None:
        """A header of a request that came."""
        for line in self.heads[which].decode("latin-1").split("\r\n")[1:]:
            name, _, value = line.partition(": ")
            if name.lower() == header.lower():
                return value
        return None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.readers.append(reader)
        task = asyncio.current_task()
        self._tasks.add(task)
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError, HangUp):
            while True:
                self.heads.append(await reader.readuntil(b"\r\n\r\n"))
                length = int(self.sent("Content-Length") or 0)
                self.bodies.append(await reader.readexactly(length))
                await self.answer(self.heads[-1], writer)
                await writer.drain()
        self._tasks.discard(task)
        writer.close()

    async def stop(self) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class HangUp(Exception):
    """The server closes the connection here."""


def reply(body: bytes = b"", status: str = "200 OK", **headers: str | int | None) -> bytes:
    """An HTTP/1.1 answer; underscores in header names stand for hyphens, None leaves a header out."""
    fields = {"Content_Length": len(body)} | headers
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1") + body


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., Awaitable[Upstream]]]:
    """Start a server: `await serve(b"answer")`, `await serve([first, second, last…])` or `await serve(async_function)`."""
    started: list[Upstream] = []

    async def start(answers, tls: SSLContext | None = None) -> Upstream:
        script = [answers] if isinstance(answers, bytes) else answers

        async def from_script(head: bytes, writer: asyncio.StreamWriter) -> None:
            writer.write(script.pop(0) if len(script) > 1 else script[0])

        upstream = await Upstream(answers if callable(answers) else from_script).start(tls)
        started.append(upstream)
        return upstream

    yield start
    for upstream in started:
        await upstream.stop()


@pytest.fixture
def values(tmp_path: Path) -> dict[str, str | int]:
    """All settings that the wire cannot do without, with small limits."""
    return {
        "LITCRAWL_OUT": str(tmp_path / "out"),
        "LITCRAWL_STREAM_SIZE": 100_000,
        "LITCRAWL_MAX_FILE_SIZE": 10_000_000,
        "LITCRAWL_MIN_FREE": 0,
        "DOWNLOAD_MAXSIZE": 1_000_000,
        "DOWNLOAD_TIMEOUT": 20,
        "CONCURRENT_REQUESTS": 16,
    }


@pytest.fixture
def settings(values: dict[str, str | int]) -> Settings:
    return Settings(values)


@pytest.fixture
async def transport_with(settings: Settings) -> AsyncIterator[Callable[..., Transport]]:
    """A transport with other settings than those above."""
    made: list[Transport] = []

    def make(**changes: int | float) -> Transport:
        settings.update(changes)
        made.append(Transport(settings))
        return made[-1]

    yield make
    for transport in made:
        await transport.close()


@pytest.fixture
def transport(transport_with: Callable[..., Transport]) -> Transport:
    return transport_with()


@pytest.fixture
def parts(tmp_path: Path) -> Callable[[], list[str]]:
    """The names of what lies in `.parts`."""
    return lambda: sorted(path.name for path in (tmp_path / "out" / ".parts").glob("*"))
