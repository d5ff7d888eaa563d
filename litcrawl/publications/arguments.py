"""The arguments of a crawl for publications, checked before the first request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from scrapy.settings import BaseSettings
from sqlalchemy.exc import SQLAlchemyError

from litcrawl.arguments import Arguments
from litcrawl.exceptions import BadArgument
from litcrawl.idlists import IdList
from litcrawl.publications.address import SCHEME, Address, security
from litcrawl.publications.database import Database
from litcrawl.publications.merging import Rules
from litcrawl.publications.order import EXAMPLE, chosen

FOLLOWED = {"references": "refs", "citations": "citations"}
"""What `follow` may name, and the field of a record that it is."""

OWN = ("follow", "depth", "max_follow", "idle")
TAKES = ("ids", "id_type", "sources", "refresh", "limit", "shard", *OWN)


@dataclass(frozen=True, kw_only=True)
class PublicationArguments:
    """What the user asked for; `common` is what they could ask of any spider."""

    common: Arguments
    database: Database
    stream: Address | None = None
    """Where the events come from, in place of a list."""
    events: Address | Path | None = None
    """Where they go to; None: where rows bring some, to the run's folder."""
    follow: tuple[str, ...] = ()
    """Fields of a record whose publications are looked up as well."""
    depth: int = 1
    max_follow: int = 1000
    idle: float | None = None

    @classmethod
    def parse(cls, settings: BaseSettings, given: Mapping[str, Any], fixed: tuple[str, ...] = ()) -> Self:
        """The arguments, with the sources in order and the database ready. Raises `BadArgument`."""
        ids = str(given.get("ids", "")).strip()
        stream = Address.parse(ids, "ids", topic=True) if ids.startswith(SCHEME) else None
        takes = [name for name in TAKES if not (fixed and name == "sources")]
        common = Arguments.parse(dict(given) | ({"ids": EXAMPLE} if stream else {}), takes)
        if stream:
            if common.shard != (0, 1):
                raise BadArgument("shard: not with a stream: runs with the same group share its topic")
            rows = IdList(f"topic {stream.topic}", "events of Kafka", None, _start=lambda: iter(()))
            common = replace(common, rows=rows, ids=ids, given=dict(common.given) | {"ids": ids})
        names = chosen(settings, common.sources, fixed)
        Rules.from_settings(settings)
        again(settings)
        told = str(settings.get("LITCRAWL_EVENTS") or "")
        events = Address.parse(told, "LITCRAWL_EVENTS", topic=False) if told.startswith(SCHEME) else None
        if "://" in told and events is None:
            raise BadArgument("LITCRAWL_EVENTS: give kafka://host:port or a file")
        security(settings)
        for address, name in ((stream, "ids"), (events, "LITCRAWL_EVENTS")):
            if address is not None:
                address.check(name)
        return cls(
            common=replace(common, sources=tuple(names), want=()),
            database=_ready(settings),
            stream=stream,
            events=events or (Path(told).expanduser() if told else None),
            follow=_follow(str(given.get("follow", ""))),
            depth=_whole("depth", given, cls.depth),
            max_follow=_whole("max_follow", given, cls.max_follow),
            idle=_seconds("idle", given),
        )


def _ready(settings: BaseSettings) -> Database:
    """The database, with its tables."""
    database = Database.from_settings(settings)
    try:
        database.prepare()
    except (SQLAlchemyError, OSError) as error:
        why = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        raise BadArgument(f"LITCRAWL_DB: {database.name} cannot be used: {why}") from None
    return database


def again(settings: BaseSettings) -> tuple[float, float]:
    """Seconds after which what was not found is asked for again: where a source has not answered, where all have. Raises `BadArgument`."""
    given = [str(one).strip() for one in settings.getlist("LITCRAWL_PUBLICATION_AGAIN")]
    if len(given) != 2 or not all(re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", one) for one in given):
        raise BadArgument(f"LITCRAWL_PUBLICATION_AGAIN={','.join(given)}: give two numbers of seconds")
    return float(given[0]), float(given[1])


def _follow(value: str) -> tuple[str, ...]:
    names = [one.strip() for one in value.split(",") if one.strip()]
    for name in names:
        if name not in FOLLOWED:
            raise BadArgument(f"follow: unknown kind {name!r}; the kinds are: {', '.join(FOLLOWED)}")
    return tuple(dict.fromkeys(FOLLOWED[name] for name in names))


def _whole(name: str, given: Mapping[str, Any], default: int) -> int:
    value = str(given.get(name, default)).strip()
    if not re.fullmatch(r"[0-9]{1,12}", value) or int(value) < 1:
        raise BadArgument(f"{name}={value}: give a whole number, 1 or more")
    return int(value)


def _seconds(name: str, given: Mapping[str, Any]) -> float | None:
    if name not in given:
        return None
    value = str(given[name]).strip()
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", value):
        raise BadArgument(f"{name}={value}: give seconds")
    return float(value)
