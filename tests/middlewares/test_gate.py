"""When a slot may send again."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litcrawl.middlewares.gate import MARGIN, Gate
from litcrawl.slots import Slots


def gate(**entry: object) -> Gate:
    return Gate(Slots({"s": entry}).named("s"))


def due(one: Gate, now: float, active: int = 0, delay: float = 0.0) -> float:
    return one.due(now, active=active, delay=delay)


def test_a_gap_counts_from_the_end_of_the_exchange() -> None:
    one = gate(limit=(1, 3.0), concurrency=1)
    one.sent(10.0)
    assert due(one, 10.5, active=1) == inf
    one.ended(11.5)
    assert due(one, 11.6) == pytest.approx(14.5 + MARGIN)


def test_the_delay_is_the_longer_of_the_tables_and_autothrottles() -> None:
    one = gate(delay=1.0, concurrency=4, autothrottle=True)
    one.sent(10.0)
    assert due(one, 10.0, active=1, delay=0.2) == 11.0
    assert due(one, 10.0, active=1, delay=5.0) == 15.0


def test_a_pause_is_never_shortened() -> None:
    one = gate()
    one.pause(60.0)
    one.pause(30.0)
    assert due(one, 1.0) == 60.0
    assert one.waits(50.0) == 10.0
    assert one.waits(61.0) == 0.0


def test_it_knows_for_how_long_it_was_put_off_without_an_answer() -> None:
    one = gate()
    assert one.put_off(100.0, 110.0) == 10.0
    assert one.put_off(110.0, 150.0) == 50.0
    one.served()
    assert one.put_off(150.0, 160.0) == 10.0


def test_announced_limits_tighten_and_never_loosen_the_table() -> None:
    one = gate(limit=(10, 1.0), concurrency=3)
    one.follow((5, 1.0), 1)
    one.sent(0.0)
    assert due(one, 0.0) == pytest.approx(0.2)
    assert due(one, 0.0, active=1) == inf
    one.follow((1000, 1.0), 50)
    assert due(one, 0.0, active=2) == pytest.approx(0.1)
    assert due(one, 0.0, active=3) == inf


def test_what_is_announced_is_shared_among_workers() -> None:
    one = gate(limit=(10, 1.0), concurrency=3)
    one.follow((5, 1.0), 4, 4)
    one.sent(0.0)
    assert due(one, 0.0) == pytest.approx(0.8)
    assert due(one, 0.0, active=1) == inf


@given(
    count=st.integers(1, 6),
    seconds=st.floats(0.1, 10),
    concurrency=st.integers(1, 8),
    exchanges=st.lists(st.tuples(st.floats(0, 3), st.floats(0, 1)), min_size=1, max_size=40),
)
def test_no_window_at_the_server_ever_holds_more_than_the_limit(
    count: int, seconds: float, concurrency: int, exchanges: list[tuple[float, float]]
) -> None:
    """However long each exchange takes, and wherever in it the request arrives."""
    one = gate(limit=(count, seconds), delay=0, concurrency=concurrency)
    now, active, arrivals = 0.0, [], []
    for lasts, arrives in exchanges:
        while True:
            for end in sorted(end for end in active if end <= now):
                active.remove(end)
                one.ended(end)
            at = due(one, now, active=len(active))
            if at <= now:
                break
            now = min([at, *active])
        one.sent(now)
        arrivals.append(now + arrives * lasts)
        active.append(now + lasts)
    arrivals.sort()
    assert all(later - earlier >= seconds for earlier, later in zip(arrivals, arrivals[count:], strict=False))


def test_a_request_s_turn_is_foretold() -> None:
    one = gate(limit=(2, 10.0), delay=0)
    assert [one.wait(100, ahead) for ahead in range(5)] == [0, 0, 10, 10, 20]
    one.sent(100)
    one.ended(101)
    assert [one.wait(102, ahead) for ahead in range(3)] == [0, 9, 10]
    one.pause(110)
    assert one.wait(102, 0) == 8


def test_a_delay_counts_for_each_request_that_is_ahead() -> None:
    one = gate(delay=0.5)
    assert [one.wait(100, ahead) for ahead in (0, 4)] == [0, 2]
    one.sent(100)
    assert [one.wait(100, ahead) for ahead in (0, 4)] == [0.5, 2.5]
