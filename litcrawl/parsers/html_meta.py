"""
Meta tags of a publication's landing page: what it says of itself to Google Scholar, to libraries and to search engines.

Highwire Press (https://scholar.google.com/intl/en/scholar/inclusion.html#indexing), Dublin Core
(https://www.dublincore.org/specifications/dublin-core/dcmi-terms/), PRISM, Eprints, bepress, Open Graph (https://ogp.me/); for
JSON-LD see `json_ld`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from lxml import etree
from lxml.html import HTMLParser
from lxml.html import document_fromstring as parse_document

from litcrawl.exceptions import Malformed
from litcrawl.parsers import charsets, json_ld
from litcrawl.parsers.shapes import Object, first
from litcrawl.publications import dates
from litcrawl.publications.record import Told, author, told
from litcrawl.publications.wording import plain
from litcrawl.stated import stated

_MOST_BYTES = 8 << 20  # what a page says of itself stands at its beginning
_MOST_TAGS = 20_000
_MOST_IDENTIFIERS = 1000

TITLES = (
    "citation_title", "bepress_citation_title", "eprints.title", "dc.title", "dcterms.title", "prism.title", "og.title", "twitter.title",
    "dcterms.alternative",
)  # fmt: skip
ABSTRACTS = (
    "citation_abstract", "bepress_citation_abstract", "dcterms.abstract", "dc.description.abstract", "eprints.abstract", "dc.description",
    "dcterms.description",
)  # fmt: skip
TEASERS = ("description", "og.description", "twitter.description", "prism.teaser")
"""Where an abstract may stand, mostly cut."""
DATES = (
    "citation_publication_date", "citation_date", "citation_online_date", "citation_cover_date", "bepress_citation_date",
    "bepress_citation_online_date", "prism.publicationdate", "prism.coverdate", "eprints.date", "dcterms.issued", "dc.date.issued",
    "dc.date", "dcterms.date", "dcterms.created", "article.published_time",
)  # fmt: skip
YEARS = ("citation_year", "prism.copyrightyear", "eprints.date_year")
AUTHORS = ("citation_author", "bepress_citation_author", "eprints.creators_name", "dc.creator", "dcterms.creator", "citation_authors")
PUBLISHERS = (
    "citation_publisher", "bepress_citation_publisher", "eprints.publisher", "dc.publisher", "dcterms.publisher", "prism.publisher",
    "citation_technical_report_institution", "citation_dissertation_institution", "bepress_citation_dissertation_institution",
)  # fmt: skip
CONTAINERS = (
    "citation_journal_title", "citation_conference_title", "citation_inbook_title", "bepress_citation_journal_title", "eprints.publication",
    "prism.publicationname",
)  # fmt: skip
SUBJECTS = (
    "citation_keywords", "bepress_citation_keywords", "eprints.keywords", "prism.keyword", "dc.subject", "dcterms.subject", "keywords",
)  # fmt: skip
REFERENCES = ("citation_reference", "dcterms.references", "dc.relation.references")
CITATIONS = ("dcterms.isreferencedby", "dc.relation.isreferencedby")
LICENCES = ("dcterms.license", "dc.rights.license", "dc.rights.uri", "dc.rights", "dcterms.rights")
IDENTIFIERS = (
    "citation_doi", "bepress_citation_doi", "eprints.id_number", "prism.doi", "dc.identifier", "dc.identifier.doi",
    "dcterms.identifier",
)  # fmt: skip

_URL = re.compile(r"https?://\S+$")
_DOI_OF_REFERENCE = re.compile(r"(?:citation_doi\s*=\s*|\bdoi:?\s*|doi\.org/)?(10\.\d{4,9}/[^\s;,\"<>]+)", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?。]['\"”’)]*$")
_CUT = ("...", "…", "[...]", "[…]")


@dataclass(slots=True)
class Page:
    """The meta tags of a page, by their names in lower case with full stops for colons, and the works that its JSON-LD describes."""

    tags: dict[str, list[str]] = field(default_factory=dict)
    orcids: dict[int, str] = field(default_factory=dict)
    """Of the n-th `citation_author`: what its own tag says."""
    links: list[str] = field(default_factory=list)
    """Addresses of licences that `rel="license"` names."""
    works: list[Object] = field(default_factory=list)

    def every(self, names: Iterable[str]) -> Iterator[str]:
        """What the tags of these names hold, name by name."""
        return (value for name in names for value in self.tags.get(name, ()))

    def some(self, names: Iterable[str]) -> str | None:
        """The first of them."""
        return next(self.every(names), None)


def page(content: bytes, content_type: str | None = None) -> Page:
    """What a page says of itself, wherever in it. Raises `Malformed` when it is no HTML."""
    found, text = Page(), charsets.text(content[:_MOST_BYTES], content_type).replace("\0", "").strip()
    if not text:
        return found
    try:
        parser = HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
        root = parse_document(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError, AssertionError) as error:
        raise Malformed(f"no HTML: {error}") from None
    characters = 0
    for element in islice(root.iter("meta", "link", "script"), _MOST_TAGS):
        if element.tag != "script":
            _take(found, element)
        elif (element.get("type") or "").partition(";")[0].strip().lower() == "application/ld+json":
            script = element.text or ""
            characters += len(script)
            if characters <= json_ld.MOST_CHARACTERS:
                found.works += json_ld.works(script)
    del found.works[json_ld.MOST_WORKS :]
    return found


def _take(found: Page, element: Any) -> None:
    if element.tag == "link":
        if "license" in (element.get("rel") or "").lower().split() and (href := (element.get("href") or "").strip()):
            found.links.append(href)
        return
    content = (element.get("content") or "").strip()
    for name in {element.get("name"), element.get("property")} - {None}:
        key = name.strip().lower().replace(":", ".")
        if key == "citation_author_orcid":  # it belongs to the author before it
            found.orcids.setdefault(len(found.tags.get("citation_author", ())) - 1, content)
        elif content:
            found.tags.setdefault(key, []).append(content)


def dois(found: Page) -> set[str]:
    """The DOIs that a page gives itself; of a page without any nothing is known."""
    own = {ids.doi for value in islice(found.every(IDENTIFIERS), _MOST_IDENTIFIERS) if (ids := stated(doi=value)).doi}
    return {doi for doi in own | {doi for work in found.works for doi in json_ld.dois(work)} if doi}


def metadata(found: Page, doi: str) -> Told:
    """The fields that a page states; where its tags and its JSON-LD both do, the tags."""
    work = next((one for one in found.works if doi in json_ld.dois(one)), found.works[0] if found.works else {})
    linked = json_ld.fields(work)
    return told(
        doi=doi,
        title=first(found.some(TITLES[:6]), linked.get("title"), found.some(TITLES[6:])),
        abstract=_abstract(found, linked.get("abstract")),
        date=next((date for value in (*found.every(DATES), linked.get("date")) if (date := dates.stated(value))), None),
        year=found.some(YEARS),
        publisher=first(found.some(PUBLISHERS), linked.get("publisher")),
        container=first(found.some(CONTAINERS), linked.get("container")),
        citation_count=linked.get("citation_count"),
        licence=next((url for url in (*found.every(LICENCES), *found.links, linked.get("licence")) if url and _URL.match(url)), None),
        authors=_authors(found) or linked.get("authors", []),
        subjects=_subjects(found) or linked.get("subjects", []),
        refs=(*_dois_in(found.every(REFERENCES)), *linked.get("refs", ())),
        citations=_dois_in(found.every(CITATIONS)),
    )


def _abstract(found: Page, linked: str | None) -> str | None:
    """The longest; a teaser only where it ends as a sentence does, and is no citation."""
    teasers = [one for one in found.every(TEASERS) if _is_prose(plain(one) or "", found.some(CONTAINERS))]
    return max((*found.every(ABSTRACTS), *([linked] if linked else []), *teasers), key=len, default=None)


def _is_prose(words: str, container: str | None) -> bool:
    return bool(_SENTENCE.search(words)) and not words.endswith(_CUT) and not (container and container in words)


def _authors(found: Page) -> list[dict[str, Any]]:
    name = next((name for name in AUTHORS if found.tags.get(name)), None)
    if name is None:
        return []
    orcids = found.orcids if name == "citation_author" else {}
    authors = []
    for n, value in enumerate(found.tags[name]):
        several = (plain(value) or "").split(";")  # one a tag is the rule; not all pages keep to it
        orcid = orcids.get(n) if len(several) == 1 else None
        authors += [one for named in several if (one := author(named, orcid=orcid))]
    return authors


def _subjects(found: Page) -> list[str]:
    """Keywords of one tag are separated by semicolons, else by commas; subjects of Dublin Core have a tag each."""
    for name in SUBJECTS:
        values = found.tags.get(name, [])
        if values:
            comma = "," if len(values) == 1 and not name.startswith("dc") and ";" not in values[0] else ";"
            return [part for value in values for part in value.split(comma)]
    return []


def _dois_in(values: Iterable[str]) -> Iterator[str]:
    """Of each reference the DOI, if it names one."""
    return (match[1].rstrip(".") for value in values if (match := _DOI_OF_REFERENCE.search(value)))
