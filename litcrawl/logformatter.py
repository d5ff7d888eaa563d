"""Keeps file contents and whole items out of the log."""

from __future__ import annotations

from typing import Any, Self

from scrapy import Request, Spider, logformatter
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.logformatter import LogFormatterResult
from twisted.python.failure import Failure


class LogFormatter(logformatter.LogFormatter):
    """
    Items are named, not printed: an article's record may be a hundred kilobytes.

    What happens with every request is told only at LOG_LEVEL DEBUG; Scrapy would make these lines and throw them away.
    """

    def __init__(self, *, detailed: bool = True) -> None:
        self._detailed = detailed

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(detailed=str(crawler.settings.get("LOG_LEVEL")) in ("DEBUG", "NOTSET", "10", "0"))

    def crawled(self, request: Request, response: Response, spider: Spider) -> LogFormatterResult | None:  # type: ignore[override]
        return super().crawled(request, response, spider) if self._detailed else None

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult | None:  # type: ignore[override]
        return super().scraped(_name(item), response, spider) if self._detailed else None

    def dropped(self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        return super().dropped(_name(item), exception, response, spider)

    def item_error(self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        return super().item_error(_name(item), exception, response, spider)


def _name(item: Any) -> str:
    return f"{type(item).__name__} {getattr(item, 'path', None) or getattr(item, 'key', None) or ''}".strip()
