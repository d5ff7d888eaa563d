"""springer_oa: JATS out of the OpenAccess API's envelope."""

import asking
import pytest

from litcrawl.ids import Ids
from litcrawl.items import Link
from litcrawl.media_types import JATS
from litcrawl.spiders.springer_oa import SpringerOa
from litcrawl.terms import Reason

KEY = {"LITCRAWL_SPRINGER_API_KEY": "springer-key"}
DOI = "10.1186/s13059-024-00001-1"
ASKED = asking.question("xml", doi=DOI)
LINK = Link(want="xml", url=f"https://api.springernature.com/openaccess/jats?q=doi:{DOI}")
DOCTYPE = '<!DOCTYPE response [<!ENTITY % article SYSTEM "http://jats.nlm.nih.gov/archiving/1.2/JATS-archivearticle1.dtd">]>'


def article(doi=DOI, body="<body><p>Text.</p></body>"):
    stated = f'<article-id pub-id-type="doi">{doi}</article-id>' if doi else ""
    return f"<article><front><article-meta>{stated}</article-meta></front>{body}</article>"


def envelope(*records):
    return (
        f'<?xml version="1.0"?>\n{DOCTYPE}<response><apiKey>springer-key</apiKey><result><total>{len(records)}</total></result>'
        f"<records>{''.join(records)}</records></response>"
    )


@pytest.fixture
def source():
    return asking.source(SpringerOa, **KEY)


def test_an_article_is_searched_for_by_its_doi(source):
    assert asking.first(source, ASKED) == LINK
    request = source.request(asking.plan(source, LINK), "key")
    assert request.meta == {"verbatim": True, "lane": "springer_oa"}


@pytest.mark.parametrize(
    ("doi", "query"),
    [
        ("10.1023/a:1019", "doi:10.1023/a:1019"),
        ("10.1007/3-540-x(1)", "doi:%2210.1007/3-540-x%281%29%22"),
        ("10.1007/a b&c", "doi:%2210.1007/a%20b%26c%22"),
    ],
)
def test_what_the_query_language_would_read_is_quoted(source, doi, query):
    assert asking.first(source, asking.question("xml", doi=doi)).url.partition("q=")[2] == query


def test_the_article_is_kept_without_its_envelope(source):
    (found,) = asking.read(source, LINK, ASKED, envelope(article()))
    assert (found.file.media_type, found.file.uri, found.file.checks) == (JATS, LINK.url, ["well-formed", "body", "ids"])
    assert found.content.body == b'<?xml version="1.0" encoding="utf-8"?>\n' + article().encode()


def test_of_several_records_the_asked_one_is_taken(source):
    (found,) = asking.read(source, LINK, ASKED, envelope(article("10.1186/other"), article(DOI.upper()), article("")))
    assert DOI.upper().encode() in found.content.body
    assert b"10.1186/other" not in found.content.body


def test_an_article_without_an_envelope_is_taken_as_it_is(source):
    (found,) = asking.read(source, LINK, ASKED, article())
    assert found.content.body == article().encode()


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (200, envelope(), Reason.ABSENT),
        (200, envelope(article("10.1186/other")), Reason.WRONG_ARTICLE),
        (200, envelope(article("10.1186/other"), article("10.1186/another")), Reason.WRONG_ARTICLE),
        (200, envelope(article(body="")), Reason.ABSTRACT_ONLY),
        (200, envelope(article())[:-60], Reason.TRUNCATED),
        (200, "", Reason.EMPTY),
        (200, '{"status": "Fail"}', Reason.WRONG_TYPE),
        (200, "<html><title>Log in</title></html>", Reason.DENIED),
        (302, "", Reason.UNAVAILABLE),
        (401, '{"message": "Authentication failed. API key is invalid or missing"}', Reason.NEEDS_KEY),
        (403, '{"message": "Forbidden"}', Reason.NEEDS_KEY),
        (403, '{"message": "Rate limit exceeded"}', Reason.QUOTA),
        (403, "<error>Quota violated</error>", Reason.QUOTA),
        (404, "", Reason.ABSENT),
        (429, "", Reason.RATE_LIMITED),
        (503, "", Reason.UNAVAILABLE),
    ],
)
def test_the_ways_springer_says_no(source, status, body, reason):
    assert asking.missed(source, LINK, ASKED, body, status=status) == reason


def test_of_several_records_one_that_is_broken_is_not_the_asked_one(source):
    (found,) = asking.read(source, LINK, ASKED, envelope("<article>&</article>", article()))
    assert b"Text." in found.content.body


def test_without_a_key_it_says_so_of_articles_that_could_be_its_own():
    keyless = asking.source(SpringerOa)
    assert keyless.declines(Ids(doi=DOI)) == Reason.NEEDS_KEY
    assert not keyless.serves(Ids(pmid="1"))
    assert asking.source(SpringerOa, LITCRAWL_SPRINGER_META_API_KEY="another's").declines(Ids(doi=DOI)) == Reason.NEEDS_KEY


@pytest.mark.parametrize("doi", ["10.1007/s1", "10.1038/s41586-024-1", "10.1186/x", "10.1057/y"])
def test_the_house_s_articles_are_its_own(source, doi):
    assert source.serves(Ids(doi=doi))


def test_other_publishers_articles_are_not(source):
    assert not source.serves(Ids(doi="10.1016/j.x"))
