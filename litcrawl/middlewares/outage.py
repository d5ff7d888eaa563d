"""When to stop taking in rows: everything fails and a host is closed. Pure: time is handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import time

from litcrawl.terms import Outcome, Reason

IN_A_ROW = 200
PATIENCE = 3600.0


class Outage:
    """
    Keeps a long list from being burnt while the network is away.

    When 200 articles in a row end `retry`, nobody having answered for them, and a host is closed, `holding` tells the spider
    to admit no further row until a host that was closed answers; after an hour `expired` tells it to end the crawl. A closed
    host is asked by a request only, and a request needs an article: so once a host's time has come, one row at a time is let
    through. A host whose quota is spent is there, and has answered: it holds up nobody but its own articles.
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

    def ended(self, outcome: str | None, answered: bool = False) -> None:
        """
        An article has its last word; None when nobody had to be asked for it, which says nothing of the network.

        `answered`: somebody did answer for it in this run, whatever is left open.
        """
        self._probe = False
        if outcome is None:
            return
        self._streak = self._streak + 1 if outcome == Outcome.RETRY and not answered else 0
        closed = self._away()
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
        closed = self._away()
        if not closed.keys() >= self._closed:
            self._since, self._streak = None, 0  # one of them answered
            return False
        now = self._clock()
        return self._probe or all(until > now for until in closed.values())

    @property
    def expired(self) -> bool:
        """Whether it has lasted too long: end the crawl."""
        return self._since is not None and self.holding and self._clock() - self._since >= self._patience

    def _away(self) -> dict[str, float]:
        """The closed hosts that may be out of reach, and until when."""
        return {host: until for host, (until, reason) in self._closed_hosts().items() if reason != Reason.QUOTA}
