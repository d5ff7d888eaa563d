"""Words on rows that nobody was asked about: invalid ones, and those that a run which ended early left behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from litcrawl import ids as identifiers
from litcrawl import ticket as tickets
from litcrawl.idlists import IdList
from litcrawl.ids import Ids
from litcrawl.items import Article
from litcrawl.terms import Outcome
from litcrawl.window import Place

UNREAD = "not read when the run ended"
OPEN = "not finished when the run ended"

_INPUT = ("row", "line", "field", "raw", "record_id", "title", "author", "year", "version", "repairs")


def given(row: Mapping[str, Any]) -> dict[str, Any]:
    """What an article keeps of a row that named it: an entry of its `inputs`."""
    return {name: row[name] for name in _INPUT}


def invalid(row: Mapping[str, Any], run: str) -> Article:
    """The word on a row without an identifier."""
    return Article(
        key=None,
        path=None,
        inputs=[given(row)],
        ids=Ids().as_dict(),
        outcome=Outcome.INVALID,
        reason=row["reason"],
        notes=[row["detail"]] if row.get("detail") else [],
        run=run,
        at=tickets.now(),
    )


def left_open(key: str, place: Place, run: str, note: str = OPEN) -> Article:
    """
    The word on the rows of an article that got none of its own: they are to be asked again.

    It has no path: what its folder holds stands.
    """
    return Article(
        key=key,
        path=None,
        inputs=list(place.inputs),
        ids=place.ids.as_dict(),
        conflicts=place.conflicts,
        outcome=Outcome.RETRY,
        run=run,
        at=tickets.now(),
        notes=[note],
    )


def unread(rows: IdList, shard: tuple[int, int], after: int, run: str) -> Iterator[Article]:
    """
    The words on the rows after number `after` that a run which ended early did not come to, so that `again.txt` is the whole rest.

    None of a stream, which cannot be read twice.
    """
    if rows.size is None:
        return
    part, parts = shard
    for row in rows.rows():
        if row["row"] <= after or row["row"] % parts != part:
            continue
        if row["ids"] is None:
            yield invalid(row, run)
        else:
            yield left_open(identifiers.key(row["ids"]), Place([given(row)], row["ids"], row["conflicts"]), run, UNREAD)
