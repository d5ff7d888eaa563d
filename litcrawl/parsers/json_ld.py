"""
Works that a page describes in JSON-LD, in the words of https://schema.org/ScholarlyArticle.

No JSON-LD processor: pages use one context, and what their authors write is read by shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from litcrawl.exceptions import Malformed
from litcrawl.parsers import json
from litcrawl.parsers.shapes import Object, first, items, mapping, objects, text
from litcrawl.publications.record import author
from litcrawl.stated import stated

_WORKS = frozenset(
    {"article", "scholarlyarticle", "medicalscholarlyarticle", "report", "thesis", "book", "chapter", "dataset", "creativework"}
)  # fmt: skip
MOST_CHARACTERS = 1 << 20  # of all the scripts of a page
MOST_WORKS = 100  # of a page; one about a single publication describes few others
_MOST_IDENTIFIERS = 50  # of a work
_MOST_REFERENCES = 10_000
_DEEPEST = 8


def works(script: str) -> list[Object]:
    """The works that a script of JSON-LD holds, the first `MOST_WORKS`; none where it cannot be read: pages are full of broken ones."""
    if len(script) > MOST_CHARACTERS:
        return []
    try:
        value = json.parse(script.strip())
    except Malformed:
        return []
    return list(islice(_works(value), MOST_WORKS))


def dois(work: Object) -> set[str]:
    """The DOIs that a work gives itself."""
    named = [work.get("@id"), work.get("sameAs"), work.get("doi"), *_each(work.get("identifier"))[:_MOST_IDENTIFIERS]]
    values = (mapping(one).get("value") or mapping(one).get("@id") if isinstance(one, dict) else one for one in named)
    return {doi for value in values if (doi := stated(doi=value).doi)}


def fields(work: Object) -> Object:
    """What is stated of the record's fields, as stated."""
    parts = [mapping(one) for one in _each(work.get("isPartOf"))]
    return {
        "title": first(text(work.get("headline")), text(work.get("name"))),
        "abstract": max((text(work.get("abstract")), text(work.get("description"))), key=len) or None,
        "date": first(work.get("datePublished"), work.get("dateCreated")),
        "publisher": _name(work.get("publisher")),
        "container": _container(parts),
        "licence": _address(work.get("license")),
        "citation_count": _citation_count(work),
        "authors": [one for named in _each(work.get("author")) or _each(work.get("creator")) if (one := _author(named))],
        "subjects": _keywords(work.get("keywords")),
        "refs": [doi for one in _each(work.get("citation"))[:_MOST_REFERENCES] for doi in (dois(one) if isinstance(one, dict) else [one])],
    }


def _works(value: Any, depth: int = 0) -> Iterator[Object]:
    if depth > _DEEPEST:
        return
    for one in objects(value if isinstance(value, list) else [value]):
        kinds = {text(kind).lower().rpartition("/")[2] for kind in _each(one.get("@type"))}
        if kinds & _WORKS:
            yield one
        else:
            for name in ("@graph", "mainEntity", "mainEntityOfPage", "hasPart"):
                yield from _works(one.get(name), depth + 1)


def _each(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _name(value: Any) -> str | None:
    return next((found for one in _each(value) if (found := text(mapping(one).get("name")) or text(one))), None)


def _container(parts: list[Object]) -> str | None:
    """The periodical; a volume or an issue stands inside it."""
    for _ in range(_DEEPEST):
        if not parts:
            return None
        above = [mapping(one) for part in parts for one in _each(part.get("isPartOf"))]
        if not any(above):
            return next((name for part in parts if (name := text(part.get("name")))), None)
        parts = above
    return None


def _address(value: Any) -> str | None:
    found = (text(one) or text(mapping(one).get("url")) or text(mapping(one).get("@id")) for one in _each(value))
    return next(filter(None, found), None)


def _author(named: Any) -> Object | None:
    if not isinstance(named, dict):
        return author(named)
    addresses = (named.get("@id"), *_each(named.get("sameAs")), named.get("identifier"))
    orcid = next((one for one in addresses if "orcid.org" in text(one)), None)
    if "organization" in text(named.get("@type")).lower():  # a comma is part of the name
        return author(None, None, named.get("name"))
    return author(_name(named), text(named.get("givenName")), text(named.get("familyName")), orcid=orcid)


def _keywords(value: Any) -> list[Any]:
    if isinstance(value, str):
        return value.split(";" if ";" in value else ",")
    return [mapping(one).get("name") if isinstance(one, dict) else one for one in items(value)]


def _citation_count(work: Object) -> Any:
    """https://schema.org/interactionStatistic, of the kind that names citing."""
    for counter in objects(_each(work.get("interactionStatistic"))):
        kind = counter.get("interactionType")
        if "cit" in (text(kind) or text(mapping(kind).get("@type"))).lower().rpartition("/")[2]:
            return counter.get("userInteractionCount")
    return None
