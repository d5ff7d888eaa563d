"""Copies of an article as services for open access tell of them: links to their PDFs, claims about their terms. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from litcrawl.items import Claim, Licence, Link
from litcrawl.licences import spdx
from litcrawl.terms import Stage, Want

STAGES = {"publishedVersion": Stage.PUBLISHED, "acceptedVersion": Stage.ACCEPTED, "submittedVersion": Stage.SUBMITTED}
"""The words of the DRIVER guidelines, which Unpaywall and OpenAlex use."""

_ABOUT = {Stage.PUBLISHED: "vor", Stage.ACCEPTED: "am", Stage.SUBMITTED: "preprint", Stage.PREPRINT: "preprint"}
_ORDER = [Stage.PUBLISHED, Stage.ACCEPTED, Stage.SUBMITTED, Stage.PREPRINT, None]
_RESOLVERS = frozenset({"doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net"})  # they lead to a page about an article
_LONGEST = 4000
_MOST = 500  # the most copied articles have some thirty


@dataclass(frozen=True, kw_only=True)
class Copy:
    """One copy: the address of its PDF (None where only a page about it is known) and of that page, its version and licence as stated."""

    pdf: str | None = None
    page: str | None = None
    stage: Stage | None = None
    licence: str | None = None


def best_first(copies: Iterable[Copy]) -> list[Copy]:
    """Published before accepted before submitted; what is equal stays in its order. One of each, of the first few hundred."""
    return sorted(dict.fromkeys(islice(copies, _MOST)), key=lambda copy: _ORDER.index(copy.stage))


def links(copies: Sequence[Copy], basis: str, access: str | None) -> list[Link]:
    """A link to the PDF of each copy that has one, each address once; `access`, of the article, is that of the best copy."""
    found: dict[str, Link] = {}
    for copy in copies:
        if copy.pdf and copy.pdf not in found:
            open_ = access if copy is copies[0] else None
            licence = Licence(raw=copy.licence, spdx=spdx(copy.licence), access=open_, basis=basis) if copy.licence or open_ else None
            found[copy.pdf] = Link(want=Want.PDF, url=copy.pdf, stage=copy.stage, licence=licence)
    return list(found.values())


def claims(copies: Iterable[Copy], basis: str, access: str | None) -> list[Claim]:
    """
    What is said of the terms of each copy, first of the best.

    `access`, the status of the article as a whole, stands on the first; where no copy is known it is a claim of its own.
    """
    found = [
        Claim(raw=copy.licence, spdx=spdx(copy.licence), basis=basis, about=copy.stage and _ABOUT[copy.stage], url=copy.pdf or copy.page)
        for copy in copies
    ]
    if access and found:
        found[0].access = access
    elif access:
        found.append(Claim(raw=None, access=access, basis=basis))
    return found


def address(value: Any) -> str | None:
    """A web address; None for anything else."""
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable() or any(map(str.isspace, value.strip())):
        return None
    try:
        parts = urlsplit(value := value.strip())
        return value if parts.scheme.lower() in ("http", "https") and parts.hostname else None
    except ValueError:
        return None


def pdf_address(value: Any) -> str | None:
    """A web address that may be that of a file; None for a resolver's or a page about an article."""
    if (found := address(value)) is None:
        return None
    parts = urlsplit(found)
    host = (parts.hostname or "").lower()
    page = host in _RESOLVERS or (host.removeprefix("www.") == "arxiv.org" and parts.path.startswith("/abs/"))
    return None if page else found


def word(value: Any) -> str | None:
    """A short text that says something; None for anything else."""
    return value.strip()[:_LONGEST] or None if isinstance(value, str) else None
