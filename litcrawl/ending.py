"""How a crawl ends: early, cleanly, when it has to; and with which exit status."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from scrapy.crawler import Crawler

from litcrawl.exceptions import StorageError

logger = logging.getLogger(__name__)

ANSWERED, BUG, WRONG, LEFT = 0, 1, 2, 3

_ending: set[asyncio.Task[None]] = set()


def end(crawler: Crawler, reason: str) -> None:
    """Close the spider with `reason`, which becomes `ended_by`; the first reason stands. `CloseSpider` is not heard in a pipeline."""
    engine = crawler.engine
    if engine is None or crawler.stats.get_value("litcrawl/ending"):
        return
    crawler.stats.set_value("litcrawl/ending", reason)
    task = asyncio.get_running_loop().create_task(engine.close_spider_async(reason=reason))
    _ending.add(task)  # the loop itself keeps only weak references
    task.add_done_callback(_ending.discard)


def end_when_full(crawler: Crawler, error: StorageError) -> None:
    """End the crawl, with one line, when it is the disk that takes no more."""
    if error.full:
        if not crawler.stats.get_value("litcrawl/ending"):
            logger.error("%s: the crawl ends", error)
        end(crawler, "disk")


def exit_status(stats: Mapping[str, Any], reason: str) -> int:
    """
    0: the list is answered; 3: something is left; 1: a bug. `reason` is why the crawl ended, `stats` what it counted.

    A stream ends when it is stopped: that is no fault where nothing is open.
    """
    if stats.get("spider_exceptions/count") or stats.get("litcrawl/bugs") or reason == "start_error":
        return BUG
    stopped = reason == "shutdown" and stats.get("litcrawl/stream") and not stats.get("litcrawl/open")  # its only end
    return LEFT if (reason != "finished" and not stopped) or stats.get("litcrawl/outcome/retry") else ANSWERED
