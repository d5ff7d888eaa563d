"""CSV and TSV with a header, in the standard library's reading of quotes."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from litcrawl.idlists.columns import Columns, known
from litcrawl.idlists.rows import Notes, Row, record_row

DELIMITERS = {",": "CSV, comma", ";": "CSV, semicolon", "\t": "TSV"}


def delimiter_of(line: str) -> str | None:
    """The delimiter by which this first line names known columns; None if it is no header."""
    scored = [(known(_cells(line, each)), len(_cells(line, each)), each) for each in DELIMITERS]
    count, _, best = max(scored, key=lambda each: each[:2])
    return best if count else None


def header(line: str, delimiter: str) -> Columns:
    """The columns that this first line names."""
    return Columns.of(_cells(line, delimiter))


def rows(lines: Iterable[str], delimiter: str, id_type: str | None, notes: Notes) -> Iterator[Row]:
    """A row for each record after the header; records whose fields are all empty are blank lines of a spreadsheet."""
    records = _records(lines, delimiter)
    names = next((values for _, values in records if known(values)), [])  # after comments and Excel's `sep=;`
    columns = Columns.of(names)
    kinds = columns.digits_as(id_type)
    number = 0
    for line, values in records:
        if not any(value.strip() for value in values):
            continue
        number += 1
        yield record_row(number, line, columns.cells(values, kinds), columns.facts_in(values), notes)


def _records(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """
    Records with the line each begins on.

    A quote that is opened and never closed would swallow the records after it. A record over several lines is taken for that when
    it has too few fields while one of its lines alone has enough; so is one that is longer than the csv module lets a field be.
    It is read again line by line, with quotes as they stand.
    """
    held: list[str] = []

    def noted() -> Iterator[str]:
        for text in lines:
            held.append(text)
            yield text

    reader = csv.reader(noted(), delimiter=delimiter)
    line, width = 1, 0
    while True:
        try:
            values = next(reader, None)
        except csv.Error:
            values = None
        if not held:
            return
        if not width and values and known(values):
            width = len(values)
        if values is None or _swallowed(values, held, width, delimiter):
            yield from ((line + offset, text.rstrip("\n").split(delimiter)) for offset, text in enumerate(held))
        else:
            yield line, values
        line += len(held)
        held.clear()


def _swallowed(values: list[str], held: list[str], width: int, delimiter: str) -> bool:
    short = len(values) < width or width == 1
    return short and any(text.count(delimiter) >= width - 1 for text in held[1:])


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []
