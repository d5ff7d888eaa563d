"""Whole crawls off cassettes: recorded exchanges of the open sources with synthetic articles."""

import csv
import hashlib
import json
from importlib.resources import files

import pytest
from crawling import replay
from jsonschema import Draft202012Validator

from litcrawl.items import Article, FileItem

LISTED = ["PMC3000057", "PMC3000060", "PMC3000046", "PMC3000129", "PMC3000017", "NBK1116", "PMC3000234"]
IDS = ",".join(LISTED)


@pytest.fixture
async def crawled(tmp_path):
    return await replay(tmp_path / "out", ids=IDS)


async def test_every_row_has_one_last_word(crawled):
    assert sorted(row["raw"] for one in crawled.articles.values() for row in one.inputs) == sorted(LISTED)
    assert {key: str(one.outcome) for key, one in crawled.articles.items()} == {
        "PMC3000057": "complete",
        "PMC3000060": "complete",
        "PMC3000046": "partial",  # no PDF anywhere
        "PMC3000129": "partial",  # one of its files is empty
        "PMC3000017": "absent",
        "NBK1116": "partial",
        "PMC3000234": "complete",
    }
    assert crawled.status == 0


async def test_every_file_is_on_disk_as_recorded(crawled):
    for article in crawled.articles.values():
        for file in article.files:
            content = (crawled.out / file.path).read_bytes()
            assert (len(content), hashlib.sha256(content).hexdigest()) == (file.size_bytes, file.sha256)
    on_disk = {path.relative_to(crawled.out).as_posix() for path in crawled.out.rglob("*") if path.is_file()}
    named = {file.path for article in crawled.articles.values() for file in article.files}
    sidecars = {f"{article.path}/article.json" for article in crawled.articles.values()}
    assert {path for path in on_disk if not path.startswith(("runs/", "index.sqlite"))} == named | sidecars


async def test_the_newest_version_is_taken_though_there_is_a_first(crawled):
    article = crawled.articles["PMC3000060"]
    assert {file.version for file in article.files} == {2}
    assert "PMC3000060.2/" in article.files[0].uri


async def test_licences_are_read_from_the_bytes_of_each_full_text(crawled):
    assert {key: one.licence and one.licence.spdx for key, one in crawled.articles.items()} == {
        "PMC3000057": "CC-BY-4.0",
        "PMC3000060": "CC-BY-4.0",
        "PMC3000046": None,
        "PMC3000129": "CC-BY-4.0",
        "PMC3000017": None,
        "NBK1116": "CC-BY-3.0",
        "PMC3000234": "CC-BY-4.0",
    }
    body, pdf = crawled.articles["PMC3000057"].files
    assert body.licence.basis == "artifact"
    assert pdf.licence is None, "a licence is never copied from another copy"


async def test_items_keep_to_their_schemas_and_come_back_from_json(crawled):
    schemas = {name: json.loads((files("litcrawl") / "schemas" / f"{name}.json").read_text()) for name in ("article", "file")}
    assert {item.type for item in crawled.items} == {"article", "file"}
    for item in crawled.items:
        plain = json.loads(json.dumps(item.to_dict()))
        Draft202012Validator(schemas[item.type]).validate(plain)
        assert {"article": Article, "file": FileItem}[item.type].from_dict(plain).to_dict() == plain
        if item.type == "article" and item.path:
            assert crawled.article_json(item.path) == plain
    entries = [file.to_dict() | {"key": one.key} for one in crawled.articles.values() for file in one.files]
    head = {"type", "schema", "run", "at"}
    items = [{name: value for name, value in file.to_dict().items() if name not in head} for file in crawled.files]
    assert sorted(entries, key=lambda one: one["path"]) == sorted(items, key=lambda one: one["path"])


async def test_names_from_upstream_are_kept_where_the_full_text_refers_to_them(crawled):
    folder = crawled.out / "pmc/PMC3000129/supplementary"
    assert sorted(path.name for path in folder.iterdir()) == ["S1 Table (résumé) & notes.csv", "plus+sign#1.pdf"]
    table = next(file for file in crawled.articles["PMC3000129"].files if file.filename.startswith("S1"))
    assert table.description
    empty = [one for one in crawled.articles["PMC3000129"].attempts if one["reason"] == "empty"]
    assert len(empty) == 1


async def test_the_zip_of_europe_pmc_is_kept_closed(crawled):
    files_ = crawled.articles["PMC3000046"].files
    assert [file.media_type for file in files_ if file.kind == "supplementary"] in ([], ["application/zip"])


async def test_a_run_tells_of_every_row_in_the_lists_order(crawled):
    with (crawled.run / "rows.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["row"]) for row in rows] == list(range(1, 8))
    assert rows[0]["xml"] == "pmc/PMC3000057/body.xml"
    assert rows[4]["xml"] == "absent"
    assert rows[5]["pdf"] == "needs-id"
    summary = json.loads((crawled.run / "summary.json").read_bytes())
    assert summary["outcomes"] == {"complete": 3, "partial": 3, "absent": 1, "retry": 0, "invalid": 0}
    assert (summary["rows"], summary["articles"], summary["status"], summary["ended_by"]) == (7, 7, 0, "finished")
    assert (crawled.run / "again.txt").read_text() == "# nothing is left to ask\n"


async def test_nothing_left_is_a_list_without_rows(crawled):
    again = await replay(crawled.out, cassette="none", ids=str(crawled.run / "again.txt"))
    assert (again.status, again.items) == (0, [])


async def test_a_second_run_asks_nothing(crawled):
    again = await replay(crawled.out, cassette="none", ids=IDS)
    assert again.stats.get("downloader/request_count", 0) == 0
    assert {key: one.outcome for key, one in again.articles.items()} == {key: one.outcome for key, one in crawled.articles.items()}
    assert again.status == 0


async def test_the_index_may_be_deleted(crawled):
    (crawled.out / "index.sqlite").unlink()
    doi = crawled.articles["PMC3000057"].ids["doi"]
    (crawled.out / "by-doi.txt").write_text(doi)
    again = await replay(crawled.out, cassette="none", ids=str(crawled.out / "by-doi.txt"))
    assert list(again.articles) == ["PMC3000057"]
    assert again.stats.get("downloader/request_count", 0) == 0


async def test_all_versions_beside_the_newest(crawled):
    more = await replay(crawled.out, ids="PMC3000060", versions="all", want="xml,pdf,supplementary,text,access")
    article = more.articles["PMC3000060"]
    assert sorted({file.version for file in article.files}) == [1, 2]
    assert {"pmc/PMC3000060/body.xml", "pmc/PMC3000060/body.v1.xml"} <= {file.path for file in article.files}
    assert article.outcome == "complete"
    assert article.retracted is False
    assert {claim.basis for claim in article.claims} == {"artifact", "pmc"}


async def test_a_pinned_version_is_that_version(tmp_path):
    crawled = await replay(tmp_path, ids="PMC3000060.1", want="xml")
    assert [(file.path, file.version) for file in crawled.articles["PMC3000060"].files] == [("pmc/PMC3000060/body.v1.xml", 1)]


async def test_rows_that_are_one_article_are_fetched_once(tmp_path):
    crawled = await replay(tmp_path, ids="PMC3000057, pmc3000057  PMCID:PMC3000057")
    assert [row["row"] for row in crawled.articles["PMC3000057"].inputs] == [1, 2, 3]
    assert crawled.stats["downloader/request_count"] == 3


async def test_a_row_that_is_no_identifier_costs_no_request(tmp_path):
    listed = tmp_path / "ids.txt"
    listed.write_text("PaperList\n3.14E+07\n")
    crawled = await replay(tmp_path / "out", cassette="none", ids=str(listed))
    assert [str(item.outcome) for item in crawled.items] == ["invalid", "invalid"]
    assert {item.reason for item in crawled.items} <= {"no-identifier", "malformed"}
    assert crawled.stats.get("downloader/request_count", 0) == 0


async def test_a_licence_that_is_not_allowed_is_not_kept(tmp_path):
    crawled = await replay(tmp_path, ids="PMC3000046", want="xml", settings={"LITCRAWL_LICENCES": "CC0-1.0"})
    article = crawled.articles["PMC3000046"]
    assert (article.files, article.missing) == ([], {"xml": "licence"})


@pytest.mark.parametrize("limit", [1, 3])
async def test_limit_and_shard_take_a_part_of_the_list(tmp_path, limit):
    crawled = await replay(tmp_path, ids=IDS, limit=str(limit))
    assert len(crawled.articles) == limit
    crawled = await replay(tmp_path / "shard", ids=IDS, shard="1/7")
    assert list(crawled.articles) == ["PMC3000057"]


async def test_what_was_listed_first_is_fetched_from_its_feed(tmp_path):
    listed = await replay(tmp_path / "listed", ids=IDS, download="0")
    assert {file.path for file in listed.files} == {None}
    assert not list((tmp_path / "listed").rglob("article.json"))
    feed = tmp_path / "feed.jsonl"
    feed.write_text("".join(json.dumps(file.to_dict()) + "\n" for file in listed.files))
    crawled = await replay(tmp_path / "out", files=str(feed))
    whole = await replay(tmp_path / "whole", ids=IDS)
    fetched = {file.uri: file.sha256 for file in crawled.files}
    assert fetched == {file.uri: file.sha256 for file in whole.files if file.uri in {one.uri for one in listed.files}}
    again = await replay(tmp_path / "out", files=str(feed), cassette="none")
    assert [file for file in again.files if file.uri in fetched] == []
