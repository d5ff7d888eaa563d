"""`publications`: merged metadata records for a list or a stream of DOIs."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from litcrawl import names
from litcrawl import ticket as tickets
from litcrawl.arguments import Arguments
from litcrawl.beside import read_beside
from litcrawl.ending import end
from litcrawl.exceptions import Malformed
from litcrawl.ids import Ids
from litcrawl.middlewares.outage import Outage
from litcrawl.middlewares.pacing import PacingMiddleware
from litcrawl.publications import answering, events
from litcrawl.publications.address import Address, security
from litcrawl.publications.answering import EVENT, RETRY
from litcrawl.publications.arguments import PublicationArguments, again
from litcrawl.publications.calling import CallingSpider
from litcrawl.publications.delivery import Delivery, Parcel
from litcrawl.publications.following import Following
from litcrawl.publications.item import Publication, Status
from litcrawl.publications.merging import Rules
from litcrawl.publications.reading import Stored
from litcrawl.publications.sinks import EventSink, JsonLinesSink
from litcrawl.resolver import origins
from litcrawl.source import Source
from litcrawl.sources import built
from litcrawl.spiders.resolving import Output
from litcrawl.store import Store
from litcrawl.terms import Outcome, Reason, Want
from litcrawl.ticket import Ticket
from litcrawl.waiting import Waiting
from litcrawl.window import Window

if TYPE_CHECKING:
    from litcrawl.publications.kafka import KafkaSource

_TICK = 1.0  # seconds after which what waits is looked at, also when no row comes
_LEAK_CHECKS = 30  # ticks without anything under way, and yet with something open
_TOGETHER = 50  # rows that are looked up in the database at once
_DUE_EVERY = 60.0  # seconds between looks for publications that may be asked for again


class PublicationsSpider(CallingSpider):
    """
    Own database, then source after source, many DOIs a call where a source takes them, until the record of each is complete.

    A subclass with `rungs_named` asks those sources alone.
    """

    name = "publications"
    rungs_named: ClassVar[tuple[type[Source], ...]] = ()

    options: PublicationArguments
    arguments: Arguments
    run: str
    started: str
    rules: Rules
    window: Window
    following: Following
    origins: Mapping[str, Mapping[str, str | None]]
    """How `source_id` names each source."""
    early: set[str]
    """Those that are on their way out without a source asked, as it is not time yet."""
    delivery: Delivery
    stream: KafkaSource | None
    taken: int
    """How many rows were taken in."""

    @classmethod
    def prepare(cls, settings: BaseSettings, given: Mapping[str, Any]) -> PublicationArguments:
        """The arguments, checked, with the database ready. Raises `BadArgument`."""
        return PublicationArguments.parse(settings, given, tuple(source.name for source in cls.rungs_named))

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, prepared: PublicationArguments | None = None, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler)
        settings = crawler.settings
        options = prepared if isinstance(prepared, PublicationArguments) else cls.prepare(settings, kwargs)
        spider.options, spider.arguments, spider.started = options, options.common, tickets.now()
        spider.run = names.run(cls.name, kwargs.get("_job"))
        spider.resolvers = options.common.sources
        spider.rungs = built(settings, spider.resolvers, scope=(Want.METADATA, *options.follow))
        spider.rules = Rules.from_settings(settings)
        spider.waiting, spider.window = Waiting(), Window(settings.getint("LITCRAWL_OPEN_ARTICLES"))
        spider.answered, spider.well, spider.refusing = set(), set(), set()
        spider.refused, spider.refusals = set(), Counter()
        spider.early, spider.asked = set(), Counter()
        spider.taken, spider.reading, spider.unhurried = 0, True, options.common.rows.size is not None
        spider.following = Following(options.follow, options.depth, options.max_follow)
        spider.origins = origins(spider.rungs)
        spider.stream, spider.delivery = spider._ends(Store.from_settings(settings))
        return spider

    def _ends(self, store: Store) -> tuple[KafkaSource | None, Delivery]:
        """Where events come from, if they do, and the way out of publications."""
        where, stream, settings = self.options.events, self.options.stream, self.settings
        source, sink = None, None
        if stream is not None or isinstance(where, Address):
            from litcrawl.publications.kafka import KafkaSink, KafkaSource  # takes a while to load, and may not be installed

            source = KafkaSource(stream, security(settings)) if stream is not None else None
            sink = KafkaSink(where, security(settings)) if isinstance(where, Address) else None
        out: EventSink = sink or JsonLinesSink(where if isinstance(where, Path) else store.out / "runs" / self.run / "events.jsonl")
        return source, Delivery(self.options.database, out, source, again=again(settings), unasked=where is not None)

    # the list

    async def start(self) -> AsyncIterator[Any]:
        """Take in the rows, as many publications at a time as may be open; end when the last of them is stored."""
        pacing = self.crawler.get_downloader_middleware(PacingMiddleware)
        assert pacing is not None
        self.pacing, self.outage, self.looked = pacing, Outage(pacing.closed_hosts), float("-inf")
        part, parts = self.arguments.shard
        rows: list[dict[str, Any]] = []
        async with aclosing(self._read()) as read:
            async for row in read:
                if row is not None and row["row"] % parts == part:
                    rows.append(_with_event(row))
                    self.taken += 1
                    self.crawler.stats.inc_value("litcrawl/rows")
                full = self.taken == self.arguments.limit
                if full or row is None or len(rows) >= _TOGETHER:
                    async for output in self._admit(rows):
                        yield output
                    rows = []
                    async for output in self._again():
                        yield output
                if row is None:
                    async for output in self._behind():
                        yield output
                if full or self._ending:
                    break
        self.reading = False
        async for output in self._admit(rows):
            yield output
        idle = 0
        while not self._ending:
            async for output in self._behind():
                yield output
            if not (self.window or self.waiting or self.following):
                return
            freed = await self.window.freed(_TICK)
            idle = 0 if freed or self.asked.total() or self.waiting or self.delivery.pending else idle + 1
            if idle > _LEAK_CHECKS:  # a leak must not hang the crawl
                self.crawler.stats.inc_value("litcrawl/bugs")
                self.logger.error("no word on %d open publications, a bug: %s", len(self.window), ", ".join(self.window.places))
                return
            for output in self.flush_waiting():
                yield output

    def _read(self) -> AsyncGenerator[dict[str, Any] | None]:
        if self.stream is not None:
            return self.stream.rows(every=_TICK, idle=self.options.idle)
        return read_beside(self.arguments.rows.rows(), every=_TICK)

    async def _admit(self, rows: Sequence[dict[str, Any]], rank: int = EVENT) -> AsyncIterator[Output]:
        """Open a publication for each row, or give the row to the one that is open already."""
        if self.unhurried and rows:  # rows of a list come in together, and so share their calls
            async for output in self._room(len(rows)):
                yield output
        dois = [row["ids"].doi for row in rows if row["ids"] is not None and row["ids"].doi]
        stale = {doi for doi in dois if doi in self.window.places}  # of those the database will know more when they are closed
        known = await self._stored(dois)
        for row in rows:
            doi = row["ids"].doi if row["ids"] is not None else None
            if doi is None:
                yield answering.nameless(row, self.run)
                continue
            while (place := self.window.places.get(doi)) and place.leaving and not self._ending:
                await self.window.freed(_TICK)
            if place and rank != EVENT:  # it is asked for anyway
                continue
            if place:
                self.crawler.stats.inc_value("litcrawl/duplicates")
                self.window.join(doi, row, row["ids"])
                continue
            async for output in self._room():
                yield output
            if doi in stale:
                known |= await self._stored([doi])
            stale.add(doi)
            for output in self._open(doi, known.get(doi), [row] if rank == EVENT else [], rank):
                yield output
        for output in self.flush_waiting():
            yield output

    def _open(self, doi: str, stored: Stored | None, rows: Sequence[dict[str, Any]], rank: int) -> Iterator[Output]:
        self.window.open(doi, Ids(doi=doi), rows)
        refresh = self.arguments.refresh if rank == EVENT else "0"
        if rank == EVENT:
            self.following.listed(doi)
        ticket = answering.ticket(doi, stored, self.resolvers, self.rules, datetime.now(UTC), refresh=refresh, rank=rank)
        yield from self.begin(ticket)

    async def _stored(self, dois: Sequence[str]) -> dict[str, Stored]:
        return await self.delivery.reach(self.options.database.load, dois) if dois else {}

    async def _room(self, wanted: int = 1) -> AsyncIterator[Output]:
        """Wait for places, and while everything fails because a host is away."""
        free = max(0, self.window.most - wanted)
        while not self._ending and len(self.window) > free:
            for output in self.flush_waiting(full=True):
                yield output
            await self.window.freed(_TICK)
        while self.outage.holding and not self._ending:
            if self.outage.expired and self.stream is None:
                end(self.crawler, "outage")
                return
            for output in self.flush_waiting():
                yield output
            await asyncio.sleep(_TICK)
        self.outage.admitted()

    async def _again(self) -> AsyncIterator[Output]:
        """Of a stream, what is due: also while rows come without a pause, a few at a time then."""
        if self.stream is None or time.monotonic() - self.looked < _DUE_EVERY:
            return
        self.looked = time.monotonic()
        room = max(1, self.window.most // 10, self.window.most // 2 - len(self.window))
        due = await self.delivery.reach(self.options.database.due, datetime.now(UTC), room)
        async for output in self._admit(_rows(doi for doi in due if doi not in self.window.places), RETRY):
            yield output

    async def _behind(self) -> AsyncIterator[Output]:
        """What is followed takes at most half of the places, so that no event waits for it."""
        for output in self.flush_waiting():
            yield output
        room = self.window.most // 2 - len(self.window)
        if room <= 0:
            return
        rank, dois = self.following.take(min(room, _TOGETHER))
        async for output in self._admit(_rows(doi for doi in dois if doi not in self.window.places), rank):
            yield output

    # tickets

    def leave(self, ticket: Ticket) -> Iterator[Output]:
        item = answering.publication(ticket, self.origins, self.run)
        self.window.leave(ticket["key"])
        answered = any(one["http"] and Reason(one["reason"]).final and one["at"] >= self.started for one in ticket["tried"])
        asked = any(one["at"] >= self.started for one in ticket["tried"])
        self.outage.ended((Outcome.RETRY if item.status == Status.RETRY else Outcome.COMPLETE) if asked else None, answered)
        self.following.note(item, ticket["rank"])
        if not answering.is_anew(ticket):
            self.early.add(ticket["key"])
        yield item

    def parcel(self, item: Publication) -> Parcel:
        """A publication with the rows that asked for it, to be carried out."""
        key = item.key or ""
        anew = key not in self.early
        self.early.discard(key)

        def delivered(stored: bool) -> None:
            if not stored:
                self.crawler.stats.inc_value("litcrawl/bugs")
            self.window.close(key)

        return Parcel(item=item, anew=anew, rows=self.window.inputs(key), delivered=delivered)

    @property
    def _ending(self) -> bool:
        return bool(self.crawler.stats.get_value("litcrawl/ending"))


def _with_event(row: dict[str, Any]) -> dict[str, Any]:
    """A row of JSON lines whose object is an event brings that."""
    with suppress(Malformed):
        return row | {"ids": Ids(doi=events.about(row["object"])), "event": row["object"]} if "object" in row else row
    return row


def _rows(dois: Iterable[str]) -> list[dict[str, Any]]:
    return [{"ids": Ids(doi=doi)} for doi in dois]
