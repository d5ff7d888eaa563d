import json
from types import SimpleNamespace

import pytest
from scrapy.exceptions import DropItem
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager
from scrapy.statscollectors import MemoryStatsCollector

from litcrawl.items import Article, Blob, Claim, File, FileItem, Licence, Spool
from litcrawl.pipelines.fileset import FileSetPipeline
from litcrawl.store import Store
from litcrawl.terms import Kind, Outcome


class Crawler:
    """As much of a crawler as the pipeline looks at; `engine` None: there is none to close."""

    def __init__(self, **settings):
        self.settings, self.engine, self.spider = Settings(settings), None, None
        self.signals = SignalManager(self)
        self.stats = MemoryStatsCollector(SimpleNamespace(settings=Settings()))


@pytest.fixture
def out(tmp_path):
    Store(tmp_path).prepare()
    return tmp_path


@pytest.fixture
def pipeline(out):
    made = FileSetPipeline.from_crawler(Crawler(LITCRAWL_OUT=str(out)))
    yield made
    made.store.close()


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
    feeding.store.close()


def test_rows_without_an_article_and_other_items_pass(pipeline, out):
    invalid = Article(key=None, path=None, outcome=Outcome.INVALID)
    assert pipeline.process_item(invalid) is invalid
    assert pipeline.process_item("else") == "else"
    assert sorted(path.name for path in out.iterdir()) == [".parts", "index.sqlite"]


def test_a_file_that_could_not_be_written_and_later_was_is_stored(pipeline, out, monkeypatch):
    with monkeypatch.context() as full, pytest.raises(DropItem):
        full.setattr(pipeline.store, "min_free", 1 << 60)
        pipeline.process_item(Blob(file=file(), body=b"%PDF", draft=article(file())))
    pipeline.process_item(Blob(file=file(), body=b"%PDF", draft=article(file())))
    item = pipeline.process_item(article(file()))
    assert (str(item.outcome), item.missing, len(item.files)) == ("complete", {}, 1)


def test_a_file_that_is_not_kept_takes_its_licence_and_its_claims_with_it(pipeline, out):
    gone = file("body.xml")
    gone.licence = Licence(spdx="CC-BY-4.0", basis="artifact")
    ours, theirs = (Claim(raw="x", spdx="CC-BY-4.0", basis=basis, url=url) for basis, url in [("artifact", gone.uri), ("crossref", None)])
    other = Claim(raw="y", spdx="CC-BY-NC-4.0", basis="artifact", url="https://lab.test/other.xml")
    item = pipeline.process_item(article(gone, claims=[ours, theirs], licence=gone.licence))
    assert (item.licence, item.claims, item.licence_conflict) == (None, [theirs], False)
    item = pipeline.process_item(article(gone, claims=[ours, other], licence=gone.licence, licence_conflict=True))
    assert (item.claims, item.licence_conflict) == ([other], False)


class TestDrafts:
    @pytest.fixture(autouse=True)
    def _clock(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr("litcrawl.pipelines.fileset.time.monotonic", lambda: self.now)

    def store(self, pipeline, out, n, key="PMC1"):
        """File number `n` of an article passes; how many its record names then."""
        files = [file(f"s{one}.csv") for one in range(1, n + 1)]
        draft = article(*files)
        draft.key, draft.path = key, f"pmc/{key}"
        pipeline.process_item(Blob(file=files[-1], body=b"data", draft=draft))
        return len(json.loads((out / f"pmc/{key}/article.json").read_bytes())["files"])

    def test_few_files_are_each_named_at_once(self, pipeline, out):
        assert [self.store(pipeline, out, n) for n in range(1, 20)] == list(range(1, 20))

    def test_of_many_a_kill_costs_what_came_within_two_seconds(self, pipeline, out):
        assert self.store(pipeline, out, 20) == 20
        self.now += 1.9
        assert self.store(pipeline, out, 21) == 20
        self.now += 0.2
        assert self.store(pipeline, out, 22) == 22
        assert (out / "pmc/PMC1/s21.csv").exists()

    def test_each_article_has_its_own_clock(self, pipeline, out):
        assert self.store(pipeline, out, 30) == 30
        assert self.store(pipeline, out, 30, "PMC2") == 30

    def test_what_is_known_of_articles_stays_bounded(self, pipeline, out):
        for n in range(50):
            self.store(pipeline, out, 25, f"PMC{n}")
            self.now += 0.5
        assert len(pipeline.drafted) <= 5
