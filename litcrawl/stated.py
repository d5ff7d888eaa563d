"""Identifiers as upstreams state them: any JSON value in, what can be believed out. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from litcrawl import ids as identifiers
from litcrawl.exceptions import BadIdentifier
from litcrawl.ids import KINDS, Ids


def stated(**values: object) -> Ids:
    """
    The identifiers that these values of a record are, by kind; what is none of its kind is left out.

    Numbers pass where they stand for digits: some services write PMIDs so.
    """
    found = Ids()
    for kind, value in values.items():
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            with suppress(BadIdentifier, ValueError):  # ValueError: a number of more digits than Python writes out
                parsed = identifiers.parse(str(value), kind)
                if parsed.kind == kind:
                    found = found.merge(parsed.ids)
    return found


def agreed(records: Iterable[Ids]) -> Ids:
    """What several records of one article say of it, without what they contradict each other in."""
    told: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for record in records:
        for kind, value in record:
            told[kind].add(value)
    return Ids(**{kind: next(iter(values)) for kind, values in told.items() if len(values) == 1})
