"""The transport against servers that behave, and servers that do not."""

import asyncio
import contextlib
import errno
import gc
import gzip
import hashlib
import random
import re
import socket
import ssl
import struct
import threading
import tracemalloc
import zlib
from pathlib import Path

import pytest
import trustme
from aiohttp.client_proto import ResponseHandler
from rawserver import HangUp, reply
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    UnsupportedURLSchemeError,
)
from scrapy.http import HtmlResponse, JsonResponse, Response, XmlResponse

from litcrawl import locks
from litcrawl.exceptions import Miss, StorageError
from litcrawl.items import Spool
from litcrawl.terms import Reason
from litcrawl.wire.errors import CertificateError, CutShort
from litcrawl.wire.parts import Origin, Part, Parts
from litcrawl.wire.response import SpooledResponse

FILE = bytes(range(256)) * 2000  # 512,000 bytes: over the streaming size of these tests


def bytes_of(answer):
    return Path(answer.spool.path).read_bytes()


async def test_a_small_answer_is_a_response_of_the_fitting_class(serve, transport):
    upstream = await serve(
        [reply(b"{}", Content_Type="application/json"), reply(b"<a/>", Content_Type="text/xml"), reply(b"<html>", status="404 No")]
    )
    requests = [Request(upstream.url()) for _ in range(3)]
    answers = [await transport.fetch(request) for request in requests]
    assert [type(each) for each in answers] == [JsonResponse, XmlResponse, HtmlResponse]
    assert [each.status for each in answers] == [200, 200, 404]
    assert str(answers[0].ip_address) == "127.0.0.1"
    assert all(request.meta["download_latency"] > 0 for request in requests)
    assert upstream.connections == 1  # kept alive


@pytest.mark.parametrize(
    "path",
    [
        "/works/10.1002/%28SICI%291096-9861%2819960129%29365:1%3C113::AID-CNE9%3E3.0.CO;2-6",
        "/a%2fb%2Fc/%7Euser/./x//y?q=a%20b+c&d=%E9&e",
        "/?prefix=PMC9.&list-type=2",
    ],
)
async def test_the_address_arrives_byte_for_byte(serve, transport, path):
    upstream = await serve(reply())
    await transport.fetch(Request(upstream.url(path), meta={"verbatim_url": True}))
    assert upstream.heads[0].split(b" ")[1] == path.encode()


async def test_nothing_is_added_to_the_request(serve, transport):
    upstream = await serve(reply(Set_Cookie="a=b"))
    for _ in range(2):
        await transport.fetch(Request(upstream.url(), headers={"X-Given": ["1", "2"], "Cookie": "c=d; e=f"}))
    lines = upstream.heads[1].decode().strip().split("\r\n")
    assert sorted(lines[1:]) == ["Cookie: c=d; e=f", f"Host: 127.0.0.1:{upstream.port}", "X-Given: 1", "X-Given: 2"]


async def test_methods_and_bodies(serve, transport):
    upstream = await serve([reply(Content_Length=1000), reply(b"got"), reply(status="302 Found", Location="/else")])
    head = await transport.fetch(Request(upstream.url(), method="HEAD"))
    post = await transport.fetch(Request(upstream.url(), method="POST", body=b'{"ids": []}', headers={"Content-Type": "application/json"}))
    moved = await transport.fetch(Request(upstream.url()))
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", b"1000")
    assert (post.body, upstream.bodies[1], upstream.sent("Content-Type", 1)) == (b"got", b'{"ids": []}', "application/json")
    assert (moved.status, moved.headers["Location"]) == (302, b"/else")


@pytest.mark.parametrize("name", [b"page.html", b"http://[x", b"../../x.html", b"\xff", b'"', b"=;=;"])
async def test_what_content_disposition_says_decides_nothing(serve, transport, name):
    raw = b"HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=" + name + b"\r\nContent-Length: 4\r\n\r\n\0\1\2\3"
    answer = await transport.fetch(Request((await serve(raw)).url()))
    assert type(answer) is Response


async def test_repeated_and_undecodable_headers_arrive_as_they_are(serve, transport):
    raw = b"HTTP/1.1 200 OK\r\nLink: a\r\nLink: b\r\nX-Name: caf\xe9 \xff\r\nContent-Length: 0\r\n\r\n"
    answer = await transport.fetch(Request((await serve(raw)).url()))
    assert answer.headers.getlist("Link") == [b"a", b"b"]
    assert answer.headers["X-Name"] == b"caf\xe9 \xff"


# -- codings


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(b"abc" * 999)),
        ("x-gzip", gzip.compress(b"abc" * 999)),
        ("gzip", gzip.compress(b"abc" * 9) + gzip.compress(b"abc" * 990)),
        ("gzip", gzip.compress(b"abc" * 999) + b"\0" * 20),
        ("deflate", zlib.compress(b"abc" * 999)),
        ("deflate", zlib.compress(b"abc" * 999)[2:-4]),
    ],
)
async def test_a_coding_that_was_asked_for_is_undone(serve, transport, coding, body):
    upstream = await serve(reply(body, Content_Encoding=coding))
    answer = await transport.fetch(Request(upstream.url(), headers={"Accept-Encoding": "gzip, deflate"}))
    assert answer.body == b"abc" * 999
    assert "Content-Encoding" not in answer.headers
    assert "Content-Length" not in answer.headers


@pytest.mark.parametrize(
    ("coding", "body", "asked"),
    [
        ("gzip", gzip.compress(b"abc"), None),
        ("gzip", gzip.compress(b"abc"), "identity"),
        ("gzip", b"plain text", "gzip"),
        ("gzip", gzip.compress(FILE)[:-10], "gzip"),
        ("br", b"\x0b\x01\x80abc\x03", "gzip"),
        ("gzip, gzip", gzip.compress(b"abc"), "gzip"),
    ],
)
async def test_a_coding_that_cannot_be_undone_or_was_not_asked_for_stays(serve, transport, coding, body, asked):
    upstream = await serve(reply(body, Content_Encoding=coding))
    answer = await transport.fetch(Request(upstream.url(), headers={"Accept-Encoding": asked} if asked else {}))
    assert answer.body == body
    assert answer.headers["Content-Encoding"] == coding.encode()


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
async def test_a_decompression_bomb_is_stopped_at_the_cap(serve, transport, coding):
    bomb = (gzip.compress if coding == "gzip" else zlib.compress)(bytes(50_000_000))
    upstream = await serve(reply(bomb, Content_Encoding=coding))
    with pytest.raises(Miss) as raised:
        await transport.fetch(Request(upstream.url(), headers={"Accept-Encoding": coding}))
    assert raised.value.reason == Reason.TOO_LARGE


async def test_a_bomb_that_is_a_file_leaves_nothing_on_disk(serve, transport, parts):
    upstream = await serve(reply(gzip.compress(bytes(50_000_000)), Content_Encoding="gzip"))
    with pytest.raises(Miss):
        await transport.fetch(Request(upstream.url(), headers={"Accept-Encoding": "gzip"}, meta={"spool": "bomb"}))
    assert parts() == []


@pytest.mark.parametrize("size", [512_000, 2_000_000])
async def test_a_coded_file_is_decoded_to_disk(serve, transport, parts, size):
    content = hashlib.shake_128(b"noise").digest(size // 2) + bytes(size // 2)
    upstream = await serve(reply(gzip.compress(content), Content_Encoding="gzip"))
    answer = await transport.fetch(Request(upstream.url(), headers={"Accept-Encoding": "gzip"}, meta={"spool": "x"}))
    assert bytes_of(answer) == content
    assert answer.spool.sha256 == hashlib.sha256(content).hexdigest()
    assert "Content-Encoding" not in answer.headers
    assert parts() == [Path(answer.spool.path).name]


async def test_a_large_file_in_a_false_coding_stays_as_it_came(serve, transport, parts):
    upstream = await serve(reply(FILE, Content_Encoding="gzip"))
    answer = await transport.fetch(Request(upstream.url(), headers={"Accept-Encoding": "gzip"}, meta={"spool": "x"}))
    assert bytes_of(answer) == FILE
    assert answer.headers["Content-Encoding"] == b"gzip"
    assert parts() == [Path(answer.spool.path).name]


# -- sizes and the disk


async def test_a_large_file_goes_to_disk_hashed(serve, transport, settings, parts):
    upstream = await serve(reply(FILE, Content_Type="application/pdf"))
    answer = await transport.fetch(Request(upstream.url(), meta={"spool": "x"}))
    assert isinstance(answer, SpooledResponse)
    assert answer.body == b""
    assert Path(answer.spool.path).parent == Path(settings["LITCRAWL_OUT"]) / ".parts"
    assert bytes_of(answer) == FILE
    assert (answer.spool.size, answer.spool.sha256) == (len(FILE), hashlib.sha256(FILE).hexdigest())
    assert answer.spool.md5 == hashlib.md5(FILE, usedforsecurity=False).hexdigest()
    assert (answer.spool.head, answer.spool.tail) == (FILE[: Spool.END], FILE[-Spool.END :])
    assert answer.replace(status=203).spool is answer.copy().spool is answer.spool
    assert parts() == [Path(answer.spool.path).name]


async def test_a_small_file_and_an_error_page_stay_in_memory(serve, transport, parts):
    upstream = await serve([reply(b"%PDF-"), reply(bytes(200_000), status="404 Not Found")])
    for size in (5, 200_000):
        answer = await transport.fetch(Request(upstream.url(), meta={"spool": "x"}))
        assert len(answer.body) == size
    assert parts() == []


async def test_chunked_and_unending_bodies(serve, transport):
    async def until_close(head, writer):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + FILE)
        await writer.drain()
        raise HangUp

    chunked = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (FILE[:7], FILE[7:300_000], FILE[300_000:]))
        + b"0\r\n\r\n"
    )
    for answer in (chunked, until_close):
        upstream = await serve(answer)
        response = await transport.fetch(Request(upstream.url(), meta={"spool": "x"}))
        assert response.spool.sha256 == hashlib.sha256(FILE).hexdigest()


async def test_a_page_in_a_files_place_takes_little_memory(serve, transport_with):
    transport = transport_with(DOWNLOAD_MAXSIZE=32 << 20)
    upstream = await serve(reply(bytes(2 << 20), status="404 Not Found"))
    with pytest.raises(Miss) as raised:
        await transport.fetch(Request(upstream.url(), meta={"spool": "x"}))
    assert raised.value.reason == Reason.TOO_LARGE
    assert len((await transport.fetch(Request(upstream.url()))).body) == 2 << 20, "what an API says is an answer"


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("spool", [True, False])
async def test_a_body_over_the_cap_is_not_fetched(serve, transport, parts, announced, spool):
    taken = 0

    async def endless(head, writer):
        nonlocal taken
        writer.write(reply(Content_Length=10**12) if announced else reply(Content_Length=None))
        while True:
            writer.write(bytes(50_000))
            await writer.drain()
            taken += 50_000

    upstream = await serve(endless)
    with pytest.raises(Miss) as raised:
        await transport.fetch(Request(upstream.url(), meta={"spool": "x"} if spool else {}))
    assert raised.value.reason == Reason.TOO_LARGE
    assert taken < 30_000_000
    assert parts() == []


async def test_too_little_space_is_a_full_disk(serve, transport_with, parts):
    transport = transport_with(LITCRAWL_MIN_FREE=10**18)
    upstream = await serve(reply(FILE))
    with pytest.raises(StorageError) as raised:
        await transport.fetch(Request(upstream.url(), meta={"spool": "x"}))
    assert raised.value.full
    assert parts() == []
    assert (await transport.fetch(Request(upstream.url()))).body == FILE  # in memory there is room


@pytest.mark.parametrize(("cause", "full"), [("ENOSPC", True), ("EDQUOT", True), ("EIO", False)])
async def test_a_write_that_fails_midway_leaves_nothing(serve, transport, parts, monkeypatch, cause, full):
    def failing(self, data, digest=Part._digest):
        digest(self, data)
        if self.size > 300_000:
            raise OSError(getattr(errno, cause), "as told")

    monkeypatch.setattr(Part, "_digest", failing)
    upstream = await serve(reply(FILE))
    with pytest.raises(StorageError) as raised:
        await transport.fetch(Request(upstream.url(), meta={"spool": "x"}))
    assert raised.value.full is full
    assert parts() == []


async def test_an_error_that_nobody_foresaw_leaves_nothing(serve, transport, parts, monkeypatch):
    opened = []

    def failing(self, data, digest=Part._digest):
        opened.append(self)
        digest(self, data)
        if self.size > 300_000:
            raise MemoryError

    monkeypatch.setattr(Part, "_digest", failing)
    upstream = await serve(reply(FILE))
    with pytest.raises(MemoryError):
        await transport.fetch(Request(upstream.url(), meta={"spool": "x"}))
    assert opened[0]._file.closed
    assert parts() == []


async def test_a_crawl_cancelled_while_a_body_is_settled_leaves_nothing(serve, transport, parts, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    def slow(self, finish=Part.finish):
        begun.set()
        go_on.wait(10)
        return finish(self)

    monkeypatch.setattr(Part, "finish", slow)
    upstream = await serve(reply(FILE))
    task = asyncio.create_task(transport.fetch(Request(upstream.url(), meta={"spool": "x"})))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    await asyncio.sleep(0.05)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert parts() == []


async def test_a_folder_that_cannot_be_made_is_a_storage_error(serve, transport_with, tmp_path):
    (tmp_path / "out").write_text("a file in the way")
    transport = transport_with()
    upstream = await serve(reply(FILE))
    with pytest.raises(StorageError) as raised:
        await transport.fetch(Request(upstream.url(), meta={"spool": "x"}))
    assert not raised.value.full


async def test_two_transfers_never_share_a_part(serve, transport):
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(head, writer):
        letter = head.split(b" ")[1][-1:]
        writer.write(reply(letter * 250_000, Content_Length=400_000))
        await writer.drain()
        if letter == b"a":
            begun.set()
            await go_on.wait()
        writer.write(letter * 150_000)

    upstream = await serve(slow)
    first = asyncio.create_task(transport.fetch(Request(upstream.url("/a"), meta={"spool": "x"})))
    await begun.wait()
    await asyncio.sleep(0.3)  # by now its part is open
    second = await transport.fetch(Request(upstream.url("/b"), meta={"spool": "x"}))
    go_on.set()
    answers = [await first, second]
    assert [bytes_of(each) for each in answers] == [b"a" * 400_000, b"b" * 400_000]
    assert answers[0].spool.path != answers[1].spool.path


def test_a_whole_body_is_out_of_reach_of_the_next_transfer_of_its_name(tmp_path):
    origin = Origin("x", '"v1"', 4)
    folder = Parts(str(tmp_path), 0)
    spools = []
    for content in (b"good", b"poor"):
        part = folder.create("x", origin)
        part.write(content)
        spools.append(part.finish())
    unfinished = folder.create("x", origin)
    assert [Path(spool.path).read_bytes() for spool in spools] == [b"good", b"poor"]
    unfinished.discard()
    assert sorted(str(path) for path in (tmp_path / ".parts").iterdir()) == sorted(spool.path for spool in spools)


def test_a_part_that_is_finished_while_another_transfer_opens_it_is_left_alone(tmp_path, monkeypatch):
    folder = Parts(str(tmp_path), 0)
    first = folder.create("x", Origin.unknown())
    first.write(b"good")
    spools = []

    def late(file, lock=locks.take):
        spools.append(first.finish())
        lock(file)

    monkeypatch.setattr(locks, "take", late)
    second = folder.create("x", Origin.unknown())
    assert Path(spools[0].path).read_bytes() == b"good"
    assert second.path.exists()
    second.discard()


# -- time


@pytest.mark.parametrize("after", ["nothing", "status", "headers", "body"])
async def test_silence_is_a_timeout(serve, transport, after):
    said = {"nothing": b"", "status": b"HTTP/1.1 200 OK\r\n", "headers": reply(Content_Length=10), "body": reply(b"abc", Content_Length=10)}

    async def silent(head, writer):
        writer.write(said[after])
        await asyncio.sleep(60)

    with pytest.raises(DownloadTimeoutError):
        await transport.fetch(Request((await serve(silent)).url(), meta={"download_timeout": 0.2}))


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\nX: ", reply(Content_Length=10**6)])
async def test_a_drip_ends(serve, transport_with, start):
    async def drip(head, writer):
        writer.write(start)
        while True:
            writer.write(b"a")
            await writer.drain()
            await asyncio.sleep(0.05)

    transport = transport_with(DOWNLOAD_TIMEOUT=0.5)
    with pytest.raises(DownloadTimeoutError):
        await transport.fetch(Request((await serve(drip)).url(), meta={"spool": "x"}))


async def test_a_large_body_gets_more_time_while_it_is_not_too_slow(serve, transport_with, monkeypatch):
    monkeypatch.setattr("litcrawl.wire.body._SLOWEST", 200_000)

    async def steady(head, writer):
        writer.write(reply(Content_Length=len(FILE)))
        for start in range(0, len(FILE), 64_000):  # 512 kB in about 1.2 s: 430 kB/s
            writer.write(FILE[start : start + 64_000])
            await writer.drain()
            await asyncio.sleep(0.15)

    transport = transport_with(DOWNLOAD_TIMEOUT=0.6)
    answer = await transport.fetch(Request((await serve(steady)).url(), meta={"spool": "x"}))
    assert answer.spool.size == len(FILE)
    with pytest.raises(DownloadTimeoutError):  # the same pace, in memory, is no large body
        transport = transport_with(LITCRAWL_STREAM_SIZE=10**9)
        await transport.fetch(Request((await serve(steady)).url(), meta={"spool": "x"}))


# -- failures


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10abc\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Flood: abc\r\n" * 200_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX-Flood: " + b"a" * 3_000_000 + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00",
        b"HTTP/1.1 200 OK\r\nBad Header\x00: 1\r\n\r\n",
    ],
    ids=range(11),
)
async def test_what_is_not_http_is_a_retryable_failure(serve, transport, answer):
    async def say(head, writer):
        writer.write(answer)
        await writer.drain()
        raise HangUp

    upstream = await serve(say)
    with pytest.raises((DownloadFailedError, CutShort)) as raised:
        await transport.fetch(Request(upstream.url("/?api_key=sesame")))
    assert "sesame" not in f"{raised.value!r} {raised.value.__cause__!r} {raised.value.__context__!r}"


async def test_spoilt_answers_are_answers_or_foreseen_failures(serve, transport):
    """Three hundred good answers, a few bytes of each exchanged for others."""
    dice = random.Random(11)  # noqa: S311
    good = [
        reply(b"a" * 20, Content_Type="text/html; charset=x", Set_Cookie="a=b; Path=/", Link="<http://a>; rel=next", ETag='"x"'),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n4\r\n\x1f\x8b\x08\0\r\n0\r\nX: a\r\n\r\n",
        reply(b"", status="302 Found", Location="http://a/b", Content_Disposition='attachment; filename="a.pdf"'),
    ]
    pieces = [b"\r\n", b"\0", b"\xff", b":", b";", b'"', b"9" * 30, b"-", b" ", b"chunked", b"HTTP/1.1 100 C\r\n\r\n", b"[", b"%", b","]

    async def say(head, writer):
        answer = bytearray(dice.choice(good))
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(answer))
            answer[at : at + dice.randint(0, 5)] = dice.choice(pieces)
        writer.write(bytes(answer))
        await writer.drain()
        raise HangUp

    upstream = await serve(say)
    foreseen = (DownloadFailedError, DownloadTimeoutError, CutShort, Miss)
    for number in range(300):
        request = Request(upstream.url(), headers={"Accept-Encoding": "gzip"}, meta={"spool": f"x{number}", "download_timeout": 5})
        with contextlib.suppress(*foreseen):
            assert 0 <= (await transport.fetch(request)).status < 1000


async def test_a_request_whose_kept_connection_is_lost_is_sent_once(serve, transport):
    async def first_only(head, writer):
        if len(upstream.heads) == 2:
            raise HangUp
        writer.write(reply(b"ok"))

    upstream = await serve(first_only)
    await transport.fetch(Request(upstream.url()))
    with pytest.raises(DownloadFailedError, match="ServerDisconnectedError"):
        await transport.fetch(Request(upstream.url()))
    assert (len(upstream.heads), upstream.connections) == (2, 1)  # the retry comes in the host's own time


@pytest.mark.parametrize("rest", [b"zz\r\n", b"5\r\nabcdefgh\r\n", b"-1\r\n", b"f" * 100_000])
async def test_a_chunk_that_is_none_is_a_cut(serve, transport, rest):
    async def say(head, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        await writer.drain()
        await asyncio.sleep(0.1)
        writer.write(rest)
        await writer.drain()
        await asyncio.sleep(0.1)
        raise HangUp

    with pytest.raises(CutShort):
        await transport.fetch(Request((await serve(say)).url()))


async def test_long_header_lines_of_real_publishers_are_taken(serve, transport):
    upstream = await serve(reply(b"ok", Content_Security_Policy="a" * 20_000))
    assert (await transport.fetch(Request(upstream.url()))).body == b"ok"


async def test_connections_that_cannot_be_made(serve, transport, unused_tcp_port=1):
    with pytest.raises(DownloadConnectionRefusedError):
        await transport.fetch(Request("http://127.0.0.1:1/"))
    with pytest.raises(CannotResolveHostError):
        await transport.fetch(Request("http://no-such-host.invalid/"))


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999/", "http://:80/", "http:///x", "http://127.1/", "ftp://127.0.0.1/", "http://[::1/"]
)
async def test_addresses_that_are_none(transport, url):
    with pytest.raises((UnsupportedURLSchemeError, DownloadFailedError)):
        await transport.fetch(Request(url, meta={"verbatim_url": True}))


async def test_a_line_break_in_a_header_never_reaches_the_wire(serve, transport):
    upstream = await serve(reply())
    with pytest.raises(DownloadFailedError) as raised:
        await transport.fetch(Request(upstream.url(), headers={"X-Key": "sesame\r\nX-Injected: 1"}))
    assert upstream.heads == []
    assert "sesame" not in repr(raised.value)


async def test_certificates_are_verified(serve, transport_with, tmp_path, monkeypatch):
    ours, other = trustme.CA(), trustme.CA()
    bundle = tmp_path / "ca.pem"
    ours.cert_pem.write_to_path(bundle)
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    transport = transport_with()
    assert (await transport.fetch(Request((await serve(reply(b"ok"), tls=_tls(ours))).url()))).body == b"ok"
    for tls in (_tls(other), _tls(ours, "elsewhere.example")):
        upstream = await serve(reply(b"ok"), tls=tls)
        with pytest.raises(CertificateError, match="certificate"):
            await transport.fetch(Request(upstream.url()))
        assert upstream.heads == []


@pytest.mark.parametrize("tls", [False, True])
async def test_a_connection_that_ends_badly_while_idle_is_nobodys_error(serve, transport_with, tmp_path, monkeypatch, caplog, tls):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    writers = []

    async def answer(head, writer):
        writers.append(writer)
        await _in_halves(writer)

    upstream = await serve(answer, tls=_tls(authority) if tls else None)
    transport = transport_with()
    for _ in range(2):
        assert (await transport.fetch(Request(upstream.url()))).body == b"ok"
    assert upstream.connections == 1
    await _reset(writers[0])
    assert (await transport.fetch(Request(upstream.url()))).body == b"ok"
    assert upstream.connections == 2
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


async def test_a_server_that_does_not_answer_the_end_of_tls_is_nobodys_error(serve, transport_with, tmp_path, monkeypatch, caplog):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    monkeypatch.setattr("litcrawl.wire.transport._KEEPALIVE", 0.05)
    monkeypatch.setattr("asyncio.constants.SSL_SHUTDOWN_TIMEOUT", 0.05)
    lost, writers = asyncio.get_running_loop().create_future(), []

    async def answer(head, writer):
        await _in_halves(writer)
        writer.transport.pause_reading()
        writers.append(writer)

    upstream = await serve(answer, tls=_tls(authority))
    monkeypatch.setattr(ResponseHandler, "connection_lost", _noting(ResponseHandler.connection_lost, lost))
    assert (await transport_with().fetch(Request(upstream.url()))).body == b"ok"
    assert isinstance(await asyncio.wait_for(lost, 20), TimeoutError)
    await _reset(writers[0])
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


def _noting(method, noted):
    def noting(self, error):
        method(self, error)
        noted.set_result(error)

    return noting


async def _in_halves(writer):
    """An answer that is not there whole when its headers are."""
    head, body = reply(b"ok")[:-1], reply(b"ok")[-1:]
    writer.write(head)
    await writer.drain()
    await asyncio.sleep(0.05)
    writer.write(body)
    await writer.drain()


async def _reset(writer):
    """End a connection at once, with a TCP reset, and let the other side hear of it."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    await asyncio.sleep(0.1)


def _tls(authority, name="127.0.0.1"):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


# -- addresses and proxies


async def test_a_guarded_request_reaches_public_addresses_only(serve, transport, monkeypatch):
    upstream = await serve(reply(b"secret"))
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]"):
        with pytest.raises(Miss) as raised:
            await transport.fetch(Request(upstream.url(host=host), meta={"global_only": True}))
        assert raised.value.reason == Reason.UNSAFE
    assert upstream.connections == 0
    await transport.fetch(Request(upstream.url(host="localhost")))  # and an open connection there is not shared
    with pytest.raises(Miss):
        await transport.fetch(Request(upstream.url(host="localhost"), meta={"global_only": True}))
    monkeypatch.setattr("litcrawl.wire.hosts._is_global", lambda address: True)
    assert (await transport.fetch(Request(upstream.url(host="localhost"), meta={"global_only": True}))).body == b"secret"


@pytest.mark.parametrize("given", ["header", "address"])
async def test_a_proxy_gets_the_request_and_its_password(serve, transport, given):
    upstream = await serve(reply(b"origin"))
    proxy = await serve(reply(b"by proxy"))
    address = f"http://127.0.0.1:{proxy.port}"
    if given == "header":
        request = Request(upstream.url("/x"), meta={"proxy": address}, headers={"Proxy-Authorization": "Basic dTpw"})
    else:
        request = Request(upstream.url("/x"), meta={"proxy": address.replace("//", "//u:p@")})
    answer = await transport.fetch(request)
    assert answer.body == b"by proxy"
    assert answer.ip_address is None
    assert proxy.heads[0].startswith(f"GET {upstream.url('/x')} ".encode())
    assert proxy.sent("Proxy-Authorization") == "Basic dTpw"
    assert upstream.heads == []


async def test_a_tunnel_keeps_the_password_from_the_host(serve, transport_with, tmp_path, monkeypatch):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    upstream = await serve(reply(b"origin"), tls=_tls(authority))

    async def tunnel(head, writer):
        reader, to_host = await asyncio.open_connection("127.0.0.1", upstream.port)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        client = proxy.readers[-1]

        async def pump(source, target):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()

        back = asyncio.create_task(pump(reader, writer))
        await pump(client, to_host)
        to_host.close()
        await back
        raise HangUp

    proxy = await serve(tunnel)
    transport = transport_with()
    request = Request(upstream.url("/x"), meta={"proxy": f"http://127.0.0.1:{proxy.port}"}, headers={"Proxy-Authorization": "Basic dTpw"})
    assert (await transport.fetch(request)).body == b"origin"
    assert proxy.sent("Proxy-Authorization", 0) == "Basic dTpw"
    assert b"roxy-A" not in upstream.heads[0]


async def test_a_proxys_password_is_in_no_exception(serve, transport):
    refusing = await serve(reply(status="407 Proxy Authentication Required"))
    for address in ("127.0.0.1:1", f"127.0.0.1:{refusing.port}"):
        request = Request("https://127.0.0.1:9/", meta={"proxy": f"http://user:sesame@{address}"})
        with pytest.raises((DownloadFailedError, DownloadConnectionRefusedError, Miss)) as raised:
            await transport.fetch(request)
        assert not re.search("sesame|c2VzYW1l", repr(raised.value))
        assert raised.value.__context__ is None


async def test_the_memory_of_a_large_body_stays_flat(serve, transport_with, parts):
    async def large(head, writer):
        writer.write(reply(Content_Length=64 << 20))
        block = bytes(1 << 20)
        for _ in range(64):
            writer.write(block)
            await writer.drain()

    transport = transport_with(LITCRAWL_STREAM_SIZE=1 << 20, LITCRAWL_MAX_FILE_SIZE=1 << 30)
    upstream = await serve(large)
    tracemalloc.start()
    answer = await transport.fetch(Request(upstream.url(), meta={"spool": "x"}))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert answer.spool.size == 64 << 20
    assert peak < 16 << 20
