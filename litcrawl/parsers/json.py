"""JSON as services and lists send it."""

from __future__ import annotations

import json
from typing import Any

from litcrawl.exceptions import Malformed


def weight(content: bytes) -> int:
    """About how many values JSON holds, before it is parsed, an object counted for three: each takes some 70 bytes, of two on the wire."""
    return content.count(b",") + content.count(b"[") + 3 * content.count(b"{")


def parse(content: bytes | str) -> Any:
    """
    The value. Raises `Malformed` when this is no JSON.

    JSON can spell half a character (`"\\ud800"`), which no file or feed in UTF-8 can hold: it becomes a question mark.
    """
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"no JSON: {error}") from None
    escape = "\\ud" if isinstance(content, str) else b"\\ud"
    if escape not in content.lower():  # type: ignore[operator]
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
