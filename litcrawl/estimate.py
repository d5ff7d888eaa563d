"""How long a list is, before it has been read."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from litcrawl.idlists import IdList

SAMPLE = 1000
LONG = 10_000
"""Rows of a list that is worth an estimate."""
_SHORTEST = 3  # bytes of a row: a digit and Windows' end of line


def estimate(rows: IdList) -> int | None:
    """How many rows a list has, judged by its first `SAMPLE` and its size; None for a stream, or a list of no more than `LONG` rows."""
    if rows.size is None or rows.size < LONG * _SHORTEST:
        return None
    lines = [row["line"] for row in islice(rows.rows(), SAMPLE + 1)]
    if len(lines) <= SAMPLE or lines[0] is None:
        return None
    with Path(rows.name).expanduser().open("rb") as file:
        begin = sum(map(len, islice(file, lines[0] - 1)))
        sample = sum(map(len, islice(file, lines[SAMPLE] - lines[0])))
    about = round((rows.size - begin) / sample * SAMPLE) if sample else 0
    return about if about > LONG else None
