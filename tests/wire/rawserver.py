"""A server on loopback that says exactly the bytes it is told to."""

import asyncio
from contextlib import suppress
from ssl import SSLContext


class Upstream:
    """A server that answers each request head by calling `answer(head, writer)`; it closes the connection when that raises `HangUp`."""

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
