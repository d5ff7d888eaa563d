"""Keeps file contents and whole items out of the log."""

from __future__ import annotations

from typing import Any

from scrapy import Spider, logformatter
from scrapy.http import Response
from scrapy.logformatter import LogFormatterResult
from twisted.python.failure import Failure


class LogFormatter(logformatter.LogFormatter):
    """Items are named, not printed: an article's record may be a hundred kilobytes."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        return super().scraped(_name(item), response, spider)

    def dropped(self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        return super().dropped(_name(item), exception, response, spider)

    def item_error(self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        return super().item_error(_name(item), exception, response, spider)


def _name(item: Any) -> str:
    return f"{type(item).__name__} {getattr(item, 'path', None) or getattr(item, 'key', None) or ''}".strip()
