"""Writes the file-set: bytes first, `article.json` after."""

from __future__ import annotations

import logging
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from litcrawl.ending import end
from litcrawl.exceptions import StorageError
from litcrawl.items import Article, Blob, FileItem
from litcrawl.store import Store
from litcrawl.terms import Outcome, Reason

logger = logging.getLogger(__name__)


class FileSetPipeline:
    """
    Puts each `Blob` in its place and hands on the feed's `file`; writes each `Article`'s `article.json` and hands it on.

    A file that could not be written is found when its article passes, by one look at the disk a file: then that kind is
    `not-stored`, and the article `retry`.
    """

    def __init__(self, crawler: Crawler, store: Store) -> None:
        self.crawler = crawler
        self.store = store
        self.feeds = bool(crawler.settings.getdict("FEEDS"))
        self.failed: set[str] = set()  # an older file of the same size may lie where a new one was to go

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, Store.from_settings(crawler.settings))

    def close_spider(self) -> None:
        self.store.close()

    def process_item(self, item: Any) -> Any:
        if isinstance(item, Blob):
            return self._blob(item)
        if isinstance(item, Article) and item.path is not None and self._writes():
            self._article(item)
        return item

    def _blob(self, blob: Blob) -> FileItem:
        file = blob.file
        try:
            self.store.put(str(file.path), blob.spool or blob.body or b"")
            if not blob.last:
                self.store.put_article(blob.draft.to_dict())
        except StorageError as error:
            self.store.discard(blob.spool)
            self.failed.add(str(file.path))
            self._failed(error)
            raise DropItem(f"not stored: {error}", log_level="WARNING") from None
        stats = self.crawler.stats
        stats.inc_value(f"litcrawl/files/{file.want}")
        stats.inc_value("litcrawl/bytes", file.size_bytes or 0)
        return FileItem.of(file, blob.draft)

    def _writes(self) -> bool:
        """Whether this run keeps files, or only lists them."""
        arguments = getattr(self.crawler.spider, "arguments", None)
        return arguments is None or arguments.download

    def _article(self, article: Article) -> None:
        lost = [file for file in article.files if file.path in self.failed or self.store.size(str(file.path)) != file.size_bytes]
        if lost:
            for file in lost:
                article.missing[str(file.want)] = str(Reason.NOT_STORED)
            article.files = [file for file in article.files if file not in lost]
            article.attempts = [
                attempt | ({"reason": str(Reason.NOT_STORED)} if any(attempt["url"] == file.uri for file in lost) else {})
                for attempt in article.attempts
            ]
            article.outcome = Outcome.RETRY
        if article.known and not lost and not self.feeds:
            return
        try:
            self.store.put_article(article.to_dict())
        except StorageError as error:  # the last draft stands; the next run fetches what it does not name
            article.outcome = Outcome.RETRY
            article.reason = str(Reason.NOT_STORED)
            logger.warning("%s", error)
            self._failed(error)

    def _failed(self, error: StorageError) -> None:
        if error.full:
            if not self.crawler.stats.get_value("litcrawl/ending"):
                logger.error("%s: the crawl ends", error)
            end(self.crawler, "disk")
