"""`index.sqlite`: which folders bear an identifier. A cache: it may be deleted at any time."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from litcrawl.ids import Ids

logger = logging.getLogger(__name__)

_SCHEMA = "CREATE TABLE IF NOT EXISTS folders (id TEXT, folder TEXT, PRIMARY KEY (id, folder)) WITHOUT ROWID"


class Index:
    """
    Identifier -> folders, in SQLite.

    Committed with every article and without waiting for the disk: a killed process loses nothing, a crashed machine at
    most the cache. When the file is missing or damaged it is built anew from `articles`.
    """

    def __init__(self, path: Path, articles: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        self.path = path
        new = not path.exists()
        try:
            self._db = self._open()
        except sqlite3.DatabaseError as error:
            logger.warning("%s is damaged (%s): it is built anew", path, error)
            for one in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))):
                one.unlink(missing_ok=True)
            new = True
            self._db = self._open()
        if new:
            with self._db:
                for article in articles():
                    self._insert(Ids(**article["ids"]), article["path"])

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=60)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        db.execute(_SCHEMA)
        db.commit()
        return db

    def add(self, ids: Ids, folder: str) -> None:
        """Note that a folder's article bears these identifiers. Raises `OSError` when the disk does not take it."""
        try:
            with self._db:
                self._insert(ids, folder)
        except sqlite3.OperationalError as error:
            raise OSError(None, str(error)) from error

    def folders(self, ids: Ids) -> list[str]:
        """The folders that bear any of these identifiers."""
        names = _names(ids)
        marks = ", ".join("?" * len(names))
        rows = self._db.execute(f"SELECT DISTINCT folder FROM folders WHERE id IN ({marks})", names)  # noqa: S608
        return [folder for (folder,) in rows]

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def _insert(self, ids: Ids, folder: str) -> None:
        self._db.executemany("INSERT OR IGNORE INTO folders VALUES (?, ?)", [(name, folder) for name in _names(ids)])


def _names(ids: Ids) -> list[str]:
    return [f"{kind}:{value}" for kind, value in ids.as_dict().items() if value]
