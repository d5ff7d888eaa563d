"""`Resolver`: a source that tells more identifiers of an article, many articles a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from scrapy import Request
from scrapy.http import Response

from litcrawl.ids import Ids
from litcrawl.items import Claim, Link, Metadata, Relation, Retraction, Title
from litcrawl.source import Source
from litcrawl.terms import Reason


@dataclass(kw_only=True, slots=True)
class Answer:
    """
    What a resolver says of one article.

    `heard` holds what came along for the rungs of the ladder, by their names: the links that each would have found, and
    none where the answer shows that it has nothing. A rung that was heard is not asked.
    """

    ids: Ids = field(default_factory=Ids)
    facts: list[Title | Claim | Relation | Retraction | Metadata] = field(default_factory=list)
    heard: dict[str, list[Link]] = field(default_factory=dict)


class Resolver(Source):
    """
    A source that is asked in batches, before the chain of an article begins.

    It may be a rung of the ladder as well: then a single article is asked for as of any other source.
    """

    accepts: ClassVar[tuple[str, ...]]
    """Kinds of identifier that it can be asked by, the best first."""
    provides: ClassVar[frozenset[str]] = frozenset()
    """Kinds of identifier that it tells."""
    speaks_for: ClassVar[frozenset[str]] = frozenset()
    """Rungs whose links its answers hold."""
    last: ClassVar[bool] = False
    """Whether it is asked for metadata when nobody else is left, whatever its allowance."""
    origin: ClassVar[Mapping[str, str | None] | None] = None
    """How a publication's `source_id` names it: `title`, `url` and the `license` of its data; its bare name without."""
    but: ClassVar[frozenset[str]] = frozenset()
    """Services whose knowing an article shows that this one does not."""
    by_record: ClassVar[bool] = False
    """Whether a call for one identifier goes to the address of its record: then 404 and 410 state that there is none."""
    most: ClassVar[int]
    """Identifiers that one call takes."""

    def declines(self, ids: Ids) -> Reason | None:
        """As of any source; one that `requires` nothing needs any of the identifiers that it accepts."""
        if not self.requires and not any(getattr(ids, kind) for kind in self.accepts):
            return Reason.NEEDS_ID
        return super().declines(ids)

    def batches(self) -> bool:
        """Whether it can be asked for many articles at once."""
        return True

    def at_once(self) -> int:
        """How many identifiers a call takes as it is set up."""
        return self.most if self.batches() else 1

    def alone(self, value: str) -> bool:
        """Whether an identifier cannot share a call, because it holds what separates identifiers there."""
        return False

    def request_batch(self, kind: str, values: list[str]) -> Request:
        """The bare request for identifiers of one kind."""
        raise NotImplementedError

    def answers(self, response: Response, kind: str, values: list[str]) -> Mapping[str, Answer | None]:
        """
        What an answer holds, by the identifier asked for, matched by what the records say.

        One that is not there is unknown; None stands for one whose record cannot be read.

        Raises `Malformed` for anything but a whole answer.
        """
        raise NotImplementedError


def origins(sources: Mapping[str, Source]) -> dict[str, Mapping[str, str | None]]:
    """How the `source_id` of a publication names each source that says so itself."""
    return {name: source.origin for name, source in sources.items() if isinstance(source, Resolver) and source.origin is not None}
