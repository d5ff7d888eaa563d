"""`LadderSpider`: walks each article of a list down a ladder of sources; one article is one chain of Requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, ClassVar, Self, TypeAlias

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from litcrawl import ids as identifiers
from litcrawl import ladder, names, resuming, unasked
from litcrawl import ticket as tickets
from litcrawl.arguments import NAMES, Arguments
from litcrawl.beside import read_beside
from litcrawl.ending import end
from litcrawl.exceptions import StorageError
from litcrawl.ids import Ids
from litcrawl.items import Article, Blob, FileItem
from litcrawl.middlewares.outage import IN_A_ROW, Outage
from litcrawl.middlewares.pacing import PacingMiddleware
from litcrawl.publications.merging import Rules
from litcrawl.refusals import Refusals
from litcrawl.source import Source
from litcrawl.sources import built, with_ladder
from litcrawl.spiders.chain import ChainSpider
from litcrawl.store import Kept, Store
from litcrawl.terms import Outcome, Reason, Want
from litcrawl.ticket import Ticket
from litcrawl.waiting import Waiting
from litcrawl.window import Window

Output: TypeAlias = Request | Blob | FileItem | Article

_OUTAGE_CHECK = 1.0  # seconds
_NEXT = ("", "")  # the place of tickets that wait for another article to end
_TICK = 1.0  # seconds after which articles that wait for a call are looked at, also when no row comes
_LEAK_CHECK = 30.0  # seconds without a freed place after which a leak is looked for


class LadderSpider(ChainSpider):
    """
    The engine of `fetch` and of every file source's own spider.

    A subclass with `rungs_named` has that ladder; without, the ladder is `LITCRAWL_SOURCES`. What is open is plain data:
    tickets in `cb_kwargs`, and in `window` the rows that named each article.
    """

    rungs_named: ClassVar[tuple[type[Source], ...]] = ()

    takes: ClassVar[Sequence[str]] = NAMES
    """The arguments that it takes."""
    resolves: ClassVar[str] = "useful"
    """Which further identifiers it seeks: those `useful` to a rung, `all`."""

    outage_after: ClassVar[int] = IN_A_ROW
    """Articles in a row that nobody answers for, after which none is admitted while a host is closed."""

    arguments: Arguments
    run: str
    started: str
    window: Window
    store: Store
    outage: Outage
    rules: Rules | None
    """When an article's metadata is complete; None where it is not wanted."""
    admitted: int
    """How many articles were opened."""
    taken: int
    """The number of the last row of the list that was dealt with."""

    @classmethod
    def prepare(cls, settings: BaseSettings, given: Mapping[str, Any]) -> Arguments:
        """
        The arguments, checked: all that a user can get wrong is found here, before the first request.

        Raises `BadArgument`.
        """
        arguments = Arguments.parse(given, [name for name in cls.takes if not (cls.rungs_named and name == "sources")])
        arguments = with_ladder(arguments, settings, [source.name for source in cls.rungs_named])
        Store.from_settings(settings).prepare()
        return arguments

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, prepared: Arguments | None = None, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler)
        settings = crawler.settings
        spider.arguments = prepared if isinstance(prepared, Arguments) else cls.prepare(settings, kwargs)
        spider.started = tickets.now()
        spider.run = names.run(cls.name, kwargs.get("_job"))
        spider.rungs = built(settings, (*spider.arguments.sources, *spider.arguments.resolvers), scope=spider.arguments.want)
        spider.rules = Rules.from_settings(settings) if Want.METADATA in spider.arguments.want else None
        spider.resolvers, spider.waiting = spider.arguments.resolvers, Waiting()
        spider.answered, spider.well, spider.refusing = set(), set(), set()
        spider.refusals = Refusals()
        spider.admitted = spider.taken = 0
        spider.window = Window(settings.getint("LITCRAWL_OPEN_ARTICLES"))
        spider.store = Store.of(crawler)
        crawler.signals.connect(spider._last_word, signal=signals.item_scraped)
        crawler.signals.connect(spider._last_word, signal=signals.item_dropped)
        crawler.signals.connect(spider._last_word, signal=signals.item_error)
        return spider

    # the list

    async def start(self) -> AsyncIterator[Any]:
        """Admit the rows of the list, as many articles at a time as may be open; end when the last of them is closed."""
        pacing = self.crawler.get_downloader_middleware(PacingMiddleware)
        assert pacing is not None
        self.outage = Outage(pacing.closed_hosts, in_a_row=self.outage_after)
        part, parts = self.arguments.shard
        async with aclosing(read_beside(self.arguments.rows.rows(), every=_TICK)) as rows:
            async for row in rows:
                for output in self.flush():
                    yield output
                if row is None:
                    continue
                if row["row"] % parts == part:
                    async for output in self._room():
                        yield output
                    if self.crawler.stats.get_value("litcrawl/ending"):
                        return
                    self.crawler.stats.inc_value("litcrawl/rows")
                    try:
                        async for output in self.admit(row):
                            yield output
                    except StorageError as error:
                        self._stop_for(error)
                        return
                    if self.admitted == self.arguments.limit:
                        async for output in self._finish():  # rows may prove to name one article: then there is room for more
                            yield output
                        if self.admitted == self.arguments.limit:
                            break
                self.taken = row["row"]
        async for output in self._finish():
            yield output

    async def _finish(self) -> AsyncIterator[Output]:
        """Wait until no article is open."""
        while (self.window or self.waiting) and not self.crawler.stats.get_value("litcrawl/ending"):
            for output in self.flush(all_=True):
                yield output
            if self.window and not await self.window.freed(_LEAK_CHECK if not self.waiting else _TICK):
                for lost in self._lost_places():
                    yield lost

    async def _room(self) -> AsyncIterator[Output]:
        """Wait for a place, and while everything fails because a host is away; what waits in groups is sent meanwhile."""
        while not await self.window.place(_TICK if self.waiting else _LEAK_CHECK):
            for output in self.flush(all_=True) if self.waiting else self._lost_places():
                yield output
        while self.outage.holding:
            if self.outage.expired:
                end(self.crawler, "outage")
                return
            for output in self.flush(all_=True):
                yield output
            await asyncio.sleep(_OUTAGE_CHECK)
        self.outage.admitted()

    async def admit(self, row: Mapping[str, Any]) -> AsyncIterator[Output]:
        """Open the article that a row names, or give the row to the article that is open already."""
        ids: Ids | None = row["ids"]
        if ids is None:
            yield unasked.invalid(row, self.run)
            return
        given = unasked.given(row)
        key, found = self._whose(ids)
        while (place := self.window.places.get(key)) and place.leaving:
            await self.window.freed(_LEAK_CHECK)
            key, found = self._whose(ids)
        earlier = found.article["inputs"] if found.article and found.article["run"] == self.run else []
        if place or earlier:
            self.crawler.stats.inc_value("litcrawl/duplicates")
        else:
            self.admitted += 1
        if place:
            self.window.join(key, given, ids, row["conflicts"])
            return
        known = ids.merge(found.ids)
        self.window.open(key, known, [*earlier, given], row["conflicts"])
        ticket = tickets.new(
            key,
            names.folder(key),
            known,
            want=self.arguments.want,
            rungs=self.arguments.sources,
            versions=self._versions(key),
            exhaustive=self.arguments.exhaustive,
            licences=self.settings.getlist("LITCRAWL_LICENCES"),
            resolve=self.resolves if self.arguments.resolve else "none",
            download=self.arguments.download,
            titles=[row["title"]] if row["title"] else [],
            rules=self.rules,
        ) | {"also": found.also}
        if found.article is not None:
            ticket = self._resumed(ticket, found)
        if "files" in row:
            ticket = ladder.only(ticket, row["files"])
        for output in self.begin(ticket):
            yield output

    def _resumed(self, ticket: Ticket, found: Kept) -> Ticket:
        """The ticket of an article of which disk has something; what this run has asked already it does not ask again."""
        article = found.article
        assert article is not None
        earlier = article["run"] == self.run
        ticket = resuming.resume(ticket, article, self.rungs, held=found.held, refresh="0" if earlier else self.arguments.refresh)
        if earlier:  # only versions and identifiers that no row had named before are news
            ticket["rungs"] = [name for name in ticket["rungs"] if name in ticket["wider"] or tickets.never_asked(ticket, name)]
            ticket["resolve"] = "none"
        if any(attempt["step"] == Want.SUPPLEMENTARY and not Reason(attempt["reason"]).final for attempt in ticket["tried"]):
            ticket["captions"] = self.store.captions(found)
        return ticket | {"made": True, "whole": not ticket["rungs"] and not earlier}

    def leave(self, ticket: Ticket) -> Iterator[Output]:
        """Begin an article's chain: its identifiers are known by now, and so its key, or the article that it proves to be."""
        ticket = self._with_rows(ticket)
        if ticket["asked"]:
            proved = self._proved(ticket)
            if proved is None:
                return
            ticket = proved
        yield from self.advance(ticket, whole=ticket["whole"] and not ticket["asked"])

    def _proved(self, ticket: Ticket) -> Ticket | None:
        """The ticket under the key that its article proves to have; None when another takes its rows, or has to end before."""
        before, ids = ticket["key"], Ids(**ticket["ids"])
        if not ticket["made"] and (other := self.window.key_of(ids, but=before)) is not None:
            if self.window.places[other].leaving:
                self.waiting.add(_NEXT, ticket, len(self.window) + 1)
                return None
            self.crawler.stats.inc_value("litcrawl/duplicates")
            self.admitted -= 1
            self.window.merge(before, other)
            return None
        try:
            found = self.store.find(ids)
        except StorageError as error:
            self._stop_for(error)
            return None
        key = found.article["key"] if found.article else identifiers.key(ids) or before
        if key != before and key in self.window.places:
            self.waiting.add(_NEXT, ticket, len(self.window) + 1)
            return None
        if ticket["made"]:
            if found.article is None or key == before:
                return ticket
            # Another folder is the article's too, and the better one: what is in that is gone on with.
            ticket = ticket | {"rungs": list(self.arguments.sources), "got": [], "stale": [], "before": []}
        self.window.settle(before, key, ids, ticket["conflicts"])
        ticket = ticket | {"key": key, "path": names.folder(key), "also": list(dict.fromkeys([*ticket["also"], *found.also]))}
        if found.article is None:
            return ticket
        if found.article["run"] == self.run:
            self.window.places[key].inputs[:0] = found.article["inputs"]
        return self._resumed(ticket, found)

    def _whose(self, ids: Ids) -> tuple[str, Kept]:
        """The key of the article that these identifiers name, and what disk has of it where it is not open."""
        if (key := self.window.key_of(ids)) is not None:
            return key, Kept()
        found = self.store.find(ids)
        return found.article["key"] if found.article else identifiers.key(ids), found

    # places

    def _stop_for(self, error: StorageError) -> None:
        """End the crawl: without its index articles would be fetched again under other names."""
        self.logger.error("%s", error)
        end(self.crawler, "disk")

    def _last_word(self, item: Any) -> None:
        if not isinstance(item, Article):
            return
        self.window.close(item.key)
        self.outage.ended(None if item.known or item.outcome == Outcome.INVALID else item.outcome, self._answered(item))

    def _answered(self, item: Article) -> bool:
        """Whether somebody answered for an article in this run: then the network is not away."""
        answers = (one for one in item.attempts if one["http"] and one["at"] >= self.started)
        return any(Reason(one["reason"]).final for one in answers)

    def _lost_places(self) -> Iterator[Article]:
        """A leak must not hang the crawl: when nothing is under way and yet no place is freed, say which articles were lost."""
        engine = self.crawler.engine
        if engine is None or engine.scheduler is None or engine.scraper.slot is None:
            return
        if engine.downloader.active or engine.scheduler.has_pending_requests() or not engine.scraper.slot.is_idle():
            return
        self.crawler.stats.inc_value("litcrawl/bugs")
        self.logger.error("no word on %d open articles, a bug: %s", len(self.window), ", ".join(self.window.places))
        for key, place in list(self.window.places.items()):
            yield unasked.left_open(key, place, self.run, "lost by a bug")
