"""Europe PMC's Bookshelf: book parts in BITS, and in the Book DTD before it."""

import asking
import pytest

from litcrawl.ids import Ids
from litcrawl.spiders.europe_pmc_bookshelf import EuropePmcBookshelf
from litcrawl.terms import Reason

ASKED = asking.question("xml", "pdf", bookid="NBK22")
META = '<book-part-meta><book-part-id book-part-id-type="nbk">{}</book-part-id></book-part-meta>'
PART = f'<book-part id="NBK22">{META.format("NBK22")}<body><p>Text.</p></body></book-part>'


@pytest.fixture
def source():
    return asking.source(EuropePmcBookshelf)


def test_a_book_part_is_asked_for_by_its_accession(source):
    link = asking.first(source, ASKED)
    assert (link.want, link.filename) == ("xml", "NBK22.xml")
    assert link.url == "https://www.ebi.ac.uk/europepmc/webservices/rest/NBK22/bookXML"


@pytest.mark.parametrize("body", [f"<book-part-wrapper>{PART}</book-part-wrapper>", PART, f"<book>{PART}</book>"])
def test_bits_and_what_was_before_it(source, body):
    (found,) = asking.read(source, asking.first(source, ASKED), ASKED, body)
    assert (found.file.kind, found.file.media_type) == ("body", "application/jats+xml")
    assert found.file.checks == ["well-formed", "body", "ids"]


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, "", Reason.ABSENT),
        (503, "", Reason.UNAVAILABLE),
        (
            200,
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><fullTextXMLBean><fullTextXML><pmId>NBK22</pmId><message>No</message>'
            "<isOpenAccess>N</isOpenAccess></fullTextXML></fullTextXMLBean>",
            Reason.NOT_OPEN,
        ),
        (200, "", Reason.EMPTY),
        (200, "<article><body><p>Text.</p></body></article>", Reason.WRONG_TYPE),
        (200, PART.replace("NBK22", "NBK222"), Reason.WRONG_ARTICLE),
        (200, f"<book-part-wrapper><book-part>{META.format('NBK22')}</book-part></book-part-wrapper>", Reason.ABSTRACT_ONLY),
    ],
)
def test_the_ways_it_says_no(source, status, body, reason):
    assert asking.missed(source, asking.first(source, ASKED), ASKED, body, status=status) == reason


def test_without_a_bookshelf_accession_nothing_is_asked(source):
    assert source.declines(Ids(pmid="20301295")) == Reason.NEEDS_ID
