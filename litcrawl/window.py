"""The open articles of a crawl: a bounded number, each with the rows of the list that named it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from litcrawl.ids import Ids


class Window:
    """
    Nothing in Scrapy holds `start()` back: it would make a million requests before the first is answered.

    `inputs` maps the key of each open article to its rows; an article is found by any identifier that it came with.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.inputs: dict[str, list[dict[str, Any]]] = {}
        self._names: dict[tuple[str, str | None], str] = {}
        self._pairs: dict[str, list[tuple[str, str | None]]] = {}
        self._freed = asyncio.Event()

    def __len__(self) -> int:
        return len(self.inputs)

    async def place(self, patience: float) -> bool:
        """Wait until an article may be opened; False when none was closed for `patience` seconds."""
        while len(self.inputs) >= self.most:
            self._freed.clear()
            try:
                await asyncio.wait_for(self._freed.wait(), patience)
            except TimeoutError:
                return False
        return True

    def key_of(self, ids: Ids) -> str | None:
        """The key of the open article that bears one of these identifiers."""
        return next((self._names[pair] for pair in ids.as_dict().items() if pair in self._names), None)

    def open(self, key: str, ids: Ids, rows: Iterable[dict[str, Any]]) -> None:
        """Take a place for an article."""
        self.inputs[key] = list(rows)
        self._pairs[key] = [(name, value) for name, value in ids.as_dict().items() if value]
        for pair in self._pairs[key]:
            self._names.setdefault(pair, key)

    def join(self, key: str, row: dict[str, Any]) -> None:
        """Add a row to an open article."""
        self.inputs[key].append(row)

    def close(self, key: str | None) -> None:
        """Give an article's place back; one that has none is ignored."""
        if key is None or self.inputs.pop(key, None) is None:
            return
        for pair in self._pairs.pop(key):
            if self._names.get(pair) == key:
                del self._names[pair]
        self._freed.set()
