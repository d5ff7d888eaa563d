"""Where events of found publications go: JSON lines, or a topic of Kafka."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import orjson

from litcrawl.publications import events
from litcrawl.publications.events import Event


class EventSink(Protocol):
    """Takes events for good: `send` returns when they are safe, or raises `SinkDown`."""

    async def send(self, events: Sequence[tuple[str, Event]]) -> None:
        """Take events, each with the DOI that it is about."""

    async def close(self, patience: float) -> None:
        """Take no more; wait no longer than `patience` seconds for the other side."""


class SinkDown(Exception):
    """The other side does not answer for now: `left`, the events that it has not taken, are to be sent again."""

    def __init__(self, message: str, left: Sequence[tuple[str, Event]] = ()) -> None:
        super().__init__(message)
        self.left = left


class JsonLinesSink:
    """A file of events, a line each, with the topic that each would have gone to; more are added at its end."""

    def __init__(self, path: Path) -> None:
        self.path = path

    async def send(self, events_: Sequence[tuple[str, Event]]) -> None:
        lines = b"".join(
            orjson.dumps({"topic": events.topic(event), "key": doi, "event": event}, option=orjson.OPT_APPEND_NEWLINE)
            for doi, event in events_
        )
        try:
            await asyncio.to_thread(self._append, lines)
        except OSError as error:
            raise SinkDown(f"{self.path}: {error.strerror or error}", events_) from error

    async def close(self, patience: float) -> None:
        """Every line is written already."""

    def _append(self, lines: bytes) -> None:
        """Write all of them or none; a line that was cut off, by a kill in mid-write, is ended first."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b", buffering=0) as file:
            length = file.seek(0, os.SEEK_END)
            if length:
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    lines = b"\n" + lines
            try:
                rest = memoryview(lines)
                while rest:
                    rest = rest[file.write(rest) :]
            except OSError:
                file.truncate(length)
                raise
