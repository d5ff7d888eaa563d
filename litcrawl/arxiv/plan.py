"""
One paper of the archive: what is to be asked for next, and what its article says. Pure but for looking at the disk.

A chain is plain data: `paper`, `pinned` (version numbers; none: all), `listed` (the day on which a harvest has it changed), `refresh`,
`licences` (those under which files are kept; none: all), `attempts`, `got` (by address: the entry of a file that this run brought, and
its checks), `stopped` (why nothing more can be asked now).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from litcrawl import ticket as tickets
from litcrawl import verdict
from litcrawl.arxiv import eprint, urls
from litcrawl.arxiv.archive import PDF, SOURCE, Archive, address, folder
from litcrawl.ids import ARXIV_DOI, Ids
from litcrawl.items import Article, Claim, File, Licence, Relation
from litcrawl.licences import allowed, spdx
from litcrawl.parsers import oai
from litcrawl.stated import stated
from litcrawl.terms import Kind, Outcome, Reason, Role, Stage, Want

Chain: TypeAlias = dict[str, Any]
Task: TypeAlias = dict[str, Any]

NAME = "arxiv"
_MOST_DOIS = 10
RECORD, PAGE = "record", "page"
STEPS = {PDF: str(Want.PDF), SOURCE: str(Want.SUPPLEMENTARY)}
"""The files of a version, and their steps in `attempts`."""


def new(paper: str, *, pinned: Iterable[int] = (), listed: str | None = None, refresh: bool = False, licences: Iterable[str] = ()) -> Chain:
    """The chain of a paper that nothing has been asked for."""
    return {
        "paper": paper, "pinned": sorted(pinned), "listed": listed, "refresh": refresh, "licences": list(licences), "attempts": [],
        "got": {}, "stopped": None,
    }  # fmt: skip


def next_task(archive: Archive, chain: Chain) -> Task | None:
    """What to ask for next, each thing once in a run; None when nothing is left."""
    if chain["stopped"]:
        return None
    paper, tried = chain["paper"], {one["url"] for one in chain["attempts"]}
    record = archive.record(paper)
    if urls.record(paper) not in tried and (record is None or chain["refresh"] or _is_old(record, chain)):
        return _task(RECORD, None, urls.record(paper))
    for version in versions(record, chain):
        page = urls.page(paper, version.number)
        if page not in tried and (chain["refresh"] or archive.licence(paper, version.number) is None):
            return _task(PAGE, version.number, page)
        if not _may_pass(archive, chain, version.number):
            continue
        for what in (PDF, SOURCE):
            url = address(paper, version.number, what)
            if url not in tried and archive.file(paper, version.number, what) is None:
                return _task(what, version.number, url)
    return None


def of_record(article: Article) -> Reason | None:
    """How asking for the record ended; None when nobody asked."""
    return next((Reason(one["reason"]) for one in reversed(article.attempts) if one["step"] == RECORD), None)


def tried(chain: Chain, task: Task, reason: Reason, **met: Any) -> Chain:
    """The chain with how a task ended."""
    what = str(task["what"])
    attempt = tickets.entry(NAME, STEPS.get(what, what), reason, url=task["url"], **met)
    return chain | {"attempts": [*chain["attempts"], attempt]}


def versions(record: oai.Record | None, chain: Chain) -> list[oai.Version]:
    """The versions that are wanted of a paper, in order."""
    pinned = chain["pinned"]
    known = sorted(record.versions, key=lambda one: one.number) if record else []
    return [one for one in known if not pinned or one.number in pinned]


def file_of(archive: Archive, paper: str, version: int, what: str, entry: Mapping[str, Any], checks: Sequence[str] = ()) -> File:
    """A file of the archive, as its entry and the licence of its version have it."""
    name, licence = entry["file"], _licence(archive, paper, version)
    ending = name.removeprefix(f"v{version}-source.")
    return File(
        kind=Kind.BODY if what == PDF else Kind.SUPPLEMENTARY,
        source=NAME,
        media_type=eprint.MEDIA_TYPES["pdf" if what == PDF else ending if ending in eprint.MEDIA_TYPES else "bin"],
        uri=entry["url"],
        filename=None,
        path=f"{folder(paper)}/{name}",
        size_bytes=entry["bytes"],
        sha256=entry["sha256"],
        role=None if what == PDF else Role.OTHER,
        version=version,
        stage=Stage.PREPRINT,
        licence=Licence(raw=licence, spdx=spdx(licence), basis=NAME) if licence else None,
        checks=list(checks),
    )


def article(archive: Archive, chain: Chain, inputs: Sequence[dict[str, Any]], run: str, *, whole: bool = False) -> Article:
    """
    What there is to say of a paper: all that is held of it, the newest version's files first, and what it lacks of what is wanted.

    `whole`: nothing had to be asked for it.
    """
    paper, at = chain["paper"], tickets.now()
    record = archive.record(paper)
    wanted, known = versions(record, chain), versions(record, chain | {"pinned": []})
    files, lacking = [], []
    for version in reversed(known):
        for what in (PDF, SOURCE):
            url = address(paper, version.number, what)
            got = chain["got"].get(url)  # on its way to the disk
            if entry := got["entry"] if got else archive.file(paper, version.number, what):
                files.append(file_of(archive, paper, version.number, what, entry, got["checks"] if got else ()))
            elif version in wanted:
                lacking.append((what, url if _may_pass(archive, chain, version.number) else None))
    files.sort(key=lambda one: one.kind != Kind.BODY)
    reasons = {one["url"]: Reason(one["reason"]) for one in chain["attempts"]}
    missing = _missing(chain, record, lacking, reasons)
    unknown = next((reasons[url] for url in _facts(paper, wanted) if reasons.get(url, Reason.OK).retryable), chain["stopped"])
    own = Ids(doi=ARXIV_DOI + paper, arxiv=paper)
    claims = [(one.number, _licence(archive, paper, one.number)) for one in reversed(known)]
    return Article(
        key=f"arxiv:{paper}",
        path=folder(paper),
        inputs=list(inputs),
        ids=own.as_dict(),
        outcome=Outcome.RETRY if unknown else verdict.outcome(missing, None, held=bool(files)),
        reason=unknown and str(unknown),
        missing=missing,
        files=files,
        claims=[
            Claim(raw=raw, spdx=spdx(raw), basis=NAME, about="preprint", url=_told_at(archive, paper, number), at=at)
            for number, raw in claims
            if raw
        ],
        related=published(record, own) if record else [],
        retracted=record.newest.withdrawn if record else None,
        attempts=chain["attempts"],
        run=run,
        at=at,
        whole=whole,
    )


def published(record: oai.Record, of: Ids) -> list[Relation]:
    """The journal's article of a paper. Its authors write the DOI, sometimes several."""
    told = [stated(doi=doi.strip(",;")) for doi in (record.doi or "").split()[:_MOST_DOIS]]
    return [Relation(relation="published", ids=one.as_dict()) for one in told if one.doi and one.doi != of.doi]


def _missing(
    chain: Chain, record: oai.Record | None, lacking: Iterable[tuple[str, str | None]], reasons: Mapping[str, Reason]
) -> dict[str, str]:
    """
    For each kind of which a version lacks the file: the first reason that is worth another run, else the weightiest.

    A file without an address is one that may not be asked for.
    """
    paper = chain["paper"]
    met: dict[str, list[Reason]] = {}
    for what, url in lacking:
        word = Reason.LICENCE if url is None else reasons.get(url) or chain["stopped"] or Reason.NOT_STORED
        met.setdefault(STEPS[what], []).append(word)
    asked = reasons.get(urls.record(paper))
    if record is None:
        met = {step: [asked or chain["stopped"] or Reason.NOT_STORED] for step in STEPS.values()}
    elif set(chain["pinned"]) - {one.number for one in record.versions}:
        word = asked if asked and asked.retryable else Reason.ABSENT
        met = {step: [*met.get(step, ()), word] for step in STEPS.values()}
    return {step: str(_weightiest([Reason(one) for one in told])) for step, told in met.items()}


def _weightiest(met: Sequence[Reason]) -> Reason:
    retryable = [one for one in met if one.retryable]
    return retryable[0] if retryable else next((one for one in verdict.PRECEDENCE if one in met), Reason.NOT_STORED)


def _facts(paper: str, wanted: Iterable[oai.Version]) -> list[str]:
    return [urls.record(paper), *(urls.page(paper, one.number) for one in wanted)]


def _may_pass(archive: Archive, chain: Chain, version: int) -> bool:
    """Whether files are kept under the licence of a version."""
    return allowed(spdx(_licence(archive, chain["paper"], version)), chain["licences"])


def _licence(archive: Archive, paper: str, version: int) -> str | None:
    """The licence of a version: its page's word, else, of the newest, the record's."""
    record = archive.record(paper)
    return archive.licence(paper, version) or (record.licence if record and record.newest.number == version else None)


def _told_at(archive: Archive, paper: str, version: int) -> str:
    """Where the licence of a version is told."""
    return urls.page(paper, version) if archive.licence(paper, version) else urls.record(paper)


def _is_old(record: oai.Record, chain: Chain) -> bool:
    """Whether a harvest tells that a paper has changed since its record was taken, or a list names a version that it does not know."""
    changed = chain["listed"] is not None and (record.datestamp is None or record.datestamp < chain["listed"])
    return changed or not set(chain["pinned"]) <= {one.number for one in record.versions}


def _task(what: str, version: int | None, url: str) -> Task:
    return {"what": what, "version": version, "url": url}
