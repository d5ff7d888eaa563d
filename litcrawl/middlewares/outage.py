"""When to stop taking in rows: everything fails and a host is closed. Pure: time is handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import time

from litcrawl.terms import Outcome

IN_A_ROW = 200
PATIENCE = 3600.0


class Outage:
    """
    Keeps a long list from being burnt while the network is away.

    When 200 articles in a row end `retry` and a host is closed, `holding` tells the spider to admit no further row until
    a host that was closed answers; after an hour `expired` tells it to end the crawl. A closed host is asked by a
    request only, and a request needs an article: so once a host's time has come, one row at a time is let through.
    """

    def __init__(
        self,
        closed_hosts: Callable[[], Mapping[str, tuple[float, str]]],
        *,
        in_a_row: int = IN_A_ROW,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time,
    ):
        self._closed_hosts, self._in_a_row, self._patience, self._clock = closed_hosts, in_a_row, patience, clock
        self._streak = 0
        self._since: float | None = None
        self._closed: frozenset[str] = frozenset()
        self._probe = False

    def ended(self, outcome: str | None) -> None:
        """An article has its last word; None when nobody had to be asked for it, which says nothing of the network."""
        self._probe = False
        if outcome is None:
            return
        self._streak = self._streak + 1 if outcome == Outcome.RETRY else 0
        closed = self._closed_hosts()
        if self._streak < self._in_a_row:
            self._since = None
        elif self._since is None and closed:
            self._since, self._closed = self._clock(), frozenset(closed)

    def admitted(self) -> None:
        """A row was admitted."""
        self._probe = self._since is not None

    @property
    def holding(self) -> bool:
        """Whether no row may be admitted now."""
        if self._since is None:
            return False
        closed = self._closed_hosts()
        if not closed.keys() >= self._closed:
            self._since, self._streak = None, 0  # one of them answered
            return False
        now = self._clock()
        return self._probe or all(until > now for until, _ in closed.values())

    @property
    def expired(self) -> bool:
        """Whether it has lasted too long: end the crawl."""
        return self._since is not None and self.holding and self._clock() - self._since >= self._patience
