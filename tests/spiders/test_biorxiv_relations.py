"""bioRxiv and medRxiv: preprint and published article, by the one's DOI or the other's."""

import json

import asking
import pytest

from litcrawl.ids import Ids
from litcrawl.items import Claim, Heard, Relation, Step
from litcrawl.spiders.biorxiv_relations import BiorxivRelations
from litcrawl.terms import Reason

API = "https://api.biorxiv.org"
PREPRINT, MEDRXIV, ARTICLE = "10.1101/2024.04.01.587366", "10.64898/2026.01.02.26343210", "10.1016/j.xgen.2025.100814"
NOTHING = '{"messages":[{"status":"no posts found"}], "collection":[]}\n\n\n'


@pytest.fixture
def source():
    return asking.source(BiorxivRelations)


def question(doi):
    return asking.question("related", doi=doi)


def answer(*entries, status="ok"):
    return json.dumps({"messages": [{"status": status}], "collection": list(entries)})


def version(number="1", published="NA", doi=PREPRINT, licence="cc_by"):
    return {"doi": doi, "version": number, "published": published, "license": licence, "server": "bioRxiv"}


def asked(source, doi, *bodies):
    """What comes of a question that is answered so, call after call; without what it holds for another source."""
    finding = asking.first(source, question(doi))
    for body in bodies[:-1]:
        (finding,) = asking.read(source, finding, question(doi), body)
    return [one for one in asking.read(source, finding, question(doi), bodies[-1]) if not isinstance(one, Heard)]


def relation(kind, doi):
    return Relation(relation=kind, ids=Ids(doi=doi).as_dict())


@pytest.mark.parametrize(
    ("doi", "call", "servers"),
    [
        (PREPRINT, "details", ["biorxiv", "medrxiv"]),
        ("10.1101/339747", "details", ["biorxiv", "medrxiv"]),
        ("10.1101/000042", "details", ["biorxiv", "medrxiv"]),
        (MEDRXIV, "details", ["medrxiv", "biorxiv"]),
        ("10.1101/19001234", "details", ["medrxiv", "biorxiv"]),
        (ARTICLE, "pubs", ["biorxiv", "medrxiv"]),
        ("10.1101/gr.123456.111", "pubs", ["biorxiv", "medrxiv"]),
        ("10.1101/sqb.2011.76.010736", "pubs", ["biorxiv", "medrxiv"]),
        ("10.1101/087969309.48.87", "pubs", ["biorxiv", "medrxiv"]),
    ],
)
def test_where_a_question_begins(source, doi, call, servers):
    assert asking.first(source, question(doi)) == Step(step=call, url=f"{API}/{call}/{servers[0]}/{doi}", state={"rest": servers[1:]})


def test_a_preprint_names_the_article_that_it_became(source):
    found = asked(source, PREPRINT, answer(version("1"), version("10", ARTICLE.upper(), licence="cc_by_nd"), version("2")))
    claim = Claim(raw="cc_by_nd", spdx="LicenseRef-CC-BY-ND", basis="biorxiv", about="preprint", url=f"{API}/details/biorxiv/{PREPRINT}")
    assert found == [claim, relation("published", ARTICLE)]


def test_the_files_in_the_same_answer_are_for_the_source_that_fetches_them(source):
    xml = "https://www.biorxiv.org/content/early/2024/04/02/2024.04.01.587366.source.xml"
    body = answer(version("1") | {"jatsxml": "https://x.test/1.xml"}, version("2") | {"jatsxml": xml})
    heard = next(
        one for one in asking.read(source, asking.first(source, question(PREPRINT)), question(PREPRINT), body) if isinstance(one, Heard)
    )
    assert (heard.source, [(link.version, link.url) for link in heard.links]) == ("biorxiv", [(2, xml)])


@pytest.mark.parametrize("published", ["NA", "", None, "na", "soon", ["10.1/a"], PREPRINT])
def test_a_preprint_that_was_not_published(source, published):
    assert asked(source, PREPRINT, answer(version(published=published, licence=""))) == []


def test_a_preprint_is_sought_at_the_other_server(source):
    assert asked(source, PREPRINT, NOTHING, answer(version(published=ARTICLE, licence=None))) == [relation("published", ARTICLE)]


def test_a_preprint_that_neither_server_holds(source):
    step = asking.first(source, question(PREPRINT))
    (step,) = asking.read(source, step, question(PREPRINT), NOTHING)
    assert asking.missed(source, step, question(PREPRINT), NOTHING) == Reason.ABSENT


@pytest.mark.parametrize("entry", [version(doi="10.1101/2024.04.01.587367", published=ARTICLE), {"published": ARTICLE}, None, []])
def test_another_preprint_s_entry_is_not_this_one_s(source, entry):
    (step,) = asked(source, PREPRINT, answer(entry))
    assert step.url == f"{API}/details/medrxiv/{PREPRINT}"


@pytest.mark.parametrize("field", ["biorxiv_doi", "medrxiv_doi", "preprint_doi"])
def test_an_article_names_its_preprint(source, field):
    assert asked(source, ARTICLE, answer({field: PREPRINT, "published_doi": ARTICLE.upper()})) == [relation("preprint", PREPRINT)]


def test_an_article_without_a_preprint_is_asked_for_at_both_servers(source):
    assert asked(source, ARTICLE, answer(status=f"no articles found for {ARTICLE}"), NOTHING) == []


def test_another_article_s_preprint_is_not_this_one_s(source):
    assert asked(source, ARTICLE, NOTHING, answer({"biorxiv_doi": PREPRINT, "published_doi": "10.1/other"})) == []


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "<html></html>",
        "{}",
        '{"collection": null, "messages": [{"status": "ok"}]}',
        '{"collection": {}, "messages": [{"status": "ok"}]}',
        '{"collection": []}',
        '{"collection": [], "messages": "no posts found"}',
        answer(status="error: database gone"),
    ],
)
@pytest.mark.parametrize("doi", [PREPRINT, ARTICLE])
def test_absence_must_be_stated(source, doi, body):
    assert asking.missed(source, asking.first(source, question(doi)), question(doi), body) == Reason.UNAVAILABLE


@pytest.mark.parametrize("number", ["x", None, [], "9" * 5000, -1])
def test_a_version_that_is_no_number_counts_least(source, number):
    found = asked(source, PREPRINT, answer(version("1", ARTICLE, licence=""), version(number, licence="")))
    assert found == [relation("published", ARTICLE)]


@pytest.mark.parametrize(
    ("status", "reason"), [(404, Reason.ABSENT), (403, Reason.UNAVAILABLE), (429, Reason.RATE_LIMITED), (500, Reason.UNAVAILABLE)]
)
def test_the_ways_it_says_no(source, status, reason):
    assert asking.missed(source, asking.first(source, question(PREPRINT)), question(PREPRINT), status=status) == reason


def test_arxiv_s_papers_are_not_theirs(source):
    assert not source.serves(Ids(doi="10.48550/arxiv.2303.18112", arxiv="2303.18112"))
    assert source.declines(Ids(pmid="1")) == Reason.NEEDS_ID
