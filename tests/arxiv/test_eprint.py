"""What an e-print is by its bytes, whatever its headers say; and what is none."""

import hashlib
import tarfile

import arxivs
import pytest
from lab import jats

from litcrawl.arxiv import eprint
from litcrawl.exceptions import Miss
from litcrawl.items import Spool
from litcrawl.proof.content import Content
from litcrawl.terms import Reason

TEX = b"\\documentclass{article}\\begin{document}x\\end{document}"
TAR = arxivs.tar()
OLD_TAR = arxivs.tar(form=tarfile.USTAR_FORMAT).replace(b"ustar\x0000", b"\0" * 8, 1)
DOCX = b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xml" + b"word/document.xml"
HTML = b"<!DOCTYPE html><html><body>a paper</body></html>"


def old_tar():
    """As the nineties wrote it: without a mark, its checksum alone tells."""
    blank = OLD_TAR[:148] + b" " * 8 + OLD_TAR[156:]
    return OLD_TAR[:148] + b"%06o\0 " % sum(blank[:512]) + OLD_TAR[156:]


def proved(body, *, html=False, encoding=None):
    content, ending, checks = eprint.prove(Content(body), html=html, encoding=encoding)
    return content.body, ending, checks


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        (arxivs.packed(TAR), "tar.gz"),
        (arxivs.packed(old_tar()), "tar.gz"),
        (arxivs.packed(TEX), "gz"),
        (arxivs.packed(b"%!PS-Adobe-2.0"), "gz"),
        (arxivs.packed(HTML), "gz"),
        (arxivs.packed(b""), "gz"),
        (arxivs.packed(TEX) + arxivs.packed(TEX), "gz"),
        (arxivs.pdf("words"), "pdf"),
        (b"%!PS-Adobe-2.0\n", "ps"),
        (DOCX, "docx"),
        (TAR, "tar"),
        (old_tar(), "tar"),
        (TEX, "bin"),
        (b"\x00\x01\x02nobody knows", "bin"),
    ],
)
def test_the_ending_follows_from_the_bytes(body, ending):
    assert proved(body)[:2] == (body, ending)
    assert ending in eprint.MEDIA_TYPES


def test_a_page_is_an_e_print_where_the_record_says_so():
    assert proved(HTML, html=True)[:2] == (HTML, "html")
    assert _missed(HTML) == Reason.WRONG_TYPE


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<html><head><title>Just a moment...</title></head><body></body></html>", Reason.BLOCKED),
        (b"<html><head><title>Log in</title></head><body></body></html>", Reason.DENIED),
        (b"<html><head><title>arXiv.org - Rate exceeded</title></head><body></body></html>", Reason.RATE_LIMITED),
        (b"<html><body><p>Rate exceeded.</p></body></html>", Reason.RATE_LIMITED),
    ],
)
def test_a_page_of_the_service_is_none_of_the_authors(body, reason):
    assert _missed(body, html=True) == reason


def test_what_unfolds_to_too_much_is_kept_unread(monkeypatch):
    monkeypatch.setattr(eprint, "MAX_DECODED", 1 << 20)
    assert proved(arxivs.packed(b"x" * (2 << 20))) == (arxivs.packed(b"x" * (2 << 20)), "gz", [])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", Reason.EMPTY),
        (b"Rate exceeded.", Reason.RATE_LIMITED),
        (b"rate exceeded\n", Reason.RATE_LIMITED),
        (arxivs.packed(TAR)[:-9], Reason.TRUNCATED),
        (arxivs.packed(TEX)[:-1], Reason.TRUNCATED),
        (b"\x1f\x8bnothing", Reason.TRUNCATED),
        (b"%PDF-1.5 no end", Reason.TRUNCATED),
        (b"Rate exceeded. Please slow down.", Reason.RATE_LIMITED),
        (b"Service temporarily overloaded, try again later.\n", Reason.UNAVAILABLE),
        (b"Internal Server Error", Reason.UNAVAILABLE),
        (b'{"error": "internal \\n"}', Reason.UNAVAILABLE),
        (b"<html><title>Log in</title></html>", Reason.DENIED),
        (b"<Error><Code>AccessDenied</Code></Error>", Reason.DENIED),
    ],
)
def test_what_is_no_e_print(body, reason):
    assert _missed(body) == reason


@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "GZIP"])
@pytest.mark.parametrize("body", [arxivs.packed(TAR), arxivs.packed(TEX)])
def test_a_content_encoding_that_tells_of_the_file_itself_is_not_undone(body, coding):
    assert proved(body, encoding=coding)[0] == body


@pytest.mark.parametrize(("body", "ending"), [(arxivs.packed(TAR), "tar.gz"), (arxivs.packed(TEX), "gz"), (arxivs.pdf(), "pdf")])
def test_what_was_packed_for_the_way_alone_is_unpacked(body, ending):
    kept, found, checks = proved(arxivs.packed(body), encoding="gzip")
    assert (kept, found) == (body, ending)
    assert "decoded" in checks


def test_another_coding_is_undone_where_the_bytes_are_nothing_known():
    import zlib

    assert proved(zlib.compress(arxivs.packed(TAR)), encoding="deflate")[:2] == (arxivs.packed(TAR), "tar.gz")
    assert _missed(b"\x0b\x02\x80some brotli\x03", encoding="br") == Reason.TRUNCATED
    assert proved(arxivs.pdf(), encoding="br")[1] == "pdf"
    assert proved(TEX, encoding="identity")[1] == "bin"


def test_a_large_one_is_read_from_the_disk(tmp_path):
    body = arxivs.packed(arxivs.tar(content=bytes(range(256)) * 2000))
    assert eprint.prove(Content(_spool(tmp_path / "a", body)), html=False)[1] == "tar.gz"
    with pytest.raises(Miss, match="truncated"):
        eprint.prove(Content(_spool(tmp_path / "b", body[:-5])), html=False)


def test_the_text_of_an_article_is_no_message():
    assert proved(jats("PMC1"))[1] == "bin"


def _missed(body, **more):
    with pytest.raises(Miss) as missed:
        proved(body, **more)
    return missed.value.reason


def _spool(path, body):
    path.write_bytes(body)
    digest = hashlib.sha256(body).hexdigest()
    return Spool(path=str(path), size=len(body), sha256=digest, md5="", head=body[: Spool.END], tail=body[-Spool.END :])
