"""
The tables of publications: names and columns of the Pubfinder component, and beside them what it did not keep.

One schema for SQLite and PostgreSQL. The far side of references and citations is bound to nothing: what a publication cites is
mostly not known itself.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, DateTime, Enum, ForeignKey, Index, Integer, MetaData, String, Table, Text

from litcrawl.publications.record import Type

metadata = MetaData()

_Id = BigInteger().with_variant(Integer, "sqlite")  # only an INTEGER PRIMARY KEY of SQLite numbers its rows itself


def _doi(*, primary_key: bool = True) -> Column[str]:
    return Column("publication_doi", ForeignKey("publication.doi", ondelete="CASCADE"), primary_key=primary_key)


publication = Table(
    "publication",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("doi", String, unique=True, nullable=False),
    Column("type", Enum(Type, name="publication_type"), nullable=False),
    Column("pub_date", String),
    Column("pub_date_precision", String),
    Column("year", Integer),
    Column("publisher", Text),
    Column("container", Text),
    Column("citation_count", Integer),
    Column("title", Text),
    Column("normalized_title", Text),
    Column("abstract", Text),
    Column("license", Text),
    Column("source", String),
)
author = Table(
    "author",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("normalized_name", Text, unique=True, nullable=False),
)
# people and subjects are known by their normalised names; how this publication spells them stands here
publication_author = Table(
    "publication_author",
    metadata,
    _doi(),
    Column("position", Integer, primary_key=True),
    Column("author_id", ForeignKey("author.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("orcid", String),
)
field_of_study = Table(
    "field_of_study",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("normalized_name", Text, unique=True, nullable=False),
)
publication_field_of_study = Table(
    "publication_field_of_study",
    metadata,
    _doi(),
    Column("position", Integer, primary_key=True),
    Column("field_of_study_id", ForeignKey("field_of_study.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
)
source = Table(
    "source",
    metadata,
    Column("id", _Id, primary_key=True, autoincrement=True),
    Column("title", String, unique=True, nullable=False),
    Column("url", Text),
    Column("license", Text),
)
publication_source = Table(
    "publication_source", metadata, _doi(), Column("source_id", ForeignKey("source.id"), primary_key=True), Column("position", Integer)
)
publication_citation = Table(
    "publication_citation", metadata, _doi(), Column("citation_doi", String, primary_key=True), Column("position", Integer)
)
publication_reference = Table(
    "publication_reference", metadata, _doi(), Column("reference_doi", String, primary_key=True), Column("position", Integer)
)
publication_not_found = Table(
    "publication_not_found",
    metadata,
    Column("publication_doi", String, primary_key=True),
    Column("last_try", DateTime(timezone=True), nullable=False),
    Column("pub_missing", Text, nullable=False),
    Column("next_try", DateTime(timezone=True), nullable=False),
)
Index("ix_publication_not_found_next_try", publication_not_found.c.next_try)
publication_provenance = Table(
    "publication_provenance",
    metadata,
    _doi(),
    Column("field", String, primary_key=True),
    Column("source", String, nullable=False),
    Column("value_hash", String, nullable=False),
    Column("fetched_at", String, nullable=False),
)
# what each source has said of a DOI, whether it became a publication or not
publication_attempt = Table(
    "publication_attempt",
    metadata,
    Column("publication_doi", String, primary_key=True),
    Column("source", String, primary_key=True),
    Column("attempt", Text, nullable=False),
)
# events of publications that were not found yet; not every one has an id, and ids may be long, or not its own: `digest` is of all of it
publication_event = Table(
    "publication_event",
    metadata,
    Column("publication_doi", String, primary_key=True),
    Column("digest", String, primary_key=True),
    Column("event", Text, nullable=False),
)
