"""Publications in SQL: SQLite, or PostgreSQL by URL; read and written many at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import orjson
from scrapy.settings import BaseSettings
from sqlalchemy import Connection, Engine, Table, case, create_engine, delete, event, func, make_url, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from litcrawl.exceptions import BadArgument
from litcrawl.publications import reading, schema
from litcrawl.publications.merging import Rules, kept
from litcrawl.publications.reading import COLUMNS, Stored, digest, parts
from litcrawl.publications.record import FOLLOWS, Record, Type

_LONGEST = 500  # characters of what shared entries are known by: an index of PostgreSQL takes 2,700 bytes
_BUSY = 30_000  # milliseconds that a writer waits for another


@dataclass(kw_only=True, slots=True)
class Row:
    """
    One publication on its way into the database.

    `next_try` is None where it was found. `events` wait for it. `anew`: whether somebody was asked; else what is stored of when to ask
    again, and what lacked, stands.
    """

    doi: str
    record: Record
    provenance: dict[str, dict[str, str]]
    attempts: list[dict[str, Any]] = field(default_factory=list)
    missing: Sequence[str] = ()
    next_try: datetime | None = None
    events: Sequence[Mapping[str, Any]] = ()
    anew: bool = True


class Database:
    """
    The tables of `schema`, made where they are missing.

    Every method is one transaction and blocks: call it in a thread. What is stored is never lost to a record that has less.
    """

    def __init__(self, url: str, rules: Rules | None = None) -> None:
        self.engine = _engine(url)
        self.rules = rules or Rules()
        self._insert: Any = postgresql.insert if self.engine.dialect.name == "postgresql" else sqlite.insert

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        """The database that `LITCRAWL_DB` names. Raises `BadArgument`."""
        url = str(settings.get("LITCRAWL_DB") or Path(str(settings.get("LITCRAWL_OUT"))).expanduser() / "publications.sqlite")
        return cls(url, Rules.from_settings(settings))

    @property
    def name(self) -> str:
        """Its address as it may be shown: no password, which the query may give as well."""
        return self.engine.url.set(query={}).render_as_string(hide_password=True)

    def prepare(self) -> None:
        """Make the tables that are missing. Raises SQLAlchemy's error when those that are there are others."""
        if self.engine.dialect.name == "sqlite" and (file := self.engine.url.database) and file != ":memory:":
            Path(file).parent.mkdir(parents=True, exist_ok=True)
        with self.engine.begin() as connection:
            if self.engine.dialect.name == "postgresql":  # two that make them at once would hinder each other
                connection.execute(select(func.pg_advisory_xact_lock(7_157_267)))
            schema.metadata.create_all(connection)
            for table in schema.metadata.sorted_tables:
                connection.execute(select(table).limit(0))

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()

    def load(self, dois: Iterable[str]) -> dict[str, Stored]:
        """What is known of these DOIs; those of which nothing is are left out."""
        with self.engine.connect() as connection:
            return reading.load(connection, dois)

    def due(self, now: datetime, most: int) -> list[str]:
        """DOIs that were not found and may be asked for again, the longest due first; those found for which an event still waits."""
        with self.engine.connect() as connection:
            return reading.due(connection, now, most)

    def waiting_events(self, dois: Iterable[str]) -> dict[str, dict[str, dict[str, Any]]]:
        """The events that wait for these DOIs, by their digests."""
        with self.engine.connect() as connection:
            return reading.waiting_events(connection, dois)

    def save(self, rows: Sequence[Row], now: datetime) -> None:
        """Write publications, or what was missing of those that were not found, in one transaction; of one DOI the last row counts."""
        rows = list({row.doi: row for row in rows}.values())
        rows.sort(key=lambda row: row.doi)  # several writers lock in one order
        found = [row for row in rows if row.next_try is None]
        lost = [row for row in rows if row.next_try is not None]
        with self.engine.begin() as connection:
            self._save_publications(connection, found)
            attempts = [
                {"publication_doi": row.doi, "source": one["source"], "attempt": orjson.dumps(one).decode()}
                for row in rows
                for one in row.attempts
            ]
            self._put(connection, schema.publication_attempt, attempts)
            for anew in (True, False):
                self._put(
                    connection,
                    schema.publication_not_found,
                    [
                        {
                            "publication_doi": row.doi, "last_try": now, "next_try": row.next_try,
                            "pub_missing": orjson.dumps(list(row.missing)).decode(),
                        }
                        for row in lost
                        if row.anew is anew
                    ],
                    update=anew,
                )  # fmt: skip
            waiting = {
                (row.doi, digest(one)): {"publication_doi": row.doi, "digest": digest(one), "event": orjson.dumps(one).decode()}
                for row in lost
                for one in row.events
            }
            self._put(connection, schema.publication_event, list(waiting.values()))
            self._clear(connection, schema.publication_not_found, [row.doi for row in found])

    def sent(self, events: Iterable[tuple[str, str]]) -> None:
        """Forget events that waited, each named by its DOI and its digest: others may have come meanwhile."""
        table = schema.publication_event
        with self.engine.begin() as connection:
            for part in parts(events):
                connection.execute(delete(table).where(tuple_(table.c.publication_doi, table.c.digest).in_(part)))

    def _save_publications(self, connection: Connection, rows: Sequence[Row]) -> None:
        if not rows:
            return
        table = schema.publication
        statement = self._insert(table)
        new = statement.excluded
        rows = self._over_stored(connection, rows)
        # whoever has made the row since it was looked for loses nothing either
        columns: dict[str, Any] = {name: func.coalesce(new[name], table.c[name]) for name in COLUMNS if name != "doi"}
        columns |= {name: case((new[first].is_(None), table.c[name]), else_=new[name]) for name, first in FOLLOWS.items()}
        columns["type"] = case((new.type == Type.UNKNOWN, table.c.type), else_=new.type)
        columns["citation_count"] = case((new.citation_count == 0, table.c.citation_count), else_=columns["citation_count"])
        values = [{name: row.record[name] for name in COLUMNS} | {"doi": row.doi} for row in rows]
        connection.execute(statement.on_conflict_do_update(index_elements=["doi"], set_=columns), values)
        self._link(connection, rows, "authors", schema.author, schema.publication_author, "author_id", "normalized_name")
        self._link(
            connection,
            rows,
            "fields_of_study",
            schema.field_of_study,
            schema.publication_field_of_study,
            "field_of_study_id",
            "normalized_name",
        )
        self._link(connection, rows, "source_id", schema.source, schema.publication_source, "source_id", "title")
        for name, link, column in (
            ("refs", schema.publication_reference, "reference_doi"),
            ("citations", schema.publication_citation, "citation_doi"),
        ):
            self._list(connection, {row.doi: [one["doi"] for one in row.record[name]] for row in rows}, link, column)
        provenance = [
            {
                "publication_doi": row.doi, "field": name, "source": one["source"], "fetched_at": one["at"],
                "value_hash": hashlib.sha256(orjson.dumps(row.record[name], option=orjson.OPT_SORT_KEYS)).hexdigest(),
            }
            for row in rows
            for name, one in row.provenance.items()
        ]  # fmt: skip
        self._put(connection, schema.publication_provenance, provenance)

    def _over_stored(self, connection: Connection, rows: Sequence[Row]) -> list[Row]:
        """The publications with what is stored of them, and locked, where they have less."""
        table = schema.publication
        known: list[str] = []
        for part in parts(row.doi for row in rows):
            known += connection.scalars(select(table.c.doi).where(table.c.doi.in_(part)).order_by(table.c.doi).with_for_update())
        stored = reading.load(connection, known)
        return [self._over(row, stored[row.doi]) if row.doi in stored else row for row in rows]

    def _over(self, row: Row, stored: Stored) -> Row:
        if stored.publication is None:
            return row
        merged = kept(stored.publication, {"record": row.record, "provenance": row.provenance}, self.rules)
        return replace(row, record=merged["record"], provenance=merged["provenance"])

    def _list(self, connection: Connection, lists: Mapping[str, Sequence[str]], table: Table, column: str) -> None:
        """Write the list of every publication that has any anew."""
        self._clear(connection, table, [doi for doi, others in lists.items() if others])
        values = [
            {"publication_doi": doi, "position": n, column: other}
            for doi, others in lists.items()
            for n, other in enumerate(dict.fromkeys(others))
        ]
        self._put(connection, table, values)

    def _link(self, connection: Connection, rows: Sequence[Row], name: str, table: Table, link: Table, column: str, key: str) -> None:
        """Write a list of entries that publications share: each entry once, and the links of every publication that has any anew."""
        entries = {
            one[key][:_LONGEST]: {field: one[field] for field in table.c.keys() if field in one} | {key: one[key][:_LONGEST]}  # noqa: SIM118
            for row in rows
            for one in row.record[name]
        }
        if not entries:
            return
        connection.execute(self._insert(table).on_conflict_do_nothing(index_elements=[key]), [entries[one] for one in sorted(entries)])
        numbers: dict[str, int] = {}
        for part in parts(entries):
            numbers |= {one: n for n, one in connection.execute(select(table.c.id, table.c[key]).where(table.c[key].in_(part)))}
        self._clear(connection, link, [row.doi for row in rows if row.record[name]])
        fields = [field for field in link.c.keys() if field not in ("publication_doi", "position", column)]  # noqa: SIM118
        connection.execute(
            link.insert(),
            [
                {"publication_doi": row.doi, "position": n, column: numbers[one[key][:_LONGEST]]}
                | {field: one.get(field) for field in fields}
                for row in rows
                for n, one in enumerate(row.record[name])
            ],
        )  # fmt: skip

    def _put(self, connection: Connection, table: Table, values: Sequence[Mapping[str, Any]], *, update: bool = True) -> None:
        """Insert, and `update` what has the same key, or leave it."""
        if not values:
            return
        statement = self._insert(table)
        keys = [column.name for column in table.primary_key]
        rest = {column.name: statement.excluded[column.name] for column in table.c if column.name not in keys}
        if rest and update:
            statement = statement.on_conflict_do_update(index_elements=keys, set_=rest)
        else:
            statement = statement.on_conflict_do_nothing(index_elements=keys)
        connection.execute(statement, list(values))

    def _clear(self, connection: Connection, table: Table, dois: Sequence[str]) -> None:
        for part in parts(dois):
            connection.execute(delete(table).where(table.c.publication_doi.in_(part)))


def _engine(url: str) -> Engine:
    if "://" not in url:
        url = f"sqlite:///{Path(url).expanduser()}"
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise BadArgument("LITCRAWL_DB: no database's address: give a path, sqlite:///…, or postgresql://user:password@host/name") from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise BadArgument(f"LITCRAWL_DB: {parsed.get_backend_name()}: give a path or sqlite:///… for SQLite, or postgresql://…")
    try:
        engine = create_engine(parsed, pool_pre_ping=True)
    except (ImportError, NoSuchModuleError):
        raise BadArgument("LITCRAWL_DB: PostgreSQL needs its driver: pip install 'litcrawl[postgres]'") from None
    except ArgumentError:
        raise BadArgument("LITCRAWL_DB: sqlite takes no host: sqlite:///relative/path or sqlite:////absolute/path") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _pragmas)
    return engine


def _pragmas(connection: Any, record: Any) -> None:
    """https://www.sqlite.org/pragma.html; WAL lets others read while one writes."""
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", f"busy_timeout = {_BUSY}", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")
