import io
import os
import stat
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from litcrawl.exceptions import BadArgument
from litcrawl.idlists import open_list
from litcrawl.ids import Ids

NATURE = Ids(doi="10.1038/nature12384")


def written(folder: Path, content: str | bytes, name: str = "ids.txt") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ("10.1038/nature12384", [NATURE]),
        ("10.1038/nature12384 31452104", [NATURE, Ids(pmid="31452104")]),
        ("10.1038/nature12384,31452104, PMC6561843", [NATURE, Ids(pmid="31452104"), Ids(pmcid="PMC6561843")]),
        ("10.1038/nature12384 10.1038/nature12384", [NATURE, NATURE]),
        ("10.1000/a,b", [Ids(doi="10.1000/a,b")]),
        ("10.1000/a,b,10.1000/c", [Ids(doi="10.1000/a,b"), Ids(doi="10.1000/c")]),
        ("PMID: 31452104, DOI 10.1038/nature12384,", [Ids(pmid="31452104"), NATURE]),
        ("PMC6561843.2 ; pmc6561843", [Ids(pmcid="PMC6561843")] * 2),
        ("10.1577/1548-8659(1981)110<446:EOTOFR>2.0.CO;2", [Ids(doi="10.1577/1548-8659(1981)110<446:eotofr>2.0.co;2")]),
        ("https://doi.org/10.1038/nature12384", [NATURE]),
    ],
)
def test_inline_identifiers(value: str, ids: list[Ids]) -> None:
    opened = open_list(value)
    assert opened.form == "inline"
    rows = list(opened.rows())
    assert [row["ids"] for row in rows] == ids
    assert [row["row"] for row in rows] == list(range(1, len(ids) + 1))
    assert all(row["line"] is None and row["field"] is None for row in rows)


def test_bare_digits_are_noted_once() -> None:
    opened = open_list("31452104 31452105")
    assert len(opened.notes) == 1
    assert [row["ids"].pmcid for row in open_list("31452104", id_type="pmcid").rows()] == ["PMC31452104"]
    assert open_list("31452104", id_type="pmid").notes == []


def test_a_value_that_names_a_file_is_that_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "10.1038/nature12384\n", "31452104")
    assert [row["ids"] for row in open_list("31452104").rows()] == [NATURE]
    (tmp_path / "10.1000").mkdir()
    (tmp_path / "10.1000/a").mkdir()
    assert [row["ids"] for row in open_list("10.1000/a").rows()] == [Ids(doi="10.1000/a")]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "empty"),
        ("missing.txt", "no such file"),
        ("10.1038/nature12384 nonsense", "no such file.*nonsense: no DOI"),
        ("one\ntwo", "one two"),
        ("x" * 5000, "no such file"),
        ("nul\0byte", "no such file"),
        ("https://example.org/ids.txt", "https:// is not read"),
        ("s3://bucket/ids.txt", "s3:// is not read"),
        ("kafka://host/topic", "kafka:// is not read"),
        ("redis://host/0", "redis:// is not read"),
    ],
)
def test_a_value_that_names_nothing(value: str, said: str) -> None:
    with pytest.raises(BadArgument, match=said) as bad:
        open_list(value)
    assert "\n" not in str(bad.value)
    assert len(str(bad.value)) < 300


def test_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    written(tmp_path, "10.1038/nature12384\n")
    assert [row["ids"] for row in open_list("~/ids.txt").rows()] == [NATURE]


def test_wrong_id_type() -> None:
    with pytest.raises(BadArgument, match="pmid, pmcid"):
        open_list("1", id_type="doi")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b" \r\n\n\t", "empty"),
        (b"\xef\xbb\xbf\r\n", "empty"),
        (b"PK\x03\x04\x14\x00", "save it as CSV"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "save it as CSV"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"\x1f\x8b\x08\x00", "unpack it"),
        (b"abc\x00\x01\x02def" * 10, "binary"),
        (b"<!DOCTYPE html><p>10.1038/nature12384", "web page or XML"),
        (b'<?xml version="1.0"?><xml/>', "web page or XML"),
        (b'[{"DOI": "10.1038/nature12384"}]', "JSON lines"),
        (b'[\n  {"DOI": "10.1038/nature12384"}\n]', "JSON lines"),
        (b'{\n  "DOI": "10.1038/nature12384"\n}', "JSON lines"),
        (b"Title,Authors,Year\nA,B,2013\n", "without a column of identifiers"),
    ],
)
def test_content_that_is_no_list(tmp_path: Path, content: bytes, said: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(BadArgument, match=said) as bad:
        open_list(path)
    assert "\n" not in str(bad.value)


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="folder"):
        open_list(str(tmp_path))


@pytest.mark.skipif(os.name == "nt" or (hasattr(os, "geteuid") and os.geteuid() == 0), reason="root and Windows read it all the same")
def test_an_unreadable_file(tmp_path: Path) -> None:
    path = written(tmp_path, "10.1038/nature12384")
    Path(path).chmod(0)
    with pytest.raises(BadArgument, match="cannot be read"):
        open_list(path)


TABLE = "DOI;Title;Year\r\n10.1038/nature12384;Überblick;2013\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    opened = open_list(written(tmp_path, TABLE.encode(encoding)))
    assert opened.form == "CSV, semicolon"
    (row,) = opened.rows()
    assert (row["ids"], row["title"], row["line"], row["field"], row["raw"]) == (NATURE, "Überblick", 2, "DOI", "10.1038/nature12384")
    assert bool(opened.notes) == (encoding == "latin-1")


def test_a_stray_windows_byte_late_in_a_file(tmp_path: Path) -> None:
    content = b"10.1038/nature12384\n" * 10_000 + b"10.1007/s10711\x96018\x960327\x964\n" + "10.1234/é\n".encode()
    *_, stray, last = open_list(written(tmp_path, content)).rows()
    assert stray["ids"] == Ids(doi="10.1007/s10711-018-0327-4")
    assert last["ids"] == Ids(doi="10.1234/é")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path: Path, end: str) -> None:
    rows = list(open_list(written(tmp_path, end.join(["10.1/a", "", "10.1/b", ""]))).rows())
    assert [(row["line"], row["raw"]) for row in rows] == [(1, "10.1/a"), (3, "10.1/b")]


def test_content_decides_not_the_extension(tmp_path: Path) -> None:
    assert open_list(written(tmp_path, "10.1/a\n", "list.csv")).form == "plain lines"
    assert open_list(written(tmp_path, "TY  - JOUR\nDO  - 10.1/a\nER  - \n", "list.txt")).form == "RIS"
    assert open_list(written(tmp_path, "\n\nPMID- 31452104\n", "list.csv")).form == "NBIB"
    assert open_list(written(tmp_path, "% Encoding: UTF-8\n\n@Article{a,\n doi={10.1/a}}\n", "list.ris")).form == "BibTeX"
    assert open_list(written(tmp_path, '{"doi": "10.1/a"}\n', "list")).form == "JSON lines"
    assert open_list(written(tmp_path, "PMID\tTitle\n1\ta\n", "list")).form == "TSV"
    assert open_list(written(tmp_path, "Provider: X\nDatabase: Y\n\nTY  - JOUR\nDO  - 10.1/a\nER  - \n")).form == "RIS"


def test_a_file_may_be_read_again(tmp_path: Path) -> None:
    opened = open_list(written(tmp_path, "10.1/a\n10.1/b\n"))
    assert list(opened.rows()) == list(opened.rows())
    assert opened.size == 14


class Pipe(io.RawIOBase):
    """A producer that hands out one piece at a time, and tells how many it was asked for."""

    def __init__(self, pieces: list[bytes]):
        self._pieces = iter(pieces)
        self.handed = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece = next(self._pieces, b"")
        self.handed += bool(piece)
        buffer[: len(piece)] = piece
        return len(piece)


def test_standard_input_is_not_waited_for() -> None:
    pipe = Pipe([b"10.1/a\n", b"10.1/b\n", b"10.1/c\n"])
    opened = open_list("-", stdin=io.BufferedReader(pipe))
    assert (opened.form, opened.size, pipe.handed) == ("plain lines", None, 1)
    rows = opened.rows()
    assert next(rows)["ids"] == Ids(doi="10.1/a")
    assert pipe.handed < 3
    assert [row["ids"].doi for row in rows] == ["10.1/b", "10.1/c"]


def test_standard_input_of_a_form_that_shows_late() -> None:
    pipe = Pipe([b"% made by hand\n", b"\n@article{a, doi = {10.1/a}}\n", b"@article{b, doi = {10.1/b}}\n"])
    opened = open_list("-", stdin=io.BufferedReader(pipe))
    assert opened.form == "BibTeX"
    assert [(row["line"], row["ids"].doi) for row in opened.rows()] == [(3, "10.1/a"), (4, "10.1/b")]


def test_standard_input_in_utf_16() -> None:
    opened = open_list("-", stdin=io.BytesIO(TABLE.encode("utf-16")))
    assert [row["ids"] for row in opened.rows()] == [NATURE]


def test_empty_standard_input() -> None:
    with pytest.raises(BadArgument, match="standard input is empty"):
        open_list("-", stdin=io.BytesIO(b""))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert stat.S_ISFIFO(path.stat().st_mode)
    writer = os.open(path, os.O_RDWR)
    os.write(writer, b"10.1/a\n10.1/b\n")
    opened = open_list(str(path))
    os.close(writer)
    assert [row["ids"].doi for row in opened.rows()] == ["10.1/a", "10.1/b"]


def test_rows_are_read_in_flat_memory(tmp_path: Path) -> None:
    path = written(tmp_path, "".join(f"10.1371/journal.pone.{number:07}\n" for number in range(100_000)))

    def peak(rows: Iterator[object], count: int) -> int:
        tracemalloc.reset_peak()
        for _ in range(count):
            next(rows)
        return tracemalloc.get_traced_memory()[1]

    rows = open_list(path).rows()
    tracemalloc.start()
    try:
        first, rest = peak(rows, 1_000), peak(rows, 99_000)
    finally:
        tracemalloc.stop()
    assert rest < first + 100_000
