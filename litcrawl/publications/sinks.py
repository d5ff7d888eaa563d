"""Where events of found publications go: JSON lines, or a topic of Kafka."""

from __future__ import annotations

import asyncio
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

    async def close(self) -> None:
        """Take no more."""


class SinkDown(Exception):
    """The other side does not answer for now: the same events are to be sent again."""


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
            raise SinkDown(f"{self.path}: {error.strerror or error}") from error

    async def close(self) -> None:
        """Every line is written already."""

    def _append(self, lines: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(lines)
