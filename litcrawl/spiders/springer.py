"""Springer Nature's Meta API: the PDF of an article, for everybody or for subscribers."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from scrapy.http import Response

from litcrawl import copies
from litcrawl import ids as identifiers
from litcrawl.exceptions import BadIdentifier, Malformed, Miss
from litcrawl.items import Link, Step, Title
from litcrawl.source import Finding, Question, Source, json_object
from litcrawl.spiders.base import LadderSpider
from litcrawl.spiders.springer_oa import REGISTRANTS, limit, query
from litcrawl.terms import INSTITUTIONAL, Reason, Stage, Want

API = "https://api.springernature.com/meta/v2/json"
_PLAIN_HTTP = re.compile(r"^http://(?=link\.springer\.com/)", re.IGNORECASE)  # as records have it: a detour of one redirect


class Springer(Source):
    """
    Serves
      PDF of articles and chapters of Springer, BMC, Nature and Palgrave, by the openURL in their record. What is not open access
      has the `credential_key` `litfetch:institutional`, and is fetched only over a route of `LITCRAWL_PROXY`: else `not-entitled`.
    Needs
      DOI of one of their prefixes; `LITCRAWL_SPRINGER_META_API_KEY`, a key of the Meta API.
    Pace
      100 requests a minute, and 500 a day for a basic key; files by link.springer.com, AutoThrottle.
    Documentation
      https://dev.springernature.com/docs/api-endpoints/meta-api/
    Beware
      Keys of the OpenAccess API are refused. `openaccess` is the text "true" or "false". A subscriber's file is a page to log in, with
      200, for everybody else. Not every record has a PDF.
    """

    name = "springer"
    requires = frozenset({"doi"})
    offers = frozenset({Want.PDF})
    registrants = REGISTRANTS
    needs_key = "LITCRAWL_SPRINGER_META_API_KEY"
    basis = "artifact"

    def ask(self, question: Question) -> Iterator[Step | Link]:
        yield Step(step="record", url=f"{API}?q={query(question.ids.doi or '')}")

    def refusal(self, response: Response, *, is_file: bool) -> Reason | None:
        return None if is_file else limit(response)

    def record(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The record of one article: its PDF, and who may read it."""
        records = json_object(response).get("records")
        if not isinstance(records, list):
            raise Malformed("no list of records")
        told = [(one, doi) for one in records if isinstance(one, dict) and (doi := _doi(one))]
        own = next((one for one, doi in told if doi == question.ids.doi), None)
        if own is None:
            raise Miss(Reason.WRONG_ARTICLE if told else Reason.ABSENT, ", ".join(doi for _, doi in told)[:200] or "no record")
        if title := copies.word(own.get("title")):
            yield Title(text=title)
        listed = own.get("url")
        found = [one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict) and one.get("format") == "pdf"]
        is_open = str(own.get("openaccess")).lower() == "true"
        for url in dict.fromkeys(filter(None, (copies.address(one.get("value")) for one in found))):
            yield Link(
                want=Want.PDF,
                url=_PLAIN_HTTP.sub("https://", url),
                stage=Stage.PUBLISHED,
                credential_key=None if is_open else INSTITUTIONAL,
            )


def _doi(record: dict[str, Any]) -> str | None:
    for value in (record.get("doi"), record.get("identifier")):
        with suppress(BadIdentifier):
            if isinstance(value, str) and (doi := identifiers.parse(value, "doi").ids.doi):
                return doi
    return None


class SpringerSpider(LadderSpider):
    name = "springer"
    rungs_named = (Springer,)
