"""BibTeX, read by bibtexparser one entry at a time: lazily, with the entry's line, and one broken entry costs no other."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator

from bibtexparser.model import DuplicateFieldKeyBlock, Entry, ParsingFailedBlock
from bibtexparser.splitter import Splitter

from litcrawl.exceptions import BadIdentifier
from litcrawl.idlists.rows import Cell, Facts, Notes, Row, bad_row, facts_of, record_row

ENTRY = re.compile(r"\s*@\s*([A-Za-z]+)\s*[{(]")

_NOT_ARTICLES = frozenset({"comment", "string", "preamble"})
_EPRINT_KIND = {"pubmed": "pmid", "pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "doi": "doi"}

# What it cannot read is told to the user by the row, not by a traceback's worth of warnings.
logging.getLogger("bibtexparser").setLevel(logging.ERROR)


def rows(lines: Iterable[str], notes: Notes) -> Iterator[Row]:
    """A row for each entry; `@comment`, `@string` and `@preamble` are none."""
    for number, (line, text) in enumerate(_entries(lines), 1):
        entry = _entry(text)
        if entry is None:
            yield bad_row(number, line, text.strip().split("\n", 1)[0], BadIdentifier("malformed", "not a readable BibTeX entry"))
            continue
        fields = {field.key.lower(): _bare(str(field.value)) for field in entry.fields}
        yield record_row(number, line, _cells(fields), _facts(entry.key, fields), notes)


def _entries(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The text of each entry, from its `@` at the beginning of a line to the next one's, with its line."""
    begun, held = 0, ""
    for line, text in enumerate(lines, 1):
        match = ENTRY.match(text)
        if match:
            if held:
                yield begun, held
            begun, held = line, ("" if match[1].lower() in _NOT_ARTICLES else text)
        elif held:
            held += text
    if held:
        yield begun, held


def _entry(text: str) -> Entry | None:
    for block in Splitter(text).split().blocks:
        if isinstance(block, Entry):
            return block
        if isinstance(block, DuplicateFieldKeyBlock | ParsingFailedBlock) and isinstance(block.ignore_error_block, Entry):
            return block.ignore_error_block
    return None


def _bare(value: str) -> str:
    value = value.strip()
    while len(value) > 1 and (value[0], value[-1]) in (("{", "}"), ('"', '"')):
        value = value[1:-1].strip()
    return value


def _cells(fields: dict[str, str]) -> list[Cell]:
    cells = [Cell(name, fields[name], name) for name in ("doi", "pmid", "pmcid") if name in fields]
    if "eprint" in fields:
        kind = fields.get("eprinttype", fields.get("archiveprefix", "arxiv")).lower()
        cells.append(Cell("eprint", fields["eprint"], _EPRINT_KIND.get(kind, "arxiv"), loose=kind != "arxiv"))
    return [*cells, Cell("url", fields["url"], "url", loose=True)] if "url" in fields else cells


def _facts(key: str, fields: dict[str, str]) -> Facts:
    title = re.sub(r"[{}]", "", fields.get("title", ""))
    return facts_of(key, title, re.sub(r"[{}]", "", fields.get("author", "")), fields.get("year", fields.get("date", "")))
