"""
Events of the ambalytics streams: that somebody spoke of a publication. Pure.

https://github.com/ambalytics/amba-event-stream: the shape of Crossref's Event Data with `state` and `obj.data` beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias
from uuid import uuid4

import orjson

from litcrawl.exceptions import Malformed
from litcrawl.parsers import json
from litcrawl.parsers.shapes import mapping
from litcrawl.publications.record import Record
from litcrawl.stated import stated

Event: TypeAlias = dict[str, Any]

UNKNOWN, LINKED = "unknown", "linked"
TOPIC = "events_linked"
DEAD_LETTER = "-dead-letter"
"""What the topic of those that cannot be dealt with is called, behind the name of their own."""

_RELATIONS = ("discusses",)  # those that have a topic of their own
_SHOWN = 64_000  # bytes of a dead letter: as JSON it must not outgrow a message, 1 MB, which what it tells of may have filled
_RESOLVER = "https://doi.org/"


def read(content: bytes | None) -> tuple[str, Event]:
    """The DOI that an event is about, and the event, out of its JSON. Raises `Malformed` as `about` does."""
    event = json.parse(content or b"")
    if not isinstance(event, dict):
        raise Malformed("no JSON object")
    return about(event), event


def about(event: Event) -> str:
    """
    The DOI that an event is about. Raises `Malformed` for what is no event of a publication that is `unknown`.

    What cannot be written again, such as a whole number of more than 64 bits, is none either: nothing of an event is dropped.
    """
    try:
        orjson.dumps(event)
    except TypeError as error:
        raise Malformed(f"it cannot be written again: {error}") from None
    if event.get("state") != UNKNOWN:
        raise Malformed(f"its state is {str(event.get('state'))[:40]!r}, not {UNKNOWN!r}")
    obj = mapping(event.get("obj"))
    for value in (obj.get("alternative-id"), mapping(obj.get("data")).get("doi"), obj.get("pid"), event.get("obj_id")):
        if doi := stated(doi=value).doi:
            return doi
    raise Malformed("it names no DOI: obj.alternative-id, obj.data.doi, obj.pid, obj_id")


def linked(event: Event, record: Record) -> Event:
    """The event with the record of its publication; all else stays as it came."""
    obj = mapping(event.get("obj"))
    return event | {"state": LINKED, "obj": obj | {"data": mapping(obj.get("data")) | record}}


def lighter(event: Event) -> Event:
    """A linked event whose record names no other publications: the lists of a review may be longer than a message can be."""
    data = {name: value for name, value in event["obj"]["data"].items() if name not in ("refs", "citations")}
    return event | {"obj": event["obj"] | {"data": data}}


def fresh(doi: str, at: str) -> Event:
    """An event for a publication that a list named."""
    pid = _RESOLVER + doi
    return {
        "id": str(uuid4()), "state": UNKNOWN, "relation_type": None, "subj_id": None, "obj_id": pid, "occurred_at": at,
        "source_id": "litcrawl",
        "timestamp": at, "subj": {}, "obj": {"pid": pid, "alternative-id": doi, "data": {"doi": doi}},
    }  # fmt: skip


def topic(event: Mapping[str, Any]) -> str:
    """Where an event that is linked goes."""
    relation = event.get("relation_type")
    return f"{TOPIC}-{relation}" if relation in _RELATIONS else TOPIC


def dead_letter(value: bytes, reason: str, **where: Any) -> dict[str, Any]:
    """What is told of a message that cannot be dealt with: why, where it was, its length in bytes, and how it begins."""
    return {"reason": reason, **where, "length": len(value), "value": value[:_SHOWN].decode("utf-8", "replace")}
