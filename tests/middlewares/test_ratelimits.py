"""Headers about pace, sound and unsound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http.headers import Headers

from litcrawl.middlewares.ratelimits import LONGEST, Quota, announced, quota, retry_after

NOW = 1_792_567_670.0  # Wed, 21 Oct 2026 07:27:50 GMT


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 1.5 ", 1.5),
        ("0", 0),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 10),
        ("Wednesday, 21-Oct-26 07:28:00 GMT", 10),
        ("Wed Oct 21 07:28:00 2026", 10),
        ("Wed, 21 Oct 2026 07:00:00 GMT", 0),
        ("999999999999", LONGEST),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("1e999", None),
        ("soon", None),
        ("", None),
        ("Wed, 99 Oct 2026 07:28:00 GMT", None),
        ("\xff\xfe", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after(Headers({"Retry-After": value.encode("latin-1")}), NOW) == seconds


def test_a_date_is_read_against_the_servers_clock() -> None:
    headers = Headers({"Retry-After": "Wed, 21 Oct 2020 07:28:00 GMT", "Date": "Wed, 21 Oct 2020 07:27:30 GMT"})
    assert retry_after(headers, NOW) == 30


def test_no_header_asks_for_nothing() -> None:
    assert retry_after(Headers(), NOW) is None
    assert quota(200, Headers(), NOW) is None
    assert announced(Headers()) == (None, None)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"x-rate-limit-limit": "50", "x-rate-limit-interval": "1s", "x-concurrency-limit": "3"}, ((50, 1.0), 3)),
        ({"x-rate-limit-limit": "50"}, (None, None)),
        ({"x-rate-limit-limit": "0", "x-rate-limit-interval": "1s"}, (None, None)),
        ({"x-rate-limit-limit": "5", "x-rate-limit-interval": "-1s", "x-concurrency-limit": "-2"}, (None, None)),
        ({"x-rate-limit-limit": "many", "x-rate-limit-interval": "1 minute"}, (None, None)),
    ],
)
def test_announced_limits(headers: dict[str, str], expected: object) -> None:
    assert announced(Headers(headers)) == expected


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (200, {"X-RateLimit-Remaining": "7", "X-RateLimit-Reset": "60"}, None),
        (200, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"}, Quota(60)),
        (429, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "43200"}, Quota(43200)),
        (429, {"X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "43200"}, None),
        (200, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60", "X-RateLimit-Credits-Used": "0"}, None),
        (429, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60", "X-RateLimit-Credits-Used": "0"}, Quota(60)),
        (429, {"X-ELS-Status": "QUOTA_EXCEEDED - Quota Exceeded", "X-RateLimit-Reset": str(int((NOW + 90) * 1000))}, Quota(90)),
        (429, {"X-ELS-Status": "QUOTA_EXCEEDED"}, Quota(None)),
        (200, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOW + 30))}, Quota(30)),
        (200, {"X-RateLimit-Limit": "60", "X-RateLimit-Used": "60"}, Quota(None)),
        (200, {"X-RateLimit-Limit": "60", "X-RateLimit-Used": "59"}, None),
        (200, {"X-RateLimit-Remaining": "-5", "X-RateLimit-Reset": "nan"}, Quota(None)),
        (200, {"X-RateLimit-Remaining": "none"}, None),
    ],
)
def test_quotas(status: int, headers: dict[str, str], expected: Quota | None) -> None:
    assert quota(status, Headers(headers), NOW) == expected


PIECES = [
    "Mon, ",
    "31 Dec ",
    "9999",
    "0000",
    " 99:99:99",
    " +9999",
    " GMT",
    "1e400",
    "nan",
    "-1",
    "9" * 5000,
    "QUOTA_EXCEEDED",
    "1_0",
    "0x1",
    "٣",
]
NAMES = [
    "Retry-After",
    "Date",
    "X-Rate-Limit-Limit",
    "X-Rate-Limit-Interval",
    "X-Concurrency-Limit",
    "X-ELS-Status",
    "X-RateLimit-Credits-Used",
]
NAMES += [f"X-RateLimit-{name}" for name in ("Limit", "Used", "Remaining", "Reset")]


@given(st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(PIECES) | st.text(max_size=2), max_size=5).map("".join)))
def test_any_headers_ask_for_a_bounded_time(values: dict[str, str]) -> None:
    headers = Headers({name: value.encode("utf-8", "replace") for name, value in values.items()})
    limit, concurrency = announced(headers)
    assert limit is None or (limit[0] >= 1 and 0 < limit[1] <= LONGEST)
    assert concurrency is None or concurrency >= 1
    spent = quota(429, headers, NOW)
    assert all(0 <= (seconds or 0) <= LONGEST for seconds in (retry_after(headers, NOW), spent and spent.reset))
