"""Whole crawls through a resolver on loopback: what a bad identifier, a bad answer and a service that is away cost."""

import json
from collections import Counter

import pytest
from lab import lab
from loopback import Answer

SETTINGS = {"LITCRAWL_SOURCES": "lab.Register,lab.Lab"}


def answered(path, unknown=()):
    pmids = path.removeprefix("/register/").split(",")
    return Answer(body=json.dumps({"pmcids": {pmid: f"PMC{pmid}" for pmid in pmids if pmid not in unknown}}).encode())


def register(world, word=lambda pmids, n: None, unknown=()):
    """Let the register answer; `word` may say something else of some PMIDs."""

    def first(path, n):
        if not path.startswith("/register/"):
            return None
        return word(path.removeprefix("/register/").split(","), n) or answered(path, unknown)

    world.first = first


def calls(world):
    """How often each set of PMIDs was asked for."""
    return Counter(path.removeprefix("/register/") for path in world.asked if path.startswith("/register/"))


def words(crawled):
    return {key: (str(one.outcome), *{str(reason) for reason in one.missing.values()}) for key, one in crawled.articles.items()}


def told(crawled, key):
    return [(one["reason"], one["http"], one["tries"]) for one in crawled.articles[key].attempts if one["step"] == "identifiers"]


PMIDS = [str(n) for n in range(11, 19)]
PMCIDS = [f"PMC{pmid}" for pmid in PMIDS]


async def test_many_rows_are_one_call(tmp_path):
    async with lab(*PMCIDS) as world:
        register(world)
        crawled = await world.crawl(tmp_path, ids=" ".join([*PMIDS, "11"]), settings=SETTINGS)
        assert calls(world) == {",".join(PMIDS): 1}
    assert set(words(crawled).values()) == {("complete",)}
    assert told(crawled, "pmid:11") == [("ok", 200, 1)]


async def test_an_identifier_that_spoils_a_call_costs_itself_alone(tmp_path):
    async with lab(*PMCIDS) as world:
        register(world, lambda pmids, n: Answer(400) if "13" in pmids else None)
        crawled = await world.crawl(tmp_path, ids=" ".join(PMIDS), settings=SETTINGS)
        assert sorted(calls(world)) == ["11,12", "11,12,13,14", "11,12,13,14,15,16,17,18", "13", "13,14", "14", "15,16,17,18"]
        assert set(calls(world).values()) == {1}
        again = await world.crawl(tmp_path, ids=" ".join(PMIDS), settings=SETTINGS)
        assert sum(calls(world).values()) == 7, "refused by a service that answers others: an answer"
    assert words(crawled) == {f"pmid:{pmid}": ("complete",) for pmid in PMIDS} | {"pmid:13": ("absent", "needs-id")}
    assert words(again) == words(crawled)


async def test_an_identifier_that_is_refused_before_anything_was_answered_costs_no_other(tmp_path):
    async with lab(*PMCIDS) as world:
        register(world, lambda pmids, n: Answer(400) if "11" in pmids else None)
        settings = SETTINGS | {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
        crawled = await world.crawl(tmp_path, ids=" ".join(PMIDS), settings=settings)
        assert sorted(calls(world)) == ["11", "11,12", "11,12,13,14", "11,12,13,14,15,16,17,18", "12", "13,14", "15,16,17,18"]
    assert [key for key, word in words(crawled).items() if word != ("complete",)] == ["pmid:11"]


async def test_a_service_that_refuses_everything_is_not_asked_for_each(tmp_path):
    pmids = [str(n) for n in range(101, 165)]
    async with lab() as world:
        register(world, lambda pmids, n: Answer(400))
        settings = SETTINGS | {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
        crawled = await world.crawl(tmp_path, ids=" ".join(pmids), settings=settings)
        assert calls(world).total() <= 8 + 2 * 8, "each chunk, and the way down to one identifier: 120 when all are halved"
    assert set(words(crawled).values()) == {("retry", "unavailable")}


async def test_an_identifier_over_which_a_service_fails_is_found(tmp_path):
    async with lab(*PMCIDS) as world:
        register(world, lambda pmids, n: Answer(500) if "17" in pmids else None)
        settings = SETTINGS | {"LITCRAWL_SOURCES": "lab.SmallRegister,lab.Lab"}
        crawled = await world.crawl(tmp_path, ids=" ".join(PMIDS), settings=settings)
        assert calls(world)["17"] == 3
    assert words(crawled) == {f"pmid:{pmid}": ("complete",) for pmid in PMIDS} | {"pmid:17": ("retry", "unavailable")}
    assert crawled.status == 3


async def test_a_service_that_fails_over_everything_is_not_asked_in_ever_smaller_parts(tmp_path):
    async with lab(*PMCIDS) as world:
        register(world, lambda pmids, n: Answer(500))
        await world.crawl(tmp_path, ids=" ".join(PMIDS), settings=SETTINGS)
        assert calls(world) == {",".join(PMIDS): 3}


@pytest.mark.parametrize(
    ("answer", "reason", "http"),
    [
        (Answer(503), "unavailable", 503),
        (Answer(403), "unavailable", 403),
        (Answer(404), "unavailable", 404),
        (Answer(429, headers=[("Retry-After", "9999")]), "rate-limited", None),
        (Answer(body=b'{"pmcids": {"11"', cut=True), "unavailable", None),
        (Answer(body=b"[]"), "unavailable", 200),
        (Answer(body=b"<html>Down for maintenance</html>"), "unavailable", 200),
    ],
    ids=["503", "403", "404", "429", "cut", "other shape", "page"],
)
async def test_no_answer_is_no_word_on_an_article(tmp_path, answer, reason, http):
    async with lab(*PMCIDS[:2]) as world:
        register(world, lambda pmids, n: answer)
        crawled = await world.crawl(tmp_path, ids="11 12", settings=SETTINGS)
        assert words(crawled) == {"pmid:11": ("retry", reason), "pmid:12": ("retry", reason)}
        assert {one[:2] for one in told(crawled, "pmid:11")} == {(reason, http)}
        assert sorted((crawled.run / "again.txt").read_text().split()) == ["pmid:11", "pmid:12"]
        assert crawled.status == 3

        register(world)
        again = await world.crawl(tmp_path, ids="11 12", settings=SETTINGS)
    assert words(again) == {"pmid:11": ("complete",), "pmid:12": ("complete",)}
    assert told(again, "pmid:11") == [("ok", 200, 1)], "the last word is kept"


async def test_no_match_is_an_answer(tmp_path):
    async with lab(*PMCIDS[:2]) as world:
        register(world, unknown=("12",))
        crawled = await world.crawl(tmp_path, ids="11 12", settings=SETTINGS)
        assert words(crawled) == {"pmid:11": ("complete",), "pmid:12": ("absent", "needs-id")}
        assert told(crawled, "pmid:12") == [("absent", 200, 1)]
        asked = len(world.asked)
        again = await world.crawl(tmp_path, ids="11 12", settings=SETTINGS)
        assert len(world.asked) == asked
        assert words(again) == words(crawled)
        await world.crawl(tmp_path, ids="12", settings=SETTINGS, refresh="missing")
        assert calls(world) == {"11,12": 1, "12": 1}


async def test_a_resolver_that_cannot_read_costs_its_word_alone(tmp_path):
    async with lab("PMC11", "PMC12") as world:
        register(world)
        crawled = await world.crawl(tmp_path, ids="11 PMC12", settings=SETTINGS | {"LITCRAWL_SOURCES": "lab.BuggyRegister,lab.Lab"})
    assert words(crawled) == {"pmid:11": ("retry", "error"), "PMC12": ("complete",)}
    assert crawled.status == 1


async def test_nothing_is_resolved_where_nobody_wants_it(tmp_path):
    async with lab(*PMCIDS[:2]) as world:
        register(world)
        crawled = await world.crawl(tmp_path, ids="PMC11 12", settings=SETTINGS, resolve="0")
        assert not calls(world)
        assert words(crawled) == {"PMC11": ("complete",), "pmid:12": ("absent", "needs-id")}
        crawled = await world.crawl(tmp_path / "resolved", ids="PMC11 12", settings=SETTINGS)
        assert calls(world) == {"12": 1}
    assert words(crawled)["pmid:12"] == ("complete",)


async def test_a_record_that_is_not_there_is_an_answer(tmp_path):
    async with lab("PMC11") as world:
        register(world, lambda pmids, n: Answer(404))
        settings = SETTINGS | {"LITCRAWL_SOURCES": "lab.Records,lab.Lab"}
        crawled = await world.crawl(tmp_path, ids="11", settings=settings)
        assert words(crawled) == {"pmid:11": ("absent", "needs-id")}
        assert told(crawled, "pmid:11") == [("absent", 404, 1)]
        await world.crawl(tmp_path, ids="11", settings=settings)
        assert calls(world) == {"11": 1}
        crawled = await world.crawl(tmp_path / "two", ids="11 12", settings=settings)
    assert words(crawled) == {"pmid:11": ("retry", "unavailable"), "pmid:12": ("retry", "unavailable")}


async def test_only_an_answer_shows_that_a_service_answers_others(tmp_path):
    async with lab(*PMCIDS) as world:
        register(world, lambda pmids, n: Answer(400) if "13" in pmids else Answer(body=b"<html>Down for maintenance</html>"))
        crawled = await world.crawl(tmp_path, ids=" ".join(PMIDS), settings=SETTINGS)
    assert set(words(crawled).values()) == {("retry", "unavailable")}


async def test_a_call_that_takes_too_long_is_halved_where_others_are_answered(tmp_path):
    async with lab(*PMCIDS) as world:
        register(world, lambda pmids, n: Answer(latency=5) if {"15", "16"} <= set(pmids) else None)
        settings = SETTINGS | {"LITCRAWL_SOURCES": "lab.SmallRegister,lab.Lab", "LITCRAWL_SLOTS": {"127.0.0.1": {"timeout": 0.5}}}
        crawled = await world.crawl(tmp_path, ids=" ".join(PMIDS), settings=settings | {"RETRY_TIMES": 0})
        assert calls(world) == {"11,12,13,14": 1, "15,16,17,18": 1, "15,16": 1, "17,18": 1, "15": 1, "16": 1}
    assert set(words(crawled).values()) == {("complete",)}


@pytest.mark.parametrize("name", ["DumbRegister", "OddRegister"])
async def test_what_one_resolver_cannot_do_the_next_may(tmp_path, name, caplog):
    async with lab(*PMCIDS[:3]) as world:
        register(world)
        settings = SETTINGS | {"LITCRAWL_SOURCES": f"lab.{name},lab.Register,lab.Lab"}
        crawled = await world.crawl(tmp_path, ids="11 12 13", settings=settings)
    assert words(crawled) == {f"pmid:{pmid}": ("complete",) for pmid in PMIDS[:3]}
    assert [(one["source"], one["reason"]) for one in crawled.articles["pmid:13"].attempts if one["step"] == "identifiers"] == [
        (name.removesuffix("Register").lower(), "error"),
        ("register", "ok"),
    ]
    assert "cannot ask" in caplog.text or "cannot be taken down" in caplog.text
    assert crawled.status == 1
