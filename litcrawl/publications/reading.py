"""What the database has of publications: from rows back to records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeVar

import orjson
from sqlalchemy import Connection, Table, select

from litcrawl.publications import schema
from litcrawl.publications.merging import Publication, stated
from litcrawl.publications.record import FIELDS, LISTS

T = TypeVar("T")

COLUMNS = tuple(name for name in (*FIELDS, "source") if name not in LISTS)
"""The fields of a record that are columns of its own row."""

_MOST = 500  # values in a list of a statement; SQLite's bound is 32,766 variables


@dataclass(kw_only=True, slots=True)
class Stored:
    """What the database has of one DOI."""

    publication: Publication | None = None
    attempts: list[dict[str, Any]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Of one that was not found: what it lacked."""
    next_try: datetime | None = None
    """Of one that was not found: when its sources are to be asked again."""


def load(connection: Connection, dois: Iterable[str]) -> dict[str, Stored]:
    """What is known of these DOIs; those of which nothing is are left out."""
    found: dict[str, Stored] = {}
    for part in parts(dict.fromkeys(dois)):
        _load(connection, part, found)
    return found


def due(connection: Connection, now: datetime, most: int) -> list[str]:
    """DOIs that were not found and may be asked for again, the longest due first; those found for which an event still waits."""
    table, waiting = schema.publication_not_found, schema.publication_event
    query = select(table.c.publication_doi).where(table.c.next_try <= now).order_by(table.c.next_try).limit(most)
    due = list(connection.scalars(query))
    found = select(waiting.c.publication_doi).join(schema.publication, schema.publication.c.doi == waiting.c.publication_doi)
    query = found.where(waiting.c.publication_doi.not_in(select(table.c.publication_doi))).distinct().limit(most - len(due))
    return [*due, *connection.scalars(query)]


def waiting_events(connection: Connection, dois: Iterable[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """The events that wait for these DOIs, by their digests."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for part in parts(dict.fromkeys(dois)):
        for row in _of(connection, schema.publication_event, part):
            found.setdefault(row.publication_doi, {})[row.digest] = orjson.loads(row.event)
    return found


def digest(event: Mapping[str, Any]) -> str:
    """What an event that waits is known by."""
    return hashlib.sha256(orjson.dumps(event, option=orjson.OPT_SORT_KEYS)).hexdigest()


def parts(values: Iterable[T]) -> Iterator[list[T]]:
    """The values, as many at a time as a statement takes."""
    rest = iter(values)
    while part := list(islice(rest, _MOST)):
        yield part


def _load(connection: Connection, dois: Sequence[str], found: dict[str, Stored]) -> None:
    table = schema.publication
    columns = [table.c[name] for name in COLUMNS]
    for row in connection.execute(select(*columns).where(table.c.doi.in_(dois))).mappings():
        record = dict(row) | {name: [] for name in LISTS} | {"type": str(row["type"])}
        found[row["doi"]] = Stored(publication={"record": record, "provenance": {}})
    known = list(found.keys() & set(dois))
    records = {doi: found[doi].publication for doi in known}
    for doi, name, entry in _lists(connection, known):
        records[doi]["record"][name].append(entry)  # type: ignore[index]
    for row in _of(connection, schema.publication_provenance, known):
        publication = records[row.publication_doi]
        if publication is not None and publication["record"].get(row.field) is not None:
            publication["provenance"][row.field] = {"source": row.source, "at": row.fetched_at}
    for doi in known:
        found[doi].publication = stated(records[doi])  # type: ignore[arg-type]
    for row in _of(connection, schema.publication_attempt, dois):
        found.setdefault(row.publication_doi, Stored()).attempts.append(orjson.loads(row.attempt))
    for row in _of(connection, schema.publication_not_found, dois):
        stored = found.setdefault(row.publication_doi, Stored())
        next_try = row.next_try if row.next_try.tzinfo else row.next_try.replace(tzinfo=UTC)  # SQLite keeps no zone
        stored.missing, stored.next_try = orjson.loads(row.pub_missing), next_try


def _lists(connection: Connection, dois: Sequence[str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The entries of the lists of records: DOI, field, entry, in their order."""
    one = schema.publication_author
    query = select(one, schema.author.c.normalized_name).join(schema.author).where(one.c.publication_doi.in_(dois)).order_by(one.c.position)
    for row in connection.execute(query):
        yield row.publication_doi, "authors", {"name": row.name, "normalized_name": row.normalized_name, "orcid": row.orcid}
    one, other = schema.publication_field_of_study, schema.field_of_study
    query = select(one, other.c.normalized_name).join(other).where(one.c.publication_doi.in_(dois)).order_by(one.c.position)
    for row in connection.execute(query):
        yield row.publication_doi, "fields_of_study", {"name": row.name, "normalized_name": row.normalized_name}
    one, other = schema.publication_source, schema.source
    query = select(one.c.publication_doi, other).join(other).where(one.c.publication_doi.in_(dois)).order_by(one.c.position)
    for row in connection.execute(query):
        yield row.publication_doi, "source_id", {"title": row.title, "url": row.url, "license": row.license}
    for name, links, far in (
        ("refs", schema.publication_reference, schema.publication_reference.c.reference_doi),
        ("citations", schema.publication_citation, schema.publication_citation.c.citation_doi),
    ):
        pairs = select(links.c.publication_doi, far).where(links.c.publication_doi.in_(dois)).order_by(links.c.position)
        for doi, other in connection.execute(pairs):
            yield doi, name, {"doi": other}


def _of(connection: Connection, table: Table, dois: Sequence[str]) -> Iterable[Any]:
    """The rows of a table that belong to these publications."""
    return connection.execute(select(table).where(table.c.publication_doi.in_(dois))) if dois else ()
