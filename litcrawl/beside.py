"""Reading a list beside the crawl: it may be a slow disk, or a pipe that says nothing for hours."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from threading import Semaphore, Thread
from typing import Generic, TypeVar

T = TypeVar("T")

AHEAD = 200
"""Rows that are read before they are needed."""


async def read_beside(rows: Iterable[T], *, every: float | None = None) -> AsyncGenerator[T | None]:
    """The rows, each as soon as it has come, read in a thread; None for every `every` seconds without one."""
    reader = _Reader(rows)
    reader.start()
    try:
        while True:
            try:
                async with asyncio.timeout(every):
                    if not await reader.has_more():
                        return
            except TimeoutError:
                yield None
                continue
            yield reader.take()
    finally:
        reader.stop()


class _Reader(Thread, Generic[T]):
    """
    Reads a little ahead.

    A daemon, unlike the event loop's own threads: those are waited for, and a silent pipe would keep the process.
    """

    def __init__(self, rows: Iterable[T]) -> None:
        super().__init__(name="list", daemon=True)
        self._rows = rows
        self._ready: deque[T] = deque()
        self._room = Semaphore(AHEAD)
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._waiting = self._ended = self._stopped = False
        self._error: Exception | None = None

    def run(self) -> None:
        try:
            for row in self._rows:
                self._ready.append(row)
                self._wake()
                self._room.acquire()
                if self._stopped:
                    return
        except Exception as error:  # noqa: BLE001 - raised where the row is waited for
            self._error = error
        self._ended = True
        self._wake()

    async def has_more(self) -> bool:
        """Wait for a row; False at the end. Raises what reading raised."""
        while not self._ready and not self._ended:
            self._came.clear()
            self._waiting = True
            if not self._ready and not self._ended:  # it may have come before we said that we wait
                await self._came.wait()
        if not self._ready and self._error is not None:
            raise self._error
        return bool(self._ready)

    def take(self) -> T:
        self._room.release()
        return self._ready.popleft()

    def stop(self) -> None:
        """Read no further."""
        self._stopped = True
        self._room.release()

    def _wake(self) -> None:
        if self._waiting:
            self._waiting = False
            with suppress(RuntimeError):  # the crawl has ended meanwhile
                self._loop.call_soon_threadsafe(self._came.set)
