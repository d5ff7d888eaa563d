"""Waiting times grow, within bounds."""

from litcrawl.middlewares.backoff import Backoff


def test_it_doubles_from_its_least_to_its_most() -> None:
    backoff = Backoff(0.5, 60)
    for failures in range(12):
        for _ in range(20):
            assert min(60, 0.5 * 2**failures) <= backoff.seconds(failures) <= min(60, 0.75 * 2**failures)
    assert backoff.seconds(10**6) == 60


def test_it_starts_from_the_slots_delay() -> None:
    assert 3 <= Backoff(0.5, 60).seconds(0, floor=3) <= 4.5
    assert Backoff(0.5, 60).seconds(0, floor=90) == 90
