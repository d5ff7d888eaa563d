"""`ChainSpider`: walks one article after the other down the ladder; an article is one chain of Requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from litcrawl import ladder, resuming, targets, verdict
from litcrawl import ticket as tickets
from litcrawl.arguments import Arguments
from litcrawl.ending import end
from litcrawl.exceptions import Miss, StorageError
from litcrawl.failures import reason_of
from litcrawl.ids import Ids
from litcrawl.items import Article, Blob, File, FileItem, Heard
from litcrawl.middlewares.pacing import PacingMiddleware
from litcrawl.refusals import Refusals, Verdict
from litcrawl.source import Finding, Found, Source
from litcrawl.spiders.resolving import ResolvingSpider
from litcrawl.store import Store
from litcrawl.terms import Reason, Want
from litcrawl.ticket import Plan, Ticket
from litcrawl.window import Window
from litcrawl.wire.response import SpooledResponse

Output: TypeAlias = Request | Blob | FileItem | Article


class ChainSpider(ResolvingSpider):
    """
    The half of the engine that knows of one article at a time.

    Exactly one Request of a chain is in flight; it ends in exactly one `Article`.
    """

    arguments: Arguments
    run: str
    window: Window
    store: Store
    refusals: Refusals

    def advance(self, ticket: Ticket, *, whole: bool = False) -> Iterator[Output]:
        """Yield the ticket's next Request, or its Article when nothing is left to try."""
        while True:
            ticket, step = ladder.next_step(self._with_rows(ticket), self.rungs)
            if step is None:
                versions = self._versions(ticket["key"])
                if set(versions) <= set(ticket["versions"]):
                    article = verdict.article(ticket, self.window.inputs(ticket["key"]), self.rungs, self.run, whole=whole)
                    self.window.leave(ticket["key"])
                    for file in article.files:
                        if file.path is None:
                            yield FileItem.of(file, article)
                    yield article
                    return
                ticket = resuming.widen(ticket, versions, self.rungs)  # a row that joined meanwhile asks for more
                continue
            try:
                request = self.rungs[step["source"]].request(step, ticket["key"])
            except Miss as miss:  # it declines: for want of a key, say
                ticket = ladder.record(ticket, step, [], miss.reason, tries=0)
                continue
            except Exception:  # a source that cannot ask costs one rung, never the article
                self.logger.exception("%s could not ask for %s", step["source"], step["url"])
                ticket = ladder.record(ticket, step, [], Reason.ERROR, tries=0)
                continue
            if step.get("reach") == targets.Reach.PUBLIC:
                request.meta["global_only"] = True
            request.callback, request.errback = self.on_response, self.on_failure
            request.cb_kwargs.update(ticket=ticket, step=step)
            yield request
            return

    async def on_response(self, response: Response, ticket: Ticket, step: Plan) -> AsyncIterator[Output]:
        source = self.rungs[step["source"]]
        question = tickets.question(ticket)
        # a large file is parsed, and a guessed one read by another process, while the loop goes on
        slow = isinstance(response, SpooledResponse) or (source.guesses and step["step"] == Want.PDF)
        meta = response.request.meta if response.request else {}
        met = {"http": response.status, "tries": meta.get("tries", 0), "final_url": response.url, "seconds": seconds_of(meta)}
        findings: list[Finding] = []
        try:
            read = partial(findings.extend, source.read(step, response, question))
            await asyncio.to_thread(read) if slow else read()
            if any(isinstance(one, Found) and not ladder.passes(ticket, one.file) for one in findings):
                raise Miss(Reason.LICENCE, "LITCRAWL_LICENCES does not name it")
            recorded = ladder.record(ticket, step, findings, Reason.OK, reach=targets.reach(response), **met)
            self._heed(source, response, Reason.OK)
        except Miss as miss:  # the source or the proof says why not
            reason = miss.reason
            self.logger.debug("%s: %s of %s: %s", ticket["key"], step["step"], step["source"], miss)
            self._heed(source, response, reason)
        except StorageError as error:  # of what had to be unpacked on the disk
            reason = self._not_stored(error)
        except Exception:  # a bad payload costs one rung, never the article
            reason = Reason.ERROR
            self.logger.exception("%s could not read %s", step["source"], response.url)
        else:
            after = list(self.advance(recorded))
            for blob in self._blobs(findings, ticket, recorded, next((one for one in after if isinstance(one, Article)), None)):
                yield blob
            for output in after:
                yield output
            return
        if isinstance(response, SpooledResponse):  # what was refused is not to be gone on with
            self.store.discard(response.spool)
        if reason == Reason.NOT_ENTITLED:
            ticket = resuming.with_rights(ticket, step["url"], source.rights(step["url"]))
        told = [one for one in findings if isinstance(one, Heard)]  # what the answer holds for another rung stands all the same
        for output in self.advance(ladder.record(ticket, step, told, reason, reach=targets.reach(response), **met)):
            yield output

    def _heed(self, source: Source, response: Response, reason: Reason) -> None:
        """A key that is refused, an allowance that is spent: said once, and not tried for each article."""
        host = urlsplit(response.url).netloc
        judged = self.refusals.heard(source.name, host, reason)
        if judged is None or response.request is None:
            return
        keys = ", ".join(source.rights(response.url))
        why = f"refuses its key: see {keys}" if reason == Reason.NEEDS_KEY else "has no allowance left for us"
        if judged == Verdict.FIRST:
            self.logger.warning("%s: %s %s", source.name, host, why)
            return
        self.logger.warning("%s: %s %s; it is not asked again in this run", source.name, host, why)
        pacing = self.crawler.get_downloader_middleware(PacingMiddleware)
        assert pacing is not None
        pacing.shut(response.request, reason)

    def on_failure(self, failure: Failure) -> Iterator[Output]:
        request = failure.request  # type: ignore[attr-defined]
        ticket, step = request.cb_kwargs["ticket"], request.cb_kwargs["step"]
        reason = reason_of(failure)
        self.logger.debug("%s: %s of %s: %s (%s)", ticket["key"], step["step"], step["source"], reason, failure.value)
        if isinstance(failure.value, StorageError):
            self._not_stored(failure.value)
        meta = request.meta
        recorded = ladder.record(ticket, step, [], reason, tries=meta.get("tries", 0), final_url=request.url, seconds=seconds_of(meta))
        yield from self.advance(recorded)

    def _not_stored(self, error: StorageError) -> Reason:
        """What a step ends with that the disk did not take; a full one ends the crawl."""
        self.logger.debug("%s", error)
        if error.full:
            end(self.crawler, "disk")
        return Reason.NOT_STORED

    def _blobs(self, findings: Iterable[Finding], before: Ticket, ticket: Ticket, article: Article | None) -> Iterator[Blob]:
        """
        The files that a step brought, each with its place; bytes that are in hand are not written again.

        With each goes the article so far, or the finished `article` that follows it.
        """
        known = {id(one) for one in (*before["got"], *before["stale"])}  # entries pass from ticket to ticket as they are
        fresh = [one for one in ticket["got"] if id(one) not in known]
        for found in findings:
            if not isinstance(found, Found):
                continue
            place = next((one for one in fresh if one["uri"] == found.file.uri and one["sha256"] == found.file.sha256), None)
            if place is None:
                self.store.discard(found.content.spool)
                continue
            draft = article or verdict.article(ticket, self.window.inputs(ticket["key"]), self.rungs, self.run, draft=True)
            yield Blob(
                file=File.from_dict(place), body=found.content.body, spool=found.content.spool, draft=draft, last=article is not None
            )

    def _versions(self, key: str) -> list[str]:
        """The versions that the rows of an article ask for: those they pin, and what the crawl asks for where they pin none."""
        asked = {row["version"] or self.arguments.versions for row in self.window.inputs(key)}
        return sorted(str(one) for one in asked) or [self.arguments.versions]

    def _with_rows(self, ticket: Ticket) -> Ticket:
        """The ticket with what rows that joined meanwhile gave; the window learns in turn what sources told."""
        ids = Ids(**ticket["ids"])
        known = self.window.learn(ticket["key"], ids, ticket["conflicts"])
        place = self.window.places.get(ticket["key"])
        conflicts = [one for one in place.conflicts if one not in ticket["conflicts"]] if place else []
        if known == ids and not conflicts:
            return ticket
        return ticket | {"ids": known.as_dict(), "conflicts": [*ticket["conflicts"], *conflicts]}


def seconds_of(meta: Mapping[str, Any]) -> float | None:
    """How long an answer took, as `attempts` have it."""
    latency = meta.get("download_latency")
    return round(latency, 3) if latency is not None else None
