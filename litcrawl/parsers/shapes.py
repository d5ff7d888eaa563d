"""Values of JSON that upstreams send, by the shape that is documented; any other counts as not stated. Pure."""

from __future__ import annotations

from typing import Any, TypeAlias

Object: TypeAlias = dict[str, Any]


def text(value: Any) -> str:
    """The text; empty for anything else."""
    return value if isinstance(value, str) else ""


def items(value: Any) -> list[Any]:
    """The list; empty for anything else."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[Object]:
    """The objects of a list; none for anything else."""
    return [one for one in items(value) if isinstance(one, dict)]


def mapping(value: Any) -> Object:
    """The object; empty for anything else."""
    return value if isinstance(value, dict) else {}


def first(*values: Any) -> Any:
    """The first value that says something."""
    return next((value for value in values if value not in (None, "", [], {})), None)
