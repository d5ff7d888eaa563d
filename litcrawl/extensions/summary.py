"""What a run did: `runs/<run>/`, the first lines and the last."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from math import isinf
from time import monotonic
from typing import Any, Self
from urllib.parse import urlsplit

import orjson
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from litcrawl import ticket as tickets
from litcrawl.checks import unknown_settings
from litcrawl.ending import end, exit_status
from litcrawl.estimate import SAMPLE, estimate
from litcrawl.exceptions import StorageError
from litcrawl.items import Article
from litcrawl.middlewares.pacing import PacingMiddleware
from litcrawl.rows import Rows
from litcrawl.spiders.base import LadderSpider
from litcrawl.store import Store
from litcrawl.terms import Outcome, Reason
from litcrawl.unasked import left_open, unread

logger = logging.getLogger(__name__)

_WORDS = {
    Outcome.COMPLETE: "complete",
    Outcome.PARTIAL: "partial (something wanted is not to be had)",
    Outcome.ABSENT: "absent (nothing to be had)",
    Outcome.RETRY: "to be asked again",
    Outcome.INVALID: "invalid (no article named)",
}
_LACKS = {
    Reason.NEEDS_ID: "an identifier that a source needs is unknown",
    Reason.NEEDS_KEY: "a key is not set, or is refused",
    Reason.NEEDS_CONTACT: "LITCRAWL_CONTACT is not set, or a service refused its address",
    Reason.LICENCE: "LITCRAWL_LICENCES does not allow their licence",
}


_ENDED_BY = {"shutdown": "signal"}  # Scrapy's word for SIGINT and SIGTERM
_READING = 5.0  # seconds that an ending run may read on in its list


class Summary:
    """Counts articles, files and requests; keeps the last word on each row; writes the run's folder at the end."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.requests: Counter[str] = Counter()
        self.started = tickets.now()
        self.rows: Rows | None = None
        connect = crawler.signals.connect
        connect(self.opened, signal=signals.spider_opened)
        connect(self.article, signal=signals.item_scraped)
        connect(self.article, signal=signals.item_dropped)
        connect(self.failed, signal=signals.item_error)
        connect(self.sent, signal=signals.request_reached_downloader)
        connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not (crawler.spidercls and issubclass(crawler.spidercls, LadderSpider)):
            raise NotConfigured
        return cls(crawler)

    def opened(self, spider: LadderSpider) -> None:
        store = Store.of(self.crawler)
        self.folder = store.out / "runs" / spider.run
        self.rows = Rows(store.temporary())
        rows = spider.arguments.rows
        logger.info("List: %s (%s)", rows.name, rows.form)
        if (about := estimate(rows)) is not None:
            logger.info("About %d rows, by the first %d and the size of the file", about, SAMPLE)
        for note in rows.notes:
            logger.info("%s", note)
        logger.info("Output: %s", store.out)
        logger.info("Sources: %s; wanted: %s", ", ".join(spider.rungs), ", ".join(spider.arguments.want))
        for line in unknown_settings(self.crawler.settings):
            logger.warning("%s", line)
        if not self.crawler.settings.get("LITCRAWL_CONTACT"):
            skipped = [source.name for source in spider.rungs.values() if source.needs_contact]
            logger.warning("LITCRAWL_CONTACT is not set: services cannot reach you; sources skipped: %s", ", ".join(skipped) or "none")

    def sent(self, request: Request) -> None:
        self.requests[urlsplit(request.url).hostname or ""] += 1

    def article(self, item: Any) -> None:
        if not isinstance(item, Article):
            return
        assert self.rows is not None
        stats = self.crawler.stats
        stats.inc_value("litcrawl/articles")
        if item.known:
            stats.inc_value("litcrawl/duplicates" if self.rows.knows(item.key) else "litcrawl/on_disk")
        try:
            self.rows.add(item)
        except StorageError as error:
            logger.error("%s", error)
            end(self.crawler, "disk")
        if any(attempt["reason"] == Reason.ERROR and attempt["at"] >= self.started for attempt in item.attempts):
            stats.inc_value("litcrawl/bugs")

    def failed(self, item: Any) -> None:
        """A pipeline failed over an item: logged by Scrapy with its traceback; the rows still get a word."""
        self.crawler.stats.inc_value("litcrawl/bugs")
        if isinstance(item, Article):
            item.outcome = Outcome.RETRY
            item.reason = str(Reason.ERROR)
            self.article(item)

    def closed(self, spider: LadderSpider, reason: str) -> None:
        assert self.rows is not None
        ended_by = _ENDED_BY.get(reason, reason)
        whole = self._last_words(spider, self.rows, ended_by)
        stats = self.crawler.stats
        outcomes = self.rows.outcomes()
        for name, n in outcomes.items():
            stats.set_value(f"litcrawl/outcome/{name}", n)
        summary = {
            "run": spider.run,
            "spider": spider.name,
            "arguments": dict(spider.arguments.given),
            "started": self.started,
            "ended": tickets.now(),
            "ended_by": ended_by,
            "status": exit_status(stats.get_stats(), reason),
            "rows": stats.get_value("litcrawl/rows", 0),
            "articles": sum(outcomes.values()) - outcomes[Outcome.INVALID],
            "outcomes": outcomes,
            "files": _under(stats.get_stats(), "litcrawl/files/"),
            "bytes": stats.get_value("litcrawl/bytes", 0),
            "requests": dict(self.requests),
            "not_asked": self.rows.declined(),
        }
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.rows.write(self.folder)
            (self.folder / "summary.json").write_bytes(orjson.dumps(summary, option=orjson.OPT_INDENT_2))
        except (OSError, StorageError) as error:
            logger.error("%s: this run's tables could not be written (%s)", self.folder, error)
            whole = False
        self.rows.close()
        self._last_lines(summary, whole)

    def _last_words(self, spider: LadderSpider, rows: Rows, ended_by: str) -> bool:
        """Words for the rows that have none; whether each row of the list has one then."""
        if ended_by == "finished" and len(spider.window):
            self.crawler.stats.inc_value("litcrawl/bugs")
            logger.error("no word on %d open articles, a bug: %s", len(spider.window), ", ".join(spider.window.places))
        try:
            for key, place in spider.window.places.items():
                rows.add(left_open(key, place, spider.run))
            if ended_by == "finished":
                return True
            end = monotonic() + _READING
            for article in unread(spider.arguments.rows, spider.arguments.shard, spider.taken, spider.run):
                if monotonic() > end:
                    return False
                rows.add(article, only_new=True)
                self.crawler.stats.inc_value("litcrawl/rows")
        except StorageError as error:
            logger.error("%s", error)
            return False
        return spider.arguments.rows.size is not None

    def _closed_hosts(self) -> Mapping[str, tuple[float, str]]:
        pacing = self.crawler.get_downloader_middleware(PacingMiddleware)
        return pacing.closed_hosts() if pacing is not None else {}

    def _last_lines(self, summary: dict[str, Any], whole: bool) -> None:
        stats, outcomes = self.crawler.stats, summary["outcomes"]
        told = [f"{n} {_WORDS[Outcome(name)]}" for name, n in outcomes.items() if n]
        duplicates, on_disk = stats.get_value("litcrawl/duplicates", 0), stats.get_value("litcrawl/on_disk", 0)
        logger.info("Rows: %d read, %d of them duplicates; articles on disk already: %d", summary["rows"], duplicates, on_disk)
        if not summary["rows"]:
            logger.warning("The list holds no rows")
        logger.info("Articles: %s", ", ".join(told) or "none")
        for name, n in summary["not_asked"].items():
            logger.info("Not asked for %d article%s: %s (%s)", n, "" if n == 1 else "s", _LACKS[Reason(name)], name)
        for host, (until, reason) in self._closed_hosts().items():
            logger.info("Closed at the end: %s (%s), %s", host, reason, "for this run" if isinf(until) else f"till {_clock(until)}")
        logger.info("Word on each row: %s", self.folder / "rows.csv")
        if outcomes[Outcome.PARTIAL] or outcomes[Outcome.ABSENT] or outcomes[Outcome.INVALID]:
            logger.info("What is missing, and why: %s", self.folder / "missing.csv")
        if not whole:
            logger.info("Something is left, and not all of the list was read: run the same command again")
        elif summary["ended_by"] != "finished" or outcomes[Outcome.RETRY]:
            logger.info("Something is left: run the same command again, or -a ids=%s", self.folder / "again.txt")


def _clock(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _under(stats: dict[str, Any], prefix: str) -> dict[str, int]:
    return {name.removeprefix(prefix): n for name, n in sorted(stats.items()) if name.startswith(prefix)}
