"""Copies of an article: links to their PDFs, best first, and claims about their terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litcrawl import copies
from litcrawl.copies import Copy
from litcrawl.items import Claim, Licence, Link
from litcrawl.terms import Stage

PUBLISHED = Copy(pdf="https://a.org/1.pdf", page="https://a.org/1", stage=Stage.PUBLISHED, licence="cc-by")
ACCEPTED = Copy(pdf="https://b.org/2.pdf", stage=Stage.ACCEPTED)
SUBMITTED = Copy(pdf="https://c.org/3.pdf", stage=Stage.SUBMITTED, licence="publisher-specific-oa")
UNSAID = Copy(pdf="https://d.org/4.pdf")
PAGE = Copy(page="https://e.org/5", stage=Stage.PUBLISHED)


def test_published_before_accepted_before_submitted_before_unsaid():
    assert copies.best_first([UNSAID, SUBMITTED, PAGE, ACCEPTED, PUBLISHED, UNSAID]) == [PAGE, PUBLISHED, ACCEPTED, SUBMITTED, UNSAID]


def test_each_pdf_once_with_the_terms_of_its_own_place():
    again = Copy(pdf=PUBLISHED.pdf, stage=Stage.SUBMITTED)
    assert copies.links([PUBLISHED, PAGE, SUBMITTED, ACCEPTED, again], "unpaywall", "gold") == [
        Link(
            want="pdf",
            url="https://a.org/1.pdf",
            stage=Stage.PUBLISHED,
            licence=Licence(raw="cc-by", spdx="LicenseRef-CC-BY", access="gold", basis="unpaywall"),
        ),
        Link(want="pdf", url="https://c.org/3.pdf", stage=Stage.SUBMITTED, licence=Licence(raw="publisher-specific-oa", basis="unpaywall")),
        Link(want="pdf", url="https://b.org/2.pdf", stage=Stage.ACCEPTED),
    ]


def test_a_claim_for_each_copy_and_the_status_on_the_best():
    assert copies.claims([PUBLISHED, ACCEPTED, SUBMITTED, UNSAID, PAGE], "openalex", "hybrid") == [
        Claim(raw="cc-by", spdx="LicenseRef-CC-BY", access="hybrid", basis="openalex", about="vor", url="https://a.org/1.pdf"),
        Claim(raw=None, basis="openalex", about="am", url="https://b.org/2.pdf"),
        Claim(raw="publisher-specific-oa", basis="openalex", about="preprint", url="https://c.org/3.pdf"),
        Claim(raw=None, basis="openalex", url="https://d.org/4.pdf"),
        Claim(raw=None, basis="openalex", about="vor", url="https://e.org/5"),
    ]


def test_without_copies_the_status_is_a_claim_of_its_own():
    assert copies.claims([], "unpaywall", "closed") == [Claim(raw=None, access="closed", basis="unpaywall")]
    assert copies.claims([], "unpaywall", None) == []
    assert copies.links([], "unpaywall", "closed") == []


@pytest.mark.parametrize("value", ["https://a.org/x.pdf", " http://a.org/x?y=1&z= ", "HTTPS://A.ORG/%20"])
def test_addresses(value):
    assert copies.address(value) == copies.pdf_address(value) == value.strip()


@pytest.mark.parametrize(
    "value",
    [None, 1, True, [], {}, "", " ", "ftp://a.org/x", "file:///etc/passwd", "javascript:alert(1)", "//a.org/x", "a.org/x.pdf", "https://",
     "https:///x", "http://[::1", "https://a.org/a b.pdf", "https://a.org/\nHost: b", "https://a.org/\x00", "https://a.org/" + "x" * 5000],
)  # fmt: skip
def test_what_is_no_address(value):
    assert copies.address(value) is None
    assert copies.pdf_address(value) is None


@pytest.mark.parametrize(
    "value",
    ["https://doi.org/10.1/x", "http://dx.doi.org/10.1/x.pdf", "https://hdl.handle.net/1/2", "http://arxiv.org/abs/1304.1068"],
)
def test_a_page_about_an_article_is_no_pdf(value):
    assert copies.address(value) == value
    assert copies.pdf_address(value) is None


@given(st.text() | st.none() | st.integers() | st.lists(st.text()))
def test_whatever_comes_for_an_address(value):
    found = copies.pdf_address(value)
    assert found is None or found.lower().startswith(("http://", "https://"))


@pytest.mark.parametrize(("value", "word"), [(" gold ", "gold"), ("", None), ("  ", None), (None, None), (3, None), (["gold"], None)])
def test_words(value, word):
    assert copies.word(value) == word
