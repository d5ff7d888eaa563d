"""The ladder of one article: which step is next, and what a step brought. Pure: plain data in, plain data out."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from urllib.parse import urlsplit

from litcrawl import licences, targets
from litcrawl.bounds import bounded
from litcrawl.ids import Ids
from litcrawl.items import Claim, File, Heard, Link, Metadata, Relation, Retraction, Step, Title
from litcrawl.keeping import keep
from litcrawl.media_types import JATS, PDF, TEXT, media_type_of_name
from litcrawl.publications import merging
from litcrawl.publications.merging import Rules
from litcrawl.source import Finding, Found, Source
from litcrawl.targets import Reach
from litcrawl.terms import WANTS, Kind, Reason, Want, want_of
from litcrawl.ticket import IDENTIFIERS, LATEST, Plan, Ticket, answered, attempt, now, question, scope, wanted

logger = logging.getLogger(__name__)

_MEDIA_TYPES = {Want.XML: JATS, Want.PDF: PDF, Want.TEXT: TEXT}
_LISTED = ("source", "filename", "credential_key", "size_bytes", "description", "role", "version", "stage", "licence")


def only(ticket: Ticket, steps: Sequence[Plan]) -> Ticket:
    """The ticket of an article of which exactly these files are to be fetched."""
    wants = list(dict.fromkeys(step["step"] for step in steps))
    ticket = ticket | {"want": wants, "exhaustive": True, "rungs": [], "resolve": "none"}
    ticket = _put(ticket, steps)
    return ticket | {"whole": ticket["whole"] and not ticket["todo"]}


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
            if _refused(ticket, step):
                ticket = attempt(ticket, step["source"], step["step"], Reason.NOT_ENTITLED, url=step["url"])
                continue
            if not _may_pass(ticket, step):
                ticket = attempt(ticket, step["source"], step["step"], Reason.LICENCE, url=step["url"])
                continue
            if ticket["download"]:
                return ticket, step
            ticket = _list(ticket, step)
        ticket = _close_rung(ticket)
        rung = _next_rung(ticket, sources)
        if rung is None:
            return _decline_rest(ticket, sources), None
        ticket = _open_rung(ticket, sources[rung])


def _list(ticket: Ticket, step: Plan) -> Ticket:
    """Take down a file that is not to be fetched: what its source says of it, and no path."""
    supplementary = step["step"] == Want.SUPPLEMENTARY
    own = media_type_of_name(step.get("filename")) if supplementary else _MEDIA_TYPES[step["step"]]
    file = {name: step.get(name) for name in _LISTED} | {
        "kind": str(Kind.SUPPLEMENTARY if supplementary else Kind.BODY), "media_type": step.get("media_type") or own, "uri": step["url"],
        "path": None, "sha256": None, "checks": [],
    }  # fmt: skip
    ticket = attempt(ticket, step["source"], step["step"], Reason.OK, url=step["url"])
    return ticket | {"got": [*ticket["got"], file]}


def _next_rung(ticket: Ticket, sources: Mapping[str, Source]) -> str | None:
    ids = Ids(**ticket["ids"])
    for name in ticket["rungs"]:
        source = sources[name]
        ready = name in ticket["heard"] or source.declines(ids) is None
        if ready and source.serves(ids) and wanted(ticket, source):
            return name
    return _last_resort(ticket, sources, ids)


def _last_resort(ticket: Ticket, sources: Mapping[str, Source], ids: Ids) -> str | None:
    """Who might name an article of which nothing has come, and nobody else can be asked."""
    known = {kind for kind, _ in ids}
    asked = any(not Reason(one["reason"]).declined for one in ticket["tried"])
    if ticket["got"] or ticket["stale"] or ticket["resolve"] == "none" or not asked:
        return None
    return next((name for name in ticket["rungs"] if known and known <= sources[name].looks_up), None)


def _open_rung(ticket: Ticket, source: Source) -> Ticket:
    asked = wanted(ticket, source)
    own = [one for one in ticket["tried"] if one["source"] == source.name and one["step"] != IDENTIFIERS]
    left = [one for one in own if not Reason(one["reason"]).final]
    ticket = ticket | {
        "rungs": [name for name in ticket["rungs"] if name != source.name],
        "current": {"source": source.name, "want": asked, "left": left},
        "wider": [name for name in ticket["wider"] if name != source.name],
        # what an earlier run left open here is asked anew, and may by now have another address
        "tried": [one for one in ticket["tried"] if one not in left],
    }
    heard = ticket["heard"].get(source.name)
    if heard is None:
        try:
            return add(ticket, source.name, list(source.ask(question(ticket, asked))))
        except Exception:  # a source that cannot ask costs one rung, never the article
            logger.exception("%s could not ask for %s", source.name, ticket["key"])
            for want in asked:
                ticket = attempt(ticket, source.name, want, Reason.ERROR)
            return ticket
    ticket["current"]["heard"] = True  # another answer told already what this source would
    return _put(ticket, heard)


def _close_rung(ticket: Ticket) -> Ticket:
    """Write down what a source that has answered did not have."""
    if ticket["current"] is None:
        return ticket
    source, asked = ticket["current"]["source"], ticket["current"]["want"]
    own = [one for one in ticket["tried"] if one["source"] == source]
    if not answered(own) and not ticket["current"].get("heard"):
        again = {(one["step"], one["url"]) for one in own}  # what it did not come to stays open
        left = [one for one in ticket["current"]["left"] if one["step"] in WANTS and one["url"] and (one["step"], one["url"]) not in again]
        unheard = next((Reason(one["reason"]) for one in own if one["step"] not in WANTS and Reason(one["reason"]).retryable), None)
        if unheard and Want.SUPPLEMENTARY in asked:  # what another gives meanwhile is no list of what there is
            ticket = attempt(ticket, source, Want.SUPPLEMENTARY, unheard)
        return ticket | {"current": None, "tried": [*ticket["tried"], *left]}
    for want in asked:
        if not answered(own) and (want == Want.SUPPLEMENTARY or not Want(want).is_file):
            continue  # what another answer left out is no list of nothing, and who does not know the article tells no fact of it
        if not Want(want).is_file:
            ticket = attempt(ticket, source, want, Reason.OK)
        elif not any(one["step"] == want for one in own):
            ticket = attempt(ticket, source, want, Reason.ABSENT)
    return ticket | {"current": None}


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
    if step.get("version") is None or scope(ticket) == LATEST:
        return not same
    return not any(file["version"] == step["version"] for file in same)


def _refused(ticket: Ticket, step: Plan) -> bool:
    """Whether this host has said in this chain that we have no right to that kind of file: another address there is the same file."""
    host = urlsplit(step["url"]).hostname
    return any(
        one["reason"] == Reason.NOT_ENTITLED
        and one["step"] == step["step"]
        and one["url"] in ticket["sent"]
        and urlsplit(one["url"]).hostname == host
        for one in ticket["tried"]
    )


def _may_pass(ticket: Ticket, step: Plan) -> bool:
    """The licence gate before a download: an XML may state its licence itself, of other files only their source can tell."""
    licence = step.get("licence")
    return not ticket["licences"] or step["step"] == Want.XML or licences.allowed(licence and licence["spdx"], ticket["licences"])


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
    reach: Reach = Reach.ANYWHERE,
) -> Ticket:
    """The ticket after a step has ended: what it found, which may lead as far as `reach`, is added, how it ended is written down."""
    ticket = attempt(
        ticket, step["source"], step["step"], reason, url=step["url"], http=http, tries=tries, final_url=final_url, seconds=seconds
    )
    ticket["sent"] = [*ticket["sent"], step["url"]]
    if reason == Reason.WRONG_ARTICLE and step["step"] == Want.XML:  # then nothing else under that identifier is this article's either
        dropped = [one for one in ticket["todo"] if one["source"] == step["source"]]
        ticket = ticket | {"todo": [one for one in ticket["todo"] if one["source"] != step["source"]]}
        for one in dropped:
            ticket = attempt(ticket, one["source"], one["step"], reason, url=one["url"], tries=0)
    return add(ticket, step["source"], findings, reach)


def add(ticket: Ticket, source: str, findings: Iterable[Finding], reach: Reach = Reach.ANYWHERE) -> Ticket:
    """The ticket with what a source has found; its links may lead as far as `reach`."""
    ticket = dict(ticket)
    calls: list[Plan] = []
    files: list[Plan] = []
    for finding in bounded(findings):
        match finding:
            case Ids():
                ticket["ids"] = Ids(**ticket["ids"]).merge(finding).as_dict()
            case Title():
                ticket["titles"] = list(dict.fromkeys([*ticket["titles"], finding.text]))
            case Claim() | Relation():
                field = "claims" if isinstance(finding, Claim) else "related"
                if (plain := asdict(finding)) not in ticket[field]:
                    ticket[field] = [*ticket[field], plain]
            case Retraction():
                ticket["retracted"] = bool(ticket["retracted"]) or finding.retracted
            case Metadata():
                if ticket["rules"] is not None:
                    rules = Rules(**ticket["rules"])
                    ticket["metadata"] = merging.merge(ticket["metadata"], source, finding.fields, now(), rules)
            case Heard():
                ticket["heard"] = ticket["heard"] | {finding.source: plans(finding.source, finding.links, reach)}
                for fact in finding.facts:
                    if fact in ticket["want"]:
                        ticket = attempt(ticket, finding.source, fact, Reason.OK)
            case Step():
                calls.append({"source": source, "step": finding.step, "url": finding.url, "state": finding.state})
            case Link():
                files.append(plan(source, finding, reach))
            case Found():
                ticket = keep(ticket, finding.file)
    if files:
        ticket = _put(ticket, files)
    return ticket | {"todo": [*calls, *ticket["todo"]]}


def plans(source: str, links: Iterable[Link], reach: Reach) -> list[Plan]:
    """Links that one source told of another, as steps of that."""
    return [plan(source, link, reach) for link in bounded(links)]


def plan(source: str, link: Link, reach: Reach = Reach.ANYWHERE) -> Plan:
    """A file's address as a step of its source."""
    step = asdict(link)
    step = {"source": source, "step": str(step.pop("want")), **step}
    step["stage"], step["role"] = link.stage and str(link.stage), link.role and str(link.role)
    return step if reach == Reach.ANYWHERE else step | {"reach": str(reach)}


def _put(ticket: Ticket, steps: Iterable[Plan]) -> Ticket:
    """Put files' addresses into `todo`; one that stands there learns something; what is in hand or was refused for good stays out."""
    todo = list(ticket["todo"])
    places: dict[tuple[str, str], int] = {}
    for n, one in enumerate(todo):
        places.setdefault((one["source"], one["url"]), n)
    held = {(file["source"], file["uri"]) for file in ticket["got"]}
    sent, ended = set(ticket["sent"]), dict[tuple[str, str], Plan]()
    for one in ticket["tried"]:
        if one["url"] in sent or Reason(one["reason"]).final:
            ended.setdefault((one["step"], one["url"]), one)
    for step in steps:
        source, url = step["source"], step["url"]
        if step["step"] not in ticket["want"]:
            continue
        if (source, url) in places:
            there = todo[places[source, url]]
            todo[places[source, url]] = there | {name: value for name, value in step.items() if there.get(name) is None}
        elif not targets.fetchable(url, step.get("reach", Reach.ANYWHERE)):
            ticket = attempt(ticket, source, step["step"], Reason.UNSAFE, url=targets.shown(url))
        elif (source, url) in held:
            ticket = attempt(ticket, source, step["step"], Reason.OK, url=url)
        elif (known := ended.get((step["step"], url))) is None:
            places[source, url] = len(todo)
            todo.append(step)
        elif known["source"] != source:  # asked already, for another that knows the same address
            ticket = attempt(ticket, source, step["step"], Reason(known["reason"]), url=url)
    return ticket | {"todo": todo}
