"""Find and judge a list before the first request: where it is, what form it has, why it cannot be read."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TextIO

from litcrawl.exceptions import BadArgument, BadIdentifier
from litcrawl.idlists import bibtex, jsonlines, lines, tables, tagged, text
from litcrawl.idlists.rows import GUESSED, Notes, Row

ID_TYPES = ("pmid", "pmcid")

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.I)
_WEB_PAGE = re.compile(r"\s*<(?:!doctype|html|\?xml)", re.I)
_JSON_DOCUMENT = re.compile(r"\s*(?:\[\s*(?:\{|$)|\{\s*$)")
_SHOWN = 80

Reader = Callable[[TextIO], Iterator[Row]]


@dataclass(slots=True)
class IdList:
    """
    A list of identifiers, found and judged.

    `form` is what it is in words (`CSV, semicolon`; `RIS`; `plain lines`; `inline`), `name` where it is; `size` its bytes, None for
    a stream; `notes` what there is to say of it as a whole, complete when the rows have been read.
    """

    name: str
    form: str
    size: int | None
    notes: list[str] = field(default_factory=list)
    _start: Callable[[], Iterator[Row]] = field(kw_only=True, repr=False)

    def rows(self) -> Iterator[Row]:
        """
        The rows, lazily; a file's as often as wanted, a stream's once.

        Plain dicts: `row, line, field, raw, record_id, title, author, year, version, repairs, ids, reason, detail, conflicts`. `ids`
        is an `Ids`, or None where `reason` (`no-identifier`, `malformed`, `ambiguous`) and `detail` say why not.
        """
        return self._start()


def open_list(value: str, *, id_type: str | None = None, stdin: BinaryIO | None = None) -> IdList:
    """
    The list that `value` names: a file, `-` for standard input, or the identifiers themselves.

    Raises `BadArgument`, one line for the user, for whatever can be known to be wrong before the first request. Of a
    stream only the head is read for that.
    """
    if id_type is not None and id_type not in ID_TYPES:
        raise BadArgument(f"id_type={id_type}: must be one of {', '.join(ID_TYPES)}")
    value = value.strip()
    if not value:
        raise BadArgument("ids is empty: give a file, - or identifiers")
    if value == "-":
        return _stream("standard input", stdin or _stdin(), id_type)
    mode = _mode(value)
    if mode is not None and not stat.S_ISDIR(mode):
        return _file(value, id_type) if stat.S_ISREG(mode) else _stream(value, _opened(value), id_type)
    notes = Notes()
    try:
        parts = lines.split(value, id_type)
    except BadIdentifier as bad:
        raise BadArgument(_not_there(value, bad, folder=mode is not None)) from None
    if any(parsed.guessed for _, parsed in parts):
        notes.add(GUESSED)
    return IdList("identifiers given", "inline", len(value), notes, _start=lambda: lines.inline(parts))


def _stdin() -> BinaryIO:
    """Unbuffered: who ends while a thread waits inside the interpreter's own buffer is ended by it with a fatal error."""
    return getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)


def _path(value: str) -> Path:
    return Path(os.path.expanduser(value))  # noqa: PTH111 - a shell leaves the ~ of `ids=~/list` to us; Path's own raises without a home


def _mode(value: str) -> int | None:
    try:
        return _path(value).stat().st_mode
    except (OSError, ValueError):  # absent, a name too long for the system, a NUL: not a file
        return None


def _not_there(value: str, bad: BadIdentifier, *, folder: bool) -> str:
    value = " ".join(value.split())
    shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
    scheme = _SCHEME.match(value)
    if folder:
        return f"ids={shown} is a folder: name a file in it"
    if scheme:
        return f"ids={shown}: {scheme[1].lower()}:// is not read by this version: give a file, - for standard input, or identifiers"
    return f"ids={shown}: there is no such file, and it does not read as identifiers ({bad})"


def _opened(name: str) -> BinaryIO:
    try:
        return _path(name).open("rb")
    except OSError as error:
        raise BadArgument(f"ids={name} cannot be read: {error.strerror or error}") from None


def _file(name: str, id_type: str | None) -> IdList:
    with _opened(name) as stream:
        try:
            head = stream.read(text.HEAD)
        except OSError as error:
            raise BadArgument(f"ids={name} cannot be read: {error.strerror or error}") from None
        size = _path(name).stat().st_size
    encoding = _encoding(head, f"ids={name}")
    notes = _encoding_notes(head, encoding)
    form, read = _form(head, encoding, f"ids={name}", id_type, notes)

    def start() -> Iterator[Row]:
        with text.decoded(_opened(name), encoding) as lines_:
            yield from read(lines_)

    return IdList(name, form, size, notes, _start=start)


def _stream(name: str, stream: BinaryIO, id_type: str | None) -> IdList:
    head = _head_of(stream)
    encoding = _encoding(head, name)
    notes = _encoding_notes(head, encoding)
    form, read = _form(head, encoding, name, id_type, notes)
    whole = text.decoded(io.BufferedReader(text.Rejoined(head, stream)), encoding)

    def start() -> Iterator[Row]:
        with whole:
            yield from read(whole)

    return IdList(name, form, None, notes, _start=start)


def _head_of(stream: BinaryIO) -> bytes:
    """As much as it takes to judge the form; what comes later is not waited for, since its producer may be slow."""
    head = b""
    while len(head) < text.HEAD:
        more = getattr(stream, "read1", stream.read)(text.HEAD - len(head))
        head += more
        if not more or _tells(head.rpartition(b"\n")[0].decode(errors="replace")):
            break
    return head


def _tells(head: str) -> bool:
    """Whether these whole lines show their form; a preamble and comments do not."""
    shown = _shown(head.splitlines())
    if not shown:
        return False
    return _form_of(shown) != "plain lines" or shown[0].lstrip().startswith(("{", "[", "<")) or lines.reads(shown[0])


def _encoding(head: bytes, name: str) -> str:
    if not head.strip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"):
        raise BadArgument(f"{name} is empty")
    return text.encoding_of(head, name)


def _encoding_notes(head: bytes, encoding: str) -> Notes:
    notes = Notes()
    if encoding == "utf-8-sig" and not text.is_utf8(head):
        notes.add("not UTF-8: read as Latin-1 (Windows-1252)")
    return notes


def _form(head: bytes, encoding: str, name: str, id_type: str | None, notes: Notes) -> tuple[str, Reader]:
    """What the content says it is, and how that is read; the file's extension says nothing."""
    with text.decoded(io.BytesIO(head), encoding) as lines_:
        shown = _shown(lines_)
    if not shown:
        return "plain lines", lambda stream: lines.rows(stream, id_type, notes)
    if _WEB_PAGE.match(shown[0]):
        raise BadArgument(f"{name} is a web page or XML, not a list of identifiers: export CSV, RIS, NBIB or BibTeX")
    if _JSON_DOCUMENT.match(shown[0]):
        raise BadArgument(f"{name} is one JSON document, not JSON lines: write one object a line")
    form = _form_of(shown)
    match form:
        case "JSON lines":
            return form, lambda stream: jsonlines.rows(stream, id_type, notes)
        case "RIS" | "NBIB":
            return form, lambda stream: tagged.rows(stream, form, id_type, notes)
        case "BibTeX":
            return form, lambda stream: bibtex.rows(stream, notes)
        case "plain lines":
            return form, lambda stream: lines.rows(stream, id_type, notes)
    delimiter = tables.delimiter_of(shown[0]) or ","
    columns = tables.header(shown[0], delimiter)
    if not columns.identifiers:
        raise BadArgument(f"{name} is a table without a column of identifiers (doi, pmid, pmcid, …): {', '.join(columns.names)[:200]}")
    return form, lambda stream: tables.rows(stream, delimiter, id_type, notes)


def _shown(head: Iterable[str]) -> list[str]:
    """The lines of the head that show the form: not blank, no comment, not Excel's own `sep=;`."""
    shown = [line.rstrip("\r\n").removeprefix("\ufeff") for line in head if line.strip()]
    return [line for line in shown if not line.lower().startswith("sep=") and (line[0] != "#" or tables.delimiter_of(line))]


def _form_of(shown: list[str]) -> str:
    if shown[0].lstrip().startswith("{"):
        return "JSON lines"
    delimiter = tables.delimiter_of(shown[0])
    if delimiter:
        return tables.DELIMITERS[delimiter]
    for line in shown:
        if tagged.RIS_START.match(line):
            return "RIS"
        if tagged.NBIB_START.match(line):
            return "NBIB"
        if bibtex.ENTRY.match(line):
            return "BibTeX"
    return "plain lines"
