"""`want=metadata`: the merged record in `article.json`."""

import pytest
from archive import WHOLE, archive
from crawling import crawl
from loopback import Answer

ONE, TWO = "10.5555/one", "10.5555/two"


async def fetch(world, out, ids, **more):
    return await crawl(out, ids=ids, want="metadata", settings=world.settings(), **more)


def words(crawled):
    return {key: (str(one.outcome), one.missing) for key, one in crawled.articles.items()}


def less(*names, **changes):
    return {name: value for name, value in WHOLE.items() if name not in names} | changes


async def test_the_record_stands_in_article_json(tmp_path):
    async with archive(lister={ONE: less("abstract"), TWO: WHOLE}, register={ONE: WHOLE}) as world:
        crawled = await fetch(world, tmp_path, f"{ONE} {TWO}")
        assert world.asked == [f"/list/{ONE},{TWO}", f"/register/{ONE}"], "many a call, then one; nobody when it is complete"
    assert words(crawled) == {ONE: ("complete", {}), TWO: ("complete", {})}
    metadata = crawled.article_json(ONE)["metadata"]
    assert (metadata["record"]["title"], metadata["record"]["abstract"]) == (WHOLE["title"], WHOLE["abstract"])
    assert (metadata["provenance"]["title"]["source"], metadata["provenance"]["abstract"]["source"]) == ("lister", "register")
    assert [one["title"] for one in metadata["record"]["source_id"]] == ["The List", "register"]


async def test_a_second_run_asks_nobody_and_keeps_the_record(tmp_path):
    async with archive(lister={ONE: WHOLE}) as world:
        first = await fetch(world, tmp_path, ONE)
        again = await fetch(world, tmp_path, ONE)
        assert len(world.asked) == 1
        anew = await fetch(world, tmp_path, ONE, refresh="1")
        assert len(world.asked) == 2
    record = first.articles[ONE].metadata["record"]
    assert again.articles[ONE].metadata["record"] == anew.articles[ONE].metadata["record"] == record


async def test_a_source_that_did_not_answer_is_asked_by_the_next_run(tmp_path):
    async with archive(lister={ONE: less("abstract")}, register={ONE: WHOLE}) as world:
        world.first = lambda path, n: Answer(503) if path.startswith("/register/") else None
        crawled = await fetch(world, tmp_path, ONE)
        assert words(crawled) == {ONE: ("retry", {"metadata": "unavailable"})}
        world.first = None
        asked = len(world.asked)
        again = await fetch(world, tmp_path, ONE)
        assert world.asked[asked:] == [f"/register/{ONE}"]
    assert words(again) == {ONE: ("complete", {})}
    assert again.articles[ONE].metadata["provenance"]["title"]["source"] == "lister"


async def test_a_record_outlives_a_run_that_does_not_want_it(tmp_path):
    async with archive(lister={ONE: WHOLE}) as world:
        await fetch(world, tmp_path, ONE)
        crawled = await crawl(tmp_path, ids=ONE, settings=world.settings())
    assert crawled.article_json(ONE)["metadata"]["record"]["title"] == WHOLE["title"]


async def test_without_the_wish_there_is_no_record(tmp_path):
    async with archive(lister={ONE: WHOLE}) as world:
        crawled = await crawl(tmp_path, ids=ONE, settings=world.settings())
        assert not world.asked
    assert crawled.articles[ONE].metadata is None


@pytest.mark.parametrize("known", [{}, {ONE: {"title": "T"}}], ids=["nothing", "a little"])
async def test_when_all_have_answered_the_fact_is_in_hand(tmp_path, known):
    async with archive(lister=known) as world:
        crawled = await fetch(world, tmp_path, ONE)
    assert words(crawled)[ONE][1] == {}
    metadata = crawled.articles[ONE].metadata
    assert metadata is None if not known else metadata["record"]["title"] == "T"
