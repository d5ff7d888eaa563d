"""Many sources, one record: who comes first is believed, and each field keeps the name of its source. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from scrapy.settings import BaseSettings

from litcrawl.exceptions import BadArgument
from litcrawl.publications.record import FIELDS, FOLLOWS, LISTS, Record, Told, Type, with_followers

Publication: TypeAlias = dict[str, Any]
"""`record`, and `provenance`: field -> `{source, at}`."""

COMPLETE = (
    "type", "doi", "abstract", "publisher", "title", "normalized_title", "year", "pub_date", "authors", "fields_of_study", "source_id",
    "citation_count",
)  # fmt: skip
"""With these nobody else is asked: the Pubfinder's own set, as the next."""
ENOUGH = ("doi", "publisher", "abstract", "title", "normalized_title", "year", "authors", "fields_of_study", "source_id")
"""With these a record is worth keeping once all have been asked."""

SHORT_TITLE = 5  # characters; below, it is hardly one
META_TAGS, CROSSREF = "meta_tags", "crossref"


@dataclass(frozen=True, slots=True)
class Rules:
    """What makes a record `complete`, what `enough`, and above how many characters an abstract is one."""

    complete: Sequence[str] = COMPLETE
    enough: Sequence[str] = ENOUGH
    abstract: int = 100

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"complete": list(self.complete), "enough": list(self.enough), "abstract": self.abstract}

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        """The rules of a crawl. Raises `BadArgument` for a field that a record does not have."""
        sets = {name: tuple(map(str, settings.getlist(f"LITCRAWL_PUBLICATION_{name.upper()}"))) for name in ("complete", "enough")}
        for name, fields in sets.items():
            if unknown := [field for field in fields if field not in (*FIELDS, "source_id")]:
                known = ", ".join((*FIELDS, "source_id"))
                raise BadArgument(f"LITCRAWL_PUBLICATION_{name.upper()}: no field {unknown[0]!r}; the fields are: {known}")
        length = str(settings.get("LITCRAWL_PUBLICATION_ABSTRACT")).strip()
        if not re.fullmatch(r"[0-9]{1,6}", length):
            raise BadArgument(f"LITCRAWL_PUBLICATION_ABSTRACT={length}: give a number of characters")
        return cls(sets["complete"] or COMPLETE, sets["enough"] or ENOUGH, int(length))


def empty() -> Publication:
    """Nothing is known."""
    return {"record": {}, "provenance": {}}


def merge(publication: Publication, source: str, told: Told, at: str, rules: Rules) -> Publication:
    """
    The publication with what a source tells of it: gaps are filled, what is known stays.

    The Pubfinder's exceptions: an abstract takes the place of one that is too short, a number of citations that of nought,
    a landing page's title that of a few characters, and Crossref's licence that of anybody's.
    """
    record, provenance = dict(publication["record"]), dict(publication["provenance"])
    added = False
    for field in FIELDS:
        if field in FOLLOWS or field not in told or not _takes(record, field, told[field], source, rules):
            continue
        for name in with_followers(field):
            record.pop(name, None)  # what followed another value tells nothing of this one
            provenance.pop(name, None)
            if name in told:
                record[name], provenance[name] = told[name], {"source": source, "at": at}
        added = True
    if added:
        record["source"] = source
    return {"record": record, "provenance": provenance}


def _takes(record: Record, field: str, value: Any, source: str, rules: Rules) -> bool:
    known = record.get(field)
    if known in (None, "", []):
        return True
    match field:
        case "abstract":
            return len(known) <= rules.abstract < len(value)
        case "citation_count":
            return bool(known == 0 and value > 0)
        case "title":
            return source == META_TAGS and len(known) < SHORT_TITLE <= len(value)
        case "license":
            return source == CROSSREF
    return False


def kept(stored: Publication, new: Publication, rules: Rules) -> Publication:
    """A finished publication over what is stored of it: each field as it is told now, unless that is less than what was told before."""
    record, provenance = dict(new["record"]), dict(new["provenance"])
    for field in FIELDS:
        if field in FOLLOWS or not _is_less(field, record[field], stored["record"].get(field), rules):
            continue
        for name in with_followers(field):
            record[name] = stored["record"].get(name)
            provenance.pop(name, None)
            if name in stored["provenance"]:
                provenance[name] = stored["provenance"][name]
    origins = {one["title"]: one for one in (*stored["record"].get("source_id", ()), *record["source_id"])}
    return {"record": record | {"source_id": list(origins.values())}, "provenance": provenance}


def _is_less(field: str, new: Any, stored: Any, rules: Rules) -> bool:
    if stored in (None, "", []):
        return False
    if new in (None, "", []):
        return True
    match field:
        case "abstract":
            return len(new) <= rules.abstract < len(stored)
        case "citation_count":
            return bool(new == 0)
        case "title":
            return len(new) < SHORT_TITLE <= len(stored)
        case "type":
            return new == str(Type.UNKNOWN)
        case "pub_date":
            return len(new) < len(stored) and stored.startswith(new)
    return False


def stated(publication: Publication) -> Publication:
    """A finished publication without what no source has stated: another may."""
    provenance = publication["provenance"]
    known = (*provenance, "source", "source_id")
    return {"record": {name: value for name, value in publication["record"].items() if name in known}, "provenance": provenance}


def missing(publication: Publication, fields: Sequence[str], rules: Rules) -> list[str]:
    """Which of the fields a publication lacks; an empty list of authors is none, nor is an abstract that is too short."""
    record = publication["record"]
    lacks = []
    for field in fields:
        value = publication["provenance"] if field == "source_id" else record.get(field)
        short = field == "abstract" and isinstance(value, str) and len(value) <= rules.abstract
        if value in (None, "", [], {}) or short:
            lacks.append(field)
    return lacks


def is_complete(publication: Publication, rules: Rules) -> bool:
    """Whether nobody else need be asked."""
    return not missing(publication, rules.complete, rules)


def finished(publication: Publication, doi: str, origins: Mapping[str, Mapping[str, Any]]) -> Record:
    """
    The record as it is stored and sent: every field there, unknown is None, of lists none.

    `origins`: of each source its `title`, `url` and `license`, for `source_id`; those that the record names already stay.
    """
    record = {field: publication["record"].get(field, [] if field in LISTS else None) for field in FIELDS}
    record["doi"] = doi
    record["type"] = record["type"] or str(Type.UNKNOWN)
    record["citation_count"] = record["citation_count"] or 0
    record["source"] = publication["record"].get("source")
    record["source_id"] = _source_ids(publication, origins)
    return record


def _source_ids(publication: Publication, origins: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One entry for each source that added something."""
    found = {one["title"]: dict(one) for one in publication["record"].get("source_id", ())}
    names: Iterable[str] = dict.fromkeys(one["source"] for one in publication["provenance"].values())
    for name in names:
        origin = origins.get(name) or {"title": name, "url": None, "license": None}
        found.setdefault(origin["title"], dict(origin))
    return list(found.values())
