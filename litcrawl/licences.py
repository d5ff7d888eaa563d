"""What licence statements amount to: claims, one licence for a file, contradictions, and the operator's gate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import combinations
from typing import Any

from litcrawl.items import Claim, Licence
from litcrawl.spdx import IDS, agree, spdx

__all__ = ["about", "access", "allowed", "claims_of", "conflict", "licence_of", "meant", "spdx"]

_ABOUT = {
    "vor": "vor", "version-of-record": "vor", "am": "am", "aam": "am", "accepted-manuscript": "am", "tdm": "tdm", "preprint": "preprint",
}  # fmt: skip


def access(kind: str | None) -> str | None:
    """`open-access` when a JATS `license-type` says so, in any of its spellings."""
    return "open-access" if kind and "open" in kind.casefold() else None


def licence_of(evidence: Mapping[str, Any], basis: str = "artifact", at: str | None = None) -> Licence | None:
    """
    The licence that a file states of itself; None when it states none.

    The weightiest statement decides (`parsers.jats.licences`). One about another version, or that begins only after `at`
    (ISO 8601; None: now), never does. A mere `license-type` gives way to a text that says exactly which licence.
    """
    at = at or datetime.now(UTC).isoformat()
    stated = [
        one for one in evidence.get("licences") or () if about(one.get("about")) in (None, "vor") and not _later(one.get("start"), at)
    ]
    if not stated:
        return None
    first = stated[0]
    if first["via"] == "license-type":
        exact = next(
            (one for one in stated if one["via"] == "text" and (name := spdx(one["raw"])) and agree(spdx(first["raw"]), name)), None
        )
        first = exact or first
    return Licence(
        spdx=spdx(first["raw"]), raw=first["raw"], access=next(filter(None, (access(one.get("type")) for one in stated)), None), basis=basis
    )


def claims_of(evidence: Mapping[str, Any], basis: str = "artifact", url: str | None = None, at: str | None = None) -> list[Claim]:
    """Every licence statement of a file, as made."""
    return [
        Claim(
            raw=one["raw"],
            spdx=spdx(one["raw"]),
            access=access(one.get("type")),
            basis=basis,
            about=about(one.get("about")),
            start=one.get("start"),
            url=url,
            at=at,
        )
        for one in evidence.get("licences") or ()
    ]


def about(stated: str | None) -> str | None:
    """
    Which version a statement is about: `vor`, `am`, `tdm`, or None for the file that holds it.

    https://www.niso.org/standards-committees/ali knows these three. PMC writes `textmining` beside the article's own
    licence, addressed to text miners: that is no other version.
    """
    return _ABOUT.get((stated or "").casefold())


def conflict(claims: Iterable[Claim]) -> bool:
    """
    Whether two claims about the published version name different licences.

    Less exact is not different (`LicenseRef-CC-BY` beside `CC-BY-4.0`), and one source's terms may follow each other
    (a user licence now, another from a later start).
    """
    of_record = {(claim.spdx, claim.basis, claim.start) for claim in claims if claim.spdx and claim.about in (None, "vor")}
    return any(
        not agree(one, other) and not (basis == other_basis and start != other_start)
        for (one, basis, start), (other, other_basis, other_start) in combinations(of_record, 2)
    )


def allowed(name: str | None, patterns: Sequence[str]) -> bool:
    """
    Whether the operator takes files under this licence; everything passes an empty list.

    `*` stands for a version alone, jurisdiction included: `CC-BY-*` is CC-BY-4.0 and CC-BY-3.0-US, not CC-BY-NC-4.0 and not
    `LicenseRef-CC-BY`. A file without a licence passes only where `NONE` is listed, SPDX's word for it.
    """
    return not patterns or any(pattern.fullmatch(name or "NONE") for pattern in _compiled(tuple(patterns)))


def meant(pattern: str) -> bool:
    """Whether a licence can pass `pattern` (see `allowed`): an SPDX id, one with `*` that stands for some, a `LicenseRef-…`, `NONE`."""
    if re.fullmatch(r"NONE|LicenseRef-[\w.*-]+", pattern.strip(), re.IGNORECASE | re.ASCII):
        return True
    return any(allowed(name, [pattern]) for name in IDS)


@lru_cache(64)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    version = r"\\d+(?:\\.\\d+)*(?:-[A-Z]{2,3})?"
    return tuple(re.compile(re.sub(r"\\\*", version, re.escape(pattern.strip())), re.IGNORECASE) for pattern in patterns)


def _later(start: str | None, at: str) -> bool:
    return bool(start and start[:10] > at[:10])
