"""
What a record of Crossref states of its publication.

https://github.com/CrossRef/rest-api-doc/blob/master/api_format.md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litcrawl.parsers import crossref
from litcrawl.parsers.shapes import Object, first, items, mapping, objects, text
from litcrawl.publications import dates
from litcrawl.publications.record import Told, Type, author, told

FIELDS = (
    "DOI", "type", "title", "original-title", "abstract", "author", "issued", "published", "published-online", "published-print", "posted",
    "publisher", "container-title", "is-referenced-by-count", "license", "subject", "reference", "relation",
)  # fmt: skip
"""What a list is asked for; of a preprint's own record `institution` is read as well, which no list selects."""

# https://api.crossref.org/types; others have no counterpart, and another source may know better
TYPES = {
    "book": Type.BOOK,
    "monograph": Type.BOOK,
    "edited-book": Type.BOOK,
    "book-chapter": Type.BOOK_CHAPTER,
    "reference-book": Type.BOOK_REFERENCE_ENTRY,
    "reference-entry": Type.BOOK_REFERENCE_ENTRY,
    "proceedings-article": Type.CONFERENCE_PAPER,
    "dataset": Type.DATASET,
    "journal-article": Type.JOURNAL_ARTICLE,
    "patent": Type.PATENT,
    "repository": Type.REPOSITORY,
    "dissertation": Type.THESIS,
}
_DATES = ("issued", "published", "published-online", "published-print", "posted")
_VERSIONS = ("vor", "", "unspecified", "am")  # whose licence is the publication's, the best first; one for text mining never is


def metadata(record: Object, doi: str) -> Told:
    """The record's fields."""
    relation = mapping(record.get("relation"))
    return told(
        doi=doi,
        type=TYPES.get(text(record.get("type"))),
        title=next(iter(crossref.titles(record)), None),
        abstract=record.get("abstract"),
        date=_date(record),
        publisher=record.get("publisher"),
        container=first(*items(record.get("container-title")), *(one.get("name") for one in objects(record.get("institution")))),
        citation_count=record.get("is-referenced-by-count"),
        licence=_licence(record),
        authors=(
            author(one.get("name"), one.get("given"), one.get("family"), orcid=one.get("ORCID")) for one in objects(record.get("author"))
        ),
        subjects=items(record.get("subject")),
        refs=(*(one.get("DOI") for one in objects(record.get("reference"))), *_related(relation, "references")),
        citations=_related(relation, "is-referenced-by"),
    )


def _date(record: Object) -> str | None:
    """The earliest that is stated, as exact as it is stated anywhere."""
    stated = [found for name in _DATES if (found := _parts(record.get(name)))]
    if not stated:
        return None
    earliest = min(stated)
    return min((one for one in stated if one.startswith(earliest)), key=lambda one: (-len(one), one))


def _parts(value: Any) -> str | None:
    return dates.of_parts(next(iter(items(mapping(value).get("date-parts"))), None))


def _licence(record: Object) -> str | None:
    stated = objects(record.get("license"))
    for version in _VERSIONS:
        for one in stated:
            if text(one.get("content-version")).lower() == version and (url := text(one.get("URL")).strip()):
                return url
    return None


def _related(relation: Object, name: str) -> Iterator[Any]:
    return (one.get("id") for one in objects(relation.get(name)) if text(one.get("id-type")).lower() == "doi")
