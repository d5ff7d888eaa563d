import gzip
import io
import tarfile
import zipfile

import pytest

from litcrawl.media_types import is_html, media_type, media_type_of_name, role
from litcrawl.terms import Role

OOXML = "application/vnd.openxmlformats-officedocument"


def packed(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, b"x" * 50)
    return buffer.getvalue()


def tar() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a"), io.BytesIO())
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (b"%PDF-1.4\n", "a.doc", "application/pdf"),
        (b"junk before\n%PDF-1.4\n", "a.bin", "application/pdf"),
        (packed("[Content_Types].xml", "word/document.xml"), None, f"{OOXML}.wordprocessingml.document"),
        (packed("[Content_Types].xml", "xl/workbook.xml"), "download", f"{OOXML}.spreadsheetml.sheet"),
        (packed("data.bin"), "s1.docx", f"{OOXML}.wordprocessingml.document"),
        (packed("word/a.txt"), "s1.zip", "application/zip"),
        (packed("data.csv"), "s1.csv", "application/zip"),
        (b"PK\x03\x04" + b"\0" * 26 + b"mimetypeapplication/epub+zipPK", None, "application/epub+zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.xls", "application/vnd.ms-excel"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.xlsx", "application/x-ole-storage"),
        (b"{\\rtf1", "a.doc", "application/rtf"),
        (gzip.compress(b"x"), "a.tar.gz", "application/gzip"),
        (gzip.compress(b"x"), "a.csv", "application/gzip"),
        (gzip.compress(b"x"), "a.RData", "application/x-r-data"),
        (tar(), None, "application/x-tar"),
        (b"II*\0", "a.jpg", "image/tiff"),
        (b"RIFF\0\0\0\0WEBPVP8 ", None, "image/webp"),
        (b"RIFF\0\0\0\0AVI LIST", "a.wav", "video/x-msvideo"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0", "a.mov", "video/mp4"),
        (b"\0\0\0\x14ftypqt  \0\0\0\0", "a.mp4", "video/quicktime"),
        (b"\x89HDF\r\n\x1a\n", "a.mat", "application/x-matlab-data"),
        (b"a,b\n1,2\n", "a.csv", "text/csv"),
        (b"a,b\n1,2\n", "a.xlsx", "text/plain"),
        ("naïve".encode("latin-1"), "README", "text/plain"),
        ("a\tb".encode("utf-16"), "a.tsv", "text/tab-separated-values"),
        (b"<?xml version='1.0'?><article>", "a.txt", "application/xml"),
        (b"\xef\xbb\xbf<sbml xmlns='x'>", "a.sbml", "application/sbml+xml"),
        (b"<!-- x --><svg xmlns='http://www.w3.org/2000/svg'>", "a.xml", "image/svg+xml"),
        (b"\n<!DOCTYPE html><html>", "a.pdf", "text/html"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">', "a.xml", "text/html"),
        (b'{"a": 1}', "a.json", "application/json"),
        (bytes(range(256)), "a.sav", "application/x-spss-sav"),
        (bytes(range(256)), "a.csv", "application/octet-stream"),
        (bytes(range(256)), None, "application/octet-stream"),
        (b"", None, "application/octet-stream"),
        (b"< 5 and more", "a.txt", "text/plain"),
        (b"BM stands for bone marrow", "a.txt", "text/plain"),
    ],
)
def test_bytes_first_then_the_name(head, name, expected):
    assert media_type(head, name) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"<HTML>", True),
        (b"<!doctype HTML>", True),
        (b"<script>", True),
        (b"<article>", False),
        (b"<header>", False),
        (b"text <html>", False),
    ],
)
def test_html(head, expected):
    assert is_html(head) is expected


@pytest.mark.parametrize(
    ("name", "expected"), [("A.PDF", "application/pdf"), ("a.tar.gz", "application/gzip"), ("README", None), (None, None)]
)
def test_what_a_name_stands_for(name, expected):
    assert media_type_of_name(name) == expected


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("image/jpeg", None, Role.FIGURE),
        ("video/mp4", None, Role.MEDIA),
        ("audio/mpeg", "a", Role.MEDIA),
        ("text/csv", None, Role.DATA),
        ("application/zip", None, Role.DATA),
        (f"{OOXML}.spreadsheetml.sheet", None, Role.DATA),
        ("application/pdf", None, Role.OTHER),
        (f"{OOXML}.wordprocessingml.document", None, Role.OTHER),
        ("application/octet-stream", "a.mp4", Role.MEDIA),
        ("application/octet-stream", "a.unknown", None),
        (None, None, None),
    ],
)
def test_roles(kind, name, expected):
    assert role(kind, name) == expected
