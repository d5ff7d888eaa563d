"""The ladder of one article: which step is next, and what a step brought. Pure: plain data in, plain data out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict

from litcrawl import ids as identifiers
from litcrawl import licences, places
from litcrawl.exceptions import BadIdentifier
from litcrawl.ids import Ids
from litcrawl.items import Claim, File, Link, Relation, Retraction, Step
from litcrawl.source import Finding, Found, Source
from litcrawl.terms import WANTS, Reason, Want, want_of
from litcrawl.ticket import LATEST, Plan, Ticket, answered, attempt, question, scope, wanted


def next_step(ticket: Ticket, sources: Mapping[str, Source]) -> tuple[Ticket, Plan | None]:
    """
    The ticket, and what to do next for it: a pending call or file first, else the first rung that can serve; None at the end.

    Rungs that lack an identifier wait for one: another source may bring it. At the end they are recorded as declined.
    """
    ticket = dict(ticket)
    while True:
        while ticket["todo"]:
            step, *ticket["todo"] = ticket["todo"]
            if step["step"] not in WANTS:
                return ticket, step
            if not _needs(ticket, step):
                continue
            if not _may_pass(ticket, step):
                ticket = attempt(ticket, step["source"], step["step"], Reason.LICENCE, url=step["url"])
                continue
            return ticket, step
        ticket = _close_rung(ticket)
        rung = _next_rung(ticket, sources)
        if rung is None:
            return _decline_rest(ticket, sources), None
        ticket = _open_rung(ticket, sources[rung])


def _next_rung(ticket: Ticket, sources: Mapping[str, Source]) -> str | None:
    ids = Ids(**ticket["ids"])
    for name in ticket["rungs"]:
        source = sources[name]
        if source.serves(ids) and source.declines(ids) is None and wanted(ticket, source):
            return name
    return None


def _open_rung(ticket: Ticket, source: Source) -> Ticket:
    asked = wanted(ticket, source)
    ticket = ticket | {
        "rungs": [name for name in ticket["rungs"] if name != source.name],
        "current": {"source": source.name, "want": asked},
        "wider": [name for name in ticket["wider"] if name != source.name],
        # what an earlier run left open here is asked anew, and may by now have another address
        "tried": [one for one in ticket["tried"] if one["source"] != source.name or Reason(one["reason"]).final],
    }
    return _add(ticket, source.name, source.ask(question(ticket, asked)))


def _close_rung(ticket: Ticket) -> Ticket:
    """Write down what a source that has answered did not have."""
    if ticket["current"] is None:
        return ticket
    source, asked = ticket["current"]["source"], ticket["current"]["want"]
    ticket = ticket | {"current": None}
    own = [one for one in ticket["tried"] if one["source"] == source]
    if not answered(own):
        return ticket
    for want in asked:
        if not Want(want).is_file:
            ticket = attempt(ticket, source, want, Reason.OK)
        elif not any(one["step"] == want for one in own):
            ticket = attempt(ticket, source, want, Reason.ABSENT)
    return ticket


def _decline_rest(ticket: Ticket, sources: Mapping[str, Source]) -> Ticket:
    ids = Ids(**ticket["ids"])
    for name in ticket["rungs"]:
        source = sources[name]
        reason = source.declines(ids)
        if reason and source.serves(ids):
            for want in wanted(ticket, source):
                ticket = attempt(ticket, name, want, reason)
    return ticket | {"rungs": []}


def _needs(ticket: Ticket, step: Plan) -> bool:
    """Whether a file in `todo` is still of use: its kind, or its version of the kind, is not in hand."""
    if step["step"] == Want.SUPPLEMENTARY or ticket["exhaustive"]:
        return True
    same = [file for file in ticket["got"] if want_of(file["kind"], file["media_type"]) == step["step"]]
    if step["version"] is None or scope(ticket) == LATEST:
        return not same
    return not any(file["version"] == step["version"] for file in same)


def _may_pass(ticket: Ticket, step: Plan) -> bool:
    """The licence gate before a download: an XML may state its licence itself, of other files only their source can tell."""
    spdx = step["licence"] and step["licence"]["spdx"]
    return not ticket["licences"] or step["step"] == Want.XML or licences.allowed(spdx, ticket["licences"])


def passes(ticket: Ticket, file: File) -> bool:
    """The licence gate after a download."""
    if not ticket["licences"]:
        return True
    licence = file.licence or licences.licence_of(file.evidence or {})
    return licences.allowed(licence.spdx if licence else None, ticket["licences"])


def record(
    ticket: Ticket,
    step: Plan,
    findings: Sequence[Finding],
    reason: Reason,
    *,
    http: int | None = None,
    tries: int = 1,
    final_url: str | None = None,
    seconds: float | None = None,
) -> Ticket:
    """The ticket after a step has ended: what it found is added, how it ended is written down."""
    ticket = attempt(
        ticket, step["source"], step["step"], reason, url=step["url"], http=http, tries=tries, final_url=final_url, seconds=seconds
    )
    if reason == Reason.WRONG_ARTICLE:  # then nothing else under that identifier is this article's either
        dropped = [one for one in ticket["todo"] if one["source"] == step["source"]]
        ticket = ticket | {"todo": [one for one in ticket["todo"] if one["source"] != step["source"]]}
        for one in dropped:
            ticket = attempt(ticket, one["source"], one["step"], reason, url=one["url"], tries=0)
    return _add(ticket, step["source"], findings)


def _add(ticket: Ticket, source: str, findings: Iterable[Finding]) -> Ticket:
    ticket = dict(ticket)
    calls: list[Plan] = []
    for finding in findings:
        match finding:
            case Ids():
                ticket["ids"] = Ids(**ticket["ids"]).merge(finding).as_dict()
            case Claim() | Relation():
                field = "claims" if isinstance(finding, Claim) else "related"
                if (plain := asdict(finding)) not in ticket[field]:
                    ticket[field] = [*ticket[field], plain]
            case Retraction():
                ticket["retracted"] = bool(ticket["retracted"]) or finding.retracted
            case Step():
                calls.append({"source": source, "step": finding.step, "url": finding.url, "state": finding.state})
            case Link():
                ticket = _link(ticket, source, finding)
            case Found():
                ticket = _store(ticket, finding.file)
    ticket["todo"] = [*calls, *ticket["todo"]]
    return ticket


def _link(ticket: Ticket, source: str, link: Link) -> Ticket:
    """Put a file's address into `todo`, unless it is in hand, was refused for good, or stands there and only learns something."""
    step = asdict(link)
    step = {"source": source, "step": str(step.pop("want")), **step}
    step["stage"], step["role"] = link.stage and str(link.stage), link.role and str(link.role)
    if step["step"] not in ticket["want"]:
        return ticket
    same = [one for one in ticket["todo"] if one["url"] == link.url and one["source"] == source]
    if same:
        merged = same[0] | {name: value for name, value in step.items() if same[0].get(name) is None}
        return ticket | {"todo": [merged if one is same[0] else one for one in ticket["todo"]]}
    if not link.url.startswith(("http://", "https://")):
        return attempt(ticket, source, step["step"], Reason.UNSAFE, url=link.url, tries=0)
    held = any(file["source"] == source and file["uri"] == link.url for file in ticket["got"])
    if held:
        return attempt(ticket, source, step["step"], Reason.OK, url=link.url)
    refused = any(
        (one["source"], one["step"], one["url"]) == (source, step["step"], link.url)
        for one in ticket["tried"]
        if Reason(one["reason"]).final
    )
    return ticket if refused else ticket | {"todo": [*ticket["todo"], step]}


def _store(ticket: Ticket, file: File) -> Ticket:
    """Give a file its place among those of the article; equal bytes are stored once."""
    evidence = file.evidence or {}
    ticket = dict(ticket)
    for name, value in (evidence.get("ids") or {}).items():
        with suppress(BadIdentifier):  # what a file says of itself may be anything
            ticket["ids"] = Ids(**ticket["ids"]).merge(identifiers.parse(value, name).ids).as_dict()
    if evidence.get("supplements"):
        ticket["captions"] = evidence["supplements"] | ticket["captions"]
    plain = file.to_dict()
    if file.want == Want.SUPPLEMENTARY and (caption := places.caption(file.filename, ticket["captions"])):
        plain["description"] = plain["description"] or caption["description"]
        plain["role"] = caption["role"] or plain["role"]
    if any(one["sha256"] == file.sha256 and want_of(one["kind"], one["media_type"]) == file.want for one in ticket["got"]):
        return ticket
    replaced = next((one for one in ticket["stale"] if (one["source"], one["uri"]) == (file.source, file.uri)), None)
    ticket["stale"] = [one for one in ticket["stale"] if one is not replaced]
    if replaced and replaced["sha256"] == file.sha256:
        return ticket | {"got": [*ticket["got"], replaced]}
    taken = [one["path"] for one in (*ticket["got"], *ticket["stale"])]
    plain["path"] = replaced["path"] if replaced else places.place(ticket["path"], plain, taken=taken, versioned=scope(ticket) != LATEST)
    plain["evidence"] = {"licences": evidence.get("licences", [])} if evidence else None
    return ticket | {"got": [*ticket["got"], plain]}
