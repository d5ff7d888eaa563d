"""A JSON object on disk that several programs keep: written whole with every change, and read again when others have changed it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import orjson

from litcrawl import locks
from litcrawl.exceptions import FULL, BadArgument, StorageError
from litcrawl.leftovers import LOCK
from litcrawl.store import Store

_Stamp = tuple[int, int, int] | None


class Table:
    """
    Maps names to values; a change is on disk when its method returns.

    What others of our kind put there meanwhile, in this process or another, stays there: reading, changing and writing are one step, under
    a lock. So does what other programs put there between two of our changes; they know nothing of the lock.
    """

    def __init__(self, store: Store, path: str) -> None:
        """Raises `BadArgument` when it is there and cannot be read: to write over it would lose what it says."""
        self._store, self._path = store, path
        try:
            self._values, self._stamp = self._read()
        except (OSError, ValueError) as error:
            raise BadArgument(f"{store.out / path} cannot be read ({error}): mend it, or move it away to begin anew") from None

    def get(self, name: str) -> Any:
        """The value of a name; None where there is none."""
        return self._values.get(name)

    def names(self) -> list[str]:
        """All names."""
        return list(self._values)

    def set(self, name: str, value: Any) -> None:
        """Change one value. Raises `StorageError`."""
        with self._changing() as values:
            values[name] = value

    def update(self, name: str, changes: Mapping[str, Any]) -> None:
        """Change some of the entries that a name's own table has. Raises `StorageError`."""
        with self._changing() as values:
            own = values.get(name)
            values[name] = {**(own if isinstance(own, dict) else {}), **changes}

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Any]]:
        name = self._path.rpartition("/")[2]
        try:
            with locks.held(self._store.parts / f"{name}{LOCK}"):
                self._catch_up()
                yield self._values
                self._write()
        except OSError as error:
            raise StorageError(f"{self._path} cannot be locked: {error}", full=error.errno in FULL) from error

    def _catch_up(self) -> None:
        stamp = self._look()
        if stamp is not None and stamp != self._stamp:  # where it is gone, what it said is all that is left of it
            try:
                self._values, self._stamp = self._read()
            except (OSError, ValueError) as error:
                raise StorageError(f"{self._path} was changed, and cannot be read: {error}", full=True) from error

    def _write(self) -> None:
        self._store.put_json(self._path, self._values)
        self._stamp = self._look()

    def _read(self) -> tuple[dict[str, Any], _Stamp]:
        stamp = self._look()
        if stamp is None:
            return {}, None
        values = orjson.loads((self._store.out / self._path).read_bytes())
        if not isinstance(values, dict):
            raise ValueError("it is no JSON object")
        return values, stamp

    def _look(self) -> _Stamp:
        """What changes when somebody writes the file."""
        try:
            found = (self._store.out / self._path).stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
