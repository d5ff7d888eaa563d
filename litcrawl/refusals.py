"""Refusals that are about this run, not about an article: its key is wrong, its allowance spent."""

from __future__ import annotations

from collections import Counter

from litcrawl.terms import Reason

_ENOUGH = 3  # refusals of a key in a row: one may be about one article after all


class Refusals:
    """Counts them by source and host: a key of one API says nothing of another's."""

    def __init__(self) -> None:
        self._in_a_row: Counter[tuple[str, str]] = Counter()

    def heard(self, source: str, host: str, reason: Reason) -> bool:
        """Take down how an answer was judged; True when it is one too many, once."""
        if reason not in (Reason.NEEDS_KEY, Reason.QUOTA):
            self._in_a_row.pop((source, host), None)
            return False
        self._in_a_row[source, host] += 1
        return self._in_a_row[source, host] == (1 if reason == Reason.QUOTA else _ENOUGH)
