"""What is tried again, how often, and what stands at the end."""

from pathlib import Path

import pytest
from loopback import HOSTS, Answer, Arrival, crawl, loopback
from scrapy import Request
from scrapy.exceptions import DownloadConnectionRefusedError, ResponseDataLossError

from litcrawl.exceptions import Miss
from litcrawl.terms import Reason
from litcrawl.wire.errors import CertificateError

FAST = {HOSTS[0]: {"delay": 0, "concurrency": 2}}


@pytest.mark.parametrize(
    ("status", "tries"),
    [
        (408, 3),
        (429, 3),
        (500, 3),
        (502, 3),
        (503, 3),
        (504, 3),
        (520, 3),
        (524, 3),
        (527, 3),
        (501, 1),
        (404, 1),
        (403, 1),
        (401, 1),
        (302, 1),
    ],
)
async def test_which_statuses(status: int, tries: int) -> None:
    async with loopback(lambda arrival, n: Answer(status)) as world:
        result = await crawl([Request(world.url())], LITCRAWL_SLOTS=FAST, LITCRAWL_BACKOFF=[0.01, 0.05])
        assert [response.status for response in result.responses] == [status]
        assert result.responses[0].request.meta["tries"] == len(world.arrivals) == tries


async def test_a_refused_connection_is_tried_three_times_and_stays_what_it_is() -> None:
    async with loopback(lambda arrival, n: Answer()) as world:
        port = world.port
    result = await crawl([Request(f"http://{HOSTS[0]}:{port}/")], LITCRAWL_SLOTS=FAST)
    assert result.failures[0].check(DownloadConnectionRefusedError)
    assert result.failures[0].request.meta["tries"] == 3


def ends_at_byte_500(arrival: Arrival, n: int) -> Answer:
    """A file of 1,500 bytes of which nobody ever gets more than 500."""
    if "range" in arrival.headers:
        return Answer(206, [("ETag", '"a"'), ("Content-Range", "bytes 500-1499/1500")], b"", cut=True)
    return Answer(200, [("ETag", '"a"')], b"x" * 500, cut=True)


async def test_a_file_that_ends_at_the_same_byte_in_every_try_by_range_too_is_unreadable(tmp_path: Path) -> None:
    async with loopback(ends_at_byte_500) as world:
        request = Request(world.url(), meta={"spool": "part"}, headers={"Accept-Encoding": "identity"})
        result = await crawl([request], LITCRAWL_SLOTS=FAST, LITCRAWL_OUT=str(tmp_path))
        assert result.failures[0].value.reason is Reason.UNREADABLE
        assert ["range" in one.headers for one in world.arrivals] == [False, True, True]


async def test_a_file_that_ends_at_the_same_byte_where_no_range_is_served_is_unreadable() -> None:
    async with loopback(lambda arrival, n: Answer(body=b"x" * 500, cut=True)) as world:
        result = await crawl([Request(world.url())], LITCRAWL_SLOTS=FAST)
        assert result.failures[0].value.reason is Reason.UNREADABLE
        assert len(world.arrivals) == 3


@pytest.mark.parametrize("sizes", [[500, 600, 700], [0, 0, 0], [500, 500, 600]])
async def test_a_file_that_ends_elsewhere_or_nowhere_is_cut(sizes: list[int]) -> None:
    async with loopback(lambda arrival, n: Answer(body=b"x" * sizes[n - 1], cut=True)) as world:
        result = await crawl([Request(world.url())], LITCRAWL_SLOTS=FAST)
        assert result.failures[0].check(ResponseDataLossError)
        assert not result.failures[0].check(Miss)


async def test_one_cut_and_two_errors_are_no_proof() -> None:
    async with loopback(lambda arrival, n: Answer(body=b"x" * 500, cut=True) if n == 3 else Answer(503)) as world:
        result = await crawl([Request(world.url())], LITCRAWL_SLOTS=FAST)
        assert result.failures[0].check(ResponseDataLossError)


async def test_what_gzip_could_not_be_undone_is_asked_for_without() -> None:
    def behaviour(arrival, n):
        if arrival.headers.get("accept-encoding") == "gzip":
            return Answer(headers=[("Content-Encoding", "gzip")], body=b"not gzip at all")
        return Answer(body=b"plain")

    async with loopback(behaviour) as world:
        result = await crawl([Request(world.url(), headers={"Accept-Encoding": "gzip"})], LITCRAWL_SLOTS=FAST)
        assert [response.body for response in result.responses] == [b"plain"]
        assert [one.headers["accept-encoding"] for one in world.arrivals] == ["gzip", "identity"]


async def test_the_spooled_body_that_could_not_be_undone_is_thrown_away(tmp_path: Path) -> None:
    def behaviour(arrival, n):
        if arrival.headers.get("accept-encoding") == "gzip":
            return Answer(headers=[("Content-Encoding", "gzip")], body=b"not gzip at all" * 10_000)
        return Answer(body=b"plain")

    async with loopback(behaviour) as world:
        request = Request(world.url(), headers={"Accept-Encoding": "gzip"}, meta={"spool": "part"})
        result = await crawl([request], LITCRAWL_SLOTS=FAST, LITCRAWL_OUT=str(tmp_path), LITCRAWL_STREAM_SIZE=50_000)
        assert [response.body for response in result.responses] == [b"plain"]
    assert list((tmp_path / ".parts").iterdir()) == []


class Refusing:
    """A download handler whose every host fails in one way."""

    lazy = False
    error: Exception
    calls = 0

    async def download_request(self, request: Request) -> None:
        type(self).calls += 1
        raise self.error

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("error", [CertificateError("refused"), Miss(Reason.UNSAFE), LookupError("no such recording")])
async def test_what_no_retry_can_change(error: Exception) -> None:
    handler = type("Handler", (Refusing,), {"error": error})
    result = await crawl([Request("http://a.test/")], DOWNLOAD_HANDLERS={"http": handler})
    assert [failure.value for failure in result.failures] == [error]
    assert handler.calls == 1
    assert result.pacing.closed_hosts() == {}
