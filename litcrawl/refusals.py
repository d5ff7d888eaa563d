"""Refusals that are about this run, not about an article: its key is wrong, its allowance spent."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from litcrawl.terms import Reason

_ENOUGH = 3  # refusals of a key in a row: one may be about one article after all


class Verdict(Enum):
    FIRST = "to be told"
    ENOUGH = "not to be asked again"


class Refusals:
    """Counts them by source and host: a key of one API says nothing of another's."""

    def __init__(self) -> None:
        self._in_a_row: Counter[tuple[str, str]] = Counter()

    def heard(self, source: str, host: str, reason: Reason) -> Verdict | None:
        """Take down how an answer was judged: what that amounts to, once; None where it is no refusal, or one more of those known."""
        if reason not in (Reason.NEEDS_KEY, Reason.QUOTA):
            self._in_a_row.pop((source, host), None)
            return None
        self._in_a_row[source, host] += 1
        enough = 1 if reason == Reason.QUOTA else _ENOUGH
        return {1: Verdict.FIRST, enough: Verdict.ENOUGH}.get(self._in_a_row[source, host])
