"""Writes the file-set: bytes first, `article.json` after."""

from __future__ import annotations

import logging
import time
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from litcrawl.ending import end_when_full
from litcrawl.exceptions import StorageError
from litcrawl.items import Article, Blob, FileItem
from litcrawl.pipelines.licence import forget
from litcrawl.store import Store
from litcrawl.terms import Outcome, Reason

logger = logging.getLogger(__name__)

_EACH_UP_TO = 20  # files
_DRAFT_EVERY = 2.0  # seconds


class FileSetPipeline:
    """
    Puts each `Blob` in its place and hands on the feed's `file`; writes each `Article`'s `article.json` and hands it on.

    Along the way `article.json` is written with each file, so that a killed run finds again what it has. From the twentieth
    file of an article on, where writing all of it for each would take longer than the files do, it is written when two seconds
    have passed since it was last: a kill costs what was stored within two seconds of that, which the next run fetches again.

    A file that could not be written is found when its article passes, by one look at the disk a file: then that kind is
    `not-stored`, and the article `retry`.
    """

    def __init__(self, crawler: Crawler, store: Store) -> None:
        self.crawler = crawler
        self.store = store
        self.feeds = bool(crawler.settings.getdict("FEEDS"))
        self.failed: set[str] = set()  # an older file of the same size may lie where a new one was to go
        self.drafted: dict[str, float] = {}  # when, of articles with many files; dropped as it ages

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, Store.of(crawler))

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
                self._draft(blob.draft)
        except StorageError as error:
            self.store.discard(blob.spool)
            self.failed.add(str(file.path))
            end_when_full(self.crawler, error)
            raise DropItem(f"not stored: {error}", log_level="WARNING") from None
        self.failed.discard(str(file.path))
        stats = self.crawler.stats
        stats.inc_value(f"litcrawl/files/{file.want}")
        stats.inc_value("litcrawl/bytes", file.size_bytes or 0)
        return FileItem.of(file, blob.draft)

    def _draft(self, draft: Article) -> None:
        if len(draft.files) >= _EACH_UP_TO:
            now = time.monotonic()
            self.drafted = {path: at for path, at in self.drafted.items() if now - at < _DRAFT_EVERY}
            if str(draft.path) in self.drafted:
                return
            self.drafted[str(draft.path)] = now
        self.store.put_article(draft.to_dict())

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
            forget(article, lost)
        if article.known and not lost and not self.feeds:
            return
        try:
            self.store.put_article(article.to_dict())
        except StorageError as error:  # the last draft stands; the next run fetches what it does not name
            article.outcome = Outcome.RETRY
            article.reason = str(Reason.NOT_STORED)
            logger.warning("%s", error)
            end_when_full(self.crawler, error)
