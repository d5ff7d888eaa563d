"""The gates of this process: a published limit is kept over all its crawlers, whether they run at once or one after another."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import Generic, TypeVar

from litcrawl.middlewares.gate import Gate
from litcrawl.slots import Slot

T = TypeVar("T")

_TURN = 0.02  # seconds
_SETTLED = 3.0  # seconds: arXiv's gap, the longest that a user should have to wait for a run's first request


class Gates(Generic[T]):
    """
    One gate for each slot's name that has a limit, and who uses it; a slot without a limit has a gate for each user.

    A process does not know what another has just asked, one that was killed and started anew: so it counts its own start for a
    request, as far back as `_SETTLED`.
    """

    def __init__(self) -> None:
        self._began = monotonic()
        self._gates: dict[str, Gate] = {}
        self._users: dict[str, list[T]] = {}
        self._last: dict[str, T] = {}

    def join(self, slot: Slot, user: T) -> Gate:
        """The gate of a slot, shared with all who use one of this name; where their entries differ, the stricter holds for each."""
        if not slot.limit:
            return Gate(slot)
        gate = self._gates.get(slot.name)
        if gate is None:
            gate = Gate(slot)
            gate.sent(self._began - max(0.0, slot.delay - _SETTLED))
        elif slot.name in self._users:
            gate.tighten(slot)
        else:
            gate = gate.successor(slot)
        self._gates[slot.name] = gate
        self._users.setdefault(slot.name, []).append(user)
        return gate

    def others(self, slot: Slot, user: T) -> Iterator[T]:
        """Who else uses the gate of a slot now."""
        users = self._users.get(slot.name, ()) if slot.limit else ()
        return (one for one in users if one is not user)

    def took(self, slot: Slot, user: T) -> None:
        """A user has sent a request."""
        if slot.limit and slot.name in self._users:
            self._last[slot.name] = user

    def waits(self, slot: Slot, user: T) -> float:
        """Seconds that a user leaves to the others, when the last turn was its own: two would wake at the same moment again and again."""
        return _TURN if self._last.get(slot.name) is user and any(True for _ in self.others(slot, user)) else 0.0

    def leave(self, user: T) -> None:
        """Give up all gates. The next user's knows when requests were sent, not what servers asked of this one's crawl."""
        for name, users in list(self._users.items()):
            if user in users:
                users.remove(user)
                if not users:
                    del self._users[name]
                    self._last.pop(name, None)
