import json

import pytest
from lab import lab
from loopback import Answer
from scrapy.exceptions import NotConfigured

from litcrawl.extensions.summary import Summary


@pytest.fixture(autouse=True)
def _level(caplog):
    caplog.set_level("INFO")


def said(caplog, name="litcrawl.extensions.summary"):
    return [record.getMessage() for record in caplog.records if record.name == name]


async def test_the_runs_folder_and_its_summary(tmp_path):
    async with lab("PMC1", "PMC2") as world:
        crawled = await world.crawl(tmp_path, "PMC1 PMC2 PMC3 PMC1", _job="a/../b")
    assert crawled.run.name.startswith("fetch-")
    assert crawled.run.name.endswith("-b"), "a job's name is the caller's, and no path"
    assert sorted(path.name for path in crawled.run.iterdir()) == ["again.txt", "missing.csv", "rows.csv", "summary.json"]
    summary = json.loads((crawled.run / "summary.json").read_bytes())
    assert list(summary) == [
        "run", "spider", "arguments", "started", "ended", "ended_by", "status", "rows", "articles", "outcomes", "files", "bytes",
        "requests", "not_asked",
    ]  # fmt: skip
    assert (summary["run"], summary["spider"], summary["arguments"]) == (crawled.run.name, "fetch", {"ids": "PMC1 PMC2 PMC3 PMC1"})
    assert (summary["ended_by"], summary["status"]) == ("finished", 0)
    assert (summary["rows"], summary["articles"]) == (4, 3)
    assert summary["outcomes"] == {"complete": 2, "partial": 0, "absent": 1, "retry": 0, "invalid": 0}
    assert summary["files"] == {"pdf": 2, "supplementary": 4, "xml": 2}
    assert summary["bytes"] == sum(file.size_bytes for file in crawled.files)
    assert summary["requests"] == {"127.0.0.1": len(world.asked)}
    assert summary["not_asked"] == {}
    assert list((tmp_path / ".parts").iterdir()) == []


async def test_first_lines_and_last(tmp_path, caplog):
    async with lab("PMC1", "PMC2") as world:
        world.first = lambda path, n: Answer(500) if path == "/PMC2" else None
        listed = tmp_path / "ids.txt"
        listed.write_text("PMC1\nPMC1\nPMC2\nPMC3\nNBK1\nwhat?\n")
        crawled = await world.crawl(tmp_path / "out", str(listed), settings={"LITCRAWL_CONTACT": ""})
    lines = said(caplog)
    assert lines[:4] == [
        f"List: {listed} (plain lines)",
        f"Output: {tmp_path / 'out'}",
        "Sources: lab, spare; wanted: xml, pdf, supplementary",
        "LITCRAWL_CONTACT is not set: services cannot reach you; sources skipped: none",
    ]
    assert lines[4:] == [
        "Rows: 6 read, 1 of them duplicates; articles on disk already: 0",
        "Articles: 1 complete, 2 absent (nothing to be had), 1 to be asked again, 1 invalid (no article named)",
        "Not asked for 1 article: an identifier that a source needs is unknown (needs-id)",
        f"Word on each row: {crawled.run / 'rows.csv'}",
        f"What is missing, and why: {crawled.run / 'missing.csv'}",
        f"Something is left: run the same command again, or -a ids={crawled.run / 'again.txt'}",
    ]
    assert crawled.status == 3


async def test_identifiers_given_are_a_list_without_a_name(tmp_path, caplog):
    async with lab() as world:
        await world.crawl(tmp_path, "PMC3")
    assert said(caplog)[0] == "List: identifiers given (inline)"


async def test_a_misspelt_setting_is_warned_of_once(tmp_path, caplog):
    async with lab() as world:
        await world.crawl(tmp_path, "PMC3", settings={"LITCRAWL_CONTACTT": "a@b.org"})
    assert said(caplog).count("LITCRAWL_CONTACTT is no setting of litcrawl (did you mean LITCRAWL_CONTACT?)") == 1


async def test_a_long_list_is_estimated_first(tmp_path, caplog):
    (tmp_path / "ids.txt").write_text("".join(f"PMC{n}\n" for n in range(3_000_000, 3_020_000)))
    async with lab() as world:
        await world.crawl(tmp_path / "out", str(tmp_path / "ids.txt"), limit="1")
    assert said(caplog)[1] == "About 20000 rows, by the first 1000 and the size of the file"


async def test_a_list_without_rows_says_so(tmp_path, caplog):
    (tmp_path / "ids.txt").write_text("# nothing yet\n")
    async with lab() as world:
        crawled = await world.crawl(tmp_path / "out", str(tmp_path / "ids.txt"))
    assert "The list holds no rows" in said(caplog)
    assert crawled.status == 0


async def test_an_error_of_an_earlier_run_is_no_bug_of_this_one(tmp_path):
    async with lab("PMC1") as world:
        first = await world.crawl(tmp_path, "PMC1", settings={"LITCRAWL_SOURCES": "lab.CannotRead"})
        record = first.article_json("pmc/PMC1")
        for attempt in record["attempts"]:
            attempt["at"] = "2020-01-01T00:00:00Z"
        (tmp_path / "pmc/PMC1/article.json").write_text(json.dumps(record))
        second = await world.crawl(tmp_path, "PMC1", settings={"LITCRAWL_SOURCES": "lab.Spare"})
    assert (first.status, second.status) == (1, 3)


def test_other_spiders_have_no_summary():
    class Crawler:
        spidercls = None

    with pytest.raises(NotConfigured):
        Summary.from_crawler(Crawler())
