"""Crossref's links for text miners: XML and PDF on the publishers' own servers."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response

from litcrawl.exceptions import Miss
from litcrawl.ids import Ids
from litcrawl.items import Link, Step
from litcrawl.parsers import crossref
from litcrawl.proof.check import READERS
from litcrawl.source import Finding, Question, Source
from litcrawl.spiders.base import LadderSpider
from litcrawl.spiders.crossref import may_hold, record, step, today
from litcrawl.spiders.elsevier_oa import check_whole, refusal
from litcrawl.terms import FILE_WANTS, Reason, Want
from litcrawl.wire.keys import joins_at, joins_of

ELSEVIER = "api.elsevier.com"


class CrossrefTdm(Source):
    """
    Serves
      XML and PDF that publishers registered for text mining, with the licence stated for that version.
    Needs
      DOI. No key but the host's own: Elsevier's and Wiley's services answer only to theirs.
    Pace
      The record as `crossref`, mostly in its lists; files by each publisher's host, AutoThrottle.
    Documentation
      https://www.crossref.org/documentation/retrieve-metadata/rest-api/text-and-data-mining/
    Beware
      A link is no promise: many lead to a login, a landing page or nothing. A type may be missing: then the address tells.
      Links for plagiarism checks and for syndication are meant for others. Wiley answers 200 with no bytes without its token.
    """

    name = "crossref_tdm"
    guesses = True
    requires = frozenset({"doi"})
    offers = frozenset({Want.XML, Want.PDF})
    roots = frozenset(READERS)
    basis = crossref.BASIS

    def serves(self, ids: Ids) -> bool:
        return may_hold(ids)

    def ask(self, question: Question) -> Iterator[Step | Link]:
        yield step(question)

    def work(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The links of one work."""
        yield from (link for link in crossref.links(record(response, question), today()) if link.want in question.want)

    def refusal(self, response: Response, *, is_file: bool) -> Reason | None:
        """Where a host answers to a key, what it refuses is that key, or this file to who has it."""
        if not is_file or response.status not in (401, 403) or not self._keys(response.url):
            return None
        if urlsplit(response.url).hostname == ELSEVIER:
            return refusal(response)
        return Reason.NEEDS_KEY if response.status == 401 else Reason.NOT_ENTITLED

    def check_status(self, response: Response, *, is_file: bool = False) -> None:
        super().check_status(response, is_file=is_file)
        if is_file and urlsplit(response.url).hostname == ELSEVIER:
            check_whole(response)

    def request(self, step: dict[str, Any], key: str) -> Request:
        """Raises `Miss` for a file whose host answers only to a key that is not set: no request is spent on it."""
        keys = self._keys(step["url"]) if step["step"] in FILE_WANTS else []
        if keys and not self.settings.get(keys[0]):
            raise Miss(Reason.NEEDS_KEY, f"its host answers only to {keys[0]}")
        request = super().request(step, key)
        if keys:
            request.meta["lane"] = self.name
        return request

    def _keys(self, url: str) -> list[str]:
        """The settings of the keys that a file's host takes; the first is the one that it wants."""
        return [join.setting for join in joins_at(url, joins_of(self.settings)) if join.secret]


class CrossrefTdmSpider(LadderSpider):
    name = "crossref_tdm"
    rungs_named = (CrossrefTdm,)
