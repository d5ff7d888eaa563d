"""elsevier_oa: Elsevier's XML by DOI, for who has a key, and only of articles that can be Elsevier's."""

import asking
import pytest

from litcrawl.ids import Ids
from litcrawl.items import Link
from litcrawl.media_types import ELSEVIER
from litcrawl.source import Found
from litcrawl.spiders.elsevier_oa import ElsevierOa
from litcrawl.terms import Reason

KEY = {"LITCRAWL_ELSEVIER_API_KEY": "elsevier-key"}
DOI = "10.1016/j.cell.2024.01.001"
ASKED = asking.question("xml", doi=DOI)
LINK = Link(want="xml", url=f"https://api.elsevier.com/content/article/doi/{DOI}?view=FULL&httpAccept=text/xml")


def document(body="<body><ce:sections><ce:para>We fed mice.</ce:para></ce:sections></body>", doi=DOI, core="<openaccess>1</openaccess>"):
    return (
        '<full-text-retrieval-response xmlns="urn:a" xmlns:ce="urn:c" xmlns:prism="urn:p" xmlns:xocs="urn:x"><coredata>'
        f"<prism:doi>{doi}</prism:doi>{core}</coredata><originalText><xocs:doc><article>{body}</article></xocs:doc></originalText>"
        "</full-text-retrieval-response>"
    )


def error(code, text="No."):
    return f"<service-error><status><statusCode>{code}</statusCode><statusText>{text}</statusText></status></service-error>"


@pytest.fixture
def source():
    return asking.source(ElsevierOa, **KEY)


def test_an_article_is_asked_for_by_its_doi(source):
    assert asking.first(source, ASKED) == LINK
    request = source.request(asking.plan(source, LINK), "key")
    assert "follow" not in request.meta
    assert "elsevier-key" not in str(request.headers) + request.url


def test_a_doi_of_old_times_is_quoted(source):
    doi = "10.1016/0022-2836(70)90057-4"
    assert "/doi/10.1016/0022-2836%2870%2990057-4?view=FULL" in asking.first(source, asking.question("xml", doi=doi)).url


def test_its_xml_is_proved_and_typed(source):
    (found,) = asking.read(source, LINK, ASKED, document())
    assert isinstance(found, Found)
    assert (found.file.media_type, found.file.checks) == (ELSEVIER, ["well-formed", "body", "ids"])
    assert found.content.body == document().encode()


def test_a_scan_s_raw_text_is_marked(source):
    (found,) = asking.read(source, LINK, ASKED, document("<xocs:rawtext>OF MICE</xocs:rawtext>"))
    assert "raw-text" in found.file.checks
    assert "body" not in found.file.checks


HIGHLIGHTS = "<head><ce:abstract>" + "<ce:para>A highlight.</ce:para>" * 5 + "</ce:abstract></head>"


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (200, document(""), Reason.ABSTRACT_ONLY),
        (200, document(HIGHLIGHTS), Reason.ABSTRACT_ONLY),
        (200, document(doi="10.1016/j.cell.2024.01.002"), Reason.WRONG_ARTICLE),
        (200, "", Reason.EMPTY),
        (200, error("RESOURCE_NOT_FOUND"), Reason.ABSENT),
        (200, error("AUTHENTICATION_ERROR"), Reason.NOT_ENTITLED),
        (200, error("QUOTA_EXCEEDED"), Reason.QUOTA),
        (200, error("GENERAL_SYSTEM_ERROR"), Reason.UNAVAILABLE),
        (200, "<article><body><p>JATS</p></body></article>", Reason.WRONG_TYPE),
        (200, '{"service-error": {}}', Reason.WRONG_TYPE),
        (200, document()[:-40], Reason.TRUNCATED),
        (302, "", Reason.UNAVAILABLE),
        (400, error("INVALID_INPUT"), Reason.ABSENT),
        (401, error("AUTHENTICATION_ERROR"), Reason.NEEDS_KEY),
        (403, error("AUTHENTICATION_ERROR"), Reason.NOT_ENTITLED),
        (404, error("RESOURCE_NOT_FOUND"), Reason.ABSENT),
        (429, error("QUOTA_EXCEEDED"), Reason.RATE_LIMITED),
        (500, "", Reason.UNAVAILABLE),
    ],
)
def test_the_ways_elsevier_says_no(source, status, body, reason):
    assert asking.missed(source, LINK, ASKED, body, status=status) == reason


def test_a_first_page_is_not_the_article(source):
    headers = {"X-ELS-Status": "WARNING - Response limited to first page because requestor not entitled to resource"}
    assert asking.missed(source, LINK, ASKED, document(), headers=headers) == Reason.NOT_ENTITLED
    (found,) = asking.read(source, LINK, ASKED, document(), headers={"X-ELS-Status": "OK"})
    assert isinstance(found, Found)


def test_without_a_key_it_says_so_of_articles_that_could_be_its_own():
    keyless = asking.source(ElsevierOa)
    assert keyless.serves(Ids(doi=DOI))
    assert keyless.declines(Ids(doi=DOI)) == Reason.NEEDS_KEY
    assert not keyless.serves(Ids(pmid="1")), "no identifier is looked up for a source that could not be asked"


def test_other_publishers_articles_are_none_of_its_own(source):
    assert not source.serves(Ids(doi="10.1371/journal.pone.0000217"))
    assert not source.serves(Ids(doi="10.10161/x"))
    assert source.serves(Ids(pmid="1"))
    assert source.declines(Ids(pmid="1")) == Reason.NEEDS_ID
    assert source.declines(Ids(doi=DOI)) is None
