"""What a run did: `runs/<run>/`, the first lines and the last."""

from __future__ import annotations

import json
import logging
from collections import Counter
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from litcrawl import ticket as tickets
from litcrawl.ending import exit_status
from litcrawl.items import Article
from litcrawl.rows import Rows, open_rows
from litcrawl.spiders.base import LadderSpider
from litcrawl.store import Store
from litcrawl.terms import Outcome, Reason

logger = logging.getLogger(__name__)

_WORDS = {
    Outcome.COMPLETE: "complete",
    Outcome.PARTIAL: "partial (something wanted is not to be had)",
    Outcome.ABSENT: "absent (nothing to be had)",
    Outcome.RETRY: "to be asked again",
    Outcome.INVALID: "invalid rows",
}
_LACKS = {
    Reason.NEEDS_ID: "an identifier that a source needs is unknown",
    Reason.NEEDS_KEY: "a key is not set",
    Reason.NEEDS_CONTACT: "LITCRAWL_CONTACT is not set",
    Reason.LICENCE: "LITCRAWL_LICENCES does not allow their licence",
}


class Summary:
    """Counts articles, files and requests; keeps the last word on each row; writes the run's folder at the end."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.requests: Counter[str] = Counter()
        self.not_asked: Counter[str] = Counter()
        self.started = tickets.now()
        self.rows: Rows | None = None
        crawler.signals.connect(self.opened, signal=signals.spider_opened)
        crawler.signals.connect(self.article, signal=signals.item_scraped)
        crawler.signals.connect(self.sent, signal=signals.request_reached_downloader)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not (crawler.spidercls and issubclass(crawler.spidercls, LadderSpider)):
            raise NotConfigured
        return cls(crawler)

    def opened(self, spider: LadderSpider) -> None:
        store = Store.from_settings(self.crawler.settings)
        self.folder = store.out / "runs" / spider.run
        self.rows = Rows(store.parts / f"{spider.run}.rows")
        rows = spider.arguments.rows
        logger.info("List: %s (%s)", rows.name, rows.form)
        for note in rows.notes:
            logger.info("%s", note)
        logger.info("Output: %s", store.out)
        logger.info("Sources: %s; wanted: %s", ", ".join(spider.rungs), ", ".join(spider.arguments.want))
        if not self.crawler.settings.get("LITCRAWL_CONTACT"):
            skipped = [source.name for source in spider.rungs.values() if source.needs_contact]
            logger.warning("LITCRAWL_CONTACT is not set: services cannot reach you; sources skipped: %s", ", ".join(skipped) or "none")

    def sent(self, request: Request) -> None:
        self.requests[urlsplit(request.url).hostname or ""] += 1

    def article(self, item: Any) -> None:
        if not isinstance(item, Article):
            return
        assert self.rows is not None
        self.rows.add(item)
        stats = self.crawler.stats
        stats.inc_value("litcrawl/articles")
        if item.known:
            stats.inc_value("litcrawl/on_disk")
        reasons = {Reason(attempt["reason"]) for attempt in item.attempts}
        for reason in reasons:
            if reason.declined:
                self.not_asked[reason] += 1
        if Reason.ERROR in reasons and item.run == getattr(self.crawler.spider, "run", None):
            stats.inc_value("litcrawl/bugs")

    def closed(self, spider: LadderSpider, reason: str) -> None:
        assert self.rows is not None
        stats = self.crawler.stats
        for article in open_rows(spider.window.inputs, spider.run):
            self.rows.add(article)
        outcomes = self.rows.outcomes()
        for name, n in outcomes.items():
            stats.set_value(f"litcrawl/outcome/{name}", n)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rows.write(self.folder)
        self.rows.close()
        summary = {
            "run": spider.run,
            "spider": spider.name,
            "arguments": dict(spider.arguments.given),
            "started": self.started,
            "ended": tickets.now(),
            "ended_by": reason,
            "status": exit_status(stats.get_stats(), reason),
            "rows": stats.get_value("litcrawl/rows", 0),
            "articles": sum(outcomes.values()) - outcomes[Outcome.INVALID],
            "outcomes": outcomes,
            "files": _under(stats.get_stats(), "litcrawl/files/"),
            "bytes": stats.get_value("litcrawl/bytes", 0),
            "requests": dict(self.requests),
            "not_asked": {str(one): n for one, n in self.not_asked.items()},
        }
        (self.folder / "summary.json").write_text(json.dumps(summary, ensure_ascii=False, indent=1), encoding="utf-8")
        self._last_lines(summary, reason)

    def _last_lines(self, summary: dict[str, Any], reason: str) -> None:
        stats = self.crawler.stats
        told = [f"{n} {_WORDS[Outcome(name)]}" for name, n in summary["outcomes"].items() if n]
        duplicates, on_disk = stats.get_value("litcrawl/duplicates", 0), stats.get_value("litcrawl/on_disk", 0)
        logger.info("Rows: %d read, %d of them duplicates; articles on disk already: %d", summary["rows"], duplicates, on_disk)
        if not summary["rows"]:
            logger.warning("The list holds no rows")
        logger.info("Articles: %s", ", ".join(told) or "none")
        for name, n in summary["not_asked"].items():
            logger.info("Not asked for %d articles: %s (%s)", n, _LACKS[Reason(name)], name)
        logger.info("Word on each row: %s", self.folder / "rows.csv")
        if reason != "finished" or summary["outcomes"][Outcome.RETRY]:
            logger.info("Something is left: run the same command again, or -a ids=%s", self.folder / "again.txt")


def _under(stats: dict[str, Any], prefix: str) -> dict[str, int]:
    return {name.removeprefix(prefix): n for name, n in sorted(stats.items()) if name.startswith(prefix)}
