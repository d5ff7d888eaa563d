"""The ladder: which step is next, what a step leaves behind, what an earlier run's record makes of the next."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.http import Response
from scrapy.settings import Settings

from litcrawl import ladder, resuming, verdict
from litcrawl import ticket as tickets
from litcrawl.exceptions import Miss
from litcrawl.ids import Ids
from litcrawl.items import Claim, File, Heard, Licence, Link, Retraction, Step
from litcrawl.proof import Content
from litcrawl.source import Found, Source
from litcrawl.terms import INSTITUTIONAL, Kind, Outcome, Reason, Want

XML = "application/jats+xml"
PDF = "application/pdf"


class Archive(Source):
    """Lists everything it has of a PMCID."""

    name = "archive"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML, Want.PDF, Want.SUPPLEMENTARY, Want.ACCESS})
    versioned = True
    basis = "pmc"

    def ask(self, question):
        yield Step(step="listing", url=f"https://archive.test/{question.ids.pmcid}")


class Mirror(Source):
    """Has one XML under an address that the PMCID gives."""

    name = "mirror"
    requires = frozenset({"pmcid"})
    offers = frozenset({Want.XML})
    basis = "europe_pmc"

    def ask(self, question):
        yield Link(want=Want.XML, url=f"https://mirror.test/{question.ids.pmcid}.xml")


class Press(Source):
    """Has PDFs by DOI."""

    name = "press"
    requires = frozenset({"doi"})
    offers = frozenset({Want.PDF})
    basis = "crossref"

    def serves(self, ids):
        return ids.doi is None or not ids.doi.startswith("10.5555/")

    def ask(self, question):
        yield Link(want=Want.PDF, url=f"https://press.test/{question.ids.doi}.pdf")


SOURCES = {source.name: source(Settings()) for source in (Archive, Mirror, Press)}
PMC1 = Ids(pmcid="PMC1")


def ticket(ids=PMC1, want=("xml", "pdf", "supplementary"), **more):
    return tickets.new("PMC1", "pmc/PMC1", ids, want=want, rungs=SOURCES, **more)


def found(want, url, *, sha="a" * 64, size=10, version=None, filename="f", stated=None, source="archive"):
    kind = Kind.SUPPLEMENTARY if want == Want.SUPPLEMENTARY else Kind.BODY
    media_type = {Want.XML: XML, Want.PDF: PDF}.get(want, "text/csv")
    file = File(
        kind=kind,
        source=source,
        media_type=media_type,
        uri=url,
        filename=filename,
        path=None,
        size_bytes=size,
        sha256=sha,
        version=version,
        stated=stated,
    )
    return Found(file=file, content=Content(b"x" * size))


def walk(state, answers):
    """Go down the ladder; `answers` maps an address to (findings, reason). Gives the ticket and the addresses asked."""
    asked = []
    while True:
        state, step = ladder.next_step(state, SOURCES)
        if step is None:
            return state, asked
        assert json.loads(json.dumps([state, step])) == [state, step], "plain data, all the way down"
        asked.append(step["url"])
        findings, reason = answers.get(step["url"], ([], Reason.ABSENT))
        state = ladder.record(state, step, findings, reason, http=200, final_url=step["url"])


LISTING = "https://archive.test/PMC1"
LISTED = [
    Link(want=Want.XML, url="https://archive.test/1.xml", size_bytes=10),
    Link(want=Want.PDF, url="https://archive.test/1.pdf"),
    Link(want=Want.SUPPLEMENTARY, url="https://archive.test/s1.csv", filename="s1.csv"),
]
WHOLE = {
    LISTING: (LISTED, Reason.OK),
    "https://archive.test/1.xml": ([found(Want.XML, "https://archive.test/1.xml")], Reason.OK),
    "https://archive.test/1.pdf": ([found(Want.PDF, "https://archive.test/1.pdf", sha="b" * 64)], Reason.OK),
    "https://archive.test/s1.csv": ([found(Want.SUPPLEMENTARY, "https://archive.test/s1.csv", sha="c" * 64, filename="s1.csv")], Reason.OK),
}


def article(state, **more):
    return verdict.article(state, [], SOURCES, "run", **more)


def test_a_source_that_has_everything_ends_the_ladder():
    state, asked = walk(ticket(), WHOLE)
    assert asked == [LISTING, "https://archive.test/1.xml", "https://archive.test/1.pdf", "https://archive.test/s1.csv"]
    done = article(state)
    assert (done.outcome, done.missing) == (Outcome.COMPLETE, {})
    assert [file.path for file in done.files] == ["pmc/PMC1/body.xml", "pmc/PMC1/body.pdf", "pmc/PMC1/supplementary/s1.csv"]


def test_what_a_source_does_not_have_is_asked_of_the_next():
    answers = {LISTING: (LISTED[1:], Reason.OK), **{url: WHOLE[url] for url in list(WHOLE)[2:]}}
    answers["https://mirror.test/PMC1.xml"] = ([found(Want.XML, "https://mirror.test/PMC1.xml", source="mirror")], Reason.OK)
    state, asked = walk(ticket(), answers)
    assert asked[-1] == "https://mirror.test/PMC1.xml"
    assert article(state).outcome == Outcome.COMPLETE
    assert ("archive", "xml", "absent") in {(one["source"], one["step"], one["reason"]) for one in article(state).attempts}


def test_a_failed_listing_hands_every_kind_on_and_is_asked_again_later():
    state, asked = walk(ticket(), {LISTING: ([], Reason.TIMEOUT)})
    assert asked == [LISTING, "https://mirror.test/PMC1.xml"]
    done = article(state)
    assert done.outcome == Outcome.RETRY
    assert done.missing == {"xml": "timeout", "pdf": "timeout", "supplementary": "timeout"}


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        ([Reason.ABSENT, Reason.DENIED], "denied"),
        ([Reason.WRONG_TYPE, Reason.ABSTRACT_ONLY], "wrong-type"),
        ([Reason.DENIED, Reason.TRUNCATED], "truncated"),
        ([Reason.RATE_LIMITED, Reason.TIMEOUT], "rate-limited"),
    ],
)
def test_the_reason_for_a_missing_kind(reasons, told):
    answers = {LISTING: ([LISTED[0]], Reason.OK), LISTED[0].url: ([], reasons[0]), "https://mirror.test/PMC1.xml": ([], reasons[1])}
    state, _ = walk(ticket(want=["xml"]), answers)
    assert article(state).missing == {"xml": told}


def test_a_rung_without_its_identifier_waits_for_one_and_is_declined_at_the_end():
    state, asked = walk(ticket(want=["pdf"]), {LISTING: ([], Reason.ABSENT)})
    assert asked == [LISTING]
    assert article(state).missing == {"pdf": "absent"}
    assert ("press", "pdf", "needs-id") in {(one["source"], one["step"], one["reason"]) for one in state["tried"]}
    learned = found(Want.XML, "https://archive.test/1.xml", stated={"ids": {"doi": "10.1/x"}})
    answers = {LISTING: ([LISTED[0]], Reason.OK), LISTED[0].url: ([learned], Reason.OK)}
    _, asked = walk(ticket(want=["xml", "pdf"]), answers)
    assert asked[-1] == "https://press.test/10.1/x.pdf"


def test_a_publisher_that_cannot_hold_the_doi_is_no_rung():
    state, asked = walk(ticket(ids=Ids(doi="10.5555/x"), want=["pdf"]), {})
    assert asked == []
    assert "press" not in {one["source"] for one in state["tried"]}
    assert article(state).missing == {"pdf": "needs-id"}


def test_a_list_of_supplements_that_was_not_heard_is_asked_for_again_whatever_another_source_gave():
    class Packer(Archive):
        name = "packer"

        def ask(self, question):
            yield Link(want=Want.SUPPLEMENTARY, url="https://packer.test/PMC1.zip", filename="PMC1.zip")

    sources = SOURCES | {"packer": Packer(Settings())}
    first = ticket(want=("supplementary",)) | {"rungs": ["archive", "packer"]}
    state, listing = ladder.next_step(first, sources)
    state, packed = ladder.next_step(ladder.record(state, listing, [], Reason.TIMEOUT), sources)
    assert packed["url"] == "https://packer.test/PMC1.zip", "what one does not answer is asked of the next"
    zipped = found(Want.SUPPLEMENTARY, packed["url"], source="packer", filename="PMC1.zip")
    state, _ = ladder.next_step(ladder.record(state, packed, [zipped], Reason.OK, http=200), sources)
    done = verdict.article(state, [], sources, "run")
    assert (done.outcome, done.missing) == (Outcome.RETRY, {"supplementary": "timeout"})

    again = resuming.resume(first, done.to_dict(), sources, held=frozenset({done.files[0].path}))
    assert again["rungs"] == ["archive"]
    state, listing = ladder.next_step(again, sources)
    assert listing["url"] == LISTING
    state, step = ladder.next_step(ladder.record(state, listing, LISTED[2:], Reason.OK, http=200), sources)
    state, step = ladder.next_step(ladder.record(state, step, *WHOLE[step["url"]], http=200), sources)
    assert step is None
    assert verdict.article(state, [], sources, "run").outcome == Outcome.COMPLETE


def test_a_host_that_grants_no_right_to_a_kind_is_not_asked_for_it_at_another_address():
    listed = [
        Link(want=Want.XML, url="https://press.test/a.xml"),
        Link(want=Want.XML, url="https://press.test/b.xml"),
        Link(want=Want.PDF, url="https://press.test/a.pdf"),
        Link(want=Want.XML, url="https://elsewhere.test/a.xml"),
    ]
    refused = {"https://press.test/a.xml": ([], Reason.NOT_ENTITLED)}
    state, asked = walk(ticket(want=("xml", "pdf")), {LISTING: (listed, Reason.OK)} | refused)
    assert asked == [
        LISTING,
        "https://press.test/a.xml",
        "https://press.test/a.pdf",
        "https://elsewhere.test/a.xml",
        "https://mirror.test/PMC1.xml",
    ]
    told = {one["url"]: one["reason"] for one in state["tried"]}
    assert told["https://press.test/b.xml"] == "not-entitled"


def test_what_one_answer_tells_of_another_source_s_fact_is_that_source_s_answer():
    heard = Heard(source="archive", links=[], facts=(Want.ACCESS, Want.RELATED))
    state = ladder.add(ticket(want=("access",)), "mirror", [heard])
    state, asked = walk(state, {})
    assert asked == [], "it is not asked for what is known"
    assert [(one["source"], one["step"], one["reason"]) for one in state["tried"]] == [("archive", "access", "ok")]
    assert article(state).outcome == Outcome.COMPLETE
    state = ladder.add(ticket(want=("xml",)), "mirror", [heard])
    assert state["tried"] == [], "a fact that nobody wanted is no attempt"


def test_a_file_for_subscribers_is_asked_for_again_once_there_is_a_route():
    held = Link(want=Want.PDF, url="https://press.test/closed.pdf", credential_key=INSTITUTIONAL)
    answers = {LISTING: ([held], Reason.OK)}
    state, step = ladder.next_step(ladder.record(*_first(ticket(want=("pdf",))), [held], Reason.OK, http=200), SOURCES)
    with pytest.raises(Miss) as caught:
        SOURCES["archive"].request(step, "PMC1")
    state, _ = walk(ladder.record(state, step, [], caught.value.reason, tries=0), answers)
    done = article(state)
    assert done.missing == {"pdf": "not-entitled"}

    def again(settings):
        sources = {name: type(source)(Settings(settings)) for name, source in SOURCES.items()}
        return resuming.resume(ticket(want=("pdf",)), done.to_dict(), sources, held=frozenset())["rungs"]

    assert "archive" not in again({})
    assert "archive" not in again({"LITCRAWL_PROXY": {"elsewhere.test": "http://proxy.test"}})
    assert "archive" in again({"LITCRAWL_PROXY": {"press.test": "http://proxy.test"}})


def _first(state):
    return ladder.next_step(state, SOURCES)


def test_supplements_that_nobody_can_list_are_unknown_not_missing():
    state, _ = walk(
        ticket(want=["xml", "supplementary"]),
        {
            LISTING: ([], Reason.ABSENT),
            "https://mirror.test/PMC1.xml": ([found(Want.XML, "https://mirror.test/PMC1.xml", source="mirror")], Reason.OK),
        },
    )
    done = article(state)
    assert done.outcome == Outcome.COMPLETE
    assert done.notes == ["supplements: unknown"]


def test_a_listing_without_supplements_says_that_there_are_none():
    answers = {**WHOLE, LISTING: (LISTED[:2], Reason.OK)}
    done = article(walk(ticket(), answers)[0])
    assert (done.outcome, done.notes) == (Outcome.COMPLETE, [])


def test_another_articles_full_text_takes_its_listing_with_it():
    answers = {LISTING: (LISTED, Reason.OK), LISTED[0].url: ([], Reason.WRONG_ARTICLE)}
    state, asked = walk(ticket(), answers)
    assert asked == [LISTING, LISTED[0].url, "https://mirror.test/PMC1.xml"]
    assert article(state).missing == {"xml": "wrong-article", "pdf": "wrong-article", "supplementary": "wrong-article"}


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", f"http://{'a' * 64}.test/", f"http://{'a.' * 130}test/", "http://a..b/", "http://.b/"]
)
def test_an_address_of_another_scheme_or_of_no_host_is_never_asked(url):
    answers = {LISTING: ([Link(want=Want.XML, url=url)], Reason.OK)}
    state, asked = walk(ticket(want=["xml"]), answers)
    assert url not in asked
    assert article(state).missing == {"xml": "unsafe"}


def test_facts_need_an_answer_from_every_source_that_could_know():
    state, _ = walk(ticket(want=["access"]), {LISTING: ([Claim(raw="CC BY", basis="pmc")], Reason.OK)})
    assert article(state).outcome == Outcome.COMPLETE
    assert article(state).claims[0].raw == "CC BY"
    state, _ = walk(ticket(want=["access"]), {LISTING: ([], Reason.UNAVAILABLE)})
    assert article(state).missing == {"access": "unavailable"}


def test_one_source_that_says_retracted_is_believed():
    answers = {LISTING: ([Retraction(retracted=False), Retraction(retracted=True), Retraction(retracted=False)], Reason.OK)}
    assert walk(ticket(want=["access"]), answers)[0]["retracted"] is True


def test_exhaustive_keeps_every_rendition_and_equal_bytes_once():
    answers = {
        **WHOLE,
        "https://mirror.test/PMC1.xml": ([found(Want.XML, "https://mirror.test/PMC1.xml", sha="d" * 64, source="mirror")], Reason.OK),
    }
    done = article(walk(ticket(exhaustive=True), answers)[0])
    assert [file.path for file in done.files if file.want == Want.XML] == ["pmc/PMC1/body.xml", "pmc/PMC1/body.mirror.xml"]
    answers["https://mirror.test/PMC1.xml"] = ([found(Want.XML, "https://mirror.test/PMC1.xml", source="mirror")], Reason.OK)
    assert len(article(walk(ticket(exhaustive=True), answers)[0]).files) == 3


def test_every_version_has_a_file_of_its_own():
    links = [Link(want=Want.XML, url=f"https://archive.test/{n}.xml", version=n) for n in (2, 1)]
    answers = {LISTING: (links, Reason.OK)}
    answers |= {one.url: ([found(Want.XML, one.url, version=one.version, sha=str(one.version) * 64)], Reason.OK) for one in links}
    done = article(walk(ticket(want=["xml"], versions=["all"]), answers)[0])
    assert [file.path for file in done.files] == ["pmc/PMC1/body.v2.xml", "pmc/PMC1/body.v1.xml"]
    assert done.notes == ["versions: all"]


def test_the_licence_gate_asks_the_bytes_of_an_xml_and_the_source_of_any_other_file():
    pdf = Link(want=Want.PDF, url="https://archive.test/1.pdf", licence=Licence(spdx="CC-BY-NC-4.0", raw="CC BY-NC 4.0"))
    state, asked = walk(ticket(want=["pdf"], licences=["CC-BY-*"]), {LISTING: ([pdf], Reason.OK)})
    assert asked == [LISTING]
    assert article(state).missing == {"pdf": "licence"}
    xml = found(
        Want.XML,
        "https://archive.test/1.xml",
        stated={"licences": [{"raw": "https://creativecommons.org/licenses/by/4.0/", "via": "href"}]},
    )
    assert ladder.passes(ticket(licences=["CC-BY-*"]), xml.file)
    assert not ladder.passes(ticket(licences=["CC0-1.0"]), xml.file)


# the next run


def again(earlier, *, held=None, refresh="0", want=("xml", "pdf", "supplementary"), answers=None, **more):
    """Go on from an article.json: the new article, and what was asked for it."""
    plain = json.loads(json.dumps(earlier.to_dict()))
    paths = frozenset(file["path"] for file in plain["files"]) if held is None else frozenset(held)
    state = resuming.resume(ticket(want=want, **more), plain, SOURCES, held=paths, refresh=refresh)
    state, asked = walk(state, answers if answers is not None else WHOLE)
    return article(state), asked


@pytest.mark.parametrize(
    "answers",
    [
        WHOLE,
        {LISTING: ([], Reason.ABSENT)},
        {
            LISTING: (LISTED, Reason.OK),
            LISTED[0].url: ([], Reason.DENIED),
            LISTED[1].url: ([], Reason.WRONG_TYPE),
            LISTED[2].url: ([], Reason.EMPTY),
        },
        {LISTING: (LISTED[1:], Reason.OK), LISTED[1].url: WHOLE[LISTED[1].url]},
    ],
    ids=["complete", "absent", "refused", "partial"],
)
def test_what_was_answered_for_good_is_not_asked_again(answers):
    first = article(walk(ticket(ids=Ids(pmcid="PMC1", doi="10.1/x")), answers)[0])
    second, asked = again(first, ids=Ids(pmcid="PMC1", doi="10.1/x"))
    assert asked == []
    assert second.to_dict() | {"at": None} == first.to_dict() | {"at": None}


def test_what_was_left_open_is_asked_again_and_nothing_else():
    answers = {**WHOLE, LISTED[1].url: ([], Reason.TIMEOUT)}
    first = article(walk(ticket(), answers)[0])
    assert first.missing == {"pdf": "timeout"}
    second, asked = again(first)
    assert asked == [LISTING, LISTED[1].url]
    assert second.outcome == Outcome.COMPLETE


def test_a_run_cut_off_leaves_word_of_the_steps_to_come():
    state, step = ladder.next_step(ticket(), SOURCES)
    state = ladder.record(state, step, LISTED, Reason.OK)
    state, step = ladder.next_step(state, SOURCES)
    state = ladder.record(state, step, WHOLE[step["url"]][0], Reason.OK)
    draft = article(state, draft=True)
    assert draft.outcome == Outcome.RETRY
    second, asked = again(draft)
    assert asked == [LISTING, LISTED[1].url, LISTED[2].url]
    assert second.outcome == Outcome.COMPLETE
    assert all(one["reason"] == "ok" for one in second.attempts)


def test_supplements_stay_with_the_source_that_listed_them():
    answers = {**WHOLE, LISTED[2].url: ([], Reason.TRUNCATED)}
    first = article(walk(ticket(), answers)[0])
    assert first.missing == {"supplementary": "truncated"}
    second, asked = again(first)
    assert asked == [LISTING, LISTED[2].url]
    assert second.outcome == Outcome.COMPLETE


def test_a_file_that_disk_has_lost_is_fetched_again():
    first = article(walk(ticket(), WHOLE)[0])
    second, asked = again(first, held=["pmc/PMC1/body.pdf", "pmc/PMC1/supplementary/s1.csv"])
    assert asked == [LISTING, LISTED[0].url]
    assert second.outcome == Outcome.COMPLETE


def test_a_kind_or_a_key_or_versions_added_later_are_enough():
    first = article(walk(ticket(want=["xml"]), WHOLE)[0])
    assert again(first, want=["xml", "pdf"])[1] == [LISTING, LISTED[1].url]
    assert again(first, want=["xml"], versions=["all"])[1] == [LISTING]
    second, _ = again(first, want=["xml"], versions=["all"])
    assert again(second, want=["xml"], versions=["all"])[1] == []


def test_a_declined_rung_is_judged_anew():
    first = article(walk(ticket(want=["pdf"]), {LISTING: ([], Reason.ABSENT)})[0])
    _, asked = again(first, want=["pdf"], ids=Ids(pmcid="PMC1", doi="10.1/x"))
    assert asked == ["https://press.test/10.1/x.pdf"]


def test_refresh_asks_everything_again_and_loses_nothing():
    first = article(walk(ticket(), WHOLE)[0])
    newer = {**WHOLE, LISTED[1].url: ([found(Want.PDF, LISTED[1].url, sha="e" * 64, size=11)], Reason.OK)}
    second, asked = again(first, refresh="1", answers=newer)
    assert asked == list(WHOLE)
    assert {file.path: file.sha256[0] for file in second.files} == {
        "pmc/PMC1/body.xml": "a",
        "pmc/PMC1/body.pdf": "e",
        "pmc/PMC1/supplementary/s1.csv": "c",
    }
    third, _ = again(first, refresh="1", answers={LISTING: ([], Reason.TIMEOUT)})
    assert len(third.files) == 3


def test_refresh_of_what_is_missing_leaves_the_rest_alone():
    first = article(walk(ticket(), {**WHOLE, LISTED[1].url: ([], Reason.DENIED)})[0])
    second, asked = again(first, refresh="missing")
    assert asked == [LISTING, LISTED[1].url]
    assert second.outcome == Outcome.COMPLETE


FINDINGS = st.lists(
    st.sampled_from([*LISTED, Link(want=Want.PDF, url="https://archive.test/2.pdf"), Step(step="more", url="https://archive.test/more")]),
    max_size=4,
)


@settings(max_examples=200, deadline=None)
@given(
    listing=FINDINGS,
    reasons=st.lists(st.sampled_from(list(Reason)), min_size=8, max_size=8),
    ids=st.builds(Ids, doi=st.sampled_from([None, "10.1/x", "10.5555/y"]), pmcid=st.sampled_from([None, "PMC1"])),
    want=st.sets(st.sampled_from(["xml", "pdf", "supplementary", "access"]), min_size=1),
    exhaustive=st.booleans(),
)
def test_a_ladder_ends_and_a_rerun_of_its_end_asks_only_what_is_open(listing, reasons, ids, want, exhaustive):
    state = ticket(ids=ids, want=sorted(want), exhaustive=exhaustive)
    asked = []
    told = iter(reasons * 4)
    while True:
        state, step = ladder.next_step(state, SOURCES)
        if step is None:
            break
        asked.append((step["step"], step["url"]))
        assert len(asked) <= 20
        reason = next(told)
        findings = []
        if reason == Reason.OK:
            findings = (
                listing if step["step"] == "listing" else [found(Want(step["step"]), step["url"])] if step["step"] in set(Want) else []
            )
        state = ladder.record(state, step, findings, reason)
    assert len({one for one in asked if one[0] != "more"}) == len([one for one in asked if one[0] != "more"]), "no step twice"
    done = article(state)
    assert set(done.missing) <= want
    assert (done.outcome == Outcome.RETRY) == any(Reason(reason).retryable for reason in done.missing.values())
    if all(Reason(one["reason"]).final for one in done.attempts):
        assert again(done, want=sorted(want), ids=ids, exhaustive=exhaustive)[1] == []


def test_without_download_files_are_listed_each_kind_from_the_first_source_that_has_it():
    state, asked = walk(ticket(download=False), {LISTING: (LISTED, Reason.OK)})
    assert asked == [LISTING]
    done = article(state)
    assert done.outcome == Outcome.COMPLETE
    assert [(file.uri, file.path, file.sha256, file.media_type) for file in done.files] == [
        (LISTED[0].url, None, None, XML),
        (LISTED[1].url, None, None, PDF),
        (LISTED[2].url, None, None, "text/csv"),
    ]


def test_a_version_that_a_row_names_is_asked_only_of_sources_that_keep_versions():
    _, asked = walk(ticket(want=["xml"], versions=["7"]), {LISTING: ([], Reason.OK)})
    assert asked == [LISTING], "the mirror has but one version, and does not say which"


def test_who_can_look_up_an_article_that_nobody_else_knows_is_asked_last():
    class Finder(Source):
        name = "finder"
        looks_up = frozenset({"bookid"})
        basis = "europe_pmc"

        def ask(self, question):
            yield Step(step="search", url="https://finder.test/")

    sources = {**SOURCES, "finder": Finder(Settings())}
    state = tickets.new("NBK1", "bookshelf/NBK1", Ids(bookid="NBK1"), want=["pdf"], rungs=sources)
    declined = tickets.attempt(state, "press", "pdf", Reason.NEEDS_ID)
    assert ladder.next_step(declined, sources)[1] is None, "nobody was asked yet"
    state = tickets.attempt(state, "shelf", "xml", Reason.ABSENT, url="https://shelf.test/NBK1")
    state, step = ladder.next_step(state, sources)
    assert step["url"] == "https://finder.test/"
    state = ladder.record(state, step, [Ids(doi="10.1/x")], Reason.OK)
    assert ladder.next_step(state, sources)[1]["url"] == "https://press.test/10.1/x.pdf"


class Counted(str):
    """A text that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)


def test_an_article_with_thousands_of_files_costs_no_more_for_each():
    links = [Link(want=Want.SUPPLEMENTARY, url=Counted(f"https://archive.test/{n}.csv"), filename=f"{n}.csv") for n in range(2000)]
    state, step = ladder.next_step(ticket(want=["supplementary"]), SOURCES)
    Counted.compared = 0
    state = ladder.record(state, step, links, Reason.OK)
    assert len(state["todo"]) == 2000
    assert Counted.compared <= 10_000
    for _ in range(100):
        state, step = ladder.next_step(state, SOURCES)
        state = ladder.record(state, step, [], Reason.DENIED)
    Counted.compared = 0
    assert len(article(state, draft=True).attempts) == 2001
    assert Counted.compared <= 10_000


def test_a_step_made_by_hand_need_have_no_more_than_its_address():
    steps = [{"source": "archive", "step": want, "url": f"https://archive.test/1.{want}"} for want in ("xml", "supplementary")]
    for more in ({}, {"download": False}, {"versions": ["all"]}):
        state = ladder.only(ticket(**more), steps)
        _, asked = walk(state, {})
        assert asked == ([] if more == {"download": False} else [one["url"] for one in steps])
    body = b"a,b\n1,2\n"
    question = tickets.question(ticket(), ["supplementary"])
    (read,) = SOURCES["archive"].read(steps[1], Response(steps[1]["url"], body=body), question)
    assert (read.file.size_bytes, read.file.filename, read.file.version) == (len(body), None, None)


def test_a_fact_is_not_in_hand_while_a_source_that_could_know_it_has_not_answered():
    told = tickets.entry("mirror", "access", Reason.OK)
    failed = tickets.entry("archive", "listing", Reason.TIMEOUT, url=LISTING, tries=3)
    state = ticket(want=["access"])
    assert verdict.missing(state | {"tried": [told, failed]}, SOURCES) == {"access": "timeout"}
    answered = [tickets.entry("archive", "listing", Reason.OK, url=LISTING), tickets.entry("archive", "access", Reason.OK)]
    assert verdict.missing(state | {"tried": [told, *answered]}, SOURCES) == {}
    absent = tickets.entry("archive", "listing", Reason.ABSENT, url=LISTING)
    assert verdict.missing(state | {"tried": [told, absent]}, SOURCES) == {}, "who does not know the article has answered"
