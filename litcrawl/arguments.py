"""The arguments of a crawl (`-a name=value`): read and checked before the first request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Self

from litcrawl.exceptions import BadArgument
from litcrawl.filelists import open_files
from litcrawl.idlists import IdList, open_list
from litcrawl.terms import Want

DEFAULT_WANT = (Want.XML, Want.PDF, Want.SUPPLEMENTARY)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What the user asked of a ladder spider; `rows` is the opened list."""

    rows: IdList
    ids: str = ""
    feed_sources: frozenset[str] = frozenset()
    """Where the files of `files` come from; empty without."""
    want: tuple[Want, ...] = DEFAULT_WANT
    want_given: bool = False
    sources: tuple[str, ...] = ()
    resolvers: tuple[str, ...] = ()
    resolve: bool = True
    download: bool = True
    exhaustive: bool = False
    versions: str = "latest"
    refresh: str = "0"
    limit: int | None = None
    shard: tuple[int, int] = (0, 1)
    given: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, given: Mapping[str, Any], known: Sequence[str] | None = None) -> Self:
        """
        The arguments as a spider uses them, of those `known` to it; those that begin with `_` are the caller's and ignored.

        Raises `BadArgument` with one line that names what is wrong and what would be right.
        """
        given = {name: value for name, value in given.items() if not name.startswith("_")}
        check_names(given, NAMES if known is None else known)
        ids, files = str(given.get("ids", "")).strip(), str(given.get("files", "")).strip()
        if not ids and not files:
            raise BadArgument(
                "no identifiers: give -a ids=FILE, -a ids=- (standard input), or -a ids=10.1371/journal.pone.0000217,PMC1790863"
            )
        parsed = {name: PARSERS[name](name, str(value).strip()) for name, value in given.items() if name in PARSERS}
        id_type = parsed.pop("id_type", None)
        if files:
            beside = [name for name in given if name not in ("files", "limit", "shard", "refresh")]
            if beside:
                raise BadArgument(f"files: fetches exactly the files that a feed names; it does not go with {', '.join(beside)}")
        rows, sources = open_files(files) if files else (open_list(ids, id_type=id_type), frozenset[str]())
        told = {name: str(value) for name, value in given.items()}
        return cls(rows=rows, ids=ids, feed_sources=sources, want_given="want" in given, given=told, **parsed)


def check_names(given: Iterable[str], known: Sequence[str]) -> None:
    """Raise `BadArgument` for the first argument that is none."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise BadArgument(f"unknown argument {name!r}{hint}; the arguments are: {', '.join(known)}")


def choose_sources(default: Sequence[str], chosen: Sequence[str], known: Iterable[str]) -> list[str]:
    """
    The rungs of a run: `default`, or those `chosen`, in their order; `+name` adds one to the default, `-name` leaves one out.

    Raises `BadArgument` for a name that is not `known`.
    """
    known = list(known)
    names = [one.lstrip("+-") for one in chosen]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise BadArgument(f"sources: unknown source {name!r}{hint}; the sources are: {', '.join(known)}")
    signed = [one[0] in "+-" for one in chosen]
    if any(signed) and not all(signed):
        raise BadArgument("sources: give either names, or changes to the default (+name, -name), not both")
    if not any(signed):
        return list(dict.fromkeys(names)) or list(default)
    wanted = {name for one, name in zip(chosen, names, strict=True) if one[0] == "+"} | set(default)
    wanted -= {name for one, name in zip(chosen, names, strict=True) if one[0] == "-"}
    return [name for name in (*default, *(n for n in known if n not in default)) if name in wanted]


def _choice(*values: str) -> Callable[[str, str], str]:
    def parse(name: str, value: str) -> str:
        if value not in values:
            raise BadArgument(f"{name}={value}: the values are: {', '.join(values)}")
        return value

    return parse


def _flag(name: str, value: str) -> bool:
    return _choice("0", "1")(name, value) == "1"


def _want(name: str, value: str) -> tuple[Want, ...]:
    wanted = [one.strip() for one in value.split(",") if one.strip()]
    for one in wanted or [value]:
        if one not in list(Want):
            raise BadArgument(f"{name}: unknown kind {one!r}; the kinds are: {', '.join(Want)}")
    return tuple(one for one in Want if one in wanted)


def _sources(name: str, value: str) -> tuple[str, ...]:
    chosen = tuple(one.strip() for one in value.split(",") if one.strip())
    if not chosen:
        raise BadArgument(f"{name}: no source named")
    return chosen


def _limit(name: str, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", value) or int(value) < 1:
        raise BadArgument(f"{name}={value}: give a whole number of articles, 1 or more")
    return int(value)


def _shard(name: str, value: str) -> tuple[int, int]:
    parts = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", value)
    if not parts or int(parts[2]) == 0:
        raise BadArgument(f"{name}={value}: give part/parts, from 0/8 to 7/8")
    part, n = int(parts[1]), int(parts[2])
    if part >= n:
        valid = {1: "0/1", 2: "0/2 or 1/2"}.get(n, f"part/parts, from 0/{n} to {n - 1}/{n}")
        raise BadArgument(f"{name}={value}: give {valid}")
    return part, n


PARSERS: dict[str, Callable[[str, str], Any]] = {
    "id_type": _choice("pmid", "pmcid"),
    "want": _want,
    "sources": _sources,
    "download": _flag,
    "resolve": _flag,
    "exhaustive": _flag,
    "versions": _choice("latest", "all"),
    "refresh": _choice("0", "1", "missing"),
    "limit": _limit,
    "shard": _shard,
}
NAMES = ("ids", "files", *PARSERS)
