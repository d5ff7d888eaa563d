"""The open articles of a crawl: a bounded number, each with the rows of the list that named it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from litcrawl.ids import Ids


@dataclass(slots=True)
class Place:
    """
    What is known of an open article beside its ticket: its rows (`inputs`), and what they tell.

    `leaving`: its last item is on its way; a row that comes now waits until it is closed.
    """

    inputs: list[dict[str, Any]]
    ids: Ids
    conflicts: list[dict[str, Any]]
    leaving: bool = False


class Window:
    """
    Nothing in Scrapy holds `start()` back: it would make a million requests before the first is answered.

    `places` maps the key of each open article to what its rows tell; it is found by any identifier that they gave.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.places: dict[str, Place] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._freed = asyncio.Event()

    def __len__(self) -> int:
        return len(self.places)

    async def place(self, patience: float) -> bool:
        """Wait until an article may be opened; False when none was closed for `patience` seconds."""
        while len(self.places) >= self.most:
            if not await self.freed(patience):
                return False
        return True

    async def freed(self, patience: float) -> bool:
        """Wait until any article is closed; False when none was for `patience` seconds."""
        self._freed.clear()
        try:
            await asyncio.wait_for(self._freed.wait(), patience)
        except TimeoutError:
            return False
        return True

    def key_of(self, ids: Ids, *, but: str | None = None) -> str | None:
        """The key of the open article that bears one of these identifiers; `but` is not meant."""
        return next((key for pair in ids if (key := self._names.get(pair)) not in (None, but)), None)

    def inputs(self, key: str) -> list[dict[str, Any]]:
        """The rows that named an article so far."""
        return self.places[key].inputs if key in self.places else []

    def open(self, key: str, ids: Ids, rows: Iterable[dict[str, Any]], conflicts: Iterable[Mapping[str, Any]] = ()) -> None:
        """Take a place for an article."""
        self.places[key] = Place(list(rows), ids, [dict(one) for one in conflicts])
        self._name(key, ids)

    def join(self, key: str, row: dict[str, Any], ids: Ids, conflicts: Iterable[Mapping[str, Any]] = ()) -> None:
        """Add a row to an open article: what it gives fills gaps."""
        place = self.places[key]
        place.inputs.append(row)
        place.ids = place.ids.merge(ids)
        place.conflicts += [dict(one) for one in conflicts if one not in place.conflicts]
        self._name(key, place.ids)

    def learn(self, key: str, ids: Ids) -> Ids:
        """Note what a source told of an open article; what is known of it by now, from there and from the list."""
        place = self.places.get(key)
        if place is None:
            return ids
        merged = ids.merge(place.ids)
        if merged != place.ids:
            place.ids = merged
            self._name(key, merged)
        return merged

    def merge(self, key: str, other: str) -> None:
        """Give the rows of an open article to another, which it proves to be, and its place back."""
        place, into = self.places[key], self.places[other]
        into.inputs += place.inputs
        into.conflicts += [one for one in place.conflicts if one not in into.conflicts]
        self.close(key)
        self.learn(other, place.ids)

    def rename(self, key: str, new: str, ids: Ids) -> None:
        """Call an open article by the key that it proves to have."""
        place = self.places.pop(key)
        for pair in place.ids:
            if self._names.get(pair) == key:
                del self._names[pair]
        place.ids = ids
        self.places[new] = place
        self._name(new, ids)

    def leave(self, key: str) -> None:
        """No row may join this article any more: its last item has been made."""
        if key in self.places:
            self.places[key].leaving = True

    def close(self, key: str | None) -> None:
        """Give an article's place back; one that has none is ignored."""
        place = self.places.pop(key, None) if key is not None else None
        if place is None:
            return
        for pair in place.ids:
            if self._names.get(pair) == key:
                del self._names[pair]
        self._freed.set()

    def _name(self, key: str, ids: Ids) -> None:
        for pair in ids:
            self._names.setdefault(pair, key)
