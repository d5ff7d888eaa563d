"""One record of a list -> one row: its identifiers merged, what was repaired, what did not fit (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from litcrawl.exceptions import BadIdentifier
from litcrawl.ids import ARXIV_DOI, KINDS, Ids, Parsed, find, key, parse

Row = dict[str, Any]
GUESSED = "bare digits were taken for PMIDs; -a id_type=pmcid takes them for PMCIDs"

_NOTHING = frozenset(
    {"", "-", "--", "–", ".", "0", "?", "n/a", "na", "#n/a", "nan", "none", "null", "nil", "unknown", "missing", "not available"}
)
_GRAVE = ("ambiguous", "malformed", "no-identifier")  # what a row without an identifier is told first
_YEAR = re.compile(r"(?<![0-9])(?:1[5-9]|20)[0-9]{2}(?![0-9])")


class Notes(list[str]):
    """What there is to say of a list as a whole: each thing once."""

    def add(self, note: str) -> None:
        if note not in self:
            self.append(note)


@dataclass(frozen=True, slots=True)
class Cell:
    """
    One field of a record that may hold an identifier.

    `kind` says what bare digits in it are (see `ids.parse`). A `loose` field may well hold something else (an address, a
    citation key), which is then no fault; in `prose` identifiers are looked for inside the text.
    """

    field: str
    text: str
    kind: str | None = None
    loose: bool = False
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What the list itself tells of a record, for the user's own tables."""

    record_id: str | None = None
    title: str | None = None
    author: str | None = None
    year: str | None = None


def plain_row(number: int, line: int | None, raw: str, parsed: Parsed) -> Row:
    """The row of one identifier that stood alone."""
    return {
        "row": number,
        "line": line,
        "field": None,
        "raw": raw,
        "record_id": None,
        "title": None,
        "author": None,
        "year": None,
        "version": parsed.version,
        "repairs": parsed.repairs,
        "ids": parsed.ids,
        "reason": None,
        "detail": None,
        "conflicts": [],
    }


def bad_row(number: int, line: int | None, raw: str, bad: BadIdentifier, *, field: str | None = None, facts: Facts | None = None) -> Row:
    """The row of a record without an identifier: `ids` None, `reason` and `detail` say why."""
    facts = facts or Facts()
    return {
        "row": number,
        "line": line,
        "field": field,
        "raw": raw,
        "record_id": facts.record_id,
        "title": facts.title,
        "author": facts.author,
        "year": facts.year,
        "version": None,
        "repairs": [],
        "ids": None,
        "reason": bad.reason,
        "detail": str(bad),
        "conflicts": [],
    }


def record_row(number: int, line: int, cells: Iterable[Cell], facts: Facts, notes: Notes) -> Row:
    """
    The row of a record, its `cells` best field first.

    The first of doi, pmid, pmcid, bookid, arxiv decides; of several of one kind the one in the better field. The others fill gaps
    in `ids`, or stand in `conflicts` where they name something else.
    """
    found: list[tuple[Cell, Parsed]] = []
    failed: list[tuple[Cell, BadIdentifier]] = []
    for cell in cells:
        if cell.text.strip().lower() in _NOTHING:
            continue
        try:
            found.extend((cell, parsed) for parsed in _parsed(cell))
        except BadIdentifier as bad:
            failed.append((cell, bad))
    if not found:
        failed.sort(key=lambda each: (_GRAVE.index(each[1].reason), each[0].loose))
        blank = (Cell("", ""), BadIdentifier("no-identifier", "no field holds an identifier"))
        culprit, why = failed[0] if failed else blank
        return bad_row(number, line, culprit.text.strip(), why, field=culprit.field or None, facts=facts)
    found.sort(key=lambda each: KINDS.index(each[1].kind))
    if any(parsed.guessed for _, parsed in found):
        notes.add(GUESSED)
    ids, conflicts = _merged(found)
    cell, first = _decisive(found, ids)
    row = plain_row(number, line, cell.text.strip(), first)
    row |= {"field": cell.field, "record_id": facts.record_id, "title": facts.title, "author": facts.author, "year": facts.year}
    row |= {
        "ids": ids,
        "conflicts": conflicts,
        "version": next((each.version for _, each in [(cell, first), *found] if each.version), None),
    }
    others = [f"{other.field}: {phrase}" for other, parsed in found if parsed is not first for phrase in parsed.repairs]
    ignored = [f"{other.field} ignored: {bad}" for other, bad in failed if not other.loose]
    row["repairs"] = [*first.repairs, *others, *ignored]
    return row


def facts_of(record_id: str = "", title: str = "", authors: str = "", year: str = "") -> Facts:
    """Facts as the list gives them, in one line each; of the authors the first, of a date its year."""
    found = _YEAR.search(year)
    return Facts(_line(record_id), _line(title), _line(first_author(authors)), found[0] if found else _line(year))


def first_author(authors: str) -> str:
    """The first name of a list of authors, however it is separated; `Family, Given` stays whole."""
    first = re.split(r";|\||\n|\s+and\s+|\s+&\s+", authors.strip(), maxsplit=1)[0]
    parts = [part.strip() for part in first.split(",")]
    if len(parts) > 1:  # "Smith J, Doe A" is two people, "Smith, John" is one
        first = parts[0] if " " in parts[0] and len(parts[0].rsplit(" ", 1)[1]) <= 3 else ", ".join(parts[:2])
    return first.strip()


def _parsed(cell: Cell) -> list[Parsed]:
    if cell.prose:
        return find(cell.text)
    try:
        return [parse(cell.text, cell.kind)]
    except BadIdentifier:
        several = find(cell.text)  # two links in a cell, a DOI with a remark
        if not several:
            raise
        return several


def _merged(found: list[tuple[Cell, Parsed]]) -> tuple[Ids, list[dict[str, Any]]]:
    ids, conflicts = Ids(), []
    for cell, parsed in found:
        new = parsed.ids
        if parsed.kind == "arxiv" and ids.doi and not ids.doi.startswith(ARXIV_DOI):
            new = Ids(arxiv=new.arxiv)  # the record names the journal's DOI too: arXiv's own is not a second article
        if ids.contradicts(new):
            conflicts.append({"field": cell.field, "raw": cell.text.strip(), "ids": new.as_dict()})
        else:
            ids = ids.merge(new)
    return ids, conflicts


def _decisive(found: list[tuple[Cell, Parsed]], ids: Ids) -> tuple[Cell, Parsed]:
    """The identifier that gave the article its key."""
    decided = key(ids)
    return next((each for each in found if key(each[1].ids) == decided), found[0])


def _line(text: str) -> str | None:
    return " ".join(text.split()) or None
