"""What an answer's headers say about pace: Retry-After, announced limits, spent quotas. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from scrapy.http.headers import Headers

# Nobody waits longer than this within one crawl; it keeps absurd values finite.
LONGEST = 86_400.0


@dataclass(frozen=True, slots=True)
class Quota:
    """Nothing is left of an allowance; `reset`: seconds until there is again, None when the answer does not say."""

    reset: float | None


def retry_after(headers: Headers, now: float) -> float | None:
    """
    Seconds that `Retry-After` asks for, in either form (RFC 9110, section 10.2.3); None when absent or senseless.

    A date is read against the answer's own `Date`, so that a server whose clock is wrong still gets the pause it meant.
    """
    text = _text(headers, "Retry-After")
    if not text:
        return None
    seconds = _number(text)
    if seconds is None and (moment := _date(text)) is not None:
        sent = _date(_text(headers, "Date"))
        seconds = max(0.0, moment - (now if sent is None else sent))
    return None if seconds is None or seconds < 0 else min(seconds, LONGEST)


def announced(headers: Headers) -> tuple[tuple[int, float] | None, int | None]:
    """
    The limit (requests, seconds) and the concurrency that the answer announces; None for what it does not.

    Crossref: https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and-authentication/
    """
    count = _number(_text(headers, "X-Rate-Limit-Limit"))
    seconds = _number(_text(headers, "X-Rate-Limit-Interval").removesuffix("s"))
    concurrency = _number(_text(headers, "X-Concurrency-Limit"))
    limit = (int(count), min(seconds, LONGEST)) if count and count >= 1 and seconds and seconds > 0 else None
    return limit, int(concurrency) if concurrency and concurrency >= 1 else None


def quota(status: int, headers: Headers, now: float) -> Quota | None:
    """
    A spent allowance, or None while something is left or nothing is said.

    OpenAlex: `X-RateLimit-Remaining` and seconds to the `-Reset`; an answered call that cost nothing says that its kind
    goes on when all is spent (https://developers.openalex.org/). Elsevier: `-Reset` as epoch milliseconds, `X-ELS-Status: QUOTA_EXCEEDED`
    (https://dev.elsevier.com/api_key_settings.html). OpenAIRE: `-Used` of `-Limit`
    (https://graph.openaire.eu/docs/apis/terms).
    """
    remaining = _number(_text(headers, "X-RateLimit-Remaining"))
    if remaining is None:
        limit, used = _number(_text(headers, "X-RateLimit-Limit")), _number(_text(headers, "X-RateLimit-Used"))
        remaining = limit - used if limit and used is not None else None
    exceeded = "QUOTA_EXCEEDED" in _text(headers, "X-ELS-Status").upper()
    free = status < 400 and _number(_text(headers, "X-RateLimit-Credits-Used")) == 0
    if not exceeded and (remaining is None or remaining > 0 or free):
        return None
    return Quota(_reset(_number(_text(headers, "X-RateLimit-Reset")), now))


def _reset(value: float | None, now: float) -> float | None:
    """A reset in seconds to go, epoch seconds or epoch milliseconds, told apart by their size."""
    if value is None or value < 0:
        return None
    if value > 1e11:
        value /= 1000
    seconds = value - now if value > 1e9 else value
    return min(max(0.0, seconds), LONGEST)


def _text(headers: Headers, name: str) -> str:
    value = headers.get(name)
    return value.decode("latin-1").strip() if value else ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _date(text: str) -> float | None:
    if not text:
        return None
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
