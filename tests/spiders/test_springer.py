"""springer: the PDF that the Meta API names, for everybody or for subscribers."""

import json

import asking
import pytest

from litcrawl.exceptions import Miss
from litcrawl.ids import Ids
from litcrawl.items import Link, Step, Title
from litcrawl.spiders.springer import Springer
from litcrawl.terms import INSTITUTIONAL, Reason

KEY = {"LITCRAWL_SPRINGER_META_API_KEY": "springer-meta-key"}
DOI = "10.1007/s11306-017-1242-7"
ASKED = asking.question("pdf", doi=DOI)
OPEN_URL = f"http://link.springer.com/openurl/pdf?id=doi:{DOI}"
PDF = f"https://link.springer.com/openurl/pdf?id=doi:{DOI}"


def record(doi=DOI, openaccess="true", url=OPEN_URL, **fields):
    urls = [
        {"format": "html", "platform": "web", "value": "http://link.springer.com/x"},
        {"format": "pdf", "platform": "web", "value": url},
    ]
    return {"identifier": f"doi:{doi}", "doi": doi, "title": "Tools", "openaccess": openaccess, "url": urls} | fields


def answer(*records):
    return json.dumps({"apiMessage": "Provided", "apiKey": "springer-meta-key", "records": list(records)})


@pytest.fixture
def source():
    return asking.source(Springer, **KEY)


def read(source, *records):
    return asking.read(source, asking.first(source, ASKED), ASKED, answer(*records))


def links(source, *records):
    return [one for one in read(source, *records) if isinstance(one, Link)]


def test_it_begins_with_the_record(source):
    assert asking.first(source, ASKED) == Step(step="record", url=f"https://api.springernature.com/meta/v2/json?q=doi:{DOI}")


def test_an_open_article_s_pdf_is_for_everybody(source):
    title, link = read(source, record())
    assert title == Title(text="Tools")
    assert (link.want, link.url, link.stage, link.credential_key) == ("pdf", PDF, "published", None)


@pytest.mark.parametrize("flag", ["false", "", None, "no", 0])
def test_any_other_is_for_subscribers(source, flag):
    (link,) = links(source, record(openaccess=flag))
    assert link.credential_key == INSTITUTIONAL


@pytest.mark.parametrize("flag", ["true", "True", True])
def test_open_is_said_in_several_ways(source, flag):
    assert links(source, record(openaccess=flag))[0].credential_key is None


def test_a_subscriber_s_file_needs_a_route(source):
    (link,) = links(source, record(openaccess="false"))
    with pytest.raises(Miss) as caught:
        source.request(asking.plan(source, link), "key")
    assert caught.value.reason == Reason.NOT_ENTITLED
    for table in ({".springer.com": "http://proxy.lib.test:3128"}, '{"link.springer.com": "http://u:p@proxy.lib.test"}'):
        entitled = asking.source(Springer, **KEY, LITCRAWL_PROXY=table)
        assert entitled.request(asking.plan(entitled, link), "key").url == PDF
    elsewhere = asking.source(Springer, **KEY, LITCRAWL_PROXY={"springer.com": "http://proxy.lib.test"})
    with pytest.raises(Miss):
        elsewhere.request(asking.plan(elsewhere, link), "key")


def test_the_record_of_the_asked_article_is_taken(source):
    (link,) = links(source, record("10.1007/other", url="https://link.springer.com/other"), record(DOI.upper()), "no record", None)
    assert link.url == PDF


@pytest.mark.parametrize(
    "urls", [[], None, "x", [None, {"format": "pdf"}, {"format": "", "value": OPEN_URL}], [{"format": "pdf", "value": "javascript:x"}]]
)
def test_a_record_without_a_pdf_has_none(source, urls):
    assert links(source, record() | {"url": urls}) == []


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (200, answer(), Reason.ABSENT),
        (200, answer(record("10.1007/other")), Reason.WRONG_ARTICLE),
        (200, answer({"title": "without a DOI"}), Reason.ABSENT),
        (200, '{"records": null}', Reason.UNAVAILABLE),
        (200, "[]", Reason.UNAVAILABLE),
        (200, "<html>", Reason.UNAVAILABLE),
        (401, '{"message": "Authentication failed"}', Reason.NEEDS_KEY),
        (403, '{"message": "Forbidden"}', Reason.NEEDS_KEY),
        (403, '{"message": "Rate limit exceeded"}', Reason.QUOTA),
        (404, "", Reason.ABSENT),
        (500, "", Reason.UNAVAILABLE),
    ],
)
def test_the_ways_springer_says_no(source, status, body, reason):
    assert asking.missed(source, asking.first(source, ASKED), ASKED, body, status=status) == reason


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (200, "<html><title>Log in | SpringerLink</title></html>", Reason.DENIED),
        (200, "<html><title>An article</title><p>preview</p></html>", Reason.WRONG_TYPE),
        (403, "", Reason.DENIED),
    ],
)
def test_a_page_in_place_of_the_pdf_is_no_file(source, status, body, reason):
    assert asking.missed(source, Link(want="pdf", url=PDF), ASKED, body, status=status) == reason


def test_the_key_is_that_of_the_meta_api():
    assert asking.source(Springer, LITCRAWL_SPRINGER_API_KEY="the other").declines(Ids(doi=DOI)) == Reason.NEEDS_KEY
    assert not asking.source(Springer).serves(Ids(doi="10.1371/x"))
