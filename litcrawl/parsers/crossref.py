"""
Records of Crossref: who they are about, what they state of licences, relations and retraction, and where they say the text is.

https://www.crossref.org/documentation/retrieve-metadata/rest-api/ and
https://github.com/CrossRef/rest-api-doc/blob/master/api_format.md; what is not as documented there counts as not stated.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeAlias

from litcrawl import licences
from litcrawl.exceptions import Malformed
from litcrawl.ids import Ids
from litcrawl.items import Claim, Licence, Link, Relation, Retraction, Title
from litcrawl.stated import stated
from litcrawl.terms import Stage, Want

Record: TypeAlias = dict[str, Any]

BASIS = "crossref"
FIELDS = ("DOI", "type", "title", "original-title", "license", "link", "relation", "update-to", "updated-by")
"""What is read of a record; one that the route does not know would make it refuse the whole list."""

_LONGEST = 2000
_MOST = 2000  # entries of a list that are looked at
_TAG = re.compile(r"</?[a-z][\w:.-]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?=T|$)")
_HIGHEST = (9999, 12, 31)  # of a year, a month, a day
_RELATIONS = {
    "has-preprint": "preprint",
    "is-preprint-of": "published",
    "has-version": "version-of",
    "is-version-of": "version-of",
}
# https://www.crossref.org/documentation/crossmark/version-control-corrections-and-retractions/
_WITHDRAWING = frozenset({"retraction", "withdrawal", "removal"})
_UPDATES = {
    **dict.fromkeys(_WITHDRAWING, "retracts"),
    **dict.fromkeys(("correction", "corrigendum", "erratum", "partial_retraction"), "corrects"),
    **dict.fromkeys(("new_version", "new_edition"), "version-of"),
}
_ID_TYPES = frozenset({"doi", "pmid", "pmcid", "arxiv"})
# `content-version`: "" where none is stated
_STAGES = {"vor": Stage.PUBLISHED, "am": Stage.ACCEPTED}
_BEST_FIRST = ("vor", "", "am")
_DECIDES = {"vor": ("vor", ""), "": ("", "vor"), "am": ("am",)}
"""Whose licence is that of a file, by the file's version; one for text mining or sharing alone never is."""
# What an address says where the record does not, by its ending alone; Wiley's service for text miners sends PDF
_PDF = re.compile(r"\.pdf$|^https?://api\.wiley\.com/onlinelibrary/tdm/", re.IGNORECASE)
_XML = re.compile(r"\.xml$", re.IGNORECASE)
_TLS_ONLY = re.compile(r"^http://(?=api\.(?:elsevier|wiley)\.com/)", re.IGNORECASE)


def work(answer: Record) -> Record:
    """The one record that an answer holds. Raises `Malformed` when it is no such answer."""
    record = _message(answer, "work")
    if not isinstance(record.get("DOI"), str):
        raise Malformed("a work without a DOI")
    return record


def works(answer: Record) -> tuple[list[Record], bool]:
    """
    The records that a list holds, and whether these are all that were found.

    What is no record with a DOI is left out. Raises `Malformed` when the answer is no list of works.
    """
    message = _message(answer, "work-list")
    items, total = message.get("items"), message.get("total-results")
    if not isinstance(items, list):
        raise Malformed("no list of works")
    return [one for one in _objects(items) if isinstance(one.get("DOI"), str)], not isinstance(total, int) or total <= len(items)


def _message(answer: Record, kind: str) -> Record:
    message = answer.get("message")
    if answer.get("message-type") != kind or not isinstance(message, dict):
        raise Malformed(f"no {kind}: {str(answer.get('message-type'))[:100]}")
    return message


def facts(record: Record, url: str) -> Iterator[Title | Claim | Relation | Retraction]:
    """All that a record states of its work; `url` is the record's own address."""
    for text in titles(record):
        yield Title(text=text)
    for _, claim in _licences(record, url):
        yield claim
    yield from relations(record)
    retracted = retraction(record)
    if retracted is not None:
        yield Retraction(retracted=retracted)


def titles(record: Record) -> list[str]:
    """What the work is called, in each language, without the markup that publishers leave in."""
    raw = [text[:_LONGEST] for field in ("title", "original-title") for text in _list(record.get(field))[:_MOST] if isinstance(text, str)]
    return list(dict.fromkeys(filter(None, (" ".join(html.unescape(_TAG.sub("", text)).split()) for text in raw))))


def relations(record: Record) -> Iterator[Relation]:
    """Preprints, published and other versions, and what this work corrects or retracts; each once, never the work itself."""
    own = stated(doi=record["DOI"])
    for relation, other in dict.fromkeys(_related(record)):
        if other and other != own:
            yield Relation(relation=relation, ids=other.as_dict())


def retraction(record: Record) -> bool | None:
    """
    Whether the work is retracted, by a notice of its own publisher or by Retraction Watch; None when the record does not tell.

    A notice updates another work (`update-to`) and is not retracted thereby; a work that retracts itself was, in place.
    """
    updates = record.get("updated-by")
    own = record["DOI"].casefold()
    in_place = [one for one in _objects(record.get("update-to")) if _text(one.get("DOI")).casefold() == own]
    by_relation = _objects(record["relation"].get("is-retracted-by")) if isinstance(record.get("relation"), dict) else []
    if by_relation or any(_update_type(one) in _WITHDRAWING for one in (*_objects(updates), *in_place)):
        return True
    return False if updates is None or isinstance(updates, list) else None


def links(record: Record, today: str) -> list[Link]:
    """
    Addresses that the publisher gave for text mining, the best first.

    Those for plagiarism checks and for syndication are meant for others. A link's licence is the one stated for the version
    that lies there, as of `today` (ISO 8601).
    """
    preprint = record.get("type") == "posted-content"
    begun = [(about, claim) for about, claim in _licences(record) if (claim.start or "") <= today]
    terms = {version: _licence(begun, version) for version in _DECIDES}
    found: dict[tuple[Want, str], tuple[str, Link]] = {}
    for one in _objects(record.get("link")):
        url = _TLS_ONLY.sub("https://", _text(one.get("URL")).strip())
        want = _want(_text(one.get("content-type")), url)
        if want is None or _text(one.get("intended-application")).lower() != "text-mining":
            continue
        version = _version(one)
        stage = Stage.PREPRINT if preprint and version == "vor" else _STAGES.get(version)
        found.setdefault((want, url), (version, Link(want=want, url=url, stage=stage, licence=terms.get(version))))
    ranked = sorted(found.values(), key=lambda one: (list(Want).index(one[1].want), _rank(one[0])))
    return [link for _, link in ranked]


def _related(record: Record) -> Iterator[tuple[str, Ids]]:
    named = record.get("relation")
    if isinstance(named, dict):
        for name, relation in _RELATIONS.items():
            for one in _objects(named.get(name)):
                kind = _text(one.get("id-type")).lower()
                yield relation, stated(**{kind: one.get("id")}) if kind in _ID_TYPES else Ids()
    for one in _objects(record.get("update-to")):
        if relation := _UPDATES.get(_update_type(one), ""):
            yield relation, stated(doi=one.get("DOI"))


def _update_type(update: Record) -> str:
    return _text(update.get("type")).strip().lower().replace("-", "_").replace(" ", "_")


def _licences(record: Record, url: str | None = None) -> Iterator[tuple[str, Claim]]:
    """Every licence entry: the version that it names, and the claim that it makes."""
    for one in _objects(record.get("license")):
        if raw := _text(one.get("URL")).strip()[:_LONGEST]:
            about = licences.about(_version(one))
            yield _version(one), Claim(raw=raw, spdx=licences.spdx(raw), basis=BASIS, about=about, start=_start(one.get("start")), url=url)


def _licence(begun: list[tuple[str, Claim]], version: str) -> Licence | None:
    """The terms for a version among those in force: of those that name it, else name none, the last to have begun."""
    for deciding in _DECIDES[version]:
        if own := [claim for about, claim in begun if about == deciding]:
            last = max(own, key=lambda claim: claim.start or "")
            return Licence(raw=last.raw, spdx=last.spdx, basis=BASIS)
    return None


def _version(entry: Record) -> str:
    version = _text(entry.get("content-version")).strip().lower()
    return "" if version == "unspecified" else version


def _rank(version: str) -> int:
    return _BEST_FIRST.index(version) if version in _BEST_FIRST else len(_BEST_FIRST)


def _start(start: Any) -> str | None:
    """A date as ISO 8601, no more exact than it was given."""
    if not isinstance(start, dict):
        return None
    parts = next(iter(_list(start.get("date-parts"))), None)
    if isinstance(parts, list) and all(type(part) is int and 0 < part <= most for part, most in zip(parts, _HIGHEST, strict=False)):
        return "-".join(f"{part:0{len(str(most))}d}" for part, most in zip(parts, _HIGHEST, strict=False)) or None
    date = _DATE.match(_text(start.get("date-time")))
    return date[0] if date else None


def _want(content_type: str, url: str) -> Want | None:
    """What kind of file a link leads to; None for other kinds, and for pages."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("", "unspecified"):
        path = url.partition("#")[0].partition("?")[0]
        return Want.PDF if _PDF.search(path) else Want.XML if _XML.search(path) else None
    if kind in ("application/pdf", "application/x-pdf"):
        return Want.PDF
    return Want.XML if kind.endswith(("/xml", "+xml")) and "html" not in kind else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: Any) -> list[Record]:
    return [one for one in islice(_list(value), _MOST) if isinstance(one, dict)]
