"""
The text of a PDF's first pages: a program that serves one file after another on its standard input. Nothing of litcrawl is imported.

PDFs are hostile: half a megabyte can ask for gigabytes and for minutes, and no library in the crawl's own process could be stopped
(`litcrawl.proof.reading` stops this one).
"""

from __future__ import annotations

import json
import signal
import struct
import sys
from contextlib import suppress
from typing import BinaryIO

import pypdfium2

FIRST = 3
FRONT = 8
VOLUME = 100
"""Of a file with this many pages FRONT pages are read: what it is called may come late."""
MOST = 10_000  # characters of a page
MEMORY = 1 << 30


def text(source: str | bytes) -> dict[str, object]:
    """How many pages a PDF has, the text of its first ones, and what it says of itself."""
    document = pypdfium2.PdfDocument(source)
    count = len(document)
    pages = []
    for number in range(min(count, FRONT if count >= VOLUME else FIRST)):
        page = ""
        with suppress(pypdfium2.PdfiumError):
            page = document[number].get_textpage().get_text_bounded()[:MOST]
        pages.append(page)
    about = document.get_metadata_dict(skip_empty=True)
    document.close()
    return {"count": count, "pages": pages, "about": [str(value)[:MOST] for value in about.values()]}


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Each request: the length of a path and the path, the length of a body and the body where there is no path; the answer is JSON."""
    while head := requests.read(8):
        path_length, body_length = struct.unpack(">II", head)
        path, body = requests.read(path_length).decode(), requests.read(body_length)
        try:
            answer: object = text(path or body)
        except Exception:  # noqa: BLE001 - whatever a PDF does to its reader, the next one is read
            answer = None
        plain = json.dumps(answer).encode()
        answers.write(struct.pack(">I", len(plain)) + plain)
        answers.flush()


def limit_memory() -> None:
    """A bound on this process, where the system knows one; elsewhere only its time is bounded."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the crawl's: it ends, and then this ends
    limit_memory()
    serve(sys.stdin.buffer, sys.stdout.buffer)
