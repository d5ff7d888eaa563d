"""`Source`: what a source of full text, files or facts has to say of itself; URL in, values out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from scrapy.settings import BaseSettings

from litcrawl import licences, media_types, proof
from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import Ids
from litcrawl.items import Claim, File, Heard, Licence, Link, Metadata, Relation, Retraction, Step, Title
from litcrawl.parsers import json
from litcrawl.terms import FILE_WANTS, INSTITUTIONAL, Kind, Reason, Role, Stage, Want
from litcrawl.wire.keys import Join, joins_at, joins_of
from litcrawl.wire.proxies import SETTING as PROXY
from litcrawl.wire.proxies import Routes
from litcrawl.wire.response import IMPERSONATED, SpooledResponse

# What a status means when a source knows no better. 408, 429 and 5xx were retried before they come here.
_STATUS = {
    **dict.fromkeys((404, 410), Reason.ABSENT),
    **dict.fromkeys((401, 402, 403, 451), Reason.DENIED),
    407: Reason.UNAVAILABLE,  # of a proxy on the way
    408: Reason.TIMEOUT,
    413: Reason.TOO_LARGE,
    429: Reason.RATE_LIMITED,
    204: Reason.EMPTY,
}
_REFUSALS = frozenset({401, 402, 403})  # of a file they are about that file; of a call about the caller, never about an article
_MOST_JSON = 2_000_000  # as `json.weight` counts: some 150 MB; a list of fifty records with all their references has a tenth of it


@dataclass(frozen=True, kw_only=True)
class Question:
    """
    What an article's ladder asks of one source.

    `versions` is what of each kind is wanted: `latest`, `all`, or version numbers as text. `gated` is True when a file
    is kept only under a licence that `LITCRAWL_LICENCES` names, so that licences have to be known before a download.
    `titles` are what the list and other sources call the article.
    """

    ids: Ids
    want: frozenset[str]
    versions: tuple[str, ...] = ("latest",)
    gated: bool = False
    titles: tuple[str, ...] = ()

    def versions_of(self, known: set[int]) -> list[int]:
        """Of the `known` versions those that are wanted, newest first."""
        if "all" in self.versions:
            return sorted(known, reverse=True)
        newest = {max(known)} if known and "latest" in self.versions else set()
        return sorted(newest | {n for n in known if str(n) in self.versions}, reverse=True)


@dataclass(kw_only=True, slots=True)
class Found:
    """A file that a step brought: proved, hashed, not yet stored."""

    file: File
    content: proof.Content


Finding: TypeAlias = Ids | Title | Claim | Relation | Retraction | Metadata | Heard | Link | Step | Found


class Source:
    """
    One upstream, described. It has no state, no session, no sleep, no retry, and touches no file.

    A subclass names itself, says what it `requires` and `offers`, how a question begins (`ask`), and has one method for
    each kind of answer: the step `listing` is read by `listing(response, question, state)`. Files need no method of
    their own: they are proved by their bytes; `after` may say what a file leads to.
    """

    name: ClassVar[str]
    requires: ClassVar[frozenset[str]] = frozenset()
    """Identifiers that it needs, all of them."""
    looks_up: ClassVar[frozenset[str]] = frozenset()
    """Identifiers that no batch resolves, and by which it is asked for others where an article's ladder would end with nothing."""
    offers: ClassVar[frozenset[Want]] = frozenset()
    registrants: ClassVar[frozenset[str]] = frozenset()
    """Prefixes of the DOIs that a publisher registers: one whose article has another DOI cannot hold it. Empty: any."""
    needs_key: ClassVar[str | None] = None
    """The setting of the key without which this upstream answers nobody."""
    joins: ClassVar[Mapping[str, tuple[Join, ...]]] = {}
    """Its hosts, and the keys that each takes, joined to requests on the wire; those of litcrawl's own sources stand in `wire/keys.py`."""
    needs_contact: ClassVar[bool] = False
    """Whether this upstream answers only those who say who they are (`LITCRAWL_CONTACT`)."""
    versioned: ClassVar[bool] = False
    """Whether it holds several versions of an article side by side."""
    guesses: ClassVar[bool] = False
    """Whether it tells of copies elsewhere: the text of a PDF that it led to must not be another article's."""
    roots: ClassVar[frozenset[str]] = frozenset({"article"})
    """Root elements that its XML may have."""
    basis: ClassVar[str]
    """The name under which its statements about licences stand in `claims`."""
    follows: ClassVar[bool] = False
    """Whether its calls go to pages, which redirect, and not to an API."""
    scope: frozenset[str] = frozenset()
    """What the run is after, as its spider says: kinds of `Want`, and `refs`, `citations`. Of a service that sends what it is told to no
    more is asked."""
    statuses: ClassVar[dict[int, Reason]] = {}
    """Statuses by which this upstream means something of its own, whatever they mean elsewhere."""

    def __init__(self, settings: BaseSettings) -> None:
        self.settings = settings

    def serves(self, ids: Ids) -> bool:
        """
        False when this source cannot hold such an article whatever is known of it: then it is no rung.

        A publisher that cannot be asked for want of a key is none for an article of which no DOI says that it could be its own.
        """
        if not self.registrants:
            return True
        if ids.doi is None:
            return self._has_key()
        return ids.doi.partition("/")[0] in self.registrants

    def declines(self, ids: Ids) -> Reason | None:
        """Why nothing can be asked for this article yet (`needs-id`, `needs-key`, `needs-contact`); None when it can."""
        if not all(getattr(ids, name) for name in self.requires):
            return Reason.NEEDS_ID
        if not self._has_key():
            return Reason.NEEDS_KEY
        return Reason.NEEDS_CONTACT if self.needs_contact and not self.settings.get("LITCRAWL_CONTACT") else None

    def rights(self, url: str) -> list[str]:
        """The settings that give this run its rights at an address: the keys that its host takes, a route to it."""
        keys = [join.setting for join in joins_at(url, joins_of(self.settings)) if join.secret and self.settings.get(join.setting)]
        return [*dict.fromkeys(keys), *([PROXY] if self.entitled(url) else [])]

    def entitled(self, url: str) -> bool:
        """Whether a file that only subscribers may fetch can be fetched from there: over a route of `LITCRAWL_PROXY`."""
        return Routes.from_settings(self.settings).of(urlsplit(url).hostname or "") is not None

    def ask(self, question: Question) -> Iterator[Step | Link]:
        """How a question begins: calls to make, or links to files that an identifier alone gives."""
        raise NotImplementedError

    def after(self, found: Found, question: Question) -> Iterator[Finding]:
        """What a file that this source brought leads to."""
        return iter(())

    def request(self, step: dict[str, Any], key: str) -> Request:
        """The bare request of a step; `key` names its article. Raises `Miss` for what is not to be asked for: it costs no request."""
        if step.get("credential_key") == INSTITUTIONAL and not self.entitled(step["url"]):
            raise Miss(Reason.NOT_ENTITLED, "for subscribers, and LITCRAWL_PROXY names no route to its host")
        lane: dict[str, Any] = {"lane": self.name} if self.needs_key and self.rights(step["url"]) else {}
        if step["step"] not in FILE_WANTS:
            meta = lane | ({"follow": True} if self.follows else {})
            return Request(step["url"], headers={"Accept-Encoding": "gzip"}, meta=meta, dont_filter=True)
        coding = "gzip" if step["step"] == Want.XML else "identity"  # ranges and gzip do not go together
        spool = hashlib.sha256(f"{key} {step['url']}".encode()).hexdigest()[:32]
        return Request(step["url"], headers={"Accept-Encoding": coding}, meta={"follow": True, "spool": spool} | lane, dont_filter=True)

    def read(self, step: dict[str, Any], response: Response, question: Question) -> Iterator[Finding]:
        """
        What an answer holds.

        Raises `Miss` when it does not bring what the step was for.
        """
        is_file = step["step"] in FILE_WANTS
        self.check_status(response, is_file=is_file)
        try:
            if is_file:
                found = self.prove(step, response, question)
                yield found
                yield from self.after(found, question)
            else:
                yield from getattr(self, step["step"])(response, question, step.get("state") or {})
        except Malformed as malformed:
            encoded = "Content-Encoding" in response.headers
            raise Miss(Reason.TRUNCATED if encoded else Reason.UNAVAILABLE, str(malformed)) from malformed

    def check_status(self, response: Response, *, is_file: bool = False) -> None:
        """
        Raise the `Miss` that the status means; 200 passes.

        A call's refusal is about who asks: of the key where there must be one, else the service is `unavailable`, for it has not answered.
        """
        status = response.status
        if status == 200:
            return
        if vendor := proof.wall(status, response.headers, response.body[:4096]):
            raise Miss(Reason.BLOCKED if is_file else Reason.UNAVAILABLE, vendor)
        told = self.refusal(response, is_file=is_file)
        refused = (Reason.NEEDS_KEY if self.needs_key else Reason.UNAVAILABLE) if status in _REFUSALS and not is_file else None
        reason = told or self.statuses.get(status) or refused or _STATUS.get(status)
        if reason is None:
            reason = Reason.DENIED if status in range(400, 500) and status != 400 else Reason.UNAVAILABLE
        raise Miss(reason, f"HTTP {status}")

    def content(self, response: Response, question: Question) -> proof.Content:
        """The bytes of the file that a response holds: all of them, unless this upstream wraps its files. Raises `Miss` for none."""
        return proof.Content(response.spool if isinstance(response, SpooledResponse) else response.body)

    def _has_key(self) -> bool:
        return self.needs_key is None or bool(self.settings.get(self.needs_key))

    def refusal(self, response: Response, *, is_file: bool) -> Reason | None:
        """What an answer that is not 200, and no wall, means here, where its words say more than its status; None where they do not."""
        return None

    def prove(self, step: dict[str, Any], response: Response, question: Question) -> Found:
        """The file that a response holds; its step need have no more than an address. Raises `Miss` when these bytes are another thing."""
        want = Want(step["step"])
        content = self.content(response, question)
        encoding = response.headers.get("Content-Encoding")
        filename = step.get("filename")
        proved = proof.check(
            content,
            want,
            roots=self.roots,
            ids=question.ids.as_dict(),
            size_bytes=step.get("size_bytes"),
            md5=step.get("md5"),
            encoding=encoding.decode("latin-1") if encoding else None,
            filename=filename,
            titles=question.titles,
            read_text=self.guesses,
            most=self.settings.getint("LITCRAWL_MAX_FILE_SIZE"),
        )
        evidence = proved.evidence
        licence, version, stage = step.get("licence"), step.get("version"), step.get("stage")
        if licence and licences.licence_of(evidence or {}):
            licence = None  # its own bytes come before what its source says
        role = None if want != Want.SUPPLEMENTARY else step.get("role") or media_types.role(proved.media_type, filename)
        file = File(
            kind=Kind.SUPPLEMENTARY if want == Want.SUPPLEMENTARY else Kind.BODY,
            source=self.name,
            media_type=proved.media_type,
            uri=step["url"],
            filename=filename,
            path=None,
            credential_key=step.get("credential_key"),
            size_bytes=proved.content.size,
            sha256=proved.content.sha256,
            description=step.get("description"),
            role=role and Role(role),
            version=version if version is not None else (evidence or {}).get("version"),
            stage=stage and Stage(stage),
            licence=licence and Licence(**licence),
            checks=[*proved.checks, *(flag for flag in response.flags if flag == IMPERSONATED)],
            stated=evidence,
        )
        return Found(file=file, content=proved.content)


def json_value(response: Response) -> Any:
    """What an API answered in JSON. Raises `Malformed` when it is none, `Miss` when reading it would take too much memory."""
    if json.weight(response.body) > _MOST_JSON:
        raise Miss(Reason.TOO_LARGE, "more values than an answer has")
    return json.parse(response.body)


def json_object(response: Response) -> dict[str, Any]:
    """The JSON object that an API answered. Raises as `json_value` does, and `Malformed` when it is another value."""
    value = json_value(response)
    if not isinstance(value, dict):
        raise Malformed(f"a JSON {type(value).__name__} for an object")
    return value
