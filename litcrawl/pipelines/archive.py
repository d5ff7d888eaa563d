"""Writes the archive of `scrapy crawl arxiv`: a file, then the table that names it; in the end the paper's `article.json`."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from litcrawl.arxiv.archive import PDF, SOURCE
from litcrawl.ending import end_when_full
from litcrawl.exceptions import StorageError
from litcrawl.items import Article, Blob, FileItem
from litcrawl.store import SIDECAR, Store
from litcrawl.terms import Kind, Outcome, Reason

if TYPE_CHECKING:
    from litcrawl.arxiv.archiver import ArchiverSpider

logger = logging.getLogger(__name__)


class ArchivePipeline:
    """
    In the place of `FileSetPipeline`, whose index of folders the archive has not.

    A file that could not be written is found when its article passes: then that kind is `not-stored`, and the article `retry`.
    """

    def __init__(self, crawler: Crawler, store: Store) -> None:
        self.crawler = crawler
        self.store = store
        self.feeds = bool(crawler.settings.getdict("FEEDS"))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, Store.of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Blob):
            return await self._blob(item)
        if isinstance(item, Article) and item.path is not None:
            self._article(item)
        return item

    async def _blob(self, blob: Blob) -> FileItem:
        file = blob.file
        archive = cast("ArchiverSpider", self.crawler.spider).archive
        try:
            await asyncio.to_thread(  # the table of many papers takes a while to write
                archive.keep_file,
                str(file.path),
                blob.spool or blob.body or b"",
                paper=str(blob.draft.ids["arxiv"]),
                version=int(file.version or 0),
                what=PDF if file.kind == Kind.BODY else SOURCE,
                size=int(file.size_bytes or 0),
                sha256=str(file.sha256),
            )
        except StorageError as error:
            self.store.discard(blob.spool)
            end_when_full(self.crawler, error)
            raise DropItem(f"not stored: {error}", log_level="WARNING") from None
        stats = self.crawler.stats
        stats.inc_value(f"litcrawl/files/{file.want}")
        stats.inc_value("litcrawl/bytes", file.size_bytes or 0)
        return FileItem.of(file, blob.draft)

    def _article(self, article: Article) -> None:
        lost = [file for file in article.files if self.store.size(str(file.path)) != file.size_bytes]
        if lost:
            article.missing |= {str(file.want): str(Reason.NOT_STORED) for file in lost}
            article.files = [file for file in article.files if file not in lost]
            article.outcome = Outcome.RETRY
        path = f"{article.path}/{SIDECAR}"
        if article.known and not lost and not self.feeds and self.store.size(path):
            return
        try:
            self.store.put_json(path, article.to_dict())
        except StorageError as error:
            article.outcome, article.reason = Outcome.RETRY, str(Reason.NOT_STORED)
            logger.warning("%s", error)
            end_when_full(self.crawler, error)
