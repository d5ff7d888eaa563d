"""Whether a PDF's text is that of the asked article: another's is refused, what says nothing is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litcrawl.exceptions import Miss
from litcrawl.proof.identity import VOLUME, compare
from litcrawl.proof.reading import Pages
from litcrawl.terms import Reason

ASKED = "10.1086/736207"
TITLE = "Efficient difference-in-differences estimation under staggered adoption"
FOREIGN = (
    "Journal of Economics and Finance (2024) 48:1–20\nhttps://doi.org/10.1007/s12197-024-09689-4\nA completely different study of banks\n"
)
BODY = "We study how banks lend to firms in a panel of regions. " * 20


def found(*texts, doi=ASKED, titles=(TITLE,), count=None, about=(), **ids):
    return compare(Pages(count=count or len(texts), texts=texts, about=tuple(about)), {"doi": doi, **ids}, titles)


def refused(*texts, **asked):
    with pytest.raises(Miss) as caught:
        found(*texts, **asked)
    return caught.value.reason


def test_another_article_s_pdf():
    assert refused(FOREIGN + BODY, "page two") is Reason.WRONG_ARTICLE
    assert refused(FOREIGN + BODY, titles=()) is Reason.WRONG_ARTICLE


@pytest.mark.parametrize(
    "trace",
    [
        "doi:10.1086/736207",
        "DOI 10.1086/\r\n736207",
        "https://doi.org/10.1086/73\ufffe\r\n6207",
        "10.1086/736207Received 3 May",
        "Supporting information: 10.1086/736207.s001",
    ],
)
def test_a_trace_of_the_asked_doi_anywhere_acquits(trace):
    assert found(FOREIGN + BODY, BODY, trace) == ["doi"]


def test_a_doi_that_goes_on_with_digits_is_another():
    assert refused(FOREIGN + BODY + "10.1086/7362071") is Reason.WRONG_ARTICLE
    assert found(FOREIGN + BODY + "10.1086/7362071 and 10.1086/736207") == ["doi"]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        (TITLE, TITLE.upper()),
        (TITLE, "Efficient difference-in-differences esti-\r\nmation under stag\ufffe\r\ngered adoption∗"),
        (TITLE, "E f f i c i e n t  D i f f e r e n c e - i n - D i f f e r e n c e s  E s t i m a t i o n  under staggered adoption"),
        (TITLE, "Efficient difference-in-differences1 estimat10n under staggered adoption"),
        (
            "Efficient ﬂow of <i>Saccharomyces</i> &amp; naïve Ångström units",
            "Eﬃcient flow of Saccharomyces & nai\u0308ve A\u030angstrom units",
        ),
        ("The &lt;sub&gt;2&lt;/sub&gt; effect of CO<sub>2</sub> on growth", "The 2 effect of CO2 on growth"),
        ("肺炎の治療に関する研究", "論文 肺炎の治療に関する\n研究"),
        ("Editorial", "EDITORIAL"),
        ("書評", "書評 2024"),
    ],
)
def test_a_trace_of_a_title_acquits(title, text):
    assert found(FOREIGN + BODY, text, titles=("Something else altogether, never printed", title)) == ["title"]


@pytest.mark.parametrize("title", ["", "N/A", "-", "<i></i>", "Efficient difference-in-differences regression for networks"])
def test_what_is_no_title_or_shares_some_words_acquits_nothing(title):
    assert refused(FOREIGN + BODY + "Efficient lending under regression", titles=(title,)) is Reason.WRONG_ARTICLE


def test_the_title_in_the_file_s_properties_acquits():
    assert found(FOREIGN + BODY, about=("Producer", TITLE)) == ["title"]
    assert found(FOREIGN + BODY, about=(f"doi:{ASKED}",)) == ["doi"]


def test_no_text_and_no_doi_are_kept():
    assert found("", "\x0c \n") == ["no-text"]
    assert found() == ["no-text"]
    assert found(BODY) == ["no-match"]
    assert found("", about=(TITLE,)) == ["title"]


def test_without_a_doi_that_was_asked_for_no_doi_is_foreign():
    assert found(FOREIGN + BODY, doi=None) == ["no-match"]


@pytest.mark.parametrize("heading", ["References", "REFERENCES", "7. References and notes", "Bibliography", "Références", "Literatur"])
def test_a_reference_list_condemns_nobody(heading):
    assert found(f"{BODY}\n{heading}\n1. Some work. {FOREIGN}") == ["no-match"]


def test_doi_s_of_later_pages_condemn_nobody():
    assert found(BODY, FOREIGN) == ["no-match"]


def test_many_dois_are_citations():
    assert found(BODY + " ".join(f"10.1000/cited.{n}" for n in range(3))) == ["no-match"]


@pytest.mark.parametrize(
    "copy", ["10.1101/2020.01.02.123456", "10.48550/arXiv.2304.05376", "10.5281/zenodo.123", "10.21203/rs.3.rs-1/v1", "10.13039/501100001"]
)
def test_where_a_copy_lies_says_nothing_of_which_article_it_is(copy):
    assert found(f"{BODY} https://doi.org/{copy}") == ["no-match"]


def test_of_one_preprint_another_is_foreign():
    asked = {"doi": "10.1101/2020.01.02.123456", "titles": ()}
    assert refused(f"{BODY} doi: https://doi.org/10.1101/2021.05.06.654321", **asked) is Reason.WRONG_ARTICLE
    assert found(f"{BODY} doi: https://doi.org/10.1101/2020.01.02.123456v3", **asked) == ["doi"]


def test_other_identifiers_of_the_article_acquit():
    assert found(FOREIGN + BODY, "arXiv:2304.05376v2 [cs.LG]", arxiv="2304.05376") == ["doi"]
    assert found(FOREIGN + BODY, "PMCID: PMC168914", pmcid="PMC168914") == ["doi"]
    assert refused(FOREIGN + BODY, "PMCID: PMC1689145", pmcid="PMC168914") is Reason.WRONG_ARTICLE


def test_behind_a_cover_sheet_comes_the_front():
    assert refused("Universal Repository\nDownloaded on a Monday", FOREIGN + BODY) is Reason.WRONG_ARTICLE
    assert found("Universal Repository\nDownloaded on a Monday", TITLE) == ["title"]


def test_a_line_that_broke_inside_the_asked_doi_makes_no_other():
    assert found(BODY + "10.1086/736", BODY + "207") == ["no-match"]


CHAPTER = "10.1007/978-3-319-89963-3_28"
COVER = "Proceedings\nhttps://doi.org/10.1007/978-3-319-89963-3\n"


def test_a_volume_in_place_of_its_chapter():
    front = [COVER, "Committees", "Contents\nA chapter of note, p. 485", *[""] * 5]
    asked = {"doi": CHAPTER, "titles": ("A chapter of note",)}
    assert refused(*front, count=VOLUME, **asked) is Reason.WRONG_ARTICLE
    assert found(*front[:3], count=12, **asked) == ["title"], "no volume has twelve pages"
    assert found(*front, f"28 A chapter of note {CHAPTER}", count=VOLUME, **asked) == ["doi", "title"]


def test_a_chapter_that_prints_the_volume_s_doi_is_kept():
    assert found(COVER + BODY, doi=CHAPTER, titles=()) == ["no-match"]


@pytest.mark.parametrize(
    "text",
    [
        f"{TITLE}\nFirst page\npreview",
        "This is a preview of subscription content",
        "The full text of this item is not available from this repository",
        "Full-text is currently under embargo",
    ],
)
def test_one_page_that_stands_for_the_article(text):
    assert refused(text) is Reason.ABSTRACT_ONLY
    assert found(text, BODY)[0] != "no-text", "an article that only mentions it"


def test_an_article_of_one_page_is_an_article():
    assert found(f"{TITLE}\n{ASKED}\n{BODY}") == ["doi", "title"]


@given(st.lists(st.text(max_size=200), max_size=4), st.text(max_size=40), st.text(max_size=60))
def test_any_text_is_kept_or_a_miss(texts, asked, title):
    try:
        checks = compare(Pages(count=len(texts), texts=tuple(texts)), {"doi": f"10.1000/{asked}"}, [title])
    except Miss as miss:
        assert miss.reason in (Reason.WRONG_ARTICLE, Reason.ABSTRACT_ONLY)
    else:
        assert checks


def test_a_title_whose_letters_the_pdf_has_no_sign_for():
    """Fonts without Greek or Chinese leave question marks, in the DOI too, which then reads like another's."""
    asked, title = "10.5555/überraschung-α-例", "Überraschung: τ-lepton “anomalies” — 例 & more"
    text = "Überraschung: ?-lepton “anomalies” — ? & more\n10.5555/überraschung-?-?\n"
    assert found(text, doi=asked, titles=(title,)) == ["title"]
    assert refused("A completely different study of banks\n10.5555/banks.2\n" + BODY, doi=asked, titles=(title,)) is Reason.WRONG_ARTICLE
    assert (
        refused("A completely different study of banks\n10.5555/banks.2\n" + BODY, doi=asked, titles=("例例例例例例例例例",))
        is Reason.WRONG_ARTICLE
    )
