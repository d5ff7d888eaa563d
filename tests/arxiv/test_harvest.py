"""A harvest: the list page by page, its breaks told from its end; a watermark that moves only over what is stored."""

import json

import arxivs
import pytest

from litcrawl.arxiv.harvest import Harvest, Incomplete, Progress, Stored, Watermarks
from litcrawl.exceptions import BadArgument
from litcrawl.parsers import oai
from litcrawl.store import Store

BASE = "https://oaipmh.arxiv.org/oai?verb=ListIdentifiers&"


def page(*papers, token=None, size=None):
    """A page whose papers are written `id day`."""
    announced = f' completeListSize="{size}"' if size is not None else ""
    element = f"<resumptionToken{announced}>{token or ''}</resumptionToken>" if token or size is not None else None
    return oai.headers(arxivs.identifiers(*(arxivs.header(*one.split()) for one in papers), token=element))


def error(code):
    return oai.OaiError(code, "because", "2026-11-29")


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path)
    store.prepare(index=False)
    return store


def test_it_asks_for_a_set_and_days_then_by_token_alone():
    harvest = Harvest("math:math:PR", "2026-11-01", "2026-11-30")
    assert harvest.next_url == f"{BASE}metadataPrefix=arXivRaw&set=math:math:PR&from=2026-11-01&until=2026-11-30"
    harvest.take(page("2303.00001 2026-11-01", token="a|1"))
    assert harvest.next_url == f"{BASE}resumptionToken=a%7C1"
    harvest.take(page("2303.00002 2026-11-02"))
    assert harvest.next_url is None
    assert harvest.found == {"2303.00001": "2026-11-01", "2303.00002": "2026-11-02"}


def test_nothing_matches_is_a_whole_answer():
    harvest = Harvest("math", None, None)
    harvest.refused(error("noRecordsMatch"))
    assert (harvest.next_url, harvest.found) == (None, {})


@pytest.mark.parametrize("code", ["badArgument", "noSetHierarchy", "badVerb", "cannotDisseminateFormat"])
def test_another_refusal_is_no_complete_harvest(code):
    harvest = Harvest("maths", None, None)
    with pytest.raises(Incomplete, match=code):
        harvest.refused(error(code))
    assert harvest.next_url is None


@pytest.mark.parametrize("days", [("2026-11-01", "2026-11-05"), ("2026-11-05", "2026-11-01"), ("2026-11-05", "2026-11-05")])
def test_a_token_that_is_over_begins_anew_where_the_list_began(days):
    """No day in it is one to go on from: a page may hold one day alone of a list that is in no order."""
    harvest = Harvest("math", "2026-11-01", None)
    harvest.take(page(f"2303.00001 {days[0]}", f"2303.00002 {days[1]}", token="a"))
    harvest.refused(error("badResumptionToken"))
    assert harvest.next_url == f"{BASE}metadataPrefix=arXivRaw&set=math&from=2026-11-01"
    harvest.take(page("2303.00002 2026-11-05", "2303.00003 2026-11-02", token="a"))  # a token of another list
    harvest.take(page("2303.00004 2026-11-07"))
    assert list(harvest.found) == [f"2303.0000{n}" for n in (1, 2, 3, 4)]


def test_restarts_that_bring_more_are_not_counted():
    harvest = Harvest("math", None, None)
    for n in range(1, 9):
        harvest.take(page(f"2303.0000{n} 2026-11-05", token="a"))
        harvest.refused(error("badResumptionToken"))
    assert len(harvest.found) == 8


def test_nothing_matches_after_papers_were_found_is_a_break():
    harvest = Harvest("math", None, None)
    harvest.take(page("2303.00001 2026-11-05", token="a"))
    harvest.refused(error("badResumptionToken"))
    with pytest.raises(Incomplete, match="noRecordsMatch"):
        harvest.refused(error("noRecordsMatch"))


def test_the_size_that_any_page_states_holds_to_the_end():
    harvest = Harvest("math", None, None)
    harvest.take(page("2303.00001 2026-11-05", token="a", size=500))
    with pytest.raises(Incomplete, match="after 2 of 500"):
        harvest.take(page("2303.00002 2026-11-05"))


def test_what_is_no_paper_is_dropped_and_versions_are_no_papers_of_their_own(caplog):
    harvest = Harvest("math", None, None)
    harvest.take(page("weird/1 2026-11-01", "2303.00001v2 2026-11-02", "math.GT/0309136 2026-11-03"))
    assert list(harvest.found) == ["2303.00001", "math/0309136"]
    assert "'weird/1', which is no paper" in caplog.text


def test_tokens_that_are_always_over_end_it_incomplete():
    harvest = Harvest("math", None, None)
    for _ in range(3):
        harvest.take(page("2303.00001 2026-11-05", token="a"))
        harvest.refused(error("badResumptionToken"))
    with pytest.raises(Incomplete, match="badResumptionToken"):
        harvest.refused(error("badResumptionToken"))
    assert harvest.next_url is None


def test_nothing_matches_in_the_middle_of_a_list_is_a_break():
    harvest = Harvest("math", None, None)
    harvest.take(page("2303.00001 2026-11-05", token="a"))
    with pytest.raises(Incomplete):
        harvest.refused(error("noRecordsMatch"))


def test_the_same_token_twice_is_a_circle():
    harvest = Harvest("math", None, None)
    harvest.take(page("2303.00001 2026-11-05", token="a"))
    with pytest.raises(Incomplete, match="twice"):
        harvest.take(page("2303.00001 2026-11-05", token="a"))
    assert harvest.next_url is None


def test_an_empty_token_is_the_end_held_against_the_announced_size():
    harvest = Harvest("math", None, None)
    harvest.take(page("2303.00001 2026-11-05", token="a", size=2))
    harvest.take(page("2303.00002 2026-11-05", size=2))
    assert harvest.next_url is None
    short = Harvest("math", None, None)
    with pytest.raises(Incomplete, match="after 1 of 3"):
        short.take(page("2303.00001 2026-11-05", size=3))


def test_what_arxiv_deleted_is_not_listed():
    harvest = Harvest("math", None, None)
    harvest.take(oai.headers(arxivs.identifiers(arxivs.header("2303.00001", status=' status="deleted"'), arxivs.header("2303.00002"))))
    assert list(harvest.found) == ["2303.00002"]


# the watermark


def progress(store, *papers, set_="math", since=None, until=None, complete=True):
    harvest = Harvest(set_, since, until)
    harvest.take(page(*papers))
    found = Progress(Watermarks(store), harvest, complete=complete)
    found.move()
    return found


def mark(store, set_="math"):
    path = store.out / "runs/harvest.json"
    return json.loads(path.read_bytes()).get(set_) if path.exists() else None


def test_it_moves_behind_what_is_stored_and_at_last_to_the_list_s_own_day(store):
    found = progress(store, "2303.00003 2026-11-03", "2303.00001 2026-11-01", "2303.00002 2026-11-01")
    assert list(found.papers()) == [("2303.00001", "2026-11-01"), ("2303.00002", "2026-11-01"), ("2303.00003", "2026-11-03")]
    assert mark(store) == "2026-11-01"
    found.stored("2303.00001")
    assert mark(store) == "2026-11-01"
    found.stored("2303.00002")
    assert mark(store) == "2026-11-03"
    found.stored("2301.00001")  # of a list, not of the harvest
    found.stored("2303.00003")
    assert mark(store) == "2026-11-30"


def test_it_does_not_move_over_a_paper_that_is_not_stored(store):
    found = progress(store, "2303.00001 2026-11-01", "2303.00002 2026-11-02", "2303.00003 2026-11-03")
    found.stored("2303.00001")
    found.stored("2303.00003")
    assert mark(store) == "2026-11-02"


def test_it_ends_at_the_asked_day_and_never_goes_back(store):
    progress(store, "2303.00001 2026-11-02", until="2026-11-03").stored("2303.00001")
    assert mark(store) == "2026-11-03"
    progress(store, "2303.00001 2026-11-01", since="2026-11-01", until="2026-11-02").stored("2303.00001")
    assert mark(store) == "2026-11-03"
    progress(store, "2303.00001 2026-11-05", since="2026-11-03", until="2027-01-01").stored("2303.00001")
    assert mark(store) == "2026-11-30"


def test_a_harvest_that_leaves_a_hole_does_not_move_it(store):
    progress(store, "2303.00001 2026-11-02", until="2026-11-03").stored("2303.00001")
    progress(store, "2303.00001 2026-11-10", since="2026-11-08").stored("2303.00001")
    assert mark(store) == "2026-11-03"


def test_a_first_harvest_from_some_day_on_leaves_no_watermark(store, caplog):
    caplog.set_level("INFO")
    progress(store, "2303.00001 2026-11-02", since="2026-11-01").stored("2303.00001")
    assert mark(store) is None
    assert "nobody has harvested what changed before 2026-11-01" in caplog.text


def test_where_the_next_harvest_begins(store):
    marks = Watermarks(store)
    assert marks.since("math", None) is None
    marks.move("math", "2026-11-01")
    assert [marks.since("math", until) for until in (None, "2026-11-01", "2026-12-01")] == ["2026-10-31"] * 3
    with pytest.raises(Stored, match="until 2026-11-01 is stored"):
        marks.since("math", "2026-10-31")


def test_a_list_that_broke_off_does_not_move_it(store):
    progress(store, "2303.00001 2026-11-02", complete=False).stored("2303.00001")
    assert mark(store) is None


def test_where_nothing_has_changed_it_moves_all_the_same(store):
    harvest = Harvest("math", None, None)
    harvest.refused(error("noRecordsMatch"))
    Progress(Watermarks(store), harvest, complete=True).move()
    assert mark(store) == "2026-11-29"


def test_each_set_has_its_own_and_so_has_the_whole(store):
    progress(store, "2303.00001 2026-11-02", set_=None).stored("2303.00001")
    progress(store, "2303.00001 2026-11-02", set_="cs", until="2026-11-04").stored("2303.00001")
    assert (mark(store, "all"), mark(store, "cs"), mark(store)) == ("2026-11-30", "2026-11-04", None)
    assert Watermarks(store).of(None) == "2026-11-30"


@pytest.mark.parametrize("content", [b"", b"[]", b'{"math'])
def test_a_table_that_is_none_is_not_written_over(store, content):
    path = store.out / "runs/harvest.json"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(BadArgument, match=r"harvest\.json"):
        Watermarks(store)
