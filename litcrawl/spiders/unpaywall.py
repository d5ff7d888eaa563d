"""Unpaywall: every open copy of an article that it knows, best first, and how open the article is."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, ClassVar

from scrapy.http import Response

from litcrawl import copies
from litcrawl import ids as identifiers
from litcrawl.copies import Copy
from litcrawl.exceptions import BadIdentifier, Malformed, Miss
from litcrawl.ids import quote_doi
from litcrawl.items import Link, Step, Title
from litcrawl.source import Finding, Question, Source, json_object
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason, Want

API = "https://api.unpaywall.org/v2"


class Unpaywall(Source):
    """
    Serves
      Links to the PDF of every open copy, published before accepted before submitted; the licence of each, the open-access status.
    Needs
      DOI; the contact (`LITCRAWL_CONTACT`), which it asks for instead of a key.
    Pace
      100,000 calls a day at most.
    Documentation
      https://unpaywall.org/products/api and https://unpaywall.org/data-format
    Beware
      It knows the DOIs of Crossref and few others: 404. 422 is its word about the e-mail address. A copy may be known by a page about it
      alone; one that is called a PDF may be anything.
    """

    name = "unpaywall"
    requires = frozenset({"doi"})
    offers = frozenset({Want.PDF, Want.ACCESS})
    needs_contact = True
    guesses = True
    basis = "unpaywall"
    statuses: ClassVar[dict[int, Reason]] = {422: Reason.NEEDS_CONTACT}

    def ask(self, question: Question) -> Iterator[Step | Link]:
        assert question.ids.doi
        yield Step(step="record", url=f"{API}/{quote_doi(question.ids.doi)}")

    def record(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The record of a DOI: its copies, its status, its title."""
        record = json_object(response)
        doi = _doi(record.get("doi"))
        if doi is None or not isinstance(record.get("is_oa"), bool):
            raise Malformed("no record of a DOI that says whether it is open")
        if doi != question.ids.doi:
            raise Miss(Reason.ABSENT, f"the record of {doi}")
        if title := copies.word(record.get("title")):
            yield Title(text=title)
        listed = record.get("oa_locations")
        found = [*(listed if isinstance(listed, list) else ()), record.get("best_oa_location")]
        known = copies.best_first(_copy(one) for one in found if isinstance(one, dict))
        status = copies.word(record.get("oa_status"))
        yield from copies.claims(known, self.basis, status)
        yield from copies.links(known, self.basis, status)


def _copy(location: dict[str, Any]) -> Copy:
    return Copy(
        pdf=copies.pdf_address(location.get("url_for_pdf")),
        page=copies.address(location.get("url_for_landing_page")) or copies.address(location.get("url")),
        stage=copies.STAGES.get(copies.word(location.get("version")) or ""),
        licence=copies.word(location.get("license")),
    )


def _doi(value: Any) -> str | None:
    with suppress(BadIdentifier):
        return identifiers.parse(value, "doi").ids.doi if isinstance(value, str) else None
    return None


class UnpaywallSpider(LadderSpider):
    name = "unpaywall"
    rungs_named = (Unpaywall,)
