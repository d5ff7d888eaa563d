"""The slot table: which hosts share an allowance, how large it is, and which page says so. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from litcrawl.exceptions import BadArgument
from litcrawl.recording import is_replay

# Seconds without a byte that end a transfer, where an entry says nothing else.
IDLE = 30.0

_KEYS = frozenset({"hosts", "limit", "delay", "concurrency", "autothrottle", "timeout", "page", "with"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """
    One allowance.

    `limit` is the promise, as its `page` words it: at most so many requests in any so many seconds, seen from the server.
    `delay` is the least time between two sends, `concurrency` the most exchanges at once. `autothrottle`: AutoThrottle may
    lengthen the delay (never shorten it). `timeout`: seconds without a byte that end a transfer.
    """

    name: str
    limit: tuple[int, float] | None
    delay: float
    concurrency: int
    autothrottle: bool
    timeout: float
    page: str | None = None


def stricter(one: Slot, other: Slot) -> Slot:
    """The first of two entries with the other's limit, delay and concurrency where these allow less."""
    limits = [slot.limit for slot in (one, other) if slot.limit]
    return replace(
        one,
        limit=min(limits, key=lambda limit: limit[0] / limit[1]) if limits else None,
        delay=max(one.delay, other.delay),
        concurrency=min(one.concurrency, other.concurrency),
    )


class Slots:
    """
    Finds the slot of an address in `LITCRAWL_SLOTS`.

    The table maps a slot's name to a dict of:

    `hosts`
      Patterns; the slot's name when absent. `export.arxiv.org` is that host, `.wiley.com` that host and all below it, and
      `api.crossref.org/works?` only addresses that begin so: for services that count lists apart from single records.
    `limit`, `delay`, `concurrency`, `autothrottle`, `timeout`, `page`
      As in `Slot`. Without a `delay` the limit is spread evenly.
    `with`
      A setting's name -> what changes in the entry when that setting is not empty (a key or a contact buys a larger share).

    A host that is not in the table is a slot of its own, left to AutoThrottle. Every worker of `workers` takes its share:
    times are multiplied, concurrency is divided (one at least).
    """

    def __init__(self, table: Mapping[str, Mapping[str, Any]], *, workers: int = 1, delay: float = 0.0, concurrency: int = 1):
        self._workers = max(1, workers)
        self._delay, self._concurrency = delay, concurrency
        self._named: dict[str, Slot] = {}
        self._exact: dict[str, list[tuple[str, Slot]]] = {}
        self._below: list[tuple[str, Slot]] = []
        self._hosts: dict[str, list[str]] = {}
        for name, entry in table.items():
            self._add(name, dict(entry))
        for prefixes in self._exact.values():
            prefixes.sort(key=lambda pair: -len(pair[0]))
        self._below.sort(key=lambda pair: -len(pair[0]))

    @classmethod
    def from_settings(cls, settings: Any) -> Self:
        """The table of a crawl; raises `BadArgument` for an entry that means nothing."""
        try:
            table = {name: _resolved(entry, settings) for name, entry in settings.getdict("LITCRAWL_SLOTS").items()}
        except (ValueError, TypeError, AttributeError):
            raise BadArgument('LITCRAWL_SLOTS: give a table, such as {"api.your-lab.tld": {"limit": [10, 1], "concurrency": 2}}') from None
        return cls(
            table,
            workers=settings.getint("LITCRAWL_WORKERS", 1),
            delay=settings.getfloat("DOWNLOAD_DELAY"),
            concurrency=settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
        )

    def of(self, host: str, target: str = "/") -> Slot:
        """The slot of a host (lower case); `target` is path and query, for services that count some addresses apart."""
        for prefix, slot in self._exact.get(host, ()):
            if target.startswith(prefix):
                return slot
        for suffix, slot in self._below:
            if host.endswith(suffix) or host == suffix[1:]:
                return slot
        return self.named(host)

    def named(self, name: str) -> Slot:
        """The slot with this name: a table's entry, else a host's own."""
        return self._named.get(name) or self._slot(name, {"autothrottle": True})

    def hosts(self, name: str) -> list[str]:
        """The host patterns that share a slot."""
        return self._hosts.get(name, [name])

    def download_slots(self) -> dict[str, dict[str, Any]]:
        """The same table as Scrapy's `DOWNLOAD_SLOTS`. No jitter: Scrapy's goes below the delay as often as above it."""
        return {name: {"delay": slot.delay, "concurrency": slot.concurrency, "jitter": 0} for name, slot in self._named.items()}

    def _add(self, name: str, entry: dict[str, Any]) -> None:
        if unknown := entry.keys() - _KEYS:
            raise BadArgument(f"LITCRAWL_SLOTS: {name}: unknown {', '.join(sorted(unknown))}; known are {', '.join(sorted(_KEYS))}")
        slot = self._named[name] = self._slot(name, entry)
        patterns = self._hosts[name] = [pattern.lower() if "/" not in pattern else pattern for pattern in entry.get("hosts", [name])]
        for pattern in patterns:
            if pattern.startswith("."):
                self._below.append((pattern, slot))
            else:
                host, slash, rest = pattern.partition("/")
                self._exact.setdefault(host, []).append((slash + rest, slot))

    def _slot(self, name: str, entry: Mapping[str, Any]) -> Slot:
        try:
            limit = None
            if entry.get("limit"):
                count, seconds = entry["limit"]
                limit = (int(count), float(seconds) * self._workers)
            spread = limit[1] / limit[0] if limit else self._delay * self._workers
            delay = float(entry["delay"]) * self._workers if "delay" in entry else spread
            concurrency = int(entry.get("concurrency", self._concurrency))
            timeout = float(entry.get("timeout", IDLE))
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise BadArgument(f"LITCRAWL_SLOTS: {name}: {error}") from error
        if delay < 0 or concurrency < 1 or timeout <= 0 or (limit and (limit[0] < 1 or limit[1] <= 0)):
            raise BadArgument(f"LITCRAWL_SLOTS: {name}: a delay is 0 or more, concurrency, limit and timeout are positive")
        return Slot(
            name=name,
            limit=limit,
            delay=delay,
            concurrency=max(1, concurrency // self._workers),
            autothrottle=bool(entry.get("autothrottle", False)),
            timeout=timeout,
            page=entry.get("page"),
        )


_REPLAY = {"LITCRAWL_SLOTS": {}, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}


class SlotsAddon:
    """Scrapy add-on: `DOWNLOAD_SLOTS` by the delays and concurrency of `LITCRAWL_SLOTS`; none when a crawl is replayed."""

    def update_settings(self, settings: Any) -> None:
        if is_replay(settings):
            for name, value in _REPLAY.items():  # nobody is asked
                settings.set(name, value, "cmdline")
        settings.set("DOWNLOAD_SLOTS", Slots.from_settings(settings).download_slots(), "addon")


def _resolved(entry: Mapping[str, Any], settings: Any) -> dict[str, Any]:
    resolved = {key: value for key, value in entry.items() if key != "with"}
    for setting, changes in entry.get("with", {}).items():
        if settings.get(setting):
            resolved.update(changes)
    return resolved
