"""Articles that wait until enough of them can be asked for in one call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from litcrawl.ticket import Ticket

Place = tuple[str, ...]  # resolver, kind of identifier, and what else keeps tickets apart

_FOR_MORE = 60  # times its patience, at most


class Waiting:
    """Groups of tickets; a group is due when it is full, or `patience` seconds old."""

    def __init__(self, patience: float = 2.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.patience = patience
        self._clock = clock
        self._groups: dict[Place, list[Ticket]] = {}
        self._since: dict[Place, float] = {}

    def add(self, place: Place, ticket: Ticket, most: int) -> list[Ticket]:
        """Let a ticket wait; its whole group when that is full now, else nothing."""
        self._groups.setdefault(place, []).append(ticket)
        self._since.setdefault(place, self._clock())
        return self._take(place) if len(self._groups[place]) >= most else []

    def due(self, *, all_: bool = False, more: Callable[[Place], bool] | None = None) -> Iterator[list[Ticket]]:
        """
        The groups that have waited long enough, or `all_`.

        One of which `more` says that tickets may still join it waits on, but not for ever.
        """
        for place in list(self._groups):
            age = self._clock() - self._since[place]
            if all_ or age >= self.patience * _FOR_MORE or (age >= self.patience and not (more and more(place))):
                yield self._take(place)

    @property
    def places(self) -> Iterable[Place]:
        """Where groups wait."""
        return self._groups.keys()

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))

    def _take(self, place: Place) -> list[Ticket]:
        del self._since[place]
        return self._groups.pop(place)
