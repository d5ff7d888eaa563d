"""Which messages of a partition are done with, so that no offset is committed before all that comes before it. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

P = TypeVar("P", bound=Hashable)
Receipt: TypeAlias = tuple[P, int, int]
"""A message: its partition, its offset, and the generation of the partition that it was handed out in."""


@dataclass(slots=True)
class _Partition:
    taken: deque[int] = field(default_factory=deque)
    done: set[int] = field(default_factory=set)


class Offsets(Generic[P]):
    """
    Messages may end in any order; what may be committed is the offset below which all have ended.

    A partition that is given to the group anew is forgotten, also where it comes back to us: what it had open is handed out again.
    Its next messages are of another generation, and those of an earlier one, still on their way, count for nothing.
    """

    def __init__(self) -> None:
        self._partitions: dict[P, _Partition] = {}
        self._generations: dict[P, int] = {}

    def generation(self, partition: P) -> int:
        """How often a partition was forgotten."""
        return self._generations.get(partition, 0)

    def taken(self, partition: P, offset: int) -> Receipt[P]:
        """A message was handed out, for this receipt; of a partition they come in order."""
        self._partitions.setdefault(partition, _Partition()).taken.append(offset)
        return partition, offset, self.generation(partition)

    def done(self, receipts: Iterable[Receipt[P]]) -> dict[P, int]:
        """Messages have ended; what may be committed by now, by partition: the offset of the next message."""
        touched: dict[P, int] = {}
        for partition, offset, generation in receipts:
            state = self._partitions.get(partition)
            if state is None or generation != self.generation(partition):
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
            self._generations[partition] = self.generation(partition) + 1

    @property
    def open(self) -> int:
        """How many messages are handed out and not ended."""
        return sum(len(state.taken) for state in self._partitions.values())
