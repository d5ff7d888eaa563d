"""
A harvest of arXiv's OAI-PMH interface: the list page by page, and how far the papers on it are stored.

http://www.openarchives.org/OAI/openarchivesprotocol.html#FlowControl
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from datetime import date, timedelta

from litcrawl import ids as identifiers
from litcrawl.arxiv import urls
from litcrawl.arxiv.table import Table
from litcrawl.exceptions import BadIdentifier
from litcrawl.parsers import oai
from litcrawl.store import Store

logger = logging.getLogger(__name__)

PATH = "runs/harvest.json"
_ALL = "all"  # the name of the whole of arXiv beside its sets
_RESTARTS = 3  # without a paper that was not listed before


class Incomplete(Exception):
    """The list broke off: what was listed is not all there is."""


class Stored(Exception):
    """There is nothing to list: the watermark is beyond what is asked for."""


class Watermarks:
    """`runs/harvest.json`: for each set the day up to which all that changed is stored."""

    def __init__(self, store: Store) -> None:
        """Raises `BadArgument` for a file that is there and cannot be read."""
        self._marks = Table(store, PATH)

    def of(self, set_: str | None) -> str | None:
        """The watermark of a set; None when it was never harvested."""
        mark = self._marks.get(set_ or _ALL)
        return mark if isinstance(mark, str) and _is_day(mark) else None

    def move(self, set_: str | None, day: str) -> None:
        """Move a watermark forward. Raises `StorageError`."""
        if day > (self.of(set_) or ""):
            self._marks.set(set_ or _ALL, day)

    def since(self, set_: str | None, until: str | None) -> str | None:
        """
        The day from which a set is to be listed; None: the beginning. Raises `Stored` when all up to `until` is stored.

        One day before the watermark: what changed late on a day may be listed on the next.
        """
        mark = self.of(set_)
        if mark is None:
            return None
        if until is not None and until < mark:
            raise Stored(f"all that changed until {mark} is stored")
        return (date.fromisoformat(mark) - timedelta(days=1)).isoformat()


def paper_named(identifier: str) -> str | None:
    """The paper, without a version, that is listed by this identifier; None, and a warning, for what is no paper."""
    try:
        paper = identifiers.parse(identifier, "arxiv").ids.arxiv
    except BadIdentifier:
        paper = None
    if paper is None:
        logger.warning("listed is %r, which is no paper of arXiv's", identifier[:80])
    return paper


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
        self._restarts = self._known = 0
        self._open()

    def _open(self) -> None:
        self._tokens: set[str] = set()
        self._items, self._size = 0, 0
        self.next_url = urls.identifiers(set_=self.set_, since=self.since, until=self.until)

    def take(self, page: oai.Headers) -> None:
        """A page of the list. Raises `Incomplete`."""
        self.day = self.day or page.day
        self._items += len(page.items)
        self._size = page.size or self._size  # not every page repeats it
        for item in page.items:
            paper = paper_named(urls.paper_of(item.identifier))
            if paper is None:
                continue
            if item.deleted:
                logger.warning("arXiv has deleted %s: what is held of it stays", paper)
            else:
                self.found[paper] = max(item.datestamp, self.found.get(paper, ""))
        self.next_url = None
        if page.token is None:
            if self._items < self._size:
                raise Incomplete(f"the list ended after {self._items} of {self._size} papers")
            return
        if page.token in self._tokens:
            raise Incomplete("the list goes round in a circle: a resumption token came twice")
        self._tokens.add(page.token)
        self.next_url = urls.identifiers(token=page.token)

    def refused(self, error: oai.OaiError) -> None:
        """The repository refuses: nothing matches, a token is over, or the question is wrong. Raises `Incomplete`."""
        self.next_url, self.day = None, self.day or error.day
        if error.code == "noRecordsMatch" and not self._tokens and not self.found:
            return
        if len(self.found) > self._known:
            self._restarts, self._known = 0, len(self.found)
        if error.code != "badResumptionToken" or self._restarts == _RESTARTS:
            raise Incomplete(str(error))
        self._restarts += 1
        # From where it began: no day of the list is one to go on from, for the protocol promises no order.
        logger.warning("the resumption token is over: listing again from %s", self.since or "the beginning")
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
        joins = harvest.since is None or (mark is not None and harvest.since <= mark)  # else there would be a hole before it
        if complete and not joins:
            logger.info("the watermark of %s stays: nobody has harvested what changed before %s", self._set or _ALL, harvest.since)
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


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
