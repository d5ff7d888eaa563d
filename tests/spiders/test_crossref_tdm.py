"""crossref_tdm: the publishers' links in a record of Crossref, fetched only where no key is wanting."""

import json

import asking
import pytest

from litcrawl.exceptions import Miss
from litcrawl.ids import Ids
from litcrawl.items import Link, Step
from litcrawl.source import Found
from litcrawl.spiders.crossref_tdm import CrossrefTdm
from litcrawl.terms import Reason

DOI = "10.5555/12345678"
ASKED = asking.question("xml", "pdf", doi=DOI)
ELSEVIER = "https://api.elsevier.com/content/article/PII:S0304419X23000963?httpAccept=text/xml"
WILEY = "https://api.wiley.com/onlinelibrary/tdm/v1/articles/10.1002%2Fa"
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"


@pytest.fixture
def source():
    return asking.source(CrossrefTdm)


def link(url, kind="application/pdf", use="text-mining"):
    return {"URL": url, "content-type": kind, "content-version": "vor", "intended-application": use}


def record(*links, doi=DOI):
    return json.dumps({"status": "ok", "message-type": "work", "message": {"DOI": doi, "link": list(links)}})


def file(of, want, url):
    """The step that fetches a file."""
    return asking.plan(of, Link(want=want, url=url))


def test_it_begins_with_the_record(source):
    assert asking.first(source, ASKED) == Step(step="work", url=f"https://api.crossref.org/works/{DOI}")


def test_a_record_gives_links_for_text_mining(source):
    body = record(
        link("https://pub.tld/a.pdf"),
        link("https://pub.tld/a.xml", "text/xml"),
        link("https://pub.tld/b.pdf", use="similarity-checking"),
        link("https://pub.tld/a", "text/html"),
    )
    found = asking.read(source, asking.first(source, ASKED), ASKED, body)
    assert [(one.want, one.url, one.stage) for one in found] == [
        ("xml", "https://pub.tld/a.xml", "published"),
        ("pdf", "https://pub.tld/a.pdf", "published"),
    ]


def test_only_what_is_wanted(source):
    asked = asking.question("pdf", doi=DOI)
    body = record(link("https://pub.tld/a.pdf"), link("https://pub.tld/a.xml", "text/xml"))
    assert [one.want for one in asking.read(source, asking.first(source, asked), asked, body)] == ["pdf"]


def test_a_record_without_links_holds_none(source):
    assert asking.read(source, asking.first(source, ASKED), ASKED, record()) == []


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, "Resource not found.", Reason.ABSENT),
        (403, "", Reason.UNAVAILABLE),
        (200, "[]", Reason.UNAVAILABLE),
        (200, record(link("https://pub.tld/a.pdf"), doi="10.9999/other"), Reason.WRONG_ARTICLE),
    ],
)
def test_the_ways_crossref_says_no(source, status, body, reason):
    assert asking.missed(source, asking.first(source, ASKED), ASKED, body, status=status) == reason


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (403, "", Reason.DENIED),
        (404, "", Reason.ABSENT),
        (200, "", Reason.EMPTY),
        (200, "<html><title>Log in</title></html>", Reason.DENIED),
    ],
)
def test_the_ways_a_publisher_says_no(source, status, body, reason):
    assert asking.missed(source, Link(want="pdf", url="https://pub.tld/a.pdf"), ASKED, body, status=status) == reason


def test_a_file_is_proved_by_its_bytes(source):
    (found,) = asking.read(source, Link(want="pdf", url="https://pub.tld/a.pdf"), ASKED, PDF)
    assert isinstance(found, Found)
    assert (found.file.source, found.file.media_type) == ("crossref_tdm", "application/pdf")


def test_xml_that_no_reader_knows_is_no_full_text(source):
    assert asking.missed(source, Link(want="xml", url="https://pub.tld/a.xml"), ASKED, "<rss><channel/></rss>") == Reason.WRONG_TYPE


@pytest.mark.parametrize(
    ("want", "url", "key"), [("xml", ELSEVIER, "LITCRAWL_ELSEVIER_API_KEY"), ("pdf", WILEY, "LITCRAWL_WILEY_TDM_TOKEN")]
)
def test_a_host_that_answers_only_to_its_key_is_not_asked_without(source, want, url, key):
    with pytest.raises(Miss) as caught:
        source.request(file(source, want, url), "key")
    assert caught.value.reason == Reason.NEEDS_KEY
    keyed = asking.source(CrossrefTdm, **{key: "k"})
    request = keyed.request(file(keyed, want, url), "key")
    assert request.url == url
    assert b"k" not in request.headers.values(), "the wire joins it"


def test_a_first_page_of_elsevier_s_is_not_the_article():
    keyed = asking.source(CrossrefTdm, LITCRAWL_ELSEVIER_API_KEY="elsevier-key")
    first_page = {"X-ELS-Status": "WARNING - Response limited to first page because requestor not entitled to resource"}
    link = Link(want="pdf", url=ELSEVIER.replace("text/xml", "application/pdf"))
    assert asking.missed(keyed, link, ASKED, PDF, headers=first_page) == Reason.NOT_ENTITLED
    (found,) = asking.read(keyed, link, ASKED, PDF, headers={"X-ELS-Status": "OK"})
    assert isinstance(found, Found)
    (found,) = asking.read(keyed, Link(want="pdf", url="https://pub.tld/a.pdf"), ASKED, PDF, headers=first_page)
    assert isinstance(found, Found), "another host's header of that name says nothing"


@pytest.mark.parametrize("url", ["https://pub.tld/a.pdf", "https://xapi.elsevier.com/a.pdf", "https://api.wiley.com:8443/a.pdf"])
def test_other_hosts_need_none(source, url):
    assert source.request(file(source, "pdf", url), "key").url == url


def test_the_record_itself_needs_no_key(source):
    assert source.request(asking.plan(source, asking.first(source, ASKED)), "key").url == f"https://api.crossref.org/works/{DOI}"


def test_arxiv_s_dois_are_not_crossref_s(source):
    assert not source.serves(Ids(doi="10.48550/arxiv.2303.18112"))
    assert source.declines(Ids(pmid="1")) == Reason.NEEDS_ID
