"""Plain lines, and the identifiers of an argument: one row for each identifier."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from litcrawl.exceptions import BadIdentifier
from litcrawl.idlists.rows import GUESSED, Notes, Row, bad_row, plain_row
from litcrawl.ids import Ids, Parsed, find, parse

_SHOWN = 80
# "PMID: 31452104" is one identifier though white space stands in it
_LABELLED = re.compile(r"\b(doi|pmid|pmcid|pmc|pubmed(?: ?id)?|arxiv)(?:\s*[:=]\s*|\s+)(?=[^\s,;])", re.I)
# A semicolon may be part of a DOI, and digits after it too ("3.0.CO;2"): it splits only before what says what it is.
_SEMICOLON = re.compile(r";(?=(?:https?://|10\.[0-9]{4,9}[./]|PMC[0-9]|NBK[0-9]|doi:|pmid:|pmcid:|arxiv:))", re.I)


def rows(lines: Iterable[str], id_type: str | None, notes: Notes) -> Iterator[Row]:
    """
    Each line's row or rows; blank lines and those that begin with `#` (no identifier does) are comments.

    A line that parses whole is one identifier, its `raw` the whole line. Else, if all its parts between white space, commas or
    semicolons parse, each part is a row of its own with that part as `raw`. Else it is prose: the identifier that it
    names in full is taken out; two articles are `ambiguous`.
    """
    number = 0
    for line, text in enumerate(lines, 1):
        raw = text.strip()
        if not raw or raw[0] == "#":
            continue
        try:
            parsed = parse(raw, id_type)
        except BadIdentifier as bad:
            for row in _not_whole(raw, line, bad, id_type, notes):
                number += 1
                yield row | {"row": number}
            continue
        if parsed.guessed:
            notes.add(GUESSED)
        number += 1
        yield plain_row(number, line, raw, parsed)


def inline(parts: Iterable[tuple[str, Parsed]]) -> Iterator[Row]:
    """The rows of an argument's identifiers, of which `split` made the parts."""
    for number, (raw, parsed) in enumerate(parts, 1):
        yield plain_row(number, None, raw, parsed)


def split(text: str, id_type: str | None = None) -> list[tuple[str, Parsed]]:
    """
    The identifiers that white space, commas and semicolons separate; raises `BadIdentifier` at the first part that is none.

    A comma splits only before something that parses: DOIs may hold commas.
    """
    parts: list[tuple[str, Parsed]] = []
    for chunk in _LABELLED.sub(r"\1:", text).split():
        for piece in _SEMICOLON.split(chunk):
            for part in filter(None, _at_commas(piece.strip(",;"), id_type)):
                try:
                    parts.append((part, parse(part, id_type)))
                except BadIdentifier as bad:
                    raise BadIdentifier(bad.reason, f"{part[:_SHOWN]}: {bad}") from None
    return parts


def reads(line: str) -> bool:
    """Whether a line is identifiers and nothing else."""
    try:
        return bool(split(line))
    except BadIdentifier:
        return False


def _at_commas(text: str, id_type: str | None) -> list[str]:
    parts: list[str] = []
    for piece in text.split(","):
        if parts and not _parses(piece, id_type):
            parts[-1] += f",{piece}"
        else:
            parts.append(piece)
    return parts


def _parses(text: str, id_type: str | None) -> bool:
    try:
        parse(text, id_type)
    except BadIdentifier:
        return False
    return True


def _not_whole(raw: str, line: int, bad: BadIdentifier, id_type: str | None, notes: Notes) -> list[Row]:
    try:
        parts = split(raw, id_type)
    except BadIdentifier:
        return [_from_prose(raw, line, bad)]
    if len(parts) < 2:
        return [bad_row(0, line, raw, bad)]
    if any(parsed.guessed for _, parsed in parts):
        notes.add(GUESSED)
    return [plain_row(0, line, part, parsed) for part, parsed in parts]


def _from_prose(raw: str, line: int, bad: BadIdentifier) -> Row:
    found = find(raw)
    if not found or bad.reason == "ambiguous":
        return bad_row(0, line, raw, bad)
    ids = Ids()
    for parsed in found:
        if ids.contradicts(parsed.ids):
            return bad_row(0, line, raw, BadIdentifier("ambiguous", "more than one article in a line of text"))
        ids = ids.merge(parsed.ids)
    row = plain_row(0, line, raw, found[0])
    version = next((parsed.version for parsed in found if parsed.version), None)
    return row | {"ids": ids, "version": version, "repairs": ["taken out of a longer text"]}
