"""`CallingSpider`: asks sources of metadata for many publications a call, as their allowances permit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from litcrawl import batch
from litcrawl.batch import Chunk
from litcrawl.middlewares.pacing import PacingMiddleware
from litcrawl.resolver import Resolver
from litcrawl.spiders.resolving import Output, ResolvingSpider
from litcrawl.terms import Reason
from litcrawl.ticket import Ticket

_REFUSED = frozenset({401, 403})  # of a list, by a service that lets us in no more
_ANSWERED = frozenset({200, 404, 410})
_IN_A_ROW = 5  # refusals of single records, of whatever publication, are not about these records
_RANK = 10  # more than a chunk is ever halved: halves of one rank stay before whole chunks of it, and before all of the next


class CallingSpider(ResolvingSpider):
    """The half of the publications' engine that knows of calls. A ticket's `rank` says how urgent it is: 0 comes first."""

    pacing: PacingMiddleware
    asked: Counter[str]
    """How many calls of each source are under way or in its queue."""
    unhurried: bool
    """Whether it is a file that is read, and not a stream, whose rows may be long in coming, and are waited for."""
    reading: bool
    """Whether there are rows to come."""
    refused: set[str]
    """Sources that have refused us: they are asked no more in this run."""
    refusals: Counter[str]
    """Of each source, how many of its single records it has refused since it last answered."""

    def begin(self, ticket: Ticket) -> Iterator[Output]:
        """Take a publication in: it waits for others of its rank that are to be asked of the same source, or leaves at once."""
        place = batch.place(ticket, self.resolvers, self.rungs)
        if place is None:
            yield from self.leave(ticket)
        elif group := self.waiting.add((*place, str(ticket["rank"])), ticket, self._resolver(place[0]).at_once()):
            yield from self.pass_on(group, self.resolvers)

    def go_on(self, tickets: Iterable[Ticket], resolvers: Sequence[str]) -> Iterator[Output]:
        """Between two sources a ticket waits for others, as before the first: a call costs the same for one as for many."""
        for ticket in tickets:
            yield from self.begin(ticket)

    def flush_waiting(self, *, full: bool = False) -> Iterator[Output]:
        """
        Send the groups that have waited long enough; all, when nothing is under way that could join them.

        `full`: no row can come in before something leaves.
        """
        nothing_comes = not self.asked.total() and (full or not (self.unhurried and self.reading))
        for group in list(self.waiting.due(all_=nothing_comes, more=self._may_grow)):
            yield from self.pass_on(group, self.resolvers)

    def _may_grow(self, place: Sequence[str]) -> bool:
        """Whether publications of a list are on their way that will wait for the same source: who is in no hurry shares its calls."""
        if not self.unhurried or self._resolver(place[0]).at_once() == 1:
            return False
        before = self.resolvers[: self.resolvers.index(place[0])]
        many = [name for name in before if self._resolver(name).at_once() > 1]
        waiting = {other[0] for other in self.waiting.places}
        return self.reading or any(self.asked[name] or name in waiting for name in many)

    def on_batch(self, response: Response, chunk: Chunk) -> Iterator[Output]:
        name = chunk["resolver"]
        self.asked[name] -= 1
        if self._refuses(self._resolver(name), response.status, len(batch.values(chunk))) and name not in self.refused:
            self.logger.error("%s refuses us (HTTP %d): it is asked no more in this run", name, response.status)
            self.refused.add(name)
        yield from super().on_batch(response, chunk)

    def _refuses(self, source: Resolver, status: int, records: int) -> bool:
        """Whether an answer shows that a source lets us in no more: the refusal of a list does, that of one record may be about it."""
        if status in _ANSWERED:
            self.refusals[source.name] = 0
        if status not in _REFUSED or source.follows:  # whoever a source was followed to speaks for one page
            return False
        if not source.by_record or records > 1:
            return True
        self.refusals[source.name] += 1
        return self.refusals[source.name] >= _IN_A_ROW

    def on_batch_failure(self, failure: Failure) -> Iterator[Output]:
        self.asked[failure.request.cb_kwargs["chunk"]["resolver"]] -= 1  # type: ignore[attr-defined]
        yield from super().on_batch_failure(failure)

    def _send(self, chunks: Iterable[Chunk]) -> Iterator[Output]:
        for output in super()._send(chunks):
            if not isinstance(output, Request):
                yield output
                continue
            chunk = output.cb_kwargs["chunk"]
            if reason := self._passed_over(chunk["resolver"], output):
                yield from self._ended(chunk, {}, reason, None, 0)
                continue
            output.priority -= _RANK * chunk["tickets"][0]["rank"]
            self.asked[chunk["resolver"]] += 1
            yield output

    def _passed_over(self, name: str, request: Request) -> Reason | None:
        """Why a source is not asked: it has refused us, or its allowance is spent, so that its turn would come too late."""
        if name in self.refused:
            return Reason.UNAVAILABLE
        wait = self.pacing.wait(request, self.asked[name])
        return Reason.QUOTA if wait > self.settings.getfloat("LITCRAWL_PATIENCE") else None
