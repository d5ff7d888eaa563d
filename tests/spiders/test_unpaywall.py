"""Unpaywall: every copy, best first; the licence of each; how open the article is; the ways it says no."""

import json

import asking
import pytest
from pdfs import pdf

from litcrawl.exceptions import Miss
from litcrawl.ids import Ids
from litcrawl.items import Claim, Link, Title
from litcrawl.proof.reading import READER
from litcrawl.source import Found
from litcrawl.spiders.unpaywall import Unpaywall
from litcrawl.terms import Reason, Stage

DOI = "10.1000/xyz(1)"
ASKED = asking.question("pdf", "access", doi=DOI)
CONTACT = {"LITCRAWL_CONTACT": "someone@library.tld"}


def location(pdf_=None, version=None, licence=None, url="https://doi.org/10.1000/xyz(1)", **more):
    return {"url": pdf_ or url, "url_for_pdf": pdf_, "url_for_landing_page": url, "version": version, "license": licence, **more}


BEST = location("https://publisher.org/1.pdf", "publishedVersion", "cc-by-nc-nd", is_best=True)
MANUSCRIPT = location("https://repository.edu/2.pdf", "acceptedVersion", None, "https://repository.edu/2")
PREPRINT = location("https://arxiv.org/pdf/1304.1068", "submittedVersion", "implied-oa", "https://arxiv.org/abs/1304.1068")


def record(*locations, best=None, status="hybrid", **more):
    plain = {"doi": DOI.upper(), "title": "A title", "is_oa": bool(locations), "oa_status": status}
    return json.dumps(plain | {"best_oa_location": best, "oa_locations": list(locations)} | more)


@pytest.fixture
def source():
    return asking.source(Unpaywall, **CONTACT)


def answer(source, body, **more):
    return asking.read(source, asking.first(source, ASKED), ASKED, body, **more)


def urls(findings):
    return [one.url for one in findings if isinstance(one, Link)]


def test_a_doi_is_asked_for_by_its_path_and_the_contact_is_joined_elsewhere(source):
    request = source.request(asking.plan(source, asking.first(source, ASKED)), DOI)
    assert (request.url, request.headers["Accept-Encoding"]) == ("https://api.unpaywall.org/v2/10.1000/xyz%281%29", b"gzip")


def test_what_it_cannot_be_asked():
    assert asking.source(Unpaywall).declines(Ids(doi=DOI)) is Reason.NEEDS_CONTACT
    assert asking.source(Unpaywall, **CONTACT).declines(Ids(doi=DOI)) is None
    assert asking.source(Unpaywall, **CONTACT).declines(Ids(pmid="1")) is Reason.NEEDS_ID


def test_every_copy_published_before_accepted_before_submitted(source):
    found = answer(source, record(PREPRINT, MANUSCRIPT, BEST, best=BEST))
    assert found[0] == Title(text="A title")
    assert [(one.url, one.stage) for one in found if isinstance(one, Link)] == [
        ("https://publisher.org/1.pdf", Stage.PUBLISHED),
        ("https://repository.edu/2.pdf", Stage.ACCEPTED),
        ("https://arxiv.org/pdf/1304.1068", Stage.SUBMITTED),
    ]


def test_a_claim_for_each_copy_in_its_own_words(source):
    claims = [one for one in answer(source, record(PREPRINT, BEST, best=BEST)) if isinstance(one, Claim)]
    assert claims == [
        Claim(
            raw="cc-by-nc-nd", spdx="LicenseRef-CC-BY-NC-ND", access="hybrid", basis="unpaywall", about="vor",
            url="https://publisher.org/1.pdf",
        ),
        Claim(raw="implied-oa", basis="unpaywall", about="preprint", url="https://arxiv.org/pdf/1304.1068"),
    ]  # fmt: skip


def test_a_closed_article_has_a_status_and_no_link(source):
    found = answer(source, record(status="closed"))
    assert found == [Title(text="A title"), Claim(raw=None, access="closed", basis="unpaywall")]


def test_a_copy_that_is_only_a_page_is_a_claim_and_no_link(source):
    found = answer(source, record(location(None, "publishedVersion", "cc-by"), status="gold"))
    assert found[1:] == [
        Claim(raw="cc-by", spdx="LicenseRef-CC-BY", access="gold", basis="unpaywall", about="vor", url="https://doi.org/10.1000/xyz(1)")
    ]


def test_the_best_copy_counts_also_where_the_list_lacks_it(source):
    assert urls(answer(source, record(PREPRINT, best=BEST))) == ["https://publisher.org/1.pdf", "https://arxiv.org/pdf/1304.1068"]
    assert urls(answer(source, record(best=BEST, oa_locations=None))) == ["https://publisher.org/1.pdf"]


@pytest.mark.parametrize(
    "odd",
    [
        {"oa_locations": None},
        {"oa_locations": {"url_for_pdf": "https://a.org/1.pdf"}},
        {"oa_locations": ["https://a.org/1.pdf", None, 3, []]},
        {"oa_locations": [{"url_for_pdf": ["https://a.org/1.pdf"], "version": {}, "license": 7, "url": 1}]},
        {"oa_locations": [{"url_for_pdf": "file:///etc/passwd"}, {"url_for_pdf": "https://doi.org/10.1000/xyz"}]},
        {"best_oa_location": "none", "oa_status": ["gold"], "title": None},
        {"best_oa_location": [], "title": {"en": "A title"}},
    ],
)
def test_odd_shapes_cost_at_most_that_copy(source, odd):
    assert urls(answer(source, record(best=None) if not odd else json.dumps(json.loads(record()) | odd))) == []


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, json.dumps({"HTTP_status_code": 404, "error": True, "message": "not here"}), Reason.ABSENT),
        (422, json.dumps({"HTTP_status_code": 422, "error": True, "message": "Please use your own email"}), Reason.NEEDS_CONTACT),
        (401, "", Reason.UNAVAILABLE),
        (403, "", Reason.UNAVAILABLE),
        (429, "", Reason.RATE_LIMITED),
        (500, "", Reason.UNAVAILABLE),
        (302, "", Reason.UNAVAILABLE),
        (200, "", Reason.UNAVAILABLE),
        (200, "<html>busy</html>", Reason.UNAVAILABLE),
        (200, "[]", Reason.UNAVAILABLE),
        (200, "null", Reason.UNAVAILABLE),
        (200, '{"results": [], "elapsed_seconds": 0.1}', Reason.UNAVAILABLE),
        (200, json.dumps({"doi": DOI, "is_oa": None}), Reason.UNAVAILABLE),
        (200, json.dumps({"doi": 7, "is_oa": True}), Reason.UNAVAILABLE),
        (200, json.dumps({"doi": "10.1000/another", "is_oa": True, "oa_locations": [BEST]}), Reason.ABSENT),
    ],
)
def test_the_ways_it_says_no(source, status, body, reason):
    assert asking.missed(source, asking.first(source, ASKED), ASKED, body, status=status) is reason


def test_a_pdf_that_it_led_to_must_not_be_another_article_s(source):
    link = Link(want="pdf", url="https://publisher.org/1.pdf")
    try:
        (found,) = asking.read(source, link, ASKED, pdf(["Any title", DOI]))
        assert isinstance(found, Found)
        assert found.file.checks == ["pdf-header", "pdf-eof", "doi"]
        with pytest.raises(Miss) as caught:
            asking.read(source, link, ASKED, pdf(["Any title", "https://doi.org/10.1007/other-1"]))
        assert caught.value.reason is Reason.WRONG_ARTICLE
    finally:
        READER.close()
