"""Carries publications into the database and their events out."""

from __future__ import annotations

import time
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from litcrawl.ending import end
from litcrawl.publications.item import Publication
from litcrawl.spiders.publications import PublicationsSpider

_AT_THE_END = 30.0  # seconds that a database or a broker which is away has when the crawl ends
_LEAST = 0.5  # seconds to leave a stream, however long the rest took


class PublicationPipeline:
    """Hands each `Publication` to the crawl's `Delivery`, which stores and sends many at a time, and the item on."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not (crawler.spidercls and issubclass(crawler.spidercls, PublicationsSpider)):
            raise NotConfigured
        return cls(crawler)

    async def open_spider(self) -> None:
        self.crawler.stats.set_value("litcrawl/stream", self._spider.stream is not None)
        self._spider.delivery.start(self._died)

    def process_item(self, item: Any) -> Any:
        if isinstance(item, Publication):
            self._spider.delivery.put(self._spider.parcel(item))
        return item

    def _died(self) -> None:
        """End the crawl, which would wait for places for ever."""
        self.crawler.stats.inc_value("litcrawl/bugs")
        end(self.crawler, "bug")

    async def close_spider(self) -> None:
        spider, ends = self._spider, time.monotonic() + _AT_THE_END
        await spider.delivery.close(_AT_THE_END)
        if spider.stream is not None:
            await spider.stream.close(max(_LEAST, ends - time.monotonic()))
        self.crawler.stats.set_value("litcrawl/open", len(spider.window))
        spider.options.database.close()

    @property
    def _spider(self) -> PublicationsSpider:
        spider = self.crawler.spider
        assert isinstance(spider, PublicationsSpider)
        return spider
