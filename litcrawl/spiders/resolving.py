"""`ResolvingSpider`: takes articles through the batch resolvers before their chains begin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import scrapy
from scrapy.http import Response
from twisted.python.failure import Failure

from litcrawl import batch, targets
from litcrawl.batch import Chunk
from litcrawl.exceptions import Malformed, Miss, one_line
from litcrawl.failures import reason_of
from litcrawl.resolver import Resolver
from litcrawl.source import Source
from litcrawl.terms import Reason
from litcrawl.ticket import Ticket
from litcrawl.waiting import Waiting

Output: TypeAlias = Any

_TOO_MUCH = frozenset({400, 413, 414})  # an identifier that spoils the call, or too many of them


class ResolvingSpider(scrapy.Spider):
    """
    The half of the engine that knows of chunks.

    A chunk is one Request at a time, as an article is; its tickets leave it for good as soon as they lack nothing.
    """

    resolvers: Sequence[str]
    rungs: dict[str, Source]
    waiting: Waiting
    answered: set[str]
    """Resolvers that have answered in this run."""
    well: set[str]
    """Those that have answered since a chunk of theirs was last halved for a failure."""

    refusing: set[str]
    """Those that have refused a chunk down to one of its identifiers before they had answered: until they answer, none is halved."""

    def leave(self, ticket: Ticket) -> Iterator[Output]:
        """What comes of an article that no resolver is asked for any more."""
        raise NotImplementedError

    def begin(self, ticket: Ticket) -> Iterator[Output]:
        """Take an article in: it waits for a chunk, or leaves at once."""
        place = batch.place(ticket, self.resolvers, self.rungs)
        if place is None:
            yield from self.leave(ticket)
        elif group := self.waiting.add(place, ticket, self._resolver(place[0]).at_once()):
            yield from self.pass_on(group, self.resolvers)

    def flush(self, *, all_: bool = False) -> Iterator[Output]:
        """Send the groups that have waited long enough, or all."""
        for group in list(self.waiting.due(all_=all_)):
            yield from self.pass_on(group, self.resolvers)

    def pass_on(self, tickets: Iterable[Ticket], resolvers: Sequence[str]) -> Iterator[Output]:
        """Send tickets to the next resolver that can tell something of them; those for which there is none leave."""
        leaving, chunks = batch.chunks(tickets, resolvers, self.rungs)
        yield from self._send(chunks)
        for ticket in leaving:
            yield from self.leave(ticket)

    def go_on(self, tickets: Iterable[Ticket], resolvers: Sequence[str]) -> Iterator[Output]:
        """What follows a call for the tickets that it was for; `resolvers` have not been asked for them."""
        yield from self.pass_on(tickets, resolvers)

    def on_batch(self, response: Response, chunk: Chunk) -> Iterator[Output]:
        resolver, status, tries = self._resolver(chunk["resolver"]), response.status, response.meta.get("tries", 1)
        refuses_all = resolver.name in self.refusing - self.answered
        if status in _TOO_MUCH and not refuses_all and (parts := batch.halves(chunk)):
            yield from self._send(parts)
            return
        if status in _TOO_MUCH and chunk["depth"] and resolver.name not in self.answered:
            self.refusing.add(resolver.name)
        reason, answers = Reason.ABSENT, dict[str, Any]()
        try:
            if status not in _TOO_MUCH or resolver.name not in self.answered:
                resolver.check_status(response)
                answers = dict(resolver.answers(response, chunk["kind"], batch.values(chunk)))
                self.answered.add(resolver.name)
                self.well.add(resolver.name)
            # else: one identifier that is refused alone, by a service that answers others, is unknown there
        except Miss as miss:
            reason = batch.of_each(chunk, resolver, miss.reason)
        except Malformed as malformed:
            self.logger.debug("%s: %s", resolver.name, one_line(str(malformed)))
            reason = Reason.UNAVAILABLE
        except Exception:  # a bad payload costs one resolver, never the articles
            self.logger.exception("%s could not read %s", resolver.name, response.url[:200])
            reason = Reason.ERROR
        if status >= 500:
            yield from self._failed(chunk, reason, status, tries)
        else:
            yield from self._ended(chunk, answers, reason, status, tries, targets.reach(response))

    def on_batch_failure(self, failure: Failure) -> Iterator[Output]:
        request = failure.request  # type: ignore[attr-defined]
        chunk: Chunk = request.cb_kwargs["chunk"]
        reason = batch.of_each(chunk, self._resolver(chunk["resolver"]), reason_of(failure))
        tries = request.meta.get("tries", 0)  # none where its host is closed
        if reason == Reason.TIMEOUT:
            yield from self._failed(chunk, reason, None, tries)
        else:
            yield from self._ended(chunk, {}, reason, None, tries)

    def _failed(self, chunk: Chunk, reason: Reason, http: int | None, tries: int) -> Iterator[Output]:
        """An identifier may make a service fail, or many of them; that is looked for only where it answers others meanwhile."""
        resolver = chunk["resolver"]
        if resolver in self.well and (parts := batch.halves(chunk)):
            self.well.discard(resolver)
            yield from self._send(parts)
        else:
            yield from self._ended(chunk, {}, reason, http, tries)

    def _ended(
        self,
        chunk: Chunk,
        answers: dict[str, Any],
        reason: Reason,
        http: int | None,
        tries: int,
        reach: targets.Reach = targets.Reach.ANYWHERE,
    ) -> Iterator[Output]:
        resolver, kind = self._resolver(chunk["resolver"]), chunk["kind"]
        tickets = []
        for ticket in chunk["tickets"]:
            value = ticket["ids"][kind]
            answer = answers.get(value)
            why = Reason.OK if answer else Reason.UNAVAILABLE if value in answers else reason
            try:
                tickets.append(batch.record(ticket, resolver, kind, answer, why, http=http, tries=tries, reach=reach))
            except Exception:  # what no resolver may answer costs its word on one article
                self.logger.exception("%s told what cannot be taken down of %s", resolver.name, ticket["key"])
                tickets.append(batch.record(ticket, resolver, kind, None, Reason.ERROR, http=http, tries=tries))
        yield from self.go_on(tickets, chunk["rest"])

    def _send(self, chunks: Iterable[Chunk]) -> Iterator[Output]:
        """The requests of chunks, halves first: they tell whether one identifier is at fault. A resolver that cannot ask is passed over."""
        for chunk in chunks:
            resolver = self._resolver(chunk["resolver"])
            try:
                request = resolver.request_batch(chunk["kind"], batch.values(chunk)).replace(
                    callback=self.on_batch,
                    errback=self.on_batch_failure,
                    cb_kwargs={"chunk": chunk},
                    dont_filter=True,
                    priority=chunk["depth"],
                )
            except Miss as miss:  # it declines: for want of a key, say
                yield from self._ended(chunk, {}, miss.reason, None, 0)
            except Exception:
                self.logger.exception("%s could not ask for %d articles", resolver.name, len(chunk["tickets"]))
                yield from self._ended(chunk, {}, Reason.ERROR, None, 0)
            else:
                yield request

    def _resolver(self, name: str) -> Resolver:
        resolver = self.rungs[name]
        assert isinstance(resolver, Resolver)
        return resolver
