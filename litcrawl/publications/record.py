"""
The record of a publication: plain JSON under the names of the Pubfinder component, and what sources tell of its fields. Pure.

https://github.com/ambalytics/amba-analysis-worker-pubfinder
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from litcrawl.publications import dates, wording
from litcrawl.stated import stated

Record: TypeAlias = dict[str, Any]
Told: TypeAlias = dict[str, Any]
"""Fields as one source states them; those that it does not state are absent."""

FIELDS = (
    "doi", "type", "title", "normalized_title", "abstract", "pub_date", "pub_date_precision", "year", "publisher", "container",
    "citation_count", "license", "authors", "fields_of_study", "refs", "citations",
)  # fmt: skip
"""What sources tell. A record holds `source` (the last that added something) and `source_id` (each that did) as well."""

LISTS = frozenset({"authors", "fields_of_study", "refs", "citations", "source_id"})
FOLLOWS = {"normalized_title": "title", "pub_date_precision": "pub_date"}
"""Fields that are worth nothing without another, and come with it."""

_MOST = 10_000  # entries of a list; the longest reference lists have some thousands


class Type(StrEnum):
    """What a publication is."""

    BOOK = "BOOK"
    BOOK_CHAPTER = "BOOK_CHAPTER"
    BOOK_REFERENCE_ENTRY = "BOOK_REFERENCE_ENTRY"
    CONFERENCE_PAPER = "CONFERENCE_PAPER"
    DATASET = "DATASET"
    JOURNAL_ARTICLE = "JOURNAL_ARTICLE"
    PATENT = "PATENT"
    REPOSITORY = "REPOSITORY"
    THESIS = "THESIS"
    UNKNOWN = "UNKNOWN"


def told(
    *,
    doi: str,
    type: str | None = None,
    title: Any = None,
    abstract: Any = None,
    date: str | None = None,
    year: Any = None,
    publisher: Any = None,
    container: Any = None,
    citation_count: Any = None,
    licence: Any = None,
    authors: Iterable[Mapping[str, Any] | None] = (),
    subjects: Iterable[Any] = (),
    refs: Iterable[Any] = (),
    citations: Iterable[Any] = (),
) -> Told:
    """
    What a source states of the publication `doi`, in the form of a record: of each value that is none nothing is left.

    `date` is one that `dates` gave; `authors` those that `author` gave; `refs` and `citations` are DOIs as stated.
    """
    name = wording.plain(title)
    found: Told = {
        "doi": doi,
        "type": str(Type(type)) if type else None,
        "title": name,
        "normalized_title": wording.key(name) if name else None,
        "abstract": wording.abstract(abstract),
        "pub_date": date,
        "pub_date_precision": dates.precision(date) if date else None,
        "year": _year(year) or (int(date[:4]) if date else None),
        "publisher": wording.plain(publisher),
        "container": wording.plain(container),
        "citation_count": _count(citation_count),
        "license": wording.plain(licence),
        "authors": [one for one in authors if one][:_MOST],
        "fields_of_study": _subjects(subjects),
        "refs": _dois(refs, doi),
        "citations": _dois(citations, doi),
    }
    return {field: value for field, value in found.items() if value not in (None, "", [])}


def with_followers(field: str) -> tuple[str, ...]:
    """A field, and those that come with it."""
    return field, *(other for other, first in FOLLOWS.items() if first == field)


def author(name: Any, given: Any = None, family: Any = None, *, orcid: Any = None) -> dict[str, Any] | None:
    """One author; None where nobody is named."""
    whole = wording.person(name, given, family)
    if not whole:
        return None
    return {"name": whole, "normalized_name": wording.key(whole), "orcid": wording.orcid(orcid)}


def _subjects(subjects: Iterable[Any]) -> list[dict[str, Any]]:
    """Fields of study, each once."""
    found: dict[str, dict[str, Any]] = {}
    for subject in subjects:
        name = wording.plain(subject)
        if name:
            key = wording.key(name)
            found.setdefault(key, {"name": name, "normalized_name": key})
    return list(found.values())[:_MOST]


def _dois(values: Iterable[Any], own: str) -> list[dict[str, str]]:
    """Other publications, each once."""
    found = dict.fromkeys(ids.doi for value in values if (ids := stated(doi=value)).doi and ids.doi != own)
    return [{"doi": doi} for doi in found if doi][:_MOST]


def _year(value: Any) -> int | None:
    iso = dates.stated(value)
    return int(iso[:4]) if iso else None


def _count(value: Any) -> int | None:
    """A number of citations, nought included."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value[:12])
    return value if type(value) is int and 0 <= value < 1 << 31 else None
