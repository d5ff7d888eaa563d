"""
A harvest of arXiv's OAI-PMH interface: the list page by page, and how far the papers on it are stored.

http://www.openarchives.org/OAI/openarchivesprotocol.html#FlowControl
"""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Iterator

from litcrawl.arxiv import urls
from litcrawl.arxiv.table import Table
from litcrawl.parsers import oai
from litcrawl.store import Store

logger = logging.getLogger(__name__)

PATH = "runs/harvest.json"
_ALL = "all"  # the name of the whole of arXiv beside its sets
_RESTARTS = 3
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Incomplete(Exception):
    """The list broke off: what was listed is not all there is."""


class Watermarks:
    """`runs/harvest.json`: for each set the day up to which all that changed is stored."""

    def __init__(self, store: Store) -> None:
        """Raises `BadArgument` for a file that is there and cannot be read."""
        self._marks = Table(store, PATH)

    def of(self, set_: str | None) -> str | None:
        """The watermark of a set; None when it was never harvested."""
        mark = self._marks.get(set_ or _ALL)
        return mark if isinstance(mark, str) and _DAY.fullmatch(mark) else None

    def move(self, set_: str | None, day: str) -> None:
        """Move a watermark forward. Raises `StorageError`."""
        if day > (self.of(set_) or ""):
            self._marks.set(set_ or _ALL, day)


class Harvest:
    """
    The list of papers of a set that changed from one day (None: the beginning) to another (None: now).

    `next_url` asks for the next page until it is None; `take` and `refused` hear the answers.
    """

    def __init__(self, set_: str | None, since: str | None, until: str | None) -> None:
        self.set_, self.since, self.until = set_, since, until
        self.next_url: str | None
        self.day: str | None = None  # the repository's, when the list began: later changes are another harvest's
        self.found: dict[str, str] = {}  # each paper, and the day on which it changed
        self._start = since
        self._restarts = 0
        self._open()

    def _open(self) -> None:
        self._tokens: set[str] = set()
        self._items = 0
        self._ordered, self._last = True, ""  # whether the days have come in order, and the last of them
        self.next_url = urls.identifiers(set_=self.set_, since=self._start, until=self.until)

    def take(self, page: oai.Headers) -> None:
        """A page of the list. Raises `Incomplete`."""
        self.day = self.day or page.day
        self._items += len(page.items)
        for item in page.items:
            self._ordered = self._ordered and item.datestamp >= self._last
            self._last = max(self._last, item.datestamp)
            paper = urls.paper_of(item.identifier)
            if item.deleted:
                logger.warning("arXiv has deleted %s: what is held of it stays", paper)
            else:
                self.found[paper] = max(item.datestamp, self.found.get(paper, ""))
        self.next_url = None
        if page.token is None:
            if page.size is not None and self._items < page.size:
                raise Incomplete(f"the list ended after {self._items} of {page.size} papers")
            return
        if page.token in self._tokens:
            raise Incomplete("the list goes round in a circle: a resumption token came twice")
        self._tokens.add(page.token)
        self.next_url = urls.identifiers(token=page.token)

    def refused(self, error: oai.OaiError) -> None:
        """The repository refuses: nothing matches, a token is over, or the question is wrong. Raises `Incomplete`."""
        self.next_url, self.day = None, self.day or error.day
        if error.code == "noRecordsMatch" and not self._tokens:
            return
        if error.code != "badResumptionToken" or self._restarts == _RESTARTS:
            raise Incomplete(str(error))
        self._restarts += 1
        if self._ordered and self._last:  # what came before that day need not be listed again
            self._start = self._last
        logger.warning("the resumption token is over: listing again from %s", self._start or "the beginning")
        self._open()


class Progress:
    """How far a harvest's papers are stored: in the order of the days on which they changed."""

    def __init__(self, marks: Watermarks, harvest: Harvest, *, complete: bool) -> None:
        """`complete`: the list did not break off; else the watermark stays where it is."""
        self._marks, self._set = marks, harvest.set_
        self._end = min(one for one in (harvest.until, harvest.day) if one is not None) if harvest.day else None
        self._waiting = deque(sorted((day, paper) for paper, day in harvest.found.items()))
        self._days = harvest.found
        self._stored: set[str] = set()
        mark = marks.of(self._set)
        joins = mark is None or harvest.since is None or harvest.since <= mark  # else there would be a hole before it
        self._moves = complete and joins

    def papers(self) -> Iterator[tuple[str, str]]:
        """The papers, each with its day, the oldest change first."""
        return ((paper, day) for day, paper in list(self._waiting))

    def stored(self, paper: str) -> None:
        """A paper is stored, as far as arXiv has it. Raises `StorageError`."""
        if paper in self._days:
            self._stored.add(paper)
            self.move()

    def move(self) -> None:
        """Move the watermark up to the first paper that is not stored. Raises `StorageError`."""
        while self._waiting and self._waiting[0][1] in self._stored:
            self._stored.remove(self._waiting.popleft()[1])
        day = self._waiting[0][0] if self._waiting else self._end
        if self._moves and day:
            self._marks.move(self._set, day)
