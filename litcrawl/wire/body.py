"""One answer while it comes: counted, timed, and made a Response of when it is whole."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import Self

import aiohttp
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings

from litcrawl.coding import undoable
from litcrawl.exceptions import Miss
from litcrawl.items import Spool
from litcrawl.terms import Reason
from litcrawl.wire import ranges
from litcrawl.wire.answer import Answer
from litcrawl.wire.errors import CutShort, translate
from litcrawl.wire.parts import Held, Parts
from litcrawl.wire.response import SpooledResponse
from litcrawl.wire.sink import Sink

_PAGE = 1 << 20  # bytes of a page that comes in a file's place; what it says stands at its beginning
_SLOWEST = 16_000  # bytes a second, on average, of a large body


@dataclass(frozen=True, slots=True)
class Limits:
    """How large and how slow an answer may be."""

    memory: int
    file: int
    answer: int
    seconds: float

    @classmethod
    def of(cls, settings: BaseSettings) -> Self:
        return cls(
            memory=settings.getint("LITCRAWL_STREAM_SIZE"),
            file=settings.getint("LITCRAWL_MAX_FILE_SIZE"),
            answer=settings.getint("DOWNLOAD_MAXSIZE") or sys.maxsize,  # 0: no limit, as Scrapy has it
            seconds=settings.getfloat("DOWNLOAD_TIMEOUT"),
        )


class Reception:
    """One body on its way. `held`: the answer continues (206) or confirms (416) what an earlier try left."""

    def __init__(self, request: Request, answer: Answer, headers: Headers, parts: Parts, limits: Limits, held: Held | None = None):
        self._request, self._answer, self._headers, self._held, self._limits = request, answer, headers, held, limits
        self._name: str | None = request.meta.get("spool") if held or answer.status == 200 else None
        # any host may be asked for files, many at once, and each may refuse with as much as it likes
        answer_cap = min(_PAGE, limits.answer) if request.meta.get("spool") else limits.answer
        self._cap = limits.file if self._name else answer_cap
        self._offset = held.length if held else 0
        self._total: int | None = None  # bytes of the whole file, where announced
        if held:
            self._total = ranges.total_of(held, headers)
        elif request.method != "HEAD":
            self._total = answer.content_length
        self._sink = Sink(parts, self._name, partial(ranges.origin_of, request.url, headers, self._total), limits.memory)

    async def response(self, clock: asyncio.Timeout, address: str | None) -> Response:
        """The whole answer, from `address`; or `CutShort`, `DownloadTimeoutError`, `Miss` (too-large), `StorageError`."""
        try:
            if self._total is not None and self._total > self._cap:
                raise Miss(Reason.TOO_LARGE, f"{self._total} bytes announced")
            if self._held:
                await self._sink.resume(self._held)
            if self._answer.status != 416:
                await self._receive(clock)
            clock.reschedule(None)  # what is left depends on this machine only
            coding = self._headers.get("Content-Encoding")
            undo = undoable(coding, self._request.headers.get("Accept-Encoding")) if coding else None
            return self._respond(*await self._sink.finish(undo, self._cap), address)
        except (asyncio.CancelledError, DownloadTimeoutError, CutShort):  # out of time, or the crawl ends, or the server did
            self._answer.close()
            await self._sink.keep()
            raise
        except Exception:
            self._answer.close()
            await self._sink.drop()
            raise

    async def _receive(self, clock: asyncio.Timeout) -> None:
        try:
            await self._read(clock)
        except TimeoutError as error:  # aiohttp's are ClientErrors as well
            failure = translate(error)
        except (aiohttp.ClientError, OSError) as error:
            # What came before the cut still waits in the reader; without it the offset would differ from try to try.
            self._answer.content.set_exception(None)  # type: ignore[arg-type]
            await self._take(self._answer.content.read_nowait())
            failure = self._cut_short(type(error).__name__)
        else:
            if self._total in (None, self._offset):
                return
            failure = self._cut_short("not the length announced")
        raise failure

    async def _read(self, clock: asyncio.Timeout) -> None:
        """Take all there is; a large body gets more time as long as it is not too slow."""
        end = clock.when() or 0.0
        seconds, memory = self._limits.seconds, self._limits.memory
        large, before = (self._total or 0) > memory, self._offset
        async for chunk in self._answer.content.iter_any():
            await self._take(chunk)
            received = self._offset - before
            if large or (large := received > memory):
                clock.reschedule(end + max(0.0, received / _SLOWEST - seconds))

    async def _take(self, chunk: bytes) -> None:
        self._offset += len(chunk)
        if self._offset > self._cap:
            raise Miss(Reason.TOO_LARGE, f"more than {self._cap} bytes")
        await self._sink.take(chunk)

    def _cut_short(self, why: str) -> CutShort:
        if not self._answer.broken:  # a broken line says nothing of where a file ends
            self._request.meta["received"] = [*self._request.meta.get("received", ()), self._offset]
        return CutShort(f"ended at byte {self._offset} of {self._total or 'an unknown number'} ({why})", self._offset)

    def _respond(self, body: bytes | Spool, undone: bool, address: str | None) -> Response:
        headers, status, flags = self._headers, self._answer.status, []
        if self._held:  # what the middlewares and callbacks see is the whole file
            headers, status, flags = ranges.whole_headers(self._held, self._answer.status, self._headers), 200, ["resumed"]
        if undone:
            for name in ("Content-Encoding", "Content-Length"):
                headers.pop(name, None)
        return respond(self._request, status, headers, body, flags, address)


def respond(request: Request, status: int, headers: Headers, body: bytes | Spool, flags: list[str], address: str | None = None) -> Response:
    """A Response of the class that fits the body."""
    # By the type alone: what Content-Disposition names would be taken for an address, and may be one that cannot be parsed.
    typed = {name: headers[name] or b"" for name in (b"Content-Type", b"Content-Encoding") if name in headers}
    kind = SpooledResponse if isinstance(body, Spool) else responsetypes.from_args(headers=typed, url=request.url, body=body)
    content = {"spool": body} if isinstance(body, Spool) else {"body": body}
    return kind(
        request.url,
        status,
        headers,
        flags=flags,
        ip_address=ip_address(address) if address else None,
        protocol="HTTP/1.1",
        **content,
    )
