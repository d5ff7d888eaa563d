"""A browser's guise, with the limits of every other request: time-outs, sizes, certificates, addresses, cookies, proxies."""

import asyncio
import gzip
import ssl
import zlib
from base64 import b64decode, b64encode

import pytest
import trustme
from rawserver import HangUp, reply
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, DownloadFailedError, DownloadTimeoutError, ResponseDataLossError
from scrapy.http import XmlResponse

from litcrawl.exceptions import Miss
from litcrawl.terms import Reason
from litcrawl.wire import Senders, impersonation
from litcrawl.wire.credentials import Credentials
from litcrawl.wire.errors import CertificateError, CutShort
from litcrawl.wire.impersonation import Impersonation

BROWSER = {"impersonate": "chrome"}


@pytest.fixture
async def guise(settings):
    made = Impersonation(settings)
    yield made
    await made.close()


@pytest.fixture
def trusted(tmp_path, monkeypatch):
    """A server's TLS that this process trusts, and one that it does not."""
    ours = trustme.CA()
    ours.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    contexts = []
    for authority in (ours, trustme.CA()):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        contexts.append(context)
    return contexts


async def test_it_looks_like_a_browser_and_like_nothing_of_ours(serve, guise):
    upstream = await serve(reply(b"<a/>", Content_Type="application/xml"))
    headers = {"Accept": "*/*", "Accept-Encoding": "gzip", "User-Agent": "litcrawl", "Cookie": "a=b; c=d", "X-Key": "sesame"}
    request = Request(upstream.url("/x"), headers=headers, meta=BROWSER | {"spool": "x"})
    answer = await guise.fetch(request)
    assert (answer.status, answer.body, type(answer), answer.url) == (200, b"<a/>", XmlResponse, request.url)
    assert (str(answer.ip_address), answer.flags) == ("127.0.0.1", ["impersonated"])
    assert request.meta["download_latency"] > 0
    assert upstream.sent("User-Agent").startswith("Mozilla/5.0")
    assert "Chrome" in upstream.sent("User-Agent")
    assert upstream.sent("Accept-Language")
    assert upstream.sent("Cookie") == "a=b; c=d"
    assert b"litcrawl" not in upstream.heads[0]
    assert b"sesame" not in upstream.heads[0]


async def test_one_session_serves_all_and_keeps_no_cookie(serve, guise):
    upstream = await serve(reply(b"ok", Set_Cookie="sid=1; Path=/"))
    for _ in range(3):
        answer = await guise.fetch(Request(upstream.url(), meta=BROWSER))
    assert answer.headers["Set-Cookie"] == b"sid=1; Path=/"
    assert upstream.connections == 1
    assert upstream.sent("Cookie") is None


async def test_redirects_are_left_to_the_middleware(serve, guise):
    upstream = await serve(reply(status="302 Found", Location="/else"))
    answer = await guise.fetch(Request(upstream.url(), meta=BROWSER))
    assert (answer.status, answer.headers["Location"], len(upstream.heads)) == (302, b"/else", 1)


async def test_a_coding_is_undone(serve, guise):
    upstream = await serve(reply(gzip.compress(b"abc" * 999), Content_Encoding="gzip"))
    answer = await guise.fetch(Request(upstream.url(), meta=BROWSER))
    assert answer.body == b"abc" * 999
    assert not {b"Content-Encoding", b"Content-Length"} & answer.headers.keys()


BOMB = bytes(200_000_000)
# brotli's own way to say the same byte 200 million times, made once with its encoder
BROTLI_BOMB = b64decode(
    "y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQ"
    "vf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwW"
    "AOje//H//w/+CYA4LADQvf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIg"
    "DgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/L/+A1/BMAcVgAoJu7Bg=="
)


@pytest.mark.parametrize(
    "answer",
    [
        lambda: reply(bytes(5_000_000)),
        lambda: reply(gzip.compress(BOMB), Content_Encoding="gzip"),
        lambda: reply(zlib.compress(BOMB), Content_Encoding="deflate"),
        lambda: reply(BROTLI_BOMB, Content_Encoding="br"),
    ],
    ids=["plain", "gzip", "deflate", "br"],
)
async def test_a_body_is_capped_as_it_comes_out_of_its_coding(serve, guise, answer, monkeypatch):
    handed_over = []
    take = impersonation.Received.take
    monkeypatch.setattr(impersonation.Received, "take", lambda self, piece: handed_over.append(len(piece)) or take(self, piece))
    upstream = await serve(answer())
    with pytest.raises(Miss) as raised:
        await guise.fetch(Request(upstream.url(), meta=BROWSER))
    assert raised.value.reason == Reason.TOO_LARGE
    assert sum(handed_over) < 1_100_000, "the cap of these tests and one piece more, not all that it unfolds to"


@pytest.mark.parametrize("coding", ["gzip", "zstd", "x-unknown"])
async def test_a_coding_that_cannot_be_undone_is_no_word_on_the_host(serve, guise, coding):
    upstream = await serve(reply(b"not packed at all", Content_Encoding=coding))
    with pytest.raises(ResponseDataLossError):
        await guise.fetch(Request(upstream.url(), meta=BROWSER))


async def test_a_body_that_never_ends_is_cut_off(serve, settings):
    async def drip(head, writer):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    settings.set("DOWNLOAD_TIMEOUT", 0.5)
    slow = Impersonation(settings)
    with pytest.raises(DownloadTimeoutError):
        await slow.fetch(Request((await serve(drip)).url(), meta=BROWSER))
    await slow.close()


async def test_a_silent_server_is_not_waited_for(serve, settings):
    async def silent(head, writer):
        await asyncio.sleep(10)

    impatient = Impersonation(settings)
    with pytest.raises(DownloadTimeoutError):
        await impatient.fetch(Request((await serve(silent)).url(), meta=BROWSER | {"download_timeout": 0.5}))
    await impatient.close()


async def test_a_body_that_is_cut_says_where(serve, guise):
    async def cut(head, writer):
        writer.write(reply(b"abc", Content_Length=1000))
        await writer.drain()
        raise HangUp

    request = Request((await serve(cut)).url(), meta=dict(BROWSER))
    with pytest.raises(CutShort) as raised:
        await guise.fetch(request)
    assert (raised.value.received, request.meta["received"]) == (3, [3])


async def test_certificates_are_verified_by_the_systems_authorities(serve, guise, trusted):
    ours, others = trusted
    good, bad = await serve(reply(b"ok"), tls=ours), await serve(reply(b"ok"), tls=others)
    assert (await guise.fetch(Request(good.url(), meta=BROWSER))).body == b"ok"
    with pytest.raises(CertificateError):
        await guise.fetch(Request(bad.url(), meta=BROWSER))
    assert bad.heads == []


@pytest.mark.parametrize(
    ("url", "error"),
    [("https://no-such-host.invalid/sesame", CannotResolveHostError), ("http://127.0.0.1:9/sesame", DownloadFailedError)],
)
async def test_errors_quote_no_address(guise, url, error):
    with pytest.raises(error) as raised:
        await guise.fetch(Request(url, meta=BROWSER))
    assert "sesame" not in str(raised.value)
    assert raised.value.__context__ is None


async def test_a_guarded_request_reaches_public_addresses_only(serve, guise):
    upstream = await serve(reply(b"secret"))
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(Miss) as raised:
            await guise.fetch(Request(upstream.url(host=host), meta=BROWSER | {"global_only": True}))
        assert raised.value.reason == Reason.UNSAFE
    assert upstream.connections == 0


async def test_proxies_hold_here_too(serve, settings, monkeypatch):
    proxy, unused = await serve(reply(b"by proxy")), await serve(reply(b"by another"))
    monkeypatch.setenv("HTTP_PROXY", unused.url())  # HttpProxyMiddleware has read it: a request that names none goes straight
    monkeypatch.setenv("http_proxy", unused.url())
    upstream = await serve(reply(b"straight"))
    settings.set("LITCRAWL_PROXY", {"routed.test": f"http://reader:sesame%2F1@127.0.0.1:{proxy.port}"})
    guise = Impersonation(settings)
    given = {"proxy": f"http://127.0.0.1:{proxy.port}"}
    latin = {"Proxy-Authorization": b"Basic " + b64encode("u:pässword".encode("latin-1"))}
    await guise.fetch(Request(upstream.url(), meta=BROWSER | given, headers=latin))
    answers = [
        await guise.fetch(Request("http://routed.test/x", meta=dict(BROWSER))),
        await guise.fetch(Request(upstream.url(), meta=BROWSER | given, headers={"Proxy-Authorization": "Basic dTpw"})),
        await guise.fetch(Request(upstream.url(), meta=dict(BROWSER))),
    ]
    assert [(answer.body, answer.ip_address is None) for answer in answers] == [
        (b"by proxy", True),
        (b"by proxy", True),
        (b"straight", False),
    ]
    assert [proxy.sent("Proxy-Authorization", n) for n in (1, 2)] == ["Basic cmVhZGVyOnNlc2FtZS8x", "Basic dTpw"]
    assert unused.heads == []
    await guise.close()


async def test_only_who_asks_for_it_gets_a_guise(serve, settings):
    upstream = await serve(reply(b"ok"))
    settings.set("LITCRAWL_CONTACT", "jo.doe@uni.edu")
    wire = Credentials(Senders(settings), settings)
    await wire.fetch(Request(upstream.url(), meta=dict(BROWSER)))
    await wire.fetch(Request(upstream.url()))
    agents = [upstream.sent("User-Agent", which) for which in (0, 1)]
    assert agents[0].startswith("Mozilla/5.0")
    assert b"jo.doe" not in upstream.heads[0]
    assert agents[1].startswith("litcrawl/")
    await wire.close()
