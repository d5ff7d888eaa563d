"""Tries again what may succeed later: in the slot's turn, after a pause, sleeping nowhere."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import time
from typing import cast

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import RetryMiddleware as ScrapyRetryMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import ResponseDataLossError
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.response import response_status_message

from litcrawl.exceptions import Miss
from litcrawl.middlewares.backoff import Backoff
from litcrawl.middlewares.ratelimits import retry_after
from litcrawl.terms import Reason
from litcrawl.wire.errors import CertificateError
from litcrawl.wire.response import SpooledResponse


class RetryMiddleware(ScrapyRetryMiddleware):
    """
    Retries `RETRY_TIMES` times, with exponential back-off (`LITCRAWL_BACKOFF`) that the scheduler's queue waits out. A request may
    have its own: `max_retry_times`, Scrapy's, and `retry_delays`, the seconds before each further try.

    - A pause that the server asked for is no try; such pauses end in `rate-limited` when one request has been asked to
      wait for more than `LITCRAWL_PATIENCE` in all.
    - A transfer that was cut at the same byte in every try is `unreadable`: that is the file, not the line.
    - An answer whose gzip could not be undone is asked for once more without.

    When the tries are used up the last response or exception goes on to callback or errback.
    """

    crawler: Crawler

    def __init__(self, settings: BaseSettings):
        super().__init__(settings)
        self._patience = settings.getfloat("LITCRAWL_PATIENCE", 120)
        self._backoff = Backoff.from_settings(settings)

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        if request.meta.get("dont_retry"):
            return response
        if response.status in self.retry_http_codes:
            asked = retry_after(response.headers, time())
            if asked is not None:
                return self._after_pause(request, asked)
            return self._again(request, response_status_message(response.status)) or response
        if _is_garbled(request, response):
            again = self._again(request, "content-encoding")
            if again is not None:
                again.headers["Accept-Encoding"] = "identity"
                if isinstance(response, SpooledResponse):  # nobody else will hear of it
                    with suppress(OSError):
                        Path(response.spool.path).unlink()
                return again
        return response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:  # type: ignore[override]
        if request.meta.get("dont_retry") or isinstance(exception, CertificateError) or not isinstance(exception, self.exceptions_to_retry):
            return None
        again = self._again(request, exception)
        if again is None and isinstance(exception, ResponseDataLossError):
            received = request.meta.get("received", [])
            furthest = max(received, default=0)
            # a connection that breaks may take its last bytes with it: twice is enough, where nothing came further
            if len(received) == request.meta["tries"] and furthest > 0 and received.count(furthest) > 1:
                raise Miss(Reason.UNREADABLE, f"no try came beyond byte {furthest}") from exception
        return again

    def _again(self, request: Request, reason: str | Exception) -> Request | None:
        spider = cast("Spider", self.crawler.spider)  # there is one while requests are answered
        return try_again(request, spider, reason, self._backoff)

    def _after_pause(self, request: Request, asked: float) -> Request:
        # A server that asks for no time at all would be asked for ever.
        waited = request.meta.get("waited", 0.0) + max(asked, self._backoff.least)
        if waited > self._patience:
            raise Miss(Reason.RATE_LIMITED, f"asked to wait for {waited:.0f} s in all")
        again = request.copy()
        again.dont_filter = True
        again.meta["waited"] = waited
        again.meta["not_before"] = time() + asked
        self.crawler.stats.inc_value("retry/after_pause")
        return again


def try_again(request: Request, spider: Spider, reason: str | Exception, backoff: Backoff) -> Request | None:
    """The request for the next try, not to be sent before its time; None when the tries are used up."""
    again = get_retry_request(request, spider=spider, reason=reason)
    if again is not None:
        failures = request.meta.get("retry_times", 0)
        delays = request.meta.get("retry_delays")
        again.meta["not_before"] = time() + (delays[min(failures, len(delays) - 1)] if delays else backoff.seconds(failures))
    return again


def _is_garbled(request: Request, response: Response) -> bool:
    """Compressed as asked for, yet the wire could not undo it: it takes the header away when it can."""
    asked = request.headers.get("Accept-Encoding") or b""
    return response.status == 200 and b"Content-Encoding" in response.headers and b"gzip" in asked
