"""Small PDFs, made by hand: a line of text a line, one page or many."""

from __future__ import annotations

import zlib
from collections.abc import Sequence


def pdf(*pages: Sequence[str], about: str | None = None) -> bytes:
    """A PDF with these lines on these pages; `about` is its title property."""
    return _file([_drawing(lines) for lines in pages], about)


def bomb(megabytes: int) -> bytes:
    """A PDF of one page whose text is as long as that once unpacked."""
    line = b"BT /F1 1 Tf (again and again) Tj ET\n"
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(line * 10_000) for _ in range(megabytes * (1 << 20) // (10_000 * len(line))))
    return _file([packed + packer.flush()], None, b"/Filter /FlateDecode ")


def _drawing(lines: Sequence[str]) -> bytes:
    shown = (line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)") for line in lines)
    return b"BT /F1 10 Tf 56 780 Td 14 TL\n" + b"".join(b"(" + line + b") '\n" for line in shown) + b"ET"


def _file(streams: Sequence[bytes], about: str | None, filter_: bytes = b"") -> bytes:
    first = 4  # the number of the first page's object; its stream follows it
    kids = b" ".join(b"%d 0 R" % (first + 2 * n) for n in range(len(streams)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(streams)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>",
    ]
    for n, stream in enumerate(streams):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            % (first + 2 * n + 1)
        )
        objects.append(b"<< %s/Length %d >>\nstream\n%s\nendstream" % (filter_, len(stream), stream))
    info = b""
    if about is not None:
        objects.append(b"<< /Title (%s) >>" % about.encode("cp1252"))
        info = b" /Info %d 0 R" % len(objects)
    body, offsets = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", []
    for number, one in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % at for at in offsets)
    size = len(objects) + 1
    tail = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n"
    return body + tail % (size, table, size, info, len(body))
