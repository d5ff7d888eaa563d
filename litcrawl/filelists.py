"""The `file` items of a feed as a list: each article once, with the files to fetch, whatever order the feed has them in."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from litcrawl import ids as identifiers
from litcrawl.exceptions import BadArgument, BadIdentifier
from litcrawl.idlists import IdList
from litcrawl.items import FileItem
from litcrawl.ticket import Plan


class _Feed:
    """The files of a feed by article, on disk: a feed may be long."""

    def __init__(self, path: Path) -> None:
        self.sources: set[str] = set()
        self._db = sqlite3.connect("", check_same_thread=False)  # a file of SQLite's own, gone when it is closed
        self._db.execute("CREATE TABLE files (line INTEGER PRIMARY KEY, key TEXT, step TEXT)")
        with path.open(encoding="utf-8") as feed:
            for number, line in enumerate(feed, 1):
                if line.strip():
                    self._take(number, line)
        self._db.execute("CREATE INDEX keys ON files (key)")
        self._db.commit()

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows, once."""
        with closing(self._db):
            yield from self._rows()

    def _rows(self) -> Iterator[dict[str, Any]]:
        for key, line in self._db.execute("SELECT key, min(line) FROM files GROUP BY key ORDER BY min(line)"):
            steps = self._db.execute("SELECT step FROM files WHERE key = ? ORDER BY line", (key,))
            yield dict.fromkeys(("record_id", "title", "author", "year", "version", "reason", "detail")) | {
                "row": line,
                "line": line,
                "field": "key",
                "raw": key,
                "repairs": [],
                "ids": identifiers.parse(key).ids,
                "conflicts": [],
                "files": [json.loads(step) for (step,) in steps],
            }

    def _take(self, number: int, line: str) -> None:
        try:
            item = json.loads(line)
            if not isinstance(item, dict):
                raise ValueError("no object")
            if item.get("type") != "file":
                return
            file = FileItem.from_dict(item)
            identifiers.parse(str(file.key))
        except (ValueError, KeyError, TypeError, BadIdentifier) as error:
            raise BadArgument(f"line {number} is no item of a litcrawl feed: {error}") from None
        self.sources.add(file.source)
        self._db.execute("INSERT INTO files VALUES (?, ?, ?)", (number, file.key, json.dumps(_step(file))))


def open_files(value: str) -> tuple[IdList, frozenset[str]]:
    """
    The files that a feed names, one row an article, and the sources that they come from.

    A row is one of an `IdList`, with the steps that fetch the files as `files`; `row` and `line` are those of the first of
    them. Raises `BadArgument` for what is no feed.
    """
    path = Path(value).expanduser()
    if not path.is_file():
        raise BadArgument(f"files={value}: there is no such file")
    try:
        feed = _Feed(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadArgument(f"files={value}: cannot be read: {error}") from None
    except BadArgument as wrong:
        raise BadArgument(f"files={value}: {wrong}") from None
    if not feed.sources:
        raise BadArgument(f"files={value}: no file item in it")
    return IdList(value, "file items of a feed", None, _start=feed.rows), frozenset(feed.sources)


def _step(file: FileItem) -> Plan:
    plain = file.to_dict()
    kept = ("source", "filename", "media_type", "size_bytes", "version", "stage", "licence", "description", "role", "credential_key")
    return {"step": str(file.want), "url": file.uri, "md5": None} | {name: plain[name] for name in kept}
