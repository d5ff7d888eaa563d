"""The item `publication`: what is known of one DOI, from whom, and what lacks."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Self

from litcrawl.items import SCHEMA


class Status(StrEnum):
    """What a publication amounts to."""

    COMPLETE = "complete"
    """Nobody else need be asked."""
    SAVED = "saved"
    """Enough to keep and to send on."""
    NOT_FOUND = "not-found"
    """Too little, finally: asked again after a while."""
    RETRY = "retry"
    """Too little, and a source has not answered."""

    @property
    def found(self) -> bool:
        return self in (Status.COMPLETE, Status.SAVED)


@dataclass(kw_only=True)
class Publication:
    """
    What is known of one DOI.

    `missing` are the fields that it lacks: to be complete, or where too little is known to be kept. `provenance` tells of each
    field whose word it is, and since when.
    """

    key: str | None
    doi: str | None
    status: Status
    missing: list[str] = field(default_factory=list)
    record: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, dict[str, str]] = field(default_factory=dict)
    attempts: list[dict[str, Any]] = field(default_factory=list)
    type: str = "publication"
    schema: int = SCHEMA
    run: str | None = None
    at: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The publication as plain JSON, every field there."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"status": str(self.status)}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The publication that `to_dict` or a feed's line holds."""
        known = {one.name: plain[one.name] for one in fields(cls) if one.name in plain}
        return cls(**known | {"status": Status(plain["status"])})
