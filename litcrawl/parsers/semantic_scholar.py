"""
What a paper of Semantic Scholar's Academic Graph states of its publication.

https://api.semanticscholar.org/api-docs/graph
"""

from __future__ import annotations

from litcrawl.ids import ARXIV_DOI
from litcrawl.parsers.shapes import Object, first, items, mapping, objects, text
from litcrawl.publications import dates
from litcrawl.publications.record import Told, author, told

FIELDS = (
    "title", "abstract", "year", "publicationDate", "citationCount", "venue", "journal", "publicationVenue", "fieldsOfStudy",
    "s2FieldsOfStudy", "authors.name",
)  # fmt: skip
"""What is read of a paper."""
_ARXIV = frozenset({"arxiv", "arxiv.org"})


def metadata(paper: Object, doi: str) -> Told:
    """
    The paper's fields.

    One paper may be a journal's article and its preprint on arXiv; venue and date, which are of either, are told of that one alone.
    """
    venue = mapping(paper.get("publicationVenue"))
    container = first(paper.get("venue"), venue.get("name"), mapping(paper.get("journal")).get("name"))
    preprint, on_arxiv = doi.startswith(ARXIV_DOI), text(container).lower() in _ARXIV
    own = container is None or preprint == on_arxiv
    own_date = own and not (preprint and _is_published(paper))
    return told(
        doi=doi,
        title=paper.get("title"),
        abstract=paper.get("abstract"),
        date=dates.stated(paper.get("publicationDate")) if own_date else None,
        year=paper.get("year") if own_date else None,
        publisher=first(venue.get("publisher"), "arXiv" if on_arxiv else None) if own else None,  # a publisher is told for few venues
        container=container if own else None,
        citation_count=paper.get("citationCount"),
        authors=(author(one.get("name")) for one in objects(paper.get("authors"))),
        subjects=(*items(paper.get("fieldsOfStudy")), *(one.get("category") for one in objects(paper.get("s2FieldsOfStudy")))),
        refs=(mapping(one.get("externalIds")).get("DOI") for one in objects(paper.get("references"))),
        citations=(mapping(one.get("externalIds")).get("DOI") for one in objects(paper.get("citations"))),
    )


def _is_published(paper: Object) -> bool:
    """Whether a paper has another DOI than arXiv's."""
    named = text(mapping(paper.get("externalIds")).get("DOI")).lower()
    return bool(named) and not named.startswith(ARXIV_DOI)
