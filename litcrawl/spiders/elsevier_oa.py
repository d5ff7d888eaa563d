"""Elsevier's article retrieval API: full text in its own XML, by DOI."""

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response

from litcrawl.exceptions import Miss
from litcrawl.ids import quote_doi
from litcrawl.items import Link, Step
from litcrawl.parsers import elsevier
from litcrawl.source import Question, Source
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason, Want

API = "https://api.elsevier.com/content/article/doi"
_KEY = re.compile(r"api[\W_]?key", re.IGNORECASE)
_OF_RIGHTS = frozenset({"AUTHORIZATION_ERROR", "FORBIDDEN"})


class ElsevierOa(Source):
    """
    Serves
      Full text in Elsevier's XML (`application/vnd.elsevier+xml`), of what the key and its institution may read; all that is open access.
    Needs
      DOI of one of Elsevier's prefixes; `LITCRAWL_ELSEVIER_API_KEY`. Off campus `LITCRAWL_ELSEVIER_INSTTOKEN` gives an
      institution's rights.
    Pace
      10 requests a second; a weekly quota for each key, told with every answer.
    Documentation
      https://dev.elsevier.com/documentation/ArticleRetrievalAPI.wadl and https://dev.elsevier.com/api_key_settings.html
    Beware
      Without the view FULL an answer to one who may not read the article is 200 with its abstract. 401 and 403 may be about the key
      or about its rights: the message says. Scanned articles have no sections but what text recognition made of their pages. An
      article that changed hands may be found by the publisher's own number alone: that link is Crossref's, and `crossref_tdm` follows it.
    """

    name = "elsevier_oa"
    requires = frozenset({"doi"})
    offers = frozenset({Want.XML})
    # https://api.crossref.org/members/78, but for SSRN's, whose papers are not in this API
    registrants = frozenset(
        {
            "10.1006", "10.1016", "10.1053", "10.1054", "10.1067", "10.1078", "10.1157", "10.1197", "10.1205", "10.1240", "10.1331",
            "10.1367", "10.1383", "10.1529", "10.1533", "10.1580", "10.1602", "10.2111", "10.2353", "10.3129", "10.3182", "10.3816",
            "10.3921", "10.4065", "10.7424", "10.7811", "10.14219", "10.25013",
        }
    )  # fmt: skip
    needs_key = "LITCRAWL_ELSEVIER_API_KEY"
    roots = elsevier.ROOTS
    basis = "artifact"
    statuses: ClassVar[dict[int, Reason]] = {400: Reason.ABSENT}

    def ask(self, question: Question) -> Iterator[Step | Link]:
        assert question.ids.doi
        yield Link(want=Want.XML, url=f"{API}/{quote_doi(question.ids.doi)}?view=FULL&httpAccept=text/xml")

    def request(self, step: dict[str, Any], key: str) -> Request:
        request = super().request(step, key)
        del request.meta["follow"]  # an API's answer, though it is a file
        return request

    def refusal(self, response: Response, *, is_file: bool) -> Reason | None:
        return refusal(response)

    def check_status(self, response: Response, *, is_file: bool = False) -> None:
        super().check_status(response, is_file=is_file)
        check_whole(response)


def refusal(response: Response) -> Reason | None:
    """What Elsevier's API refuses: the key, or this article to who has it; either may come with 401 or 403, and the message tells."""
    if response.status not in (401, 403):
        return None
    code, words = elsevier.error(response.body)
    of_key = _KEY.search(f"{code} {words}") or (response.status == 401 and code not in _OF_RIGHTS)
    return Reason.NEEDS_KEY if of_key else Reason.NOT_ENTITLED


def check_whole(response: Response) -> None:
    """Raise the `Miss` of an answer that holds but the first page: Elsevier says so in a header, with status 200."""
    status = (response.headers.get("X-ELS-Status") or b"").decode("latin-1")
    if status.upper().startswith("WARNING") and "first page" in status.lower():
        raise Miss(Reason.NOT_ENTITLED, status[:200])


class ElsevierOaSpider(LadderSpider):
    name = "elsevier_oa"
    rungs_named = (ElsevierOa,)
