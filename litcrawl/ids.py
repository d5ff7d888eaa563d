"""Identifiers of scholarly articles: parse, repair and normalise them; an article's key, and its folder (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from urllib.parse import quote

from litcrawl import addresses, repairs
from litcrawl.exceptions import BadIdentifier
from litcrawl.names import folder, key_of_folder

__all__ = ["ARXIV_DOI", "KINDS", "Ids", "Parsed", "find", "folder", "key", "key_of_folder", "parse", "quote_doi"]

KINDS = ("doi", "pmid", "pmcid", "bookid", "arxiv")  # in the order in which they name an article
ARXIV_DOI = "10.48550/arxiv."  # https://info.arxiv.org/help/doi.html

_NO_DOI = "not a DOI: 10.<digits>/<suffix>"
_LONGEST = 2000  # characters, in any decoration; the longest DOIs in Crossref have a few hundred
# Archives that arXiv identifiers before April 2007 begin with: https://info.arxiv.org/help/arxiv_identifier.html
_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|dg-ga|funct-an|gr-qc|"
    "hep-ex|hep-lat|hep-ph|hep-th|math-ph|math|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|physics|plasm-ph|q-alg|q-bio|quant-ph|solv-int|"
    "supr-con"
)
# What nearly every line of a clean list is: told apart by one match, with nothing to repair.
_CLEAN = re.compile(r"(10\.[0-9]{4,9}/[A-Za-z0-9._()-]{0,200}[A-Za-z0-9])|(PMC[1-9][0-9]{0,8})|([1-9][0-9]{0,8})")
_NOT_CLEAN = ("10.48550/", "10.1101/", "10.64898/")  # arXiv's, and bioRxiv's with its version
_DOI = re.compile(r"10\.[0-9]{1,9}(?:\.[0-9]+)*/.+")
_SHORT_DOI = re.compile(r"10/[a-z0-9]+", re.I)
_SECOND_DOI = re.compile(r"(?<=[a-z0-9)\]>,;|:.])(?:https?://(?:dx\.)?doi\.org/|doi:)?10\.[0-9]{4,9}(?:\.[0-9]+)*/", re.I)
_BIORXIV = re.compile(r"(10\.(?:1101|64898)/(?:[0-9]{4}\.[0-9]{2}\.[0-9]{2}\.)?[0-9]{6,})v([0-9]+)(?:\..*)?")
_PMCID = re.compile(r"PMC ?0*([1-9][0-9]{0,8})(?:\.([0-9]{1,3}))?", re.I)
_BOOKID = re.compile(r"NBK ?([1-9][0-9]{0,8})", re.I)
_ARXIV_NEW = re.compile(r"([0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5})(?:v([0-9]+))?(?: ?\[.*)?", re.I)
_ARXIV_OLD = re.compile(rf"({_ARCHIVES})(\.[a-z-]+)?/([0-9]{{7}})(?:v([0-9]+))?(?: ?\[.*)?", re.I)
_DIGITS = re.compile(r"0*([0-9]{1,9})(\.0*|,0)?")  # a spreadsheet's decimals, in English or German
_EXPONENT = re.compile(r"[0-9]+(?:[.,][0-9]+)?e\+?[0-9]+", re.I)
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,]*")
_LABEL = re.compile(
    r"(?:(?:info:|urn:|oai:)?(?:(?P<doi>doi|digital object identifier)|(?P<pmcid>pmc ?id|pmc(?= ?[:#=]))|(?P<pmid>pmid|pubmed(?: ?id)?)"
    r"|(?P<arxiv>arxiv(?:\.org(?=:)| ?id)?)|(?P<bookid>bookshelf(?: ?id)?|book ?id))"
    r"(?:(?<=info:doi)/|(?<=info:pmid)/|(?![a-z./]))\s*[:#=]*\s*)",
    re.I,
)
_NAMES = {"doi": "a DOI", "pmid": "a PMID", "pmcid": "a PMCID", "bookid": "a Bookshelf id", "arxiv": "an arXiv id"}
_EXPLICIT = re.compile(
    r"https?://[^\s\"'|,]+|(?<![\w./])10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s\"'|,]+|\bPMC ?[0-9]{3,9}\b|\bNBK[0-9]+\b"
    r"|\b(?:PMID|PubMed ID)\s*[:#]?\s*[0-9]{1,9}\b|\barXiv:\s*[^\s\"'|,]+",
    re.I,
)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# A few registered DOIs hold a space. What follows one is taken for a part of the DOI only where it cannot be a word beside it.
_MOST_SPACES = 2
_APART = re.compile(r"\W*[^\W\d_]{3,}\W*|[0-9]{4,}\W*|(?:PMC|NBK)[0-9.]+\W*|.*10\.[0-9]{4,}.*|arxiv.*|https?:.*", re.IGNORECASE)
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True, slots=True)
class Ids:
    """What names one article; unknown is None. DOI lower case, PMID digits, `PMC…`, `NBK…`, arXiv id without its version."""

    doi: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    bookid: str | None = None
    arxiv: str | None = None

    def merge(self, other: Ids) -> Ids:
        """These ids with the gaps filled from `other`; what is known stays."""
        return Ids(
            self.doi or other.doi,
            self.pmid or other.pmid,
            self.pmcid or other.pmcid,
            self.bookid or other.bookid,
            self.arxiv or other.arxiv,
        )

    def contradicts(self, other: Ids) -> bool:
        """Whether one of these ids is known to both, and not the same."""
        return any(getattr(self, kind) not in (None, value) for kind, value in other)

    def shares(self, other: Ids) -> bool:
        """Whether one of these ids is known to both, and the same."""
        return any(getattr(self, kind) == value for kind, value in other)

    def names_same(self, other: Ids) -> bool:
        """Whether both name one article: of the identifiers known to both, the best decides."""
        for kind in KINDS:
            mine, theirs = getattr(self, kind), getattr(other, kind)
            if mine is not None and theirs is not None:
                return mine == theirs
        return False

    def as_dict(self) -> dict[str, str | None]:
        """All five, as plain data."""
        return {"doi": self.doi, "pmid": self.pmid, "pmcid": self.pmcid, "bookid": self.bookid, "arxiv": self.arxiv}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """The known ones as (kind, value), in the order in which they name an article."""
        for kind in KINDS:
            value = getattr(self, kind)
            if value is not None:
                yield kind, value

    def __bool__(self) -> bool:
        return any(True for _ in self)


@dataclass(slots=True)  # not frozen: a million of them are made, and freezing doubles their cost
class Parsed:
    """
    One identifier as it was understood.

    `kind` is what was written (an arXiv id also sets `ids.doi`); `version` the digits of a pinned version; `repairs` what
    was changed to read it, in short phrases; `guessed` that bare digits were taken for a PMID because nobody said what they are.
    """

    ids: Ids
    kind: str
    version: str | None = None
    repairs: list[str] = field(default_factory=list)
    guessed: bool = False


def parse(text: str, kind: str | None = None) -> Parsed:
    """
    The one identifier that `text` is, in whatever decoration.

    `kind` says what bare digits are: `pmid`, `pmcid` or `bookid`; None takes them for a PMID; any other kind (`doi`,
    `arxiv`, `url`) refuses them. Raises `BadIdentifier`, its reason `no-identifier`, `malformed` or `ambiguous`.
    """
    clean = _CLEAN.fullmatch(text)
    if clean and not text.startswith(_NOT_CLEAN):
        doi, pmcid, digits = clean.groups()
        if doi:
            return Parsed(Ids(doi.lower()), "doi", None, [])
        if pmcid:
            return Parsed(Ids(None, None, pmcid), "pmcid", None, [])
        return _number(digits, kind, [])
    if len(text) > _LONGEST:
        raise BadIdentifier("malformed", f"over {_LONGEST} characters")
    done: list[str] = []
    text, said = _bare(text, done)
    if not text:
        raise BadIdentifier("no-identifier", "empty")
    if _CONTROL.search(text):
        raise BadIdentifier("malformed", "control characters inside")
    held = None if _ARXIV_OLD.fullmatch(text) else addresses.identifier_in(text)
    if held:
        said, text = held
        if not text:
            raise BadIdentifier("no-identifier", "a web address that holds no DOI, PMID, PMCID, Bookshelf or arXiv id")
        done.append("taken from a web address")
    elif text.startswith("10."):
        text = repairs.percent_decoded(text, done)
    return _read(text, said, kind, done)


def find(text: str) -> list[Parsed]:
    """The identifiers in running text that say what they are (a DOI, `PMC…`, `PMID: …`, an address): each once, in order."""
    found: dict[Ids, Parsed] = {}
    for match in _EXPLICIT.finditer(text):
        try:
            parsed = parse(match[0])
        except BadIdentifier:
            continue  # an address of something else
        found.setdefault(parsed.ids, parsed)
    return list(found.values())


def key(ids: Ids) -> str:
    """The key of the article these ids name, `""` if they name none; for an arXiv paper without a journal's DOI always `arxiv:<id>`."""
    if ids.arxiv and (ids.doi is None or ids.doi.startswith(ARXIV_DOI)):
        return f"arxiv:{ids.arxiv}"
    for kind, value in ids:
        return f"{kind}:{value}" if kind in ("pmid", "arxiv") else value
    return ""


def quote_doi(doi: str) -> str:
    """
    `doi` for the path of a URL: every segment percent-encoded, with no safe characters.

    Slashes stay, except beside a segment that is empty, `.` or `..` and so at the end: there `%2F`, since servers and clients on
    the way would take such a segment away and ask for another DOI.
    """
    segments = doi.split("/")
    path = quote(segments[0], safe="", errors="surrogatepass")
    for before, after in pairwise(segments):
        slash = "%2F" if {before, after} & {"", ".", ".."} else "/"
        path += slash + quote(after, safe="", errors="surrogatepass")
    return path


def _bare(text: str, done: list[str]) -> tuple[str, str | None]:
    """`text` without wrapping and labels, and the kind that the last label named."""
    text = repairs.visible(text, done)
    text = repairs.unwrapped(repairs.unmarked(text, done), done)
    said, before = None, text
    while label := _LABEL.match(text):
        text, said = text[label.end() :], label.lastgroup
    if text != before:
        done.append("label removed")
        text = repairs.unwrapped(text, done)
    return text, said


def _read(text: str, said: str | None, kind: str | None, done: list[str]) -> Parsed:
    if text.startswith("10.") and "/" in text:
        return _doi(text, done)
    if match := _PMCID.fullmatch(text):
        return Parsed(Ids(pmcid=f"PMC{match[1]}"), "pmcid", match[2], done)
    if match := _BOOKID.fullmatch(text):
        return Parsed(Ids(bookid=f"NBK{match[1]}"), "bookid", None, done)
    if match := _ARXIV_NEW.fullmatch(text):
        return _arxiv(match[1], match[2], done)
    if match := _ARXIV_OLD.fullmatch(text):
        if match[2]:
            done.append("subject class removed")
        return _arxiv(f"{match[1].lower()}/{match[3]}", match[4], done)
    if _EXPONENT.fullmatch(text):
        raise BadIdentifier("malformed", "a spreadsheet's rounded number: its last digits are lost")
    if match := _DIGITS.fullmatch(text):
        if match[0] != match[1]:
            done.append("leading zeros or decimals removed")
        return _number(match[1], said or kind, done)
    if _SHORT_DOI.fullmatch(text):
        raise BadIdentifier("malformed", "a shortDOI: give the DOI that https://doi.org shows for it")
    if text.startswith("10.") and not _NUMBER.fullmatch(text):
        raise BadIdentifier("malformed", _NO_DOI)
    if said or _NUMBER.fullmatch(text):
        raise BadIdentifier("malformed", f"not {_NAMES[said]}" if said else "a number that is no PMID")
    raise BadIdentifier("no-identifier", "no DOI, PMID, PMCID, Bookshelf or arXiv id")


def _number(digits: str, kind: str | None, done: list[str]) -> Parsed:
    if digits == "0":
        raise BadIdentifier("malformed", "zero names nothing")
    match kind:
        case None | "pmid":
            return Parsed(Ids(pmid=digits), "pmid", None, done, kind is None)
        case "pmcid":
            return Parsed(Ids(pmcid=f"PMC{digits}"), "pmcid", None, done)
        case "bookid":
            return Parsed(Ids(bookid=f"NBK{digits}"), "bookid", None, done)
    raise BadIdentifier("malformed", "bare digits where another identifier is expected")


def _arxiv(paper: str, version: str | None, done: list[str]) -> Parsed:
    return Parsed(Ids(doi=ARXIV_DOI + paper, arxiv=paper), "arxiv", version, done)


def _doi(text: str, done: list[str]) -> Parsed:
    text = repairs.undashed(repairs.unwrapped(repairs.visible(text, done), done), done)
    first, *spaced = text.split() or [""]
    if spaced:
        if (
            not _DOI.fullmatch(first)
            or first.endswith((",", ";"))
            or len(spaced) > _MOST_SPACES
            or any(_APART.fullmatch(part) for part in spaced)
        ):
            raise BadIdentifier("malformed", "white space inside the DOI")
        done.append("white space inside the DOI kept")
    if _CONTROL.search(text) or not _DOI.fullmatch(text):
        raise BadIdentifier("malformed", _NO_DOI)
    _refuse_two(text)
    text = text.lower() if text.isascii() else text.translate(_ASCII_LOWER)
    if text.startswith(ARXIV_DOI):
        paper = text.removeprefix(ARXIV_DOI)
        match = _ARXIV_NEW.fullmatch(paper) or _ARXIV_OLD.fullmatch(paper)
        if match:
            parsed = _read(paper, None, "arxiv", done)
            return replace(parsed, kind="doi")
    if match := _BIORXIV.fullmatch(text):
        done.append("version taken off the DOI")
        return Parsed(Ids(match[1]), "doi", match[2], done)
    return Parsed(Ids(text), "doi", None, done)


def _refuse_two(text: str) -> None:
    """Two DOIs run together are sent to nobody: no service could find them."""
    second = _SECOND_DOI.search(text, text.index("/") + 1)
    if second:
        first = text[: second.start()].rstrip(",;|:./")
        raise BadIdentifier("ambiguous", f"two DOIs run together; did you mean {first} ?")
