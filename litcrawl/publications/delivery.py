"""What becomes of a publication: into the database, then its events out, then its messages acknowledged; many at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from sqlalchemy.exc import SQLAlchemyError

from litcrawl.publications import events
from litcrawl.publications.away import is_away
from litcrawl.publications.database import Database, Row
from litcrawl.publications.events import Event
from litcrawl.publications.item import Publication, Status
from litcrawl.publications.reading import digest
from litcrawl.publications.sinks import EventSink, SinkDown

logger = logging.getLogger(__name__)

AT_ONCE = 500
_PAUSE, _LONGEST = 0.5, 10.0  # seconds: the first and the longest wait for a database or a broker that is away


class EventSource(Protocol):
    """Where rows come from that have receipts."""

    async def acknowledge(self, receipts: Iterable[Any]) -> None:
        """The rows of these receipts are answered."""

    async def refuse(self, row: Mapping[str, Any], reason: str) -> None:
        """A row can never be answered: keep it where somebody finds it, and acknowledge it."""


@dataclass(kw_only=True, slots=True)
class Parcel:
    """
    A publication, the rows that asked for it, and who is to be told when all is done.

    `anew`: whether a source was asked; else the database knows when one is to be.
    """

    item: Publication
    anew: bool = True
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
        source: EventSource | None = None,
        *,
        again: tuple[float, float],
        unasked: bool = False,
    ) -> None:
        """
        `again`: seconds after which what was not found is asked for again: where a source has not answered, and where all have.

        `unasked`: events go out also for rows that brought none.
        """
        self._database, self._sink, self._source = database, sink, source
        self._again, self._unasked = again, unasked
        self._queue: asyncio.Queue[Parcel | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.pending = 0

    def start(self, died: Callable[[], None] = lambda: None) -> None:
        """Begin to carry; `died` is called should that ever fail, as nothing would be stored any more."""

        def ended(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and (error := task.exception()) is not None:
                logger.error("nothing is stored any more, a bug", exc_info=error)
                died()

        self._task = asyncio.get_running_loop().create_task(self._run())
        self._task.add_done_callback(ended)

    def put(self, parcel: Parcel) -> None:
        """Take a publication."""
        self.pending += 1
        self._queue.put_nowait(parcel)

    async def close(self, patience: float) -> None:
        """Carry out what was taken; give up after `patience` seconds in all: what is not acknowledged comes again."""
        if self._task is None:
            return
        ends = time.monotonic() + patience
        self._queue.put_nowait(None)
        _, left = await asyncio.wait([self._task], timeout=patience)
        if left:
            self._task.cancel()
            logger.error("%d publications could not be stored or sent when the crawl ended", self.pending)
        if self._sink is not None:
            await self._sink.close(max(_PAUSE, ends - time.monotonic()))

    async def _run(self) -> None:
        while True:
            parcels = [await self._queue.get()]
            while len(parcels) < AT_ONCE and not self._queue.empty():
                parcels.append(self._queue.get_nowait())
            await self._carry([one for one in parcels if one is not None])
            if None in parcels:
                return

    async def _carry(self, parcels: Sequence[Parcel]) -> None:
        """Carry them out; the one that cannot be is found by halving, and keeps back no other."""
        if not parcels:
            return
        try:
            await self._deliver(parcels, datetime.now(UTC))
        except Exception as error:  # noqa: BLE001 - whatever it is: what comes behind must not hang on it
            if len(parcels) == 1:
                await self._give_up(parcels[0], error)
                return
            half = len(parcels) // 2
            await self._carry(parcels[:half])
            await self._carry(parcels[half:])
            return
        for parcel in parcels:
            self.pending -= 1
            parcel.delivered(True)

    async def _deliver(self, parcels: Sequence[Parcel], now: datetime) -> None:
        await self.reach(self._database.save, [self._row(one, now) for one in parcels if one.item.doi is not None], now)
        found = [one for one in parcels if one.item.status.found]
        waited = await self._waiting([one.item for one in found]) if self._sink is not None else {}
        out = [pair for parcel in found for pair in self._events(parcel, waited)]
        if out and self._sink is not None:
            await self._send(self._sink, out)
        if waited:
            await self.reach(self._database.sent, list(waited))
        if self._source is not None:
            await self._source.acknowledge([row["receipt"] for parcel in parcels for row in parcel.rows if "receipt" in row])

    async def _send(self, sink: EventSink, out: Sequence[tuple[str, Event]]) -> None:
        """Send events; again only those that were not taken."""

        async def some() -> None:
            nonlocal out
            try:
                await sink.send(out)
            except SinkDown as down:
                out = down.left
                raise

        await self._until_well(some)

    async def _give_up(self, parcel: Parcel, error: Exception) -> None:
        """A publication that is refused is a bug, and named; its messages must not keep back those behind them for ever."""
        logger.error("%s cannot be stored", parcel.item.doi, exc_info=error)
        for row in parcel.rows:
            if self._source is not None and "receipt" in row:
                await self._source.refuse(row, f"its publication cannot be stored: {_line(error)}")
        self.pending -= 1
        parcel.delivered(False)

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
            events=[row["event"] for row in parcel.rows if "event" in row] if next_try else [],
            anew=parcel.anew,
        )

    def _events(self, parcel: Parcel, waited: Mapping[tuple[str, str], Event]) -> list[tuple[str, Event]]:
        """An event for each that waited and each row that brought another, and where that is wanted for the other rows."""
        item = parcel.item
        doi = item.doi or ""
        out = [event for (about, _), event in waited.items() if about == doi]
        for row in parcel.rows:
            if "event" not in row:
                out += [events.fresh(doi, item.at or "")] if self._unasked else []
            elif (doi, digest(row["event"])) not in waited:
                out.append(row["event"])
        return [(doi, events.linked(event, item.record)) for event in out]

    async def _waiting(self, items: Sequence[Publication]) -> dict[tuple[str, str], Event]:
        """Events of earlier days that waited for publications which are found by now, to be sent, by DOI and digest."""
        if not (self._source is not None or self._unasked):  # where events go to lines of one run alone, they wait for another
            return {}
        waiting = await self.reach(self._database.waiting_events, [one.doi for one in items]) if items else {}
        return {(doi, name): event for doi, some in waiting.items() for name, event in some.items()}

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
            except (SQLAlchemyError, SinkDown) as error:
                if not isinstance(error, SinkDown) and not is_away(error):
                    raise
                logger.warning("%s: waiting", _line(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST)


def _line(error: Exception) -> str:
    """An error's own words, without the statement that a database's comes with."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
