"""The arguments of `scrapy crawl arxiv`: a list of papers, an author, a harvest, or several at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import count
from typing import Any, Self

from litcrawl.arguments import PARSERS, Arguments, check_names
from litcrawl.exceptions import BadArgument
from litcrawl.idlists import IdList, open_list
from litcrawl.idlists.rows import Row, plain_row
from litcrawl.ids import parse
from litcrawl.terms import Want

# https://info.arxiv.org/help/author_identifiers.html: a name with initials and a number, or an ORCID iD; as it is, or in an address
_AUTHOR = re.compile(
    r"(?:(?:https?://)?(?:www\.)?arxiv\.org/a/)?([a-z0-9_-]+_[0-9]+|[0-9]{4}(?:-[0-9]{3}[0-9X]){3})(?:\.atom2?|/)?", re.IGNORECASE
)
# http://www.openarchives.org/OAI/openarchivesprotocol.html#Set
_SET = re.compile(r"[A-Za-z0-9_.!~*'()-]+(?::[A-Za-z0-9_.!~*'()-]+)*")


@dataclass(frozen=True, kw_only=True)
class ArchiveArguments(Arguments):
    """
    What the user asked of the archive; `rows` is the list, and after it what `listed` has come to hold by then.

    `listed` is filled before the list is read, by those who ask arXiv for the papers of an author, or of a harvest.
    """

    author: str | None = None
    harvest: bool = False
    set_: str | None = None
    since: str | None = None
    until: str | None = None
    listed: list[tuple[str, str]] = field(default_factory=list)
    """Papers that arXiv lists, each after the name of the argument that asked for it."""

    @classmethod
    def parse(cls, given: Mapping[str, Any], known: Sequence[str] | None = None) -> Self:
        """As `Arguments.parse`. Raises `BadArgument`."""
        given = {name: value for name, value in given.items() if not name.startswith("_")}
        check_names(given, NAMES if known is None else known)
        parsed = {
            _FIELDS.get(name, name): ARCHIVE_PARSERS[name](name, str(value).strip()) for name, value in given.items() if name != "ids"
        }
        parsed["harvest"] = bool({"set", "from", "until"} & given.keys())
        since, until = parsed.get("since"), parsed.get("until")
        if since and until and since > until:
            raise BadArgument(f"from={since}: is after until={until}")
        ids = str(given.get("ids", "")).strip()
        if not (ids or parsed.get("author") or parsed["harvest"]):
            raise BadArgument("no papers: give -a ids=…, -a author=gubinelli_m_1, or -a set=math:math:PR with or without from and until")
        listed: list[tuple[str, str]] = []
        sources = [open_list(ids)] if ids else []
        named = [f"author {parsed['author']}"] if parsed.get("author") else []
        if parsed["harvest"]:
            named.append(" ".join(f"{name} {given[name]}" for name in ("set", "from", "until") if name in given))
        rows = _with_listed(sources, named, listed) if named else sources[0]
        told = {name: str(value) for name, value in given.items()}
        return cls(
            rows=rows, ids=ids, listed=listed, want=(Want.PDF, Want.SUPPLEMENTARY), versions="all", sources=("arxiv",), given=told, **parsed
        )


def _with_listed(lists: Sequence[IdList], named: Sequence[str], listed: Sequence[tuple[str, str]]) -> IdList:
    """The rows of a list, if there is one, and those that arXiv is asked for, numbered on."""

    def rows() -> Iterator[Row]:
        number = 0
        for one in lists:
            for row in one.rows():
                number = row["row"]
                yield row
        for following, (name, paper) in zip(count(number + 1), listed, strict=False):
            yield plain_row(following, None, paper, parse(paper, "arxiv")) | {"field": name}

    names = [*(one.name for one in lists), *named]
    return IdList(", ".join(names), ", ".join([*(one.form for one in lists), "asked of arXiv"]), None, _start=rows)


def _author(name: str, value: str) -> str:
    match = _AUTHOR.fullmatch(value)
    if match is None:
        raise BadArgument(f"{name}={value}: give an arXiv author identifier, such as gubinelli_m_1, or an ORCID iD")
    return match[1]


def _set(name: str, value: str) -> str:
    if not _SET.fullmatch(value):
        raise BadArgument(f"{name}={value}: give a set of arXiv's OAI-PMH interface, such as math or math:math:PR")
    return value


def _day(name: str, value: str) -> str:
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            return date.fromisoformat(value).isoformat()
    except ValueError:
        pass
    raise BadArgument(f"{name}={value}: give a day, as 2026-11-30")


def _refresh(name: str, value: str) -> str:
    if value not in ("0", "1"):
        raise BadArgument(f"{name}={value}: the values are: 0, 1")
    return value


ARCHIVE_PARSERS: dict[str, Callable[[str, str], Any]] = {
    "author": _author,
    "set": _set,
    "from": _day,
    "until": _day,
    "refresh": _refresh,
    "limit": PARSERS["limit"],
    "shard": PARSERS["shard"],
}
NAMES = ("ids", *ARCHIVE_PARSERS)
_FIELDS = {"set": "set_", "from": "since"}
