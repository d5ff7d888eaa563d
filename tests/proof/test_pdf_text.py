"""PDFs of sources that only tell where copies lie: proved by their text as well."""

import pytest
from pdfs import pdf

from litcrawl.exceptions import Miss
from litcrawl.items import Spool
from litcrawl.proof import Content, check
from litcrawl.proof.reading import READER
from litcrawl.terms import Reason, Want

IDS = {"doi": "10.1000/asked"}
TITLES = ("On the proof of what was asked for",)
OTHER = pdf(["Another study of quite other things", "https://doi.org/10.1007/other-1"])
OWN = pdf(["ON THE PROOF OF WHAT WAS ASKED FOR", "Received in May"])
PROVED = ["pdf-header", "pdf-eof"]


@pytest.fixture(scope="module", autouse=True)
def _no_process_is_left():
    yield
    READER.close()


def checks(body, **asked):
    return check(Content(body), Want.PDF, ids=IDS, titles=TITLES, read_text=True, **asked).checks


def test_its_own_text():
    assert checks(OWN) == [*PROVED, "title"]
    assert checks(b"junk" * 100 + OWN) == ["pdf-header", "leading-junk", "pdf-eof", "title"]


def test_another_article_s_text():
    with pytest.raises(Miss) as caught:
        checks(OTHER)
    assert caught.value.reason is Reason.WRONG_ARTICLE


def test_it_is_read_only_where_it_must_be():
    assert check(Content(OTHER), Want.PDF, ids=IDS, titles=TITLES).checks == PROVED
    assert "title" not in check(Content(OWN), Want.SUPPLEMENTARY, filename="a.pdf", ids=IDS, titles=TITLES, read_text=True).checks


def test_what_no_reader_opens_is_kept_and_marked():
    assert checks(b"%PDF-1.5\nnothing that it points at\n%%EOF\n") == [*PROVED, "unread"]


def test_bytes_that_were_announced_otherwise_are_not_read_first():
    with pytest.raises(Miss) as caught:
        checks(OTHER, size_bytes=len(OTHER) + 1)
    assert caught.value.reason is Reason.TRUNCATED


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            b"<!DOCTYPE html><html><head><title>Viewer</title></head><body>Your download will start shortly.</body></html>",
            Reason.WRONG_TYPE,
        ),
        (b'<html><head><meta http-equiv="refresh" content="0; url=/paper.pdf"/></head></html>', Reason.WRONG_TYPE),
        (b"\r\n\r\n  <html><head><title>Sign in</title></head><body><input type='password'/></body></html>", Reason.DENIED),
        (b"<html><head><title>Cookies and your consent</title></head></html>", Reason.DENIED),
        (b"<html><head><title>Just a moment...</title></head></html>", Reason.BLOCKED),
        (b'{"error": "no such bitstream"}', Reason.WRONG_TYPE),
        (b"Not found", Reason.WRONG_TYPE),
        (b"\x1f\x8b\x08\0\0\0\0\0", Reason.WRONG_TYPE),
        (OWN[: len(OWN) // 2], Reason.TRUNCATED),
        (OWN[:-30] + b"</body></html>", Reason.TRUNCATED),
        (b"", Reason.EMPTY),
    ],
)
def test_what_comes_in_place_of_a_pdf_is_named_before_anything_is_read(body, reason):
    with pytest.raises(Miss) as caught:
        checks(body)
    assert caught.value.reason is reason


def test_a_spooled_file(tmp_path):
    path = tmp_path / "part"
    path.write_bytes(OTHER)
    spool = Spool(path=str(path), size=len(OTHER), sha256="", md5="", head=OTHER[:2048], tail=OTHER[-2048:])
    with pytest.raises(Miss) as caught:
        check(Content(spool), Want.PDF, ids=IDS, titles=TITLES, read_text=True)
    assert caught.value.reason is Reason.WRONG_ARTICLE
