import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

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
    damage(path)
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


def damage(path):
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)


def test_one_that_another_has_renewed_is_the_one_that_is_used(tmp_path):
    """Whoever finds the damage replaces the file: who has it open must not go on writing to the old one, nor remove the new."""
    many = [{"ids": {"pmid": str(n)}, "path": f"pmid/{n}"} for n in range(5000)]
    index(tmp_path, many).close()
    damage(tmp_path / "index.sqlite")
    one, other = index(tmp_path), index(tmp_path)
    assert one.folders(Ids(pmcid="PMC1")) == ["pmc/PMC1"]
    other.add(Ids(pmid="7"), "pmid/7")
    assert one.folders(Ids(pmid="7")) == ["pmid/7"]
    one.add(Ids(pmid="8"), "pmid/8")
    assert other.folders(Ids(pmid="8")) == ["pmid/8"]


def test_one_that_was_deleted_meanwhile_is_built_anew(tmp_path, caplog):
    caplog.set_level("INFO")
    made = index(tmp_path, ARTICLES)
    for path in tmp_path.iterdir():
        path.unlink()
    assert made.folders(Ids(pmcid="PMC1")) == ["pmc/PMC1"]
    assert caplog.messages == ["index.sqlite is built anew from 2 articles"] * 2


def test_of_two_that_find_it_missing_one_builds_it(tmp_path):

    def waits(made):
        (milliseconds,) = made._db.execute("PRAGMA busy_timeout").fetchone()
        made.close()
        return milliseconds

    started, go = threading.Event(), threading.Event()

    def slowly():
        started.set()
        go.wait(30)
        yield from ARTICLES

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(lambda: Index(tmp_path / "index.sqlite", slowly).close())
        assert started.wait(30)
        other = pool.submit(lambda: waits(Index(tmp_path / "index.sqlite", lambda: pytest.fail("it was built"))))
        go.set()
        one.result(30)
        assert other.result(30) == 5000, "milliseconds: only for the building it waits longer"
    assert index(tmp_path, []).folders(Ids(pmcid="PMC1")) == ["pmc/PMC1"]


def test_a_lock_that_is_never_released_is_an_error_soon(tmp_path, monkeypatch):
    monkeypatch.setattr("litcrawl.index._WAIT", 0.05)
    made = index(tmp_path)
    with closing(sqlite3.connect(tmp_path / "index.sqlite", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(OSError, match="locked"):
            made.add(Ids(pmid="1"), "pmid/1")
        assert made.folders(Ids(pmcid="PMC1")) == ["pmc/PMC1"], "reading needs no lock"
        holder.execute("ROLLBACK")
    made.add(Ids(pmid="1"), "pmid/1")
    assert made.folders(Ids(pmid="1")) == ["pmid/1"]
