"""Admission stops when everything fails, and goes on when a host answers."""

from loopback import Answer, crawl, loopback
from scrapy import Request

from litcrawl.middlewares.outage import Outage
from litcrawl.terms import Outcome, Reason


class World:
    now = 0.0

    def __init__(self) -> None:
        self.closed: dict[str, tuple[float, str]] = {}
        self.outage = Outage(lambda: self.closed, in_a_row=3, patience=100, clock=lambda: self.now)

    def end(self, *outcomes: Outcome, answered: bool = False) -> None:
        for outcome in outcomes:
            self.outage.ended(outcome, answered)


RETRY = Outcome.RETRY


def test_failures_without_a_closed_host_or_not_in_a_row_are_no_outage() -> None:
    world = World()
    world.end(RETRY, RETRY, RETRY)
    assert not world.outage.holding
    world.closed = {"h": (60.0, "unavailable")}
    world.end(Outcome.COMPLETE, RETRY, RETRY)
    assert not world.outage.holding


def test_it_holds_until_a_closed_host_answers() -> None:
    world = World()
    world.closed = {"a": (60.0, "unavailable"), "b": (60.0, "unavailable")}
    world.end(RETRY, RETRY, RETRY)
    assert world.outage.holding
    world.closed = {"b": (60.0, "unavailable")}
    assert not world.outage.holding
    world.end(RETRY, RETRY)
    assert not world.outage.holding


def test_one_row_at_a_time_is_let_through_to_probe() -> None:
    world = World()
    world.closed = {"a": (60.0, "unavailable")}
    world.end(RETRY, RETRY, RETRY)
    world.now = 61
    assert not world.outage.holding
    world.outage.admitted()
    assert world.outage.holding
    world.closed = {"a": (181.0, "unavailable")}
    world.end(RETRY)
    assert world.outage.holding
    world.now = 182
    assert not world.outage.holding


def test_an_article_that_ends_well_ends_it() -> None:
    world = World()
    world.closed = {"a": (1e9, "unavailable")}
    world.end(RETRY, RETRY, RETRY)
    world.end(Outcome.ABSENT)
    assert not world.outage.holding


def test_it_expires() -> None:
    world = World()
    world.closed = {"a": (1e9, "unavailable")}
    world.end(RETRY, RETRY, RETRY)
    world.now = 99
    assert not world.outage.expired
    world.now = 100
    assert world.outage.expired


def test_articles_for_which_somebody_answered_are_no_outage() -> None:
    world = World()
    world.closed = {"a": (60.0, "unavailable")}
    world.end(*[RETRY] * 9, answered=True)
    assert not world.outage.holding
    world.end(RETRY, RETRY)
    world.end(RETRY, answered=True)
    world.end(RETRY, RETRY)
    assert not world.outage.holding
    world.end(RETRY)
    assert world.outage.holding
    world.end(RETRY, answered=True)  # the row that was let through
    assert not world.outage.holding


def test_a_host_that_answers_with_a_spent_quota_has_answered() -> None:
    world = World()
    world.closed = {"a": (60.0, "unavailable"), "b": (60.0, "quota")}
    world.end(RETRY, RETRY, RETRY)
    assert world.outage.holding
    world.closed = {"a": (float("inf"), "quota"), "b": (60.0, "quota")}
    assert not world.outage.holding


async def test_a_spent_quota_stops_nobody_else() -> None:
    async with loopback(lambda arrival, n: Answer(429, [("X-RateLimit-Remaining", "0")])) as world:
        result = await crawl([Request(world.url("/a")), Request(world.url("/b"))], LITCRAWL_SLOTS={"127.0.0.1": {"concurrency": 1}})
    closed = result.pacing.closed_hosts()
    assert closed == {"127.0.0.1": (float("inf"), Reason.QUOTA)}
    outage = Outage(lambda: closed, in_a_row=3, patience=0)
    for _ in range(9):
        outage.ended(RETRY)
    assert not outage.holding
    assert not outage.expired
