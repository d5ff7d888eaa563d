"""arXiv: the PDF of any version of a paper, with the licence of that version; as a spider, the archive of all versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy import Request
from scrapy.http import Response

from litcrawl.arxiv import answers, eprint, plan, urls
from litcrawl.arxiv.archiver import ArchiverSpider
from litcrawl.exceptions import Miss
from litcrawl.items import Claim, Licence, Link, Step, Title
from litcrawl.licences import spdx
from litcrawl.source import Finding, Found, Question, Source
from litcrawl.terms import Reason, Stage, Want


class Arxiv(Source):
    """
    Serves
      PDF of the newest version, of a pinned one, of all; the licence of each; the DOI under which a journal published the paper.
    Needs
      arXiv id. No key.
    Pace
      One request in three seconds over all of arXiv's hosts, one at a time.
    Documentation
      https://info.arxiv.org/help/oa/index.html, https://info.arxiv.org/help/bulk_data.html and https://info.arxiv.org/help/api/tou.html
    Beware
      The record tells the licence of the newest version alone; each other's stands on its abstract page. A version may be withdrawn, and
      have no file, while those before it stand. "Rate exceeded." comes as 429 without Retry-After, and as a text with status 200.
    """

    name = "arxiv"
    requires = frozenset({"arxiv"})
    offers = frozenset({Want.PDF})
    versioned = True
    basis = "arxiv"

    def ask(self, question: Question) -> Iterator[Step | Link]:
        assert question.ids.arxiv
        yield Step(step="record", url=urls.record(question.ids.arxiv))

    def request(self, step: dict[str, Any], key: str) -> Request:
        request = super().request(step, key)
        request.meta.update(urls.robots(request.url))
        if step["step"] == "page":
            request.meta["follow"] = True  # it is a web page, which may move
        return request

    def read(self, step: dict[str, Any], response: Response, question: Question) -> Iterator[Finding]:
        if response.status == 200:
            eprint.check_rate(answers.content_of(response))
        yield from super().read(step, response, question)

    def record(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The record of a paper: its versions, the licence of the newest, the published article."""
        paper = question.ids.arxiv or ""
        record = answers.told_by_record(response, paper)
        if record.title:
            yield Title(text=record.title)
        yield from plan.published(record, question.ids)
        versions = {one.number: one for one in record.versions}
        wanted = question.versions_of(set(versions))
        if not wanted:
            raise Miss(Reason.ABSENT, "no such version")
        if all(versions[number].withdrawn for number in wanted):
            raise Miss(Reason.WITHDRAWN, "by the record")
        for number in wanted:
            if versions[number].withdrawn:
                continue
            if number == record.newest.number:
                yield from self._version(paper, number, record.licence, response.url)
            else:
                yield Step(step="page", url=urls.page(paper, number), state={"version": number})

    def page(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The abstract page of a version that is not the newest: its licence."""
        paper = question.ids.arxiv or ""
        version = state["version"]
        yield from self._version(paper, version, answers.told_by_page(response, paper, version).licence, response.url)

    def prove(self, step: dict[str, Any], response: Response, question: Question) -> Found:
        try:
            return super().prove(step, response, question)
        except Miss as miss:
            raise answers.later(miss) from miss

    def _version(self, paper: str, number: int, licence: str | None, url: str) -> Iterator[Finding]:
        held = None
        if licence:
            yield Claim(raw=licence, spdx=spdx(licence), basis=self.basis, about="preprint", url=url)
            held = Licence(raw=licence, spdx=spdx(licence), basis=self.basis)
        yield Link(want=Want.PDF, url=urls.pdf(paper, number), version=number, stage=Stage.PREPRINT, licence=held)


class ArxivSpider(ArchiverSpider):
    name = "arxiv"
    rungs_named = (Arxiv,)
