"""A table that others write too: nothing of theirs is lost."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from litcrawl.arxiv.table import Table
from litcrawl.exceptions import BadArgument, StorageError
from litcrawl.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path)
    store.prepare(index=False)
    return store


def on_disk(store):
    return json.loads((store.out / "t.json").read_bytes())


def test_each_change_is_on_disk_at_once(store):
    table = Table(store, "t.json")
    assert table.get("a") is None
    table.set("a", 1)
    assert on_disk(store) == {"a": 1}
    table.update("b", {"x": 1})
    table.update("b", {"y": 2})
    assert on_disk(store) == {"a": 1, "b": {"x": 1, "y": 2}}
    assert Table(store, "t.json").get("b") == {"x": 1, "y": 2}


def test_what_two_write_in_turn_stays(store):
    one, two = Table(store, "t.json"), Table(store, "t.json")
    one.update("a", {"x": 1})
    two.update("a", {"y": 2})
    one.set("b", 3)
    two.set("c", 4)
    assert on_disk(store) == {"a": {"x": 1, "y": 2}, "b": 3, "c": 4}


def test_a_value_that_is_no_table_gives_way_to_one(store):
    (store.out / "t.json").write_text('{"a": 7}')
    Table(store, "t.json").update("a", {"x": 1})
    assert on_disk(store) == {"a": {"x": 1}}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7"])
def test_what_cannot_be_read_is_not_written_over(store, content):
    path = store.out / "t.json"
    table = Table(store, "t.json")
    path.write_bytes(content)
    with pytest.raises(BadArgument, match=r"t\.json cannot be read"):
        Table(store, "t.json")
    with pytest.raises(StorageError, match=r"t\.json was changed"):
        table.set("a", 1)
    assert path.read_bytes() == content


def test_a_table_that_is_taken_away_meanwhile_comes_back_whole(store):
    table = Table(store, "t.json")
    table.set("a", 1)
    (store.out / "t.json").unlink()
    table.set("b", 2)
    assert on_disk(store) == {"a": 1, "b": 2}


_WRITER = """
import sys
from pathlib import Path
from litcrawl.arxiv.table import Table
from litcrawl.store import Store

table = Table(Store(Path(sys.argv[1])), "t.json")
for n in range(60):
    table.update(f"{sys.argv[2]}.{n}", {"v1.pdf": n})
"""


def test_what_two_processes_write_at_once_stays(store):
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(store.out), name]) for name in "ab"]  # noqa: S603
    assert [one.wait() for one in writers] == [0, 0]
    assert len(on_disk(store)) == 120


def test_what_two_threads_write_at_once_stays(store):
    table, other = Table(store, "t.json"), Table(store, "t.json")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda n: (table, table, other)[n % 3].set(str(n), n), range(60)))
    assert len(on_disk(store)) == 60


def test_a_lock_goes_with_its_process(store):
    script = "import sys, os; from pathlib import Path; from litcrawl import locks\nwith locks.held(Path(sys.argv[1])): os._exit(9)"
    path = store.out / ".parts/t.json.lock"
    assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == 9  # noqa: S603
    Table(store, "t.json").set("a", 1)
    assert on_disk(store) == {"a": 1}
