import gc
import hashlib
import json
import os
import time
import weakref
from pathlib import Path

import pytest
from lab import lab
from scrapy import signals
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from litcrawl.exceptions import BadArgument, StorageError
from litcrawl.ids import Ids
from litcrawl.items import Article, File, Spool
from litcrawl.store import Store
from litcrawl.terms import Kind, Outcome

JATS = (
    b'<article xmlns:xlink="http://www.w3.org/1999/xlink"><front/><body><supplementary-material xlink:href="s1.csv">'
    b"<label>Table S1</label><caption><p>Numbers</p></caption></supplementary-material></body></article>"
)


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "out")
    store.prepare()
    yield store
    store.close()


def put(store, key, ids, files=()):
    """An article on disk; `files` maps paths inside its folder to bytes."""
    from litcrawl import names

    folder = names.folder(key)
    entries = []
    for name, content in dict(files).items():
        store.put(f"{folder}/{name}", content)
        entries.append(
            File(
                kind=Kind.BODY if name.startswith("body") else Kind.SUPPLEMENTARY,
                source="lab",
                media_type="application/jats+xml" if name.endswith("xml") else "text/csv",
                uri=f"https://lab.test/{name}",
                filename=name,
                path=f"{folder}/{name}",
                size_bytes=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
            )
        )
    article = Article(key=key, path=folder, ids=ids.as_dict(), outcome=Outcome.COMPLETE, files=entries, run="earlier")
    store.put_article(article.to_dict())
    return folder


def temporary_files(store):
    return list(store.parts.iterdir())


class TestWriting:
    def test_a_file_is_whole_or_not_there(self, store):
        store.put("pmc/PMC1/supplementary/s1.csv", b"a,b\n")
        assert (store.out / "pmc/PMC1/supplementary/s1.csv").read_bytes() == b"a,b\n"
        assert temporary_files(store) == []

    def test_a_spool_is_moved(self, store):
        part = store.parts / "abc"
        part.write_bytes(b"large")
        store.put("pmc/PMC1/body.pdf", Spool(path=str(part), size=5, sha256="", md5="", head=b"", tail=b""))
        assert (store.out / "pmc/PMC1/body.pdf").read_bytes() == b"large"
        assert temporary_files(store) == []

    def test_what_cannot_be_put_in_its_place_leaves_nothing(self, store):
        (store.out / "pmc").write_bytes(b"a file where a folder must be")
        with pytest.raises(StorageError) as raised:
            store.put("pmc/PMC1/body.xml", b"x")
        assert not raised.value.full, "another article may well be written"
        assert temporary_files(store) == []

    def test_an_older_file_stays_when_the_new_one_cannot_be_written(self, store):
        store.put("pmc/PMC1/body.xml", b"old")
        small = Store(store.out, min_free=1 << 60)
        with pytest.raises(StorageError, match="LITCRAWL_MIN_FREE") as raised:
            small.put("pmc/PMC1/body.xml", b"new")
        assert raised.value.full
        assert (store.out / "pmc/PMC1/body.xml").read_bytes() == b"old"
        assert temporary_files(store) == []

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
    def test_a_full_disk_says_so(self, store, monkeypatch):
        monkeypatch.setattr(store, "temporary", lambda: Path("/dev/full"))
        monkeypatch.setattr(Path, "unlink", lambda self, missing_ok=False: None)
        with pytest.raises(StorageError) as raised:
            store.put("pmc/PMC1/body.xml", b"x")
        assert raised.value.full

    def test_the_folder_is_made_and_tried(self, tmp_path):
        Store(tmp_path / "a" / "b").prepare()
        assert (tmp_path / "a" / "b" / ".parts").is_dir()
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(BadArgument, match="cannot be written"):
            Store(tmp_path / "file").prepare()

    @pytest.mark.parametrize(("out", "said"), [("s3://bucket/key", "s3://…"), ("", "is empty"), (" ", "is empty")])
    def test_an_output_that_is_no_folder_is_a_bad_argument(self, out, said):
        with pytest.raises(BadArgument, match=said):
            Store.from_settings(Settings({"LITCRAWL_OUT": out}))

    def test_it_is_swept_before_it_is_used(self, store):
        old = store.parts / "elsewhere-1-0.tmp"
        old.write_bytes(b"")
        os.utime(old, (0, time.time() - 2 * 86400))
        store.prepare()
        assert temporary_files(store) == []

    def test_a_missing_index_is_built_before_the_crawl(self, store, caplog):
        caplog.set_level("INFO")
        put(store, "PMC1", Ids(pmcid="PMC1", doi="10.1/a"))
        store.close()
        (store.out / "index.sqlite").unlink()
        Store(store.out).prepare()
        assert "index.sqlite is built anew from 1 articles" in caplog.text
        caplog.clear()
        store._sidecars = lambda: pytest.fail("the index is there")
        assert store.find(Ids(doi="10.1/a")).article["key"] == "PMC1"
        Store(store.out).prepare()
        assert caplog.text == ""


class TestSharing:
    def crawler(self, out):
        return get_crawler(settings_dict={"LITCRAWL_OUT": str(out)})

    def test_all_parts_of_a_crawler_have_one_store(self, tmp_path):
        one, other = self.crawler(tmp_path), self.crawler(tmp_path)
        assert Store.of(one) is Store.of(one)
        assert Store.of(one) is not Store.of(other)

    async def test_a_crawl_opens_one_index_after_its_preparation(self, tmp_path, monkeypatch):
        opened, whole = [], Store._open_index
        monkeypatch.setattr(Store, "_open_index", lambda self: opened.append(self) or whole(self))
        async with lab("PMC1") as world:
            crawled = await world.crawl(tmp_path, "PMC1 PMC2")
        assert str(crawled.articles["PMC1"].outcome) == "complete"
        assert len(opened) == 2

    async def test_it_is_closed_with_the_spider(self, tmp_path):
        crawler = self.crawler(tmp_path)
        store = Store.of(crawler)
        store.prepare()
        index = store.index
        await crawler.signals.send_catch_log_async(signals.spider_closed, spider=None, reason="finished")
        assert store._index is None
        assert index._db is None

    def test_it_goes_with_its_crawler(self, tmp_path):
        crawler = self.crawler(tmp_path)
        store = weakref.ref(Store.of(crawler))
        del crawler
        gc.collect()
        assert store() is None


class TestFinding:
    @pytest.mark.parametrize(
        "ids", [Ids(pmcid="PMC1"), Ids(doi="10.1/a"), Ids(pmid="7"), Ids(pmid="8", doi="10.1/a"), Ids(arxiv="2001.00001")]
    )
    def test_by_every_identifier(self, store, ids):
        put(store, "PMC1", Ids(pmcid="PMC1", doi="10.1/a", pmid="7", arxiv="2001.00001"), {"body.xml": JATS})
        assert store.find(ids).article["key"] == "PMC1"
        assert store.find(ids).held == {"pmc/PMC1/body.xml"}

    def test_nothing_there_is_nothing_found(self, store):
        assert store.find(Ids(pmcid="PMC1")).article is None
        assert store.find(Ids()).article is None

    def test_without_its_index(self, store):
        put(store, "PMC1", Ids(pmcid="PMC1", doi="10.1/a"))
        put(store, "arxiv:hep-th/9901001", Ids(arxiv="hep-th/9901001", doi="10.48550/arxiv.hep-th/9901001"))
        store.close()
        (store.out / "index.sqlite").unlink()
        assert store.find(Ids(doi="10.1/a")).article["key"] == "PMC1"
        assert store.find(Ids(arxiv="hep-th/9901001")).article["path"] == "arxiv/hep-th_9901001"

    def test_the_archive_of_arxiv_in_the_same_folder_is_not_its_own(self, store):
        put(store, "arxiv:2303.18112", Ids(arxiv="2303.18112"))
        (store.out / "papers").mkdir()
        (store.out / "arxiv/2303.18112").rename(store.out / "papers/2303.18112")
        store.close()
        (store.out / "index.sqlite").unlink()
        store.prepare()
        assert store.find(Ids(arxiv="2303.18112")).article is None

    def test_the_index_is_never_believed(self, store):
        store.index.add(Ids(doi="10.1/a"), "pmc/PMC1")
        assert store.find(Ids(doi="10.1/a")).article is None, "nothing lies there"
        put(store, "PMC1", Ids(pmcid="PMC1"))
        assert store.find(Ids(doi="10.1/a")).article is None, "what lies there is another article"

    def test_lost_and_shortened_files_are_not_held(self, store):
        put(store, "PMC1", Ids(pmcid="PMC1"), {"body.xml": JATS, "s1.csv": b"a,b\n", "s2.csv": b"c,d\n"})
        (store.out / "pmc/PMC1/body.xml").unlink()
        (store.out / "pmc/PMC1/s1.csv").write_bytes(b"a")
        assert store.find(Ids(pmcid="PMC1")).held == {"pmc/PMC1/s2.csv"}

    def test_of_two_folders_the_one_whose_key_comes_first(self, store):
        put(store, "PMC1", Ids(pmcid="PMC1", doi="10.1/a"))
        put(store, "10.1/a", Ids(doi="10.1/a"))
        for ids in (Ids(doi="10.1/a"), Ids(pmcid="PMC1")):
            found = store.find(ids)
            assert (found.article["key"], found.also) == ("10.1/a", ["pmc/PMC1"])
            assert found.ids == Ids(doi="10.1/a", pmcid="PMC1")

    def test_folders_are_one_article_by_a_third(self, store):
        put(store, "PMC1", Ids(pmcid="PMC1", pmid="7"))
        put(store, "pmid:7", Ids(pmid="7", doi="10.1/a"))
        put(store, "10.1/a", Ids(doi="10.1/a"))
        found = store.find(Ids(pmcid="PMC1"))
        assert (found.article["key"], sorted(found.also)) == ("10.1/a", ["pmc/PMC1", "pmid/7"])

    def test_folders_that_contradict_one_another_are_two_articles(self, store):
        put(store, "10.1/a", Ids(doi="10.1/a", pmid="7"))
        put(store, "10.1/b", Ids(doi="10.1/b", pmid="7"))
        assert store.find(Ids(doi="10.1/b")).also == []

    def test_half_a_record_is_none(self, store, caplog):
        put(store, "PMC1", Ids(pmcid="PMC1"))
        path = store.out / "pmc/PMC1/article.json"
        path.write_bytes(path.read_bytes()[:100])
        assert store.find(Ids(pmcid="PMC1")).article is None
        assert "fetched anew" in caplog.text
        path.write_text(json.dumps({"type": "article"}))
        assert store.find(Ids(pmcid="PMC1")).article is None

    @pytest.mark.parametrize(
        "change",
        [
            {"path": "../../elsewhere"},
            {"path": "pmc/PMC2"},
            {"path": "/elsewhere"},
            {"files": ["../../elsewhere/body.xml"]},
            {"files": ["pmc/PMC1/../../../elsewhere.xml"]},
            {"files": ["/elsewhere/body.xml"]},
            {"files": ["pmc/PMC2/body.xml"]},
            {"files": [7]},
        ],
    )
    def test_a_record_that_leads_out_of_its_folder_is_none(self, store, caplog, change):
        """Somebody else may have written it: folders are handed on."""
        put(store, "PMC1", Ids(pmcid="PMC1"), {"body.xml": JATS})
        path = store.out / "pmc/PMC1/article.json"
        article = json.loads(path.read_bytes())
        if "files" in change:
            article["files"] = [article["files"][0] | {"path": one} for one in change["files"]]
        else:
            article |= change
        path.write_text(json.dumps(article))
        assert store.find(Ids(pmcid="PMC1")).article is None
        assert "fetched anew" in caplog.text

    def test_an_index_that_leads_out_of_the_output_is_not_followed(self, store, tmp_path):
        article = Article(key="PMC1", path="../elsewhere", ids=Ids(pmcid="PMC1").as_dict(), outcome=Outcome.COMPLETE, run="earlier")
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere/article.json").write_text(json.dumps(article.to_dict()))
        for folder in ("../elsewhere", str(tmp_path / "elsewhere")):
            store.index.add(Ids(pmcid="PMC1"), folder)
            assert store.find(Ids(pmcid="PMC1")).article is None


class TestCaptions:
    def test_are_those_of_the_full_text_on_disk(self, store):
        put(store, "PMC1", Ids(pmcid="PMC1"), {"body.xml": JATS})
        captions = store.captions(store.find(Ids(pmcid="PMC1")))
        assert captions["s1.csv"]["description"].startswith("Table S1")

    def test_are_none_where_there_is_no_full_text(self, store):
        put(store, "PMC1", Ids(pmcid="PMC1"), {"s1.csv": b"a"})
        assert store.captions(store.find(Ids(pmcid="PMC1"))) == {}

    def test_are_none_when_it_can_no_longer_be_read(self, store):
        put(store, "PMC1", Ids(pmcid="PMC1"), {"body.xml": b"\0" * len(JATS)})
        assert store.captions(store.find(Ids(pmcid="PMC1"))) == {}
