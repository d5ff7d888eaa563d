"""Closing, probing and opening of hosts."""

from litcrawl.middlewares.breaker import Breaker
from litcrawl.terms import Reason


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def breaker() -> tuple[Breaker, Clock]:
    clock = Clock()
    return Breaker(first=60, longest=200, clock=clock), clock


def fail(one: Breaker, times: int) -> list[bool]:
    return [one.failed("h", Reason.UNAVAILABLE) for _ in range(times)]


def test_five_failures_in_a_row_close_a_host_for_a_minute() -> None:
    one, clock = breaker()
    assert fail(one, 5) == [False] * 4 + [True]
    assert one.closure("slot", "h").until == 60
    clock.now = 61
    assert one.closure("h") is None
    assert one.half_open("h")


def test_an_answer_starts_the_count_again() -> None:
    one, _ = breaker()
    fail(one, 4)
    assert not one.answered("h")
    assert fail(one, 4) == [False] * 4


def test_failed_probes_double_the_time_to_its_longest() -> None:
    one, clock = breaker()
    fail(one, 5)
    spans = []
    for _ in range(4):
        clock.now = one.closure("h").until
        assert fail(one, 1) == [True]
        spans.append(one.closure("h").until - clock.now)
    assert spans == [120, 200, 200, 200]


def test_what_was_under_way_when_the_host_closed_does_not_lengthen_it() -> None:
    one, _ = breaker()
    fail(one, 5)
    assert fail(one, 3) == [False] * 3
    assert one.closure("h").until == 60


def test_an_answer_opens_and_forgets() -> None:
    one, clock = breaker()
    fail(one, 5)
    assert one.answered("h")
    assert one.closure("h") is None
    assert one.not_open() == {}
    assert fail(one, 5)[-1]
    assert one.closure("h").until - clock.now == 60


def test_a_named_time_is_kept_whatever_was_under_way() -> None:
    one, clock = breaker()
    one.close("slot", 3600, Reason.QUOTA)
    assert not one.answered("slot")
    assert one.closure("h", "slot").reason is Reason.QUOTA
    clock.now = 3601
    assert one.half_open("slot")
    assert one.answered("slot")


def test_the_longest_closure_counts() -> None:
    one, _ = breaker()
    fail(one, 5)
    one.close("slot", 3600, Reason.RATE_LIMITED)
    one.close("slot", 10, Reason.RATE_LIMITED)
    assert one.closure("slot", "h").until == 3600
    assert set(one.not_open()) == {"slot", "h"}
