"""From what the database has of a DOI to a ticket, and from a ticket to the publication. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from litcrawl import ticket as tickets
from litcrawl.ids import Ids
from litcrawl.publications.item import Publication, Status
from litcrawl.publications.merging import Rules, finished, is_complete, missing
from litcrawl.publications.reading import Stored
from litcrawl.terms import Reason, Want
from litcrawl.ticket import Ticket

EVENT, RETRY, FOLLOWED = range(3)
"""Who is asked for first; what follows from what follows comes behind it."""


def ticket(
    doi: str, stored: Stored | None, sources: Sequence[str], rules: Rules, now: datetime, *, refresh: str = "0", rank: int = EVENT
) -> Ticket:
    """
    The ticket of a DOI: it goes on from what is stored.

    Sources that have answered are not asked again, those that have not are. Of a DOI that was not found nobody is asked before its
    time, and everybody then. `refresh`: `1` asks everybody, `missing` everybody where the record is not complete.
    """
    new = tickets.new(doi, "", Ids(doi=doi), want=[Want.METADATA], rungs=sources, rules=rules, singly=True) | {"rank": rank}
    if stored is None or refresh == "1":
        return new
    if stored.publication is not None:
        return new | {"metadata": stored.publication, "tried": [] if refresh == "missing" else stored.attempts}
    if refresh == "missing" or stored.next_try is None or stored.next_try <= now:
        return new
    return new | {"tried": stored.attempts, "resolve": "none", "lacks": stored.missing}


def publication(ticket: Ticket, origins: Mapping[str, Mapping[str, Any]], run: str) -> Publication:
    """What a ticket amounts to when nobody is left to be asked."""
    rules, doi = Rules(**ticket["rules"]), ticket["key"]
    known = ticket["metadata"]
    lacks = missing(known, rules.enough, rules) if is_anew(ticket) else list(ticket["lacks"])
    unanswered = any(Reason(one["reason"]).retryable for one in ticket["tried"])
    if is_complete(known, rules):
        status = Status.COMPLETE
    elif not lacks:
        status, lacks = Status.SAVED, missing(known, rules.complete, rules)
    else:
        status = Status.RETRY if unanswered else Status.NOT_FOUND
    return Publication(
        key=doi,
        doi=doi,
        status=status,
        missing=lacks,
        record=finished(known, doi, origins),
        provenance=known["provenance"],
        attempts=ticket["tried"],
        run=run,
        at=tickets.now(),
    )


def is_anew(ticket: Ticket) -> bool:
    """Whether sources had a say; else it is not time yet, and what is stored of what lacks and when to ask again stands."""
    return "lacks" not in ticket


def nameless(row: Mapping[str, Any], run: str) -> Publication:
    """The word on a row that names no DOI."""
    return Publication(key=None, doi=None, status=Status.NOT_FOUND, missing=["doi"], run=run, at=tickets.now())
