"""What becomes of a publication: into the database, then its events out, then its messages acknowledged; many at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from litcrawl.publications import events
from litcrawl.publications.database import Database, Row
from litcrawl.publications.events import Event
from litcrawl.publications.item import Publication, Status
from litcrawl.publications.sinks import EventSink, SinkDown

logger = logging.getLogger(__name__)

AT_ONCE = 500
_PAUSE, _LONGEST = 0.5, 10.0  # seconds: the first and the longest wait for a database or a broker that is away
_DOWN = (OperationalError, InterfaceError, PoolTimeout)


@dataclass(kw_only=True, slots=True)
class Parcel:
    """A publication, the rows that asked for it, and who is to be told when all is done."""

    item: Publication
    rows: list[dict[str, Any]] = field(default_factory=list)
    delivered: Callable[[bool], None] = lambda stored: None


class Delivery:
    """
    Takes publications and returns at once; a task of its own carries them out.

    What is under way is bounded by the crawl's open places, which are freed by `Parcel.delivered`: a database that is away
    holds the crawl back, and nothing is lost. Nothing is sent that is not stored, nothing acknowledged that is not sent.
    """

    def __init__(
        self,
        database: Database,
        sink: EventSink | None,
        acknowledge: Callable[[Iterable[Any]], Awaitable[None]] | None = None,
        *,
        again: tuple[float, float],
        unasked: bool = False,
    ) -> None:
        """
        `again`: seconds after which what was not found is asked for again: where a source has not answered, and where all have.

        `unasked`: events go out also for rows that brought none.
        """
        self._database, self._sink, self._acknowledge = database, sink, acknowledge
        self._again, self._unasked = again, unasked
        self._queue: asyncio.Queue[Parcel | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.pending = 0

    def start(self) -> None:
        """Begin to carry."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    def put(self, parcel: Parcel) -> None:
        """Take a publication."""
        self.pending += 1
        self._queue.put_nowait(parcel)

    async def close(self, patience: float) -> None:
        """Carry out what was taken; give up after `patience` seconds: what is not acknowledged comes again."""
        if self._task is None:
            return
        self._queue.put_nowait(None)
        _, left = await asyncio.wait([self._task], timeout=patience)
        if left:
            self._task.cancel()
            logger.error("%d publications could not be stored or sent when the crawl ended", self.pending)
        if self._sink is not None:
            await self._sink.close()

    async def _run(self) -> None:
        while True:
            parcels = [await self._queue.get()]
            while len(parcels) < AT_ONCE and not self._queue.empty():
                parcels.append(self._queue.get_nowait())
            await self._carry([one for one in parcels if one is not None])
            if None in parcels:
                return

    async def _carry(self, parcels: Sequence[Parcel]) -> None:
        if not parcels:
            return
        now = datetime.now(UTC)
        stored = await self._store(parcels, now)
        out = [pair for parcel in stored if parcel.item.status.found for pair in self._events(parcel)]
        waited = await self._waiting([one.item for one in stored if one.item.status.found])
        if out or waited:
            await self._until_well(self._send, [*waited, *out])
        if waited:
            await self.reach(self._database.sent, [doi for doi, _ in waited])
        if self._acknowledge is not None:
            await self._acknowledge([row["receipt"] for parcel in stored for row in parcel.rows if "receipt" in row])
        kept = {id(one) for one in stored}
        for parcel in parcels:
            self.pending -= 1
            parcel.delivered(id(parcel) in kept)

    async def _store(self, parcels: Sequence[Parcel], now: datetime) -> list[Parcel]:
        """Store them; those that the database refuses, whole batch or single row, are a bug, and named."""
        named = [one for one in parcels if one.item.doi is not None]
        try:
            await self.reach(self._database.save, [self._row(one, now) for one in named], now)
        except DBAPIError:
            if len(named) == 1:
                logger.exception("%s cannot be stored", named[0].item.doi)
                return [one for one in parcels if one is not named[0]]
            half = len(parcels) // 2
            return [*await self._store(parcels[:half], now), *await self._store(parcels[half:], now)]
        return list(parcels)

    def _row(self, parcel: Parcel, now: datetime) -> Row:
        item = parcel.item
        next_try = None
        if not item.status.found:
            next_try = now + timedelta(seconds=self._again[item.status is not Status.RETRY])
        return Row(
            doi=item.doi or "",
            record=item.record,
            provenance=item.provenance,
            attempts=item.attempts,
            missing=item.missing,
            next_try=next_try,
            events={str(row["event"].get("id")): row["event"] for row in parcel.rows if "event" in row} if next_try else {},
        )

    def _events(self, parcel: Parcel) -> list[tuple[str, Event]]:
        """An event for each row that brought one, and where that is wanted for the others."""
        item = parcel.item
        doi, found = item.doi or "", []
        for row in parcel.rows:
            if "event" in row or self._unasked:
                event = row.get("event") or events.fresh(doi, item.at or "")
                found.append((doi, events.linked(event, item.record)))
        return found

    async def _waiting(self, items: Sequence[Publication]) -> list[tuple[str, Event]]:
        """Events of earlier days that waited for publications which are found by now."""
        if self._acknowledge is None or self._sink is None or not items:
            return []
        waiting = await self.reach(self._database.waiting_events, [one.doi for one in items])
        records = {one.doi: one.record for one in items}
        return [(doi, events.linked(event, records[doi])) for doi, some in waiting.items() for event in some]

    async def _send(self, out: Sequence[tuple[str, Event]]) -> None:
        if self._sink is not None:
            await self._sink.send(out)

    async def reach(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """What a call of the database's gives, in a thread, once it can be reached."""

        async def work(*given: Any) -> Any:
            return await asyncio.to_thread(call, *given)

        return await self._until_well(work, *arguments)

    async def _until_well(self, call: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Wait for a database or a broker that is away: nothing is dropped."""
        pause = _PAUSE
        while True:
            try:
                return await call(*arguments)
            except (*_DOWN, SinkDown) as error:
                logger.warning("%s: waiting", str(getattr(error, "orig", None) or error).strip().partition("\n")[0])
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST)
