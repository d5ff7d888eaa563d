"""Undoes the gzip and deflate content codings, in pieces and only up to a cap."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator

from litcrawl.exceptions import Miss
from litcrawl.terms import Reason

_PIECE = 1 << 20
_GZIP = 16 + zlib.MAX_WBITS
NAMES = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}
"""The codings that `decode` knows, by their names in Content-Encoding."""


class Undecodable(ValueError):
    """The bytes are not what their Content-Encoding says."""


def undoable(coding: bytes | None, asked: bytes | None) -> str | None:
    """Which coding to undo (`gzip`, `deflate`), given Content-Encoding and the Accept-Encoding that was sent; None: leave it as it is."""
    name = NAMES.get((coding or b"").decode("latin-1").strip().lower())
    if name is None:
        return None
    wanted = {token.strip() for token in re.split(r"[,;]", (asked or b"").decode("latin-1").lower())}
    return name if wanted & {alias for alias, meant in NAMES.items() if meant == name} else None


def decode(chunks: Iterable[bytes], coding: str, cap: int) -> Iterator[bytes]:
    """
    Yield the decoded bytes in pieces of at most 1 MiB.

    Raises `Undecodable`, at the latest after the last piece, and `Miss` (`too-large`) as soon as `cap` bytes are passed.
    """
    size = 0
    for piece in _gunzip(chunks) if coding == "gzip" else _undeflate(chunks):
        size += len(piece)
        if size > cap:
            raise Miss(Reason.TOO_LARGE, f"more than {cap} bytes when decoded")
        yield piece


def _gunzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Members one after another, as RFC 1952 allows; what follows the last and is none (padding) is ignored, as browsers do."""
    member, whole, empty = zlib.decompressobj(_GZIP), False, True
    for chunk in chunks:
        data = chunk
        while data:
            empty = False
            if member.eof:
                if not data.startswith(b"\x1f"):
                    return
                member, whole = zlib.decompressobj(_GZIP), False
            yield from _inflate(member, data)
            data, whole = member.unused_data, member.eof
    if not (whole or empty):
        raise Undecodable("gzip stream without an end")


def _undeflate(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """`deflate` is zlib by RFC 9110, but many servers send it raw: the first two bytes tell (RFC 1950, section 2.2)."""
    stream = None
    for chunk in filter(None, chunks):
        if stream is None:
            is_zlib = len(chunk) > 1 and chunk[0] & 0x0F == 8 and int.from_bytes(chunk[:2]) % 31 == 0
            stream = zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
        if stream.eof:
            return
        yield from _inflate(stream, chunk)
    if stream is not None and not stream.eof:
        raise Undecodable("deflate stream without an end")


def _inflate(stream: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    while not stream.eof:
        try:
            piece = stream.decompress(data, _PIECE)
        except zlib.error as error:
            raise Undecodable(str(error)) from None
        data = stream.unconsumed_tail
        if piece:
            yield piece
        if not data and len(piece) < _PIECE:  # a full piece may leave output inside zlib, with all input taken
            return
