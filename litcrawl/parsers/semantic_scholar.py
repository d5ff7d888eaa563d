"""
What a paper of Semantic Scholar's Academic Graph states of its publication.

https://api.semanticscholar.org/api-docs/graph
"""

from __future__ import annotations

from litcrawl.parsers.shapes import Object, first, items, mapping, objects, text
from litcrawl.publications import dates
from litcrawl.publications.record import Told, author, told

FIELDS = (
    "title", "abstract", "year", "publicationDate", "citationCount", "venue", "journal", "publicationVenue", "fieldsOfStudy",
    "s2FieldsOfStudy", "authors.name",
)  # fmt: skip
"""What is read of a paper."""
_PUBLISHERS = {"arxiv.org": "arXiv", "arxiv": "arXiv"}


def metadata(paper: Object, doi: str) -> Told:
    """
    The paper's fields.

    Of several kinds of publication one paper may be all. A publisher is told for few venues; that of arXiv is arXiv itself.
    """
    venue = mapping(paper.get("publicationVenue"))
    return told(
        doi=doi,
        title=paper.get("title"),
        abstract=paper.get("abstract"),
        date=dates.stated(paper.get("publicationDate")),
        year=paper.get("year"),
        publisher=first(venue.get("publisher"), _PUBLISHERS.get(text(paper.get("venue")).lower())),
        container=first(paper.get("venue"), venue.get("name"), mapping(paper.get("journal")).get("name")),
        citation_count=paper.get("citationCount"),
        authors=(author(one.get("name")) for one in objects(paper.get("authors"))),
        subjects=(*items(paper.get("fieldsOfStudy")), *(one.get("category") for one in objects(paper.get("s2FieldsOfStudy")))),
        refs=(mapping(one.get("externalIds")).get("DOI") for one in objects(paper.get("references"))),
        citations=(mapping(one.get("externalIds")).get("DOI") for one in objects(paper.get("citations"))),
    )
