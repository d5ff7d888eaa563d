import json
from types import SimpleNamespace

import pytest
from scrapy.exceptions import DropItem
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from litcrawl.items import Article, Blob, File, FileItem, Spool
from litcrawl.pipelines.fileset import FileSetPipeline
from litcrawl.store import Store
from litcrawl.terms import Kind, Outcome


class Crawler(SimpleNamespace):
    """As much of a crawler as the pipeline looks at; `engine` None: there is none to close."""

    def __init__(self, **settings):
        super().__init__(settings=Settings(settings), engine=None)
        self.stats = MemoryStatsCollector(SimpleNamespace(settings=Settings()))


@pytest.fixture
def out(tmp_path):
    Store(tmp_path).prepare()
    return tmp_path


@pytest.fixture
def pipeline(out):
    made = FileSetPipeline.from_crawler(Crawler(LITCRAWL_OUT=str(out)))
    yield made
    made.close_spider()


def file(name="body.pdf", size=4, source="lab"):
    return File(
        kind=Kind.BODY if name.startswith("body") else Kind.SUPPLEMENTARY, source=source, media_type="application/pdf",
        uri=f"https://lab.test/{name}", filename=name, path=f"pmc/PMC1/{name}", size_bytes=size, sha256="",
    )  # fmt: skip


def article(*files, outcome=Outcome.COMPLETE, **more):
    ids = {"doi": None, "pmid": None, "pmcid": "PMC1", "bookid": None, "arxiv": None}
    attempts = [
        {"source": one.source, "step": str(one.want), "reason": "ok", "http": 200, "tries": 1, "url": one.uri, "final_url": None,
         "at": "2026-01-01T00:00:00Z", "seconds": 0.1}
        for one in files
    ]  # fmt: skip
    return Article(key="PMC1", path="pmc/PMC1", ids=ids, outcome=outcome, files=list(files), attempts=attempts, run="r", at="t", **more)


def record(out):
    return json.loads((out / "pmc/PMC1/article.json").read_bytes())


def test_bytes_first_then_the_record_then_the_feeds_item(pipeline, out):
    fetched = file()
    item = pipeline.process_item(Blob(file=fetched, body=b"%PDF", draft=article(fetched, outcome=Outcome.RETRY)))
    assert (out / "pmc/PMC1/body.pdf").read_bytes() == b"%PDF"
    assert (record(out)["outcome"], record(out)["files"]) == ("retry", [fetched.to_dict()])
    assert isinstance(item, FileItem)
    assert (item.key, item.run, item.path) == ("PMC1", "r", "pmc/PMC1/body.pdf")
    stats = pipeline.crawler.stats.get_stats()
    assert (stats["litcrawl/files/pdf"], stats["litcrawl/bytes"]) == (1, 4)


def test_a_spool_is_moved(pipeline, out):
    part = out / ".parts" / "part"
    part.write_bytes(b"%PDF")
    spool = Spool(path=str(part), size=4, sha256="", md5="", head=b"", tail=b"")
    pipeline.process_item(Blob(file=file(), spool=spool, draft=article(file())))
    assert (out / "pmc/PMC1/body.pdf").read_bytes() == b"%PDF"
    assert not part.exists()


@pytest.mark.parametrize("spooled", [False, True])
def test_what_cannot_be_written_is_dropped_and_leaves_nothing(pipeline, out, spooled):
    (out / "pmc").write_bytes(b"in the way")
    part = out / ".parts" / "part"
    part.write_bytes(b"%PDF")
    spool = Spool(path=str(part), size=4, sha256="", md5="", head=b"", tail=b"")
    content = {"spool": spool} if spooled else {"body": b"%PDF"}
    part.touch() if spooled else part.unlink()
    with pytest.raises(DropItem):
        pipeline.process_item(Blob(file=file(), **content, draft=article(file())))
    assert list((out / ".parts").iterdir()) == []


def test_a_file_that_is_not_on_disk_makes_the_article_retry(pipeline, out):
    there, gone, short = file("body.pdf"), file("s1.csv"), file("s2.csv")
    (out / "pmc/PMC1").mkdir(parents=True)
    (out / "pmc/PMC1/body.pdf").write_bytes(b"%PDF")
    (out / "pmc/PMC1/s2.csv").write_bytes(b"x")
    item = pipeline.process_item(article(there, gone, short))
    assert (str(item.outcome), item.missing) == ("retry", {"supplementary": "not-stored"})
    assert [one.path for one in item.files] == ["pmc/PMC1/body.pdf"]
    assert {one["url"]: one["reason"] for one in record(out)["attempts"]} == {
        there.uri: "ok",
        gone.uri: "not-stored",
        short.uri: "not-stored",
    }


def test_an_older_file_of_the_same_size_is_not_taken_for_the_new_one(pipeline, out, monkeypatch):
    (out / "pmc/PMC1").mkdir(parents=True)
    (out / "pmc/PMC1/body.pdf").write_bytes(b"old!")
    monkeypatch.setattr(pipeline.store, "min_free", 1 << 60)
    with pytest.raises(DropItem):
        pipeline.process_item(Blob(file=file(), body=b"new!", draft=article(file())))
    item = pipeline.process_item(article(file()))
    assert (str(item.outcome), item.files, item.reason) == ("retry", [], "not-stored")


def test_one_found_whole_is_written_only_for_a_feed(out):
    (out / "pmc/PMC1").mkdir(parents=True)
    (out / "pmc/PMC1/body.pdf").write_bytes(b"%PDF")
    plain = FileSetPipeline.from_crawler(Crawler(LITCRAWL_OUT=str(out)))
    plain.process_item(article(file(), whole=True))
    assert not (out / "pmc/PMC1/article.json").exists()
    feeding = FileSetPipeline.from_crawler(Crawler(LITCRAWL_OUT=str(out), FEEDS={"x.jsonl": {"format": "jsonlines"}}))
    feeding.process_item(article(file(), whole=True))
    assert record(out)["outcome"] == "complete"
    feeding.close_spider()


def test_rows_without_an_article_and_other_items_pass(pipeline, out):
    invalid = Article(key=None, path=None, outcome=Outcome.INVALID)
    assert pipeline.process_item(invalid) is invalid
    assert pipeline.process_item("else") == "else"
    assert [path.name for path in out.iterdir()] == [".parts"]
