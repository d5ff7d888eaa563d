"""The scheduler's queue: hands out a request when its slot may send it, not before."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from itertools import count
from time import monotonic, time
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.pqueues import DownloaderAwarePriorityQueue, ScrapyPriorityQueue
from scrapy.utils.asyncio import CallLaterResult, call_later

from litcrawl.middlewares.pacing import PacingMiddleware, host_of

Key = tuple[str, str]  # slot, host

# Due long since: what a closed host's requests are.
_AT_ONCE = -math.inf


class _Lane:
    """The requests of one host in one slot: those ready to go, and those held until their `not_before`."""

    def __init__(self, queue: ScrapyPriorityQueue):
        self.queue = queue
        self.held: list[tuple[float, int, Request]] = []

    def __len__(self) -> int:
        return len(self.queue) + len(self.held)

    def release(self, now: float) -> None:
        while self.held and self.held[0][0] <= now:
            self.queue.push(heapq.heappop(self.held)[2])

    def pop(self) -> Request | None:
        """The next request, whether its time has come or not: for a lane that is emptied."""
        return heapq.heappop(self.held)[2] if not len(self.queue) and self.held else self.queue.pop()


class PacedPriorityQueue(DownloaderAwarePriorityQueue):
    """
    `SCHEDULER_PRIORITY_QUEUE`: requests wait here, where a stop need not wait for them, and not in the downloader.

    A slot gets no more than its limit, delay and concurrency allow (`PacingMiddleware.due`), nothing while it is paused,
    and a request nothing before its `meta["not_before"]`. A closed host's requests go at once, to fail with
    `HostClosed`. Slots take turns.

    A pop looks at the lanes that may be ready, not at requests: lanes that wait for a time sleep in a heap, so those
    left are the ones with exchanges under way. One timer wakes the engine, whose own heartbeat is 5 s.
    """

    def __init__(self, crawler: Crawler, *args: Any, **kwargs: Any):
        super().__init__(crawler, *args, **kwargs)
        pacing = crawler.get_downloader_middleware(PacingMiddleware)
        if pacing is None:
            raise ValueError("PacedPriorityQueue needs PacingMiddleware in DOWNLOADER_MIDDLEWARES")
        self._pacing = pacing
        self._lanes: dict[Key, _Lane] = {}
        self._awake: dict[Key, None] = {}  # in turn
        self._asleep: list[tuple[float, Key]] = []
        self._sleeping: dict[Key, float] = {}
        self._size = 0
        self._number = count()
        self._timer: CallLaterResult | None = None
        self._timer_at = math.inf
        pacing.on_change(self._rouse_all)
        crawler.signals.connect(self._stop_timer, signals.spider_closed)

    def push(self, request: Request) -> None:
        key = (request.meta["download_slot"], host_of(request))
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = _Lane(self.pqfactory(key[0]))
        hold = request.meta.get("not_before", 0.0) - time()
        if hold > 0:
            heapq.heappush(lane.held, (monotonic() + hold, next(self._number), request))
        else:
            lane.queue.push(request)
        self._size += 1
        self._awake.setdefault(key)

    def pop(self) -> Request | None:
        now = monotonic()
        while self._asleep and self._asleep[0][0] <= now:
            self._rouse(heapq.heappop(self._asleep)[1])
        active = self._active()
        found, tired = None, []
        for key in self._awake:
            due = self._due(key, active[key[0]], now)
            if due <= now:
                found = key
                break
            if due < math.inf:
                tired.append((due, key))
        for due, key in tired:
            self._sleep(key, due)
        if found is None:
            self._set_timer()
            return None
        return self._take(found, due, now)

    def peek(self) -> Request | None:
        raise NotImplementedError

    def close(self) -> dict[str, list[int]]:
        for lane in self._lanes.values():
            lane.queue.close()
        self._lanes.clear()
        self._awake.clear()
        self._asleep.clear()
        self._sleeping.clear()
        self._size = 0
        return {}

    def __len__(self) -> int:
        return self._size

    def __contains__(self, slot: str) -> bool:
        return any(name == slot for name, _ in self._lanes)

    def _due(self, key: Key, active: list[Request], now: float) -> float:
        lane = self._lanes[key]
        if self._pacing.closure(*key):
            return _AT_ONCE
        lane.release(now)
        ready = now if len(lane.queue) else lane.held[0][0]
        return max(ready, self._pacing.due(*key, active, now))

    def _take(self, key: Key, due: float, now: float) -> Request | None:
        lane = self._lanes[key]
        request = lane.pop()
        self._size -= 1
        if due != _AT_ONCE:
            self._pacing.sent(key[0], now)
        del self._awake[key]
        if len(lane):
            self._awake[key] = None  # at the end: the others' turn
        else:
            lane.queue.close()
            del self._lanes[key]
        return request

    def _sleep(self, key: Key, until: float) -> None:
        del self._awake[key]
        if self._sleeping.get(key, math.inf) > until:
            self._sleeping[key] = until
            heapq.heappush(self._asleep, (until, key))

    def _rouse(self, key: Key) -> None:
        self._sleeping.pop(key, None)
        if key in self._lanes:
            self._awake.setdefault(key)

    def _active(self) -> dict[str, list[Request]]:
        # From the downloader's own set: its slots learn of a request only after this loop of the engine.
        active: dict[str, list[Request]] = defaultdict(list)
        for request in self.crawler.engine.downloader.active:
            active[request.meta.get("download_slot", "")].append(request)
        return active

    def _rouse_all(self) -> None:
        for _, key in self._asleep:
            self._rouse(key)
        self._asleep.clear()
        self._nudge()

    def _set_timer(self) -> None:
        at = self._asleep[0][0] if self._asleep else math.inf
        if at < self._timer_at:
            self._stop_timer()
            self._timer_at = at
            self._timer = call_later(max(0.0, at - monotonic()), self._on_timer)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer, self._timer_at = None, math.inf

    def _on_timer(self) -> None:
        self._timer, self._timer_at = None, math.inf
        self._nudge()

    def _nudge(self) -> None:
        slot = self.crawler.engine._slot  # private: Scrapy has no public way to say "ask the scheduler again"
        if slot is not None:
            slot.nextcall.schedule()
