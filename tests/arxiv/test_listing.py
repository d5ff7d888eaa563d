"""Papers that arXiv is asked for: an author's feed, a harvest, several at once; and lists that break off."""

import json

import arxivs
import pytest
from loopback import Answer

EMPTY = "<resumptionToken/>"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def marks(out):
    path = out / "runs/harvest.json"
    return json.loads(path.read_bytes()) if path.exists() else {}


def token(text):
    return f"<resumptionToken>{text}</resumptionToken>"


def papers(*ids):
    return dict.fromkeys(ids, ("D",))


async def test_all_versions_of_an_author_s_papers(out, monkeypatch):
    feed = {"/a/body_a_1.atom2": arxivs.feed("2303.00001v2", "math/0601001v1")}
    async with arxivs.arxiv(monkeypatch, {"2303.00001": ("D", "D"), "math/0601001": ("D",)}, lists=feed) as world:
        crawled = await world.crawl(out, author="body_a_1")
    assert world.asked[0] == "/a/body_a_1.atom2"
    assert world.count("/pdf/") == 3
    assert crawled.status == 0
    assert [one["field"] for article in crawled.articles.values() for one in article.inputs] == ["author", "author"]


async def test_a_harvest_stores_the_papers_and_moves_its_watermark(out, monkeypatch):
    lists = {
        "first": arxivs.identifiers(arxivs.header("2303.00001", "2026-11-01"), token=token("p2")),
        "p2": arxivs.identifiers(arxivs.header("2303.00002", "2026-11-02"), token=EMPTY),
    }
    days = {"2303.00001": "2026-11-01", "2303.00002": "2026-11-02"}
    async with arxivs.arxiv(monkeypatch, papers("2303.00001", "2303.00002"), lists=lists, datestamps=days) as world:
        assert (await world.crawl(out, set="math")).status == 0
        assert marks(out) == {"math": "2026-11-30"}
        asked = len(world.asked)
        assert asked == 2 + 2 * 4
        assert (await world.crawl(out, set="math")).status == 0  # goes on from the watermark, and all it lists is up to date
        assert world.server.arrivals[asked].path.endswith("set=math&from=2026-11-29")
        assert len(world.asked) == asked + 2


async def test_a_paper_that_has_changed_since_is_asked_for_its_record_and_what_is_new(out, monkeypatch):
    lists = {"first": arxivs.identifiers(arxivs.header("2303.00001", "2026-11-20"))}
    async with arxivs.arxiv(monkeypatch, papers("2303.00001"), datestamps={"2303.00001": "2026-11-01"}) as world:
        await world.crawl(out, ids="2303.00001")
        world.lists, world.papers["2303.00001"], world.datestamps["2303.00001"] = lists, ("D", "D"), "2026-11-20"
        before = len(world.asked)
        await world.crawl(out, set="math")
        assert world.asked[before + 1 :] == ["oai:arXiv.org:2303.00001", *(f"/{what}/2303.00001v2" for what in ("abs", "pdf", "e-print"))]


async def test_several_at_once_each_paper_once(out, monkeypatch):
    lists = {"/a/body_a_1.atom2": arxivs.feed("2303.00001v1"), "first": arxivs.identifiers(arxivs.header("2303.00001", "2026-01-02"))}
    async with arxivs.arxiv(monkeypatch, papers("2303.00001"), lists=lists) as world:
        crawled = await world.crawl(out, ids="2303.00001v1", author="body_a_1", set="math")
    assert len(world.asked) == 2 + 4
    assert len(crawled.articles["arxiv:2303.00001"].inputs) == 3
    assert crawled.status == 0


async def test_the_watermark_waits_for_a_paper_that_could_not_be_stored(out, monkeypatch):
    headers = [arxivs.header(f"2303.0000{n}", f"2026-11-0{n}") for n in (1, 2, 3)]
    async with arxivs.arxiv(
        monkeypatch, papers("2303.00001", "2303.00002", "2303.00003"), lists={"first": arxivs.identifiers(*headers)}
    ) as world:
        world.first = lambda arrival, n: Answer(503) if arrival.path == "/pdf/2303.00002v1" else None
        assert (await world.crawl(out, set="math")).status == 3
        assert marks(out) == {"math": "2026-11-02"}
        world.first = None
        assert (await world.crawl(out, set="math")).status == 0
    assert marks(out) == {"math": "2026-11-30"}


@pytest.mark.parametrize("end", [arxivs.refusal("badResumptionToken"), arxivs.identifiers(arxivs.header("2303.00001"), token=token("p2"))])
async def test_a_list_that_breaks_off_is_never_complete(out, monkeypatch, end, caplog):
    lists = {"first": arxivs.identifiers(arxivs.header("2303.00001", "2026-11-01"), token=token("p2")), "p2": end}
    async with arxivs.arxiv(monkeypatch, papers("2303.00001"), lists=lists) as world:
        crawled = await world.crawl(out, set="math")
    assert crawled.status == 3
    assert crawled.stats["finish_reason"] == "incomplete"
    assert "not all papers are known" in caplog.text
    assert str(crawled.articles["arxiv:2303.00001"].outcome) == "complete"
    assert marks(out) == {}


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        (Answer(404), 1),
        (Answer(403), 1),
        (Answer(503), 4),
        (Answer(200, body=b"Rate exceeded."), 4),
        (Answer(301, headers=[("Location", "/x")]), 4),
    ],
)
async def test_a_list_that_does_not_come_leaves_the_run_unfinished(out, monkeypatch, answer, asked):
    async with arxivs.arxiv(monkeypatch, papers("2303.00001")) as world:
        world.first = lambda arrival, n: answer if "/a/" in arrival.path or "ListIdentifiers" in arrival.path else None
        crawled = await world.crawl(out, ids="2303.00001", author="body_a_1", set="math")
        assert world.count("/a/") == world.count("/oai?verb=List") == asked
    assert crawled.status == 3
    assert str(crawled.articles["arxiv:2303.00001"].outcome) == "complete"


async def test_what_arxiv_lists_and_is_no_paper_is_passed_over(out, monkeypatch, caplog):
    lists = {"first": arxivs.identifiers(arxivs.header("../../etc/passwd"), arxivs.header("2303.00001", "2026-01-02"))}
    async with arxivs.arxiv(monkeypatch, papers("2303.00001"), lists=lists) as world:
        crawled = await world.crawl(out, until="2026-11-30")
    assert list(crawled.articles) == ["arxiv:2303.00001"]
    assert "which is no paper" in caplog.text
    assert marks(out) == {"all": "2026-11-30"}  # it does not wait for what can never be stored


async def test_an_author_s_list_that_fails_does_not_hold_the_watermark(out, monkeypatch):
    lists = {"first": arxivs.identifiers(arxivs.header("2303.00001"))}
    async with arxivs.arxiv(monkeypatch, papers("2303.00001"), lists=lists) as world:
        assert (await world.crawl(out, author="body_a_1", set="math")).status == 3
    assert marks(out) == {"math": "2026-11-30"}


async def test_what_is_stored_already_is_not_listed(out, monkeypatch, caplog):
    caplog.set_level("INFO")
    (out / "runs").mkdir(parents=True)
    (out / "runs/harvest.json").write_text('{"math": "2026-11-30"}')
    async with arxivs.arxiv(monkeypatch, {}) as world:
        assert (await world.crawl(out, set="math", until="2026-01-31")).status == 0
        assert world.asked == []
    assert "all that changed until 2026-11-30 is stored" in caplog.text


async def test_an_author_s_old_papers_whose_archive_has_a_v_in_its_name(out, monkeypatch):
    feed = {"/a/body_a_1.atom2": arxivs.feed("solv-int/9701001")}
    async with arxivs.arxiv(monkeypatch, papers("solv-int/9701001"), lists=feed) as world:
        assert list((await world.crawl(out, author="body_a_1")).articles) == ["arxiv:solv-int/9701001"]


async def test_a_try_after_a_redirect_that_led_nowhere_goes_to_the_first_address(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, papers("2303.00001")) as world:
        world.lists["/busy"] = b"<html>busy</html>"
        moved = Answer(302, headers=[("Location", "/busy")])
        world.first = lambda arrival, n: moved if arrival.path.startswith("/pdf") and n == 1 else None
        assert (await world.crawl(out, ids="2303.00001")).status == 0
        assert [one for one in world.asked if one.startswith(("/pdf", "/busy"))] == ["/pdf/2303.00001v1", "/busy", "/pdf/2303.00001v1"]


async def test_a_harvest_tries_again_what_its_watermark_has_passed(out, monkeypatch):
    lists = {"first": arxivs.identifiers(arxivs.header("2303.00001"), arxivs.header("2303.00002"))}
    async with arxivs.arxiv(monkeypatch, papers("2303.00001", "2303.00002"), lists=lists) as world:
        world.licences["2303.00002v1"] = None
        world.first = lambda arrival, n: Answer(403) if arrival.path == "/pdf/2303.00001v1" else None
        assert (await world.crawl(out, set="math")).status == 0
        assert marks(out) == {"math": "2026-11-30"}
        world.first = None
        world.lists["first"] = arxivs.refusal("noRecordsMatch")
        before = len(world.asked)
        await world.crawl(out, set="math")
        assert world.asked[before + 1 :] == ["/pdf/2303.00001v1", "/abs/2303.00002v1"]


async def test_a_harvest_tries_what_a_licence_kept_back_when_that_is_wanted(out, monkeypatch):
    lists = {"first": arxivs.identifiers(arxivs.header("2303.00001"))}
    async with arxivs.arxiv(monkeypatch, papers("2303.00001"), lists=lists) as world:
        await world.crawl(out, {"LITCRAWL_LICENCES": "CC-BY-*"}, set="math")
        world.lists["first"] = arxivs.refusal("noRecordsMatch")
        before = len(world.asked)
        await world.crawl(out, set="math")
        assert world.asked[before + 1 :] == ["/pdf/2303.00001v1", "/e-print/2303.00001v1"]


async def test_a_harvest_does_not_try_withdrawn_files_again(out, monkeypatch):
    lists = {"first": arxivs.identifiers(arxivs.header("2303.00001"))}
    async with arxivs.arxiv(monkeypatch, {"2303.00001": ("D", "I")}, lists=lists) as world:
        await world.crawl(out, set="math")
        world.lists["first"] = arxivs.refusal("noRecordsMatch")
        before = len(world.asked)
        await world.crawl(out, set="math")
        assert len(world.asked) == before + 1


async def test_a_version_alone_is_not_the_paper_that_a_harvest_lists(out, monkeypatch):
    lists = {"first": arxivs.identifiers(arxivs.header("2303.00001"))}
    async with arxivs.arxiv(monkeypatch, {"2303.00001": ("D", "D")}, lists=lists) as world:
        await world.crawl(out, ids="2303.00001v1", set="math", limit="1")
        assert marks(out) == {"math": "2026-01-02"}


async def test_a_paper_whose_record_is_refused_holds_the_watermark(out, monkeypatch):
    lists = {"first": arxivs.identifiers(arxivs.header("2303.00001"))}
    async with arxivs.arxiv(monkeypatch, papers("2303.00001"), lists=lists) as world:
        world.first = lambda arrival, n: Answer(403) if "GetRecord" in arrival.path else None
        await world.crawl(out, set="math")
    assert marks(out) == {"math": "2026-01-02"}


async def test_a_table_may_name_what_is_no_paper(out, monkeypatch):
    out.mkdir()
    (out / "download.json").write_text(
        '{"nonsense": {"v1.pdf": {"error": "x", "url": "y"}}, "2303.1": 7, "math.GT/0309136": {"v1.pdf": {}}}'
    )
    (out / "version-licences.json").write_text('{"x": {}, "v": {"licence": null}, "../v1": {"licence": null}, "2303.00001v0": 3}')
    async with arxivs.arxiv(monkeypatch, {}, lists={"first": arxivs.refusal("noRecordsMatch")}) as world:
        crawled = await world.crawl(out, set="math")
        assert len(world.asked) == 1
    assert crawled.status == 0
