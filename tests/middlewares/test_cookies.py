"""The cookies of a chain: taken, sent back to whom, forgotten."""

import json

import pytest

from litcrawl.middlewares.cookies import header, taken

NOW = 1_700_000_000.0


def sent(set_cookie: str, *, to: str = "www.journal.org", secure: bool = True, by: str = "www.journal.org", over_tls: bool = True) -> str:
    return header(taken({}, by, over_tls, [set_cookie.encode()], NOW), to, secure)


@pytest.mark.parametrize(
    ("set_cookie", "to", "expected"),
    [
        ("a=1", "www.journal.org", "a=1"),
        ("a=1", "journal.org", ""),
        ("a=1", "cdn.www.journal.org", ""),
        ("a=1; Domain=journal.org", "cdn.journal.org", "a=1"),
        ("a=1; domain=.JOURNAL.org", "journal.org", "a=1"),
        ("a=1; Domain=journal.org", "notjournal.org", ""),
        ("a=1; Domain=other.org", "other.org", ""),
        ("a=1; Domain=org", "www.journal.org", ""),
        ("a=1; Domain=cdn.www.journal.org", "cdn.www.journal.org", ""),
        ('a="x y"; Path=/', "www.journal.org", 'a="x y"'),
        ("a=b=c", "www.journal.org", "a=b=c"),
        ("a=", "www.journal.org", "a="),
        ("=1", "www.journal.org", ""),
        ("flag", "www.journal.org", ""),
        ("a=1\x00; Path=/", "www.journal.org", ""),
        ("a=1\r\nX: y", "www.journal.org", ""),
        ("a=" + "x" * 5000, "www.journal.org", ""),
        ("a=1; Max-Age=0", "www.journal.org", ""),
        ("a=1; Max-Age=60", "www.journal.org", "a=1"),
        ("a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "www.journal.org", "a=1"),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "www.journal.org", ""),
        ("a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "www.journal.org", "a=1"),
        ("a=1; Expires=soon", "www.journal.org", "a=1"),
    ],
)
def test_who_gets_a_cookie(set_cookie: str, to: str, expected: str) -> None:
    assert sent(set_cookie, to=to) == expected


def test_secure_cookies_travel_over_tls_only() -> None:
    assert sent("a=1; Secure", secure=True) == "a=1"
    assert sent("a=1; Secure", secure=False) == ""
    assert sent("a=1; Secure", over_tls=False) == ""


def test_a_cookie_is_replaced_and_deleted_and_the_old_jar_stays_as_it_was() -> None:
    first = taken({}, "j.org", True, [b"a=1", b"b=2"], NOW)
    second = taken(first, "j.org", True, [b"a=3", b"b=; Max-Age=0"], NOW)
    assert header(first, "j.org", True) == "a=1; b=2"
    assert header(second, "j.org", True) == "a=3"


def test_a_jar_is_small_and_plain_data() -> None:
    jar = taken({}, "j.org", True, [f"c{n}={n}".encode() for n in range(1000)], NOW)
    assert len(jar["j.org"]) == 50
    assert json.loads(json.dumps(jar)) == jar
