"""Which messages of a partition are done with, so that no offset is committed before all that comes before it. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

P = TypeVar("P", bound=Hashable)


@dataclass(slots=True)
class _Partition:
    taken: deque[int] = field(default_factory=deque)
    done: set[int] = field(default_factory=set)


class Offsets(Generic[P]):
    """
    Messages may end in any order; what may be committed is the offset below which all have ended.

    A partition that goes to another member of the group is forgotten: what it had open is handed out again there.
    """

    def __init__(self) -> None:
        self._partitions: dict[P, _Partition] = {}

    def taken(self, partition: P, offset: int) -> None:
        """A message was handed out; of a partition they come in order."""
        self._partitions.setdefault(partition, _Partition()).taken.append(offset)

    def done(self, receipts: Iterable[tuple[P, int]]) -> dict[P, int]:
        """Messages have ended; what may be committed by now, by partition: the offset of the next message."""
        touched: dict[P, int] = {}
        for partition, offset in receipts:
            state = self._partitions.get(partition)
            if state is None:
                continue
            state.done.add(offset)
            while state.taken and state.taken[0] in state.done:
                last = state.taken.popleft()
                state.done.discard(last)
                touched[partition] = last + 1
        return touched

    def forget(self, partitions: Iterable[P]) -> None:
        """These partitions are no longer ours."""
        for partition in partitions:
            self._partitions.pop(partition, None)

    @property
    def open(self) -> int:
        """How many messages are handed out and not ended."""
        return sum(len(state.taken) for state in self._partitions.values())
