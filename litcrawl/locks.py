"""Locks on files, which the system lets go of when a process ends, however it ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    def take(file: BinaryIO) -> None:
        """Lock an open file; `OSError` when another has it."""
        file.seek(0)  # one byte, wherever the file stands; others can read the rest only, so we read through this very file
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def take(file: BinaryIO) -> None:
        """Lock an open file; `OSError` when another has it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_POLL = 0.005  # seconds


@contextmanager
def held(path: Path) -> Iterator[None]:
    """
    Hold the lock that a file of this name stands for; wait while another process, or another thread, does.

    The file stays there empty: were it removed, one might wait for the old while another takes the new. Raises `OSError`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        while True:
            try:
                take(file)
                break
            except (BlockingIOError, PermissionError):  # the second is what Windows says
                time.sleep(_POLL)
        yield
