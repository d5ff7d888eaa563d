import sqlite3

import pytest

from litcrawl.ids import Ids
from litcrawl.index import Index

ARTICLES = [
    {"ids": Ids(pmcid="PMC1", doi="10.1/a").as_dict(), "path": "pmc/PMC1"},
    {"ids": Ids(doi="10.1/a").as_dict(), "path": "10.1/a"},
]


def index(path, articles=ARTICLES):
    return Index(path / "index.sqlite", lambda: iter(articles))


def test_a_new_one_is_built_from_the_articles(tmp_path):
    assert sorted(index(tmp_path).folders(Ids(doi="10.1/a"))) == ["10.1/a", "pmc/PMC1"]


def test_what_is_added_is_there_for_every_process_at_once(tmp_path):
    one, other = index(tmp_path, []), index(tmp_path, [])
    one.add(Ids(pmid="7", bookid="NBK1"), "pmid/7")
    one.add(Ids(pmid="7"), "pmid/7")
    assert other.folders(Ids(bookid="NBK1")) == ["pmid/7"]
    assert other.folders(Ids(pmid="NBK1")) == [], "kinds are kept apart"
    assert other.folders(Ids()) == []


def test_one_that_was_not_built_to_its_end_is_built_anew(tmp_path):
    def broken():
        yield ARTICLES[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index(tmp_path / "index.sqlite", broken)
    assert sorted(index(tmp_path).folders(Ids(doi="10.1/a"))) == ["10.1/a", "pmc/PMC1"]


def test_an_earlier_one_is_not_built_again(tmp_path):
    index(tmp_path).close()
    assert index(tmp_path, []).folders(Ids(pmcid="PMC1")) == ["pmc/PMC1"]


@pytest.mark.parametrize("rubbish", [b"not a database at all, but long enough to be looked at" * 50, b""])
def test_a_damaged_one_is_built_anew(tmp_path, rubbish):
    (tmp_path / "index.sqlite").write_bytes(rubbish)
    assert index(tmp_path).folders(Ids(pmcid="PMC1")) == ["pmc/PMC1"]


def test_one_that_is_damaged_inside_is_built_anew_when_that_shows(tmp_path):
    made = index(tmp_path, [{"ids": {"pmid": str(n)}, "path": f"pmid/{n}"} for n in range(5000)])
    made._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    made.close()
    path = tmp_path / "index.sqlite"
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    damaged = index(tmp_path)
    assert damaged.folders(Ids(pmcid="PMC1")) == ["pmc/PMC1"]


def test_a_full_disk_is_an_error_of_the_disk(tmp_path):
    made = index(tmp_path, [])
    made._db.execute("PRAGMA max_page_count = 3")
    with pytest.raises(OSError, match="full"):
        for n in range(10_000):
            made.add(Ids(pmid=str(n)), f"pmid/{n}")


def test_a_read_only_folder_is_an_error_of_the_disk(tmp_path):
    made = index(tmp_path, [])
    made._db.execute("PRAGMA query_only = ON")
    with pytest.raises(OSError, match="readonly"):
        made.add(Ids(pmid="1"), "pmid/1")
    assert isinstance(made._db, sqlite3.Connection)
