import asyncio

from litcrawl.ids import Ids
from litcrawl.window import Window


def row(number):
    return {"row": number}


def test_an_article_is_found_by_any_identifier_that_its_rows_gave():
    window = Window(5)
    window.open("10.1/a", Ids(doi="10.1/a"), [row(1)])
    assert window.key_of(Ids(pmid="7")) is None
    window.join("10.1/a", row(2), Ids(doi="10.1/a", pmid="7"))
    assert window.key_of(Ids(pmid="7")) == "10.1/a"
    assert window.key_of(Ids()) is None
    assert window.inputs("10.1/a") == [row(1), row(2)]
    assert window.inputs("10.1/b") == []


def test_what_a_source_tells_and_what_rows_give_is_known_to_both():
    window = Window(5)
    window.open("PMC1", Ids(pmcid="PMC1", pmid="7"), [row(1)])
    assert window.learn("PMC1", Ids(pmcid="PMC1", doi="10.1/a")) == Ids(pmcid="PMC1", doi="10.1/a", pmid="7")
    assert window.key_of(Ids(doi="10.1/a")) == "PMC1"
    assert window.learn("PMC2", Ids(pmcid="PMC2")) == Ids(pmcid="PMC2"), "one that is not open learns nothing"


def test_a_closed_article_is_forgotten():
    window = Window(5)
    window.open("PMC1", Ids(pmcid="PMC1"), [row(1)])
    window.join("PMC1", row(2), Ids(pmcid="PMC1", pmid="7"))
    window.close("PMC1")
    window.close("PMC1")
    window.close(None)
    assert len(window) == 0
    assert window.key_of(Ids(pmcid="PMC1", pmid="7")) is None


def test_two_articles_that_share_an_identifier_do_not_take_it_from_one_another():
    window = Window(5)
    window.open("10.1/a", Ids(doi="10.1/a", pmid="7"), [row(1)])
    window.open("10.1/b", Ids(doi="10.1/b", pmid="7"), [row(2)])
    window.close("10.1/b")
    assert window.key_of(Ids(pmid="7")) == "10.1/a"


async def test_a_place_is_free_when_one_was_closed():
    window = Window(1)
    assert await window.place(0.01)
    window.open("PMC1", Ids(pmcid="PMC1"), [row(1)])
    assert not await window.place(0.01)
    waiting = asyncio.create_task(window.place(10))
    await asyncio.sleep(0)
    window.close("PMC1")
    assert await waiting


def test_leaving_is_said_of_open_articles_only():
    window = Window(1)
    window.open("PMC1", Ids(pmcid="PMC1"), [row(1)])
    window.leave("PMC1")
    window.leave("PMC2")
    assert window.places["PMC1"].leaving


def test_a_shared_identifier_that_a_better_one_contradicts_names_nobody():
    window = Window(9)
    window.open("10.1/x", Ids(doi="10.1/x", pmid="7"), [{}])
    assert window.key_of(Ids(doi="10.1/y", pmid="7")) is None
    assert window.key_of(Ids(pmid="7")) == "10.1/x"


def test_every_name_goes_with_its_article():
    window = Window(9)
    window.open("10.1/x", Ids(doi="10.1/x", pmid="7"), [{}])
    window.learn("10.1/x", Ids(doi="10.1/x", pmid="5"))
    window.close("10.1/x")
    assert window.key_of(Ids(pmid="7")) is None
    assert window.key_of(Ids(pmid="5")) is None


def test_what_was_refuted_does_not_come_back_with_another_row():
    window = Window(9)
    window.open("10.1/x", Ids(doi="10.1/x", pmid="7"), [{}])
    refuted = {"field": None, "raw": "7", "ids": Ids(pmid="7").as_dict()}
    window.settle("10.1/x", "10.1/x", Ids(doi="10.1/x"), [refuted])
    window.join("10.1/x", {}, Ids(doi="10.1/x", pmid="7"))
    assert window.learn("10.1/x", Ids(doi="10.1/x")) == Ids(doi="10.1/x")
    assert window.places["10.1/x"].conflicts == [refuted]


def test_rows_that_contradict_each_other_say_so():
    window = Window(9)
    window.open("10.1/x", Ids(doi="10.1/x", pmid="7"), [{}])
    window.join("10.1/x", {}, Ids(doi="10.1/x", pmid="8"))
    assert [one["raw"] for one in window.places["10.1/x"].conflicts] == ["8"]


def test_what_a_source_refuted_does_not_come_back_from_the_list():
    window = Window(9)
    window.open("10.5555/a", Ids(doi="10.5555/a", pmid="1"), [{}])
    refuted = {"field": None, "raw": "1", "ids": Ids(pmid="1").as_dict()}
    assert window.learn("10.5555/a", Ids(doi="10.5555/a"), [refuted]) == Ids(doi="10.5555/a")
