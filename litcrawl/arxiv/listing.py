"""`ListingSpider`: asks arXiv which papers there are, of an author and of a harvest, before the first of them is fetched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from litcrawl.arxiv import urls
from litcrawl.arxiv.answers import check_status
from litcrawl.arxiv.archive import Archive
from litcrawl.arxiv.arguments import ArchiveArguments
from litcrawl.arxiv.harvest import Harvest, Incomplete, Progress, Stored, Watermarks, paper_named
from litcrawl.ending import end
from litcrawl.exceptions import Malformed, Miss
from litcrawl.failures import reason_of
from litcrawl.middlewares.backoff import Backoff
from litcrawl.middlewares.retry import try_again
from litcrawl.parsers import atom, oai
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason

_AUTHOR, _HARVEST, _AGAIN = "author", "harvest", "again"
_LAST_WORDS = frozenset({Reason.DENIED, Reason.ABSENT, Reason.TOO_LARGE})  # what arXiv says with these will be the same in a minute


class ListingSpider(LadderSpider):
    """
    The lists come first, for their tokens do not live as long as the papers on them take to fetch.

    What it hears becomes rows of the crawl's list. A list that breaks off is told, and leaves the run unfinished (status 3).
    """

    DELAYS: ClassVar[tuple[float, ...]] = (15.0, 30.0, 45.0)
    """Seconds before the second, third and fourth try."""

    arguments: ArchiveArguments
    archive: Archive
    marks: Watermarks
    progress: Progress | None
    _harvest: Harvest
    _broken: set[str]
    days: dict[str, str]
    """The day on which each paper of the harvest changed."""

    async def start(self) -> AsyncIterator[Any]:
        self.progress, self.days, self._broken, self._heard = None, {}, set(), asyncio.Event()
        if author := self.arguments.author:
            yield self._call(urls.author(author), self.on_feed)
            await self._heard.wait()
        if self.arguments.harvest:
            set_, until = self.arguments.set_, self.arguments.until
            try:
                self._harvest = Harvest(set_, self.arguments.since or self.marks.since(set_, until), until)
            except Stored as stored:
                self.logger.info("harvest: %s; give from to list it again", stored)
            else:
                self._heard.clear()
                yield self._call(self._harvest.next_url or "", self.on_headers)
                await self._heard.wait()
                self._listed(self._harvest)
            await self._list_owed()
        async for output in super().start():
            yield output
        if self._broken and not self.crawler.stats.get_value("litcrawl/ending"):
            end(self.crawler, "incomplete")

    def again(self, response: Response, why: Exception) -> Request | None:
        """The request once more, when what it brought is no answer and tries are left; the middleware hears of statuses alone."""
        assert response.request
        reason = why.reason if isinstance(why, Miss) else Reason.UNAVAILABLE
        if reason in _LAST_WORDS:
            return None
        request = response.request
        if redirected := request.meta.get("redirect_urls"):  # where that leads may be another place by then
            meta = {name: value for name, value in request.meta.items() if name not in ("redirect_urls", "redirect_seen", "global_only")}
            request = request.replace(
                url=redirected[0], meta=meta | {"retry_times": meta.get("fell_short", 0)}
            )  # a redirect drops the count
        again = try_again(request, self, str(reason), Backoff.from_settings(self.settings))
        if again is not None:
            again.meta["fell_short"] = again.meta["retry_times"]
        return again

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
            yield from self._give_up_or_again(response, _AUTHOR, error)
            return
        self.logger.info("author %s: %d papers", author, len(papers))
        for paper in papers:
            if (known := paper_named(paper)) is not None:  # the feed names the newest version, which is no wish for that alone
                self.arguments.listed.append((_AUTHOR, known))
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
            yield from self._give_up_or_again(response, _HARVEST, error)
            return
        except Incomplete as error:
            self._break(_HARVEST, error)
            return
        if harvest.next_url:
            yield self._call(harvest.next_url, self.on_headers)
        else:
            self._heard.set()

    def on_list_failure(self, failure: Failure) -> None:
        request = failure.request  # type: ignore[attr-defined]
        what = _AUTHOR if request.callback == self.on_feed else _HARVEST
        self._break(what, f"{reason_of(failure)}: {failure.value} ({request.url})")

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
        self._broken.add(what)
        self._heard.set()

    async def _list_owed(self) -> None:
        """What an earlier run could not have, of papers that the watermark has passed since: a version is tried again by each harvest."""
        owed = await asyncio.to_thread(lambda: list(self.archive.owed()))  # of many papers that takes a while
        papers = set(self.days) | {paper for paper in {paper for paper, _ in owed} if paper_named(paper) != paper}
        self.arguments.listed.extend((_AGAIN, f"{paper}v{version}") for paper, version in owed if paper not in papers)

    def _listed(self, harvest: Harvest) -> None:
        self.progress = Progress(self.marks, harvest, complete=_HARVEST not in self._broken)
        for paper, day in self.progress.papers():
            self.arguments.listed.append(("set", paper))
            self.days[paper] = day
        self.logger.info("harvest: %d papers changed since %s", len(harvest.found), harvest.since or "the beginning")
        self.progress.move()
