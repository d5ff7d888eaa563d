"""What becomes of a publication that cannot be stored or sent, and of those beside it."""

import asyncio
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from records import ABSTRACT
from sqlalchemy import text
from test_database import database  # noqa: F401 - a fixture

from litcrawl.publications import merging
from litcrawl.publications.database import Database
from litcrawl.publications.delivery import Delivery, Parcel
from litcrawl.publications.item import Publication, Status
from litcrawl.publications.merging import Rules
from litcrawl.publications.record import author, told

ONE, TWO, THREE = "10.5555/one", "10.5555/two", "10.5555/three"


class Sink:
    def __init__(self):
        self.sent = []

    async def send(self, events):
        for _, event in events:
            orjson.dumps(event)
        self.sent += events

    async def close(self, patience):
        pass


class Source:
    def __init__(self):
        self.acknowledged, self.refused = [], []

    async def acknowledge(self, receipts):
        self.acknowledged += receipts

    async def refuse(self, row, reason):
        self.refused.append((row["receipt"], reason))


def whole(doi, **changes):
    fields = {
        "type": "JOURNAL_ARTICLE", "title": "On sentences", "abstract": ABSTRACT, "date": "2012-05", "publisher": "Words Ltd",
        "citation_count": 3, "authors": [author("Ann Miller")], "subjects": ["Linguistics"],
    }  # fmt: skip
    known = merging.merge(merging.empty(), "crossref", told(doi=doi, **(fields | changes)), "now", Rules())
    record = merging.finished(known, doi, {})
    return Publication(key=doi, doi=doi, status=Status.COMPLETE, record=record, provenance=known["provenance"], at="now")


def lost(doi, *missing):
    record = merging.finished(merging.empty(), doi, {})
    return Publication(key=doi, doi=doi, status=Status.NOT_FOUND, missing=list(missing or ["abstract"]), record=record, at="now")


def row(doi, receipt=0, **changes):
    return {"receipt": receipt, "event": {"state": "unknown", "obj": {"pid": doi}} | changes}


async def carry(database, *parcels, source=True, **options):  # noqa: F811
    """Carry parcels; the sink, the source, and of each DOI whether it was delivered."""
    sink, given = Sink(), Source() if source else None
    delivery = Delivery(database, sink, given, again=(3600, 3600), **options)
    done = {}
    for parcel in parcels:
        parcel.delivered = lambda stored, doi=parcel.item.doi: done.update({doi: stored})
    delivery.start()
    for parcel in parcels:
        delivery.put(parcel)
    await delivery.close(20)
    assert delivery.pending == 0
    return sink, given, done


async def test_what_cannot_be_stored_is_refused_and_keeps_back_no_other(database, caplog):  # noqa: F811
    bad = whole(TWO)
    bad.provenance = {"title": {"source": None, "at": "now"}}
    items = [whole(ONE), bad, whole(THREE)]
    sink, source, done = await carry(database, *(Parcel(item=item, rows=[row(item.doi, n)]) for n, item in enumerate(items)))
    assert done == {ONE: True, TWO: False, THREE: True}
    assert [key for key, _ in sink.sent] == [ONE, THREE]
    assert source.acknowledged == [0, 2]
    ((receipt, reason),) = source.refused
    assert receipt == 1
    assert "null" in reason.lower()
    assert f"{TWO} cannot be stored" in caplog.text


@pytest.mark.parametrize("item", [whole(TWO), lost(TWO)])
async def test_an_event_that_cannot_be_written_is_refused_and_keeps_back_no_other(database, item):  # noqa: F811
    parcels = [Parcel(item=whole(ONE), rows=[row(ONE, 0)]), Parcel(item=item, rows=[row(TWO, 1, n=2**65)])]
    sink, source, done = await carry(database, *parcels)
    assert done == {ONE: True, TWO: False}
    assert {key for key, _ in sink.sent} == {ONE}
    assert [receipt for receipt, _ in source.refused] == [1]


async def test_names_are_stored_however_long_they_are(database):  # noqa: F811
    name = " ".join(f"word{n}" for n in range(4000))
    item = whole(ONE, authors=[author(name), author("Ann Miller")], subjects=[name])
    _, _, done = await carry(database, Parcel(item=item), Parcel(item=lost(TWO), rows=[row(TWO, id=name)]))
    assert done == {ONE: True, TWO: True}
    record = database.load([ONE])[ONE].publication["record"]
    assert [one["name"] for one in record["authors"]] == [name, "Ann Miller"]


async def test_events_without_an_id_or_with_anothers_wait_all_the_same(database):  # noqa: F811
    rows = [row(ONE, 0), row(ONE, 1, n=1), row(ONE, 2, id="1")]
    await carry(database, Parcel(item=lost(ONE), rows=rows), Parcel(item=lost(TWO), rows=[row(TWO, 3, id="1")]))
    sink, _, _ = await carry(database, Parcel(item=whole(ONE)), Parcel(item=whole(TWO)))
    assert sorted(key for key, _ in sink.sent) == [ONE] * 3 + [TWO]
    again, _, _ = await carry(database, Parcel(item=whole(ONE)), Parcel(item=whole(TWO)))
    assert again.sent == []


async def test_an_event_that_waited_and_comes_again_is_sent_once(database):  # noqa: F811
    await carry(database, Parcel(item=lost(ONE), rows=[row(ONE)]))
    sink, _, _ = await carry(database, Parcel(item=whole(ONE), rows=[row(ONE, 1)]))
    assert len(sink.sent) == 1


async def test_an_event_waits_for_whoever_sends_events(database):  # noqa: F811
    now = datetime.now(UTC)
    await carry(database, Parcel(item=lost(ONE), rows=[row(ONE)]))
    assert database.due(now, 10) == []
    listed, _, _ = await carry(database, Parcel(item=whole(ONE)), source=False)
    assert listed.sent == [], "into the lines of one run"
    assert database.due(now, 10) == [ONE], "found, and its event waits"
    out, _, _ = await carry(database, Parcel(item=whole(ONE)), source=False, unasked=True)
    assert len(out.sent) == 1
    assert database.due(now, 10) == []


async def test_who_is_not_asked_does_not_put_off_the_next_time(database):  # noqa: F811
    await carry(database, Parcel(item=lost(ONE, "abstract", "title")))
    before = database.load([ONE])[ONE]
    await asyncio.sleep(0.01)
    await carry(database, Parcel(item=lost(ONE, "doi"), rows=[row(ONE)], anew=False))
    after = database.load([ONE])[ONE]
    assert (after.next_try, after.missing) == (before.next_try, ["abstract", "title"])
    assert len(database.waiting_events([ONE])[ONE]) == 1
    await carry(database, Parcel(item=lost(ONE, "title")))
    assert database.load([ONE])[ONE].next_try > before.next_try
    assert database.load([ONE])[ONE].next_try - datetime.now(UTC) < timedelta(hours=2)


async def test_should_it_ever_fail_somebody_is_told(tmp_path, caplog):
    delivery, told_ = Delivery(Database(str(tmp_path / "x")), Sink(), again=(1, 1)), []

    def broken(stored):
        raise ValueError("a bug")

    delivery.start(lambda: told_.append("died"))
    delivery.put(Parcel(item=lost(ONE), delivered=broken))
    await delivery.close(5)
    assert told_ == ["died"]
    assert "nothing is stored any more" in caplog.text


def test_a_database_with_other_columns_is_refused(tmp_path):
    with Database(str(tmp_path / "x")).engine.begin() as connection:
        connection.execute(text("CREATE TABLE publication (doi VARCHAR PRIMARY KEY)"))
    with pytest.raises(Exception, match="no such column: publication"):
        Database(str(tmp_path / "x")).prepare()
