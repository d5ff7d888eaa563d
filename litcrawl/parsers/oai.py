"""
OAI-PMH answers: errors told from records, lists with their resumption tokens, and arXiv's own record format. Pure.

http://www.openarchives.org/OAI/openarchivesprotocol.html and https://info.arxiv.org/help/oa/index.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from litcrawl.exceptions import Malformed
from litcrawl.parsers import xml

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_VERSION = re.compile(r"v([1-9][0-9]{0,3})")
_COUNT = re.compile(r"[0-9]{1,12}")
_NOTHING = re.compile(r"0+ ?kb", re.IGNORECASE)


_DELETED = "deleted"


class OaiError(Exception):
    """
    The repository's refusal, which is an answer.

    `code` is the protocol's (`idDoesNotExist`, `badResumptionToken`, …), or `deleted`, of a record that is no more; `day` the answer's own
    date, where it has one.
    """

    def __init__(self, code: str, message: str = "", day: str | None = None):
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.day = day

    @property
    def absent(self) -> bool:
        """Whether it is a word about the item: there is none. What else a repository refuses is about the question."""
        return self.code in ("idDoesNotExist", _DELETED)


@dataclass(frozen=True, slots=True)
class Header:
    """An item of a list: its identifier as the repository writes it, and the day on which it last changed."""

    identifier: str
    datestamp: str
    deleted: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Headers:
    """
    One page of a list of identifiers.

    `token` asks for the next page, None at the end; `size` is how many items the whole list has, where that is told; `day` is the
    answer's own date.
    """

    items: list[Header]
    token: str | None
    size: int | None
    day: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """A version of a paper, as arXiv's record has it."""

    number: int
    date: str | None = None
    source_type: str = ""
    empty: bool = False

    @property
    def withdrawn(self) -> bool:
        """Whether its authors took it back: `I` (ignore) over nothing at all. Some notices of withdrawal do have a source."""
        return self.empty and "I" in self.source_type


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """
    A paper in arXiv's own format (`arXivRaw`), whose versions are told.

    `licence` is that of the newest version alone. `datestamp` is None where only the inner record was kept.
    """

    id: str
    versions: tuple[Version, ...]
    licence: str | None = None
    doi: str | None = None
    title: str | None = None
    datestamp: str | None = None
    newest: Version = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "newest", max(self.versions, key=lambda one: one.number))

    def withdrew(self, number: int) -> bool:
        """Whether a version was withdrawn."""
        return any(one.number == number and one.withdrawn for one in self.versions)


def headers(data: bytes) -> Headers:
    """A page of `ListIdentifiers`. Raises `OaiError` for a refusal, `Malformed` for anything else that is no such page."""
    envelope = _envelope(data)
    listed = envelope.find("{*}ListIdentifiers")
    if listed is None:
        raise Malformed("no list of identifiers")
    token = listed.find("{*}resumptionToken")
    size = _text(token.get("completeListSize")) if token is not None else None
    return Headers(
        items=[_header(one) for one in listed.iterfind("{*}header")],
        token=_text(token.text) if token is not None else None,
        size=int(size) if size and _COUNT.fullmatch(size) else None,
        day=_day(envelope.findtext("{*}responseDate")),
    )


def record(data: bytes) -> Record:
    """
    The record in an answer to `GetRecord`, or standing alone.

    Raises `OaiError` for a refusal, `Malformed` for anything else that is no `arXivRaw`.
    """
    root = _root(data)
    header = None
    if xml.local_name(root) != "arXivRaw":
        found = _checked(root).find("{*}GetRecord/{*}record")
        header = None if found is None else found.find("{*}header")
        raw = None if found is None else found.find("{*}metadata/{*}arXivRaw")
        if header is not None and _header(header).deleted:
            raise OaiError(_DELETED)
        if header is None or raw is None:
            raise Malformed("no arXivRaw record")
        root = raw
    versions = tuple(_version(one) for one in root.iterfind("{*}version"))
    identifier = _text(root.findtext("{*}id"))
    if not identifier or not versions or len({one.number for one in versions}) < len(versions):
        raise Malformed("an arXivRaw record without an id, or without its versions")
    return Record(
        id=identifier,
        versions=versions,
        licence=_text(root.findtext("{*}license")),
        doi=_text(root.findtext("{*}doi")),
        title=_text(root.findtext("{*}title")),
        datestamp=_header(header).datestamp if header is not None else None,
    )


def _root(data: bytes) -> etree._Element:
    document = xml.parse(data)
    if document.cut:
        raise Malformed(f"cut: {document.note}")
    return document.root


def _envelope(data: bytes) -> etree._Element:
    return _checked(_root(data))


def _checked(root: etree._Element) -> etree._Element:
    """The root of an OAI-PMH answer that is no refusal."""
    if xml.local_name(root) != "OAI-PMH":
        raise Malformed(f"root element {xml.local_name(root)}")
    error = root.find("{*}error")
    if error is not None:
        date = _DATE.match(_text(root.findtext("{*}responseDate")) or "")
        raise OaiError(error.get("code") or "error", _text(error.text) or "", date and date[0])
    return root


def _header(header: etree._Element) -> Header:
    identifier = _text(header.findtext("{*}identifier"))
    if not identifier:
        raise Malformed("a header without an identifier")
    return Header(identifier, _day(header.findtext("{*}datestamp")), header.get("status") == "deleted")


def _version(element: etree._Element) -> Version:
    number = _VERSION.fullmatch(element.get("version") or "")
    if number is None:
        raise Malformed("a version without its number")
    size = _text(element.findtext("{*}size"))
    return Version(
        number=int(number[1]),
        date=_text(element.findtext("{*}date")),
        source_type=_text(element.findtext("{*}source_type")) or "",
        empty=bool(size and _NOTHING.fullmatch(size)),
    )


def _day(text: str | None) -> str:
    match = _DATE.match(_text(text) or "")
    if match is None:
        raise Malformed("no date where there has to be one")
    return match[0]


def _text(text: str | None) -> str | None:
    return " ".join((text or "").split()) or None
