"""`ArchiverSpider`: every version of each paper, byte for byte, one paper after another; a paper is one chain of Requests."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object
from twisted.python.failure import Failure

from litcrawl import ids as identifiers
from litcrawl import unasked
from litcrawl.arguments import Arguments
from litcrawl.arxiv import answers, plan
from litcrawl.arxiv.archive import Archive
from litcrawl.arxiv.arguments import NAMES, ArchiveArguments
from litcrawl.arxiv.harvest import Watermarks
from litcrawl.arxiv.listing import ListingSpider
from litcrawl.arxiv.plan import PAGE, RECORD, Chain, Task
from litcrawl.exceptions import HostClosed, Malformed, Miss, StorageError
from litcrawl.failures import reason_of
from litcrawl.items import Article, Blob
from litcrawl.pipelines.archive import ArchivePipeline
from litcrawl.pipelines.fileset import FileSetPipeline
from litcrawl.spiders.chain import seconds_of
from litcrawl.store import Store
from litcrawl.terms import Outcome, Reason, Want
from litcrawl.window import Window
from litcrawl.wire.response import SpooledResponse

_ORDER = 500
_NO_WORD = frozenset({Reason.RATE_LIMITED, Reason.TRUNCATED, Reason.BLOCKED})  # that says nothing of the file


class ArchiverSpider(ListingSpider):
    """
    Records, pages and files of arXiv, in OpenSheaf's layout (`litcrawl.arxiv.archive`), which is also what a later run goes on from.

    Exactly one Request is in flight. Each thing is asked for once in a run, in four tries; what failed is asked for again by the next.
    """

    takes: ClassVar[Sequence[str]] = NAMES
    outage_after: ClassVar[int] = 1  # they follow one another: the next would find the same host closed

    archive: Archive
    papers: dict[str, dict[str, Any]]
    """What this run has done for each paper: `inputs`, `pinned`, and the attempts that a later row need not repeat."""
    failures: list[str]
    news: list[str]
    """Versions that a record has come to tell of."""

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        above = SETTINGS_PRIORITIES["cmdline"] + 1  # without it nothing would be kept; and a runner sets the user's once more
        settings.set("ITEM_PIPELINES", _with_archive(settings.getdict("ITEM_PIPELINES")), above)

    @classmethod
    def prepare(cls, settings: BaseSettings, given: Mapping[str, Any]) -> Arguments:
        arguments = ArchiveArguments.parse(given)
        store = Store.from_settings(settings)
        store.prepare(index=False)
        Archive(store)
        Watermarks(store)
        return arguments

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, prepared: Arguments | None = None, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, prepared=prepared, **kwargs)
        spider.window = Window(1)  # one paper after another
        spider.archive, spider.marks = Archive(spider.store), Watermarks(spider.store)
        spider.papers, spider.failures, spider.news = {}, [], []
        return spider

    async def start(self) -> AsyncIterator[Any]:
        self.crawler.signals.connect(self._last_lines, signal=signals.spider_closed)  # now: who connects last is heard last
        async for output in super().start():
            yield output

    async def admit(self, row: Mapping[str, Any]) -> AsyncIterator[Any]:
        ids = row["ids"]
        if ids is None:
            yield unasked.invalid(row, self.run)
            return
        given, paper = unasked.given(row), ids.arxiv
        self.admitted += 1
        if paper is None:
            yield _no_paper(identifiers.key(ids), given, ids.as_dict(), self.run)
            return
        fresh: dict[str, Any] = {"inputs": [], "pinned": set(), "attempts": []}
        known = self.papers.setdefault(paper, fresh)
        if known is not fresh:
            self.admitted -= 1
            self.crawler.stats.inc_value("litcrawl/duplicates")
        known["inputs"].append(given)
        known["pinned"].add(int(row["version"]) if row["version"] else None)
        pinned = () if None in known["pinned"] else known["pinned"]
        self.window.open(f"arxiv:{paper}", ids, known["inputs"])
        chain = plan.new(
            paper,
            pinned=pinned,
            listed=self.days.get(paper),
            refresh=self.arguments.refresh == "1",
            licences=self.settings.getlist("LITCRAWL_LICENCES"),
        )
        chain["attempts"] = known["attempts"]
        if record := self.archive.record(paper):
            wanted = [one.number for one in plan.versions(record, chain)]
            await asyncio.to_thread(self.archive.adopt, paper, wanted)
        for output in self._go_on(chain, whole=True):
            yield output

    def _go_on(self, chain: Chain, *, whole: bool = False) -> Iterator[Request | Article]:
        """Yield the paper's next Request, or its Article when nothing is left to ask."""
        task = plan.next_task(self.archive, chain)
        if task is not None:
            yield self._request(chain, task)
            return
        paper = chain["paper"]
        known = self.papers[paper]
        refreshed = chain["refresh"]
        known["attempts"] = [one for one in chain["attempts"] if refreshed or one["reason"] != Reason.OK]
        article = plan.article(self.archive, chain, known["inputs"], self.run, whole=whole)
        self.window.leave(article.key or "")
        yield article

    def _request(self, chain: Chain, task: Task) -> Request:
        kwargs = {"chain": chain, "task": task}
        if task["what"] in (RECORD, PAGE):
            meta, coding = {"follow": task["what"] == PAGE}, "gzip"
        else:
            spool = hashlib.sha256(f"{chain['paper']} {task['url']}".encode()).hexdigest()[:32]
            meta, coding = {"follow": True, "spool": spool}, "identity"  # the bytes are to stay as they are
        headers = {"Accept-Encoding": coding}
        return self.request(task["url"], headers=headers, meta=meta, callback=self.on_answer, errback=self.on_no_answer, cb_kwargs=kwargs)

    # answers

    async def on_answer(self, response: Response, chain: Chain, task: Task) -> AsyncIterator[Request | Article | Blob]:
        met = {"http": response.status, "final_url": response.url} | _met(response.meta)
        blob = None
        try:
            work = partial(self._read, response, chain, task)
            chain, blob = await asyncio.to_thread(work)  # unpacking a file, or writing a table of many papers, takes seconds
            chain = plan.tried(chain, task, Reason.OK, **met)
        except (Malformed, Miss) as error:
            if isinstance(response, SpooledResponse):
                self.store.discard(response.spool)
            reason = answers.later(error).reason if isinstance(error, Miss) else Reason.UNAVAILABLE
            if response.status < 500 and self._is_withdrawn(chain, task) and reason not in _NO_WORD:
                reason, error = Reason.WITHDRAWN, Miss(Reason.WITHDRAWN, f"HTTP {response.status}")
            elif (again := self.again(response, error)) is not None:
                yield again
                return
            chain = self._not_had(chain, task, reason, error, **met)
        except StorageError as error:
            self._stop_for(error)
            chain = plan.tried(chain, task, Reason.NOT_STORED, **met) | {"stopped": str(Reason.NOT_STORED)}
        if blob is not None:
            yield blob
        for output in self._go_on(chain):
            yield output

    def on_no_answer(self, failure: Failure) -> Iterator[Request | Article]:
        request = failure.request  # type: ignore[attr-defined]
        chain, task = request.cb_kwargs["chain"], request.cb_kwargs["task"]
        reason, error = reason_of(failure), failure.value
        if isinstance(error, HostClosed):  # nor would anything else of this paper be answered now
            chain = chain | {"stopped": str(reason)}
            self.failures.append(f"{chain['paper']}: {error} ({task['url']})")
        elif isinstance(error, StorageError):
            self._stop_for(error)
            chain = plan.tried(chain, task, reason) | {"stopped": str(reason)}
        else:
            chain = self._not_had(chain, task, reason, error, final_url=request.url, **_met(request.meta))
        yield from self._go_on(chain)

    def _read(self, response: Response, chain: Chain, task: Task) -> tuple[Chain, Blob | None]:
        """What an answer brings: a record and a page are kept, a file is on its way to be. Raises `Miss`, `Malformed`, `StorageError`."""
        paper = chain["paper"]
        if task["what"] == RECORD:
            self.news += answers.record(response, self.archive, paper)
        elif task["what"] == PAGE:
            answers.page(response, self.archive, paper, task["version"])
        else:
            most = self.settings.getint("LITCRAWL_MAX_FILE_SIZE")
            chain, file, content = answers.file(response, self.archive, chain, task, most)
            draft = plan.article(self.archive, chain, self.papers[paper]["inputs"], self.run)
            return chain, Blob(file=file, body=content.body, spool=content.spool, draft=draft)
        return chain, None

    def _not_had(self, chain: Chain, task: Task, reason: Reason, why: BaseException, **met: Any) -> Chain:
        """The chain after what cannot be had in this run; the table says of a file why."""
        paper, version, what = chain["paper"], task["version"], task["what"]
        told = f"{reason}: {(why.detail if isinstance(why, Miss) else str(why)) or type(why).__name__}"
        self.failures.append(f"{paper} {what if version is None else f'v{version}.{what}'}: {told} ({task['url']})")
        if what not in (RECORD, PAGE):
            try:
                self.archive.keep_error(paper, version, what, told)
            except StorageError as error:
                self._stop_for(error)
        return plan.tried(chain, task, reason, **met)

    def _is_withdrawn(self, chain: Chain, task: Task) -> bool:
        """Whether a task asks for a file of a version that the record has as withdrawn."""
        record = self.archive.record(chain["paper"])
        return task["what"] not in (RECORD, PAGE) and record is not None and record.withdrew(task["version"])

    def _last_word(self, item: Any) -> None:
        super()._last_word(item)
        if not isinstance(item, Article) or self.progress is None or item.outcome in (Outcome.RETRY, Outcome.INVALID):
            return
        paper = item.ids.get("arxiv") or ""
        if None not in self.papers.get(paper, {}).get("pinned", ()):
            return  # of a version alone: the harvest's own row is still to come
        if (record := plan.of_record(item)) is not None and record not in (Reason.OK, Reason.ABSENT):
            return  # nor do the tables know that there is something to ask for again
        try:
            self.progress.stored(paper)
        except StorageError as error:
            self._stop_for(error)

    def _answered(self, item: Article) -> bool:
        return False  # records come of another host than files: that one answers says nothing of the other

    def _last_lines(self) -> None:
        if self.news:
            self.logger.info("New versions: %s", ", ".join(self.news))
        for line in self.failures:
            self.logger.warning("Not had: %s", line)
        if self.failures:
            self.logger.warning("%d not had in this run; each is tried again by the next", len(self.failures))


def _with_archive(pipelines: Mapping[Any, Any]) -> dict[Any, Any]:
    """Pipelines of which the one that keeps files is the archive's, in the place of `FileSetPipeline`, where there is that."""
    places = {load_object(one): one for one in pipelines}
    order = pipelines.get(places.get(FileSetPipeline), _ORDER)
    others = {one: place for kind, one in places.items() if kind not in (FileSetPipeline, ArchivePipeline) for place in [pipelines[one]]}
    return others | {ArchivePipeline: _ORDER if order is None else order}


def _met(meta: Mapping[str, Any]) -> dict[str, Any]:
    return {"tries": meta.get("tries", 0), "seconds": seconds_of(meta)}


def _no_paper(key: str, given: dict[str, Any], ids: dict[str, str | None], run: str) -> Article:
    """The word on a row that names an article elsewhere: which paper of arXiv's it is, nobody here can tell."""
    lacking = dict.fromkeys(map(str, (Want.PDF, Want.SUPPLEMENTARY)), str(Reason.NEEDS_ID))
    return Article(key=key, path=None, inputs=[given], ids=ids, outcome=Outcome.ABSENT, missing=lacking, run=run)
