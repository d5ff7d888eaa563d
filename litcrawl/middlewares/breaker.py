"""Which hosts are closed for now, until when and why. Pure: time is handed in."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from litcrawl.terms import Reason

FAILURES = 5
FIRST, LONGEST = 60.0, 3600.0


@dataclass(slots=True)
class _State:
    failures: int = 0  # in a row
    closures: int = 0  # in a row: each doubles the wait
    until: float | None = None
    reason: Reason = Reason.UNAVAILABLE
    named: bool = False  # the server named the time: an answer that was under way does not open it


@dataclass(frozen=True, slots=True)
class Closure:
    """Why nothing is sent for now, and until when (monotonic seconds; inf: for the rest of the run)."""

    until: float
    reason: Reason


class Breaker:
    """
    Closes a host after five failed tries in a row, and a slot until the time that its server named.

    Failures are a host's own (one of two hosts that share an allowance may be down); a named time concerns the allowance,
    so it is kept under the slot's name. When the time is over the door stands half open: one request probes, and its
    answer opens it, its failure closes it for twice as long.
    """

    def __init__(self, *, failures: int = FAILURES, first: float = FIRST, longest: float = LONGEST, clock: Callable[[], float] = monotonic):
        self._failures, self._first, self._longest, self._clock = failures, first, longest, clock
        self._states: dict[str, _State] = {}

    def failed(self, key: str, reason: Reason) -> bool:
        """Count a failed try; whether it closed the host."""
        state = self._states.setdefault(key, _State())
        now = self._clock()
        state.failures += 1
        if state.until is not None and now < state.until:
            return False  # was under way when the host closed
        if state.until is None and state.failures < self._failures:
            return False
        state.until = now + min(self._longest, self._first * 2**state.closures)
        state.closures += 1
        state.reason, state.named = reason, False
        return True

    def failures(self, key: str) -> int:
        """Failed tries in a row so far."""
        state = self._states.get(key)
        return state.failures if state else 0

    def answered(self, key: str) -> bool:
        """The host answered: count from nought, and open it; whether it had been closed."""
        state = self._states.get(key)
        if state is None or (state.named and state.until is not None and self._clock() < state.until):
            return False
        del self._states[key]
        return state.until is not None

    def close(self, key: str, seconds: float, reason: Reason) -> None:
        """Close for as long as the server said."""
        state = self._states.setdefault(key, _State())
        until = self._clock() + seconds
        if state.until is None or until > state.until:
            state.until, state.reason, state.named = until, reason, True

    def closure(self, *keys: str) -> Closure | None:
        """The closure in force for a request that any of these keys concerns."""
        now = self._clock()
        found = None
        for key in keys:
            state = self._states.get(key)
            if state and state.until is not None and now < state.until and (found is None or state.until > found.until):
                found = Closure(state.until, state.reason)
        return found

    def half_open(self, key: str) -> bool:
        """The time is over, but no answer has come since."""
        state = self._states.get(key)
        return state is not None and state.until is not None and state.until <= self._clock()

    def not_open(self) -> dict[str, Closure]:
        """Everything closed or half open."""
        return {key: Closure(state.until, state.reason) for key, state in self._states.items() if state.until is not None}


FOR_THE_RUN = math.inf
