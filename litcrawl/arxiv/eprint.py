"""
What an e-print is, by its bytes: what authors sent in comes packed in several ways, and headers are wrong about it. Pure.

https://info.arxiv.org/help/mimetypes.html
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from litcrawl import coding, media_types, proof
from litcrawl.exceptions import Miss
from litcrawl.proof.content import MAX_DECODED, Content, undo
from litcrawl.proof.walls import page
from litcrawl.terms import Reason, Want

MEDIA_TYPES = {
    "tar.gz": media_types.GZIP,
    "gz": media_types.GZIP,
    "pdf": media_types.PDF,
    "html": media_types.HTML,
    "ps": "application/postscript",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "tar": "application/x-tar",
    "bin": media_types.BINARY,
}
"""The media type of each ending that an e-print may have."""
PROVABLE = frozenset({"tar.gz", "gz", "pdf"})
"""Endings of files whose own bytes tell that none is missing."""

_RATE = re.compile(rb"\s*rate exceeded\b", re.IGNORECASE)
_RATE_PAGE = re.compile(rb">[^<]{0,40}\brate exceeded\b", re.IGNORECASE)
_SHORT = 4096  # bytes; what is longer is no message
_GZIP = b"\x1f\x8b"
_BLOCK = 1 << 20
_TAR = 512  # bytes of a header
_CHECKSUM = slice(148, 156)
_BY_TYPE = {media_type: ending for ending, media_type in MEDIA_TYPES.items() if ending in ("ps", "docx")}


def check_rate(content: Content) -> None:
    """Raise `Miss` for what arXiv says, with status 200 too, to who asks too often: a line of text, or a short page."""
    said = _RATE_PAGE.search if media_types.is_html(content.head) else _RATE.match
    if content.size <= _SHORT and said(content.head):
        raise Miss(Reason.RATE_LIMITED, "Rate exceeded")


def prove(content: Content, *, html: bool, encoding: str | None = None, most: int = MAX_DECODED) -> tuple[Content, str, list[str]]:
    """
    The bytes to be kept, the ending that they deserve, and the checks that they passed; raises `Miss` when they are no e-print.

    `html`: whether the paper was sent in as HTML; otherwise a page is one that says why there is no e-print. `encoding` is a
    Content-Encoding that came unasked. arXiv has long sent `x-gzip` over files which are gzip themselves: it is undone only over what is
    packed once more, or is nothing known as it stands; no further than to `most` bytes.
    """
    if not content.size:
        raise Miss(Reason.EMPTY)
    check_rate(content)
    coded = (encoding or "identity").strip().lower() != "identity"
    if coded and _starts(content, _GZIP) and _inside(content, 5).startswith((_GZIP, b"%PDF-")):
        ending, checks = _prove(plain := undo(content, encoding or "", most), html)
        return plain, ending, [*checks, "decoded"]
    ending, checks = _prove(content, html)
    if coded and ending == "bin":
        ending, checks = _prove(plain := undo(content, encoding or "", most), html)
        return plain, ending, [*checks, "decoded"]
    return content, ending, checks


def _prove(content: Content, html: bool) -> tuple[str, list[str]]:
    head = content.head
    if _starts(content, _GZIP):
        ending = "tar.gz" if _is_tar(_inside(content, _TAR)) else "gz"
        return ending, ["gzip"] if _unpacks(content) else []
    if _is_tar(head[:_TAR]):
        return "tar", ["type"]
    if media_types.is_html(head):
        other = page(head)  # a wall or a log-in page is none of the authors' either
        if not html or other.reason != Reason.WRONG_TYPE:
            raise other
        return "html", ["type"]
    kind = media_types.media_type(head)
    if kind == media_types.PDF:
        return "pdf", proof.check(content, Want.PDF).checks
    if kind in _BY_TYPE:
        return _BY_TYPE[kind], ["type"]
    if kind in (media_types.TEXT, media_types.JSON) and (proof.is_json(content) or (content.size <= _SHORT and b"\\" not in head)):
        raise Miss(Reason.UNAVAILABLE, "a message in place of an e-print")
    proof.check(content, Want.SUPPLEMENTARY)  # a service's own message in XML is none of the authors'
    return "bin", []


def _starts(content: Content, magic: bytes) -> bool:
    return content.head.startswith(magic)


def _inside(content: Content, size: int) -> bytes:
    """The first bytes of what is packed; fewer where it is broken."""
    stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        return stream.decompress(content.head, size)
    except zlib.error:
        return b""


def _unpacks(content: Content) -> bool:
    """
    Whether it was read to its end, where a checksum stands; raise `Miss` when something is missing or broken.

    What unfolds to too much to be read is kept unread: how large a file is inside is no reason to refuse it.
    """
    try:
        for _ in coding.decode(_blocks(content), "gzip", MAX_DECODED):
            pass
    except Miss:  # too large
        return False
    except coding.Undecodable as error:
        raise Miss(Reason.TRUNCATED, f"a gzip file that does not unpack: {error}") from error
    return True


def _blocks(content: Content) -> Iterator[bytes]:
    if content.spool is None:
        yield content.body or b""
        return
    with Path(content.spool.path).open("rb") as file:
        yield from iter(partial(file.read, _BLOCK), b"")


def _is_tar(header: bytes) -> bool:
    """Whether these bytes are the header of a tar file: by its checksum, for those of the nineties have no other mark."""
    if len(header) < _TAR or not header[0]:
        return False
    stated = header[_CHECKSUM].strip(b" \0")
    blank = header[: _CHECKSUM.start] + b" " * 8 + header[_CHECKSUM.stop :]
    return bool(re.fullmatch(rb"[0-7]{1,7}", stated)) and int(stated, 8) == sum(islice(blank, _TAR))
