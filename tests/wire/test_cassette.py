"""What is recorded plays back byte for byte, in its order, without a server, and holds no secret."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rawserver import HangUp, reply
from scrapy import Request
from scrapy.exceptions import DownloadConnectionRefusedError
from scrapy.http import JsonResponse

from litcrawl.exceptions import BadArgument, Miss
from litcrawl.terms import Reason
from litcrawl.wire.cassette import Cassette
from litcrawl.wire.credentials import Credentials
from litcrawl.wire.errors import CassetteMiss, CutShort
from litcrawl.wire.transport import Transport

FILE = bytes(range(256)) * 2000


@pytest.fixture
async def cassette_in(settings, tmp_path):
    """A whole stack with a cassette on top; closing it is what saves."""
    made = []

    def make(mode, **changes):
        settings.update({"LITCRAWL_CASSETTE": str(tmp_path / "cassettes"), "LITCRAWL_RECORD": mode} | changes)
        made.append(Cassette(Credentials(Transport(settings), settings), settings))
        return made[-1]

    yield make
    for cassette in made:
        await cassette.close()


async def record(cassette_in, *requests, mode="once"):
    cassette = cassette_in(mode)
    answers = []
    for request in requests:
        try:
            answers.append(await cassette.fetch(request))
        except (Miss, CutShort, DownloadConnectionRefusedError) as error:
            answers.append(error)
    await cassette.close()
    return answers


def written(tmp_path):
    return {path.name: json.loads(path.read_text("utf-8")) for path in (tmp_path / "cassettes").glob("*.json")}


async def test_every_kind_of_answer_plays_back(serve, cassette_in):
    upstream = await serve(
        [
            reply(b'{"a": "\xc3\xa4"}', Content_Type="application/json"),
            reply(b"%PDF-\x00\xff\xfe", Content_Type="application/pdf"),
            reply(b"gone", status="404 Not Found"),
            reply(status="302 Found", Location="/else"),
            b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Odd: \xff\r\nContent-Length: 0\r\n\r\n",
        ]
    )
    requests = [Request(upstream.url(f"/{number}")) for number in range(5)]
    live = await record(cassette_in, *requests)
    assert len(upstream.heads) == 5
    cassette = cassette_in("none")
    for request, before in zip(requests, live, strict=True):
        after = await cassette.fetch(request)
        assert (type(after), after.status, after.headers, after.body, after.url) == (
            type(before),
            before.status,
            before.headers,
            before.body,
            before.url,
        )
        assert after.flags == ["cassette"]
    assert len(upstream.heads) == 5


async def test_answers_to_one_request_play_in_order_and_the_last_repeats(serve, cassette_in):
    upstream = await serve([reply(status="503 Busy"), reply(status="503 Busy"), reply(b"ok")])
    request = Request(upstream.url())
    await record(cassette_in, request, request, request)
    cassette = cassette_in("none")
    assert [(await cassette.fetch(request)).status for _ in range(5)] == [503, 503, 200, 200, 200]


async def test_requests_are_told_apart_by_method_address_and_body(serve, cassette_in):
    upstream = await serve([*(reply(str(number).encode()) for number in range(5)), reply(Content_Length=1)])
    requests = [
        Request(upstream.url("/?a=1&b=2")),
        Request(upstream.url("/?a=1&b=3")),
        Request(upstream.url("/?a=1&b=2"), method="POST", body=b"x"),
        Request(upstream.url("/?a=1&b=2"), method="POST", body=b"\xff"),
        Request(upstream.url("/path?a=1&b=2")),
        Request(upstream.url("/?a=1&b=2"), method="HEAD"),
    ]
    live = await record(cassette_in, *requests)
    cassette = cassette_in("none")
    assert [(await cassette.fetch(each)).body for each in reversed(requests)] == [each.body for each in reversed(live)]
    assert (await cassette.fetch(Request(upstream.url("/?b=2&a=1#part")))).body == b"0"  # the order of parameters is no difference
    for other in (Request(upstream.url("/?a=1")), Request(upstream.url("/?a=1&a=1&b=2")), Request("http://elsewhere.example/?a=1&b=2")):
        with pytest.raises(CassetteMiss, match="cassettes"):
            await cassette.fetch(other)


async def test_playing_needs_no_folder_and_makes_no_file(cassette_in, tmp_path):
    with pytest.raises(CassetteMiss):
        await cassette_in("none").fetch(Request("http://x.example/"))
    assert not (tmp_path / "cassettes").exists()


async def test_a_spooled_file_is_spooled_again(serve, cassette_in, settings, parts):
    upstream = await serve(reply(FILE))
    request = Request(upstream.url(), meta={"spool": "x"})
    [live] = await record(cassette_in, request)
    again = await cassette_in("none").fetch(request)
    assert replace(again.spool, path="") == replace(live.spool, path="")
    assert again.spool.sha256 == hashlib.sha256(FILE).hexdigest()
    assert parts() == sorted(Path(each.spool.path).name for each in (live, again))


async def test_failures_play_back(serve, cassette_in):
    async def cut(head, writer):
        writer.write(reply(b"abc", Content_Length=10))
        await writer.drain()
        raise HangUp

    upstream = await serve(cut)
    guarded = Request(upstream.url(), method="HEAD", meta={"global_only": True})
    requests = [Request(upstream.url()), Request("http://127.0.0.1:1/"), guarded]
    live = await record(cassette_in, *requests)
    cassette = cassette_in("none")
    for request, before in zip(requests, live, strict=True):
        request = request.replace(meta={})
        with pytest.raises(type(before)) as raised:
            await cassette.fetch(request)
        assert str(raised.value) == str(before)
        if isinstance(before, CutShort):
            assert (raised.value.received, request.meta["received"]) == (3, [3])
        if isinstance(before, Miss):
            assert raised.value.reason == Reason.UNSAFE


async def test_once_records_into_an_empty_folder_only(serve, cassette_in):
    upstream = await serve(reply(b"1"))
    await record(cassette_in, Request(upstream.url("/a")))
    cassette = cassette_in("once")
    assert (await cassette.fetch(Request(upstream.url("/a")))).body == b"1"
    with pytest.raises(CassetteMiss):
        await cassette.fetch(Request(upstream.url("/b")))
    with pytest.raises(CassetteMiss):
        await cassette.fetch(Request("http://127.0.0.1:1/"))
    assert len(upstream.heads) == 1


async def test_new_episodes_adds_what_is_not_there(serve, cassette_in):
    upstream = await serve([reply(b"1"), reply(status="503 Busy"), reply(b"2")])
    await record(cassette_in, Request(upstream.url("/a")))
    new = Request(upstream.url("/b"))
    live = await record(cassette_in, Request(upstream.url("/a")), new, new, mode="new_episodes")
    assert [(each.status, each.body) for each in live] == [(200, b"1"), (503, b""), (200, b"2")]
    cassette = cassette_in("none")
    assert [(await cassette.fetch(new)).status for _ in range(2)] == [503, 200]
    assert (await cassette.fetch(Request(upstream.url("/a")))).body == b"1"


async def test_all_replaces_what_it_asks_again_and_keeps_the_rest(serve, cassette_in):
    upstream = await serve([reply(b"a1"), reply(b"b1"), reply(b"a2"), reply(b"a3")])
    a, b = Request(upstream.url("/a")), Request(upstream.url("/b"))
    await record(cassette_in, a, b)
    await record(cassette_in, a, a, mode="all")
    cassette = cassette_in("none")
    assert [(await cassette.fetch(each)).body for each in (a, a, b)] == [b"a2", b"a3", b"b1"]


async def test_a_run_that_adds_nothing_leaves_the_file_alone(serve, cassette_in, tmp_path):
    upstream = await serve(reply(b"1"))
    request = Request(upstream.url())
    await record(cassette_in, request)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "cassettes").iterdir()}
    await record(cassette_in, request, mode="new_episodes")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "cassettes").iterdir()} == before


async def test_one_readable_file_a_host(serve, cassette_in, tmp_path):
    first, second = await serve(reply(b"one")), await serve(reply("zwölf".encode()))
    await record(cassette_in, Request(first.url()), Request(second.url()))
    files = written(tmp_path)
    assert set(files) == {f"127.0.0.1%3A{each.port}.json" for each in (first, second)}
    [interaction] = files[f"127.0.0.1%3A{second.port}.json"]["http_interactions"]
    assert interaction["response"]["body"] == {"encoding": "utf-8", "string": "zwölf"}
    assert "zwölf" in (tmp_path / "cassettes" / f"127.0.0.1%3A{second.port}.json").read_text("utf-8")


async def test_no_secret_is_on_a_cassette(serve, cassette_in, tmp_path):
    """Not even one that came from above the credentials, or in an answer."""
    secrets = {"LITCRAWL_ELSEVIER_API_KEY": "sesame+/=", "LITCRAWL_CONTACT": "jo+x@uni.edu"}
    upstream = await serve(reply(b'{"key": "sesame+/=", "to": "jo+x@uni.edu"}', Link="<?k=sesame%2B%2F%3D&e=jo%2Bx%40uni.edu>"))
    headers = {"X-Key": "sesame+/=", "Proxy-Authorization": "Basic dTpzZXNhbWU="}
    request = Request(upstream.url("/?e=jo%2Bx%40uni.edu&k=sesame+/="), headers=headers)
    cassette_in("once", **secrets)
    [live] = await record(cassette_in, request)
    text = json.dumps(written(tmp_path))
    assert "sesame" not in text
    assert "jo+x" not in text
    assert "jo%2Bx" not in text
    assert "uni.edu" not in text
    assert "dTpz" not in text
    again = await cassette_in("none").fetch(request)
    assert (again.body, again.headers) == (live.body, live.headers)
    assert b"REDACTED" in again.body
    assert isinstance(again.replace(headers={"Content-Type": "application/json"}, cls=JsonResponse), JsonResponse)


async def test_a_cassette_outlives_its_contact(serve, cassette_in):
    upstream = await serve(reply(b"1"))
    cassette_in("once", LITCRAWL_CONTACT="jo@uni.edu")
    request = Request(upstream.url())
    await record(cassette_in, request)
    assert (await cassette_in("none", LITCRAWL_CONTACT="other@uni.edu").fetch(request)).body == b"1"


async def test_a_save_that_fails_leaves_the_old_file_whole(serve, cassette_in, tmp_path, monkeypatch):
    upstream = await serve(reply(b"1"))
    await record(cassette_in, Request(upstream.url("/a")))
    before = written(tmp_path)
    cassette = cassette_in("new_episodes")
    await cassette.fetch(Request(upstream.url("/b")))
    monkeypatch.setattr("litcrawl.wire.tape.PrettyJson.serialize", lambda self, data: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        await cassette.close()
    assert written(tmp_path) == before


async def test_a_cassette_that_was_damaged_since_the_crawl_began_is_named(cassette_in, tmp_path):
    (tmp_path / "cassettes").mkdir()
    (tmp_path / "cassettes/x.example.json").write_text("{")
    with pytest.raises(CassetteMiss, match=r"x\.example\.json is no cassette"):
        await cassette_in("none").fetch(Request("http://x.example/"))


def test_an_unknown_mode_is_refused(cassette_in):
    with pytest.raises(BadArgument, match="new_episodes"):
        cassette_in("always")


async def test_a_file_that_holds_the_contact_plays_back_to_the_byte_and_its_cassette_does_not(serve, cassette_in, tmp_path):
    text = b"<p>Write to jo+x@uni.edu or jo%2Bx%40uni.edu</p>"
    upstream = await serve([reply(text), reply(b"JO+X@uni.edu jo&#43;x&#64;uni.edu"), reply(b"\xff jo+x@uni.edu")])
    plain, odd, binary = (Request(upstream.url(f"/{name}"), meta={"spool": name}) for name in ("plain", "odd", "binary"))
    cassette_in("once", LITCRAWL_CONTACT="jo+x@uni.edu")
    live = await record(cassette_in, plain, odd, binary)
    assert live[0].body == text
    assert "uni.edu" not in json.dumps(written(tmp_path)).lower()
    cassette = cassette_in("none")
    assert (await cassette.fetch(plain)).body == text
    assert (await cassette.fetch(odd)).body == b"REDACTED REDACTED"
    assert (await cassette.fetch(binary)).body == live[2].body
