"""The archive: whole crawls of a small arXiv; what is on disk, what was asked for, and what a later run asks for."""

import asyncio
import hashlib
import json
import sys
import threading
from importlib.resources import files

import arxivs
import pytest
from crawling import project_settings
from jsonschema import Draft202012Validator
from loopback import HOSTS, Answer
from scrapy.crawler import AsyncCrawlerRunner

from litcrawl.arxiv import eprint, urls
from litcrawl.exceptions import BadArgument
from litcrawl.middlewares import retry
from litcrawl.middlewares.backoff import Backoff
from litcrawl.spiders.arxiv import ArxivSpider
from litcrawl.store import Store

PAPER, OLD = "2303.18112", "math/0601001"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def table(out, name):
    return json.loads((out / name).read_bytes())


def tree(out):
    """The files of the archive, without those of the runs and the locks."""
    found = (path for path in out.rglob("*") if path.is_file() and path.suffix != ".lock")
    return sorted(path.relative_to(out).as_posix() for path in found if "runs" not in path.parts)


async def test_every_version_of_a_paper_with_record_licence_and_comments(out, monkeypatch):
    licences, comments = {f"{PAPER}v1": arxivs.CC_BY}, {f"{PAPER}v2": "12 pages"}
    async with arxivs.arxiv(monkeypatch, {PAPER: ("1", "D")}, licences=licences, comments=comments) as world:
        crawled = await world.crawl(out, ids=PAPER)
    assert world.asked == [
        f"oai:arXiv.org:{PAPER}",
        *(f"/{what}/{PAPER}v{n}" for n in (1, 2) for what in ("abs", "pdf", "e-print")),
    ]
    files = {"v1.pdf": arxivs.pdf(f"{PAPER}v1"), "v1-source.gz": world.file("e-print", f"{PAPER}v1", "1")}
    files |= {"v2.pdf": arxivs.pdf(f"{PAPER}v2"), "v2-source.tar.gz": world.file("e-print", f"{PAPER}v2", "D")}
    assert {name: (out / "papers" / PAPER / name).read_bytes() for name in files} == files
    assert (out / "papers" / PAPER / "record.xml").read_bytes() == arxivs.record(PAPER, "1", "D")
    assert table(out, "version-licences.json") == {
        f"{PAPER}v1": {"licence": arxivs.CC_BY, "comments": None},
        f"{PAPER}v2": {"licence": arxivs.NONEXCLUSIVE, "comments": "12 pages"},
    }
    entries = table(out, "download.json")[PAPER]
    assert list(entries) == ["v1.pdf", "v1.src", "v2.pdf", "v2.src"]
    for (key, entry), (name, content) in zip(entries.items(), files.items(), strict=True):
        what = "pdf" if key.endswith("pdf") else "e-print"
        fetched = entry.pop("fetched")
        assert entry == {
            "file": name,
            "url": f"{world.server.url()}{what}/{PAPER}{key[:2]}",
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        assert fetched[10] == "T"
        assert fetched.endswith("+00:00")
    assert crawled.status == 0
    assert [name for name in tree(out) if name.count("/") == 0] == ["download.json", "version-licences.json"]  # no index


async def test_the_items_are_those_of_every_spider(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("1", "D")}, licences={f"{PAPER}v1": arxivs.CC_BY}) as world:
        crawled = await world.crawl(out, ids=PAPER)
    (article,) = crawled.articles.values()
    assert (article.key, article.path, str(article.outcome)) == (f"arxiv:{PAPER}", f"papers/{PAPER}", "complete")
    assert article.licence.spdx == "LicenseRef-arXiv-nonexclusive-distrib-1.0"  # the newest version's
    assert [(one.raw, one.spdx, one.about, one.basis) for one in article.claims] == [
        (arxivs.NONEXCLUSIVE, "LicenseRef-arXiv-nonexclusive-distrib-1.0", "preprint", "arxiv"),
        (arxivs.CC_BY, "CC-BY-4.0", "preprint", "arxiv"),
    ]
    assert [(str(one.kind), one.version, one.licence.spdx, one.media_type) for one in crawled.files] == [
        ("body", 1, "CC-BY-4.0", "application/pdf"),
        ("supplementary", 1, "CC-BY-4.0", "application/gzip"),
        ("body", 2, "LicenseRef-arXiv-nonexclusive-distrib-1.0", "application/pdf"),
        ("supplementary", 2, "LicenseRef-arXiv-nonexclusive-distrib-1.0", "application/gzip"),
    ]
    assert all(one.stage == "preprint" and one.key == article.key for one in crawled.files)
    assert crawled.article_json(f"papers/{PAPER}") == article.to_dict()
    schemas = {name: json.loads((files("litcrawl") / "schemas" / f"{name}.json").read_text()) for name in ("article", "file")}
    for item in crawled.items:
        Draft202012Validator(schemas[item.type]).validate(item.to_dict())
    rows = (crawled.run / "rows.csv").read_text(encoding="utf-8-sig").splitlines()
    assert f"papers/{PAPER}/v2.pdf,papers/{PAPER}," in rows[1]


async def test_old_ids_pinned_versions_and_addresses_each_paper_once(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {OLD: ("D",), PAPER: ("D", "D", "D")}) as world:
        crawled = await world.crawl(
            out, ids=f"math.GT/0601001 https://arxiv.org/pdf/{PAPER}v2 arXiv:{PAPER}v2 https://arxiv.org/abs/{OLD}v1"
        )
    assert [one for one in world.asked if "oai" in one] == [f"oai:arXiv.org:{OLD}", f"oai:arXiv.org:{PAPER}"]
    assert world.count("/pdf/") == 2
    assert tree(out)[1:-1] == [
        *(f"papers/{PAPER}/{name}" for name in ("article.json", "record.xml", "v2-source.tar.gz", "v2.pdf")),
        *(f"papers/math_0601001/{name}" for name in ("article.json", "record.xml", "v1-source.tar.gz", "v1.pdf")),
    ]
    assert list(table(out, "download.json")) == [OLD, PAPER]
    assert list(table(out, "version-licences.json")) == [f"{OLD}v1", f"{PAPER}v2"]
    assert [len(one.inputs) for one in crawled.articles.values()] == [2, 2]
    assert crawled.status == 0


async def test_a_later_row_may_ask_for_more_versions(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "D")}) as world:
        crawled = await world.crawl(out, ids=f"{PAPER}v2 {PAPER}")
    assert [one for one in world.asked if "pdf" in one] == [f"/pdf/{PAPER}v2", f"/pdf/{PAPER}v1"]
    assert [one.version for one in crawled.articles[f"arxiv:{PAPER}"].files] == [2, 1, 2, 1]


async def test_what_is_held_of_other_versions_is_named_too(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "D", "I")}) as world:
        await world.crawl(out, ids=f"{PAPER}v1")
        crawled = await world.crawl(out, ids=f"{PAPER}v2")
    article = crawled.articles[f"arxiv:{PAPER}"]
    assert ([one.version for one in article.files], article.missing) == ([2, 1, 2, 1], {})
    assert len(article.claims) == 3  # the newest one's is in the record


async def test_a_withdrawn_version_is_recorded_and_those_before_it_are_kept(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "I")}) as world:
        crawled = await world.crawl(out, ids=PAPER)
        entries = table(out, "download.json")[PAPER]
        url = world.server.url()
        assert entries["v2.pdf"] == {"error": "withdrawn: HTTP 404", "url": f"{url}pdf/{PAPER}v2"}
        assert entries["v2.src"] == {"error": "withdrawn: HTTP 404", "url": f"{url}e-print/{PAPER}v2"}
        assert "error" not in entries["v1.pdf"] | entries["v1.src"]
        article = crawled.articles[f"arxiv:{PAPER}"]
        assert (str(article.outcome), article.missing, article.retracted) == (
            "partial",
            {"pdf": "withdrawn", "supplementary": "withdrawn"},
            True,
        )
        assert crawled.status == 0
        before = len(world.asked)
        await world.crawl(out, ids=PAPER)  # every failed entry is tried once more by the next run
        assert world.asked[before:] == [f"/pdf/{PAPER}v2", f"/e-print/{PAPER}v2"]


@pytest.mark.parametrize("answer", [Answer(403), Answer(200, body=b""), Answer(200, body=b"<html><body>No PDF: withdrawn</body></html>")])
async def test_of_a_withdrawn_version_any_answer_that_is_no_file_is_a_word(out, monkeypatch, answer):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "I")}) as world:
        world.first = lambda arrival, n: answer if arrival.path in (f"/pdf/{PAPER}v2", f"/e-print/{PAPER}v2") else None
        crawled = await world.crawl(out, ids=PAPER)
        assert world.count(f"/pdf/{PAPER}v2", f"/e-print/{PAPER}v2") == 2
    assert table(out, "download.json")[PAPER]["v2.pdf"]["error"] == f"withdrawn: HTTP {answer.status}"
    assert crawled.status == 0


async def test_that_arxiv_is_busy_is_no_word_of_a_withdrawn_version(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "I")}) as world:
        busy = Answer(200, body=b"Rate exceeded.")
        world.first = lambda arrival, n: busy if arrival.path == f"/pdf/{PAPER}v2" else None
        assert (await world.crawl(out, ids=PAPER)).status == 3
        assert world.count(f"/pdf/{PAPER}v2") == 4


async def test_a_deleted_record_is_absence(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        world.first = lambda arrival, n: Answer(body=DELETED) if "GetRecord" in arrival.path else None
        crawled = await world.crawl(out, ids=PAPER)
        assert len(world.asked) == 1
    assert str(crawled.articles[f"arxiv:{PAPER}"].outcome) == "absent"


async def test_there_is_no_version_nought(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        crawled = await world.crawl(out, ids=f"{PAPER}v0")
        assert world.count("/pdf", "/abs") == 0
    assert crawled.articles[f"arxiv:{PAPER}"].missing == dict.fromkeys(("pdf", "supplementary"), "absent")


@pytest.mark.parametrize("pipelines", [{}, {"litcrawl.pipelines.licence.LicencePipeline": 300}])
async def test_the_archive_is_kept_whatever_pipelines_a_user_sets(out, monkeypatch, pipelines):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        assert (await world.crawl(out, {"ITEM_PIPELINES": pipelines}, ids=PAPER)).status == 0
    assert "sha256" in table(out, "download.json")[PAPER]["v1.pdf"]


async def test_what_arxiv_does_not_have_is_absent_and_no_paper_needs_an_id(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        crawled = await world.crawl(out, ids=f"2301.99999 {PAPER}v7 10.1371/journal.pone.0000217")
    told = {key: (str(one.outcome), one.missing) for key, one in crawled.articles.items() if key}
    both = {reason: dict.fromkeys(("pdf", "supplementary"), reason) for reason in ("absent", "needs-id")}
    assert told == {
        "arxiv:2301.99999": ("absent", both["absent"]),
        f"arxiv:{PAPER}": ("absent", both["absent"]),
        "10.1371/journal.pone.0000217": ("absent", both["needs-id"]),
    }
    assert len(world.asked) == 2
    assert not (out / "papers/2301.99999/record.xml").exists()


# tries


@pytest.mark.parametrize(
    ("answer", "tries", "status"),
    [
        (Answer(403, body=b"<html>denied</html>"), 1, 0),
        (Answer(404, body=b"<html>no</html>"), 1, 0),
        (Answer(503, body=b"busy"), 4, 3),
        (Answer(429, body=b"Rate exceeded."), 4, 3),
        (Answer(400, body=b"what?"), 4, 3),
        (Answer(200, body=b"Rate exceeded.\n"), 4, 3),
        (Answer(200, body=b"<html><body>The PDF is being made.</body></html>"), 4, 3),
        (Answer(200, body=b""), 4, 0),
        (Answer(200, body=b"%PDF-1.5 no end"), 4, 3),
        (Answer(200, body=b"%PDF-1.5", cut=True), 4, 0),
    ],
)
async def test_four_tries_but_one_where_arxiv_says_no(out, monkeypatch, answer, tries, status):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        world.first = lambda arrival, n: answer if arrival.path.startswith("/pdf/") else None
        crawled = await world.crawl(out, ids=PAPER)
        assert world.count("/pdf/") == tries
        assert table(out, "download.json")[PAPER]["v1.pdf"].keys() == {"error", "url"}
        assert not (out / f"papers/{PAPER}/v1.pdf").exists()
        assert (out / f"papers/{PAPER}/v1-source.tar.gz").exists()
        assert crawled.status == status
        world.first = None
        assert (await world.crawl(out, ids=PAPER)).status == 0
    assert world.count("/pdf/") == tries + 1
    assert "sha256" in table(out, "download.json")[PAPER]["v1.pdf"]


async def test_what_fails_and_then_comes_is_no_failure(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        bad = [Answer(503), Answer(200, body=b"Rate exceeded."), Answer(200, body=b"<html>busy</html>")]
        world.first = lambda arrival, n: bad[n - 1] if n <= len(bad) else None
        crawled = await world.crawl(out, ids=PAPER)
    assert crawled.status == 0
    assert len(world.asked) == 16
    assert crawled.articles[f"arxiv:{PAPER}"].missing == {}


async def test_the_tries_are_15_30_and_45_seconds_apart(monkeypatch):
    crawler = AsyncCrawlerRunner(project_settings()).create_crawler(ArxivSpider)
    crawler._apply_settings()
    spider = ArxivSpider()
    spider._set_crawler(crawler)
    monkeypatch.setattr(retry, "time", lambda: 1000.0)
    request, waits = spider.request("https://export.arxiv.org/pdf/1"), []
    while request := retry.try_again(request, spider, "busy", Backoff(0.5, 60)):
        waits.append(request.meta["not_before"] - 1000)
    assert waits == [15, 30, 45]
    assert spider.request("https://export.arxiv.org/pdf/1").meta["dont_obey_robotstxt"]
    assert "dont_obey_robotstxt" not in spider.request("https://oaipmh.arxiv.org/oai").meta


async def test_failures_end_the_log(out, monkeypatch, caplog):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "I")}) as world:
        url = world.server.url()
        await world.crawl(out, ids=f"{PAPER} 2301.99999")
    ours = [one.getMessage() for one in caplog.records if one.name != "scrapy.core.engine" and "scrapy.stats" not in one.name]
    end = ours[-4:]
    assert end[0] == f"Not had: {PAPER} v2.pdf: withdrawn: HTTP 404 ({url}pdf/{PAPER}v2)"
    assert end[1] == f"Not had: {PAPER} v2.src: withdrawn: HTTP 404 ({url}e-print/{PAPER}v2)"
    assert end[2].startswith("Not had: 2301.99999 record: absent: idDoesNotExist (")
    assert end[3] == "3 not had in this run; each is tried again by the next"


async def test_a_closed_host_ends_a_paper_at_once_and_the_next_waits_for_it(out, monkeypatch, caplog):
    papers = {f"2303.0000{n}": ("D",) for n in range(1, 5)}
    async with arxivs.arxiv(monkeypatch, papers) as world:
        world.first = lambda arrival, n: Answer(503) if arrival.host == HOSTS[0] and world.count("/abs", "/pdf", "/e-print") <= 6 else None
        crawled = await world.crawl(out, ids=" ".join(papers))
        assert crawled.status == 3
        assert [one for one in caplog.messages if (one.startswith("Not had: 2303.0000") and "closed" in one) or "unavailable: " in one]
        ended = [str(one.outcome) for one in crawled.articles.values()]
        assert "retry" in ended
        assert ended[-1] == "complete"
        assert (await world.crawl(out, ids=" ".join(papers))).status == 0


# resuming


async def test_a_second_run_asks_nothing(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "F"), OLD: ("1",)}) as world:
        first = await world.crawl(out, ids=f"{PAPER} {OLD}")
        asked = len(world.asked)
        before = {name: (out / name).read_bytes() for name in tree(out)}
        second = await world.crawl(out, ids=f"{PAPER} {OLD}")
        assert len(world.asked) == asked
    assert {name: (out / name).read_bytes() for name in tree(out)} == before
    assert second.status == 0
    assert second.files == []
    assert [[f.path for f in one.files] for one in second.articles.values()] == [
        [f.path for f in one.files] for one in first.articles.values()
    ]


_AS_USERS_START_IT = """
import sys
from litcrawl.arxiv import eprint, urls
from litcrawl.arxiv.archiver import ArchiverSpider
from litcrawl.cli import main

urls.FOR_PROGRAMS, urls.OAI, urls.SITE = sys.argv[1:4]
del sys.argv[1:4]
main()
"""


@pytest.mark.parametrize("stop", [3, 5, 7])
async def test_a_process_that_is_killed_fetches_no_file_twice(out, monkeypatch, stop):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "H", "1")}) as world:
        given = {"LITCRAWL_OUT": out, "LITCRAWL_SLOTS": "{}", "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": 0, "LITCRAWL_MIN_FREE": 0}
        words = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _AS_USERS_START_IT, urls.FOR_PROGRAMS, urls.OAI, urls.SITE, "crawl", "arxiv", "-a", f"ids={PAPER}",
            *words,
            cwd=out.parent, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        await world.server.until(stop)
        child.kill()
        assert await child.wait() == -9
        held = table(out, "download.json").get(PAPER, {}) if (out / "download.json").exists() else {}
        before = len(world.asked)
        await world.crawl(out, ids=PAPER)
        again = {one for one in world.asked[before:] if one.startswith(("/pdf", "/e-print"))}
        fetched = {f"/{'pdf' if key.endswith('pdf') else 'e-print'}/{PAPER}{key[:2]}" for key, one in held.items() if "file" in one}
        assert len(fetched) >= stop // 2 - 1
        assert not again & fetched
        await world.crawl(out, ids=PAPER)
    entries = table(out, "download.json")[PAPER]
    kept = {f"papers/{PAPER}/{one['file']}": one["sha256"] for one in entries.values() if "file" in one}
    assert len(kept) == 5
    assert {path: hashlib.sha256((out / path).read_bytes()).hexdigest() for path in kept} == kept


@pytest.mark.parametrize("stop", range(1, 8))
async def test_a_run_that_is_cut_off_anywhere_is_gone_on_with(out, monkeypatch, stop):
    """After so many answers arXiv refuses all: what the first run has on disk is all that is left of it."""
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "1")}) as world:
        world.first = lambda arrival, n: Answer(403) if len(world.asked) > stop else None
        await world.crawl(out, ids=PAPER)
        world.first = None
        fetched = [one for one in world.asked[:stop] if one.startswith(("/pdf", "/e-print"))]
        before = len(world.asked)
        crawled = await world.crawl(out, ids=PAPER)
        assert crawled.status == 0
        assert not set(fetched) & set(world.asked[before:])
    assert [one for one in tree(out) if "/v" in one] == [
        f"papers/{PAPER}/v{n}{end}" for n, ends in ((1, ("-source.tar.gz", ".pdf")), (2, ("-source.gz", ".pdf"))) for end in ends
    ]


async def test_a_file_that_no_table_names_is_taken_in_when_its_bytes_are_whole(out, monkeypatch):
    """Killed between the two: the file was put in its place, and the table not yet written."""
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "F")}) as world:
        await world.crawl(out, ids=PAPER)
        whole = table(out, "download.json")
        (out / "download.json").unlink()
        cut = out / f"papers/{PAPER}/v2.pdf"
        cut.write_bytes(cut.read_bytes()[:-10])
        before = len(world.asked)
        await world.crawl(out, ids=PAPER)
        assert world.asked[before:] == [f"/pdf/{PAPER}v2"]
    again = table(out, "download.json")
    assert {key: one["sha256"] for key, one in again[PAPER].items()} == {key: one["sha256"] for key, one in whole[PAPER].items()}


async def test_a_file_that_is_gone_or_has_another_size_is_fetched_again(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        await world.crawl(out, ids=PAPER)
        (out / f"papers/{PAPER}/v1.pdf").unlink()
        (out / f"papers/{PAPER}/v1-source.tar.gz").write_bytes(b"\x1f\x8b")
        before = len(world.asked)
        assert (await world.crawl(out, ids=PAPER)).status == 0
        assert world.asked[before:] == [f"/pdf/{PAPER}v1", f"/e-print/{PAPER}v1"]


async def test_a_folder_that_opensheaf_began_is_gone_on_with(out, monkeypatch):
    """Its records may stand alone, its names for odd e-prints are its own, and it keeps a file of the depositor's."""
    folder = out / "papers" / PAPER
    folder.mkdir(parents=True)
    (folder / "record.xml").write_bytes(arxivs.raw(PAPER, "D", "D").encode())
    (folder / "v1.pdf").write_bytes(arxivs.pdf("one"))
    (folder / "v1-source.bin").write_bytes(b"%!PS odd")
    url = "https://export.arxiv.org/e-print/" + PAPER
    entries = {
        "v1.pdf": {
            "file": "v1.pdf",
            "url": url,
            "bytes": len(arxivs.pdf("one")),
            "sha256": "0" * 64,
            "fetched": "2025-01-01T00:00:00+00:00",
        },
        "v1.src": {"file": "v1-source.bin"},
        "v2.pdf": {"error": "HTTP Error 503: Service Unavailable", "url": url},
    }
    (out / "download.json").write_text(json.dumps({PAPER: entries, "2301.00001": {"v1.pdf": {"error": "x", "url": "y"}}}))
    (out / "version-licences.json").write_text(json.dumps({f"{PAPER}v1": {"licence": arxivs.CC_BY, "comments": None}}))
    (out / "identifiers.json").write_text("{}")
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "D")}) as world:
        crawled = await world.crawl(out, ids=PAPER)
    assert world.asked == [f"/{what}/{PAPER}v2" for what in ("abs", "pdf", "e-print")]
    kept = table(out, "download.json")
    assert {key: kept[PAPER][key] for key in ("v1.pdf", "v1.src")} == {key: entries[key] for key in ("v1.pdf", "v1.src")}
    assert kept["2301.00001"] == {"v1.pdf": {"error": "x", "url": "y"}}
    assert (out / "identifiers.json").read_text() == "{}"
    assert str(crawled.articles[f"arxiv:{PAPER}"].outcome) == "complete"


@pytest.mark.parametrize(
    "name",
    ["v2.pdf", "v1-source.pdf", "v11.pdf", "../../secret.pdf", "/etc/passwd", "..", ".hidden", "v1/../../../x", "v1\\..\\x", 7, None],
)
async def test_a_table_that_names_a_file_elsewhere_is_not_believed(out, monkeypatch, name):
    out.mkdir()
    (out / "secret.pdf").write_bytes(arxivs.pdf())
    entry = {"file": name, "url": "https://x.test", "bytes": len(arxivs.pdf()), "sha256": "0" * 64, "fetched": "x"}
    (out / "download.json").write_text(json.dumps({PAPER: {"v1.pdf": entry, "v1.src": "what?"}, OLD: 7}))
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        crawled = await world.crawl(out, ids=PAPER)
    assert crawled.status == 0
    assert [one["file"] for one in table(out, "download.json")[PAPER].values()] == ["v1.pdf", "v1-source.tar.gz"]


@pytest.mark.parametrize("name", ["download.json", "version-licences.json", "runs/harvest.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]"])
async def test_a_table_that_cannot_be_read_is_not_written_over(out, name, content):
    (out / name).parent.mkdir(parents=True, exist_ok=True)
    (out / name).write_bytes(content)
    with pytest.raises(BadArgument, match=name):
        ArxivSpider.prepare(project_settings(LITCRAWL_OUT=str(out)), {"ids": PAPER})
    assert (out / name).read_bytes() == content


# licences


async def test_a_page_is_asked_for_again_until_its_licence_is_known(out, monkeypatch):
    licences = {f"{PAPER}v1": None, f"{PAPER}v2": None}
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "D")}, licences=licences) as world:
        assert (await world.crawl(out, ids=PAPER)).status == 0
        assert table(out, "version-licences.json")[f"{PAPER}v1"] == {"licence": None, "comments": None}
        world.licences = {f"{PAPER}v1": arxivs.CC_BY}
        before = len(world.asked)
        await world.crawl(out, ids=PAPER)
        assert world.asked[before:] == [f"/abs/{PAPER}v1", f"/abs/{PAPER}v2"]
        await world.crawl(out, ids=PAPER)
        assert len(world.asked) == before + 2
    assert table(out, "version-licences.json")[f"{PAPER}v1"] == {"licence": arxivs.CC_BY, "comments": None}


async def test_a_page_that_leads_to_the_newest_version_tells_nothing_of_another(out, monkeypatch):
    licences = {f"{PAPER}v1": arxivs.NONEXCLUSIVE, f"{PAPER}v2": arxivs.CC_BY}
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "D")}, licences=licences) as world:
        world.lists[f"/abs/{PAPER}"] = arxivs.page(PAPER, arxivs.CC_BY)
        moved = Answer(301, headers=[("Location", f"/abs/{PAPER}")])
        world.first = lambda arrival, n: moved if arrival.path == f"/abs/{PAPER}v1" else None
        crawled = await world.crawl(out, ids=PAPER)
        assert list(table(out, "version-licences.json")) == [f"{PAPER}v2"]
        assert crawled.status == 3
        assert world.count(f"/abs/{PAPER}v1") == 4
        world.first = None
        assert (await world.crawl(out, ids=PAPER)).status == 0
    assert table(out, "version-licences.json")[f"{PAPER}v1"]["licence"] == arxivs.NONEXCLUSIVE


async def test_the_table_has_a_licence_from_its_page_alone_and_the_article_the_newest_one_s_from_the_record_too(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        world.first = lambda arrival, n: Answer(body=arxivs.page(PAPER, None)) if arrival.path.startswith("/abs") else None
        crawled = await world.crawl(out, ids=PAPER)
        assert table(out, "version-licences.json") == {f"{PAPER}v1": {"licence": None, "comments": None}}
        (claim,) = crawled.articles[f"arxiv:{PAPER}"].claims
        assert (claim.raw, "verb=GetRecord" in claim.url) == (arxivs.NONEXCLUSIVE, True)
        await world.crawl(out, ids=PAPER)
        assert world.asked[4:] == [f"/abs/{PAPER}v1"]


async def test_comments_that_are_known_are_not_forgotten(out, monkeypatch):
    licences, comments = {f"{PAPER}v1": None}, {f"{PAPER}v1": "12 pages"}
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}, licences=licences, comments=comments) as world:
        await world.crawl(out, ids=PAPER)
        world.comments = {}
        await world.crawl(out, ids=PAPER)
    assert table(out, "version-licences.json")[f"{PAPER}v1"]["comments"] == "12 pages"


async def test_a_version_whose_licence_is_not_wanted_is_not_fetched(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "D")}, licences={f"{PAPER}v2": arxivs.CC_BY}) as world:
        crawled = await world.crawl(out, {"LITCRAWL_LICENCES": "CC-BY-*"}, ids=PAPER)
        assert world.asked[1:] == [f"/abs/{PAPER}v1", *(f"/{what}/{PAPER}v2" for what in ("abs", "pdf", "e-print"))]
        article = crawled.articles[f"arxiv:{PAPER}"]
        assert (str(article.outcome), article.missing) == ("partial", dict.fromkeys(("pdf", "supplementary"), "licence"))
        assert (await world.crawl(out, ids=PAPER)).status == 0
    assert world.asked[5:] == [f"/pdf/{PAPER}v1", f"/e-print/{PAPER}v1"]


# refresh


async def test_refresh_asks_for_records_and_pages_and_for_what_is_new(out, monkeypatch, caplog):
    caplog.set_level("INFO")
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        await world.crawl(out, ids=PAPER)
        world.papers[PAPER] = ("D", "D")
        world.licences[f"{PAPER}v1"] = arxivs.CC_BY
        before = len(world.asked)
        await world.crawl(out, ids=f"{PAPER} {PAPER}", refresh="1")
        assert world.asked[before:] == [
            f"oai:arXiv.org:{PAPER}",
            f"/abs/{PAPER}v1",
            *(f"/{what}/{PAPER}v2" for what in ("abs", "pdf", "e-print")),
        ]
    assert f"New versions: {PAPER}v2" in [one.getMessage() for one in caplog.records]
    assert table(out, "version-licences.json")[f"{PAPER}v1"]["licence"] == arxivs.CC_BY


async def test_a_record_that_has_lost_versions_does_not_replace_the_fuller_one(out, monkeypatch, caplog):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "D", "D")}) as world:
        await world.crawl(out, ids=PAPER)
        world.papers[PAPER] = ("D",)
        crawled = await world.crawl(out, ids=PAPER, refresh="1")
    assert (out / f"papers/{PAPER}/record.xml").read_bytes() == arxivs.record(PAPER, "D", "D", "D")
    assert len(crawled.articles[f"arxiv:{PAPER}"].files) == 6
    assert f"the record of {PAPER} tells no more of v2, v3" in caplog.text


GONE = arxivs.header(PAPER, status=' status="deleted"')
DELETED = arxivs.envelope(f"<GetRecord><record>{GONE}</record></GetRecord>")


@pytest.mark.parametrize(
    "body", [DELETED, arxivs.refusal("idDoesNotExist"), arxivs.refusal("badArgument"), arxivs.record("2301.00001"), b"busy"]
)
async def test_nothing_but_its_record_replaces_a_record(out, monkeypatch, body):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        await world.crawl(out, ids=PAPER)
        world.first = lambda arrival, n: Answer(body=body) if "GetRecord" in arrival.path else None
        crawled = await world.crawl(out, ids=PAPER, refresh="1")
    assert (out / f"papers/{PAPER}/record.xml").read_bytes() == arxivs.record(PAPER)
    assert len(crawled.articles[f"arxiv:{PAPER}"].files) == 2


async def test_a_licence_that_is_known_is_not_forgotten(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "D")}) as world:
        await world.crawl(out, ids=PAPER)
        world.licences[f"{PAPER}v1"] = None
        await world.crawl(out, ids=PAPER, refresh="1")
    assert table(out, "version-licences.json")[f"{PAPER}v1"]["licence"] == arxivs.NONEXCLUSIVE


# bytes


@pytest.mark.parametrize("coding", ["x-gzip", "gzip"])
async def test_a_content_encoding_over_a_gzip_file_takes_nothing_off_it(out, monkeypatch, coding):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        content = world.file("e-print", f"{PAPER}v1", "D")
        headers = [("Content-Encoding", coding), ("Content-Type", "application/x-eprint-tar")]
        world.first = lambda arrival, n: Answer(headers=headers, body=content) if arrival.path.startswith("/e-print") else None
        await world.crawl(out, ids=PAPER)
    asked = {one.path[:4]: one.headers["accept-encoding"] for one in world.server.arrivals}
    assert asked == {"/oai": "gzip", "/abs": "gzip", "/pdf": "identity", "/e-p": "identity"}
    assert (out / f"papers/{PAPER}/v1-source.tar.gz").read_bytes() == content


async def test_a_content_encoding_that_nobody_asked_for_is_undone_over_a_pdf(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("F",)}) as world:
        packed = arxivs.packed(arxivs.pdf("words"))
        gzipped = Answer(headers=[("Content-Encoding", "gzip")], body=packed)
        world.first = lambda arrival, n: gzipped if arrival.path.startswith(("/pdf", "/e-print")) else None
        await world.crawl(out, ids=PAPER)
    assert (out / f"papers/{PAPER}/v1.pdf").read_bytes() == arxivs.pdf("words")
    assert (out / f"papers/{PAPER}/v1-source.pdf").read_bytes() == arxivs.pdf("words")


async def test_a_large_file_goes_to_disk_as_it_comes(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("F",)}) as world:
        large = arxivs.pdf("x" * 200_000)
        world.first = lambda arrival, n: Answer(body=large) if arrival.path.startswith(("/pdf", "/e-print")) else None
        crawled = await world.crawl(out, {"LITCRAWL_STREAM_SIZE": 65536}, ids=PAPER)
    assert (out / f"papers/{PAPER}/v1.pdf").read_bytes() == (out / f"papers/{PAPER}/v1-source.pdf").read_bytes() == large
    assert [one for one in (out / ".parts").iterdir() if one.suffix != ".lock"] == []
    assert crawled.status == 0


async def test_files_are_read_and_tables_written_beside_the_event_loop(out, monkeypatch):
    """A packed file may unfold to gigabytes, and the tables of many papers take a second to write."""
    threads = []

    def noted(function):
        return lambda *given, **more: (threads.append(threading.current_thread()), function(*given, **more))[1]

    monkeypatch.setattr(eprint, "prove", noted(eprint.prove))
    monkeypatch.setattr(Store, "put_json", noted(Store.put_json))
    async with arxivs.arxiv(monkeypatch, {PAPER: ("1",)}) as world:
        await world.crawl(out, ids=PAPER)
    assert len(threads) == 5  # an e-print; its page, two files, and in the end article.json, which is small
    assert threading.main_thread() not in threads[:-1]


async def test_what_unfolds_to_more_than_a_file_may_have_is_asked_for_once(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        large = Answer(headers=[("Content-Encoding", "gzip")], body=arxivs.packed(arxivs.pdf("x" * 300_000)))
        world.first = lambda arrival, n: large if arrival.path.startswith("/pdf") else None
        await world.crawl(out, {"LITCRAWL_MAX_FILE_SIZE": 100_000}, ids=PAPER)
        assert world.count("/pdf") == 1
    assert table(out, "download.json")[PAPER]["v1.pdf"]["error"].startswith("too-large: ")
