"""When a file may be continued where an earlier try ended: validators, Content-Range (RFC 9110, sections 8.8, 13.1.5, 14.4)."""

from __future__ import annotations

import re

from scrapy.http import Headers

from litcrawl.wire.parts import Held, Origin, address_of

# What a 206 or 416 need not repeat of the answer that the held bytes came with.
_KEPT = ("Content-Type", "Content-Encoding", "Content-Disposition", "ETag", "Last-Modified")
_CONTENT_RANGE = re.compile(r"bytes (?:(\d{1,18})-(\d{1,18})|\*)/(\d{1,18}|\*)", re.ASCII | re.IGNORECASE)


def origin_of(url: str, headers: Headers, total: int | None) -> Origin:
    """What to remember of a whole answer (200) so that it can be continued later."""
    kept = {name: value for name in _KEPT if (value := _text(headers, name))}
    etag, modified = _text(headers, "ETag"), _text(headers, "Last-Modified")
    if etag is None:
        # A date is a strong validator only if the file was not written in the second it was sent.
        return Origin(address_of(url), modified if modified != _text(headers, "Date") else None, total, kept)
    return Origin(address_of(url), etag if etag.startswith('"') else None, total, kept)


def request_headers(held: Held) -> dict[str, str]:
    """The headers that ask for the rest of what is held, or for the whole if it has changed."""
    return {"Range": f"bytes={held.length}-", "If-Range": held.origin.validator or ""}


def fits(held: Held, status: int, headers: Headers) -> bool:
    """
    Whether an answer goes with what is held of the file.

    A 206 does if it brings exactly the bytes that follow, of the same file; a 416 if it states the length that is held, which
    proves that nothing is missing: the status alone does not.
    """
    start, end, total = _content_range(headers)
    if status == 206:
        aligned = start == held.length and end is not None and end >= start and total in (None, end + 1)
    else:
        aligned = status == 416 and start is None and total == held.length
    return aligned and _same_file(held, headers, total)


def total_of(held: Held, headers: Headers) -> int | None:
    """The length of the whole file, of which a 206 brings the rest or a 416 says that it is all there."""
    _, end, total = _content_range(headers)
    return total or held.origin.total or (end + 1 if end is not None else None)


def whole_headers(held: Held, status: int, headers: Headers) -> Headers:
    """The headers of the whole file, of which this answer brought the rest (206) or said that it is all there (416)."""
    whole = Headers(held.origin.headers)
    if status == 206:  # a 416's own are about its error page
        whole.update(headers)
        for name in ("Content-Range", "Content-Length"):
            whole.pop(name, None)
    return whole


def _text(headers: Headers, name: str) -> str | None:
    value = headers.get(name)
    return value.decode("latin-1").strip() if value else None


def _content_range(headers: Headers) -> tuple[int | None, int | None, int | None]:
    match = _CONTENT_RANGE.fullmatch(_text(headers, "Content-Range") or "")
    if match is None:
        return None, None, None
    start, end, total = (int(number) if number and number != "*" else None for number in match.groups())
    return start, end, total


def _same_file(held: Held, headers: Headers, total: int | None) -> bool:
    known = held.origin
    if known.total is not None and total is not None and total != known.total:
        return False
    if _text(headers, "Content-Encoding") not in (None, known.headers.get("Content-Encoding")):
        return False
    etag, modified = _text(headers, "ETag"), _text(headers, "Last-Modified")
    if (known.validator or "").startswith('"'):
        # A 206 must repeat the ETag (RFC 9110, section 15.3.7); a 416 carries it rarely.
        return etag == known.validator or (etag is None and _content_range(headers)[0] is None)
    return modified in (None, known.validator)
