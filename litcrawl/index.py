"""`index.sqlite`: which folders bear an identifier. A cache: it may be deleted at any time."""

from __future__ import annotations

import errno
import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from litcrawl.ids import Ids

logger = logging.getLogger(__name__)

T = TypeVar("T")
_Identity: TypeAlias = tuple[int, int] | None

_SCHEMA = "CREATE TABLE IF NOT EXISTS folders (id TEXT, folder TEXT, PRIMARY KEY (id, folder)) WITHOUT ROWID"
_INSERT = "INSERT OR IGNORE INTO folders VALUES (?, ?)"
_BUILT = 1  # the file's user_version once it holds every article that was there
_WAIT = 5.0  # seconds; another process holds the lock for less than a millisecond, and while we wait nothing else is done
_WAIT_TO_BUILD = 600.0  # seconds; another process may be building it, then nobody can go on


class Index:
    """
    Identifier -> folders, in SQLite.

    Committed with every article and without waiting for the disk: a killed process loses nothing, a crashed machine at
    most the cache. When the file is missing, damaged or was not built to its end, it is built anew from `articles`; when
    another process has done that, or somebody took the file away, this one goes on with the file that is there now.
    """

    def __init__(self, path: Path, articles: Callable[[], Iterable[Mapping[str, Any]]]) -> None:
        self.path = path
        self._articles = articles
        self._db: sqlite3.Connection | None = None
        self._file: _Identity = None
        self._use(lambda db: None)

    def add(self, ids: Ids, folder: str) -> None:
        """Note that a folder's article bears these identifiers. Raises `OSError` when the disk does not take it."""
        pairs = _pairs(ids, folder)

        def insert(db: sqlite3.Connection) -> None:
            with db:
                db.executemany(_INSERT, pairs)

        self._use(insert)

    def folders(self, ids: Ids) -> list[str]:
        """The folders that bear any of these identifiers. Raises `OSError` when the file cannot be read."""
        names = _names(ids)
        select = f"SELECT DISTINCT folder FROM folders WHERE id IN ({', '.join('?' * len(names))})"  # noqa: S608
        return self._use(lambda db: [folder for (folder,) in db.execute(select, names)])

    def close(self) -> None:
        """Close the database."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _use(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do something with the file that is there now; with a new one, when it shows that it is damaged."""
        try:
            try:
                return work(self._current())
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._remove(error)
                return work(self._current())
        except sqlite3.DatabaseError as error:
            raise _os_error(error) from error

    def _current(self) -> sqlite3.Connection:
        """The open database; what is open may be a file that another process has removed."""
        if self._db is None or _identity(self.path) != self._file:
            self.close()
            self._file = None
            self._db = self._open()
            self._file = _identity(self.path)
        return self._db

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=_WAIT)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            if not _is_built(db):
                self._build(db)
        except BaseException:
            db.close()
            raise
        return db

    def _build(self, db: sqlite3.Connection) -> None:
        """One transaction: what was cut off leaves nothing, and of several processes that find it missing one builds it."""
        db.execute(f"PRAGMA busy_timeout = {_WAIT_TO_BUILD * 1000:.0f}")
        with db:
            db.execute("BEGIN IMMEDIATE")
            n = 0 if _is_built(db) else self._fill(db)
        db.execute(f"PRAGMA busy_timeout = {_WAIT * 1000:.0f}")
        if n:
            logger.info("%s is built anew from %d articles", self.path.name, n)

    def _fill(self, db: sqlite3.Connection) -> int:
        db.execute(_SCHEMA)
        n = 0
        for article in self._articles():
            db.executemany(_INSERT, _pairs(Ids(**article["ids"]), article["path"]))
            n += 1
        db.execute(f"PRAGMA user_version = {_BUILT}")
        return n

    def _remove(self, error: sqlite3.DatabaseError) -> None:
        """Throw a damaged file away, unless another process has been quicker."""
        mine = self._file is None or _identity(self.path) == self._file
        self.close()
        if not mine:
            return
        logger.warning("%s is damaged (%s): it is built anew", self.path, error)
        for one in (self.path, *(self.path.with_name(self.path.name + suffix) for suffix in ("-wal", "-shm"))):
            one.unlink(missing_ok=True)


def _is_built(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA user_version").fetchone() == (_BUILT,))


def _identity(path: Path) -> _Identity:
    """Which file lies there; None: none does."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


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
