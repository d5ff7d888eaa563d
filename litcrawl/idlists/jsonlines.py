"""JSON lines: an object a line, its identifiers by key name; also this project's own feeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from litcrawl.exceptions import BadIdentifier, Malformed
from litcrawl.idlists.columns import Columns
from litcrawl.idlists.rows import Notes, Row, bad_row, record_row
from litcrawl.parsers import json

_NESTED = ("ids", "externalIds", "identifiers")  # this project's feeds and OpenAlex; Semantic Scholar
_SHOWN = 200


def rows(lines: Iterable[str], id_type: str | None, notes: Notes) -> Iterator[Row]:
    """A row for each line that is not blank, with the `object` that it holds; a line that holds none is a row of its own, `malformed`."""
    number = 0
    for line, text in enumerate(lines, 1):
        text = text.strip().removeprefix("\ufeff")
        if not text:
            continue
        number += 1
        try:
            record = json.parse(text)
        except Malformed:
            record = None
        if not isinstance(record, dict):
            yield bad_row(number, line, text[:_SHOWN], BadIdentifier("malformed", "not a JSON object"))
            continue
        fields = dict(_flat(record))
        columns = _columns(tuple(fields))
        values = list(fields.values())
        kinds = columns.digits_as(None) | {"any": id_type}
        yield record_row(number, line, columns.cells(values, kinds), columns.facts_in(values), notes) | {"object": record}


@lru_cache(maxsize=64)
def _columns(names: tuple[str, ...]) -> Columns:
    """Most lines of a file have the same keys."""
    return Columns.of(names)


def _flat(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in record.items():
        if isinstance(value, dict) and name in _NESTED:
            yield from _flat(value)
        else:
            yield name, _text(value)


def _text(value: Any) -> str:
    match value:
        case str():
            return value
        case bool() | None:
            return ""
        case int() | float():
            return str(value)
        case [first, *_]:
            return _text(first)
        case {"name": str(name)} | {"family": str(name)} | {"display_name": str(name)}:
            return name
    return ""
