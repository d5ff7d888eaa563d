"""
What a research product of the OpenAIRE Graph states of its publication.

https://graph.openaire.eu/docs/data-model/entities/research-product and https://api.openaire.eu/graph/v3/api-docs
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litcrawl.exceptions import Malformed
from litcrawl.parsers.shapes import Object, first, items, mapping, objects, text
from litcrawl.publications import dates
from litcrawl.publications.record import Told, author, told
from litcrawl.stated import stated


def products(answer: Object) -> list[Object]:
    """The products that an answer holds; none is an answer too. Raises `Malformed` when it is no such answer."""
    if not isinstance(answer.get("results"), list) or not isinstance(answer.get("header"), dict):
        raise Malformed("no list of research products")
    return objects(answer["results"])


def dois(product: Object) -> Iterator[str]:
    """The DOIs of a product, which may be several: versions of a publication are merged into one."""
    instances = objects(product.get("instances"))
    own = [*objects(product.get("pids")), *(pid for one in instances for pid in objects(one.get("pids")))]
    for pid in own:
        if text(pid.get("scheme")).lower() == "doi" and (doi := stated(doi=pid.get("value")).doi):
            yield doi


def metadata(product: Object, doi: str) -> Told:
    """The product's fields."""
    impact = mapping(mapping(product.get("indicators")).get("citationImpact"))
    return told(
        doi=doi,
        title=product.get("mainTitle"),
        abstract=max((text(one) for one in items(product.get("descriptions"))), key=len, default=None),
        date=dates.stated(product.get("publicationDate")),
        publisher=product.get("publisher"),
        container=mapping(product.get("container")).get("name"),
        citation_count=_whole(impact.get("citationCount")),
        licence=first(*(one.get("license") for one in objects(product.get("instances")))),
        authors=(_author(one) for one in sorted(objects(product.get("authors")), key=_rank)),
        subjects=(mapping(one.get("subject")).get("value") for one in objects(product.get("subjects"))),
    )


def _author(one: Object) -> dict[str, Any] | None:
    identifier = mapping(mapping(one.get("pid")).get("id"))
    orcid = identifier.get("value") if text(identifier.get("scheme")).lower().startswith("orcid") else None
    return author(one.get("fullName"), one.get("name"), one.get("surname"), orcid=orcid)


def _rank(one: Object) -> int:
    rank = one.get("rank")
    return rank if type(rank) is int else 1 << 30


def _whole(count: Any) -> Any:
    return int(count) if isinstance(count, float) and count.is_integer() else count
