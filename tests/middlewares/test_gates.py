"""A limit is one promise of the whole process: over crawlers that run at once, and one after another."""

import asyncio
from itertools import pairwise
from time import monotonic

from loopback import HOSTS, Answer, crawl, loopback
from scrapy import Request

from litcrawl.middlewares.gates import Gates
from litcrawl.slots import Slots

SLOTS = {"group": {"hosts": list(HOSTS), "limit": (1, 0.2), "concurrency": 1}, "free": {"concurrency": 4}}


def gaps(times):
    return [later - earlier for earlier, later in pairwise(sorted(times))]


async def test_crawlers_that_run_at_once_share_a_limit():
    async with loopback(lambda arrival, n: Answer(latency=0.05)) as world:
        await asyncio.gather(*(crawl([Request(world.url(f"/{n}", host)) for n in range(3)], LITCRAWL_SLOTS=SLOTS) for host in HOSTS))
        assert len(world.times()) == 9
        assert min(gaps(world.times())) >= 0.2
        assert world.most_at_once == 1


async def test_they_take_turns():
    async with loopback(lambda arrival, n: Answer()) as world:
        await asyncio.gather(*(crawl([Request(world.url(f"/{n}", host)) for n in range(5)], LITCRAWL_SLOTS=SLOTS) for host in HOSTS[:2]))
        hosts = [one.host for one in world.arrivals]
        assert hosts[:8].count(HOSTS[0]) in (3, 4, 5)


async def test_crawlers_that_follow_each_other_share_it_too():
    async with loopback(lambda arrival, n: Answer()) as world:
        for n in range(3):
            await crawl([Request(world.url(f"/{n}"))], LITCRAWL_SLOTS=SLOTS)
        assert min(gaps(world.times())) >= 0.2


def test_what_a_server_asked_of_one_crawl_is_not_the_next_one_s():
    gates, slots = Gates(), Slots(SLOTS)
    slot = slots.named("group")
    gate = gates.join(slot, "one")
    assert gates.join(slot, "two") is gate
    assert list(gates.others(slot, "one")) == ["two"]
    gate.sent(10.0)
    gate.ended(10.0)
    gate.pause(1000.0)
    gates.leave("one")
    assert gates.join(slot, "three") is gate
    gates.leave("two")
    gates.leave("three")
    following = gates.join(slot, "four")
    assert 10.2 <= following.due(10.0, active=0, delay=0) < 10.3


def test_a_slot_without_a_limit_is_each_crawler_s_own():
    gates, slot = Gates(), Slots(SLOTS).named("free")
    assert gates.join(slot, "one") is not gates.join(slot, "two")
    assert list(gates.others(slot, "one")) == []
    gates.leave("one")


def test_a_process_counts_its_start_for_a_request():
    table = {"arxiv": {"limit": (1, 3.0)}, "hourly": {"limit": (60, 3600.0)}, "quick": {"limit": (10, 1.0)}}
    began, gates = monotonic(), Gates()
    due = {name: gates.join(Slots(table).named(name), "one").due(began, active=0, delay=0) - began for name in table}
    assert {name: round(seconds, 1) for name, seconds in due.items()} == {"arxiv": 3.0, "hourly": 3.0, "quick": 0.1}


async def test_crawlers_whose_entries_differ_in_something_else_share_a_limit():
    tables = [{"group": SLOTS["group"] | {"timeout": seconds}} for seconds in (100, 200)]
    async with loopback(lambda arrival, n: Answer(latency=0.05)) as world:
        await asyncio.gather(
            *(
                crawl([Request(world.url(f"/{n}", host)) for n in range(3)], LITCRAWL_SLOTS=table)
                for host, table in zip(HOSTS, tables, strict=False)
            )
        )
        assert min(gaps(world.times())) >= 0.2
        assert world.most_at_once == 1


def test_of_entries_that_differ_the_stricter_holds_while_both_are_used():
    gates = Gates()
    first, second, third = (Slots({"group": {"limit": (1, seconds), "concurrency": 2}}).named("group") for seconds in (1.0, 5.0, 2.0))
    gate = gates.join(first, "one")
    assert gates.join(second, "two") is gates.join(third, "three") is gate
    gate.sent(gate_time := 1000.0)
    gate.ended(gate_time)
    assert 1005.0 <= gate.due(gate_time, active=0, delay=0) < 1005.1
    for user in ("one", "two", "three"):
        gates.leave(user)
    assert 1001.0 <= gates.join(first, "four").due(gate_time, active=0, delay=0) < 1001.1
