"""Where a body goes as it comes: into memory while small, beyond that to disk, in a thread, a megabyte at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from litcrawl import coding
from litcrawl.exceptions import StorageError
from litcrawl.items import Spool
from litcrawl.wire.parts import Held, Origin, Part, Parts

_BLOCK = 1 << 20
_INLINE = 32 << 10  # coded bytes that are undone in the event loop: a thread would cost more

T = TypeVar("T")


class Sink:
    """One body. Without a `name` it stays in memory, whatever its size. Ends in exactly one of `finish`, `keep`, `drop`."""

    def __init__(self, parts: Parts, name: str | None, origin: Callable[[], Origin], memory: int):
        self._parts, self._name, self._origin, self._memory = parts, name, origin, memory
        self._part: Part | None = None
        self._chunks: list[bytes] = []
        self._waiting = 0  # bytes in _chunks
        self._settling = False
        self._visit: asyncio.Future[Any] | None = None

    async def resume(self, held: Held) -> None:
        """Begin with what is held on disk."""
        if self._name:
            await self._on_disk(partial(self._resume, self._name, held))

    async def take(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._waiting += len(chunk)
        if self._name and self._waiting > (_BLOCK if self._part else self._memory):
            await self._on_disk(partial(self._write, self._name, self._emptied()))

    async def finish(self, undo: str | None, cap: int) -> tuple[bytes | Spool, bool]:
        """
        The whole body, and whether its coding (`undo`) was undone.

        A body whose coding cannot be undone is given as it came; one that is longer than `cap` when decoded is a `Miss`.
        """
        self._settling = True
        if self._part is None and not undo:
            return self._emptied(), False
        if self._part is None and self._waiting <= _INLINE:
            return self._settle(undo, cap)
        return await self._on_disk(partial(self._settle, undo, cap))

    async def keep(self) -> None:
        """The body was cut: leave on disk what a later try can go on from."""
        if self._settling:  # too late: the part is closed, decoded, or on its way into memory
            return await self.drop()
        await self._idle()
        if self._name and (self._part or self._waiting):
            await asyncio.to_thread(self._keep, self._name)
        return None

    async def drop(self) -> None:
        """The body is not wanted: leave nothing."""
        await self._idle()
        self._chunks.clear()
        if self._part:
            await asyncio.to_thread(self._part.discard)

    async def _on_disk(self, work: Callable[[], T]) -> T:
        """Run in a thread. A thread cannot be cancelled: `_idle` waits for one that was left alone, for a part has one writer."""
        self._visit = visit = asyncio.ensure_future(asyncio.to_thread(work))
        return await asyncio.shield(visit)

    async def _idle(self) -> None:
        if self._visit:
            await asyncio.wait([self._visit])
            self._visit.exception()  # was raised where it was waited for, or the body is given up

    def _emptied(self) -> bytes:
        body = b"".join(self._chunks)
        self._chunks, self._waiting = [], 0
        return body

    def _resume(self, name: str, held: Held) -> None:
        self._part = self._parts.resume(name, held)

    def _write(self, name: str, block: bytes) -> None:
        if self._part is None:
            origin = self._origin()
            self._part = self._parts.create(name, origin, (origin.total or 0) - len(block))
        self._part.write(block)

    def _keep(self, name: str) -> None:
        try:
            self._write(name, self._emptied())
            if self._part:
                self._part.keep()
        except StorageError:  # the cut itself is what the caller hears of
            if self._part:
                self._part.discard()

    def _settle(self, undo: str | None, cap: int) -> tuple[bytes | Spool, bool]:
        if self._part and self._waiting:
            self._part.write(self._emptied())
        body = self._part or self._emptied()
        undone = False
        if undo:
            with suppress(coding.Undecodable):
                body, undone = self._decoded(body, undo, cap), True
        if isinstance(body, bytes):
            return body, undone
        if body.size <= self._memory:
            return body.take(), undone
        return body.finish(), undone

    def _decoded(self, body: bytes | Part, undo: str, cap: int) -> bytes | Part:
        """The body without its coding; what came is on disk no more when this returns, and still there when it raises."""
        pieces, size, target = [], 0, None
        try:
            for piece in coding.decode([body] if isinstance(body, bytes) else body.blocks(), undo, cap):
                if target:
                    target.write(piece)
                    continue
                pieces.append(piece)
                size += len(piece)
                if self._name and size > self._memory:
                    target = self._parts.create(f"{self._name}.decoded", Origin.unknown())
                    target.write(b"".join(pieces))
        except BaseException:
            if target:
                target.discard()
            raise
        if isinstance(body, Part):
            body.discard()
        return target or b"".join(pieces)
