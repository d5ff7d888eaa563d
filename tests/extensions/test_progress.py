import re
import sys

import pytest
from crawling import replay
from scrapy.exceptions import NotConfigured

from litcrawl.extensions import progress
from litcrawl.extensions.progress import Progress

IDS = "PMC3000057,PMC3000057,NBK1116"
RECORDED = {"LITCRAWL_SOURCES": "europe_pmc_bookshelf,pmc_oa_s3,europe_pmc"}


async def test_a_line_tells_how_far_it_has_come(tmp_path, caplog, monkeypatch):
    caplog.set_level("INFO")
    monkeypatch.setattr(progress, "_LINE_EVERY", 0.005)
    crawled = await replay(tmp_path, ids=IDS, settings=RECORDED)
    lines = [record.getMessage() for record in caplog.records if record.name == progress.__name__]
    shape = re.compile(r"\d+ articles done \(\d+ a minute\); \d+ rows read, \d+ duplicates, \d+ on disk already.*")
    assert lines
    assert all(shape.fullmatch(line) for line in lines)
    assert len(crawled.articles) == 2


async def test_a_live_line_on_a_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    await replay(tmp_path, ids=IDS, settings=RECORDED)
    said = capsys.readouterr().err
    assert re.search(r"2 articles", said)
    assert "3 rows read, 1 duplicates, 0 on disk already" in said


def test_what_hosts_wait_for_is_told():
    class Pacing:
        def waiting(self):
            return {"arxiv": 12.4}

        def closed_hosts(self):
            return {"api.test": (0.0, "unavailable")}

    class Crawler:
        def get_downloader_middleware(self, kind):
            return Pacing()

    extension = Progress.__new__(Progress)
    extension.crawler = Crawler()
    assert extension._waits() == "; arxiv waits 12 s; api.test is closed (unavailable)"


def test_other_spiders_have_no_progress():
    class Crawler:
        spidercls = None

    with pytest.raises(NotConfigured):
        Progress.from_crawler(Crawler())
