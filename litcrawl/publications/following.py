"""Whom publications cite, and who cites them: what is still to be looked up, bounded in depth and number. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from litcrawl.publications.answering import FOLLOWED
from litcrawl.publications.item import Publication


class Following:
    """DOIs that records name, each once, those nearest to the list first."""

    def __init__(self, fields: Sequence[str], depth: int, most: int) -> None:
        self._fields, self._depth, self._most = fields, depth, most
        self._seen: set[str] = set()
        self._listed: set[str] = set()
        self._due: deque[tuple[str, int]] = deque()

    def __len__(self) -> int:
        return len(self._due)

    def listed(self, doi: str) -> None:
        """The list names this one: it is looked up for that."""
        if self._fields:
            self._listed.add(doi)

    def note(self, item: Publication, rank: int) -> None:
        """Take down what a publication names; `rank` is its ticket's."""
        depth = max(0, rank - FOLLOWED + 1)
        if depth >= self._depth:
            return
        for field in self._fields:
            for one in item.record[field]:
                if len(self._seen) >= self._most:
                    return
                if one["doi"] not in self._seen and one["doi"] not in self._listed:
                    self._seen.add(one["doi"])
                    self._due.append((one["doi"], FOLLOWED + depth))

    def take(self, most: int) -> tuple[int, list[str]]:
        """The next of them that are equally near, and their rank."""
        rank = self._due[0][1] if self._due else FOLLOWED
        taken: list[str] = []
        while self._due and len(taken) < most and self._due[0][1] == rank:
            taken.append(self._due.popleft()[0])
        return rank, taken
