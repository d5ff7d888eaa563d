"""Chunks: who is asked by what, who leaves, what a poisoned chunk does, what an answer leaves behind."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from litcrawl import batch, ladder, resuming, verdict
from litcrawl import ticket as tickets
from litcrawl.ids import Ids
from litcrawl.items import Link, Retraction, Step
from litcrawl.resolver import Answer, Resolver
from litcrawl.source import Source
from litcrawl.terms import Outcome, Reason, Want


class Converter(Resolver):
    name = "converter"
    accepts = ("pmid", "pmcid", "doi")
    provides = frozenset({"doi", "pmid", "pmcid"})
    most = 3
    basis = "pmc"

    def alone(self, value):
        return "," in value


class Graph(Resolver):
    name = "graph"
    accepts = ("doi", "pmid")
    provides = frozenset({"doi"})
    offers = frozenset({Want.PDF})
    most = 5
    basis = "semantic_scholar"

    def declines(self, ids):
        return None if ids.doi or ids.pmid else Reason.NEEDS_ID

    def ask(self, question):
        yield Step(step="paper", url="https://graph.test/paper")


class Archive(Source):
    name = "archive"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML, Want.PDF, Want.SUPPLEMENTARY})
    basis = "pmc"

    def ask(self, question):
        yield Step(step="listing", url=f"https://archive.test/{question.ids.pmcid}")


SOURCES = {source.name: source(Settings()) for source in (Archive, Converter, Graph)}
RESOLVERS = ("converter", "graph")


def ticket(want=("xml", "pdf"), resolve="useful", **ids):
    return tickets.new("key", "path", Ids(**ids), want=want, rungs=SOURCES, resolve=resolve)


def record(state, name, answer, reason=None, kind="pmid"):
    return batch.record(state, SOURCES[name], kind, answer, reason or (Reason.OK if answer else Reason.ABSENT), http=200, tries=1)


def test_only_what_a_rung_could_use_is_sought():
    assert batch.lacking(ticket(pmid="1"), SOURCES) == {"pmcid"}
    assert batch.lacking(ticket(pmcid="PMC1"), SOURCES) == set(), "the graph has nothing that the archive could not give"
    assert batch.lacking(ticket(want=["metadata"], pmid="1"), SOURCES) == set()
    assert batch.lacking(ticket(pmid="1", bookid="NBK1"), SOURCES) == set(), "a book's chapter asks its shelf first"
    assert batch.lacking(ticket(arxiv="2301.00001"), SOURCES) == set()
    assert batch.lacking(ticket(resolve="all", pmid="1"), SOURCES) == {"doi", "pmcid"}


def test_a_resolver_is_asked_by_the_kind_that_it_knows_best_and_not_at_all_where_it_cannot_help():
    assert batch.place(ticket(pmid="1", doi="10.1/x"), RESOLVERS, SOURCES) == ("converter", "pmid")
    assert batch.place(ticket(doi="10.1/x"), RESOLVERS, SOURCES) == ("converter", "doi")
    assert batch.place(ticket(resolve="none", doi="10.1/x"), RESOLVERS, SOURCES) is None
    assert batch.place(ticket(pmcid="PMC1", pmid="1"), RESOLVERS, SOURCES) is None


def test_one_type_a_chunk_and_ids_that_hold_a_separator_alone():
    rows = [ticket(pmid=str(n)) for n in range(1, 5)] + [ticket(doi="10.1/a"), ticket(doi="10.1/a,b")]
    leaving, made = batch.chunks(rows, RESOLVERS, SOURCES)
    assert leaving == []
    assert sorted((one["kind"], *batch.values(one)) for one in made) == [
        ("doi", "10.1/a"),
        ("doi", "10.1/a,b"),
        ("pmid", "1", "2", "3"),
        ("pmid", "4"),
    ]


def test_each_distinct_id_goes_out_once():
    _, made = batch.chunks([ticket(pmid="1"), ticket(pmid="1"), ticket(pmid="2")], RESOLVERS, SOURCES)
    assert batch.values(made[0]) == ["1", "2"]


def test_a_poisoned_chunk_splits_until_the_culprit_stands_alone():
    _, (chunk,) = batch.chunks([ticket(pmid=str(n)) for n in range(1, 4)], RESOLVERS, SOURCES)
    parts = batch.halves(chunk)
    assert [batch.values(part) for part in parts] == [["1"], ["2", "3"]]
    assert batch.halves(parts[0]) == []


def test_an_answer_brings_identifiers_and_the_row_leaves():
    state = record(ticket(pmid="1"), "converter", Answer(ids=Ids(pmid="1", pmcid="PMC1", doi="10.1/x")))
    assert state["ids"]["pmcid"] == "PMC1"
    assert batch.place(state, RESOLVERS, SOURCES) is None
    assert ladder.next_step(state, SOURCES)[1]["url"] == "https://archive.test/PMC1"


def test_no_match_is_an_answer_and_no_answer_is_none():
    unknown = record(ticket(want=["xml"], pmid="1"), "converter", None)
    assert verdict.missing(ladder.next_step(unknown, SOURCES)[0], SOURCES) == {"xml": "needs-id"}
    state = record(ticket(want=["xml"], pmid="1"), "converter", None, Reason.TIMEOUT)
    state, _ = ladder.next_step(state, SOURCES)
    told = verdict.missing(state, SOURCES)
    assert told == {"xml": "timeout"}
    assert verdict.article(state, [], SOURCES, "run").outcome == Outcome.RETRY


def test_what_came_along_spares_the_rung_its_request():
    link = Link(want=Want.PDF, url="https://repository.test/x.pdf")
    state = record(ticket(want=["pdf"], pmid="1"), "converter", None)
    assert batch.place(state, RESOLVERS, SOURCES) == ("graph", "pmid"), "PMC has it not: one call for many spares calls for each"
    state = record(state, "graph", Answer(facts=[Retraction(retracted=True)], heard={"graph": [link]}))
    state, step = ladder.next_step(state, SOURCES)
    assert (step["source"], step["url"]) == ("graph", link.url)
    assert state["retracted"] is True
    nothing = record(record(ticket(want=["pdf"], pmid="1"), "converter", None), "graph", None)
    state, step = ladder.next_step(nothing, SOURCES)
    assert step is None
    assert verdict.missing(state, SOURCES) == {"pdf": "absent"}


def test_an_identifier_that_a_better_one_contradicts_is_another_articles():
    state = record(ticket(doi="10.1/x", pmid="1"), "converter", Answer(ids=Ids(pmid="1", pmcid="PMC9", doi="10.9/other")))
    assert state["ids"] == Ids(doi="10.1/x").as_dict()
    assert state["conflicts"] == [{"field": None, "raw": "1", "ids": Ids(pmid="1").as_dict()}]
    state = record(ticket(doi="10.1/x", pmid="1"), "converter", Answer(ids=Ids(pmid="2", pmcid="PMC2", doi="10.1/x")), kind="doi")
    assert state["ids"] == Ids(doi="10.1/x", pmid="2", pmcid="PMC2").as_dict()
    assert state["conflicts"] == [{"field": None, "raw": "1", "ids": Ids(pmid="1").as_dict()}]


@given(
    st.lists(
        st.builds(
            lambda n, kind: ticket(**{kind: f"10.1/{n}" if kind == "doi" else str(n)}), st.integers(1, 9), st.sampled_from(["pmid", "doi"])
        )
    ),
    st.sets(st.integers(1, 9)),
)
def test_every_ticket_leaves_once_whatever_is_answered(rows, known):
    leaving, open_ = batch.chunks(rows, RESOLVERS, SOURCES)
    calls = 0
    while open_:
        chunk = open_.pop()
        calls += 1
        assert json.loads(json.dumps(chunk)) == chunk
        assert len(batch.values(chunk)) <= SOURCES[chunk["resolver"]].most
        if calls % 3 == 0 and (parts := batch.halves(chunk)):
            open_ += parts
            continue
        resolver, kind = SOURCES[chunk["resolver"]], chunk["kind"]
        done = []
        for one in chunk["tickets"]:
            n = int(one["ids"][kind].rpartition("/")[2])
            answer = (
                Answer(ids=Ids(**{kind: one["ids"][kind], "pmcid": f"PMC{n}"})) if n in known and resolver.name == "converter" else None
            )
            done.append(batch.record(one, resolver, kind, answer, Reason.OK if answer else Reason.ABSENT))
        gone, more = batch.chunks(done, chunk["rest"], SOURCES)
        leaving += gone
        open_ += more
    assert len(leaving) == len(rows)


@pytest.mark.parametrize("reason", [Reason.ABSENT, Reason.RATE_LIMITED])
def test_a_resolver_is_asked_once_a_run(reason):
    state = record(ticket(pmid="1"), "converter", None, reason)
    assert batch.asked_by(state, SOURCES["converter"], SOURCES) is None


def test_who_does_not_know_an_article_tells_no_fact_of_it():
    class Facts(Graph):
        name = "facts"
        offers = frozenset({Want.ACCESS})

    sources = {"facts": Facts(Settings())}
    for answer, told in ((None, []), (Answer(facts=[Retraction(retracted=False)]), ["ok"])):
        state = tickets.new("key", "path", Ids(doi="10.1/x"), want=["access"], rungs=sources)
        state = batch.record(state, sources["facts"], "doi", answer, Reason.OK if answer else Reason.ABSENT, http=200, tries=1)
        state, step = ladder.next_step(state, sources)
        assert step is None
        assert [one["reason"] for one in state["tried"] if one["step"] == "access"] == told


def test_what_ends_a_call_for_many_says_nothing_of_each():
    class Records(Converter):
        by_record = True

    for resolver, count, reason, told in (
        (Records, 1, Reason.ABSENT, Reason.ABSENT),
        (Records, 2, Reason.ABSENT, Reason.UNAVAILABLE),
        (Records, 1, Reason.DENIED, Reason.UNAVAILABLE),
        (Records, 2, Reason.RATE_LIMITED, Reason.RATE_LIMITED),
        (Converter, 1, Reason.ABSENT, Reason.UNAVAILABLE),
    ):
        chunk = {"kind": "pmid", "tickets": [ticket(pmid=str(n)) for n in range(count)]}
        assert batch.of_each(chunk, resolver(Settings()), reason) == told


class Registry(Resolver):
    """Tells facts, and no identifier."""

    name = "registry"
    accepts = ("doi",)
    offers = frozenset({Want.ACCESS})
    most = 5
    basis = "crossref"


def test_only_who_could_have_told_the_identifier_keeps_an_article_open():
    sources = SOURCES | {"registry": Registry(Settings())}
    for name, told in (("registry", "needs-id"), ("graph", "needs-id"), ("converter", "unavailable"), ("gone", "needs-id")):
        state = tickets.new("key", "path", Ids(doi="10.1/x"), want=["xml"], rungs=sources)
        state = tickets.attempt(state, name, tickets.IDENTIFIERS, Reason.UNAVAILABLE)
        state, step = ladder.next_step(state, sources)
        assert step is None
        assert verdict.missing(state, sources) == {"xml": told}


@pytest.mark.parametrize(
    ("converter", "graph", "outcome", "reason"),
    [
        (Answer(ids=Ids(pmcid="PMC1", doi="10.1/x")), None, Outcome.COMPLETE, None),
        (Answer(ids=Ids(doi="10.1/x")), None, Outcome.COMPLETE, None),
        (None, None, Outcome.ABSENT, "absent"),
        (None, Answer(ids=Ids(doi="10.1/x")), Outcome.COMPLETE, None),
        (None, Reason.TIMEOUT, Outcome.RETRY, "timeout"),
        (Reason.UNAVAILABLE, Answer(ids=Ids(doi="10.1/x")), Outcome.RETRY, "unavailable"),
        (Answer(ids=Ids(pmcid="PMC1")), Reason.ERROR, Outcome.RETRY, "error"),
        (Answer(ids=Ids(pmcid="PMC1", doi="10.1/x")), Reason.ERROR, Outcome.COMPLETE, None),
        (Answer(ids=Ids(doi="10.1/x")), Reason.ERROR, Outcome.COMPLETE, None),
    ],
)
def test_what_comes_of_an_article_of_which_only_identifiers_are_wanted(converter, graph, outcome, reason):
    state = ticket(want=[], resolve="all", pmid="1")
    for name, answer in (("converter", converter), ("graph", graph)):
        state = record(state, name, None, answer) if isinstance(answer, Reason) else record(state, name, answer)
    done = verdict.article(state, [], SOURCES, "run")
    assert (done.outcome, done.reason) == (outcome, reason)


def test_an_article_about_which_nobody_can_be_asked_is_not_resolved():
    done = verdict.article(ticket(want=[], resolve="all", bookid="NBK1"), [], SOURCES, "run")
    assert (done.outcome, done.reason) == (Outcome.ABSENT, "needs-id")


@pytest.mark.parametrize("reason", [Reason.OK, Reason.ABSENT])
def test_who_did_not_answer_for_many_may_answer_for_one(reason):
    sources = {"graph": SOURCES["graph"]}
    state = tickets.new("key", "path", Ids(doi="10.1/x"), want=["pdf"], rungs=sources)
    state = record(state, "graph", None, Reason.UNAVAILABLE, kind="doi")
    state, step = ladder.next_step(state, sources)
    state = ladder.record(state, step, [], reason, http=200)
    state, step = ladder.next_step(state, sources)
    assert step is None
    assert ("identifiers", "unavailable") in {(one["step"], one["reason"]) for one in state["tried"]}
    done = verdict.article(state, [], sources, "run")
    assert (done.outcome, done.missing) == (Outcome.ABSENT, {"pdf": "absent"})
    plain = json.loads(json.dumps(done.to_dict()))
    again = tickets.new("key", "path", Ids(doi="10.1/x"), want=["pdf"], rungs=sources)
    assert resuming.resume(again, plain, sources, held=frozenset())["rungs"] == [], "it was asked by itself, and has answered"
