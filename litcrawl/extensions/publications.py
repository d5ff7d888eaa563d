"""Words on a crawl for publications: what it begins with, how far it has come, what came of it."""

from __future__ import annotations

import logging
import time
from collections import Counter
from typing import Any, Self
from urllib.parse import urlsplit

import orjson
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from litcrawl import ticket as tickets
from litcrawl.checks import unknown_settings
from litcrawl.ending import exit_status
from litcrawl.publications.item import Publication, Status
from litcrawl.spiders.publications import PublicationsSpider
from litcrawl.store import Store

logger = logging.getLogger(__name__)

_LINE_EVERY = 60.0


class PublicationSummary:
    """Counts publications and requests, says a line a minute, and writes the run's `summary.json` at the end."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.requests: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter(dict.fromkeys(map(str, Status), 0))
        self.told: Counter[str] = Counter()
        self.lacks: Counter[str] = Counter()
        self.nameless = 0
        self.began = time.monotonic()
        self.loop = create_looping_call(self.tell)
        connect = crawler.signals.connect
        connect(self.opened, signal=signals.spider_opened)
        connect(self.publication, signal=signals.item_scraped)
        connect(self.sent, signal=signals.request_reached_downloader)
        connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not (crawler.spidercls and issubclass(crawler.spidercls, PublicationsSpider)):
            raise NotConfigured
        return cls(crawler)

    def opened(self, spider: PublicationsSpider) -> None:
        self.folder = Store.from_settings(self.crawler.settings).out / "runs" / spider.run
        logger.info("List: %s (%s)", spider.arguments.rows.name, spider.arguments.rows.form)
        logger.info("Database: %s", spider.options.database.name)
        logger.info("Sources: own database, %s", ", ".join(spider.resolvers))
        for line in unknown_settings(self.crawler.settings):
            logger.warning("%s", line)
        if not self.crawler.settings.get("LITCRAWL_CONTACT"):
            logger.warning("LITCRAWL_CONTACT is not set: services cannot reach you, and allow less")
        self.loop.start(_LINE_EVERY, now=False)

    def sent(self, request: Request) -> None:
        self.requests[urlsplit(request.url).hostname or ""] += 1

    def publication(self, item: Any) -> None:
        if not isinstance(item, Publication):
            return
        self.statuses[str(item.status)] += 1
        self.nameless += item.doi is None
        self.told.update({one["source"] for one in item.provenance.values()})
        if not item.status.found:
            self.lacks.update(item.missing)
        if any(one["reason"] == "error" for one in item.attempts):
            self.crawler.stats.inc_value("litcrawl/bugs")

    def tell(self) -> None:
        """Show how things stand."""
        done = self.statuses.total()
        spider = self.crawler.spider
        assert isinstance(spider, PublicationsSpider)
        minutes = max(time.monotonic() - self.began, 1e-9) / 60
        logger.info(
            "%d publications done (%.0f a minute); %d open, %d to be stored",
            done,
            done / minutes,
            len(spider.window),
            spider.delivery.pending,
        )

    def closed(self, spider: PublicationsSpider, reason: str) -> None:
        if self.loop.running:
            self.loop.stop()
        stats = self.crawler.stats
        stats.set_value("litcrawl/outcome/retry", self.statuses[str(Status.RETRY)])
        stats.set_value("litcrawl/open", len(spider.window))
        summary = {
            "run": spider.run,
            "spider": spider.name,
            "arguments": dict(spider.arguments.given),
            "started": spider.started,
            "ended": tickets.now(),
            "ended_by": {"shutdown": "signal"}.get(reason, reason),
            "status": exit_status(stats.get_stats(), reason),
            "rows": stats.get_value("litcrawl/rows", 0),
            "duplicates": stats.get_value("litcrawl/duplicates", 0),
            "publications": dict(self.statuses),
            "told": dict(self.told.most_common()),
            "missing": dict(self.lacks.most_common()),
            "open": len(spider.window),
            "requests": dict(self.requests),
        }
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / "summary.json").write_bytes(orjson.dumps(summary, option=orjson.OPT_INDENT_2))
        except OSError as error:
            logger.error("%s: this run's summary could not be written (%s)", self.folder, error)
        logger.info("Rows: %d read, %d of them named a publication that was open", summary["rows"], summary["duplicates"])
        logger.info("Publications: %s", ", ".join(f"{n} {name}" for name, n in self.statuses.items() if n) or "none")
        if self.nameless:
            logger.info("Rows without a DOI: %d; the spider resolve finds those of PMIDs and PMCIDs", self.nameless)
        if self.lacks:
            logger.info("Not found for want of: %s", ", ".join(f"{name} ({n})" for name, n in self.lacks.most_common(5)))
        if summary["open"] or self.statuses[str(Status.RETRY)]:
            logger.info("Something is left: run the same command again")
