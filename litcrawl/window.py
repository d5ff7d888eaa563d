"""The open articles of a crawl: a bounded number, each with the rows of the list that named it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from litcrawl.ids import Ids

Conflict = dict[str, Any]  # as in `Article.conflicts`


@dataclass(slots=True)
class Place:
    """
    What is known of an open article beside its ticket: its rows (`inputs`), and what they tell.

    `leaving`: its last item is on its way; a row that comes now waits until it is closed.
    """

    inputs: list[dict[str, Any]]
    ids: Ids
    conflicts: list[Conflict]
    leaving: bool = False
    named: set[tuple[str, str]] = field(default_factory=set)
    """The identifiers by which the window finds it."""


class Window:
    """
    Nothing in Scrapy holds `start()` back: it would make a million requests before the first is answered.

    `places` maps the key of each open article to what its rows tell; it is found by any identifier that they gave, where
    no better one says that it is another.
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
        """The key of the open article that these identifiers name; `but` is not meant."""
        for pair in ids:
            key = self._names.get(pair)
            if key is not None and key != but and self.places[key].ids.names_same(ids):
                return key
        return None

    def inputs(self, key: str) -> list[dict[str, Any]]:
        """The rows that named an article so far."""
        return self.places[key].inputs if key in self.places else []

    def open(self, key: str, ids: Ids, rows: Iterable[dict[str, Any]], conflicts: Iterable[Mapping[str, Any]] = ()) -> None:
        """Take a place for an article."""
        self.places[key] = Place(list(rows), ids, [dict(one) for one in conflicts])
        self._name(key)

    def join(self, key: str, row: dict[str, Any], ids: Ids, conflicts: Iterable[Mapping[str, Any]] = ()) -> None:
        """Add a row to an open article: what it gives fills gaps; what it contradicts stands among the conflicts."""
        place = self.places[key]
        place.inputs.append(row)
        self._add(place, ids, conflicts)
        self._name(key)

    def learn(self, key: str, ids: Ids, conflicts: Iterable[Mapping[str, Any]] = ()) -> Ids:
        """
        Note what a source told of an open article; what is known of it by now, from there and from the list.

        What `conflicts` have of the list is another article's.
        """
        place = self.places.get(key)
        if place is None:
            return ids
        refuted = {pair for one in conflicts for pair in one["ids"].items()}
        merged = ids.merge(Ids(**{kind: value for kind, value in place.ids if (kind, value) not in refuted}))
        if merged != place.ids:
            place.ids = merged
            self._name(key)
        return merged

    def settle(self, key: str, new: str, ids: Ids, conflicts: Iterable[Conflict]) -> None:
        """Call an open article by the key that it proves to have, and by these identifiers alone: some it was given may be wrong."""
        place = self.places.pop(key)
        self._unname(key, place)
        place.ids = ids
        place.conflicts += [one for one in conflicts if one not in place.conflicts]
        self.places[new] = place
        self._name(new)

    def merge(self, key: str, other: str) -> None:
        """Give the rows of an open article to another, which it proves to be, and its place back."""
        place, into = self.places[key], self.places[other]
        self.close(key)
        into.inputs += place.inputs
        self._add(into, place.ids, place.conflicts)
        self._name(other)

    def leave(self, key: str) -> None:
        """No row may join this article any more: its last item has been made."""
        if key in self.places:
            self.places[key].leaving = True

    def close(self, key: str | None) -> None:
        """Give an article's place back; one that has none is ignored."""
        place = self.places.pop(key, None) if key is not None else None
        if key is None or place is None:
            return
        self._unname(key, place)
        self._freed.set()

    def _add(self, place: Place, ids: Ids, conflicts: Iterable[Mapping[str, Any]]) -> None:
        for kind, value in ids:
            known = getattr(place.ids, kind)
            alone = Ids(**{kind: value})
            refuted = any(one["ids"].get(kind) == value for one in place.conflicts)
            if known is None and not refuted:
                place.ids = place.ids.merge(alone)
            elif known not in (None, value) and not refuted:
                place.conflicts.append({"field": None, "raw": value, "ids": alone.as_dict()})
        place.conflicts += [dict(one) for one in conflicts if one not in place.conflicts]

    def _name(self, key: str) -> None:
        place = self.places[key]
        for pair in place.ids:
            if self._names.setdefault(pair, key) == key:
                place.named.add(pair)

    def _unname(self, key: str, place: Place) -> None:
        for pair in place.named:
            del self._names[pair]
        place.named = set()
