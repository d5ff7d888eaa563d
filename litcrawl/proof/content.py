"""The bytes of one answer, in memory or spooled: size, digests, both ends, and a left-over Content-Encoding undone."""

from __future__ import annotations

import hashlib
import zlib
from functools import cached_property
from pathlib import Path

from lxml import etree

from litcrawl.exceptions import Miss
from litcrawl.items import Spool
from litcrawl.parsers import xml
from litcrawl.terms import Reason

END = 64 << 10
"""How much of each end is looked at."""
MAX_DECODED = 2 << 30

_CHUNK = 1 << 20
_WINDOW = {"gzip": 31, "x-gzip": 31, "deflate": 15, "deflate-raw": -15}  # zlib's names for the three wrappings


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
        return self.spool.head if self.spool else (self.body or b"")[:END]

    @cached_property
    def tail(self) -> bytes:
        return self.spool.tail if self.spool else (self.body or b"")[-END:]

    def document(self) -> xml.Document:
        """The bytes as XML; `Malformed` when they are none."""
        return xml.parse_file(self.spool.path) if self.spool else xml.parse(self.body or b"")

    def root(self) -> etree._Element:
        return self.document().root


def undo(content: Content, encoding: str, limit: int = MAX_DECODED) -> Content:
    """The content as it was before `encoding`; `Miss` when that cannot be known."""
    names = [name.strip() for name in encoding.lower().split(",") if name.strip() != "identity"]
    if not names or len(names) > 1 or names[0] not in _WINDOW:
        raise Miss(Reason.TRUNCATED, f"Content-Encoding {encoding[:40]!r} cannot be undone")
    wrapping = names[0]
    if wrapping == "deflate" and not _is_zlib(content.head):
        wrapping = "deflate-raw"  # RFC 9110 means zlib's wrapping; some servers leave it out
    try:
        return _undo_spool(content.spool, wrapping, limit) if content.spool else Content(_undo_bytes(content.body or b"", wrapping, limit))
    except zlib.error as error:
        raise Miss(Reason.TRUNCATED, f"bad {names[0]} encoding: {error}") from error


def _is_zlib(head: bytes) -> bool:
    return len(head) > 1 and head[0] & 15 == 8 and int.from_bytes(head[:2], "big") % 31 == 0


def _undo_bytes(body: bytes, wrapping: str, limit: int) -> bytes:
    decoder = zlib.decompressobj(_WINDOW[wrapping])
    decoded = decoder.decompress(body, limit + 1)
    if len(decoded) > limit:
        raise Miss(Reason.TOO_LARGE, f"over {limit} bytes once decoded")
    if not decoder.eof:
        raise zlib.error("the end is missing")
    return decoded


def _undo_spool(spool: Spool, wrapping: str, limit: int) -> Content:
    """Decode beside the spooled part, then take its place."""
    part = Path(spool.path)
    plain = part.with_name(part.name + ".decoded")
    decoder = zlib.decompressobj(_WINDOW[wrapping])
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    head, tail, size = b"", b"", 0
    try:
        with part.open("rb") as packed, plain.open("wb") as out:
            pending = b""
            while not decoder.eof and (pending := pending or packed.read(_CHUNK)):
                piece = decoder.decompress(pending, _CHUNK)
                pending = decoder.unconsumed_tail
                out.write(piece)
                sha256.update(piece)
                md5.update(piece)
                head, tail, size = head + piece[: END - len(head)], (tail + piece)[-END:], size + len(piece)
                if size > limit:
                    raise Miss(Reason.TOO_LARGE, f"over {limit} bytes once decoded")
        if not decoder.eof:
            raise zlib.error("the end is missing")
        plain.replace(part)
    finally:
        plain.unlink(missing_ok=True)
    return Content(Spool(path=spool.path, size=size, sha256=sha256.hexdigest(), md5=md5.hexdigest(), head=head, tail=tail))
