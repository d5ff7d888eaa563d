"""Europe PMC: full text of its open-access articles, and one zip of their supplementary files."""

from collections.abc import Iterator
from typing import ClassVar

from litcrawl.items import Link, Step
from litcrawl.source import Finding, Found, Question, Source
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import Reason, Want

API = "https://www.ebi.ac.uk/europepmc/webservices/rest"


class EuropePmc(Source):
    """
    Serves
      JATS XML, and a zip of the supplementary files, kept closed; open-access subset only.
    Needs
      PMCID. No key.
    Pace
      No published limit; AutoThrottle.
    Documentation
      https://europepmc.org/RestfulWebService#fullTextXML
    Beware
      Answers 404, or 422 "Unexpected empty file", or 200 with a `fullTextXMLBean` or an `errorBean`, for articles
      outside the subset, also when they have a PMCID.
    """

    name = "europe_pmc"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML, Want.SUPPLEMENTARY})
    basis = "europe_pmc"
    statuses: ClassVar[dict[int, Reason]] = {422: Reason.ABSENT}

    def ask(self, question: Question) -> Iterator[Step | Link]:
        if Want.XML in question.want:
            pmcid = question.ids.pmcid
            yield Link(want=Want.XML, url=f"{API}/{pmcid}/fullTextXML", filename=f"{pmcid}.xml")
        else:
            yield self._zip(question)

    def after(self, found: Found, question: Question) -> Iterator[Finding]:
        """The zip is asked for only where the full text names something that it could hold."""
        wanted = found.file.want == Want.XML and Want.SUPPLEMENTARY in question.want
        # a preprint's full text, by the link that Europe PMC's search gave, comes without a PMCID, and has no zip
        if wanted and question.ids.pmcid and (found.file.evidence or {}).get("supplements"):
            yield self._zip(question)

    def _zip(self, question: Question) -> Link:
        pmcid = question.ids.pmcid
        return Link(want=Want.SUPPLEMENTARY, url=f"{API}/{pmcid}/supplementaryFiles", filename=f"{pmcid}.zip")


class EuropePmcSpider(LadderSpider):
    name = "europe_pmc"
    rungs_named = (EuropePmc,)
