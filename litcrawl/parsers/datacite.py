"""
What a record of DataCite states of its publication.

https://support.datacite.org/docs/api-get-doi and https://datacite-metadata-schema.readthedocs.io/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litcrawl.exceptions import Malformed
from litcrawl.parsers.shapes import Object, first, mapping, objects, text
from litcrawl.publications import dates
from litcrawl.publications.record import Told, Type, author, told

# `resourceTypeGeneral`
TYPES = {
    "Book": Type.BOOK,
    "BookChapter": Type.BOOK_CHAPTER,
    "ConferencePaper": Type.CONFERENCE_PAPER,
    "Collection": Type.DATASET,
    "DataPaper": Type.JOURNAL_ARTICLE,
    "Dataset": Type.DATASET,
    "Dissertation": Type.THESIS,
    "JournalArticle": Type.JOURNAL_ARTICLE,
    "Patent": Type.PATENT,
    "Preprint": Type.REPOSITORY,
}
_DATES = ("Issued", "Available", "Created", "Submitted")
_REFS = frozenset({"References", "Cites"})
_CITATIONS = frozenset({"IsReferencedBy", "IsCitedBy"})


def record(answer: Object) -> Object:
    """The attributes of the one DOI that an answer holds. Raises `Malformed` when it is no such answer."""
    attributes = mapping(answer.get("data")).get("attributes")
    if not isinstance(attributes, dict) or not isinstance(attributes.get("doi"), str):
        raise Malformed("no record of a DOI")
    return attributes


def metadata(record: Object, doi: str) -> Told:
    """The record's fields."""
    publisher, container = record.get("publisher"), mapping(record.get("container"))
    return told(
        doi=doi,
        type=TYPES.get(text(mapping(record.get("types")).get("resourceTypeGeneral"))),
        title=_title(record),
        abstract=next(_described(record, "abstract"), None),
        date=_date(record),
        year=record.get("publicationYear"),
        publisher=first(publisher if isinstance(publisher, str) else mapping(publisher).get("name")),
        container=container.get("title"),
        citation_count=record.get("citationCount"),
        licence=_licence(record),
        authors=(_author(one) for one in objects(record.get("creators"))),
        subjects=(one.get("subject") for one in objects(record.get("subjects"))),
        refs=_related(record, _REFS),
        citations=_related(record, _CITATIONS),
    )


def _title(record: Object) -> Any:
    """The title itself; `titleType` marks the others."""
    titles = objects(record.get("titles"))
    return first(*(one.get("title") for one in titles if not one.get("titleType")), *(one.get("title") for one in titles))


def _described(record: Object, kind: str) -> Iterator[Any]:
    return (one.get("description") for one in objects(record.get("descriptions")) if text(one.get("descriptionType")).lower() == kind)


def _date(record: Object) -> str | None:
    stated = objects(record.get("dates"))
    for kind in _DATES:
        for one in stated:
            if one.get("dateType") == kind and (found := dates.stated(text(one.get("date")).partition("/")[0])):  # a range: its start
                return found
    return dates.stated(record.get("publicationYear"))


def _licence(record: Object) -> Any:
    rights = objects(record.get("rightsList"))
    return first(*(one.get("rightsUri") for one in rights), *(one.get("rights") for one in rights))


def _author(creator: Object) -> dict[str, Any] | None:
    named = (one for one in objects(creator.get("nameIdentifiers")) if text(one.get("nameIdentifierScheme")).upper() == "ORCID")
    orcid = next((one.get("nameIdentifier") for one in named), None)
    if creator.get("nameType") == "Organizational":  # a comma is part of the name
        return author(None, None, creator.get("name"), orcid=orcid)
    return author(creator.get("name"), creator.get("givenName"), creator.get("familyName"), orcid=orcid)


def _related(record: Object, relations: frozenset[str]) -> Iterator[Any]:
    for one in objects(record.get("relatedIdentifiers")):
        if text(one.get("relationType")) in relations and text(one.get("relatedIdentifierType")).upper() == "DOI":
            yield one.get("relatedIdentifier")
