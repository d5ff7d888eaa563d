"""Europe PMC's copy of the NCBI Bookshelf: chapters and reports as BITS XML."""

from collections.abc import Iterator

from litcrawl.items import Link, Step
from litcrawl.source import Question, Source
from litcrawl.spiders.base import LadderSpider
from litcrawl.spiders.europe_pmc import API
from litcrawl.terms import Want


class EuropePmcBookshelf(Source):
    """
    Serves
      BITS XML of open-access Bookshelf chapters and reports.
    Needs
      Bookshelf accession (NBK). No key.
    Pace
      No published limit; AutoThrottle, in one slot with Europe PMC's other services.
    Documentation
      https://europepmc.org/RestfulWebService#bookXML
    Beware
      Answers 200 with a `fullTextXMLBean` envelope where it has nothing.
    """

    name = "europe_pmc_bookshelf"
    requires = frozenset({"bookid"})
    offers = frozenset({Want.XML})
    roots = frozenset({"book-part-wrapper", "book", "book-part"})
    basis = "europe_pmc"

    def ask(self, question: Question) -> Iterator[Step | Link]:
        yield Link(want=Want.XML, url=f"{API}/{question.ids.bookid}/bookXML", filename=f"{question.ids.bookid}.xml")


class EuropePmcBookshelfSpider(LadderSpider):
    name = "europe_pmc_bookshelf"
    rungs_named = (EuropePmcBookshelf,)
