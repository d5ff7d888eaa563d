"""
A ticket: all that is known of an open article, as plain JSON; and what can be read off it. Pure.

It travels from Request to Request and is never changed in place. Its `rungs` are the sources still to be asked, in order;
its `todo` the calls and links in hand, best first; `got` what is stored, `stale` what an earlier run stored and this one
asks for anew; `tried` how each step ended, which is `attempts` in the end, with those of `before`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, TypeAlias

from litcrawl.ids import Ids
from litcrawl.publications import merging
from litcrawl.publications.merging import Rules
from litcrawl.source import Question, Source
from litcrawl.terms import WANTS, Reason, Want, want_of

Ticket: TypeAlias = dict[str, Any]
Plan: TypeAlias = dict[str, Any]  # a step that is due: a call of a source, or a file to fetch

LATEST = ("latest",)
IDENTIFIERS = "identifiers"  # the step by which a resolver is asked

_url = itemgetter("url")


def new(
    key: str,
    path: str,
    ids: Ids,
    *,
    want: Sequence[str],
    rungs: Iterable[str],
    versions: Sequence[str] = LATEST,
    exhaustive: bool = False,
    licences: Sequence[str] = (),
    resolve: str = "useful",
    download: bool = True,
    titles: Sequence[str] = (),
    rules: Rules | None = None,
    singly: bool = False,
) -> Ticket:
    """
    The ticket of an article of which nothing is known but its identifiers.

    `resolve`: which further identifiers are sought: those that are `useful` to a rung, `all`, `none`. Without `download`
    files are found and listed, not fetched. `rules` say when its metadata, where it is wanted, is complete. `singly`: resolvers that
    take one article a call are asked as those are that take many.
    """
    return {
        "key": key, "path": path, "ids": ids.as_dict(), "want": [str(one) for one in want], "versions": list(versions),
        "scope": [], "exhaustive": exhaustive, "licences": list(licences), "resolve": resolve, "download": download,
        "rungs": list(rungs), "wider": [], "current": None, "todo": [], "asked": [], "heard": {}, "sent": [],
        "made": False, "whole": False, "got": [], "stale": [], "tried": [], "before": [], "claims": [], "related": [],
        "retracted": None, "titles": list(titles), "conflicts": [], "also": [], "notes": [], "captions": {},
        "metadata": merging.empty() if rules else None, "rules": rules.as_dict() if rules else None, "singly": singly,
    }  # fmt: skip


def question(ticket: Ticket, want: Iterable[str] | None = None) -> Question:
    """What is asked of the source whose turn it is."""
    wanted = want if want is not None else (ticket["current"] or {"want": ticket["want"]})["want"]
    return Question(
        ids=Ids(**ticket["ids"]),
        want=frozenset(Want(one) for one in wanted),
        versions=tuple(ticket["versions"]),
        gated=bool(ticket["licences"]),
        titles=tuple(ticket["titles"]),
    )


def wanted(ticket: Ticket, source: Source) -> list[str]:
    """The kinds that this source offers and the article still lacks."""
    if not source.versioned and not {"latest", "all"} & set(ticket["versions"]):
        return []  # only a source that keeps versions apart can give the one that was named
    anew = ticket["exhaustive"] or source.name in ticket["wider"]
    return [want for want in ticket["want"] if want in source.offers and (anew or not settled(ticket, want, source.name))]


def settled(ticket: Ticket, want: str, source: str) -> bool:
    if want == Want.SUPPLEMENTARY:  # the first source that could list them has the word, until it has said all
        asked = [one for one in ticket["tried"] if one["step"] == want and not Reason(one["reason"]).declined]
        if own := [one for one in asked if one["source"] == source]:
            return all(Reason(one["reason"]).final for one in own)
        return any(one["url"] or Reason(one["reason"]).final for one in asked)  # another has begun to say, or has said that there are none
    if want == Want.METADATA:
        return is_described(ticket)
    return Want(want).is_file and any(want_of(file["kind"], file["media_type"]) == want for file in ticket["got"])


def is_described(ticket: Ticket) -> bool:
    """Whether its metadata is complete, so that nobody else need be asked."""
    return ticket["rules"] is not None and merging.is_complete(ticket["metadata"], Rules(**ticket["rules"]))


def in_hand(ticket: Ticket, want: str) -> bool:
    """Whether the article lacks nothing of a wanted kind."""
    own = [one for one in ticket["tried"] if one["step"] == want]
    if want == Want.SUPPLEMENTARY:
        asked = [one for one in own if not Reason(one["reason"]).declined]
        stated = [one for one in asked if one["url"] is None and Reason(one["reason"]).final]
        return bool(asked) and all(one["reason"] == Reason.OK or one in stated for one in asked)
    if want == Want.METADATA and is_described(ticket):
        return True
    if not Want(want).is_file:  # a source without the identifier it needs could not know
        return any(one["reason"] == Reason.OK for one in own) and all(one["reason"] in (Reason.OK, Reason.NEEDS_ID) for one in own)
    return any(want_of(file["kind"], file["media_type"]) == want for file in (*ticket["got"], *ticket["stale"]))


def never_asked(ticket: Ticket, source: str) -> bool:
    """Whether a source has declined so far, and may not by now."""
    return all(Reason(one["reason"]).declined for one in ticket["tried"] if one["source"] == source)


def scope(ticket: Ticket) -> tuple[str, ...]:
    """The versions asked for over all runs: `latest`, `all`, numbers."""
    return tuple(sorted({*ticket["scope"], *ticket["versions"]}))


def answered(own: Sequence[Plan]) -> bool:
    """
    Whether a source had anything to say of the article: a call failed for good, or nothing came of all of them, and it has not.

    Who could not be asked for identifiers, many articles a call, may yet have been asked for this one.
    """
    refused = any(one["step"] not in WANTS and one["step"] != IDENTIFIERS and one["reason"] != Reason.OK for one in own)
    return not refused and any(one["reason"] == Reason.OK for one in own)


def attempt(
    ticket: Ticket,
    source: str,
    step: str,
    reason: Reason,
    *,
    url: str | None = None,
    http: int | None = None,
    tries: int = 0,
    final_url: str | None = None,
    seconds: float | None = None,
) -> Ticket:
    """The last try of each source, step and URL is kept."""
    attempt = entry(source, step, reason, url=url, http=http, tries=tries, final_url=final_url, seconds=seconds)
    tried = ticket["tried"]
    met = url in map(_url, tried)  # there may be thousands, and mostly it is not
    last = next((n for n, one in enumerate(tried) if place(one) == place(attempt)), None) if met else None
    if last is None:
        return ticket | {"tried": [*tried, attempt]}
    if reason == Reason.OK and not tries and tried[last]["reason"] == reason:
        return ticket  # known already, and that entry tells more
    return ticket | {"tried": [*tried[:last], *tried[last + 1 :], attempt]}


def entry(
    source: str,
    step: str,
    reason: Reason,
    *,
    url: str | None = None,
    http: int | None = None,
    tries: int = 0,
    final_url: str | None = None,
    seconds: float | None = None,
) -> Plan:
    """How a step ended, as `attempts` has it."""
    return {
        "source": source, "step": str(step), "reason": str(reason), "http": http, "tries": tries, "url": url,
        "final_url": final_url if final_url != url else None, "at": now(), "seconds": seconds,
    }  # fmt: skip


def place(one: Plan) -> tuple[str, str, str | None]:
    """What there is one entry for: a source, a step, an address."""
    return one["source"], one["step"], one["url"]


def now() -> str:
    """This moment as ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
