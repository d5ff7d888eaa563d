"""What killed processes and given-up transfers leave under `.parts/`, and when that is swept up."""

from __future__ import annotations

import itertools
import os
import platform
import re
import time
from contextlib import suppress
from pathlib import Path

STALE_AFTER = 24 * 3600.0
"""Seconds. What nothing can go on from and was not written to for a day is in no crawl's hands: a transfer writes every few seconds, and
its file is stored within minutes."""
RESUMABLE_FOR = 7 * 24 * 3600.0
"""Seconds. A cut transfer is continued by the run that asks again: a week leaves time for that to be next Monday. What is left then is of
articles that were answered elsewhere, or of lists that nobody runs any more."""

LOCK = ".lock"
"""How names of files that stand for a lock end."""

_HOST = re.sub(r"[^A-Za-z0-9]", "_", platform.node())
_RECORD = ".resume"
_serial = itertools.count()


def temporary(folder: Path) -> Path:
    """A name for a file of this process that is not to outlive it."""
    return folder / f"{_HOST}-{os.getpid()}-{next(_serial)}.tmp"


def sweep(folder: Path) -> None:
    """Remove what no process needs any more: at once what a dead process of this machine wrote, the rest by its age."""
    for path in folder.iterdir():
        with suppress(OSError):  # another process may have been quicker, or, on Windows, have it open
            if _abandoned(path):
                path.unlink()


def _abandoned(path: Path) -> bool:
    if path.suffix == LOCK:  # holds nothing, and may be in use this moment
        return False
    if path.suffix == ".tmp" and _of_dead_process(path):
        return True
    pair = {path.with_name(path.name.removesuffix(_RECORD)), path.with_name(path.name.removesuffix(_RECORD) + _RECORD)}
    resumable = all(one.exists() for one in pair)
    written = max(one.stat().st_mtime for one in (pair if resumable else {path}))
    return time.time() - written > (RESUMABLE_FOR if resumable else STALE_AFTER)


def _of_dead_process(path: Path) -> bool:
    """Whether the process in a temporary file's name runs no more; of other machines' that is not known."""
    host, _, process = path.stem.partition("-")
    if host != _HOST or os.name != "posix":  # elsewhere signal 0 is no question
        return False
    try:
        os.kill(int(process.partition("-")[0]), 0)
    except ProcessLookupError:
        return True
    except (OSError, ValueError):
        return False
    return False
