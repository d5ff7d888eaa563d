"""What an article's ticket amounts to: its outcome, what is missing and why, its `Article`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from litcrawl import ticket as tickets
from litcrawl.items import Article, Claim, File, Relation
from litcrawl.resuming import SUPPLEMENTS_UNKNOWN, VERSIONS_NOTE
from litcrawl.source import Source
from litcrawl.terms import WANTS, Kind, Outcome, Reason, Want
from litcrawl.ticket import IDENTIFIERS, LATEST, Ticket

# Why a kind is missing is the first of these that was met, where nothing retryable was.
PRECEDENCE = (
    Reason.LICENCE, Reason.NOT_ENTITLED, Reason.NEEDS_KEY, Reason.NEEDS_CONTACT, Reason.DENIED, Reason.BLOCKED, Reason.TOO_LARGE,
    Reason.WRONG_ARTICLE, Reason.UNREADABLE, Reason.WRONG_TYPE, Reason.ABSTRACT_ONLY, Reason.NOT_OPEN, Reason.EMBARGOED,
    Reason.WITHDRAWN, Reason.EMPTY, Reason.LOOP, Reason.UNSAFE, Reason.ABSENT, Reason.NEEDS_ID,
)  # fmt: skip


def article(
    ticket: Ticket, inputs: Sequence[dict[str, Any]], sources: Mapping[str, Source], run: str, *, draft: bool = False, whole: bool = False
) -> Article:
    """
    The article as it stands: for good, or as a `draft` while its chain runs (outcome `retry`).

    `whole`: nothing was asked for it in this run.
    """
    order = {name: n for n, name in enumerate(sources)}
    held = [*ticket["got"], *ticket["stale"]]
    files = [File.from_dict(one) for one in held]
    files.sort(
        key=lambda file: (file.kind != Kind.BODY, order.get(file.source, len(order)), list(Want).index(file.want), -(file.version or 0))
    )
    told = missing(ticket, sources)
    notes = list(ticket["notes"])
    if (scope := tickets.scope(ticket)) != LATEST:
        notes.append(VERSIONS_NOTE + ", ".join(scope))
    if Want.SUPPLEMENTARY in ticket["want"] and Want.SUPPLEMENTARY not in told and not _named(ticket):
        notes.append(SUPPLEMENTS_UNKNOWN)
    return Article(
        key=ticket["key"],
        path=ticket["path"],
        inputs=list(inputs),
        ids=ticket["ids"],
        conflicts=ticket["conflicts"],
        outcome=Outcome.RETRY if draft else outcome(ticket, told),
        reason=unresolved(ticket),
        missing=told,
        files=files,
        claims=[Claim(**claim) for claim in ticket["claims"]],
        related=[Relation(**relation) for relation in ticket["related"]],
        retracted=ticket["retracted"],
        attempts=attempts(ticket),
        also=ticket["also"],
        notes=notes,
        run=run,
        at=tickets.now(),
        whole=whole,
    )


def attempts(ticket: Ticket) -> list[dict[str, Any]]:
    """The last try of each step over all runs; steps still to come stand as `not-stored`, so a run cut off here leaves word."""
    for step in ticket["todo"]:
        ticket = tickets.attempt(ticket, step["source"], step["step"], Reason.NOT_STORED, url=step["url"])
    again = {(one["source"], one["step"], one["url"]) for one in ticket["tried"]}
    return [*(one for one in ticket["before"] if (one["source"], one["step"], one["url"]) not in again), *ticket["tried"]]


def missing(ticket: Ticket, sources: Mapping[str, Source]) -> dict[str, str]:
    """For each wanted kind that is not in hand, why not."""
    told: dict[str, str] = {}
    for want in ticket["want"]:
        if tickets.in_hand(ticket, want):
            continue
        met = [
            Reason(one["reason"])
            for one in ticket["tried"]
            if one["reason"] != Reason.OK
            and (one["step"] == want or (one["step"] not in WANTS and want in _offers(sources, one["source"])))
        ]
        if Reason.NEEDS_ID in met:  # whoever could have told the identifier has not answered
            met += [Reason(one["reason"]) for one in ticket["tried"] if one["step"] == IDENTIFIERS and Reason(one["reason"]).retryable]
        if want == Want.SUPPLEMENTARY and not _named(ticket) and not any(one.retryable for one in met):
            continue  # no source can list the article
        if Want(want).is_file or any(not one.final for one in met):
            retryable = [one for one in met if one.retryable]
            told[want] = str(retryable[0] if retryable else next((one for one in PRECEDENCE if one in met), Reason.ABSENT))
    return told


def _offers(sources: Mapping[str, Source], name: str) -> frozenset[Want]:
    return sources[name].offers if name in sources else frozenset()


def _named(ticket: Ticket) -> bool:
    """Whether a source named supplementary files, or stated that there are none."""
    return any(one["step"] == Want.SUPPLEMENTARY and not Reason(one["reason"]).declined for one in ticket["tried"])


def unresolved(ticket: Ticket) -> str | None:
    """Where identifiers are all that is wanted: why none was told; None when one was, or none is lacking."""
    told = [Reason(one["reason"]) for one in ticket["tried"] if one["step"] == IDENTIFIERS]
    if ticket["resolve"] != "all" or Reason.OK in told or not told:
        return None
    return str(next((one for one in told if one.retryable), Reason.ABSENT))


def outcome(ticket: Ticket, missing_: Mapping[str, str]) -> Outcome:
    """What the article amounts to in the end."""
    if any(Reason(reason).retryable for reason in (*missing_.values(), *filter(None, [unresolved(ticket)]))):
        return Outcome.RETRY
    if unresolved(ticket):
        return Outcome.ABSENT
    if not missing_:
        return Outcome.COMPLETE
    return Outcome.PARTIAL if ticket["got"] or ticket["stale"] else Outcome.ABSENT
