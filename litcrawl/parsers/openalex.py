"""
What a record of OpenAlex states of its publication.

https://developers.openalex.org/api-entities/works/work-object
"""

from __future__ import annotations

from typing import Any

from litcrawl.parsers.shapes import Object, first, items, mapping, objects, text
from litcrawl.publications import dates
from litcrawl.publications.record import Told, Type, author, told

FIELDS = (
    "title", "type", "publication_date", "publication_year", "cited_by_count", "abstract_inverted_index", "authorships", "topics",
    "primary_location",
)  # fmt: skip
"""What is read of a record."""

TYPES = {
    "article": Type.JOURNAL_ARTICLE,
    "review": Type.JOURNAL_ARTICLE,
    "letter": Type.JOURNAL_ARTICLE,
    "editorial": Type.JOURNAL_ARTICLE,
    "book": Type.BOOK,
    "book-chapter": Type.BOOK_CHAPTER,
    "reference-entry": Type.BOOK_REFERENCE_ENTRY,
    "dataset": Type.DATASET,
    "dissertation": Type.THESIS,
    "preprint": Type.REPOSITORY,
}
_LONGEST = 20_000  # words of an abstract
_CONFERENCE = "conference"


def metadata(record: Object, doi: str) -> Told:
    """The record's fields. Its references are OpenAlex's own numbers, of which no DOI can be told."""
    location = mapping(record.get("primary_location"))
    source = mapping(location.get("source"))
    topics = objects(record.get("topics"))
    return told(
        doi=doi,
        type=_type(text(record.get("type")), text(source.get("type")), text(location.get("raw_type"))),
        title=record.get("title"),
        abstract=abstract(record.get("abstract_inverted_index")),
        date=dates.stated(record.get("publication_date")),
        year=record.get("publication_year"),
        publisher=source.get("host_organization_name"),
        container=source.get("display_name"),
        citation_count=record.get("cited_by_count"),
        licence=location.get("license"),
        authors=(_author(one) for one in objects(record.get("authorships"))),
        subjects=(
            *(one.get("display_name") for one in topics),
            *(mapping(one.get("field")).get("display_name") for one in topics),
        ),
    )


def abstract(index: Any) -> str | None:
    """The text whose words an inverted index gives with their places."""
    places: dict[int, str] = {}
    for word, found in mapping(index).items():
        for place in items(found):
            if type(place) is int and 0 <= place < _LONGEST:
                places[place] = word
    return " ".join(places[place] for place in sorted(places)) or None


def _type(kind: str, source: str, raw: str) -> Type | None:
    if kind in ("article", "review") and (source == _CONFERENCE or raw == "proceedings-article"):
        return Type.CONFERENCE_PAPER
    return TYPES.get(kind)


def _author(authorship: Object) -> dict[str, Any] | None:
    person = mapping(authorship.get("author"))
    return author(first(person.get("display_name"), authorship.get("raw_author_name")), orcid=person.get("orcid"))
