"""The text of real PDFs, read in a process of its own that no PDF can hold up."""

import sys

import pytest
from pdfs import bomb, pdf

from litcrawl.items import Spool
from litcrawl.proof import pdfchild
from litcrawl.proof.content import Content
from litcrawl.proof.identity import VOLUME
from litcrawl.proof.reading import Reader

ASKS_TOO_MUCH = "import time\ntime.sleep(600)\n"
TALKS_TOO_MUCH = "import sys\nsys.stdout.buffer.write(b'\\xff' * 100)\nsys.stdout.buffer.flush()\nsys.stdin.buffer.read()\n"
TALKS_NONSENSE = "import sys\nsys.stdout.buffer.write(b'\\0\\0\\0\\5[1,2]')\nsys.stdout.buffer.flush()\nsys.stdin.buffer.read()\n"
TELLS_ITS_SECRETS = """import json, os, struct, sys
sys.stdin.buffer.read(8)
text = json.dumps({"count": 1, "pages": sorted(os.environ), "about": []}).encode()
sys.stdout.buffer.write(struct.pack(">I", len(text)) + text)
sys.stdout.buffer.flush()
sys.stdin.buffer.read()
"""


@pytest.fixture
def reader():
    reader = Reader()
    yield reader
    reader.close()


@pytest.fixture
def other(tmp_path):
    """A reader whose process runs another program."""
    made = []

    def start(program: str, seconds: float = 20) -> Reader:
        path = tmp_path / "program.py"
        path.write_text(program)
        made.append(Reader(path, seconds))
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_the_text_of_each_page_and_what_the_file_says_of_itself(reader):
    pages = reader.read(Content(pdf(["A Title", "doi 10.1000/x"], ["Second page"], about="Its title")))
    assert pages is not None
    assert (pages.count, [text.split() for text in pages.texts]) == (2, [["A", "Title", "doi", "10.1000/x"], ["Second", "page"]])
    assert pages.about == ("Its title",)


def test_no_more_than_the_first_pages_and_the_front_of_a_volume(reader):
    assert pdfchild.VOLUME == VOLUME
    short = reader.read(Content(pdf(*([f"page {n}"] for n in range(VOLUME - 1)))))
    long = reader.read(Content(pdf(*([f"page {n}"] for n in range(VOLUME)))))
    assert (short.count, len(short.texts)) == (VOLUME - 1, pdfchild.FIRST)
    assert (long.count, len(long.texts)) == (VOLUME, pdfchild.FRONT)


def test_no_more_than_the_beginning_of_a_page(reader):
    (text,) = reader.read(Content(pdf(["word " * 10] * 1000))).texts
    assert len(text) <= pdfchild.MOST


def test_a_spooled_file_is_read_from_its_path(reader, tmp_path):
    body = pdf(["On disk"])
    path = tmp_path / "päth part"
    path.write_bytes(body)
    spool = Spool(path=str(path), size=len(body), sha256="", md5="", head=body[:100], tail=body[-100:])
    assert "On disk" in reader.read(Content(spool)).texts[0]


@pytest.mark.parametrize("body", [b"%PDF-1.5\nnothing\n%%EOF", b"", b"<html></html>", pdf(["x"])[:400]])
def test_what_cannot_be_read_is_none_and_the_next_file_is_read(reader, body):
    assert reader.read(Content(body)) is None
    assert reader.read(Content(pdf(["Next"]))) is not None


def test_junk_before_the_header_is_no_hindrance(reader):
    assert "Text" in reader.read(Content(b"<html>" * 50 + pdf(["Text"]))).texts[0]


@pytest.mark.skipif(sys.platform == "win32", reason="no bound on memory there")
def test_a_file_that_asks_for_too_much_memory_costs_its_process_and_no_more(reader):
    assert reader.read(Content(bomb(200))) is None
    assert reader.read(Content(pdf(["Next"]))) is not None


def test_a_file_that_takes_too_long_is_given_up(other):
    assert other(ASKS_TOO_MUCH, seconds=0.3).read(Content(pdf(["x"] * 5000))) is None


@pytest.mark.parametrize("program", ["", "raise SystemExit(3)", TALKS_TOO_MUCH, TALKS_NONSENSE])
def test_a_process_that_does_not_answer_as_it_should_is_not_believed(other, program):
    assert other(program).read(Content(pdf(["x"]))) is None


def test_the_process_never_sees_the_crawl_s_keys(other, monkeypatch):
    monkeypatch.setenv("LITCRAWL_ELSEVIER_API_KEY", "secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    seen = other(TELLS_ITS_SECRETS).read(Content(b"")).texts
    assert "PATH" in seen
    assert not [name for name in seen if name.startswith(("LITCRAWL_", "AWS_"))]


def test_a_reader_that_was_closed_reads_again(reader):
    assert reader.read(Content(pdf(["One"]))) is not None
    reader.close()
    assert reader.read(Content(pdf(["Two"]))) is not None
