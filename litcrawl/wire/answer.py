"""Answers of aiohttp that always end and say how; and requests that are sent once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import aiohttp
from aiohttp.connector import Connection

from litcrawl.wire.errors import translate


class Answer(aiohttp.ClientResponse):
    """Knows the address it came from, for a small answer has given its connection back before anybody can ask; and always ends."""

    peer: str | None = None
    lost: asyncio.Future[None] | None = None

    @property
    def broken(self) -> bool:
        """Whether its connection was broken off, by either side's network, rather than closed by the server."""
        return self.lost is not None and self.lost.done() and not self.lost.cancelled() and self.lost.exception() is not None

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        peername = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = peername[0] if peername else None
        await super().start(connection)
        lost = self.lost = connection.protocol.closed if connection.protocol is not None else None  # an idle protocol is falsy
        if lost is None:
            return self
        lost.remove_done_callback(_looked_at)  # one a connection, however many answers it gives
        lost.add_done_callback(_looked_at)
        if not self.content.is_eof():
            # A malformed chunk makes aiohttp close the connection and tell nobody: the reader would wait until the deadline.
            end = partial(_end, self.content)
            lost.add_done_callback(end)
            self.content.on_eof(partial(_forget, lost, end))
        return self


async def sent_once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """
    One request is one at the server: aiohttp sends a GET again where a kept connection was lost, at once and past all pacing.

    It does so for its own errors alone (https://docs.aiohttp.org/en/stable/client_advanced.html#client-middleware); ours go straight up.
    """
    try:
        return await handler(request)
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        failure = translate(error)
    raise failure


def _looked_at(lost: asyncio.Future[None]) -> None:
    """How an idle connection ends concerns nobody; asyncio logs an error that is never looked at."""
    if not lost.cancelled():
        lost.exception()


def _end(content: aiohttp.StreamReader, lost: asyncio.Future[None]) -> None:
    if not content.is_eof() and content.exception() is None:
        content.set_exception(aiohttp.ClientPayloadError("malformed body"))


def _forget(lost: asyncio.Future[None], end: Callable[[asyncio.Future[None]], None]) -> None:
    lost.remove_done_callback(end)  # the connection may serve thousands of further answers
