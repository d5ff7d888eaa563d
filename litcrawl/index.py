"""`index.sqlite`: which folders bear an identifier. A cache: it may be deleted at any time."""

from __future__ import annotations

import errno
import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from litcrawl.ids import Ids

logger = logging.getLogger(__name__)

_SCHEMA = "CREATE TABLE IF NOT EXISTS folders (id TEXT, folder TEXT, PRIMARY KEY (id, folder)) WITHOUT ROWID"
_INSERT = "INSERT OR IGNORE INTO folders VALUES (?, ?)"
_BUILT = 1  # the file's user_version once it holds every article that was there


class Index:
    """
    Identifier -> folders, in SQLite.

    Committed with every article and without waiting for the disk: a killed process loses nothing, a crashed machine at
    most the cache. When the file is missing, damaged or was not built to its end, it is built anew from `articles`.
    """

    def __init__(self, path: Path, articles: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        self.path = path
        self._articles = articles
        try:
            self._db = self._open()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise _os_error(error) from error
            self._renew(error)

    def add(self, ids: Ids, folder: str) -> None:
        """Note that a folder's article bears these identifiers. Raises `OSError` when the disk does not take it."""
        try:
            with self._db:
                self._insert(ids, folder)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise _os_error(error) from error
            self._renew(error)
            self.add(ids, folder)

    def folders(self, ids: Ids) -> list[str]:
        """The folders that bear any of these identifiers."""
        names = _names(ids)
        marks = ", ".join("?" * len(names))
        try:
            return [folder for (folder,) in self._db.execute(f"SELECT DISTINCT folder FROM folders WHERE id IN ({marks})", names)]  # noqa: S608
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise _os_error(error) from error
            self._renew(error)
            return self.folders(ids)

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=60)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            if db.execute("PRAGMA user_version").fetchone() != (_BUILT,):
                with db:
                    db.execute(_SCHEMA)
                    for article in self._articles():
                        db.executemany(_INSERT, _pairs(Ids(**article["ids"]), article["path"]))
                    db.execute(f"PRAGMA user_version = {_BUILT}")  # in the same transaction: a build that was cut off leaves nothing
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db

    def _renew(self, error: sqlite3.DatabaseError) -> None:
        """Throw a damaged file away."""
        logger.warning("%s is damaged (%s): it is built anew", self.path, error)
        with suppress(AttributeError):
            self._db.close()
        for one in (self.path, *(self.path.with_name(self.path.name + suffix) for suffix in ("-wal", "-shm"))):
            one.unlink(missing_ok=True)
        self._db = self._open()

    def _insert(self, ids: Ids, folder: str) -> None:
        self._db.executemany(_INSERT, _pairs(ids, folder))


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is at fault, and not the disk or another process."""
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _os_error(error: sqlite3.DatabaseError) -> OSError:
    full = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)
    return OSError(errno.ENOSPC if full else errno.EBUSY, str(error))


def _pairs(ids: Ids, folder: str) -> list[tuple[str, str]]:
    return [(name, folder) for name in _names(ids)]


def _names(ids: Ids) -> list[str]:
    return [f"{kind}:{value}" for kind, value in ids]
