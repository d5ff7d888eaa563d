"""A list read beside the crawl: rows as they come, no more than a few ahead."""

import asyncio
import threading

import pytest

from litcrawl.beside import AHEAD, read_beside


async def test_every_row_in_order():
    assert [row async for row in read_beside(range(5000))] == list(range(5000))


async def test_a_row_is_there_before_the_next_has_come():
    gate = threading.Event()

    def slow():
        yield 1
        gate.wait(10)
        yield 2

    seen = []
    async for row in read_beside(slow()):
        seen.append((row, gate.is_set()))
        gate.set()
    assert seen == [(1, False), (2, True)]


async def test_a_long_list_is_not_read_in_one_go():
    read = []

    def rows():
        for number in range(10 * AHEAD):
            read.append(number)
            yield number

    most = 0
    taken = 0
    async for _ in read_beside(rows()):
        taken += 1
        await asyncio.sleep(0)
        most = max(most, len(read) - taken)
    assert most <= AHEAD + 1


async def test_what_reading_raises_comes_after_the_rows_before_it():
    def broken():
        yield 1
        raise OSError("unplugged")

    seen = []
    with pytest.raises(OSError, match="unplugged"):
        async for row in read_beside(broken()):
            seen.append(row)
    assert seen == [1]


async def test_a_reader_that_is_not_needed_any_more_ends():
    reading = read_beside(range(10 * AHEAD))
    assert await anext(reading) == 0
    await reading.aclose()
    for _ in range(100):
        if not any(thread.name == "list" for thread in threading.enumerate()):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("still reading")
