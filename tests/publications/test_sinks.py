"""Events into lines of JSON."""

import json
import os

import pytest

from litcrawl.publications import sinks
from litcrawl.publications.sinks import JsonLinesSink, SinkDown


def event(n):
    return f"10.5555/{n}", {"id": str(n), "relation_type": None}


def lines(path):
    return [line for line in path.read_bytes().split(b"\n") if line]


async def test_a_line_that_was_cut_off_spoils_no_other(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"topic":"events_linked","event":{"id"')
    await JsonLinesSink(path).send([event(1)])
    await JsonLinesSink(path).send([event(2)])
    _, *whole = lines(path)
    assert [json.loads(line)["event"]["id"] for line in whole] == ["1", "2"]


async def test_a_disk_that_fills_up_keeps_no_half_line(tmp_path, monkeypatch):
    path = tmp_path / "new folder" / "events.jsonl"
    sink = JsonLinesSink(path)
    await sink.send([event(1)])
    before = path.read_bytes()

    class Full:
        """A file of which half a line fits on the disk."""

        def __init__(self, file):
            self.file, self.written = file, 0

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def __getattr__(self, name):
            return getattr(self.file, name)

        def write(self, data):
            if self.written:
                raise OSError(28, os.strerror(28))
            self.written = self.file.write(data[:20])
            return self.written

    with monkeypatch.context() as patched:
        opened = sinks.Path.open
        patched.setattr(sinks.Path, "open", lambda self, *args, **more: Full(opened(self, *args, **more)))
        with pytest.raises(SinkDown, match="No space left") as raised:
            await sink.send([event(2), event(3)])
    assert path.read_bytes() == before
    assert raised.value.left == [event(2), event(3)]
    await sink.send(raised.value.left)
    assert len(lines(path)) == 3
