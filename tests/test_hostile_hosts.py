"""
Hosts that answer whatever they like, met by whole crawls: each answer costs one rung, and the article has its file from the next.

One crawl asks dozens of hosts, one of each kind. What the wire, the redirects and the proofs make of single answers is in
`wire/test_transport.py`, `middlewares/test_redirect.py`, `proof/test_check.py`; here it is that nothing of it escapes: no
traceback, no reason `error`, no file but the article's own, no time and memory without bound.
"""

import gzip
import json
import re
import tracemalloc
import zlib

import lab
import pytest
from hostile import assert_inside, assert_quiet, endless, files, hostile, in_turn, listed, reasons
from pdfs import bomb, pdf
from rawserver import reply

from litcrawl.proof.reading import READER

OK = b"HTTP/1.1 200 OK\r\n"
GOOD = lab.jats("PMC1")
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
NESTED = gzip.compress(gzip.compress(bytes(3_000_000)))
UNTIL_CLOSE = OK + b"Content-Type: text/xml\r\n\r\n"


async def ever_on(head, writer):
    """A redirect to an address that nobody has seen before."""
    path = head.split(b" ")[1].decode()
    writer.write(reply(status="302 Found", Location=f"{path}a"))


async def to_and_fro(head, writer):
    """A redirect from one address to another and back."""
    writer.write(reply(status="307 Go", Location="/there" if b"/there" not in head.split(b" ")[1] else "/here"))


# An answer to a request for an XML, and how that step ends.
ANSWERS = {
    # bodies
    "gzip bomb": (reply(gzip.compress(bytes(50_000_000)), Content_Encoding="gzip"), "too-large"),
    "gzip bomb that nobody says is one": (reply(gzip.compress(bytes(50_000_000))), "wrong-type"),
    "deflate bomb": (reply(zlib.compress(bytes(50_000_000)), Content_Encoding="deflate"), "too-large"),
    "nested gzip": (reply(NESTED, Content_Encoding="gzip, gzip"), "truncated"),
    "gzip in gzip": (reply(NESTED, Content_Encoding="gzip"), "wrong-type"),
    "brotli": (reply(b"\x0b\x01\x80abc\x03", Content_Encoding="br"), "truncated"),
    "zstd": (reply(b"\x28\xb5\x2f\xfd\x04\x00", Content_Encoding="zstd"), "truncated"),
    "unheard-of coding": (reply(b"\xff" * 50, Content_Encoding="x-" + "a" * 9000), "truncated"),
    "cut gzip": (reply(gzip.compress(bytes(range(256)) * 40)[:-20], Content_Encoding="gzip"), "truncated"),
    "length too long": (in_turn(reply(GOOD, Content_Length=10_000)), "unreadable"),
    "length too short": (in_turn(reply(GOOD, Content_Length=50)), "unavailable"),
    "length negative": (in_turn(reply(GOOD, Content_Length=-1)), "unavailable"),
    "length of 5,000 digits": (in_turn(reply(GOOD, Content_Length="9" * 5000)), "unavailable"),
    "length of 300 gigabytes": (in_turn(reply(GOOD, Content_Length=300 << 30)), "too-large"),
    "two lengths": (in_turn(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + GOOD), "unavailable"),
    "length and chunks": (in_turn(OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"), "unavailable"),
    "chunks that are none": (in_turn(CHUNKED + b"3\r\nabc\r\nzz\r\n"), "unavailable"),
    "a chunk without end": (in_turn(CHUNKED + b"fffffffffffffffff\r\nabc"), "unavailable"),
    "chunks cut": (in_turn(CHUNKED + b"3\r\nabc\r\n"), "unreadable"),
    "endless": (endless(UNTIL_CLOSE, b"<a>" * 20_000), "too-large"),
    "endless chunks": (endless(CHUNKED, b"4\r\n<a/>\r\n" * 20_000), "too-large"),
    "nothing": (in_turn(b""), "unavailable"),
    "empty": (reply(b""), "empty"),
    "HTTP/0.9": (in_turn(GOOD), "unavailable"),
    "HTTP/9.9": (in_turn(b"HTTP/9.9 200 OK\r\n\r\n" + GOOD), "unavailable"),
    "another protocol": (in_turn(b"SSH-2.0-OpenSSH_9.6\r\n"), "unavailable"),
    "TLS": (in_turn(b"\x15\x03\x01\x00\x02\x02\x50"), "unavailable"),
    "headers that do not end": (in_turn(OK + b"X: a\r\n"), "unavailable"),
    "trailers": (in_turn(CHUNKED + b"2\r\nok\r\n0\r\nContent-Length: 9\r\nX: a\r\n\r\n"), "unavailable"),
    "a flood of trailers": (endless(CHUNKED + b"2\r\nok\r\n0\r\n", b"X: a\r\n" * 1000), "unavailable"),
    "101": (in_turn(b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x00"), "unavailable"),
    "204 with a body": (in_turn(b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"), "unavailable"),
    "205 with a body": (reply(GOOD, status="205 Reset Content"), "unavailable"),
    "206 unasked": (reply(GOOD, status="206 Partial Content", Content_Range="bytes 0-9/10"), "unavailable"),
    "206 of nonsense": (reply(GOOD, status="206 Partial Content", Content_Range="bytes " + "9" * 5000 + "-0/-1"), "unavailable"),
    "416 unasked": (reply(b"", status="416 No", Content_Range="bytes */" + "9" * 5000), "denied"),
    "status 999": (reply(GOOD, status="999 Request denied"), "unavailable"),
    "status 000": (reply(GOOD, status="000 What"), "unavailable"),
    "status 99999": (in_turn(reply(GOOD, status="99999 What")), "unavailable"),
    "a word too many": (in_turn(reply(b"") + reply(GOOD)), "empty"),
    # headers
    "megabytes of a header": (in_turn(OK + b"X: " + b"a" * 3_000_000 + b"\r\n\r\n"), "unavailable"),
    "thousands of headers": (in_turn(OK + b"".join(b"X-%d: a\r\n" % n for n in range(50_000)) + b"\r\n"), "unavailable"),
    "endless headers": (endless(OK, b"X: a\r\n" * 1000), "unavailable"),
    "NUL in a header": (in_turn(OK + b"X: a\0b\r\n\r\n"), "unavailable"),
    "CR in a header": (in_turn(OK + b"X: a\rb\r\n\r\n"), "unavailable"),
    "a colon too few": (in_turn(OK + b"X a\r\n\r\n"), "unavailable"),
    "folded lines": (in_turn(OK + b"X: a\r\n b\r\n\tc\r\nContent-Length: 0\r\n\r\n"), "empty"),
    "cookies of any bytes": (reply(b"", Set_Cookie="\xff\xfe=\x80;;=,\x07; Domain=\xff; Expires=\xff"), "empty"),
    "a huge cookie": (reply(b"", Set_Cookie='a="' + '\\"' * 15_000), "empty"),
    "hundreds of cookies": (in_turn(OK + b"".join(b"Set-Cookie: a%d=%s\r\n" % (n, b"b" * 4000) for n in range(100)) + b"\r\n"), "empty"),
    "a type of any bytes": (reply(GOOD[:40], Content_Type="\xff/\xfe; charset=\xff"), "truncated"),
    "a name that climbs": (reply(b"", Content_Disposition='attachment; filename="../../../../tmp/x"'), "empty"),
    "a name that is an address": (reply(b"", Content_Disposition="attachment; filename*=UTF-8''http%3A//[x; filename=http://[x"), "empty"),
    "Retry-After of 10^30": (reply(b"", status="503 Busy", Retry_After="1" + "0" * 30), "rate-limited"),
    "Retry-After nan": (reply(b"", status="503 Busy", Retry_After="nan"), "unavailable"),
    "Retry-After inf": (reply(b"", status="429 Busy", Retry_After="inf"), "rate-limited"),
    "Retry-After negative": (reply(b"", status="503 Busy", Retry_After="-1"), "unavailable"),
    "Retry-After 9999": (reply(b"", status="503 Busy", Retry_After="Fri, 31 Dec 9999 23:59:59 GMT"), "rate-limited"),
    "Retry-After of no year": (reply(b"", status="503 Busy", Retry_After="Fri, 31 Dec 0000 99:99:99 +9999"), "unavailable"),
    "Retry-After of 5,000 digits": (reply(b"", status="503 Busy", Retry_After="9" * 5000), "unavailable"),
    "Retry-After of many small waits": (reply(b"", status="503 Busy", Retry_After="0"), "rate-limited"),
    "a spent allowance": (reply(b"", status="429 No", X_RateLimit_Remaining="-1e300", X_RateLimit_Reset="1e300"), "quota"),
    "an allowance of nonsense": (reply(b"", X_RateLimit_Remaining="\xff", X_RateLimit_Reset="-" + "9" * 400), "empty"),
    "a pace of nonsense": (reply(b"", X_Rate_Limit_Limit="1e-300", X_Rate_Limit_Interval="1e300s", X_Concurrency_Limit="1e300"), "empty"),
    # redirects
    "to itself": (reply(status="302 Found", Location="?"), "loop"),
    "to itself with a cookie": (reply(status="302 Found", Location="?", Set_Cookie="a=b"), "blocked"),
    "to nowhere": (reply(status="302 Found", Location=""), "unavailable"),
    "ever on": (ever_on, "loop"),
    "to and fro": (to_and_fro, "loop"),
    "to no host": (reply(status="302 Found", Location="http:///x"), "loop"),
    "without Location": (reply(status="302 Found"), "unavailable"),
    "to any bytes": (reply(status="302 Found", Location="\xff\xfe\x80http://["), "loop"),
    "to 20 kB": (reply(status="302 Found", Location="/" + "a" * 20_000), "unsafe"),
    "to 200 kB": (in_turn(reply(status="302 Found", Location="/" + "a" * 200_000)), "unavailable"),
    "300": (reply(b"", status="300 Multiple Choices", Location="http://sound.test/"), "unavailable"),
    "304": (in_turn(reply(b"", status="304 Not Modified")), "unavailable"),
    "305": (reply(b"", status="305 Use Proxy", Location="http://127.0.0.1:3128/"), "unavailable"),
    **{
        f"to {target[:60]}": (reply(status="302 Found", Location=target), "unsafe")
        for target in (
            "file:///etc/passwd", "ftp://sound.test/x", "data:text/xml,<article/>", "javascript:alert(1)", "gopher://sound.test/", "ws://a.test/",
            "http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
            "http://169.254.169.254/latest/meta-data/", "http://localhost/", "http://a@localhost:80/", "http://[::1",
            "http://sound.test:99999/", "http://" + "a" * 300 + ".test/", "http://%31%32%37.1/",
        )
    },
    # XML
    "entity bomb": (
        reply(
            b'<!DOCTYPE article [<!ENTITY e0 "lollollol">'
            + b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10))
            + b"]><article><body><p>&e9;</p></body></article>"
        ),
        "unreadable",
    ),
    "quadratic entity": (
        reply(b'<!DOCTYPE article [<!ENTITY e "' + b"x" * 50_000 + b'">]><article><body><p>' + b"&e;" * 15_000 + b"</p></body></article>"),
        "unreadable",
    ),
    "parameter entities": (
        reply(
            b'<!DOCTYPE article [<!ENTITY % a "<!ENTITY b \'x\'>"><!ENTITY % c "%a;%a;%a;%a;"><!ENTITY % d "%c;%c;%c;%c;">%d;]>'
            b"<article>&b;</article>"
        ),
        "abstract-only",
    ),
    "deep": (reply(b"<article>" + b"<a>" * 50_000 + b"</a>" * 50_000 + b"</article>"), "unreadable"),
    "deep and cut": (reply(b"<article><body>" + b"<p>" * 50_000), "unreadable"),
    "attributes in masses": (reply(b"<article " + b" ".join(b'a%d=""' % n for n in range(60_000)) + b"/>"), "abstract-only"),
    "namespaces in masses": (reply(b"<article " + b" ".join(b'xmlns:a%d="u%d"' % (n, n) for n in range(40_000)) + b"/>"), "abstract-only"),
    "errors in masses": (reply(b"<article>" + b"<p></b>" * 100_000 + b"</article>"), "abstract-only"),
    "instructions in masses": (reply(b"<article>" + b"<?x y?><!-- -->" * 50_000 + b"</article>"), "abstract-only"),
    "an encoding that is none": (reply('<?xml version="1.0" encoding="x\xff"?><article><body/></article>'.encode()), "abstract-only"),
    "XInclude": (
        reply(b'<article xmlns:x="http://www.w3.org/2001/XInclude"><body><x:include href="file:///etc/hosts" /></body></article>'),
        "abstract-only",
    ),
    "external entity": (
        reply(b'<!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/passwd">]><article><front>&x;</front></article>'),
        "abstract-only",
    ),
    "DTD elsewhere": (
        reply(b'<!DOCTYPE article SYSTEM "http://dtd.test/x.dtd" [<!ENTITY % x SYSTEM "http://dtd.test/y"> %x;]><article>&z;</article>'),
        "abstract-only",
    ),
    "a stylesheet": (reply(b'<?xml-stylesheet href="http://dtd.test/x.xsl"?><article/>'), "abstract-only"),
    "JSON of 60,000 levels": (reply(b"[" * 60_000), "wrong-type"),
}  # fmt: skip


# Those that never end: what stops them is the clock.
SLOW = {
    "slow drip": (endless(reply(Content_Length=10_000), b"a", 0.05), "timeout"),
    "a header's slow drip": (endless(OK + b"X: ", b"a", 0.05), "timeout"),
    "silence": (endless(b"", b"", 0.05), "timeout"),
    "a flood of 100": (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100), "timeout"),
    "a flood of 103": (endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 100), "timeout"),
}


@pytest.mark.parametrize(("answers", "seconds"), [(ANSWERS, 60), (SLOW, 0.5)], ids=["quick", "slow"])
async def test_each_answer_costs_one_rung(tmp_path, monkeypatch, caplog, answers, seconds):
    keys = {f"PMC{n}": name for n, name in enumerate(answers, 1)}
    async with hostile(monkeypatch) as world:
        world.answers = {f"{key}.test".lower(): answers[name][0] for key, name in keys.items()}
        crawled = await world.crawl(tmp_path / "out", " ".join(keys), {"DOWNLOAD_TIMEOUT": seconds}, want="xml")
        asked = {host for host, _ in world.asked}
    ended = reasons(crawled)
    assert {name: ended[key] for key, name in keys.items()} == {name: expected for name, (_, expected) in answers.items()}
    assert_quiet(caplog.records)
    assert_inside(crawled, bodies="xml")
    assert files(tmp_path) == {f"out/{path}" for path in files(tmp_path / "out")}
    assert asked == {f"{key}.test".lower() for key in keys} | {"sound.test"}, "nobody else was connected to"


# An answer to a request for a PDF, and how that step ends. What a PDF holds is not looked into: one that is whole is kept as it is.
PDFS = {
    "cut": (reply(pdf(["Article PMC1"])[:-30]), "truncated"),
    "HTML behind a header": (reply(b"%PDF-1.7\n<html><body>Sign in</body></html>"), "truncated"),
    "HTML": (reply(b"<html><head><title>Sign in</title></head></html>", Content_Type="application/pdf"), "denied"),
    "HTML with a PDF behind it": (reply(b"<html>" + b" " * 2000 + pdf(["x"])), "wrong-type"),
    "a zip with a PDF behind it": (reply(b"PK\x03\x04" + b"\0" * 2000 + pdf(["x"])), "wrong-type"),
    "an end without a beginning": (reply(b"x" * 2000 + b"%%EOF"), "wrong-type"),
    "a header and nothing": (reply(b"%PDF-"), "wrong-type"),
    "a header and an end": (reply(b"%PDF-1.4\n%%EOF"), "ok"),
    "JSON of 60,000 levels": (reply(b"[" * 60_000), "wrong-type"),
    "JSON of objects": (reply(b'{"a":' * 10_000), "wrong-type"),
    "an entity bomb": (reply(b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><Error>&b;</Error>'), "unavailable"),
    "a wall": (reply(b"<html><title>Just a moment...</title></html>", status="403 No", CF_Mitigated="challenge"), "blocked"),
    "unpacks to a hundred megabytes": (reply(bomb(100)), "ok"),
    "runs a script": (
        reply(pdf(["x"]).replace(b"/Type /Catalog", b"/Type /Catalog /OpenAction << /S /JavaScript /JS (app.alert(1)) >>")),
        "ok",
    ),
    "locked": (reply(pdf(["x"]).replace(b"trailer\n<<", b"trailer\n<< /Encrypt << /Filter /Standard /V 99 /R 99 >>")), "ok"),
    "pages of themselves": (reply(pdf(["x"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")), "ok"),
    "a million pages": (reply(pdf(["x"]).replace(b"/Count 1", b"/Count 999999999")), "ok"),
    "another article": (reply(pdf(["doi 10.1000/another.article", "References"])), "ok"),  # no DOI was asked for
}


async def test_each_pdf_costs_one_rung_at_most(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(READER, "seconds", 2.0)  # that is what a PDF may take of everybody's time
    keys = {f"PMC{n}": name for n, name in enumerate(PDFS, 1)}
    async with hostile(monkeypatch) as world:
        world.answers = {f"{key}.test".lower(): PDFS[name][0] for key, name in keys.items()}
        crawled = await world.crawl(tmp_path, " ".join(keys), {"DOWNLOAD_TIMEOUT": 60}, want="pdf")
    ended = reasons(crawled)
    assert {name: ended[key] for key, name in keys.items()} == {name: expected for name, (_, expected) in PDFS.items()}
    assert_quiet(caplog.records)
    kept = {key: [file.source for file in article.files] for key, article in crawled.articles.items()}
    assert kept == {key: ["doubtful" if PDFS[name][1] == "ok" else "sound"] for key, name in keys.items()}


# What a list of the source may be, and how that call ends.
LISTINGS = {
    "deep": (reply(b'{"pdf":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "unavailable"),
    "nearly as deep as Python goes": (reply(b'{"pdf":' * 900 + b"0" + b"}" * 900), "unavailable"),
    "deep, with half a character": (reply(b"[" * 900 + b'"\\ud800"' + b"]" * 900), "unavailable"),
    "more than memory holds": (reply(b'{"pdf":[' + b"[],".join([b""] * 330_000) + b"0]}"), "too-large"),
    "a number without end": (reply(b'{"pdf":' + b"9" * 900_000 + b"}"), "unavailable"),
    "two values": (reply(b'{"pdf":[]}{"pdf":[]}'), "unavailable"),
    "a list": (reply(b"[]"), "unavailable"),
    "null": (reply(b"null"), "unavailable"),
    "any bytes": (reply(bytes(range(256))), "unavailable"),
    "gzip of nothing": (reply(gzip.compress(b""), Content_Encoding="gzip"), "unavailable"),
    "gzip bomb": (reply(gzip.compress(b" " * 50_000_000), Content_Encoding="gzip"), "too-large"),
    "cut gzip": (reply(gzip.compress(bytes(range(256)) * 9)[:-9], Content_Encoding="gzip"), "truncated"),
    "elsewhere": (reply(status="302 Found", Location="http://sound.test/"), "unavailable"),
    "to this machine": (reply(status="302 Found", Location="http://127.0.0.1/"), "unavailable"),
    "page": (reply(b"<html>busy</html>"), "unavailable"),
    "no list": (reply(b'{"pdf": [], "names": []}'), "ok"),
}


async def test_each_listing_costs_one_rung(tmp_path, monkeypatch, caplog):
    keys = {f"PMC{n}": name for n, name in enumerate(LISTINGS, 1)}
    async with hostile(monkeypatch) as world:
        world.answers = {f"{key}.test".lower(): LISTINGS[name][0] for key, name in keys.items()}
        settings = {"LITCRAWL_SOURCES": "hostile.Lists,hostile.Sound", "DOWNLOAD_TIMEOUT": 60}
        monkeypatch.setattr("litcrawl.source._MOST_JSON", 300_000)
        crawled = await world.crawl(tmp_path, " ".join(keys), settings, want="pdf")
    ended = reasons(crawled, "lists")
    assert {name: ended[key] for key, name in keys.items()} == {name: expected for name, (_, expected) in LISTINGS.items()}
    assert_quiet(caplog.records)
    assert {key: [file.source for file in article.files] for key, article in crawled.articles.items()} == {key: ["sound"] for key in keys}


async def test_links_lead_no_nearer_than_the_answer_that_told_of_them(tmp_path, monkeypatch, caplog):
    """127.0.0.1 plays the public internet, 127.0.0.2 the network behind the firewall."""
    monkeypatch.setattr("litcrawl.wire.hosts._is_global", lambda address: str(address) == "127.0.0.1")
    async with hostile(monkeypatch, elsewhere={"inside.test": "127.0.0.2", "127.0.0.1.test": "127.0.0.1"}) as world:
        links = {
            "PMC1": world.at("inside.test", "/x.pdf"),
            "PMC2": world.at("127.0.0.2", "/x.pdf"),
            "PMC3": world.at("me:secret@127.2", "/x.pdf"),
            "PMC4": world.at("localhost", "/x.pdf"),
            "PMC5": world.at("outside.test", "/inside"),
            "PMC6": world.at("outside.test", "/literal"),
            "PMC7": world.at("outside.test", "/x.pdf"),
            "PMC8": "http://[v1.a]@\u2025/",
            "PMC9": "http://outside.test/" + "x" * 100_000,
        }
        for key, url in links.items():
            world.answers[f"{key}.test".lower()] = listed(pdf=[url, url])
        world.answers["outside.test/inside"] = reply(status="302 Found", Location=world.at("inside.test"))
        world.answers["outside.test/literal"] = reply(status="302 Found", Location=world.at("0x7f.2"))
        settings = {"LITCRAWL_SOURCES": "hostile.Lists,hostile.Sound", "DOWNLOAD_TIMEOUT": 60}
        crawled = await world.crawl(tmp_path, " ".join(links), settings, want="pdf")
        asked = {host for host, _ in world.asked}
    told = {key: {one["reason"] for one in article.attempts if one["step"] == "pdf"} for key, article in crawled.articles.items()}
    assert told == {key: {"ok"} if key == "PMC7" else {"unsafe", "ok"} for key in links}
    assert asked == {f"{key}.test".lower() for key in links} | {"sound.test", "outside.test"}
    assert all(len(json.dumps(article.to_dict())) < 30_000 for article in crawled.articles.values())
    assert_quiet(caplog.records)


NAMES = [
    "../../../escaped.csv", "/var/escaped.csv", "C:\\escaped.csv", "..\\..\\escaped.csv", "..", ".", "", " ", "\x00", "a\x00.csv",
    "con.csv", "NUL", "trailing.csv. . ", "\u202efdc.exe", "a" * 5000 + ".csv", "é" * 5000, "S1.CSV", "s1.csv", "S1.csv", "e\u0301.csv",
    "\u00e9.csv", "\ud800.csv", "article.json", "ARTICLE.JSON", ".hidden", "a:b|c?.csv", "line\nbreak.csv", "../article.json", "body.xml",
    "%2e%2e%2fescaped.csv", "~/escaped", "${HOME}/escaped", "-rf", "=cmd|' /C calc'!A0.csv", "COM¹.csv", "aux .csv", "ﬀ.csv", "ß.csv",
    "SS.csv", "ss.csv",
]  # fmt: skip


async def test_names_from_upstream_stay_in_the_articles_folder(tmp_path, monkeypatch, caplog):
    async with hostile(monkeypatch) as world:
        world.answers["pmc1.test"] = listed(names=NAMES)
        settings = {"LITCRAWL_SOURCES": "hostile.Lists,hostile.Sound", "DOWNLOAD_TIMEOUT": 60}
        crawled = await world.crawl(tmp_path / "out", "PMC1", settings)
    article = crawled.articles["PMC1"]
    supplements = [file.path for file in article.files if file.kind == "supplementary"]
    assert len(supplements) == len({path.casefold() for path in supplements}) == len(NAMES)
    expected = {*supplements, "pmc/PMC1/body.xml", "pmc/PMC1/body.pdf", "pmc/PMC1/article.json"}
    assert {path for path in files(crawled.out) if not path.startswith(("runs/", "index.sqlite"))} == expected
    assert all(path.rpartition("/")[0] == "pmc/PMC1/supplementary" for path in supplements)
    assert {path.partition("/")[0] for path in files(tmp_path)} == {"out"}
    assert str(article.outcome) == "complete"
    assert_quiet(caplog.records)


async def test_identifiers_that_an_answer_tells_name_no_other_folder(tmp_path, monkeypatch, caplog):
    """What a resolver says the DOI of an article is: it becomes its folder, whatever it is."""
    told = [
        "10.1000/..",
        "10.1000/../../../escaped",
        "10.1000//etc/passwd",
        "10.1000/a\\..\\b",
        "10.1000/con",
        "10.1000/x\x00y",
        "10.1000/" + "a" * 1900,
    ]
    told += [
        "10.1000/a\nb",
        "../../escaped",
        ["10.1000/x"],
        {"doi": "10.1000/x"},
        7,
        True,
        None,
        "10.1000/\u202e",
        "10.1000/\ud800",
        "10.1000/. ",
    ]
    async with hostile(monkeypatch) as world:
        records = [{"pmid": str(n), "pmcid": f"PMC{n}", "doi": doi} for n, doi in enumerate(told, 1)]
        world.answers["pmc.ncbi.nlm.nih.gov.test"] = reply(json.dumps({"status": "ok", "records": records}).encode())
        settings = {"LITCRAWL_SOURCES": "hostile.Converter,hostile.Sound", "DOWNLOAD_TIMEOUT": 60}
        crawled = await world.crawl(tmp_path / "out", " ".join(str(n) for n in range(1, len(told) + 1)), settings, want="xml")
    assert len(crawled.articles) == len(told)
    assert {str(article.outcome) for article in crawled.articles.values()} == {"complete"}
    folders = [article.path for article in crawled.articles.values()]
    assert len(set(folders)) == len(told)
    assert all(re.fullmatch(r"(10\.1000|pmid)/[^/\\]{1,120}", folder) and not folder.endswith("..") for folder in folders)
    expected = {f"{folder}/{name}" for folder in folders for name in ("body.xml", "article.json")}
    assert {path for path in files(crawled.out) if not path.startswith(("runs/", "index.sqlite"))} == expected
    assert {path.partition("/")[0] for path in files(tmp_path)} == {"out"}
    assert_quiet(caplog.records)


async def test_what_stands_in_the_way_is_replaced_and_never_followed(tmp_path, monkeypatch, caplog):
    """Links that somebody laid where the files of articles go."""
    out, outside = tmp_path / "out", tmp_path / "outside"
    outside.mkdir()
    for name in ("body.xml", "article.json"):
        (outside / name).write_text("precious")
        for key in ("PMC1", "PMC2"):
            (out / "pmc" / key).mkdir(parents=True, exist_ok=True)
            (out / "pmc" / key / name).symlink_to(outside / name)
    (out / "pmc/PMC3").symlink_to(tmp_path / "nowhere")
    (out / "pmc/PMC4").symlink_to(out / "pmc/PMC4")
    (out / "pmc/PMC5").write_text("a file")
    async with hostile(monkeypatch) as world:
        world.answers = {f"pmc{n}.test": reply(b"") for n in range(1, 6)}
        crawled = await world.crawl(out, "PMC1 PMC2 PMC3 PMC4 PMC5", {"DOWNLOAD_TIMEOUT": 60}, want="xml")
    assert {path: (outside / path).read_text() for path in files(outside)} == {"body.xml": "precious", "article.json": "precious"}
    assert not (tmp_path / "nowhere").exists()
    outcomes = {key: str(article.outcome) for key, article in crawled.articles.items()}
    assert outcomes == {"PMC1": "complete", "PMC2": "complete", "PMC3": "retry", "PMC4": "retry", "PMC5": "retry"}
    assert not (out / "pmc/PMC1/body.xml").is_symlink()
    assert json.loads((out / "pmc/PMC1/article.json").read_bytes())["outcome"] == "complete"
    assert [one for one in caplog.records if one.exc_info] == []


async def test_bombs_take_no_more_memory_than_answers_may(tmp_path, monkeypatch):
    """Fifty at once, each of fifty megabytes, where an answer may have one."""
    packed = gzip.compress(bytes(50_000_000))
    async with hostile(monkeypatch) as world:
        kinds = [("gzip", packed), ("deflate", zlib.compress(bytes(50_000_000))), ("gzip, gzip", gzip.compress(packed))]
        for n in range(1, 49):
            coding, body = kinds[n % 3]
            world.answers[f"pmc{n}.test"] = reply(body, Content_Encoding=coding)
        tracemalloc.start()
        crawled = await world.crawl(tmp_path, " ".join(f"PMC{n}" for n in range(1, 49)), {"DOWNLOAD_TIMEOUT": 60}, want="xml")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert set(reasons(crawled).values()) == {"too-large", "truncated"}
    assert_inside(crawled, bodies="xml")
    assert peak < 100_000_000
