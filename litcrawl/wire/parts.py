"""Bodies on their way to the disk, under `<LITCRAWL_OUT>/.parts/`: written once, hashed as they come, kept for Range when cut."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from litcrawl import locks
from litcrawl.exceptions import FULL, StorageError
from litcrawl.items import Spool
from litcrawl.output import output_folder

_CHECKPOINT = 16 << 20  # bytes that a crash of the machine may cost
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Origin:
    """Which bytes a part holds the beginning of; what a server must say again before more is added to them."""

    address: str  # a digest of the URL, which may hold a key
    validator: str | None  # a strong ETag, or Last-Modified
    total: int | None = None  # the whole length, where it was announced
    headers: dict[str, str] = field(default_factory=dict)  # Content-Type and kin, which a 206 or 416 need not repeat

    @classmethod
    def unknown(cls) -> Origin:
        """Of bytes that no server could continue."""
        return cls("", None)


def address_of(url: str) -> str:
    """What is remembered of a URL."""
    return hashlib.sha256(url.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Held:
    """What an earlier try left of a file: `length` bytes from its start."""

    origin: Origin
    length: int


class Parts:
    """The folder `.parts`: what is held there, and new parts in it. Blocking; every failure of the disk is a `StorageError`."""

    def __init__(self, out: str, min_free: int):
        self.folder = output_folder(out) / ".parts"
        self._min_free = min_free

    def held(self, name: str, url: str) -> Held | None:
        """What may be resumed of `url`; None as well when its record is unreadable, or is that of another URL."""
        try:
            record = json.loads(_side(self.folder / name).read_bytes())
            length = min(record.pop("length"), (self.folder / name).stat().st_size)
            held = Held(Origin(**record), length)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        return held if held.origin.address == address_of(url) and held.origin.validator and length > 0 else None

    def create(self, name: str, origin: Origin, expected: int = 0) -> Part:
        """An empty part; `StorageError` at once if `expected` bytes would leave less than LITCRAWL_MIN_FREE."""
        with _storing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self.require_room(expected)
        return self._open(name, origin, 0)

    def resume(self, name: str, held: Held) -> Part:
        """The part with what is held of it, hashed anew from the disk."""
        return self._open(name, held.origin, held.length)

    def discard(self, name: str) -> None:
        """Forget what is held under this name."""
        for path in (_side(self.folder / name), self.folder / name):
            with contextlib.suppress(OSError):
                path.unlink()

    def require_room(self, size: int) -> None:
        """Raise `StorageError` (full) unless `size` bytes more leave LITCRAWL_MIN_FREE on the disk."""
        if shutil.disk_usage(self.folder).free - size < self._min_free:
            raise StorageError(f"{self.folder}: less than {self._min_free} bytes would be free", full=True)

    def _open(self, name: str, origin: Origin, length: int) -> Part:
        path = self.folder / name
        with _storing(path):
            file = path.open("r+b" if length else "a+b")
            try:
                locks.take(file)
                if not os.path.samestat(os.fstat(file.fileno()), path.stat()):  # finished between the two: no longer of this name
                    raise FileExistsError(path)
            except OSError:  # in use by another transfer: two writers would spoil it for both
                file.close()
                if length:
                    raise StorageError(f"{path} is being written by another transfer") from None
                path, origin = path.with_name(f"{name}.{uuid.uuid4().hex[:8]}"), Origin.unknown()
                file = path.open("w+b")
            return Part(self, path, file, origin, length)


class Part:
    """
    One body on disk. It ends in exactly one of: `finish`, `take`, `keep`, `discard`.

    The record beside it (`<name>.resume`) is what makes a part resumable: it is there only while the transfer is not complete.
    """

    def __init__(self, parts: Parts, path: Path, file: BinaryIO, origin: Origin, length: int):
        self.path = path
        self.size = 0
        self._parts, self._file, self._origin = parts, file, origin
        self._sha256, self._md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
        self._head = self._tail = b""
        self._saved = 0
        if not length:
            _side(path).unlink(missing_ok=True)  # first: it must never vouch for bytes of another origin
        file.truncate(length)
        file.seek(0)
        while block := file.read(min(_BLOCK, length - self.size)) if length else b"":
            self._digest(block)
        self._checkpoint()

    def write(self, data: bytes) -> None:
        """Append; `StorageError` when it cannot be done or leaves too little space."""
        with _storing(self.path):
            self._parts.require_room(len(data))
            self._file.write(data)
            self._digest(data)
            if self.size - self._saved >= _CHECKPOINT:
                self._checkpoint()

    def finish(self) -> Spool:
        """The whole body, safe on disk under a name of its own: no other transfer comes upon it. No record is left beside it."""
        with _storing(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            _side(self.path).unlink(missing_ok=True)
            whole = self.path.with_name(f"{self.path.name}.{uuid.uuid4().hex[:8]}")
            if sys.platform == "win32":  # no open file can be renamed there
                self._file.close()
            self.path = self.path.replace(whole)
            self._file.close()  # and the lock with it, when the name is free for others
        return Spool(
            path=str(self.path),
            size=self.size,
            sha256=self._sha256.hexdigest(),
            md5=self._md5.hexdigest(),
            head=self._head,
            tail=self._tail,
        )

    def take(self) -> bytes:
        """The whole body in memory; nothing is left on disk."""
        body = b"".join(self.blocks())
        self.discard()
        return body

    def blocks(self) -> Iterator[bytes]:
        """What has been written so far, from the start; nothing can be written after."""
        with _storing(self.path):
            self._file.seek(0)
            while block := self._file.read(_BLOCK):
                yield block

    def keep(self) -> None:
        """Leave the bytes for a later try, if they are worth it and the server gave something to know them again by."""
        if self._origin.validator is None or not self.size:
            return self.discard()
        with _storing(self.path):
            self._checkpoint()
            self._file.close()
        return None

    def discard(self) -> None:
        """Leave nothing."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._parts.discard(self.path.name)

    def _digest(self, data: bytes) -> None:
        self._sha256.update(data)
        self._md5.update(data)
        self.size += len(data)
        if len(self._head) < Spool.END:
            self._head += data[: Spool.END - len(self._head)]
        self._tail = (self._tail + data[-Spool.END :])[-Spool.END :]

    def _checkpoint(self) -> None:
        """Record how many bytes are on the disk for certain: after a crash the file's own length proves nothing."""
        if self._origin.validator is None:
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        record: dict[str, Any] = asdict(self._origin) | {"length": self.size}
        fresh = self.path.with_name(f"{self.path.name}.resume.new")
        fresh.write_text(json.dumps(record))
        fresh.replace(_side(self.path))
        self._saved = self.size


def _side(path: Path) -> Path:
    return path.with_name(f"{path.name}.resume")


@contextlib.contextmanager
def _storing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}", full=error.errno in FULL) from error
