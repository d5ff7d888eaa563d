"""Pacing as the servers see it: whole crawls against loopback."""

import asyncio
import random
from itertools import pairwise
from time import monotonic, time

import pytest
from loopback import HOSTS, Answer, crawl, loopback
from scrapy import Request
from twisted.python.failure import Failure

from litcrawl.exceptions import HostClosed
from litcrawl.middlewares.pacing import PacingMiddleware
from litcrawl.terms import Reason

A, B, _ = HOSTS


def gaps(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(sorted(times))]


def busiest(times: list[float], seconds: float) -> int:
    return max(sum(start <= other < start + seconds for other in times) for start in times)


async def test_three_hosts_in_one_slot_keep_its_gap_through_retries_redirects_latency_and_autothrottle() -> None:
    rng = random.Random(7)  # noqa: S311

    def behaviour(arrival, n):
        if arrival.path.startswith("/away"):
            return Answer(302, [("Location", world.url(f"/from{arrival.path[5:]}", B))])
        if arrival.path == "/flaky" and n < 3:
            return Answer(503, latency=0.02)
        return Answer(latency=rng.uniform(0, 0.15))

    async with loopback(behaviour) as world:
        slots = {"group": {"hosts": list(HOSTS), "limit": (1, 0.3), "concurrency": 1}}
        inside = [Request(world.url(f"/{n}", host)) for n in range(2) for host in HOSTS]
        outside = [Request(world.url(f"/away{n}", "localhost"), meta={"follow": True}) for n in range(3)]
        result = await crawl(
            [*inside, *outside, Request(world.url("/flaky"))],
            LITCRAWL_SLOTS=slots,
            AUTOTHROTTLE_ENABLED=True,
            AUTOTHROTTLE_START_DELAY=0.01,
            AUTOTHROTTLE_TARGET_CONCURRENCY=8,
        )
        times = world.times(*HOSTS)
        assert len(result.responses) == 10
        assert len(times) == 12
        assert min(gaps(times)) >= 0.3


async def test_no_window_holds_more_than_the_limit() -> None:
    rng = random.Random(3)  # noqa: S311
    async with loopback(lambda arrival, n: Answer(latency=rng.uniform(0, 0.2))) as world:
        slots = {"api": {"hosts": [A], "limit": (5, 0.5), "delay": 0, "concurrency": 5}}
        await crawl([Request(world.url(f"/{n}")) for n in range(20)], LITCRAWL_SLOTS=slots)
        assert busiest(world.times(), 0.5) <= 5


async def test_concurrency_is_kept_and_used() -> None:
    async with loopback(lambda arrival, n: Answer(latency=0.05)) as world:
        slots = {"bucket": {"hosts": [A], "delay": 0, "concurrency": 3}}
        await crawl([Request(world.url(f"/{n}")) for n in range(12)], LITCRAWL_SLOTS=slots)
        assert world.most_at_once == 3


async def test_retry_after_pauses_its_slot_alone_and_is_no_try() -> None:
    def behaviour(arrival, n):
        if arrival.host == A and n <= 4 and arrival.path == "/busy":
            return Answer(429, [("Retry-After", "0.3")])
        return Answer()

    async with loopback(behaviour) as world:
        slots = {A: {"delay": 0.01, "concurrency": 1}, B: {"delay": 0.05, "concurrency": 1}}
        requests = [Request(world.url("/busy")), Request(world.url("/next")), *(Request(world.url(f"/{n}", B)) for n in range(20))]
        result = await crawl(requests, LITCRAWL_SLOTS=slots)
        assert len(result.responses) == 22
        assert all(response.status == 200 for response in result.responses)
        busy = next(response for response in result.responses if response.url.endswith("/busy"))
        assert busy.request.meta["tries"] == 5
        assert "retry_times" not in busy.request.meta
        assert min(gaps(world.times(A)[:2])) >= 0.29
        first, last = world.times(A)[0], world.times(A)[1]
        assert sum(first < at < last for at in world.times(B)) >= 2


async def test_a_date_is_read_against_the_servers_own_clock() -> None:
    ahead = "Tue, 01 Jan 2030 00:00:02 GMT"

    def behaviour(arrival, n):
        return Answer(503, [("Retry-After", ahead), ("Date", "Tue, 01 Jan 2030 00:00:01 GMT")]) if n == 1 else Answer()

    async with loopback(behaviour) as world:
        result = await crawl([Request(world.url())], LITCRAWL_SLOTS={A: {"concurrency": 1}})
        assert [response.status for response in result.responses] == [200]
        assert 0.99 <= gaps(world.times())[0] < 3


async def test_a_server_that_asks_for_more_and_more_patience_ends_rate_limited() -> None:
    async with loopback(lambda arrival, n: Answer(429, [("Retry-After", "0")])) as world:
        result = await crawl([Request(world.url())], LITCRAWL_SLOTS={A: {"concurrency": 1}}, LITCRAWL_PATIENCE=0.3)
        assert [failure.value.reason for failure in result.failures] == [Reason.RATE_LIMITED]
        assert 5 <= len(world.arrivals) <= 7
        assert A in result.pacing.closed_hosts()


async def test_a_host_that_asks_for_too_much_is_closed_and_its_queue_fails_at_once() -> None:
    def behaviour(arrival, n):
        return Answer(429, [("Retry-After", "3600")]) if arrival.host == A else Answer()

    async with loopback(behaviour) as world:
        slots = {A: {"limit": (1, 1.0), "concurrency": 1}}
        held = Request(world.url("/held"), meta={"not_before": time() + 600})
        requests = [*(Request(world.url(f"/{n}")) for n in range(50)), held, *(Request(world.url(f"/{n}", B)) for n in range(5))]
        result = await crawl(requests, LITCRAWL_SLOTS=slots)
        assert len(world.times(A)) == 1
        assert len(result.failures) == 51
        assert {failure.value.reason for failure in result.failures} == {Reason.RATE_LIMITED}
        assert all(isinstance(failure.value, HostClosed) for failure in result.failures)
        assert len(result.responses) == 5
        until, reason = result.pacing.closed_hosts()[A]
        assert 3590 < until - time() <= 3600
        assert reason == "rate-limited"


async def test_a_host_that_fails_five_times_is_closed_then_probed_by_one_request_and_opened_by_its_answer() -> None:
    up = asyncio.Event()

    def behaviour(arrival, n):
        return Answer(latency=0.1) if up.is_set() else Answer(500)

    async with loopback(behaviour) as world:

        async def during(crawler) -> None:
            await world.until(5)
            await asyncio.sleep(0.1)
            up.set()
            assert crawler.get_downloader_middleware(PacingMiddleware).closed_hosts().keys() == {A}
            await asyncio.sleep(0.5)
            for n in range(4):
                crawler.engine.crawl(Request(world.url(f"/late{n}"), callback=lambda response: late.append(response.status)))

        late: list[int] = []
        keep = Request(world.url("/keep", B), meta={"not_before": time() + 2.0})
        result = await crawl(
            [*(Request(world.url(f"/{n}")) for n in range(9)), keep],
            during,
            LITCRAWL_SLOTS={A: {"delay": 0, "concurrency": 2}},
            LITCRAWL_CLOSED=[0.4, 10],
        )
        assert {failure.value.reason for failure in result.failures} == {Reason.UNAVAILABLE}
        before = [one for one in world.arrivals if not one.path.startswith("/late") and one.host == A]
        assert 5 <= len(before) <= 6  # one may have been under way
        assert late == [200] * 4
        probe, *rest = [one.at for one in world.arrivals if one.path.startswith("/late")]
        assert min(rest) - probe >= 0.1
        assert result.pacing.closed_hosts() == {}


async def test_a_failed_probe_closes_again() -> None:
    async with loopback(lambda arrival, n: Answer(500)) as world:

        async def during(crawler) -> None:
            await world.until(5)
            await asyncio.sleep(0.3)
            for n in range(4):
                crawler.engine.crawl(Request(world.url(f"/late{n}"), callback=print, errback=late.append))

        late: list[Failure] = []
        keep = Request(world.url("/keep", B), meta={"not_before": time() + 1.0})
        slots = {A: {"delay": 0, "concurrency": 1}}
        result = await crawl(
            [*(Request(world.url(f"/{n}")) for n in range(5)), keep], during, LITCRAWL_SLOTS=slots, LITCRAWL_CLOSED=[0.2, 10]
        )
        assert len(world.times(A)) == 6
        assert [failure.value.reason for failure in late] == [Reason.UNAVAILABLE] * 4
        assert result.pacing.closed_hosts().keys() == {A}


async def test_an_answer_about_one_document_is_no_failure() -> None:
    def behaviour(arrival, n):
        return Answer(404 if int(arrival.path[1:]) % 3 == 0 else 500)

    async with loopback(behaviour) as world:
        result = await crawl(
            [Request(world.url(f"/{n}")) for n in range(12)], LITCRAWL_SLOTS={A: {"delay": 0, "concurrency": 1}}, RETRY_TIMES=0
        )
        assert len(result.responses) == 12
        assert result.pacing.closed_hosts() == {}


async def test_walls_close_a_host_too() -> None:
    page = b"<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={}</script></body></html>"
    async with loopback(lambda arrival, n: Answer(403, [("Content-Type", "text/html")], page)) as world:
        result = await crawl([Request(world.url(f"/{n}")) for n in range(9)], LITCRAWL_SLOTS={A: {"delay": 0, "concurrency": 1}})
        assert [response.status for response in result.responses] == [403] * 5
        assert {failure.value.reason for failure in result.failures} == {Reason.UNAVAILABLE}


async def test_a_named_time_closes_all_hosts_of_the_slot_and_failures_one() -> None:
    def behaviour(arrival, n):
        return Answer(503, [("Retry-After", "900")]) if arrival.path == "/full" else Answer(500 if arrival.host == A else 200)

    async with loopback(behaviour) as world:
        slots = {"group": {"hosts": [A, B], "delay": 0, "concurrency": 1}}
        requests = [Request(world.url(f"/{n}", host)) for n in range(6) for host in (A, B)]
        result = await crawl(requests, LITCRAWL_SLOTS=slots, RETRY_TIMES=0)
        assert result.pacing.closed_hosts().keys() == {A}
        assert sum(response.status == 200 for response in result.responses) == 6
        result = await crawl([Request(world.url("/full")), Request(world.url("/x", B))], LITCRAWL_SLOTS=slots)
        assert result.pacing.closed_hosts().keys() == {A, B}
        assert len(result.failures) == 2


async def test_a_spent_quota_is_told_from_asking_too_fast() -> None:
    def behaviour(arrival, n):
        if arrival.host == A:
            return Answer(429, [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "43200")])
        return Answer(429, [("X-RateLimit-Remaining", "12"), ("X-RateLimit-Reset", "43200")]) if n == 1 else Answer()

    async with loopback(behaviour) as world:
        requests = [Request(world.url(f"/{n}", host)) for host in (A, B) for n in range(2)]
        result = await crawl(requests, LITCRAWL_SLOTS={A: {"concurrency": 1}, B: {"concurrency": 1}})
        assert [failure.value.reason for failure in result.failures] == [Reason.QUOTA] * 2
        assert [response.status for response in result.responses] == [200] * 2
        assert len(world.times(A)) == 1


async def test_announced_limits_are_followed_where_they_are_stricter() -> None:
    headers = [("X-Rate-Limit-Limit", "4"), ("X-Rate-Limit-Interval", "1s"), ("X-Concurrency-Limit", "1")]
    async with loopback(lambda arrival, n: Answer(headers=headers, latency=0.02)) as world:
        slots = {"api": {"hosts": [A], "limit": (50, 1.0), "concurrency": 5}}
        await crawl([Request(world.url(f"/{n}")) for n in range(10)], LITCRAWL_SLOTS=slots)
        times = world.times()[5:]  # those that knew
        assert busiest(times, 1.0) <= 4


@pytest.mark.parametrize(
    ("count", "seconds", "asked"), [("1", "86400s", 1), ("1", "1e30s", 1), ("1e-300", "1s", 3), ("1", "nan", 3), ("1e308", "1e-308s", 3)]
)
async def test_a_pace_that_nobody_keeps_closes_its_host_and_holds_up_nobody(count, seconds, asked) -> None:
    headers = [("X-Rate-Limit-Limit", count), ("X-Rate-Limit-Interval", seconds), ("X-Concurrency-Limit", "1e308")]
    async with loopback(lambda arrival, n: Answer(headers=headers if arrival.host == A else [])) as world:
        slots = {A: {"limit": (50, 1.0), "concurrency": 1}}
        result = await crawl([Request(world.url(f"/{n}", host)) for host in (A, B) for n in range(3)], LITCRAWL_SLOTS=slots)
        assert len(world.times(A)) == asked
        assert {failure.value.reason for failure in result.failures} <= {Reason.RATE_LIMITED}
        assert len(result.responses) + len(result.failures) == 6


async def test_retries_wait_in_the_queue_while_others_go_on() -> None:
    def behaviour(arrival, n):
        return Answer(503) if arrival.path == "/flaky" and n < 3 else Answer()

    async with loopback(behaviour) as world:
        requests = [Request(world.url("/flaky")), *(Request(world.url(f"/{n}")) for n in range(30))]
        result = await crawl(requests, LITCRAWL_SLOTS={A: {"delay": 0.02, "concurrency": 1}}, LITCRAWL_BACKOFF=[0.2, 1])
        flaky = [one.at for one in world.arrivals if one.path == "/flaky"]
        assert len(flaky) == 3
        assert gaps(flaky)[0] >= 0.2
        assert gaps(flaky)[1] >= 0.4
        assert sum(flaky[0] < at < flaky[1] for at in world.times()) >= 2
        answer = next(response for response in result.responses if response.url.endswith("/flaky"))
        assert answer.request.meta["tries"] == 3


async def test_a_stop_waits_for_nothing_but_what_is_on_the_wire() -> None:
    async with loopback(lambda arrival, n: Answer()) as world:

        async def during(crawler) -> None:
            await world.until(2)
            stopped.append(monotonic())
            await crawler.stop_async()

        stopped: list[float] = []
        slots = {A: {"limit": (1, 0.5), "concurrency": 1}, B: {"delay": 30, "concurrency": 4, "autothrottle": True}}
        requests = [Request(world.url(f"/{n}", host)) for n in range(20) for host in (A, B)]
        result = await crawl(requests, during, LITCRAWL_SLOTS=slots, AUTOTHROTTLE_ENABLED=True)
        assert result.ended - stopped[0] < 1.0


async def test_autothrottle_lengthens_the_delay_of_slots_that_leave_it_to_it_and_never_shortens_it() -> None:
    async with loopback(lambda arrival, n: Answer(latency=0.2 if arrival.host == A else 0)) as world:
        slots = {host: {"delay": 0.1, "concurrency": 4, "autothrottle": True} for host in (A, B)}
        requests = [Request(world.url(f"/{n}", host)) for n in range(6) for host in (A, B)]
        await crawl(requests, LITCRAWL_SLOTS=slots, AUTOTHROTTLE_ENABLED=True, AUTOTHROTTLE_TARGET_CONCURRENCY=1)
        assert gaps(world.times(A))[-1] > 0.18
        assert min(gaps(world.times(B))) >= 0.07  # from send to send: short by what connecting varies; without the floor it is 0


@pytest.mark.parametrize("hosts", [1, 300])
async def test_a_pop_looks_at_lanes_not_at_requests(hosts: int) -> None:
    """With thousands of requests held back, the queue asks pacing a bounded number of times for each that goes."""
    asked = 0
    async with loopback(lambda arrival, n: Answer()) as world:
        due = PacingMiddleware.due

        def counted(self, *args):
            nonlocal asked
            asked += 1
            return due(self, *args)

        async def during(crawler) -> None:
            await world.until(10)
            await crawler.stop_async()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(PacingMiddleware, "due", counted)
            slow = {f"slow{n}.test": {"limit": (1, 3600.0)} for n in range(hosts)}
            held = [Request(f"http://slow{n % hosts}.test/{n}", meta={"not_before": time() + 900}) for n in range(1000)]
            requests = [*held, *(Request(world.url(f"/{n}")) for n in range(10))]
            await crawl(requests, during, LITCRAWL_SLOTS={**slow, A: {"delay": 0.02}})
    assert asked < 3 * 1010
