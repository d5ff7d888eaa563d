"""Europe PMC: full text by PMCID, the zip of supplements after it, and the many ways it says no."""

import io
import zipfile

import asking
import pytest

from litcrawl.ids import Ids
from litcrawl.items import Link
from litcrawl.source import Found
from litcrawl.spiders.europe_pmc import EuropePmc
from litcrawl.terms import Reason

API = "https://www.ebi.ac.uk/europepmc/webservices/rest"
ASKED = asking.question("xml", "pdf", "supplementary", pmcid="PMC17")
SUPPLEMENT = '<supplementary-material xmlns:xlink="http://www.w3.org/1999/xlink"><media xlink:href="s001.doc"/></supplementary-material>'
ENVELOPE = "<fullTextXMLBean><fullTextXML><pmId>PMC17</pmId><message>Article is not Open Access</message>{}</fullTextXML></fullTextXMLBean>"
ERROR = "<errorBean><errCode>{}</errCode><errMsg>A message</errMsg></errorBean>"


@pytest.fixture
def source():
    return asking.source(EuropePmc)


def article(body="<p>Text.</p>", pmcid="PMC17"):
    return (
        f'<article><front><article-meta><article-id pub-id-type="pmcid">{pmcid}</article-id></article-meta></front>'
        f"<body>{body}</body></article>"
    )


def archive():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("s001.doc", "text")
    return packed.getvalue()


def test_it_begins_with_the_full_text(source):
    link = asking.first(source, ASKED)
    assert (link.want, link.url, link.filename) == ("xml", f"{API}/PMC17/fullTextXML", "PMC17.xml")
    request = source.request(asking.plan(source, link), "PMC17")
    assert request.headers["Accept-Encoding"] == b"gzip"


def test_with_the_full_text_in_hand_it_begins_with_the_zip(source):
    link = asking.first(source, asking.question("supplementary", pmcid="PMC17"))
    assert (link.want, link.url, link.filename) == ("supplementary", f"{API}/PMC17/supplementaryFiles", "PMC17.zip")


def test_a_full_text_that_names_supplements_leads_to_the_zip(source):
    found, link = asking.read(source, asking.first(source, ASKED), ASKED, article(f"<p>Text.</p>{SUPPLEMENT}"))
    assert isinstance(found, Found)
    assert (found.file.media_type, found.file.source, found.file.uri) == ("application/jats+xml", "europe_pmc", f"{API}/PMC17/fullTextXML")
    assert link == Link(want="supplementary", url=f"{API}/PMC17/supplementaryFiles", filename="PMC17.zip")


@pytest.mark.parametrize(
    ("asked", "body"),
    [(ASKED, "<p>Text.</p>"), (asking.question("xml", pmcid="PMC17"), f"<p>Text.</p>{SUPPLEMENT}")],
)
def test_the_zip_is_spared_where_it_holds_nothing_or_is_not_wanted(source, asked, body):
    assert len(asking.read(source, asking.first(source, asked), asked, article(body))) == 1


def test_a_preprint_s_full_text_has_no_zip(source):
    asked = asking.question("xml", "supplementary", doi="10.1101/2020.06.22.20137273")
    link = Link(want="xml", url=f"{API}/PPR179288/fullTextXML", filename="PPR179288.xml")
    (found,) = asking.read(source, link, asked, article(f"<p>Text.</p>{SUPPLEMENT}"))
    assert found.file.uri == link.url


def test_the_zip_is_kept_closed(source):
    asked = asking.question("supplementary", pmcid="PMC17")
    (found,) = asking.read(source, asking.first(source, asked), asked, archive())
    assert (found.file.media_type, found.file.kind, found.file.filename) == ("application/zip", "supplementary", "PMC17.zip")


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, "", Reason.ABSENT),
        (422, "Unexpected empty file", Reason.ABSENT),
        (403, "", Reason.DENIED),
        (500, "", Reason.UNAVAILABLE),
        (302, "", Reason.UNAVAILABLE),
        (200, "", Reason.EMPTY),
        (200, ENVELOPE.format("<isOpenAccess>N</isOpenAccess>"), Reason.NOT_OPEN),
        (200, ENVELOPE.format(""), Reason.ABSENT),
        (200, ERROR.format(404), Reason.ABSENT),
        (200, ERROR.format(500), Reason.UNAVAILABLE),
        (200, "<html><head><title>Down for maintenance</title></head><body/></html>", Reason.WRONG_TYPE),
        (200, '{"hitCount": 0}', Reason.WRONG_TYPE),
        (200, article(body=""), Reason.ABSTRACT_ONLY),
        (200, article(pmcid="PMC170"), Reason.WRONG_ARTICLE),
        (200, article()[:-20], Reason.TRUNCATED),
    ],
)
def test_the_ways_it_says_no(source, status, body, reason):
    assert asking.missed(source, asking.first(source, ASKED), ASKED, body, status=status) == reason


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, "", Reason.ABSENT),
        (200, "", Reason.EMPTY),
        (200, ERROR.format(404), Reason.ABSENT),
        (200, "<html><head><title>Sorry</title></head></html>", Reason.WRONG_TYPE),
    ],
)
def test_the_ways_it_has_no_zip(source, status, body, reason):
    asked = asking.question("supplementary", pmcid="PMC17")
    assert asking.missed(source, asking.first(source, asked), asked, body, status=status) == reason


def test_without_a_pmcid_nothing_is_asked(source):
    assert source.declines(Ids(pmid="17375194", doi="10.1371/journal.pone.0000308")) == Reason.NEEDS_ID
