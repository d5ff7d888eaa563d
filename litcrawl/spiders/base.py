"""`LadderSpider`: walks each article of a list down a ladder of sources; one article is one chain of Requests."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any, ClassVar, Self, TypeAlias

import scrapy
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from litcrawl import ids as identifiers
from litcrawl import ladder, names, resuming, verdict
from litcrawl import ticket as tickets
from litcrawl.arguments import Arguments, choose_sources
from litcrawl.checks import check_output
from litcrawl.ending import end
from litcrawl.exceptions import BadArgument, Miss, StorageError
from litcrawl.failures import reason_of
from litcrawl.ids import Ids
from litcrawl.items import Article, Blob, File
from litcrawl.middlewares.outage import Outage
from litcrawl.middlewares.pacing import PacingMiddleware
from litcrawl.source import Finding, Found, Source
from litcrawl.sources import default_sources, known_sources
from litcrawl.store import Store
from litcrawl.terms import Outcome, Reason
from litcrawl.ticket import Plan, Ticket
from litcrawl.window import Window
from litcrawl.wire.response import SpooledResponse

Output: TypeAlias = Request | Blob | Article

_BATCH = 100  # rows read at a time, in a thread: a list may be a slow pipe
_OUTAGE_CHECK = 1.0  # seconds
_LEAK_CHECK = 30.0  # seconds without a freed place after which a leak is looked for


class LadderSpider(scrapy.Spider):
    """
    The engine of `fetch` and of every file source's own spider.

    A subclass with `rungs_named` has that ladder; without, the ladder is `LITCRAWL_SOURCES`. What is open is plain data:
    tickets in `cb_kwargs`, and in `window` the rows that named each article.
    """

    rungs_named: ClassVar[tuple[type[Source], ...]] = ()

    arguments: Arguments
    run: str
    rungs: Mapping[str, Source]
    window: Window
    store: Store
    outage: Outage

    @classmethod
    def prepare(cls, settings: BaseSettings, given: Mapping[str, Any]) -> Arguments:
        """
        The arguments, checked: all that a user can get wrong is found here, before the first request.

        Raises `BadArgument`.
        """
        check_output(settings, given)
        arguments = Arguments.parse(given, fixed_sources=bool(cls.rungs_named))
        known = known_sources(settings)
        if cls.rungs_named:
            chosen = [source.name for source in cls.rungs_named]
        else:
            chosen = choose_sources(default_sources(settings), arguments.sources, known)
        offered = frozenset().union(*(known[name].offers for name in chosen))
        unknown = [want for want in arguments.want if want not in offered]
        if unknown and arguments.want_given:
            raise BadArgument(
                f"want: no source of this run offers {', '.join(unknown)}; {', '.join(chosen)} offer {', '.join(sorted(offered))}"
            )
        want = tuple(want for want in arguments.want if want in offered) if cls.rungs_named else arguments.want
        Store.from_settings(settings).prepare()
        return replace(arguments, sources=tuple(chosen), want=want)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, prepared: Arguments | None = None, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler)
        settings = crawler.settings
        spider.arguments = prepared if isinstance(prepared, Arguments) else cls.prepare(settings, kwargs)
        job = names.file_name(str(kwargs.get("_job") or secrets.token_hex(2)))  # a part of the run folder's name
        spider.run = f"{cls.name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{job}"
        known = known_sources(settings)
        spider.rungs = {name: known[name](settings) for name in spider.arguments.sources}
        spider.window = Window(settings.getint("LITCRAWL_OPEN_ARTICLES"))
        spider.store = Store.from_settings(settings)
        crawler.signals.connect(spider._last_word, signal=signals.item_scraped)
        crawler.signals.connect(spider._last_word, signal=signals.item_dropped)
        crawler.signals.connect(spider._last_word, signal=signals.item_error)
        crawler.signals.connect(spider.store.close, signal=signals.spider_closed)
        return spider

    # the list

    async def start(self) -> AsyncIterator[Any]:
        """Admit the rows of the list, as many articles at a time as may be open."""
        pacing = self.crawler.get_downloader_middleware(PacingMiddleware)
        assert pacing is not None
        self.outage = Outage(pacing.closed_hosts)
        part, parts = self.arguments.shard
        rows = iter(self.arguments.rows.rows())
        admitted = 0
        while batch := await asyncio.to_thread(lambda: list(islice(rows, _BATCH))):
            for row in batch:
                if row["row"] % parts != part:
                    continue
                if self.crawler.stats.get_value("litcrawl/ending"):
                    return
                self.crawler.stats.inc_value("litcrawl/rows")
                while not await self.window.place(_LEAK_CHECK):
                    self._free_lost_places()
                if not await self._host_answers():
                    end(self.crawler, "outage")
                    return
                before = len(self.window)
                for output in self.admit(row):
                    yield output
                admitted += len(self.window) > before
                if self.arguments.limit and admitted >= self.arguments.limit:
                    return

    def admit(self, row: Mapping[str, Any]) -> Iterator[Output]:
        """Open the article that a row names, or give the row to the article that is open already."""
        given = {name: row[name] for name in _INPUT}
        if row["ids"] is None:
            yield Article(
                key=None,
                path=None,
                inputs=[given],
                ids=Ids().as_dict(),
                outcome=Outcome.INVALID,
                reason=row["reason"],
                run=self.run,
                at=tickets.now(),
            )
            return
        ids: Ids = row["ids"]
        if (key := self.window.key_of(ids)) is not None:
            self.crawler.stats.inc_value("litcrawl/duplicates")
            self.window.join(key, given)
            return
        found = self.store.find(ids)
        key = found.article["key"] if found.article else identifiers.key(ids)
        if key in self.window.inputs:
            self.crawler.stats.inc_value("litcrawl/duplicates")
            self.window.join(key, given)
            return
        earlier = found.article["inputs"] if found.article and found.article["run"] == self.run else []
        if earlier:
            self.crawler.stats.inc_value("litcrawl/duplicates")
        self.window.open(key, ids, [*earlier, given])
        ticket = tickets.new(
            key,
            names.folder(key),
            ids,
            want=self.arguments.want,
            rungs=self.rungs,
            versions=self._versions(key),
            exhaustive=self.arguments.exhaustive,
            licences=self.settings.getlist("LITCRAWL_LICENCES"),
        ) | {"conflicts": list(row["conflicts"]), "also": found.also}
        if found.article is None:
            yield from self.advance(ticket)
            return
        refresh = "0" if earlier else self.arguments.refresh
        ticket = resuming.resume(ticket, found.article, self.rungs, held=found.held, refresh=refresh)
        if earlier:  # asked in this run already: only versions that no row had named before are news
            ticket["rungs"] = [name for name in ticket["rungs"] if name in ticket["wider"]]
        if ticket["rungs"]:
            ticket["captions"] = self.store.captions(found)
        yield from self.advance(ticket, whole=not ticket["rungs"])

    # the ladder

    def advance(self, ticket: Ticket, *, whole: bool = False) -> Iterator[Output]:
        """Yield the ticket's next Request, or its Article when nothing is left to try."""
        ticket, step = ladder.next_step(ticket, self.rungs)
        if step is None:
            versions = self._versions(ticket["key"])
            if set(versions) <= set(ticket["versions"]):
                yield verdict.article(ticket, self.window.inputs.get(ticket["key"], []), self.rungs, self.run, whole=whole)
                return
            yield from self.advance(resuming.widen(ticket, versions, self.rungs))  # a row that joined meanwhile asks for more
            return
        request = self.rungs[step["source"]].request(step, ticket["key"])
        yield request.replace(callback=self.on_response, errback=self.on_failure, cb_kwargs={"ticket": ticket, "step": step})

    def on_response(self, response: Response, ticket: Ticket, step: Plan) -> Iterator[Output]:
        source = self.rungs[step["source"]]
        findings: list[Finding] = []
        reason = Reason.OK
        try:
            findings = list(source.read(step, response, tickets.question(ticket)))
            if any(isinstance(one, Found) and not ladder.passes(ticket, one.file) for one in findings):
                findings, reason = [], Reason.LICENCE
        except Miss as miss:  # the source or the proof says why not
            reason = miss.reason
            if isinstance(response, SpooledResponse):  # what was refused is not to be gone on with
                self.store.discard(response.spool)
            self.logger.debug("%s: %s of %s: %s", ticket["key"], step["step"], step["source"], miss)
        except Exception:  # a bad payload costs one rung, never the article
            self.logger.exception("%s could not read %s", step["source"], response.url)
            findings, reason = [], Reason.ERROR
        meta = response.request.meta if response.request else {}
        recorded = ladder.record(
            ticket, step, findings, reason, http=response.status, tries=meta.get("tries", 1), final_url=response.url, seconds=_seconds(meta)
        )
        yield from self._blobs(findings, ticket, recorded)
        yield from self.advance(recorded)

    def on_failure(self, failure: Failure) -> Iterator[Output]:
        request = failure.request  # type: ignore[attr-defined]
        ticket, step = request.cb_kwargs["ticket"], request.cb_kwargs["step"]
        reason = reason_of(failure)
        self.logger.debug("%s: %s of %s: %s (%s)", ticket["key"], step["step"], step["source"], reason, failure.value)
        if isinstance(failure.value, StorageError):
            end(self.crawler, "disk")
        meta = request.meta
        recorded = ladder.record(ticket, step, [], reason, tries=meta.get("tries", 1), final_url=request.url, seconds=_seconds(meta))
        yield from self.advance(recorded)

    def _blobs(self, findings: Iterable[Finding], before: Ticket, ticket: Ticket) -> Iterator[Blob]:
        """The files that a step brought, each with its place and the article so far; bytes that are in hand are not written again."""
        fresh = [one for one in ticket["got"] if one not in before["got"] and one not in before["stale"]]
        for found in findings:
            if not isinstance(found, Found):
                continue
            place = next((one for one in fresh if one["uri"] == found.file.uri and one["sha256"] == found.file.sha256), None)
            if place is None:
                self.store.discard(found.content.spool)
                continue
            draft = verdict.article(ticket, self.window.inputs.get(ticket["key"], []), self.rungs, self.run, draft=True)
            yield Blob(file=File.from_dict(place), body=found.content.body, spool=found.content.spool, draft=draft)

    # places

    async def _host_answers(self) -> bool:
        """Wait while everything fails because a host is away; False when it has lasted too long."""
        while self.outage.holding:
            if self.outage.expired:
                return False
            await asyncio.sleep(_OUTAGE_CHECK)
        self.outage.admitted()
        return True

    def _versions(self, key: str) -> list[str]:
        """The versions that the rows of an article ask for: those they pin, and what the crawl asks for where they pin none."""
        asked = {row["version"] or self.arguments.versions for row in self.window.inputs.get(key, [])}
        return sorted(str(one) for one in asked) or [self.arguments.versions]

    def _last_word(self, item: Any) -> None:
        if isinstance(item, Article):
            self.window.close(item.key)
            self.outage.ended(item.outcome)

    def _free_lost_places(self) -> None:
        """A leak must not hang the crawl: when nothing is under way and yet no place is freed, say which articles were lost."""
        engine = self.crawler.engine
        if engine is None or engine.scheduler is None or engine.scraper.slot is None:
            return
        if engine.downloader.active or engine.scheduler.has_pending_requests() or not engine.scraper.slot.is_idle():
            return
        lost = list(self.window.inputs)
        self.logger.error("no word on %d open articles, a bug: %s", len(lost), ", ".join(lost))
        for key in lost:
            self.window.close(key)


_INPUT = ("row", "line", "field", "raw", "record_id", "title", "author", "year", "version", "repairs")


def _seconds(meta: Mapping[str, Any]) -> float | None:
    latency = meta.get("download_latency")
    return round(latency, 3) if latency is not None else None
