"""JSON as services and lists send it."""

from __future__ import annotations

import json
from typing import Any

from litcrawl.exceptions import Malformed

DEEPEST = 100
"""Levels of nesting that are read; the records of all sources have fewer than ten."""


def weight(content: bytes) -> int:
    """About how many values JSON holds, before it is parsed, an object counted for three: each takes some 70 bytes, of two on the wire."""
    return content.count(b",") + content.count(b"[") + 3 * content.count(b"{")


def parse(content: bytes | str) -> Any:
    """
    The value. Raises `Malformed` when this is no JSON, or nested deeper than any answer is.

    Whatever looks into a value afterwards may recurse as deep as it goes: a depth that the parser only just survived would
    end a `repr` in a RecursionError.

    JSON can spell half a character (`"\\ud800"`), which no file or feed in UTF-8 can hold: it becomes a question mark.
    """
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"no JSON: {error}") from None
    _refuse_depth(value)
    escape = "\\ud" if isinstance(content, str) else b"\\ud"
    if escape not in content.lower():  # type: ignore[operator]
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _refuse_depth(value: Any) -> None:
    """Level by level, as recursion is what it guards from."""
    level = [value]
    for _ in range(DEEPEST):
        inner = (one.values() if type(one) is dict else one for one in level if type(one) in (dict, list))
        level = [child for children in inner for child in children if type(child) in (dict, list)]
        if not level:
            return
    raise Malformed(f"no JSON that anybody reads: nested deeper than {DEEPEST} levels")
