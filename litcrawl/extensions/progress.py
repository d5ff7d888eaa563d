"""How far a run has come: a live line on a terminal, else a line a minute."""

from __future__ import annotations

import logging
import sys
import time
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call
from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

from litcrawl.middlewares.pacing import PacingMiddleware
from litcrawl.spiders.base import LadderSpider

logger = logging.getLogger(__name__)

_LINE_EVERY = 60.0
_LIVE_EVERY = 0.5


class Progress:
    """Tells done, rate, rows read, duplicates, what was on disk already, and what each host waits for."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.live = sys.stderr.isatty() and not crawler.settings.get("LOG_FILE")
        self.began = time.monotonic()
        self.bar: Any = None
        self.redirect: Any = None
        self.loop = create_looping_call(self.tell)
        crawler.signals.connect(self.opened, signal=signals.spider_opened)
        crawler.signals.connect(self.closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not (crawler.spidercls and issubclass(crawler.spidercls, LadderSpider)):
            raise NotConfigured
        return cls(crawler)

    def opened(self) -> None:
        if self.live:
            self.redirect = logging_redirect_tqdm()
            self.redirect.__enter__()
            self.bar = tqdm(unit=" articles", dynamic_ncols=True, file=sys.stderr)
        self.loop.start(_LIVE_EVERY if self.live else _LINE_EVERY, now=False)

    def tell(self) -> None:
        """Show how things stand."""
        stats = self.crawler.stats
        said = (
            f"{stats.get_value('litcrawl/rows', 0)} rows read, {stats.get_value('litcrawl/duplicates', 0)} duplicates, "
            f"{stats.get_value('litcrawl/on_disk', 0)} on disk already{self._waits()}"
        )
        done = stats.get_value("litcrawl/articles", 0)
        if self.bar is not None:
            self.bar.set_postfix_str(said, refresh=False)
            self.bar.update(done - self.bar.n)
            return
        minutes = max(time.monotonic() - self.began, 1e-9) / 60
        logger.info("%d articles done (%.0f a minute); %s", done, done / minutes, said)

    def closed(self) -> None:
        if self.loop.running:
            self.loop.stop()
        if self.bar is not None:
            self.tell()
            self.bar.close()
            self.redirect.__exit__(None, None, None)

    def _waits(self) -> str:
        pacing = self.crawler.get_downloader_middleware(PacingMiddleware)
        if pacing is None:
            return ""
        waits = [f"{slot} waits {seconds:.0f} s" for slot, seconds in pacing.waiting().items()]
        closed = [f"{host} is closed ({reason})" for host, (_, reason) in pacing.closed_hosts().items()]
        return "; ".join(["", *waits, *closed])
