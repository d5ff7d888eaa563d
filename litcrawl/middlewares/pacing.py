"""Gives every request its slot, hears what each answer says about pace, and knows when a slot may send again."""

from __future__ import annotations

import logging
from time import monotonic, time
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import ResponseDataLossError
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import load_object

from litcrawl import proof
from litcrawl.exceptions import HostClosed
from litcrawl.middlewares import ratelimits
from litcrawl.middlewares.backoff import Backoff
from litcrawl.middlewares.breaker import FIRST, FOR_THE_RUN, LONGEST, Breaker, Closure
from litcrawl.middlewares.gate import Gate
from litcrawl.middlewares.gates import Gates
from litcrawl.slots import Slot, Slots
from litcrawl.terms import Reason
from litcrawl.wire.errors import CertificateError, StalePart

logger = logging.getLogger(__name__)

# As much of a body as a wall is known by: short pages are told from long ones.
_HEAD = 65_536
_TOO_MANY = 429
_BUSY = frozenset({408, 429, *range(500, 600)})
# Statuses that a spent quota is told with.
_REFUSALS = frozenset({403, 429, 503})


class PacingMiddleware:
    """
    The one keeper of politeness (`LITCRAWL_SLOTS`); the scheduler's queue asks it before it hands out a request.

    Must be the last downloader middleware before the wire, so that it hears every try: retries and redirects too.

    - A request gets slot, time-out and AutoThrottle's leave anew whenever it is scheduled: the copies that retries and
      redirects are made of would keep those of another host.
    - A slot's limit is kept over all crawlers of this process.
    - Retry-After of either form, a spent quota and announced limits hold for the slot, whoever heard them.
    - What asks for more than `LITCRAWL_PATIENCE`, or fails five times in a row, is closed: requests for it fail with
      `HostClosed` (`rate-limited`, `quota`, `unavailable`) until a probe is answered.
    """

    def __init__(self, crawler: Crawler):
        settings = crawler.settings
        self.crawler = crawler
        self.slots = Slots.from_settings(settings)
        first, longest = settings.getlist("LITCRAWL_CLOSED", [FIRST, LONGEST])
        self._first = float(first)
        self.breaker = Breaker(first=self._first, longest=float(longest))
        self._gates: dict[str, Gate] = {}
        self._workers = max(1, settings.getint("LITCRAWL_WORKERS", 1))
        self._patience = settings.getfloat("LITCRAWL_PATIENCE", 120)
        self._backoff = Backoff.from_settings(settings)
        self._failures = tuple(load_object(name) for name in settings.getlist("RETRY_EXCEPTIONS"))
        self._listeners: list[Any] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        middleware = cls(crawler)
        connect = crawler.signals.connect
        connect(middleware.on_scheduled, signals.request_scheduled)
        connect(middleware.on_left, signals.request_left_downloader)
        connect(middleware.on_spider_closed, signals.spider_closed)
        return middleware

    # for the crawl's other parts

    def closed_hosts(self) -> dict[str, tuple[float, str]]:
        """Hosts that get no requests now (until epoch seconds, why), those included whose probe is still to be answered."""
        ahead = time() - monotonic()
        return {
            host: (closure.until + ahead, closure.reason.value)
            for key, closure in self.breaker.not_open().items()
            for host in self.slots.hosts(key)
        }

    def waiting(self) -> dict[str, float]:
        """Slots that a server asked to wait, and for how many seconds more."""
        now = monotonic()
        return {name: seconds for name, gate in self._gates.items() if (seconds := gate.waits(now)) > 0}

    def shut(self, request: Request, reason: Reason) -> None:
        """Close, for the rest of the run, what a request was sent to: its host, in its lane."""
        self.breaker.close(host_of(request), FOR_THE_RUN, reason)
        self.changed()

    # for the scheduler's queue

    def slot_of(self, request: Request) -> Slot:
        """The slot of the host that a request goes to."""
        parts = urlparse_cached(request)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        return self.slots.of((parts.hostname or "").lower(), target or "/")

    def closure(self, slot: str, host: str) -> Closure | None:
        """Why nothing goes to this host now, if so."""
        return self.breaker.closure(slot, host)

    def due(self, slot: str, host: str, active: list[Request], now: float) -> float:
        """
        When the next request for a host may go (monotonic seconds); inf when an exchange must end first.

        `active`: what is under way in its slot.
        """
        if self.breaker.half_open(slot) and active:
            return float("inf")  # one probe
        if self.breaker.half_open(host) and any(host_of(request) == host for request in active):
            return float("inf")
        gate = self._gate(slot)
        elsewhere = sum(other.under_way(slot) for other in _GATES.others(gate.slot, self))
        due = gate.due(now, active=len(active) + elsewhere, delay=self._throttle(self.slots.named(slot)))
        return due + _GATES.waits(gate.slot, self)

    def under_way(self, slot: str) -> int:
        """How many of this crawler's requests are being exchanged in a slot, for the other crawlers of the process."""
        live = self.crawler.engine.downloader.slots.get(slot)
        return len(live.transferring) + len(live.queue) if live else 0

    def sent(self, slot: str, now: float) -> None:
        """A request of this slot is on its way."""
        gate = self._gate(slot)
        gate.sent(now)
        _GATES.took(gate.slot, self)

    def wait(self, request: Request, ahead: int) -> float:
        """After about how many seconds a request would go that comes behind `ahead` others of its slot."""
        return self._gate(self.slot_of(request).name).wait(monotonic(), ahead)

    def on_change(self, listener: Any) -> None:
        """Have `listener()` called whenever a request may be due sooner than was said: a host is closed, another crawler's turn is over."""
        self._listeners.append(listener)

    def changed(self) -> None:
        """Tell the listeners."""
        for listener in self._listeners:
            listener()

    # signals

    def on_scheduled(self, request: Request) -> None:
        slot = self.slot_of(request)
        request.meta["download_slot"] = slot.name
        request.meta["download_timeout"] = slot.timeout
        request.meta["autothrottle_dont_adjust_delay"] = not slot.autothrottle

    def on_left(self, request: Request) -> None:
        gate = self._gate(self._place(request)[0])
        gate.ended(monotonic())
        for other in _GATES.others(gate.slot, self):
            other.changed()

    def on_spider_closed(self) -> None:
        _GATES.leave(self)

    # downloader middleware

    def process_request(self, request: Request) -> None:
        slot, host = self._place(request)
        if closure := self.closure(slot, host):
            raise HostClosed(closure.reason, host)
        request.meta["tries"] = request.meta.get("tries", 0) + 1

    def process_response(self, request: Request, response: Response) -> Response:
        slot, host = self._place(request)
        gate, now = self._gate(slot), time()
        limit, concurrency = ratelimits.announced(response.headers)
        gap = limit[1] * self._workers / limit[0] if limit and gate.slot.limit else 0.0
        gate.follow(limit if gap <= self._patience else None, concurrency, self._workers)
        quota = ratelimits.quota(response.status, response.headers, now)
        asked = ratelimits.retry_after(response.headers, now) if response.status in _BUSY else None
        if quota and response.status in _REFUSALS:
            seconds = next((each for each in (quota.reset, asked) if each is not None), FOR_THE_RUN)
            if self._put_off(gate, seconds, Reason.QUOTA):
                raise HostClosed(Reason.QUOTA, host)
        elif asked is not None:
            if self._put_off(gate, asked, Reason.RATE_LIMITED):
                raise HostClosed(Reason.RATE_LIMITED, host)
        elif response.status == _TOO_MANY:
            # One request too many concerns all that share the allowance: asking on extends a ban.
            gate.pause(monotonic() + self._backoff.seconds(self.breaker.failures(host), gate.slot.delay))
            self._failed(slot, host, Reason.RATE_LIMITED)
        elif response.status in _BUSY or self._is_wall(response):
            self._failed(slot, host, Reason.UNAVAILABLE)
        else:
            self._opened(slot, host)
            if quota and quota.reset is not None:  # this was the last
                self._put_off(gate, quota.reset, Reason.QUOTA)
            elif gap > self._patience:  # so slow a pace is a pause: followed, it would hold the crawl for a day a request
                self._put_off(gate, gap, Reason.RATE_LIMITED)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        slot, host = self._place(request)
        if isinstance(exception, (ResponseDataLossError, StalePart)):
            self._opened(slot, host)  # it did answer; what is wrong is one file
        elif isinstance(exception, self._failures) and not isinstance(exception, CertificateError):
            self._failed(slot, host, Reason.UNAVAILABLE)

    def _put_off(self, gate: Gate, seconds: float, reason: Reason) -> bool:
        """Pause the slot; close it (True) when that is more than the run's patience, at once or little by little."""
        now = monotonic()
        seconds = max(seconds, self._backoff.least)  # who asks for no time at all would be asked without a pause
        if gate.put_off(now, now + seconds) <= self._patience:
            return False
        self.breaker.close(gate.slot.name, max(seconds, self._first), reason)
        self._report(gate.slot.name, reason)
        return True

    def _failed(self, slot: str, host: str, reason: Reason) -> None:
        keys = {host, slot} if self.breaker.half_open(slot) else {host}
        for key in keys:
            if self.breaker.failed(key, reason):
                self._report(key, reason)

    def _opened(self, slot: str, host: str) -> None:
        self._gate(slot).served()
        for key in {slot, host}:
            if self.breaker.answered(key):
                logger.info("%s answers again", key)

    def _report(self, key: str, reason: Reason) -> None:
        closure = self.breaker.closure(key)
        seconds = closure.until - monotonic() if closure else 0.0
        span = "for the rest of the run" if seconds == FOR_THE_RUN else f"for {seconds:.0f} s"
        logger.warning("%s is closed %s: %s", key, span, reason)
        self.changed()

    def _place(self, request: Request) -> tuple[str, str]:
        """Slot and host of a request, also of a component's own that went past the scheduler."""
        if "download_slot" not in request.meta:
            self.on_scheduled(request)
        return request.meta["download_slot"], host_of(request)

    def _gate(self, slot: str) -> Gate:
        gate = self._gates.get(slot)
        if gate is None:
            gate = self._gates[slot] = _GATES.join(self.slots.named(slot), self)
        return gate

    def _throttle(self, slot: Slot) -> float:
        """AutoThrottle's delay for now: it keeps it on Scrapy's slot."""
        if not slot.autothrottle:
            return 0.0
        live = self.crawler.engine.downloader.slots.get(slot.name)
        return live.delay if live else 0.0

    def _is_wall(self, response: Response) -> bool:
        spool = getattr(response, "spool", None)
        head = spool.head if spool else response.body[:_HEAD]
        return proof.wall(response.status, response.headers, head) is not None


_GATES: Gates[PacingMiddleware] = Gates()


def host_of(request: Request) -> str:
    """
    The host of a request, as it is judged: apart for each `meta["lane"]`.

    A wall lets in a browser and not us, a host refuses one API's key and not another's.
    """
    host = (urlparse_cached(request).hostname or "").lower()
    return f"{host} ({lane})" if (lane := request.meta.get("lane")) else host
