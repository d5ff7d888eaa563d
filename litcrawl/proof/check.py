"""The proof of a file: by kind, with what its bytes say of themselves, or `Miss` with the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from lxml import etree

from litcrawl import media_types
from litcrawl.exceptions import Exhausting, Malformed, Miss
from litcrawl.parsers import elsevier, jats, json, s3, xml
from litcrawl.proof import identity
from litcrawl.proof.content import MAX_DECODED, Content, undo
from litcrawl.proof.reading import READER
from litcrawl.proof.walls import page
from litcrawl.terms import Reason, Want

READERS: dict[str, tuple[str, Callable[[etree._Element], dict[str, Any]]]] = {
    **dict.fromkeys(jats.ROOTS, (media_types.JATS, jats.evidence)),
    **dict.fromkeys(elsevier.ROOTS, (media_types.ELSEVIER, elsevier.evidence)),
}
"""What reads a full text, by its root element: its media type, and the function that gives its evidence."""

_PDF_HEADER = re.compile(rb"%PDF-\d")
_PDF_END = 2048
_MESSAGE = 64 << 10  # an error message is no longer
_IDS = ("doi", "pmid", "pmcid", "bookid")


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What was proved: the media type by the bytes, what the file says of itself, each check that it passed, and the bytes to be kept."""

    media_type: str
    checks: list[str]
    content: Content
    evidence: dict[str, Any] = field(default_factory=dict)


def check(
    content: Content,
    want: Want,
    *,
    roots: frozenset[str] = jats.ROOTS,
    ids: Mapping[str, str | None] | None = None,
    filename: str | None = None,
    size_bytes: int | None = None,
    md5: str | None = None,
    encoding: str | None = None,
    titles: Iterable[str] = (),
    read_text: bool = False,
    most: int = MAX_DECODED,
) -> Proof:
    """
    Prove that `content` is the `want` that was asked for, or raise `Miss` with the reason.

    `roots` are the root elements the source may send, `ids` the identifiers asked for, `filename`, `size_bytes` and `md5` what a
    listing announced, `encoding` a Content-Encoding that came unasked: it is undone only when the bytes fail as they are, and up
    to `most` bytes. With `read_text` the first pages of a PDF are read: they must not be those of another article than `ids` and
    `titles` name.
    """
    if not content.size:
        raise Miss(Reason.EMPTY)
    try:
        proof = _prove(content, want, roots, ids or {}, filename, encoding)
    except Miss as miss:
        if not encoding or encoding.strip().lower() == "identity":
            raise _in_view_of_listing(miss, content, size_bytes, md5) from None
        plain = undo(content, encoding, most)
        if not plain.size:
            raise Miss(Reason.EMPTY, "nothing once decoded") from miss
        proof = _prove(plain, want, roots, ids or {}, filename, None)
        proof.checks.append("decoded")
        if (size_bytes, md5) != (None, None) and size_bytes in (None, plain.size) and (md5 or "").lower() in ("", plain.md5):
            content = plain  # what was announced is the file, not its packed form
    proof.checks.extend(_complete(content, size_bytes, md5))
    if read_text and want is Want.PDF:
        pages = READER.read(proof.content)
        proof.checks.extend(identity.compare(pages, ids or {}, titles) if pages else ["unread"])
    return proof


def _prove(
    content: Content, want: Want, roots: frozenset[str], ids: Mapping[str, str | None], filename: str | None, encoding: str | None
) -> Proof:
    if want is Want.XML:
        return _full_text(content, roots, ids)
    if want is Want.PDF:
        return _pdf(content)
    if want is Want.TEXT:
        return _text(content)
    return _any_file(content, filename, encoding)


def _in_view_of_listing(miss: Miss, content: Content, size_bytes: int | None, md5: str | None) -> Miss:
    """A listing tells a file that was cut on the way, to be tried again, from one that is broken where it lies."""
    if size_bytes is None or miss.reason not in (Reason.TRUNCATED, Reason.UNREADABLE):
        return miss
    if content.size < size_bytes:
        return Miss(Reason.TRUNCATED, f"{content.size} of {size_bytes} bytes")
    if content.size == size_bytes and (not md5 or content.md5 == md5.lower()):
        return Miss(Reason.UNREADABLE, f"as listed, yet: {miss.detail}")
    return miss


def _complete(content: Content, size_bytes: int | None, md5: str | None) -> list[str]:
    """Checks of what was announced; shorter or other bytes are `truncated`."""
    checks = []
    if size_bytes is not None:
        if content.size < size_bytes:
            raise Miss(Reason.TRUNCATED, f"{content.size} of {size_bytes} bytes")
        checks.append("size" if content.size == size_bytes else "longer-than-announced")
    if md5:
        if content.md5 != md5.lower():
            raise Miss(Reason.TRUNCATED, "not the bytes that were listed: MD5 differs")
        checks.append("md5")
    return checks


def _full_text(content: Content, roots: frozenset[str], ids: Mapping[str, str | None]) -> Proof:
    if media_types.is_html(content.head):
        raise page(content.head)
    try:
        document = content.document()
    except Exhausting as error:
        raise Miss(Reason.TOO_LARGE, str(error)) from error
    except Malformed as error:
        raise _not_xml(content, error) from error
    root, name = document.root, xml.local_name(document.root)
    if name not in roots:
        _refuse(root)
    if document.cut:
        raise Miss(Reason.TRUNCATED, document.note)
    checks = [f"repaired-xml@{document.offset}" if document.repaired else "well-formed"]
    media_type, read = READERS.get(name, (media_types.XML, _unread))
    evidence = read(root)
    if not evidence.get("has_body", True):
        raise Miss(Reason.ABSTRACT_ONLY)
    checks.append("raw-text" if evidence.get("raw_text") else "body")
    if _compare(evidence.get("ids", {}), ids):
        checks.append("ids")
    return Proof(media_type=media_type, evidence=evidence, checks=checks, content=content)


def _unread(root: etree._Element) -> dict[str, Any]:
    return {"root": xml.local_name(root)}


def _not_xml(content: Content, error: Malformed) -> Miss:
    start = content.head.lstrip()[:1]
    if start == b"<":
        cut = not content.tail.rstrip().endswith(b">")
        return Miss(Reason.TRUNCATED if cut else Reason.UNREADABLE, str(error))
    kind = media_types.JSON if start in (b"{", b"[") else media_types.media_type(content.head)
    return Miss(Reason.UNREADABLE, str(error)) if kind in (media_types.TEXT, media_types.BINARY) else Miss(Reason.WRONG_TYPE, kind)


def _refuse(root: etree._Element) -> NoReturn:
    """Why another root came: an upstream's way to say no, or another kind of document."""
    name = xml.local_name(root)
    if name == "fullTextXMLBean":  # Europe PMC, with status 200
        open_access = (root.findtext(".//{*}isOpenAccess") or "").strip()
        raise Miss(Reason.NOT_OPEN if open_access == "N" else Reason.ABSENT, root.findtext(".//{*}message") or name)
    if name == "errorBean":
        code = (root.findtext("{*}errCode") or "").strip()
        raise Miss(Reason.UNAVAILABLE if code.startswith("5") else Reason.ABSENT, root.findtext("{*}errMsg") or code)
    if name == "service-error":  # Elsevier
        code = (root.findtext(".//{*}statusCode") or "").strip()
        raise Miss(_ELSEVIER_REASONS.get(code, Reason.UNAVAILABLE), f"{code} {root.findtext('.//{*}statusText') or ''}")
    if (refusal := s3.error_code(root)) is not None:
        raise Miss(_S3_REASONS.get(refusal, Reason.UNAVAILABLE), refusal)
    raise Miss(Reason.WRONG_TYPE, f"root element {name}")


# https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
_S3_REASONS = {
    "NoSuchKey": Reason.ABSENT,
    "NoSuchVersion": Reason.ABSENT,
    "AccessDenied": Reason.DENIED,
    "InvalidObjectState": Reason.DENIED,
}
# https://dev.elsevier.com/support.html
_ELSEVIER_REASONS = {
    "RESOURCE_NOT_FOUND": Reason.ABSENT,
    "INVALID_INPUT": Reason.ABSENT,
    "AUTHENTICATION_ERROR": Reason.NOT_ENTITLED,
    "AUTHORIZATION_ERROR": Reason.NOT_ENTITLED,
    "QUOTA_EXCEEDED": Reason.QUOTA,
}
_ENVELOPES = frozenset({"fullTextXMLBean", "errorBean", "service-error", "Error"})


def _compare(inside: Mapping[str, str], asked: Mapping[str, str | None]) -> bool:
    """Whether some identifier inside is the asked one; a contradiction is another article."""
    both = [(kind, inside[kind], asked_one) for kind in _IDS if (asked_one := asked.get(kind)) and inside.get(kind)]
    for kind, found, wanted in both:
        if _normal(kind, found) != _normal(kind, wanted):
            raise Miss(Reason.WRONG_ARTICLE, f"{kind} {found}, not {wanted}")
    return bool(both)


def _normal(kind: str, value: str) -> str:
    value = value.strip().casefold()
    return value.partition(".")[0] if kind == "pmcid" else value


def _pdf(content: Content) -> Proof:
    header = _PDF_HEADER.search(content.head[: 1024 + 6])
    if header is None:
        raise _not_pdf(content)
    checks = ["pdf-header"] if header.start() == 0 else ["pdf-header", "leading-junk"]
    if b"%%EOF" not in content.tail.rstrip(b"\0 \t\r\n")[-_PDF_END:]:
        raise Miss(Reason.TRUNCATED, "no end of file in the PDF")
    return Proof(media_type=media_types.PDF, checks=[*checks, "pdf-eof"], content=content)


def _not_pdf(content: Content) -> Miss:
    if media_types.is_html(content.head):
        return page(content.head)
    if content.size <= _MESSAGE and media_types.media_type(content.head) == media_types.XML:
        return _message(content) or Miss(Reason.WRONG_TYPE, media_types.XML)
    return Miss(Reason.WRONG_TYPE, media_types.JSON if is_json(content) else media_types.media_type(content.head))


def _text(content: Content) -> Proof:
    kind = media_types.media_type(content.head, "text.txt")
    if kind == media_types.HTML:
        raise page(content.head)
    if kind != media_types.TEXT or is_json(content):
        raise _message(content) or Miss(Reason.WRONG_TYPE, kind)
    return Proof(media_type=kind, checks=["text"], content=content)


def _any_file(content: Content, filename: str | None, encoding: str | None) -> Proof:
    kind = media_types.media_type(content.head, filename)
    named = media_types.media_type_of_name(filename)
    if kind == media_types.HTML and named != media_types.HTML:
        raise page(content.head)
    if message := _message(content):
        raise message
    if named not in (None, media_types.JSON) and not named.startswith("text/") and is_json(content):
        raise Miss(Reason.WRONG_TYPE, media_types.JSON)
    if encoding and named and named != kind:
        raise Miss(Reason.TRUNCATED, f"not {named} under Content-Encoding {encoding[:40]!r}")
    return Proof(media_type=kind, checks=["type"] if named == kind else [], content=content)


def _message(content: Content) -> Miss | None:
    """The refusal that a short XML document is; None when it is none."""
    if content.size > _MESSAGE or media_types.media_type(content.head) != media_types.XML:
        return None
    try:
        root = content.root()
    except Malformed:
        return None
    if xml.local_name(root) not in _ENVELOPES:
        return None
    try:
        _refuse(root)
    except Miss as miss:
        return miss


def is_json(content: Content) -> bool:
    """Whether it is a JSON document, no longer than a message."""
    if content.head.lstrip()[:1] not in (b"{", b"[") or content.size > min(_MESSAGE, len(content.head)):
        return False
    try:
        json.parse(content.head)
    except Malformed:
        return False
    return True
