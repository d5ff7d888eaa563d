"""When a slot may send again: one slot's live state. Pure: time is handed in."""

from __future__ import annotations

from collections import deque

from litcrawl.slots import Slot, stricter

# How far a sleeping timer may fire early; a promise is kept with this much to spare.
MARGIN = 0.005


class Gate:
    """
    Keeps a slot's promise as its server sees it.

    A request reaches the server somewhere between its send and the end of the exchange. So it counts against the limit
    from its send until the limit's seconds have passed *since that end*: whatever connecting and queueing took, no window
    at the server ever holds more than the limit. Kept here and not on Scrapy's slot, which is dropped after 60 s without
    a request and with it every pause.
    """

    def __init__(self, slot: Slot):
        self.slot = slot
        self._limit = slot.limit
        self._concurrency = slot.concurrency
        self._delay = slot.delay
        self._sent = float("-inf")
        self._ends: deque[float] = deque()
        self._paused = 0.0
        self._put_off_since: float | None = None

    def successor(self, slot: Slot) -> Gate:
        """A gate of a slot that remembers when requests were sent through this one, and nothing else."""
        gate = Gate(slot)
        gate._sent, gate._ends = self._sent, self._ends
        return gate

    def tighten(self, slot: Slot) -> None:
        """Keep, beside the own slot's promise, that of another entry for the same hosts: of each the stricter part."""
        self.slot = stricter(self.slot, slot)
        self._limit, self._delay = self.slot.limit, max(self._delay, slot.delay)
        self._concurrency = min(self._concurrency, slot.concurrency)

    def sent(self, now: float) -> None:
        self._sent = now

    def ended(self, now: float) -> None:
        """An exchange is over, well or not."""
        if self._limit:
            self._ends.append(now)
            self._forget(now - self._limit[1] - MARGIN)

    def pause(self, until: float) -> None:
        self._paused = max(self._paused, until)

    def put_off(self, now: float, until: float) -> float:
        """Pause because the server says so; how long it has put us off by then, since it last served."""
        self._put_off_since = now if self._put_off_since is None else self._put_off_since
        self.pause(until)
        return until - self._put_off_since

    def served(self) -> None:
        """An answer came that asks for no pause."""
        self._put_off_since = None

    def follow(self, limit: tuple[int, float] | None, concurrency: int | None, workers: int = 1) -> None:
        """Keep to what the server announces, as far as it is stricter than the table."""
        if limit is not None and self.slot.limit is not None:
            count, seconds = limit[0], limit[1] * workers
            own_count, own_seconds = self.slot.limit
            stricter = count / seconds < own_count / own_seconds
            self._limit = (count, seconds) if stricter else self.slot.limit
            self._delay = max(self.slot.delay, seconds / count) if stricter else self.slot.delay
        if concurrency is not None:
            self._concurrency = min(self.slot.concurrency, max(1, concurrency // workers))

    def waits(self, now: float) -> float:
        """Seconds until the pause that the server asked for ends; 0 when there is none."""
        return max(0.0, self._paused - now)

    def due(self, now: float, *, active: int, delay: float) -> float:
        """When the next request may go, with `active` under way and AutoThrottle's `delay`; inf when an exchange must end first."""
        if active >= self._concurrency or (self._limit and active >= self._limit[0]):
            return float("inf")
        due = max(self._paused, self._sent + max(self._delay, delay))
        if self._limit:
            count, seconds = self._limit
            self._forget(now - seconds - MARGIN)
            over = active + len(self._ends) - count
            if over >= 0:
                due = max(due, self._ends[over] + seconds + MARGIN)
        return due

    def wait(self, now: float, ahead: int) -> float:
        """After how many seconds a request would go that comes behind `ahead` others, if exchanges took no time."""
        wait = max(now, self._paused, self._sent + self._delay) - now + ahead * self._delay
        if self._limit:
            count, seconds = self._limit
            self._forget(now - seconds - MARGIN)
            over = len(self._ends) + ahead - count
            if over >= 0:
                rounds, place = divmod(over, count)
                first = self._ends[place] if place < len(self._ends) else now
                wait = max(wait, first + (rounds + 1) * seconds - now)
        return wait

    def _forget(self, horizon: float) -> None:
        while self._ends and self._ends[0] <= horizon:
            self._ends.popleft()
