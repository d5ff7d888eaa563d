"""What arXiv's answers bring: a record and a page are kept at once, a file is proved and named by its bytes."""

from __future__ import annotations

import logging

from scrapy.http import Response

from litcrawl import proof
from litcrawl.arxiv import eprint, plan, urls
from litcrawl.arxiv.archive import PDF, Archive
from litcrawl.arxiv.plan import Chain, Task
from litcrawl.exceptions import Malformed, Miss
from litcrawl.items import File
from litcrawl.parsers import arxiv_page, oai
from litcrawl.proof.content import Content
from litcrawl.stated import stated
from litcrawl.terms import Reason, Want
from litcrawl.wire.response import SpooledResponse

logger = logging.getLogger(__name__)

_STATUSES = {403: Reason.DENIED, 404: Reason.ABSENT, 429: Reason.RATE_LIMITED}


def check_status(response: Response) -> None:
    """Raise the `Miss` that a status other than 200 means."""
    if response.status != 200:
        raise Miss(_STATUSES.get(response.status, Reason.UNAVAILABLE), f"HTTP {response.status}")


def content_of(response: Response) -> Content:
    """The bytes of an answer, wherever they lie."""
    return Content(response.spool if isinstance(response, SpooledResponse) else response.body)


def told_by_record(response: Response, paper: str) -> oai.Record:
    """The record of a paper. Raises `Miss` for a refusal, `Malformed` for another paper's and for what is none."""
    try:
        told = oai.record(response.body)
    except oai.OaiError as error:
        raise Miss(Reason.ABSENT if error.absent else Reason.UNAVAILABLE, str(error)) from error
    if stated(arxiv=told.id).arxiv != paper:
        raise Malformed(f"the record of {told.id[:40]}")
    return told


def later(miss: Miss) -> Miss:
    """A page in place of a file is worth another try: arXiv's say that it is busy, or that the PDF is still being made."""
    return Miss(Reason.UNAVAILABLE, miss.detail) if miss.reason == Reason.WRONG_TYPE else miss


def record(response: Response, archive: Archive, paper: str) -> list[str]:
    """
    Keep a paper's record; the versions that it has come to tell of.

    Raises `Miss` or `Malformed`: a refusal, or another paper's record, never takes the place of the one that is held.
    """
    check_status(response)
    told = told_by_record(response, paper)
    before = archive.record(paper)
    known = {one.number for one in (before or told).versions}
    if lost := known - {one.number for one in told.versions}:
        logger.warning("the record of %s tells no more of %s: the one that is held stays", paper, ", ".join(f"v{n}" for n in sorted(lost)))
        return []
    archive.keep_record(paper, response.body)
    return [f"{paper}v{one.number}" for one in told.versions if one.number not in known]


def told_by_page(response: Response, paper: str, version: int) -> arxiv_page.Page:
    """What the abstract page of a version says. Raises `Malformed` for another one's."""
    if not urls.is_page_of(response.url, version):
        raise Malformed(f"the page of v{version} leads to {response.url[-60:]}")
    return arxiv_page.page(response.body, paper, version)


def page(response: Response, archive: Archive, paper: str, version: int) -> None:
    """Keep licence and comments of a version. Raises as `record`."""
    check_status(response)
    told = told_by_page(response, paper, version)
    archive.keep_page(paper, version, told.licence, told.comments)


def file(response: Response, archive: Archive, chain: Chain, task: Task, most: int) -> tuple[Chain, File, Content]:
    """
    The file that an answer brings, with the chain that has it; it is undone of a left-over coding up to `most` bytes.

    Raises `Miss` for bytes that are another thing.
    """
    check_status(response)
    paper, version, what = chain["paper"], task["version"], task["what"]
    content = content_of(response)
    encoding = (response.headers.get("Content-Encoding") or b"").decode("latin-1") or None
    if what == PDF:
        eprint.check_rate(content)
        proved = proof.check(content, Want.PDF, encoding=encoding, most=most)
        content, name, checks = proved.content, f"v{version}.pdf", proved.checks
    else:
        held = archive.record(paper)
        html = held is not None and any(one.number == version and "H" in one.source_type for one in held.versions)
        content, ending, checks = eprint.prove(content, html=html, encoding=encoding, most=most)
        name = f"v{version}-source.{ending}"
    entry = {"file": name, "url": task["url"], "bytes": content.size, "sha256": content.sha256}
    chain = chain | {"got": chain["got"] | {task["url"]: {"entry": entry, "checks": checks}}}
    return chain, plan.file_of(archive, paper, version, what, entry, checks), content
