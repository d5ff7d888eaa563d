"""A feed's file items as a list: grouped by article, in any order; what is no feed is said in one line."""

import json

import pytest

from litcrawl.exceptions import BadArgument
from litcrawl.filelists import open_files
from litcrawl.items import FileItem
from litcrawl.terms import Kind


def item(key, uri, kind=Kind.BODY, media_type="application/pdf", source="unpaywall"):
    file = FileItem(
        kind=kind,
        source=source,
        media_type=media_type,
        uri=uri,
        filename=None,
        path=None,
        size_bytes=None,
        sha256=None,
        key=key,
        run="run",
        at="2026-11-30T00:00:00Z",
    )
    return json.dumps(file.to_dict())


def written(tmp_path, *lines):
    path = tmp_path / "feed.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_each_article_is_one_row_with_all_its_files(tmp_path):
    feed = written(
        tmp_path,
        item("10.1/a", "https://a.test/1.pdf"),
        '{"type": "article", "key": "10.1/a"}',
        item("PMC2", "https://b.test/2.xml", media_type="application/jats+xml", source="pmc_oa_s3"),
        "",
        item("10.1/a", "https://a.test/s.csv", kind=Kind.SUPPLEMENTARY, media_type="text/csv"),
    )
    rows, sources = open_files(feed)
    assert sources == {"unpaywall", "pmc_oa_s3"}
    first, second = rows.rows()
    assert (first["row"], first["raw"], first["ids"].doi) == (1, "10.1/a", "10.1/a")
    assert [(step["step"], step["source"], step["url"]) for step in first["files"]] == [
        ("pdf", "unpaywall", "https://a.test/1.pdf"),
        ("supplementary", "unpaywall", "https://a.test/s.csv"),
    ]
    assert (second["row"], second["ids"].pmcid, second["files"][0]["step"]) == (3, "PMC2", "xml")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["no json"], "line 1 is no item"),
        ([item("10.1/a", "https://a.test"), "[1]"], "line 2 is no item"),
        ([item(None, "https://a.test")], "line 1 is no item"),
        (['{"type": "file"}'], "line 1 is no item"),
        (['{"type": "article"}'], "no file item"),
    ],
)
def test_what_is_no_feed_is_said_in_one_line(tmp_path, lines, said):
    feed = written(tmp_path, *lines)
    with pytest.raises(BadArgument, match=said) as error:
        open_files(feed)
    assert "\n" not in str(error.value)


def test_a_feed_that_is_missing_is_said(tmp_path):
    with pytest.raises(BadArgument, match="no such file"):
        open_files(str(tmp_path / "feed.jsonl"))
