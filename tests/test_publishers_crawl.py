"""Whole crawls of the publishers, by their real names and over real TLS: each key and each route for its own hosts, and no word of them."""

import json
import logging
import re

import pytest
from crawling import crawl
from hosts import hosts
from loopback import Answer
from pdfs import pdf

KEYS = {
    "LITCRAWL_ELSEVIER_API_KEY": "sesame-elsevier",
    "LITCRAWL_ELSEVIER_INSTTOKEN": "sesame-insttoken",
    "LITCRAWL_SPRINGER_API_KEY": "sesame-springer",
    "LITCRAWL_SPRINGER_META_API_KEY": "sesame-meta",
    "LITCRAWL_WILEY_TDM_TOKEN": "sesame-wiley",
}
CONTACT = {"LITCRAWL_CONTACT": "jo.doe@litcrawl.dev"}
PACE = {
    "LITCRAWL_SLOTS": {},
    "LITCRAWL_BACKOFF": [0.01, 0.03],
    "LITCRAWL_CLOSED": [0.02, 0.05],
    "AUTOTHROTTLE_ENABLED": 0,
    "DOWNLOAD_DELAY": 0,
    "LITCRAWL_SOURCES": "elsevier_oa,springer_oa,crossref,crossref_tdm,springer,biorxiv",
}
SEEN = re.compile(r"sesame|jo\.doe|litcrawl\.dev", re.I)

ELSEVIER, SPRINGER, CLOSED, PREPRINT, WILEY = "10.1016/j.a.1", "10.1186/s1", "10.1007/s2", "10.1101/2024.04.01.587366", "10.1002/w.1"
NAMES = (
    "api.elsevier.com",
    "api.springernature.com",
    "link.springer.com",
    "api.wiley.com",
    "api.crossref.org",
    "api.biorxiv.org",
    "www.biorxiv.org",
    "evil.test",
    "api.elsevier.com.evil.test",
    "xapi.elsevier.com",
)
PDF = pdf("An article of these tests.")


def jats(doi):
    meta = f'<article-meta><article-id pub-id-type="doi">{doi}</article-id></article-meta>'
    return f"<article><front>{meta}</front><body><p>Text.</p></body></article>"


ELSEVIER_XML = (
    '<full-text-retrieval-response xmlns:ce="urn:c" xmlns:prism="urn:p">'
    "<coredata><prism:doi>10.1016/j.a.1</prism:doi><openaccess>1</openaccess></coredata>"
    "<originalText><body><ce:sections><ce:para>Text.</ce:para></ce:sections></body></originalText></full-text-retrieval-response>"
)


def echo(arrival):
    """All that a host was told, as upstreams like to say it back."""
    return " ".join([arrival.path, *(f"{name}: {value}" for name, value in arrival.headers.items())])


def answer(arrival, n, links=()):
    """Each host in its way; what it says back holds whatever it was told."""
    told = [("X-Echo", echo(arrival)), ("Set-Cookie", f"told={re.sub('[^!-~]', '', echo(arrival))[:2000]}")]
    match arrival.host, arrival.path.partition("?")[0]:
        case "api.elsevier.com", path if path.startswith("/content/article/doi/"):
            return Answer(headers=told, body=ELSEVIER_XML.encode())
        case "api.springernature.com", "/openaccess/jats":
            record = jats(SPRINGER) if SPRINGER in arrival.path else ""
            return Answer(headers=told, body=f"<response><apiKey>{echo(arrival)}</apiKey><records>{record}</records></response>".encode())
        case "api.springernature.com", "/meta/v2/json":
            url = [{"format": "pdf", "value": f"http://link.springer.com/openurl/pdf?id=doi:{CLOSED}"}]
            records = [{"doi": CLOSED, "openaccess": "false", "url": url}] if CLOSED in arrival.path else []
            return Answer(headers=told, body=json.dumps({"apiKey": echo(arrival), "records": records}).encode())
        case "link.springer.com", "/openurl/pdf":
            return Answer(302, [*told, ("Location", "https://link.springer.com/content/pdf/a.pdf")])
        case "link.springer.com", "/content/pdf/a.pdf":
            return Answer(302, [*told, ("Location", "https://evil.test/a.pdf")]) if n > 1 else Answer(headers=told, body=PDF)
        case "api.biorxiv.org", _:
            entry = {"doi": PREPRINT, "version": "1", "jatsxml": "https://www.biorxiv.org/content/a.source.xml"}
            return Answer(headers=told, body=json.dumps({"messages": [{"status": "ok"}], "collection": [entry]}).encode())
        case "www.biorxiv.org", _:
            browser = arrival.headers["user-agent"].startswith("Mozilla/5.0") and "accept-language" in arrival.headers
            return Answer(headers=told, body=jats(PREPRINT).encode()) if browser else Answer(403, [("cf-mitigated", "challenge")])
        case "api.crossref.org", _:
            listed = [{"URL": url, "content-type": kind, "intended-application": "text-mining"} for url, kind in links]
            return Answer(headers=told, body=json.dumps({"message-type": "work", "message": {"DOI": WILEY, "link": listed}}).encode())
        case "api.wiley.com", _:
            return Answer(302, [*told, ("Location", "https://evil.test/" + "a.pdf")])
        case "evil.test", "/a.pdf":
            return Answer(headers=told, body=PDF)
    return Answer(404, told, echo(arrival).encode())


def came_from(article):
    return {file.source: file.media_type for file in article.files}


async def test_each_publisher_s_article_comes_from_its_publisher(tmp_path, monkeypatch):
    async with hosts(monkeypatch, tmp_path, answer, *NAMES) as world:
        crawled = await crawl(tmp_path / "out", ids=f"{ELSEVIER} {SPRINGER} {PREPRINT}", want="xml", settings=PACE | KEYS | CONTACT)
    assert {key: came_from(article) for key, article in crawled.articles.items()} == {
        ELSEVIER: {"elsevier_oa": "application/vnd.elsevier+xml"},
        SPRINGER: {"springer_oa": "application/jats+xml"},
        PREPRINT: {"biorxiv": "application/jats+xml"},
    }
    asked = {arrival.host for arrival in world.arrivals} - {"api.crossref.org"}
    assert asked == {"api.elsevier.com", "api.springernature.com", "api.biorxiv.org", "www.biorxiv.org"}, "each of one publisher alone"
    assert (tmp_path / "out/10.1186/s1/body.xml").read_text() == f'<?xml version="1.0" encoding="utf-8"?>\n{jats(SPRINGER)}'
    browsers = {arrival.host for arrival in world.arrivals if arrival.headers["user-agent"].startswith("Mozilla")}
    assert browsers == {"www.biorxiv.org"}, "a browser's guise there, and nowhere else"
    assert crawled.articles[ELSEVIER].licence.access == "open-access"
    guised = [file.source for file in crawled.files if "impersonated" in file.checks]
    assert guised == ["biorxiv"], "and it is told of the file"


async def test_without_keys_each_says_so_and_nobody_is_asked(tmp_path, monkeypatch):
    async with hosts(monkeypatch, tmp_path, answer, *NAMES) as world:
        crawled = await crawl(
            tmp_path / "out", ids=f"{ELSEVIER} {SPRINGER}", sources="elsevier_oa,springer_oa,springer", settings=PACE | CONTACT
        )
    assert world.arrivals == []
    assert crawled.status == 0
    reasons = {key: {(one["source"], one["reason"]) for one in article.attempts} for key, article in crawled.articles.items()}
    assert reasons == {
        ELSEVIER: {("elsevier_oa", "needs-key")},
        SPRINGER: {("springer_oa", "needs-key"), ("springer", "needs-key")},
    }
    assert crawled.articles[ELSEVIER].missing["xml"] == "needs-key"
    assert "needs-key" in json.loads((crawled.run / "summary.json").read_text())["not_asked"]


async def test_a_key_that_comes_later_is_enough(tmp_path, monkeypatch):
    async with hosts(monkeypatch, tmp_path, answer, *NAMES) as world:
        await crawl(tmp_path / "out", ids=ELSEVIER, want="xml", sources="elsevier_oa", settings=PACE | CONTACT)
        assert world.arrivals == []
        crawled = await crawl(tmp_path / "out", ids=ELSEVIER, want="xml", sources="elsevier_oa", settings=PACE | CONTACT | KEYS)
    assert came_from(crawled.articles[ELSEVIER]) == {"elsevier_oa": "application/vnd.elsevier+xml"}
    assert crawled.articles[ELSEVIER].outcome == "complete"


async def test_a_subscriber_s_file_comes_over_the_route_and_nothing_else_does(tmp_path, monkeypatch):
    arguments = {"ids": CLOSED, "want": "pdf", "sources": "springer"}
    async with hosts(monkeypatch, tmp_path, answer, *NAMES) as world, world.proxy() as proxy:
        before = await crawl(tmp_path / "out", settings=PACE | CONTACT | KEYS, **arguments)
        assert before.articles[CLOSED].missing == {"pdf": "not-entitled"}
        assert "link.springer.com" not in {arrival.host for arrival in world.arrivals}
        asked = len(world.arrivals)
        await crawl(tmp_path / "out", settings=PACE | CONTACT | KEYS, **arguments)
        assert len(world.arrivals) == asked, "nobody is asked again for what is still out of reach"

        route = {"LITCRAWL_PROXY": {"link.springer.com": f"http://reader:sesame-proxy@127.0.0.1:{proxy.port}"}}
        after = await crawl(tmp_path / "out", settings=PACE | CONTACT | KEYS | route, **arguments)
    article = after.articles[CLOSED]
    assert article.outcome == "complete"
    (file,) = article.files
    assert (file.source, file.credential_key) == ("springer", "litfetch:institutional")
    assert {head.split("\r\n")[0] for head in proxy.heads} == {"CONNECT link.springer.com:443 HTTP/1.1"}
    assert all("Proxy-Authorization: Basic " in head for head in proxy.heads)
    assert "api.springernature.com" in {arrival.host for arrival in world.arrivals}, "asked straight"
    assert not any("proxy-authorization" in arrival.headers for arrival in world.arrivals)


async def test_a_file_s_credential_key_holds_in_a_later_crawl_of_its_feed(tmp_path, monkeypatch):
    feed = tmp_path / "feed.jsonl"
    async with hosts(monkeypatch, tmp_path, answer, *NAMES) as world:
        listing = {"FEEDS": {str(feed): {"format": "jsonlines"}}}
        await crawl(tmp_path / "a", ids=CLOSED, want="pdf", sources="springer", download="0", settings=PACE | CONTACT | KEYS | listing)
        (listed,) = [line for line in map(json.loads, feed.read_text().splitlines()) if line["type"] == "file"]
        assert listed["credential_key"] == "litfetch:institutional"
        asked = len(world.arrivals)
        crawled = await crawl(tmp_path / "b", files=str(feed), settings=PACE | CONTACT | KEYS)
    assert len(world.arrivals) == asked
    assert crawled.articles[CLOSED].missing == {"pdf": "not-entitled"}


LOOK_ALIKES = [
    "https://api.elsevier.com.evil.test/content/article/PII:1",
    "https://xapi.elsevier.com/content/article/PII:1",
    "https://api.elsevier.com:8443/content/article/PII:1",
    "https://me@api.elsevier.com/content/article/PII:1",
    "http://api.springernature.com/openaccess/jats?q=doi:1",
    "https://evil.test/?u=https://api.elsevier.com/content/article/PII:1",
    "https://evil.test/content/article/doi/10.1016/j.a.1",
]


async def test_no_secret_goes_anywhere_else_and_none_is_written_down(tmp_path, monkeypatch, caplog):
    """At DEBUG: keys, contact and a proxy's password, where hosts say back all that they hear, and send elsewhere with it."""
    caplog.set_level(logging.DEBUG)
    out, cassettes, feed = tmp_path / "out", tmp_path / "cassettes", tmp_path / "feed.jsonl"
    links = [(url, "text/xml") for url in LOOK_ALIKES] + [("https://api.wiley.com/onlinelibrary/tdm/v1/articles/a", "application/pdf")]
    recording = {"LITCRAWL_CASSETTE": str(cassettes), "LITCRAWL_RECORD": "once", "FEEDS": {str(feed): {"format": "jsonlines"}}}

    def listed(arrival, n):
        return answer(arrival, n, links)

    async with hosts(monkeypatch, tmp_path, listed, *NAMES) as world, world.proxy() as proxy:
        route = {"LITCRAWL_PROXY": json.dumps({"link.springer.com": f"http://reader:sesame-proxy@127.0.0.1:{proxy.port}"})}
        everything = PACE | KEYS | CONTACT | recording | route
        ids = f"{ELSEVIER} {SPRINGER} {CLOSED} {PREPRINT} {WILEY}"
        crawled = await crawl(out, ids=ids, want="xml,pdf", exhaustive="1", settings=everything)
    assert {"elsevier_oa", "springer_oa", "springer", "biorxiv", "crossref_tdm"} == {file.source for file in crawled.files}

    own = {
        "api.elsevier.com": {"sesame-elsevier", "sesame-insttoken"},
        "api.springernature.com": {"sesame-springer", "sesame-meta"},
        "api.wiley.com": {"sesame-wiley"},
    }
    for arrival in world.arrivals:
        told = set(re.findall(r"sesame-[a-z]+", echo(arrival)))
        assert told <= (own.get(arrival.host, set()) if arrival.secure else set()), f"{arrival.host} was told {told}"
        assert "referer" not in arrival.headers
    assert {"evil.test", "api.elsevier.com.evil.test", "xapi.elsevier.com"} <= {arrival.host for arrival in world.arrivals}
    assert all(arrival.secure for arrival in world.arrivals if arrival.host in ("api.elsevier.com", "api.wiley.com"))

    written = [path for folder in (out, cassettes) for path in folder.rglob("*") if path.is_file()] + [feed]
    assert [str(path) for path in written if SEEN.search(str(path.relative_to(tmp_path)))] == []
    texts = {str(path): path.read_bytes().decode("utf-8", "replace") for path in written}
    assert [(path, set(SEEN.findall(text))) for path, text in texts.items() if SEEN.search(text)] == []
    assert [line for line in caplog.text.splitlines() if SEEN.search(line)] == []
    assert not SEEN.search(repr(crawled.items))

    again = await crawl(tmp_path / "again", ids=ids, want="xml,pdf", exhaustive="1", settings=everything | {"LITCRAWL_RECORD": "none"})
    assert {key: article.outcome for key, article in again.articles.items()} == {key: one.outcome for key, one in crawled.articles.items()}
    assert [line for line in caplog.text.splitlines() if SEEN.search(line)] == []


DOIS = [f"10.1016/j.a.{n}" for n in range(1, 9)]
MANY = " ".join(DOIS)
XML_ALONE = {"ids": MANY, "want": "xml", "sources": "elsevier_oa"}


def told(crawled):
    return [crawled.articles[doi].missing.get("xml", "ok") for doi in DOIS]


def refused(code, words):
    return f"<service-error><status><statusCode>{code}</statusCode><statusText>{words}</statusText></status></service-error>".encode()


def article_of(arrival):
    doi = re.search(r"10\.1016/j\.a\.\d+", arrival.path)[0]
    return Answer(body=ELSEVIER_XML.replace(ELSEVIER, doi).encode())


async def test_a_wrong_key_costs_three_requests_and_one_line_and_the_right_one_brings_all(tmp_path, monkeypatch, caplog):
    def elsevier(arrival, n):
        good = arrival.headers.get("x-els-apikey") == "sesame-good"
        return article_of(arrival) if good else Answer(401, body=refused("AUTHENTICATION_ERROR", "Invalid API Key"))

    async with hosts(monkeypatch, tmp_path, elsevier, *NAMES) as world:
        wrong = await crawl(tmp_path / "out", settings=PACE | CONTACT | KEYS | {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}, **XML_ALONE)
        assert told(wrong) == ["needs-key"] * 8
        assert len(world.arrivals) in (3, 4), "one more may be under way"
        assert wrong.status == 0
        said = [record.getMessage() for record in caplog.records if "it is not asked again" in record.getMessage()]
        assert said == [
            "elsevier_oa: api.elsevier.com refuses its key: see LITCRAWL_ELSEVIER_API_KEY, LITCRAWL_ELSEVIER_INSTTOKEN; "
            "it is not asked again in this run"
        ]
        right = await crawl(tmp_path / "out", settings=PACE | CONTACT | KEYS | {"LITCRAWL_ELSEVIER_API_KEY": "sesame-good"}, **XML_ALONE)
    assert told(right) == ["ok"] * 8


async def test_articles_that_the_key_may_not_read_say_nothing_of_the_key(tmp_path, monkeypatch, caplog):
    closed = {"10.1016/j.a.1", "10.1016/j.a.2", "10.1016/j.a.3", "10.1016/j.a.4"}

    def elsevier(arrival, n):
        doi = re.search(r"10\.1016/j\.a\.\d+", arrival.path)[0]
        entitled = doi not in closed or arrival.headers.get("x-els-insttoken") == "sesame-university"
        return article_of(arrival) if entitled else Answer(401 if n % 2 else 403, body=refused("AUTHORIZATION_ERROR", "Not you"))

    own = {name: value for name, value in KEYS.items() if name != "LITCRAWL_ELSEVIER_INSTTOKEN"}
    async with hosts(monkeypatch, tmp_path, elsevier, *NAMES) as world:
        first = await crawl(tmp_path / "out", settings=PACE | CONTACT | own, **XML_ALONE)
        assert told(first) == ["not-entitled"] * 4 + ["ok"] * 4
        assert "not asked again" not in caplog.text
        asked = len(world.arrivals)
        await crawl(tmp_path / "out", settings=PACE | CONTACT | own, **XML_ALONE)
        assert len(world.arrivals) == asked, "whose right it is, is an answer"
        token = {"LITCRAWL_ELSEVIER_INSTTOKEN": "sesame-university"}
        later = await crawl(tmp_path / "out", settings=PACE | CONTACT | own | token, **XML_ALONE)
    assert told(later) == ["ok"] * 8, "a right that comes later is enough"
    assert [one.articles["10.1016/j.a.1"].notes for one in (first, later)] == [["rights: api.elsevier.com: LITCRAWL_ELSEVIER_API_KEY"], []]


@pytest.mark.parametrize(
    ("body", "reason", "asked", "status"), [(b"Rate limit exceeded", "quota", 1, 3), (b"Forbidden", "needs-key", 3, 0)]
)
async def test_a_spent_allowance_and_a_refused_key_are_heard_by_springer_s_403(tmp_path, monkeypatch, caplog, body, reason, asked, status):
    ids = [f"10.1186/s{n}" for n in range(1, 9)]
    async with hosts(monkeypatch, tmp_path, lambda arrival, n: Answer(403, body=body), *NAMES) as world:
        one_by_one = PACE | CONTACT | KEYS | {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
        crawled = await crawl(tmp_path / "out", ids=" ".join(ids), want="xml", sources="springer_oa", settings=one_by_one)
    assert {article.missing["xml"] for article in crawled.articles.values()} == {reason}
    assert len(world.arrivals) in (asked, asked + 1), "one more may be under way"
    assert crawled.status == status
    assert caplog.text.count("it is not asked again in this run") == 1


async def test_a_key_that_is_refused_for_a_text_mining_link_is_asked_for_again_once_it_is_another(tmp_path, monkeypatch):
    links = [("https://api.wiley.com/onlinelibrary/tdm/v1/articles/a", "application/pdf")]

    def wiley(arrival, n):
        if arrival.host == "api.wiley.com":
            return Answer(body=PDF) if arrival.headers.get("wiley-tdm-client-token") == "sesame-good" else Answer(401)
        return answer(arrival, n, links)

    arguments = {"ids": WILEY, "want": "pdf", "sources": "crossref_tdm"}
    async with hosts(monkeypatch, tmp_path, wiley, *NAMES):
        wrong = await crawl(tmp_path / "out", settings=PACE | CONTACT | KEYS, **arguments)
        right = await crawl(tmp_path / "out", settings=PACE | CONTACT | KEYS | {"LITCRAWL_WILEY_TDM_TOKEN": "sesame-good"}, **arguments)
    assert wrong.articles[WILEY].missing == {"pdf": "needs-key"}
    assert right.articles[WILEY].outcome == "complete"


@pytest.mark.parametrize("order", ["biorxiv,biorxiv_relations", "biorxiv_relations,biorxiv"])
@pytest.mark.parametrize("known", [True, False])
async def test_what_one_answer_of_the_preprint_s_api_holds_is_asked_for_once(tmp_path, monkeypatch, order, known):
    def api(arrival, n):
        entry = {"doi": PREPRINT, "version": "1", "jatsxml": "", "license": "cc_by", "published": "10.1016/j.a.1"}
        said = {"messages": [{"status": "ok" if known else "no posts found"}], "collection": [entry] if known else []}
        return Answer(body=json.dumps(said).encode())

    async with hosts(monkeypatch, tmp_path, api, *NAMES) as world:
        crawled = await crawl(tmp_path / "out", ids=PREPRINT, want="xml,related", sources=order, resolve="0", settings=PACE | CONTACT)
    paths = [arrival.path for arrival in world.arrivals]
    assert len(paths) == len(set(paths)) == (1 if known else 2)
    article = crawled.articles[PREPRINT]
    assert article.missing["xml"] == "absent"
    assert [one.relation for one in article.related] == (["published"] if known else [])


async def test_who_has_no_right_to_an_article_is_not_asked_for_it_at_another_address(tmp_path, monkeypatch):
    links = [
        ("https://api.elsevier.com/content/article/PII:1?httpAccept=text/xml", "text/xml"),
        ("https://evil.test/a.pdf", "application/pdf"),
    ]

    def refusing(arrival, n):
        if arrival.host == "api.crossref.org":
            listed = [{"URL": url, "content-type": kind, "intended-application": "text-mining"} for url, kind in links]
            return Answer(body=json.dumps({"message-type": "work", "message": {"DOI": ELSEVIER, "link": listed}}).encode())
        return Answer(403) if arrival.host == "api.elsevier.com" else answer(arrival, n)

    async with hosts(monkeypatch, tmp_path, refusing, *NAMES) as world:
        crawled = await crawl(
            tmp_path / "out", ids=ELSEVIER, want="xml,pdf", sources="elsevier_oa,crossref_tdm", settings=PACE | CONTACT | KEYS
        )
    assert [arrival.path for arrival in world.arrivals if arrival.host == "api.elsevier.com"] == [
        "/content/article/doi/10.1016/j.a.1?view=FULL&httpAccept=text/xml"
    ]
    assert crawled.articles[ELSEVIER].missing == {"xml": "not-entitled"}
    assert came_from(crawled.articles[ELSEVIER]) == {"crossref_tdm": "application/pdf"}


async def test_autothrottle_hears_what_a_keyed_host_takes(tmp_path, monkeypatch):
    """The key is joined to a copy of the request: the latency of that has to come back to the one that AutoThrottle knows."""

    async def slow(arrival, n):
        said = answer(arrival, n)
        said.latency = 0.2
        return said

    delays = {}

    def note(item, crawler):
        delays.update({name: slot.delay for name, slot in crawler.engine.downloader.slots.items()})

    throttled = PACE | {"AUTOTHROTTLE_ENABLED": 1, "AUTOTHROTTLE_START_DELAY": 0.01, "DOWNLOAD_DELAY": 0.001}
    async with hosts(monkeypatch, tmp_path, slow, *NAMES):
        ids = " ".join(f"10.1016/j.a.{n}" for n in range(1, 5))
        await crawl(tmp_path / "out", ids=ids, want="xml", sources="elsevier_oa", settings=throttled | CONTACT | KEYS, on_item=note)
    assert delays["api.elsevier.com"] > 0.02, "it slowed down by what the host took"
