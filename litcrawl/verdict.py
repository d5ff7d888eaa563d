"""What an article's ticket amounts to: its outcome, what is missing and why, its `Article`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from litcrawl import batch
from litcrawl import ticket as tickets
from litcrawl.items import Article, Claim, File, Relation
from litcrawl.publications import merging
from litcrawl.resolver import Resolver, origins
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
    told, untold = missing(ticket, sources), unresolved(ticket, sources)
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
        outcome=Outcome.RETRY if draft else outcome(told, untold, held=bool(held)),
        reason=untold,
        missing=told,
        files=files,
        claims=[Claim(**claim) for claim in ticket["claims"]],
        related=[Relation(**relation) for relation in ticket["related"]],
        retracted=ticket["retracted"],
        metadata=_metadata(ticket, sources),
        attempts=attempts(ticket),
        also=ticket["also"],
        notes=notes,
        run=run,
        at=tickets.now(),
        whole=whole,
    )


def _metadata(ticket: Ticket, sources: Mapping[str, Source]) -> dict[str, Any] | None:
    """The record merged from several sources, with the source of each field; None where nobody has told any."""
    known = ticket["metadata"]
    if not known or not known["provenance"]:
        return None
    doi = known["record"].get("doi") or ticket["ids"]["doi"]
    return {"record": merging.finished(known, doi, origins(sources)), "provenance": known["provenance"]}


def attempts(ticket: Ticket) -> list[dict[str, Any]]:
    """The last try of each step over all runs; steps still to come stand as `not-stored`, so a run cut off here leaves word."""
    tried = {tickets.place(one): one for one in ticket["tried"]}
    for step in ticket["todo"]:
        tried.pop(tickets.place(step), None)  # an entry's place is that of its last try
        tried[tickets.place(step)] = tickets.entry(step["source"], step["step"], Reason.NOT_STORED, url=step["url"])
    return [*(one for one in ticket["before"] if tickets.place(one) not in tried), *tried.values()]


def missing(ticket: Ticket, sources: Mapping[str, Source]) -> dict[str, str]:
    """For each wanted kind that is not in hand, why not."""
    told: dict[str, str] = {}
    for want in ticket["want"]:
        held = tickets.in_hand(ticket, want)
        if held and (Want(want).is_file or (want == Want.METADATA and tickets.is_described(ticket))):
            continue
        met = [
            Reason(one["reason"])
            for one in ticket["tried"]
            if one["reason"] != Reason.OK
            and (one["step"] == want or (one["step"] not in (*WANTS, IDENTIFIERS) and want in _offers(sources, one["source"])))
        ]
        if held:  # a fact: what one has told another may add to, who has not answered
            open_ = [one for one in met if one.retryable]
            told |= {want: str(open_[0])} if open_ else {}
            continue
        met += _silent(ticket, sources, _needed(ticket, sources, want))
        if want == Want.SUPPLEMENTARY and not _named(ticket) and not any(one.retryable for one in met):
            continue  # no source can list the article
        if Want(want).is_file or any(not one.final for one in met):
            retryable = [one for one in met if one.retryable]
            told[want] = str(retryable[0] if retryable else next((one for one in PRECEDENCE if one in met), Reason.ABSENT))
    return told


def _offers(sources: Mapping[str, Source], name: str) -> frozenset[Want]:
    return sources[name].offers if name in sources else frozenset()


def _needed(ticket: Ticket, sources: Mapping[str, Source], want: str) -> set[str]:
    """The identifiers for lack of which sources could not be asked for a kind."""
    declined = {one["source"] for one in ticket["tried"] if one["step"] == want and one["reason"] == Reason.NEEDS_ID}
    needed: set[str] = set()
    for source in (sources[name] for name in declined if name in sources):
        needed |= source.requires or set(source.accepts if isinstance(source, Resolver) else ())
    return {kind for kind in needed if not ticket["ids"][kind]}


def _silent(ticket: Ticket, sources: Mapping[str, Source], kinds: set[str]) -> list[Reason]:
    """Why those have not answered who could have told identifiers of these kinds."""
    return [
        Reason(one["reason"])
        for one in ticket["tried"]
        if one["step"] == IDENTIFIERS
        and Reason(one["reason"]).retryable
        and isinstance(resolver := sources.get(one["source"]), Resolver)
        and resolver.provides & kinds
    ]


def _named(ticket: Ticket) -> bool:
    """Whether a source named supplementary files, or stated that there are none."""
    return any(one["step"] == Want.SUPPLEMENTARY and not Reason(one["reason"]).declined for one in ticket["tried"])


def unresolved(ticket: Ticket, sources: Mapping[str, Source]) -> str | None:
    """
    Where identifiers are all that is wanted: why one that lacks may yet be told, that nobody knows the article, or could be asked.

    None when none lacks, or when all have answered, and one knew it.
    """
    if ticket["resolve"] != "all":
        return None
    if not any(ticket["ids"][kind] for kind in batch.RESOLVABLE):
        return str(Reason.NEEDS_ID)
    if not (lacking := batch.lacking(ticket, sources)):
        return None
    if silent := _silent(ticket, sources, lacking):
        return str(silent[0])
    told = {one["reason"] for one in ticket["tried"] if one["step"] == IDENTIFIERS}
    return str(Reason.ABSENT) if told and Reason.OK not in told else None


def outcome(missing_: Mapping[str, str], unresolved_: str | None, *, held: bool) -> Outcome:
    """What an article amounts to in the end: by what is missing, by what could not be told of it, by whether files of it are held."""
    if any(Reason(reason).retryable for reason in (*missing_.values(), *filter(None, [unresolved_]))):
        return Outcome.RETRY
    if unresolved_:
        return Outcome.ABSENT
    if not missing_:
        return Outcome.COMPLETE
    return Outcome.PARTIAL if held else Outcome.ABSENT
