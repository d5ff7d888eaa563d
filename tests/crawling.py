"""Whole crawls inside a test: the project's own settings, no reactor, no network but loopback."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from litcrawl.ending import exit_status

OPEN_SOURCES = ("europe_pmc_bookshelf", "pmc_oa_s3", "europe_pmc")
CASSETTES = Path(__file__).parent / "cassettes"


@dataclass
class Crawled:
    """What came of a crawl."""

    items: list[Any]
    stats: dict[str, Any]
    out: Path

    @property
    def articles(self) -> dict[str, Any]:
        """The last item of each key."""
        return {item.key: item for item in self.items if item.type == "article"}

    @property
    def files(self) -> list[Any]:
        return [item for item in self.items if item.type == "file"]

    @property
    def status(self) -> int:
        return exit_status(self.stats, self.stats["finish_reason"])

    @property
    def run(self) -> Path:
        """The folder of the newest run."""
        return max((self.out / "runs").iterdir(), key=lambda folder: folder.stat().st_mtime_ns)

    def article_json(self, folder: str) -> dict[str, Any]:
        return json.loads((self.out / folder / "article.json").read_bytes())


def project_settings(**changes: Any) -> Settings:
    """The project's settings without a reactor, and with no wait that a loopback server does not need."""
    settings = Settings()
    settings.setmodule("litcrawl.settings", priority="project")
    settings.update({"TWISTED_REACTOR_ENABLED": False, "LITCRAWL_MIN_FREE": 0, "LOG_LEVEL": "DEBUG"} | changes, priority="cmdline")
    return settings


async def crawl(
    out: Path, *, spider: str = "fetch", settings: dict[str, Any] | None = None, on_item: Any = None, **arguments: str
) -> Crawled:
    """Run one spider to its end. `on_item` is called with each item and the crawler."""
    chosen = project_settings(LITCRAWL_OUT=str(out), **(settings or {}))
    runner = AsyncCrawlerRunner(chosen)
    crawler = runner.create_crawler(get_spider_loader(chosen).load(spider))
    items: list[Any] = []

    def scraped(item: Any) -> None:
        items.append(item)
        if on_item is not None:
            on_item(item, crawler)

    crawler.signals.connect(scraped, signal=signals.item_scraped, weak=False)
    await runner.crawl(crawler, **arguments)
    return Crawled(items, crawler.stats.get_stats(), out)


async def replay(out: Path, cassette: str = "open_sources", **more: Any) -> Crawled:
    """A crawl off the wire; without other word by the sources that the cassette `open_sources` was recorded with."""
    ladder = {"LITCRAWL_SOURCES": list(OPEN_SOURCES)} if cassette != "ladder" else {}
    return await crawl(out, settings={"LITCRAWL_CASSETTE": str(CASSETTES / cassette)} | ladder | more.pop("settings", {}), **more)
