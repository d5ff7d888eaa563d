"""Springer Nature's OpenAccess API: full text in JATS, out of the envelope that it comes in."""

import re
from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import quote

from scrapy import Request
from scrapy.http import Response

from litcrawl import proof
from litcrawl.exceptions import Malformed, Miss
from litcrawl.items import Link, Step
from litcrawl.parsers import jats, springer, xml
from litcrawl.source import Question, Source
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason, Want

API = "https://api.springernature.com/openaccess/jats"
# Of Springer, BMC, Nature, Palgrave, Adis and others of the house: https://api.crossref.org/members/297
REGISTRANTS = frozenset(
    {
        "10.1007", "10.1023", "10.1038", "10.1057", "10.1065", "10.1114", "10.1134", "10.1140", "10.1186", "10.1208", "10.1245",
        "10.1251", "10.1361", "10.1365", "10.1385", "10.1617", "10.2165", "10.3758", "10.7603",
    }
)  # fmt: skip
"""Prefixes of the DOIs whose articles Springer Nature's APIs can hold."""

_PLAIN = re.compile(r"[\w./:-]+", re.ASCII)
_LIMIT = re.compile(rb"rate.?limit|quota|limit (?:was |is )?exceeded|too many requests", re.IGNORECASE)
_MESSAGE = 4096  # bytes: a refusal is no longer


class SpringerOa(Source):
    """
    Serves
      JATS XML of open-access articles of Springer, BMC, Nature and Palgrave; BITS of chapters.
    Needs
      DOI of one of their prefixes; `LITCRAWL_SPRINGER_API_KEY`, a key of the OpenAccess API.
    Pace
      100 requests a minute, and 500 a day for a basic key.
    Documentation
      https://dev.springernature.com/docs/api-endpoints/open-access/
    Beware
      The article comes in an envelope with a DOCTYPE of its own, which quotes the key; there may be several, or another one. What is
      not open access is 200 with no record. 401 and 403 are about the key; a limit may be told with 403 as well as with 429.
    """

    name = "springer_oa"
    requires = frozenset({"doi"})
    offers = frozenset({Want.XML})
    registrants = REGISTRANTS
    needs_key = "LITCRAWL_SPRINGER_API_KEY"
    roots = jats.ROOTS
    basis = "artifact"
    statuses: ClassVar[dict[int, Reason]] = {401: Reason.NEEDS_KEY, 403: Reason.NEEDS_KEY}

    def ask(self, question: Question) -> Iterator[Step | Link]:
        yield Link(want=Want.XML, url=f"{API}?q={query(question.ids.doi or '')}")

    def request(self, step: dict[str, Any], key: str) -> Request:
        """An API's answer, though a file is in it: no redirect, no continuing of what was cut; the key that it quotes is taken out."""
        request = super().request(step, key)
        for name in ("follow", "spool"):
            del request.meta[name]
        request.meta["verbatim"] = True
        return request

    def refusal(self, response: Response, *, is_file: bool) -> Reason | None:
        return limit(response)

    def content(self, response: Response, question: Question) -> proof.Content:
        """The article that was asked for; of several the one that names its DOI."""
        try:
            found = springer.articles(response.body)
        except Malformed as error:
            raise Miss(Reason.TRUNCATED, str(error)) from error
        if found is None:  # no envelope: whatever it is, the proof says
            return super().content(response, question)
        if not found:
            raise Miss(Reason.ABSENT, "no record: not open access, or unknown")
        if len(found) > 1:
            found = [one for one in found if _doi(one) == question.ids.doi]
            if not found:
                raise Miss(Reason.WRONG_ARTICLE, "records of other articles")
        return proof.Content(found[0])


def query(doi: str) -> str:
    """The search for one DOI, as it stands in a URL; a DOI in which the query language could see more than a word is quoted."""
    return quote(f"doi:{doi}" if _PLAIN.fullmatch(doi) else f'doi:"{doi}"', safe=":/")


def limit(response: Response) -> Reason | None:
    """`quota` for a spent allowance that is told with 403, the status of a refused key; None for anything else."""
    return Reason.QUOTA if response.status == 403 and _LIMIT.search(response.body[:_MESSAGE]) else None


def _doi(article: bytes) -> str | None:
    try:
        ids: dict[str, str] = jats.evidence(xml.parse(article).root)["ids"]
    except Malformed:
        return None
    return ids.get("doi", "").lower() or None


class SpringerOaSpider(LadderSpider):
    name = "springer_oa"
    rungs_named = (SpringerOa,)
