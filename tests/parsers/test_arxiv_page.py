"""The abstract page in the layouts that it has had: its licence, and the comments of its authors."""

import arxivs
import pytest

from litcrawl.exceptions import Malformed
from litcrawl.parsers.arxiv_page import Page, page

PAPER = "2303.18112"


def layout(body: str, head: str = "") -> bytes:
    return f"<html><head>{head}</head><body><h1 class='title'>On a thing</h1>{body}</body></html>".encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("today's", arxivs.page(PAPER, arxivs.CC_BY, "12 pages, 3 figures")),
        (
            "the classic one, where the box holds a word in brackets",
            layout(
                '<table summary="Additional metadata"><tr><td class="tablecell label">Comments:</td>'
                '<td class="tablecell comments">12 pages,\n 3 figures</td></tr></table>'
                f'<div class="abs-license">(<a href="{arxivs.CC_BY}" title="Rights to this article">license</a>)</div>'
            ),
        ),
        (
            "one without classes, where the licence is marked by its relation",
            layout(
                "<table><tr><td>Comments:</td><td>12 pages, 3 figures</td></tr></table>"
                f"<p>Covered by <a rel='license' href='{arxivs.CC_BY}'>this</a></p>"
            ),
        ),
        (
            "the listing's, where the label stands inside",
            layout(
                f'<div class="list-comments comments"><span class="descriptor">Comments:</span> 12 pages, 3 figures</div>'
                f'<p><a href="https://info.arxiv.org/help">help</a> <a href="{arxivs.CC_BY}">CC BY</a></p>'
            ),
        ),
    ],
)
def test_each_layout(name, data):
    assert page(data, PAPER, 1) == Page(arxivs.CC_BY, "12 pages, 3 figures")


def test_links_in_comments_become_their_addresses():
    comments = (
        'See <a href="https://code.test/x" rel="external">this https URL</a>; with <a href="/abs/2301.00001">arXiv:2301.00001</a>'
        " &amp; $\\alpha<1$,\n  <em>two</em> figures<!-- hidden -->"
    )
    assert page(arxivs.page(PAPER, comments=comments), PAPER, 1).comments == (
        "See https://code.test/x; with https://arxiv.org/abs/2301.00001 & $\\alpha<1$, two figures"
    )


def test_an_address_that_is_none_stays_as_it_was_written():
    assert page(arxivs.page(PAPER, comments='see <a href="http://[bad">x</a>'), PAPER, 1).comments == "see http://[bad"


def test_a_page_may_name_its_version():
    history = "<div><strong>[v1]</strong><strong><a href='/abs/x'>[v2]</a></strong></div>"
    assert page(arxivs.page(f"{PAPER}v1").replace(b"</body>", history.encode()), PAPER, 1).licence == arxivs.CC_BY
    own = arxivs.page(PAPER, comments="<b>[v2]</b> is shorter")
    assert page(own, PAPER, 1).comments == "[v2] is shorter"


def test_a_page_may_have_no_comments_and_no_licence():
    assert page(arxivs.page(PAPER, None), PAPER, 1) == Page(None, None)


@pytest.mark.parametrize(
    "licence",
    [
        "http://arxiv.org/licenses/nonexclusive-distrib/1.0/",
        "http://arxiv.org/licenses/assumed-1991-2003/",
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "http://creativecommons.org/licenses/by-nc-sa/4.0/",
    ],
)
def test_a_licence_is_told_as_it_stands_there(licence):
    assert page(arxivs.page(PAPER, licence), PAPER, 1).licence == licence
    assert page(layout(f"<a href='/help'>help</a><a href='{licence}'>terms</a>"), PAPER, 1).licence == licence


def test_what_the_authors_link_to_is_not_their_paper_s_licence():
    other = "https://creativecommons.org/licenses/by-nd/4.0/"
    link = f'<a href="{other}">this https URL</a>'
    assert page(arxivs.page(PAPER, None, f"data under {link}").replace(b"We do.", link.encode()), PAPER, 1).licence is None
    assert page(arxivs.page(PAPER, arxivs.CC_BY, f"data under {link}"), PAPER, 1).licence == arxivs.CC_BY


def test_bytes_that_are_not_utf_8_do_not_stop_it():
    assert page(arxivs.page(PAPER, comments="na\u00efve").replace("\u00ef".encode(), b"\xef"), PAPER, 1).licence == arxivs.CC_BY


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Rate exceeded.",
        b"<html><body><h1>Access Denied</h1></body></html>",
        b'{"message": "busy"}',
        arxivs.page("2303.99999"),
        arxivs.page(f"{PAPER}v2"),
        arxivs.page(f"{PAPER}v11"),
        layout('<div class="submission-history"><b><a href="/abs/x">[v1]</a></b><strong> [v2] </strong></div>'),
    ],
)
def test_what_is_no_abstract_page_of_that_version_is_malformed(data):
    with pytest.raises(Malformed):
        page(data, PAPER, 1)
