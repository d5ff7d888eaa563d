"""The bytes of one answer, in memory or spooled: size, digests, both ends, and a left-over Content-Encoding undone."""

from __future__ import annotations

import hashlib
from functools import cached_property, partial
from pathlib import Path

from lxml import etree

from litcrawl.coding import NAMES, Undecodable, decode
from litcrawl.exceptions import FULL, Miss, StorageError
from litcrawl.items import Spool
from litcrawl.parsers import xml
from litcrawl.terms import Reason

MAX_DECODED = 2 << 30
MAX_DECODED_IN_MEMORY = 64 << 20
"""Of a body that came packed though nobody asked, and was small: eight megabytes may unfold to eight thousand."""

_CHUNK = 1 << 20


class Content:
    """The bytes of an answer, wherever they lie."""

    def __init__(self, source: bytes | Spool):
        self.body = source if isinstance(source, bytes) else None
        self.spool = None if isinstance(source, bytes) else source

    @property
    def size(self) -> int:
        return self.spool.size if self.spool else len(self.body or b"")

    @cached_property
    def sha256(self) -> str:
        return self.spool.sha256 if self.spool else hashlib.sha256(self.body or b"").hexdigest()

    @cached_property
    def md5(self) -> str:
        return self.spool.md5 if self.spool else hashlib.md5(self.body or b"", usedforsecurity=False).hexdigest()

    @cached_property
    def head(self) -> bytes:
        return self.spool.head if self.spool else (self.body or b"")[: Spool.END]

    @cached_property
    def tail(self) -> bytes:
        return self.spool.tail if self.spool else (self.body or b"")[-Spool.END :]

    def document(self) -> xml.Document:
        """The bytes as XML; `Malformed` when they are none."""
        return xml.parse_file(self.spool.path) if self.spool else xml.parse(self.body or b"")

    def root(self) -> etree._Element:
        return self.document().root


def undo(content: Content, encoding: str, limit: int = MAX_DECODED) -> Content:
    """The content as it was before `encoding`; `Miss` when that cannot be known, `StorageError` when the disk does not take it."""
    named = [name.strip() for name in encoding.lower().split(",") if name.strip() != "identity"]
    coding = NAMES.get(named[0]) if len(named) == 1 else None
    if coding is None:
        raise Miss(Reason.TRUNCATED, f"Content-Encoding {encoding[:40]!r} cannot be undone")
    try:
        if content.spool:
            return _undo_spool(content.spool, coding, limit)
        return Content(b"".join(decode([content.body or b""], coding, min(limit, MAX_DECODED_IN_MEMORY))))
    except Undecodable as error:
        raise Miss(Reason.TRUNCATED, f"bad {coding} encoding: {error}") from error


def _undo_spool(spool: Spool, coding: str, limit: int) -> Content:
    """Decode beside the spooled part, then take its place."""
    part = Path(spool.path)
    plain = part.with_name(part.name + ".decoded")
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    head, tail, size = b"", b"", 0
    try:
        with part.open("rb") as packed, plain.open("wb") as out:
            for piece in decode(iter(partial(packed.read, _CHUNK), b""), coding, limit):
                out.write(piece)
                sha256.update(piece)
                md5.update(piece)
                head, tail = head + piece[: Spool.END - len(head)], (tail + piece)[-Spool.END :]
                size += len(piece)
        plain.replace(part)
    except OSError as error:
        raise StorageError(f"{plain}: {error.strerror or error}", full=error.errno in FULL) from error
    finally:
        plain.unlink(missing_ok=True)
    return Content(Spool(path=spool.path, size=size, sha256=sha256.hexdigest(), md5=md5.hexdigest(), head=head, tail=tail))
