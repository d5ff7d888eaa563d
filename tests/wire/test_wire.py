"""The handler inside real crawls, without a reactor; and with one, in a process of its own."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from rawserver import HangUp, reply
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerRunner

from litcrawl.wire import Wire

CRAWL = {
    "DOWNLOAD_HANDLERS": {"http": "litcrawl.wire.Wire", "https": "litcrawl.wire.Wire"},
    "TWISTED_REACTOR_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "COOKIES_ENABLED": False,
    "COMPRESSION_ENABLED": False,
    "RETRY_ENABLED": True,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "LOG_LEVEL": "ERROR",
    "USER_AGENT": None,
}


class Fetching(Spider):
    name = "fetching"
    urls: Sequence[str] = ()
    meta: Mapping[str, Any] = MappingProxyType({})

    async def start(self):
        for url in self.urls:
            yield Request(url, callback=self.on_response, errback=self.on_failure, meta=dict(self.meta), dont_filter=True)

    def on_response(self, response):
        self.crawler.got.append((response, response.meta))

    def on_failure(self, failure):
        self.crawler.got.append((failure.value, failure.request.meta))


async def crawl(values, urls, meta=None, **changes):
    runner = AsyncCrawlerRunner({**values, **CRAWL, **changes})
    crawler = runner.create_crawler(Fetching)
    crawler.got = []
    await runner.crawl(crawler, urls=urls, meta=meta or {})
    return crawler


async def test_a_crawl(serve, values):
    upstream = await serve(reply(b"ok"))
    crawler = await crawl(values, [upstream.url(f"/{number}") for number in range(50)], CONCURRENT_REQUESTS=4)
    assert [response.body for response, _ in crawler.got] == [b"ok"] * 50
    assert all(meta["download_latency"] > 0 for _, meta in crawler.got)
    assert upstream.connections <= 4
    assert upstream.sent("User-Agent").startswith("litcrawl/")
    assert crawler.stats.get_value("log_count/ERROR", 0) == 0


async def test_a_cut_file_is_retried_by_scrapy_and_resumed(serve, values):
    content = bytes(range(256)) * 2000
    tries = []

    async def cutting(head, writer):
        tries.append(head)
        if len(tries) == 1:
            writer.write(reply(content[:300_000], Content_Length=len(content), ETag='"v1"'))
            await writer.drain()
            raise HangUp
        headers = {"ETag": '"v1"', "Content_Range": f"bytes 300000-{len(content) - 1}/{len(content)}"}
        writer.write(reply(content[300_000:], status="206 Partial Content", **headers))

    upstream = await serve(cutting)
    [(response, meta)] = (await crawl(values, [upstream.url()], {"spool": "x"})).got
    assert response.spool.size == len(content)
    assert meta["received"] == [300_000]


@pytest.mark.parametrize(
    ("answer", "sent"), [(b"garbage\r\n\r\n", 3), (reply(b"x", Content_Length=10), 3), (reply(Content_Length=10**12), 1)]
)
async def test_what_is_retried(serve, values, answer, sent):
    async def say(head, writer):
        writer.write(answer)
        await writer.drain()
        raise HangUp

    upstream = await serve(say)
    await crawl(values, [upstream.url()])
    assert len(upstream.heads) == sent


async def test_both_schemes_of_a_crawler_share_one_stack_and_no_two_crawlers_do(values):
    runner = AsyncCrawlerRunner({**values, **CRAWL})
    first, second = runner.create_crawler(Fetching), runner.create_crawler(Fetching)
    assert Wire.from_crawler(first)._stack is Wire.from_crawler(first)._stack
    assert Wire.from_crawler(first)._stack is not Wire.from_crawler(second)._stack


async def test_a_crawl_is_recorded_and_plays_offline(serve, values, tmp_path):
    upstream = await serve([reply(status="503 Busy"), reply(b"ok")])
    where = {"LITCRAWL_CASSETTE": str(tmp_path / "cassettes"), "LITCRAWL_RECORD": "once"}
    for flags in ([], ["cassette"]):
        [(response, _)] = (await crawl(values, [upstream.url()], **where)).got
        assert (response.body, response.flags) == (b"ok", flags)
    assert len(upstream.heads) == 2


@pytest.mark.parametrize("loop", [None, "uvloop.Loop"])
async def test_with_a_reactor(serve, values, tmp_path, loop):
    if loop:
        pytest.importorskip("uvloop")
    upstream = await serve(reply(b"ok"))
    script = tmp_path / "run.py"
    script.write_text(f"""
import sys
from scrapy.crawler import AsyncCrawlerProcess
from test_wire import CRAWL, Fetching

process = AsyncCrawlerProcess({{**{values!r}, **CRAWL, "TWISTED_REACTOR_ENABLED": True, "ASYNCIO_EVENT_LOOP": {loop!r}}})
crawler = process.create_crawler(Fetching)
crawler.got = []
process.crawl(crawler, urls={[upstream.url()] * 5!r}, meta={{}})
process.start()
assert [response.body for response, _ in crawler.got] == [b"ok"] * 5, crawler.got
""")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-W", "always::ResourceWarning", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "Unclosed" not in done.stderr  # aiohttp's warning of a session or connector that was left open
