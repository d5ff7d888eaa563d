"""A file that was found takes its place among those of its article. Pure: plain data in, plain data out."""

from __future__ import annotations

from contextlib import suppress
from operator import itemgetter

from litcrawl import ids as identifiers
from litcrawl import places
from litcrawl.exceptions import BadIdentifier
from litcrawl.ids import Ids
from litcrawl.items import File
from litcrawl.terms import Want, want_of
from litcrawl.ticket import LATEST, Plan, Ticket, scope

_sha256, _path = itemgetter("sha256"), itemgetter("path")


def keep(ticket: Ticket, file: File) -> Ticket:
    """The ticket with a file in its place, and with what that states of the article; equal bytes are stored once."""
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
    got: list[Plan] = ticket["got"]  # there may be thousands
    if file.sha256 in map(_sha256, got) and any(one["sha256"] == file.sha256 and _want(one) == file.want for one in got):
        return ticket
    replaced = _replaced(ticket, file)
    ticket["stale"] = [one for one in ticket["stale"] if one is not replaced]
    if replaced and replaced["sha256"] == file.sha256:
        return ticket | {"got": [*ticket["got"], replaced]}
    taken = map(_path, (*got, *ticket["stale"]))
    plain["path"] = replaced["path"] if replaced else places.place(ticket["path"], plain, taken=taken, versioned=scope(ticket) != LATEST)
    plain["evidence"] = {"licences": evidence.get("licences", [])} if evidence else None
    return ticket | {"got": [*ticket["got"], plain]}


def _replaced(ticket: Ticket, file: File) -> Plan | None:
    """The file of an earlier run whose place this one takes: the same address, or where only the newest is wanted an older version."""
    own = [one for one in ticket["stale"] if one["source"] == file.source and _want(one) == file.want]
    same = next((one for one in own if one["uri"] == file.uri), None)
    if same or scope(ticket) != LATEST or file.version is None:
        return same
    if file.want == Want.SUPPLEMENTARY:
        own = [one for one in own if one["filename"] == file.filename]
    return next((one for one in own if (one["version"] or file.version) < file.version), None)


def _want(file: Plan) -> Want:
    return want_of(file["kind"], file["media_type"])
