"""Bytes -> text: which encoding a list is in, known from its head; what is no text at all is refused."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO, TextIO

from litcrawl.exceptions import BadArgument

HEAD = 64 * 1024

_BINARY = {
    b"%PDF-": "a PDF",
    b"\x1f\x8b": "compressed; unpack it first",
    b"BZh": "compressed; unpack it first",
    b"\xfd7zXZ": "compressed; unpack it first",
    b"PK\x03\x04": "a zip archive or a spreadsheet; save it as CSV",
    b"\xd0\xcf\x11\xe0": "a spreadsheet; save it as CSV",
    b"SQLite format 3": "a database",
}


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """
    Read what is not UTF-8 as Windows-1252, and its five unassigned bytes as Latin-1.

    Windows-1252 is what programs mean by Latin-1: it differs in the dashes and quotes, which occur in pasted DOIs. As an error
    handler it costs nothing where the text is UTF-8, and lets a stray byte late in a file be read without a second pass.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(_WINDOWS[byte] for byte in wrong), error.end


_WINDOWS = [bytes([byte]).decode("cp1252", errors="ignore") or chr(byte) for byte in range(256)]
codecs.register_error("litcrawl.windows", _as_windows)


def encoding_of(head: bytes, name: str) -> str:
    """The codec for text that begins so; raises `BadArgument` when it is not text."""
    for magic, what in _BINARY.items():
        if head.startswith(magic):
            raise BadArgument(f"{name} is {what}")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = head[0:1024:2], head[1:1024:2]
    if even and not any(even) and all(odd):
        return "utf-16-be"
    if odd and not any(odd) and all(even):
        return "utf-16-le"
    if b"\0" in head:
        raise BadArgument(f"{name} is a binary file, not a list of identifiers")
    return "utf-8-sig"


def is_utf8(head: bytes) -> bool:
    """Whether the head, perhaps cut within a character, is UTF-8."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def decoded(stream: BinaryIO, encoding: str) -> TextIO:
    """The text of `stream`, line by line, with any of the three line ends."""
    errors = "litcrawl.windows" if encoding == "utf-8-sig" else "replace"
    return io.TextIOWrapper(stream, encoding, errors, newline=None)


class Rejoined(io.RawIOBase):
    """A stream whose head was read already, whole again: a pipe cannot be rewound. Closing it closes the stream."""

    def __init__(self, head: bytes, rest: BinaryIO):
        self._head = memoryview(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._rest.close()
        super().close()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._head[: len(buffer)] if self._head else memoryview(_some(self._rest, len(buffer)))
        self._head = self._head[len(data) :]
        buffer[: len(data)] = data
        return len(data)


def _some(stream: BinaryIO, size: int) -> bytes:
    """What is there, without waiting for more: a slow producer's rows are wanted as they come."""
    read = getattr(stream, "read1", stream.read)
    return bytes(read(size))
