"""The gates of this process: a published limit is kept over all its crawlers, whether they run at once or one after another."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import Generic, TypeVar

from litcrawl.middlewares.gate import Gate
from litcrawl.slots import Slot

T = TypeVar("T")

TURN = 0.02
_SETTLED = 3.0  # seconds: arXiv's gap, the longest that a user should have to wait for a run's first request


class Gates(Generic[T]):
    """
    One gate for each slot that has a limit, and who uses it; a slot without a limit has a gate for each user.

    A process does not know what another has just asked, one that was killed and started anew: so it counts its own start for a
    request, as far back as `_SETTLED`.
    """

    def __init__(self) -> None:
        self._began = monotonic()
        self._gates: dict[Slot, Gate] = {}
        self._users: dict[Slot, list[T]] = {}
        self._last: dict[Slot, T] = {}

    def join(self, slot: Slot, user: T) -> Gate:
        """The gate of a slot, shared with the others who use it."""
        if not slot.limit:
            return Gate(slot)
        self._users.setdefault(slot, []).append(user)
        gate = self._gates.get(slot)
        if gate is None:
            gate = self._gates[slot] = Gate(slot)
            gate.sent(self._began - max(0.0, slot.delay - _SETTLED))
        return gate

    def others(self, slot: Slot, user: T) -> Iterator[T]:
        """Who else uses the gate of a slot now."""
        return (one for one in self._users.get(slot, ()) if one is not user)

    def took(self, slot: Slot, user: T) -> None:
        """A user has sent a request."""
        if slot in self._users:
            self._last[slot] = user

    def waits(self, slot: Slot, user: T) -> float:
        """Seconds that a user leaves to the others, when the last turn was its own: two would wake at the same moment again and again."""
        return TURN if self._last.get(slot) is user and any(True for _ in self.others(slot, user)) else 0.0

    def leave(self, user: T) -> None:
        """Give up all gates. The next user's knows when requests were sent, not what servers asked of this one's crawl."""
        for slot, users in list(self._users.items()):
            if user in users:
                users.remove(user)
                if not users:
                    del self._users[slot]
                    self._last.pop(slot, None)
                    self._gates[slot] = self._gates[slot].successor()
