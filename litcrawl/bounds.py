"""How much one answer may tell of an article. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from litcrawl.items import Claim, Link, Relation, Title
from litcrawl.terms import Want

LINKS = 100
"""Addresses of one kind of body: each costs a request, and Unpaywall knows some thirty copies of the most copied articles."""
SUPPLEMENTS = 50_000
_FACTS: dict[type, int] = {Title: 10, Claim: 100, Relation: 1000}  # a notice may retract all that one group ever wrote

T = TypeVar("T")


def bounded(findings: Iterable[T]) -> Iterator[T]:
    """The findings, of each kind no more than an article has: what an upstream sends beyond that would only take time and memory."""
    met: Counter[object] = Counter()
    for finding in findings:
        kind: object = finding.want if isinstance(finding, Link) else type(finding)
        met[kind] += 1
        if met[kind] <= _most(kind):
            yield finding


def _most(kind: object) -> int:
    if isinstance(kind, Want):
        return SUPPLEMENTS if kind == Want.SUPPLEMENTARY else LINKS
    return _FACTS.get(kind, SUPPLEMENTS) if isinstance(kind, type) else SUPPLEMENTS
