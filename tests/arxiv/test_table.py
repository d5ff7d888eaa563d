"""A table that others write too: nothing of theirs is lost."""

import json

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
