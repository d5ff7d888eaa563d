"""Whole crawls of a host that echoes whatever it was told, in every form: nothing that is written or logged holds it."""

import html
import json
import logging
import re
from urllib.parse import quote, quote_plus

from crawling import crawl
from lab import SETTINGS, jats
from loopback import Answer, loopback

CONTACT, KEY, TOKEN = "jo.doe+lab@litcrawl.dev", "sesame-1/+=", "sesame~2&<3"
SECRETS = {"LITCRAWL_CONTACT": CONTACT, "LITCRAWL_ELSEVIER_API_KEY": KEY, "LITCRAWL_OPENAIRE_TOKEN": TOKEN}
SEEN = re.compile(r"litcrawl\.dev|sesame|jo\.doe", re.I)


def forms(text):
    quoted = quote(text, safe="")
    return [text, text.upper(), quoted, quoted.lower(), quote_plus(text), html.escape(text), json.dumps(text).replace("@", "\\u0040")]


ECHO = " ".join(form for word in (f"litcrawl (mailto:{CONTACT})", KEY, TOKEN) for form in forms(word))
IN_ADDRESS = "-".join(quote(form, safe="%") for word in (CONTACT, KEY, TOKEN) for form in (word, quote(word, safe=""), word.upper()))
FILE = jats("PMC1", f"Write to {CONTACT}, not to {html.escape(ECHO)}")


def behaviour(arrival, n):
    """PMC1: two redirects to a file that holds it all; a supplement that is not there; a PDF whose redirects go in circles."""
    told = [("Set-Cookie", f"a={ECHO}"), ("X-Echo", ECHO), ("Link", f"<http://x.test/{IN_ADDRESS}>")]
    assert CONTACT in arrival.headers["user-agent"]
    if arrival.path == "/PMC1":
        names = {"PMC1.xml": ["xml", ECHO], "PMC1.pdf": ["pdf", None], f"{CONTACT} {KEY}.csv": ["supplementary", TOKEN]}
        return Answer(headers=told, body=json.dumps({"versions": {"1": names}, "echo": ECHO}).encode())
    if arrival.path == "/PMC1/1/PMC1.xml":
        return Answer(302, [*told, ("Location", f"/step/{IN_ADDRESS}?to={IN_ADDRESS}")])
    if arrival.path.startswith("/step/"):
        return Answer(302, [*told, ("Location", f"/last?{IN_ADDRESS}#{IN_ADDRESS}")])
    if arrival.path.startswith("/last"):
        return Answer(headers=told, body=FILE)
    if arrival.path.endswith(".pdf") or arrival.path.startswith("/round/"):
        return Answer(302, [("Location", f"/round/{IN_ADDRESS}")])
    if arrival.path == "/PMC2":
        return Answer(302, [*told, ("Location", f"/{IN_ADDRESS}")], ECHO.encode())
    return Answer(404 if n % 2 else 500, told, ECHO.encode())


async def test_contact_and_keys_are_seen_nowhere(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    out, cassettes, feed = tmp_path / "out", tmp_path / "cassettes", tmp_path / "items.jsonl"
    recording = {"LITCRAWL_CASSETTE": str(cassettes), "LITCRAWL_RECORD": "once", "FEEDS": {str(feed): {"format": "jsonlines"}}}
    async with loopback(behaviour) as world:
        settings = SETTINGS | SECRETS | recording | {"LAB_URL": world.url("")}
        crawled = await crawl(out, ids="PMC1,PMC2,PMC3", settings=settings)
    assert (out / "pmc/PMC1/body.xml").read_bytes() == FILE
    assert any("REDACTED" in (attempt["final_url"] or "") for attempt in crawled.articles["PMC1"].attempts)
    assert "REDACTED" in caplog.text
    written = [path for folder in (out, cassettes) for path in folder.rglob("*") if path.is_file()]
    assert [path.name for path in written if SEEN.search(str(path.relative_to(tmp_path)))] == []
    texts = {str(path): path.read_text("utf-8", "replace") for path in [*written, feed] if path.name != "body.xml"}
    assert {"article.json", "summary.json", "rows.csv", "index.sqlite"} <= {path.name for path in written}
    assert [(path, SEEN.findall(text)) for path, text in texts.items() if SEEN.search(text)] == []
    assert [line for line in caplog.text.splitlines() if SEEN.search(line)] == []

    again = await crawl(tmp_path / "again", ids="PMC1,PMC2,PMC3", settings=settings | {"LITCRAWL_RECORD": "none"})
    assert [line for line in caplog.text.splitlines() if SEEN.search(line)] == []
    assert again.articles.keys() == crawled.articles.keys()
    assert {key: article.outcome for key, article in again.articles.items()} == {
        key: article.outcome for key, article in crawled.articles.items()
    }
