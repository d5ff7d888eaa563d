"""
Articles through the resolvers, many a call. Pure: plain data in, plain data out.

A chunk is a list of tickets that are asked for together. After an answer those that lack nothing leave, the others form the
chunks of the next resolver. Chunks only split: nothing is ever joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from litcrawl import ladder
from litcrawl.ids import Ids
from litcrawl.resolver import Answer, Resolver
from litcrawl.source import Source
from litcrawl.targets import Reach
from litcrawl.terms import Reason, Want
from litcrawl.ticket import IDENTIFIERS, Ticket, attempt, wanted

Chunk: TypeAlias = dict[str, Any]  # resolver, kind, tickets, rest: the resolvers still to come; depth: how often it was halved

RESOLVABLE = ("doi", "pmid", "pmcid")  # from one another; in the order in which they are believed


def lacking(ticket: Ticket, sources: Mapping[str, Source]) -> set[str]:
    """The kinds of identifier that the article lacks and a rung of a wanted, missing kind could use."""
    ids = Ids(**ticket["ids"])
    if ids.bookid or not any(getattr(ids, kind) for kind in RESOLVABLE):
        return set()
    if ticket["resolve"] == "all":
        return {kind for kind in RESOLVABLE if not getattr(ids, kind)}
    lack: set[str] = set()
    for name in ticket["rungs"]:
        source = sources[name]
        if name not in ticket["heard"] and source.serves(ids) and source.declines(ids) == Reason.NEEDS_ID and wanted(ticket, source):
            lack |= {kind for kind in source.requires if kind in RESOLVABLE and not getattr(ids, kind)}
    return lack


def asked_by(ticket: Ticket, resolver: Resolver, sources: Mapping[str, Source]) -> str | None:
    """The kind of identifier by which this resolver is to be asked for an article; None when it need not be."""
    ids = Ids(**ticket["ids"])
    if ticket["resolve"] == "none" or not (resolver.batches() or ticket["singly"]) or not resolver.serves(ids):
        return None
    told = [one for one in ticket["tried"] if one["step"] == IDENTIFIERS]
    if resolver.name in ticket["asked"] or any(one["source"] == resolver.name and Reason(one["reason"]).final for one in told):
        return None
    if any(one["source"] in resolver.but and one["reason"] == Reason.OK for one in told):
        return None
    if not (resolver.provides & lacking(ticket, sources) or _spares(ticket, resolver, sources)):
        return None
    return next((kind for kind in resolver.accepts if getattr(ids, kind)), None)


def _spares(ticket: Ticket, resolver: Resolver, sources: Mapping[str, Source]) -> bool:
    """
    Whether one call for many spares calls for each: for a fact that is wanted, or for files that no archive holds by its own number.
    """
    ids = Ids(**ticket["ids"])
    held = ids.pmcid is not None and any("pmcid" in sources[name].requires for name in ticket["rungs"])
    rungs = [sources[name] for name in (resolver.name, *resolver.speaks_for) if name in ticket["rungs"]]
    kinds = {want for rung in rungs for want in wanted(ticket, rung)}
    return bool(kinds) and (not held or any(not Want(want).is_file for want in kinds))


def place(ticket: Ticket, names: Sequence[str], sources: Mapping[str, Source]) -> tuple[str, str] | None:
    """The first resolver that is to be asked for an article, and the kind of identifier to ask by; None when there is none."""
    for name in names:
        resolver = sources[name]
        assert isinstance(resolver, Resolver)
        if kind := asked_by(ticket, resolver, sources):
            return name, kind
    return None


def chunks(tickets: Iterable[Ticket], names: Sequence[str], sources: Mapping[str, Source]) -> tuple[list[Ticket], list[Chunk]]:
    """The tickets that no further resolver is asked for, and the chunks of the others."""
    leaving: list[Ticket] = []
    groups: dict[tuple[str, str], list[Ticket]] = {}
    for ticket in tickets:
        found = place(ticket, names, sources)
        if found is None:
            leaving.append(ticket)
        else:
            groups.setdefault(found, []).append(ticket)
    made: list[Chunk] = []
    for (name, kind), group in groups.items():
        resolver = sources[name]
        assert isinstance(resolver, Resolver)
        rest = list(names[names.index(name) + 1 :])
        apart = [ticket for ticket in group if resolver.alone(ticket["ids"][kind])]
        together = [ticket for ticket in group if ticket not in apart]
        most = resolver.at_once()
        parts = [[one] for one in apart] + [together[at : at + most] for at in range(0, len(together), most)]
        made += [{"resolver": name, "kind": kind, "tickets": part, "rest": rest, "depth": 0} for part in parts]
    return leaving, made


def values(chunk: Chunk) -> list[str]:
    """The identifiers of a chunk, each once."""
    return list(dict.fromkeys(ticket["ids"][chunk["kind"]] for ticket in chunk["tickets"]))


def halves(chunk: Chunk) -> list[Chunk]:
    """A chunk in two; one that is a single identifier cannot be split: the empty list."""
    parted = values(chunk)
    if len(parted) < 2:
        return []
    first = set(parted[: len(parted) // 2])
    kind = chunk["kind"]
    split = [[one for one in chunk["tickets"] if (one["ids"][kind] in first) is within] for within in (True, False)]
    return [chunk | {"tickets": part, "depth": chunk["depth"] + 1} for part in split]


def of_each(chunk: Chunk, resolver: Resolver, reason: Reason) -> Reason:
    """What a whole call's end says of each identifier: nothing for good, but where one was asked for by the address of its record."""
    alone = resolver.by_record and len(values(chunk)) == 1
    stated = reason == Reason.ABSENT or reason in resolver.statuses.values() or resolver.follows
    return reason if (alone and stated) or not reason.final else Reason.UNAVAILABLE


def record(
    ticket: Ticket,
    resolver: Resolver,
    kind: str,
    answer: Answer | None,
    reason: Reason,
    *,
    http: int | None = None,
    tries: int = 0,
    reach: Reach = Reach.ANYWHERE,
) -> Ticket:
    """
    The ticket after a resolver has answered, or has not: then `answer` is None, and `reason` `absent` if it knows no such article.

    Links that came along may lead as far as `reach`.
    """
    ticket = attempt(ticket, resolver.name, IDENTIFIERS, reason, http=http, tries=tries)
    ticket["asked"] = [*ticket["asked"], resolver.name]
    heard: dict[str, Any] = {name: [] for name in (resolver.name, *resolver.speaks_for)} if reason == Reason.ABSENT else {}
    if answer is not None:
        known = Ids(**ticket["ids"])
        if _stray(known, answer.ids, kind):  # what a better identifier of the row contradicts is another article's
            stray = getattr(known, kind)
            return ticket | {"ids": known.as_dict() | {kind: None}, "conflicts": [*ticket["conflicts"], _conflict(kind, stray)]}
        wrong = [name for name, value in answer.ids if getattr(known, name) not in (None, value) and name != kind]
        ticket["conflicts"] = [*ticket["conflicts"], *(_conflict(name, getattr(known, name)) for name in wrong)]
        ticket["ids"] = Ids(**(known.as_dict() | dict.fromkeys(wrong))).merge(answer.ids).as_dict()
        ticket = ladder.add(ticket, resolver.name, answer.facts)
        heard = {resolver.name: []} | {name: ladder.plans(name, links, reach) for name, links in answer.heard.items()}
    return ticket | {"heard": ticket["heard"] | heard}


def _stray(known: Ids, told: Ids, kind: str) -> bool:
    better = RESOLVABLE[: RESOLVABLE.index(kind)] if kind in RESOLVABLE else ()
    return any(getattr(known, name) and getattr(told, name) not in (None, getattr(known, name)) for name in better)


def _conflict(kind: str, value: str) -> dict[str, Any]:
    return {"field": None, "raw": value, "ids": Ids(**{kind: value}).as_dict()}
