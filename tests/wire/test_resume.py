"""Transfers that are cut, and go on later: over real connections, with servers that lie about ranges as well."""

import asyncio
import gzip
import hashlib
import json
import re
import socket
import struct
from pathlib import Path

import pytest
from rawserver import HangUp, reply
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError

from litcrawl.items import Spool
from litcrawl.wire.errors import CutShort, StalePart
from litcrawl.wire.response import SpooledResponse

FILE = bytes(range(256)) * 2000  # 512,000 bytes: over the streaming size of these tests
SMALL = FILE[:90_000]


class Shelf:
    """A file server that hangs up at byte `cut`, and keeps to RFC 9110 unless told otherwise."""

    def __init__(self, content=FILE, etag='"v1"', modified=None, cut=None):
        self.content, self.etag, self.modified, self.cut = content, etag, modified, cut
        self.override = None  # what to say to a Range request

    async def __call__(self, head, writer):
        text = head.decode()
        asked = re.search(r"Range: bytes=(\d+)-", text)
        validators = {"ETag": self.etag, "Last_Modified": self.modified, "Content_Type": "application/pdf"}
        start, status = 0, "200 OK"
        if asked and self.override:
            writer.write(self.override(int(asked[1])))
            return
        if asked and re.search(r"If-Range: (.+)\r", text)[1] in (self.etag, self.modified):
            start, status = int(asked[1]), "206 Partial Content"
            validators["Content_Range"] = f"bytes {start}-{len(self.content) - 1}/{len(self.content)}"
            if start >= len(self.content):
                writer.write(reply(b"no", status="416 No", Content_Range=f"bytes */{len(self.content)}", Content_Type="text/html"))
                return
        end = len(self.content) if self.cut is None else self.cut
        writer.write(reply(self.content[start:end], status=status, **(validators | {"Content_Length": len(self.content) - start})))
        if end < len(self.content):
            await writer.drain()
            raise HangUp


def file_request(upstream, path="/x.pdf", **meta):
    return Request(upstream.url(path), meta={"spool": "x"} | meta)


def content_of(answer):
    return Path(answer.spool.path).read_bytes() if isinstance(answer, SpooledResponse) else answer.body


async def cut_once(transport, upstream, at, shelf):
    """One try that is cut at byte `at`."""
    shelf.cut = at
    request = file_request(upstream)
    with pytest.raises(CutShort) as raised:
        await transport.fetch(request)
    shelf.cut = None
    return request, raised.value


@pytest.mark.parametrize("content", [FILE, SMALL], ids=["on disk", "in memory"])
@pytest.mark.parametrize("validator", [{"etag": '"v1"'}, {"etag": None, "modified": "Mon, 30 Nov 2026 10:00:00 GMT"}])
async def test_a_cut_file_goes_on_where_it_ended(serve, transport, transport_with, parts, content, validator):
    shelf = Shelf(content, **validator)
    upstream = await serve(shelf)
    at = len(content) - 10_000
    request, error = await cut_once(transport, upstream, at, shelf)
    assert (error.received, request.meta["received"]) == (at, [at])
    assert parts() == ["x", "x.resume"]
    answer = await transport_with().fetch(request)  # as another process would
    assert upstream.sent("Range") == f"bytes={at}-"
    assert upstream.sent("If-Range") == (shelf.etag or shelf.modified)
    assert content_of(answer) == content
    assert (answer.status, answer.flags) == (200, ["resumed"])
    assert answer.headers["Content-Type"] == b"application/pdf"
    assert "Content-Range" not in answer.headers
    if content is FILE:
        assert answer.spool.sha256 == hashlib.sha256(FILE).hexdigest()
        assert (answer.spool.head, answer.spool.tail) == (FILE[: Spool.END], FILE[-Spool.END :])
    assert parts() == ([Path(answer.spool.path).name] if content is FILE else [])


async def test_every_cut_is_counted_from_the_start_of_the_file(serve, transport):
    shelf = Shelf()
    upstream = await serve(shelf)
    request = file_request(upstream)
    for at in (150_000, 300_001, 300_001):
        shelf.cut = at
        with pytest.raises(CutShort):
            await transport.fetch(request)
    assert request.meta["received"] == [150_000, 300_001, 300_001]
    shelf.cut = None
    assert content_of(await transport.fetch(request)) == FILE


async def test_all_that_came_before_a_cut_is_kept(serve, transport, parts):
    """Also what waited in a buffer while the disk was written: the offset is the server's, whatever the timing."""
    for _ in range(5):
        shelf = Shelf(FILE * 4)
        upstream = await serve(shelf)
        _, error = await cut_once(transport, upstream, 1_999_999, shelf)
        assert error.received == 1_999_999
    assert parts() == ["x", "x.resume"]


@pytest.mark.parametrize("spool", [True, False])
async def test_a_chunked_body_without_its_end_is_cut(serve, transport, spool):
    async def unfinished(head, writer):
        writer.write(b'HTTP/1.1 200 OK\r\nETag: "v1"\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n' + FILE[:70_000] + b"\r\n")
        await writer.drain()
        raise HangUp

    request = Request((await serve(unfinished)).url(), meta={"spool": "x"} if spool else {})
    with pytest.raises(CutShort):
        await transport.fetch(request)
    assert request.meta["received"] == [70_000]


async def test_a_reset_connection_is_a_cut_that_says_nothing_of_the_file(serve, transport):
    async def reset(head, writer):
        writer.write(reply(FILE[:70_000], Content_Length=len(FILE), ETag='"v1"'))
        await writer.drain()
        await asyncio.sleep(0.2)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        raise HangUp

    request = file_request(await serve(reset))
    with pytest.raises(CutShort) as raised:
        await transport.fetch(request)
    assert raised.value.received == 70_000
    assert "received" not in request.meta, "three resets at one byte are a line that breaks, not a file that ends there"


async def test_a_timeout_keeps_what_came_too(serve, transport, parts):
    async def stall(head, writer):
        writer.write(reply(FILE[:300_000], Content_Length=len(FILE), ETag='"v1"'))
        await asyncio.sleep(60)

    with pytest.raises(DownloadTimeoutError):
        await transport.fetch(file_request(await serve(stall), download_timeout=0.3))
    assert parts() == ["x", "x.resume"]


async def test_a_deadline_and_a_cancelled_crawl_keep_what_came_too(serve, transport, transport_with, parts, monkeypatch):
    monkeypatch.setattr("litcrawl.wire.body._SLOWEST", 10**9)

    async def stall(head, writer):
        writer.write(reply(FILE[:300_000], Content_Length=len(FILE) // 2 + 300_000, ETag='"v1"'))
        await asyncio.sleep(60)

    upstream = await serve(stall)
    task = asyncio.create_task(transport.fetch(file_request(upstream)))
    await asyncio.sleep(0.5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert parts() == ["x", "x.resume"]
    assert transport._parts.held("x", upstream.url("/x.pdf")).length == 300_000
    transport._parts.discard("x")
    with pytest.raises(DownloadTimeoutError):
        await transport_with(DOWNLOAD_TIMEOUT=0.5).fetch(file_request(upstream))
    assert parts() == ["x", "x.resume"]


@pytest.mark.parametrize(
    ("shelf", "at"),
    [
        (Shelf(etag=None), 300_000),  # no validator
        (Shelf(etag='W/"weak"'), 300_000),
        (Shelf(etag='W/"weak"', modified="Mon, 30 Nov 2026 10:00:00 GMT"), 300_000),
    ],
)
async def test_what_could_not_be_continued_is_not_kept(serve, transport, parts, shelf, at):
    upstream = await serve(shelf)
    request, error = await cut_once(transport, upstream, at, shelf)
    assert error.received == at
    assert parts() == []
    assert content_of(await transport.fetch(request)) == FILE
    assert upstream.sent("Range") is None


async def test_a_changed_file_begins_at_zero(serve, transport, parts):
    shelf = Shelf()
    upstream = await serve(shelf)
    request, _ = await cut_once(transport, upstream, 300_000, shelf)
    shelf.content, shelf.etag = FILE[::-1], '"v2"'
    answer = await transport.fetch(request)
    assert upstream.sent("Range") == "bytes=300000-"
    assert content_of(answer) == FILE[::-1]
    assert answer.flags == []
    assert parts() == [Path(answer.spool.path).name]


async def test_a_small_file_in_place_of_the_held_one_leaves_nothing_behind(serve, transport, parts):
    shelf = Shelf()
    upstream = await serve(shelf)
    request, _ = await cut_once(transport, upstream, 300_000, shelf)
    shelf.content, shelf.etag = SMALL, '"v2"'
    assert content_of(await transport.fetch(request)) == SMALL
    assert parts() == []


def _partial(body, content_range, etag='"v1"', **more):
    return reply(body, status="206 Partial Content", Content_Range=content_range, ETag=etag, **more)


@pytest.mark.parametrize(
    "lie",
    [
        lambda start: _partial(FILE[start + 1 :], f"bytes {start + 1}-511999/512000"),
        lambda start: _partial(FILE, "bytes 0-511999/512000"),
        lambda start: _partial(FILE[start:], f"bytes {start}-511999/512001"),
        lambda start: _partial(FILE[start:], f"bytes {start}-511999/512000", etag='"v2"'),
        lambda start: _partial(FILE[start:], f"bytes {start}-511999/512000", etag=None),
        lambda start: _partial(FILE[start:-1], f"bytes {start}-511998/512000"),
        lambda start: _partial(FILE[start:], f"bytes {start}-511999/512000", Content_Encoding="gzip"),
        lambda start: _partial(FILE[start:], None),
        lambda start: _partial(b"--x", None, Content_Type="multipart/byteranges; boundary=x"),
        lambda start: reply(b"", status="416 No", Content_Range="bytes */100"),
        lambda start: reply(b"", status="416 No", Content_Range=f"bytes */{start}"),  # another length than announced
        lambda start: reply(b"", status="416 No"),
        lambda start: _partial(FILE[start:], f"bytes {start}-511999/" + "9" * 5000),
        lambda start: _partial(FILE[start:], f"bytes {start}-" + "9" * 5000 + "/*"),
        lambda start: reply(b"", status="416 No", Content_Range="bytes */" + "9" * 5000),
    ],
)
async def test_a_range_that_does_not_fit_is_thrown_away(serve, transport, parts, lie):
    shelf = Shelf()
    upstream = await serve(shelf)
    request, _ = await cut_once(transport, upstream, 300_000, shelf)
    shelf.override = lie
    with pytest.raises(StalePart):
        await transport.fetch(request)
    assert parts() == []
    assert content_of(await transport.fetch(request)) == FILE  # the next try begins at zero
    assert upstream.sent("Range") is None


async def test_a_range_cut_again_is_kept(serve, transport, parts):
    shelf = Shelf()
    upstream = await serve(shelf)
    request, _ = await cut_once(transport, upstream, 300_000, shelf)
    shelf.override = lambda start: _partial(FILE[start:400_000], f"bytes {start}-511999/*")  # whole by its own length, not by the file's
    with pytest.raises(CutShort):
        await transport.fetch(request)
    shelf.override = None
    assert content_of(await transport.fetch(request)) == FILE
    assert upstream.sent("Range") == "bytes=400000-"
    assert request.meta["received"] == [300_000, 400_000]


async def test_a_file_that_was_whole_all_along_is_taken(serve, transport, parts):
    """The end of a chunked body was lost, not a byte of the file: 416 with its length says so."""

    async def chunked(head, writer):
        writer.write(
            b'HTTP/1.1 200 OK\r\nETag: "v1"\r\nContent-Type: application/pdf\r\nTransfer-Encoding: chunked\r\n\r\n7d000\r\n' + FILE
        )
        await writer.drain()
        raise HangUp

    upstream = await serve(chunked)
    request = file_request(upstream)
    with pytest.raises(CutShort):
        await transport.fetch(request)
    upstream.answer = Shelf()
    answer = await transport.fetch(request)
    assert content_of(answer) == FILE
    assert (answer.status, answer.headers["Content-Type"], answer.flags) == (200, b"application/pdf", ["resumed"])
    assert parts() == [Path(answer.spool.path).name]


async def test_other_answers_leave_the_part_alone(serve, transport, parts):
    shelf = Shelf()
    upstream = await serve(shelf)
    request, _ = await cut_once(transport, upstream, 300_000, shelf)
    shelf.override = lambda start: reply(b"later", status="503 Busy")
    assert (await transport.fetch(request)).status == 503
    other = await transport.fetch(file_request(upstream, "/other.pdf", spool="y"))
    assert content_of(other) == FILE
    await transport.fetch(Request(upstream.url("/x.pdf")))  # not a file request
    assert upstream.sent("Range") is None
    shelf.override = None
    assert content_of(await transport.fetch(request)) == FILE
    assert upstream.sent("Range") == "bytes=300000-"


async def test_another_address_is_another_file(serve, transport):
    shelf = Shelf()
    upstream = await serve(shelf)
    await cut_once(transport, upstream, 300_000, shelf)
    assert content_of(await transport.fetch(file_request(upstream, "/mirror.pdf"))) == FILE
    assert upstream.sent("Range") is None


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"length": "x"}', '{"url": 1, "length": 5}', '{"unknown": 1, "length": 5}'])
async def test_a_damaged_record_means_from_the_start(serve, transport, tmp_path, record):
    shelf = Shelf()
    upstream = await serve(shelf)
    request, _ = await cut_once(transport, upstream, 300_000, shelf)
    (tmp_path / "out/.parts/x.resume").write_text(record)
    assert content_of(await transport.fetch(request)) == FILE
    assert upstream.sent("Range") is None


async def test_after_a_crash_only_recorded_bytes_count(serve, transport, tmp_path):
    """A machine that stops may leave a file longer than what it holds of the data."""
    shelf = Shelf()
    upstream = await serve(shelf)
    request, _ = await cut_once(transport, upstream, 300_000, shelf)
    record = json.loads((tmp_path / "out/.parts/x.resume").read_text())
    (tmp_path / "out/.parts/x.resume").write_text(json.dumps(record | {"length": 200_000}))
    (tmp_path / "out/.parts/x").write_bytes(FILE[:200_000] + bytes(100_000))
    answer = await transport.fetch(request)
    assert upstream.sent("Range") == "bytes=200000-"
    assert content_of(answer) == FILE
    assert answer.spool.sha256 == hashlib.sha256(FILE).hexdigest()


async def test_a_coded_file_is_continued_as_it_was_sent(serve, transport, parts):
    content = hashlib.shake_128(b"noise").digest(400_000)
    shelf = Shelf(gzip.compress(content))
    upstream = await serve(shelf)

    async def coded(head, writer):
        class Adding:
            def write(self, data):
                writer.write(data.replace(b"\r\n", b"\r\nContent-Encoding: gzip\r\n", 1))

            drain = writer.drain

        await shelf(head, Adding())

    upstream.answer = coded
    request = Request(upstream.url(), headers={"Accept-Encoding": "gzip"}, meta={"spool": "x"})
    shelf.cut = 200_000
    with pytest.raises(CutShort):
        await transport.fetch(request)
    shelf.cut = None
    answer = await transport.fetch(request)
    assert upstream.sent("Range") == "bytes=200000-"
    assert content_of(answer) == content
    assert answer.spool.sha256 == hashlib.sha256(content).hexdigest()
    assert parts() == [Path(answer.spool.path).name]
