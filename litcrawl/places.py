"""Where a file of an article goes inside its folder, and which caption in the full text speaks of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import repeat
from typing import Any

from litcrawl.names import file_name
from litcrawl.parsers import jats
from litcrawl.terms import Kind, Want, want_of

_ENDINGS = {Want.XML: "xml", Want.PDF: "pdf", Want.TEXT: "txt"}


def place(folder: str, file: Mapping[str, Any], *, taken: Iterable[str], versioned: bool) -> str:
    """
    The path of a file, relative to `LITCRAWL_OUT`: free among the paths `taken`, whatever the file system makes of case.

    `body.xml`, or `body.v2.xml` where versions were asked for by name; a further rendition is `body.<source>.xml`,
    `body.<source>-2.xml`.
    """
    if file["kind"] != Kind.BODY:
        inside = f"{folder}/supplementary/"
        return inside + file_name(file["filename"] or "file", map(str.removeprefix, taken, repeat(inside)))  # elsewhere no path is one name
    taken = set(taken)
    ending = _ENDINGS[want_of(file["kind"], file["media_type"])]
    version = f".v{file['version']}" if versioned and file["version"] is not None else ""
    stems = [
        f"body{version}",
        f"body{version}.{file['source']}",
        *(f"body{version}.{file['source']}-{n}" for n in range(2, len(taken) + 3)),
    ]
    return next(path for stem in stems if (path := f"{folder}/{stem}.{ending}") not in taken)


def caption(filename: str | None, captions: dict[str, Any]) -> Mapping[str, Any] | None:
    """What the full text says of a file: it may name it with or without its ending."""
    return jats.describe(captions, filename) if filename else None
