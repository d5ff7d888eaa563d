"""Reads the first pages of PDFs, in a process of its own that is stopped when a file asks too much of it."""

from __future__ import annotations

import atexit
import json
import os
import struct
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from litcrawl.proof.content import Content

PROGRAM = Path(__file__).with_name("pdfchild.py")
SECONDS = 10.0  # for one file, the start of the process included; the crawl waits meanwhile
_LONGEST = 4 << 20  # bytes of an answer


@dataclass(frozen=True, kw_only=True)
class Pages:
    """What a PDF holds: how many pages, the text of the first ones, what its properties say (title, subject, …)."""

    count: int
    texts: tuple[str, ...]
    about: tuple[str, ...] = ()


class Reader:
    """A process that reads PDFs, started when it is first needed."""

    def __init__(self, program: Path = PROGRAM, seconds: float = SECONDS):
        self.program = program
        self.seconds = seconds
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def read(self, content: Content) -> Pages | None:
        """The first pages; None when they cannot be read, or not in bounded time and memory."""
        with self._lock:
            try:
                return self._ask(self._running(), content)
            except (OSError, EOFError, ValueError):
                self._stop()
                return None

    def close(self) -> None:
        """End the process; another read starts it again."""
        with self._lock:
            self._stop()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._stop()
            secret = ("LITCRAWL_", "AWS_")
            self._child = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", str(self.program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if not name.startswith(secret)},
            )
        return self._child

    def _ask(self, child: subprocess.Popen[bytes], content: Content) -> Pages | None:
        assert child.stdin and child.stdout
        path, body = (content.spool.path.encode(), b"") if content.spool else (b"", content.body or b"")
        late = threading.Timer(self.seconds, child.kill)  # works for pipes on every system
        late.start()
        try:
            child.stdin.write(struct.pack(">II", len(path), len(body)) + path)
            child.stdin.write(body)
            child.stdin.flush()
            (length,) = struct.unpack(">I", _exactly(child.stdout, 4))
            if length > _LONGEST:
                raise ValueError("an answer longer than any")
            return _pages(json.loads(_exactly(child.stdout, length)))
        finally:
            late.cancel()

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            assert pipe
            try:
                pipe.close()
            except OSError:
                continue  # what was still to be written has no reader any more


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _pages(answer: object) -> Pages | None:
    match answer:
        case {"count": int(count), "pages": list(texts), "about": list(about)}:
            return Pages(count=count, texts=tuple(map(str, texts)), about=tuple(map(str, about)))
    return None


READER = Reader()
"""The crawl's own."""
atexit.register(READER.close)
