"""The archive's writing: what a disk that fails leaves, and what is said of it."""

import json

import arxivs
import pytest

PAPER = "2303.18112"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


async def test_a_file_that_cannot_be_written_is_not_stored_and_asked_for_again(out, monkeypatch):
    place = out / "papers" / PAPER / "v1.pdf"
    (place / "in the way").mkdir(parents=True)
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",)}) as world:
        crawled = await world.crawl(out, ids=PAPER)
        assert crawled.status == 3
        article = crawled.articles[f"arxiv:{PAPER}"]
        assert (str(article.outcome), article.missing) == ("retry", {"pdf": "not-stored"})
        assert [one.path for one in article.files] == [f"papers/{PAPER}/v1-source.tar.gz"]
        assert [one.path for one in crawled.files] == [f"papers/{PAPER}/v1-source.tar.gz"]
        assert list(json.loads((out / "download.json").read_bytes())[PAPER]) == ["v1.src"]
        (place / "in the way").rmdir()
        place.rmdir()
        before = len(world.asked)
        assert (await world.crawl(out, ids=PAPER)).status == 0
    assert world.asked[before:] == [f"/pdf/{PAPER}v1"]


async def test_a_full_disk_ends_the_crawl(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D",), "2303.00001": ("D",)}) as world:
        crawled = await world.crawl(out, {"LITCRAWL_MIN_FREE": str(1 << 60)}, ids=f"{PAPER} 2303.00001")
        assert (crawled.status, crawled.stats["finish_reason"]) == (3, "disk")
        assert len(world.asked) == 1
        assert (await world.crawl(out, ids=f"{PAPER} 2303.00001")).status == 0


async def test_a_disk_that_is_full_before_a_file_ends_the_crawl_too(out, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {PAPER: ("D", "D")}) as world:

        def fill(item, crawler):
            crawler.spider.store.min_free = 1 << 60

        crawled = await world.crawl(out, ids=PAPER, on_item=fill)
        assert (crawled.status, crawled.stats["finish_reason"]) == (3, "disk")
        assert list(json.loads((out / "download.json").read_bytes())[PAPER]) == ["v1.pdf"]
        assert (await world.crawl(out, ids=PAPER)).status == 0
    assert world.count("/pdf/") == 2
