"""
RIS and NBIB: a tag, a dash, a value; one small reader for both.

RIS readers at hand (rispy) build the whole list before the first record, keep no line numbers and do not read NBIB;
the shape that both formats share takes less code than adapting them. RIS: https://en.wikipedia.org/wiki/RIS_(file_format);
NBIB: https://www.nlm.nih.gov/bsd/mms/medlineelements.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from litcrawl.idlists.rows import Cell, Facts, Notes, Row, facts_of, record_row

RIS_START = re.compile(r"TY  ?- ?")
NBIB_START = re.compile(r"PMID ?- *[0-9]")

_TAG = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}-(?: (.*)|\s*$)")
_RIS_ADDRESSES = ("UR", "L1", "L2", "L3")
_CITATION_KEY = re.compile(r"[0-9]{7,8}")
_PUBMED = re.compile(r"pubmed|medline|nlm|scopus", re.I)
_QUALIFIED = re.compile(r"(.*?)\s*\[(doi|bookaccession)\]", re.I)

Fields = dict[str, list[str]]


def rows(lines: Iterable[str], form: str, id_type: str | None, notes: Notes) -> Iterator[Row]:
    """A row for each record; `form` is `RIS` or `NBIB`."""
    starts, ends = ("TY", "ER") if form == "RIS" else ("PMID", "")
    for number, (line, fields) in enumerate(_records(lines, starts, ends), 1):
        if form == "RIS":
            yield record_row(number, line, _ris_cells(fields, id_type), _ris_facts(fields), notes)
        else:
            yield record_row(number, line, _nbib_cells(fields), _nbib_facts(fields), notes)


def _records(lines: Iterable[str], starts: str, ends: str) -> Iterator[tuple[int, Fields]]:
    """Records with the line each begins on; a value goes on over lines without a tag; a preamble is passed over."""
    fields: Fields = {}
    begun, last = 0, ""
    for line, text in enumerate(lines, 1):
        match = _TAG.match(text.lstrip("\ufeff"))
        if not match:
            if fields and last and text.strip():
                fields[last][-1] += f" {text.strip()}"
            continue
        tag, value = match[1], (match[2] or "").strip()
        if tag == starts and fields:
            yield begun, fields
            fields = {}
        if tag == ends:
            if fields:
                yield begun, fields
            fields, last = {}, ""
        elif fields or tag == starts:
            begun = begun if fields else line
            fields.setdefault(tag, []).append(value)
            last = tag
    if fields:
        yield begun, fields


def _ris_cells(fields: Fields, id_type: str | None) -> list[Cell]:
    cells = [Cell("DO", value, "doi") for value in fields.get("DO", [])]
    # Bare digits in AN are the database's own number, in C2 (Scopus) the PMID; other databases number in digits too.
    database = " ".join(fields.get("DB", []) + fields.get("DP", []))
    numbers = id_type or "pmid" if not database or _PUBMED.search(database) else "url"
    cells += [Cell(tag, value, numbers, loose=True) for tag in ("AN", "C2") for value in fields.get(tag, []) if _short(value)]
    cells += [Cell(tag, value, "url", loose=True) for tag in (*_RIS_ADDRESSES, "M3") for value in fields.get(tag, [])]
    cells += [Cell(tag, value, loose=True, prose=True) for tag in ("M1", "N1") for value in fields.get(tag, [])]
    # ID is mostly a citation key or a running number; it is taken at its word only when nothing else can be.
    alone = all(cell.loose and not re.search("[0-9]", cell.text) for cell in cells)
    for value in fields.get("ID", []):
        cells.append(Cell("ID", value, id_type if alone and _CITATION_KEY.fullmatch(value) else "url", loose=True))
    return cells


def _short(value: str) -> bool:
    """Whether it may be a PMID, if it is a number: EBSCO's accession numbers have nine digits and more."""
    return not value.isdecimal() or len(value) <= 8


def _ris_facts(fields: Fields) -> Facts:
    return facts_of(_first(fields, "ID"), _first(fields, "TI", "T1", "CT"), _first(fields, "AU", "A1"), _first(fields, "PY", "Y1", "DA"))


def _nbib_cells(fields: Fields) -> list[Cell]:
    cells = []
    for tag in ("LID", "AID"):  # values are qualified: "10.1371/journal.pone.0000217 [doi]"
        for value in fields.get(tag, []):
            match = _QUALIFIED.fullmatch(value)
            if match:
                cells.append(Cell(tag, match[1], match[2].lower().replace("bookaccession", "bookid")))
    cells += [Cell("PMID", value, "pmid") for value in fields.get("PMID", [])]
    return cells + [Cell("PMC", value, "pmcid") for value in fields.get("PMC", [])]


def _nbib_facts(fields: Fields) -> Facts:
    return facts_of(_first(fields, "PMID"), _first(fields, "TI", "BTI"), _first(fields, "FAU", "AU"), _first(fields, "DP"))


def _first(fields: Fields, *tags: str) -> str:
    return next((fields[tag][0] for tag in tags if tag in fields), "")
