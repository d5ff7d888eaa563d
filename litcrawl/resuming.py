"""What an earlier run's `article.json` makes of an article's ticket. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from litcrawl.ids import Ids
from litcrawl.publications import merging
from litcrawl.source import Source
from litcrawl.terms import Reason, Want, want_of
from litcrawl.ticket import IDENTIFIERS, LATEST, Ticket, answered, in_hand, wanted

VERSIONS_NOTE = "versions: "
RIGHTS_NOTE = "rights: "  # with which a host was asked that granted none: its name, and the settings that gave them
SUPPLEMENTS_UNKNOWN = "supplements: unknown"


def resume(
    ticket: Ticket, article: Mapping[str, Any], sources: Mapping[str, Source], *, held: frozenset[str], refresh: str = "0"
) -> Ticket:
    """
    A new ticket that goes on where `article` (an `article.json`) ends.

    `held` are the paths of its files that disk holds at their size; a file that it does not is to be fetched again.
    `refresh`: `0` asks only what was never answered for good; `missing` asks again for all that is not in hand; `1` asks
    everything again, and what it held stays until something else has come.
    """
    got = [dict(file) for file in article["files"] if file["path"] in held]
    lost = {
        (file["source"], str(want_of(file["kind"], file["media_type"])), file["uri"])
        for file in article["files"]
        if file["path"] not in held
    }
    tried = [
        attempt | ({"reason": str(Reason.NOT_STORED)} if (attempt["source"], attempt["step"], attempt["url"]) in lost else {})
        for attempt in article["attempts"]
        if not _may_have_a_right_now(attempt, article["notes"], sources)
    ]
    merged = Ids(**article["ids"]).merge(Ids(**ticket["ids"]))
    ticket = ticket | {
        "key": article["key"], "path": article["path"], "ids": merged.as_dict(), "tried": tried,
        "metadata": merging.stated(known) if (known := article.get("metadata")) else ticket["metadata"],
        "claims": article["claims"], "related": article["related"], "retracted": article["retracted"],
        "notes": [note for note in article["notes"] if _still_holds(note, tried)],
        "also": list(dict.fromkeys([*article["also"], *ticket["also"]])),
        "conflicts": [*ticket["conflicts"], *(one for one in article["conflicts"] if one not in ticket["conflicts"])],
    }  # fmt: skip
    noted = (note.removeprefix(VERSIONS_NOTE).split(", ") for note in article["notes"] if note.startswith(VERSIONS_NOTE))
    asked = ticket["scope"] = next(noted, list(LATEST))
    if refresh == "1":
        fresh = merging.empty() if ticket["rules"] else ticket["metadata"]
        return ticket | {"stale": got, "tried": [], "before": tried, "metadata": fresh}
    ticket["got"] = got
    if "all" not in asked and not set(ticket["versions"]) <= set(asked):
        ticket = widen(ticket, ticket["versions"], sources)
    if refresh == "missing":
        held_kinds = {want for want in Want if in_hand(ticket, want)}
        return ticket | {
            "tried": [one for one in tried if one["step"] in held_kinds],
            "before": [one for one in tried if one["step"] not in held_kinds],
        }
    ticket["rungs"] = [name for name in ticket["rungs"] if _due(ticket, sources[name])]
    return ticket


def widen(ticket: Ticket, versions: Sequence[str], sources: Mapping[str, Source]) -> Ticket:
    """The ticket when more versions are wanted than were asked for: the sources that keep several are asked again."""
    versioned = [name for name, source in sources.items() if source.versioned]
    rungs = [name for name in sources if name in versioned or name in ticket["rungs"]]
    return ticket | {"versions": list(versions), "wider": versioned, "rungs": rungs}


def with_rights(ticket: Ticket, url: str, rights: Sequence[str]) -> Ticket:
    """The ticket of an article that a host withheld from who came with these `rights`: a later run may come with others."""
    host = f"{RIGHTS_NOTE}{urlsplit(url).netloc}: "
    kept = [note for note in ticket["notes"] if not note.startswith(host)]
    return ticket | {"notes": [*kept, host + (", ".join(rights) or "none")]}


def _still_holds(note: str, tried: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a note is one of an earlier run's that this one does not write anew."""
    if note.startswith(RIGHTS_NOTE):
        host = note.removeprefix(RIGHTS_NOTE).rpartition(": ")[0]
        return any(one["reason"] == Reason.NOT_ENTITLED and urlsplit(one["url"] or "").netloc == host for one in tried)
    return note != SUPPLEMENTS_UNKNOWN and not note.startswith(VERSIONS_NOTE)


def _may_have_a_right_now(attempt: Mapping[str, Any], notes: Sequence[str], sources: Mapping[str, Source]) -> bool:
    """Whether a file that was withheld could be had by now: with another key, over another route. Then its source is asked anew."""
    source, url = sources.get(attempt["source"]), attempt["url"]
    if source is None or not url or attempt["reason"] != Reason.NOT_ENTITLED:
        return False
    host = f"{RIGHTS_NOTE}{urlsplit(url).netloc}: "
    before = next((note.removeprefix(host) for note in notes if note.startswith(host)), None)
    if before is None:  # it was not even asked for, as one for subscribers alone
        return source.entitled(url)
    return before != (", ".join(source.rights(url)) or "none")


def _due(ticket: Ticket, source: Source) -> bool:
    """Whether an earlier run left something open at this source."""
    needed = wanted(ticket, source)
    if not needed:
        return False
    own = [one for one in ticket["tried"] if one["source"] == source.name]
    # that it could not be asked for identifiers leaves them open, not what it was asked for by itself
    if not own or source.name in ticket["wider"] or any(not Reason(one["reason"]).final for one in own if one["step"] != IDENTIFIERS):
        return True
    return answered(own) and not all(any(one["step"] == want for one in own) for want in needed)
