"""What arXiv may be made to answer: spoilt records, lists, feeds, pages and e-prints of any bytes. Never another exception than ours."""

import arxivs
import asking
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litcrawl.arxiv import eprint, plan, urls
from litcrawl.arxiv.harvest import Harvest, Incomplete
from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import Ids
from litcrawl.items import Step
from litcrawl.parsers import arxiv_page, atom, oai
from litcrawl.proof.content import Content
from litcrawl.spiders.arxiv import Arxiv
from litcrawl.terms import Reason

PAPER = "2303.18112"
SOURCE = asking.source(Arxiv)
ASKED = asking.question("pdf", arxiv=PAPER, doi=f"10.48550/arxiv.{PAPER}", versions=("all",))
GOOD = [
    arxivs.record(PAPER, "D", "I", doi="10.1000/a"),
    arxivs.identifiers(arxivs.header(PAPER), token='<resumptionToken completeListSize="7">x</resumptionToken>'),
    arxivs.refusal("badResumptionToken", "over"),
    arxivs.feed(f"{PAPER}v1"),
    arxivs.page(PAPER, comments='<a href="https://x.test">this</a>'),
    arxivs.page(PAPER, comments='<a href="http://[">this</a>'),
    arxivs.packed(arxivs.tar()),
    arxivs.tar(),
    arxivs.pdf(),
]
SPICE = [
    b"",
    b"<",
    b"\0",
    b"&nope;",
    b"v99999999999999999999",
    b"]]>",
    b"\xff\xfe",
    b"../..",
    b"http://[",
    b"9" * 5000,
    b"\x1f\x8b",
    b"<!ENTITY a '&a;'>",
]


@st.composite
def spoilt(draw):
    """A good answer, cut, doubled, or with something put into it."""
    body = draw(st.sampled_from(GOOD))
    start = draw(st.integers(0, len(body)))
    end = draw(st.integers(start, min(len(body), start + 200)))
    return body[:start] + draw(st.sampled_from([*SPICE, body[start:end] * 2])) + body[end:]


answers = st.one_of(spoilt(), st.binary(max_size=300))


@settings(max_examples=400, deadline=None)
@given(answers)
def test_parsers_give_values_or_say_that_it_is_none(body):
    for read in (oai.record, oai.headers, atom.papers, lambda one: arxiv_page.page(one, PAPER, 1)):
        try:
            read(body)
        except (Malformed, oai.OaiError):
            continue


@settings(max_examples=300, deadline=None)
@given(answers, st.booleans(), st.sampled_from([None, "gzip", "x-gzip", "deflate", "br", "gzip, gzip", "identity", ""]))
def test_an_e_print_has_an_ending_or_there_is_none(body, html, encoding):
    try:
        kept, ending, _ = eprint.prove(Content(body), html=html, encoding=encoding)
    except Miss as miss:
        assert miss.reason != Reason.ERROR
    else:
        assert ending in eprint.MEDIA_TYPES
        assert kept.size


@settings(max_examples=300, deadline=None)
@given(answers, st.sampled_from(["record", "page"]))
def test_the_rung_finds_or_misses(body, name):
    step = Step(step=name, url=urls.page(PAPER, 1), state={"version": 1})
    try:
        asking.read(SOURCE, step, ASKED, body)
    except Miss as miss:
        assert miss.reason != Reason.ERROR


@settings(max_examples=200, deadline=None)
@given(st.lists(answers, max_size=6))
def test_a_harvest_ends_complete_or_broken(bodies):
    harvest = Harvest("math", None, None)
    for body in bodies:
        try:
            harvest.take(oai.headers(body))
        except oai.OaiError as error:
            try:
                harvest.refused(error)
            except Incomplete:
                break
        except (Malformed, Incomplete):
            break


@pytest.mark.parametrize("doi", ["", "nonsense", "10.1000/a " * 5000, "10." + "1" * 9000, "10.1000/../..", "\u202e10.1000/a"])
def test_what_authors_write_for_a_doi_is_few_dois_or_none(doi):
    record = oai.Record(id=PAPER, versions=(oai.Version(number=1),), doi=doi)
    assert len(plan.published(record, Ids())) <= 10
