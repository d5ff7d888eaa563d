"""`ListingSpider`: asks arXiv which papers there are, of an author and of a harvest, before the first of them is fetched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from litcrawl import ids as identifiers
from litcrawl.arxiv import urls
from litcrawl.arxiv.answers import check_status
from litcrawl.arxiv.arguments import ArchiveArguments
from litcrawl.arxiv.harvest import Harvest, Incomplete, Progress, Watermarks
from litcrawl.ending import end
from litcrawl.exceptions import BadIdentifier, Malformed, Miss
from litcrawl.failures import reason_of
from litcrawl.middlewares.backoff import Backoff
from litcrawl.middlewares.retry import try_again
from litcrawl.parsers import atom, oai
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason

_LAST_WORDS = frozenset({Reason.DENIED, Reason.ABSENT})  # what arXiv says with these will be the same in a minute


class ListingSpider(LadderSpider):
    """
    The lists come first, for their tokens do not live as long as the papers on them take to fetch.

    What it hears becomes rows of the crawl's list. A list that breaks off is told, and leaves the run unfinished (status 3).
    """

    DELAYS: ClassVar[tuple[float, ...]] = (15.0, 30.0, 45.0)
    """Seconds before the second, third and fourth try."""

    arguments: ArchiveArguments
    marks: Watermarks
    progress: Progress | None
    days: dict[str, str]
    """The day on which each paper of the harvest changed."""

    async def start(self) -> AsyncIterator[Any]:
        self.progress, self.days, self._broken, self._heard = None, {}, False, asyncio.Event()
        if author := self.arguments.author:
            yield self._call(urls.author(author), self.on_feed)
            await self._heard.wait()
        if self.arguments.harvest:
            mark = self.marks.of(self.arguments.set_)
            self._harvest = harvest = Harvest(self.arguments.set_, self.arguments.since or mark, self.arguments.until)
            self._heard.clear()
            yield self._call(harvest.next_url or "", self.on_headers)
            await self._heard.wait()
            self._listed(harvest)
        async for output in super().start():
            yield output
        if self._broken and not self.crawler.stats.get_value("litcrawl/ending"):
            end(self.crawler, "incomplete")

    def again(self, response: Response, why: Exception) -> Request | None:
        """The request once more, when what it brought is no answer and tries are left; the middleware hears of statuses alone."""
        assert response.request
        reason = why.reason if isinstance(why, Miss) else Reason.UNAVAILABLE
        return None if reason in _LAST_WORDS else try_again(response.request, self, str(reason), Backoff.from_settings(self.settings))

    def request(self, url: str, **more: Any) -> Request:
        """A request of the archive, with its tries."""
        meta = {"max_retry_times": len(self.DELAYS), "retry_delays": self.DELAYS} | urls.robots(url) | more.pop("meta", {})
        return Request(url, dont_filter=True, meta=meta, **more)

    # the lists

    def on_feed(self, response: Response) -> Iterator[Request]:
        author = self.arguments.author
        try:
            check_status(response)
            papers = atom.papers(response.body)
        except (Malformed, Miss) as error:
            yield from self._give_up_or_again(response, f"author {author}", error)
            return
        self.logger.info("author %s: %d papers", author, len(papers))
        for paper in papers:
            self._add("author", paper.rpartition("v")[0] or paper)  # the feed names the newest version, which is no wish for that alone
        self._heard.set()

    def on_headers(self, response: Response) -> Iterator[Request]:
        harvest = self._harvest
        try:
            check_status(response)
            try:
                harvest.take(oai.headers(response.body))
            except oai.OaiError as error:
                harvest.refused(error)
        except (Malformed, Miss) as error:
            yield from self._give_up_or_again(response, "harvest", error)
            return
        except Incomplete as error:
            self._break("harvest", error)
            return
        if harvest.next_url:
            yield self._call(harvest.next_url, self.on_headers)
        else:
            self._heard.set()

    def on_list_failure(self, failure: Failure) -> None:
        self._break(failure.request.url, f"{reason_of(failure)}: {failure.value}")  # type: ignore[attr-defined]

    def _call(self, url: str, callback: Any) -> Request:
        return self.request(url, headers={"Accept-Encoding": "gzip"}, callback=callback, errback=self.on_list_failure)

    def _give_up_or_again(self, response: Response, what: str, error: Exception) -> Iterator[Request]:
        again = self.again(response, error)
        if again is None:
            self._break(what, error)
        else:
            yield again

    def _break(self, what: str, why: object) -> None:
        self.logger.error("%s: %s: not all papers are known", what, why)
        self._broken = True
        self._heard.set()

    def _listed(self, harvest: Harvest) -> None:
        self.progress = Progress(self.marks, harvest, complete=not self._broken)
        for paper, day in self.progress.papers():
            if (known := self._add("set", paper)) is not None:
                self.days[known] = max(day, self.days.get(known, ""))
        self.logger.info("harvest: %d papers changed since %s", len(harvest.found), harvest.since or "the beginning")
        self.progress.move()

    def _add(self, argument: str, identifier: str) -> str | None:
        """Add a paper to the list; None for what is no paper of arXiv's."""
        try:
            paper = identifiers.parse(identifier, "arxiv").ids.arxiv
        except BadIdentifier:
            paper = None
        if paper is None:
            self.logger.warning("arXiv lists %r, which is no paper", identifier[:80])
        else:
            self.arguments.listed.append((argument, paper))
        return paper
