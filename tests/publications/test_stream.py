"""Crawls of a topic: real messages of a broker in, real messages out."""

import asyncio
import json
import os
import signal
import sys
from uuid import uuid4

import pytest
from archive import WHOLE, archive, words
from broker import BROKER, broker_behind, committed, consume, event, needs_broker, produce
from lab import start
from loopback import Answer
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from litcrawl.publications import events
from litcrawl.publications.address import Address
from litcrawl.publications.database import Database

pytestmark = needs_broker

OUT = {"LITCRAWL_EVENTS": f"kafka://{BROKER}"}


@pytest.fixture
def topic():
    return f"events_{uuid4().hex}"


@pytest.fixture
def dois():
    stem = uuid4().hex
    return [f"10.5555/{stem}.{n}" for n in range(12)]


def source(topic, group="workers", at=BROKER):
    return f"kafka://{at}/{topic}?group={group}&session_timeout_ms=2000"


def stored(out):
    engine = create_engine(f"sqlite:///{out / 'publications.sqlite'}")
    with engine.connect() as connection:
        found = {doi for (doi,) in connection.execute(text("SELECT doi FROM publication"))}
    engine.dispose()
    return found


async def test_events_come_in_unknown_and_go_out_linked(tmp_path, topic, dois):
    one, two, *_ = dois
    first, second, plain, lost = event(one), event(one.upper()), event(two, relation_type="crossref"), event("10.5555/none")
    await produce(topic, first, second, plain, lost)
    async with archive(lister={one: WHOLE, two: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=source(topic), idle="2", settings=OUT)
        assert sum(one in path for path in world.asked) == 1, "one look-up"
    assert words(crawled) == {one: "complete", two: "complete", "10.5555/none": "not-found"}
    assert crawled.status == 0
    out = await consume("events_linked-discusses", wanted=2, keys={one})
    assert {value["id"] for _, value in out} == {first["id"], second["id"]}, "two events out"
    linked = next(value for _, value in out if value["id"] == first["id"])
    assert linked["obj"]["data"]["title"] == "On sentences"
    assert linked["subj"] == first["subj"]
    ((_, other),) = await consume("events_linked", wanted=1, keys={two})
    assert (other["id"], other["state"]) == (plain["id"], "linked")
    assert not await consume("events_linked-discusses", keys={"10.5555/none"})
    assert await committed(topic, "workers") == 4


async def test_what_is_no_event_goes_to_the_dead_letters(tmp_path, topic, dois):
    await produce(topic, b"{", {"state": "linked"}, event(dois[0]), event("no doi"))
    async with archive(lister={dois[0]: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=source(topic), idle="2", settings=OUT)
    assert words(crawled) == {dois[0]: "complete"}
    letters = [value for _, value in await consume(f"{topic}-dead-letter", wanted=3)]
    assert sorted(letter["reason"][:12] for letter in letters) == ["it names no ", "its state is", "no JSON: Exp"]
    assert {letter["topic"] for letter in letters} == {topic}
    assert "{" in {letter["value"] for letter in letters}
    assert await committed(topic, "workers") == 4


async def test_without_a_broker_for_them_events_are_lines_of_json(tmp_path, topic, dois):
    await produce(topic, sent := event(dois[0]))
    async with archive(lister={dois[0]: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=source(topic), idle="2")
    (line,) = [json.loads(one) for one in (crawled.run / "events.jsonl").read_bytes().splitlines()]
    assert (line["topic"], line["key"], line["event"]["id"]) == ("events_linked-discusses", dois[0], sent["id"])


async def test_an_event_waits_for_its_publication(tmp_path, topic, dois):
    known = {}
    await produce(topic, early := event(dois[0]))
    async with archive(lister=known) as world:
        await world.crawl(tmp_path, ids=source(topic), idle="2", settings=OUT | {"LITCRAWL_PUBLICATION_AGAIN": [0, 0]})
        assert await committed(topic, "workers") == 1
        known[dois[0]] = WHOLE
        crawled = await world.crawl(tmp_path, ids=source(topic), idle="2", settings=OUT)
    assert words(crawled) == {dois[0]: "complete"}, "asked for again, because it was due"
    ((_, out),) = await consume("events_linked-discusses", wanted=1, keys={dois[0]})
    assert out["id"] == early["id"]


async def test_a_database_that_goes_away_is_waited_for_and_nothing_is_lost(tmp_path, topic, dois, monkeypatch, caplog):
    save, calls = Database.save, []

    def broken(self, rows, now):
        calls.append(len(rows))
        if len(calls) < 3:
            raise OperationalError("INSERT", {}, Exception("server closed the connection unexpectedly"))
        save(self, rows, now)

    monkeypatch.setattr(Database, "save", broken)
    await produce(topic, *map(event, dois))
    async with archive(lister=dict.fromkeys(dois, WHOLE)) as world:
        crawled = await world.crawl(tmp_path, ids=source(topic), idle="4", settings=OUT)
    assert stored(tmp_path) == set(dois)
    assert crawled.status == 0
    assert "server closed the connection unexpectedly: waiting" in caplog.text
    assert {key for key, _ in await consume("events_linked-discusses", wanted=12, keys=set(dois))} == set(dois)
    assert await committed(topic, "workers") == 12


async def test_a_broker_that_goes_away_is_waited_for_and_nothing_is_lost(tmp_path, topic, dois):
    async with archive(lister=dict.fromkeys(dois, WHOLE)) as world, Proxy() as proxy, broker_behind(proxy) as address:
        await produce(topic, *map(event, dois), at=address)
        asked = asyncio.Event()
        world.first = lambda path, n: asked.set()
        settings = {"LITCRAWL_EVENTS": f"kafka://{address}"}
        crawling = asyncio.create_task(world.crawl(tmp_path, ids=source(topic, at=address), idle="6", settings=settings))
        await asked.wait()
        await proxy.cut(2)
        crawled = await crawling
        out = await consume("events_linked-discusses", wanted=12, at=address)
        done = await committed(topic, "workers", at=address)
    assert crawled.status == 0
    assert stored(tmp_path) == set(dois)
    assert {key for key, _ in out} == set(dois)
    assert done == 12


def listener(offsets):
    from litcrawl.publications.kafka import _Forgetting

    return _Forgetting(offsets)


def sink(at=BROKER):
    from litcrawl.publications.kafka import KafkaSink

    return KafkaSink(Address.parse(f"kafka://{at}", "LITCRAWL_EVENTS", topic=False), {})


def rows_of(topic, group="workers"):
    from litcrawl.publications.kafka import KafkaSource

    return KafkaSource(Address.parse(source(topic, group), "ids", topic=True), {})


async def test_an_event_too_large_for_the_broker_is_lighter_or_a_dead_letter_and_others_are_sent_once(dois):
    many = [{"doi": f"10.5555/{'x' * 60}{n}"} for n in range(15_000)]
    plain, review, huge = dois[:3]
    out = sink()
    await out.send(
        [
            (plain, events.linked(event(plain), {"refs": []})),
            (review, events.linked(event(review), {"title": "A review", "refs": many, "citations": many})),
            (huge, events.linked(event(huge, text="x" * 1_100_000), {"title": "A novel"})),
        ]
    )
    await out.close(5)
    sent = await consume("events_linked-discusses", wanted=2, keys=set(dois))
    assert sorted(key for key, _ in sent) == [plain, review]
    assert dict(sent)[review]["obj"]["data"] == {"doi": review, "title": "A review"}
    ((_, letter),) = await consume("events_linked-discusses-dead-letter", wanted=1, keys={huge})
    assert letter["reason"] == "too large"


async def test_a_message_of_more_than_a_megabyte_does_not_stop_the_stream(topic, dois):
    await produce(topic, b'"' * 3_000_000, event(dois[0], text="x" * 3_000_000), event(dois[1]), most=4_000_000)
    stream = rows_of(topic)
    found = [row["ids"].doi async for row in stream.rows(every=0.2, idle=2) if row]
    await stream.close(5)
    assert sorted(found) == dois[:2]
    ((_, letter),) = await consume(f"{topic}-dead-letter", wanted=1)
    assert letter["length"] == 3_000_000


async def test_a_stream_that_is_held_up_is_not_idle(topic, dois):
    await produce(topic, *map(event, dois * 20))
    stream, taken = rows_of(topic), 0
    async for row in stream.rows(every=0.2, idle=1):
        taken += row is not None
        if row and taken in (50, 200):
            await asyncio.sleep(1.2)
    await stream.close(5)
    assert taken == 240


async def test_partitions_that_are_shared_out_anew_make_nobody_commit_what_is_open(topic, dois):
    """What the client does then is done by hand: the broker of these tests takes its time to share out a group, or never does."""
    await produce(topic, *map(event, dois * 10))
    stream = rows_of(topic)
    rows, seen = stream.rows(every=0.2), []

    async def take(number):
        while number:
            if row := await anext(rows):
                seen.append(row["receipt"])
                number -= 1

    await take(50)
    consumer = stream._consumer
    await listener(stream._offsets).on_partitions_revoked(consumer.assignment())
    await consumer.seek_to_beginning()
    await take(120)
    before, after = seen[:50], seen[50:]
    assert len(set(after)) == 120, "from what was committed, and no more of the old batch"
    await stream.acknowledge(before)
    assert await committed(topic, "workers") == 0
    await stream.acknowledge(after)
    await rows.aclose()
    await stream.close(5)
    assert await committed(topic, "workers") == 120


class Proxy:
    """A way to the broker that can be cut."""

    def __init__(self):
        self.to = None
        self._writers = set()
        self._open = True

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self._server.close()
        self._drop()

    async def cut(self, seconds):
        self._open = False
        self._drop()
        await asyncio.sleep(seconds)
        self._open = True

    def _drop(self):
        for writer in list(self._writers):
            writer.close()

    async def _serve(self, reader, writer):
        if not self._open:
            writer.close()
            return
        inner_reader, inner_writer = await asyncio.open_connection(*self.to)
        self._writers |= {writer, inner_writer}
        await asyncio.gather(self._pass(reader, inner_writer), self._pass(inner_reader, writer))

    async def _pass(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()
            self._writers.discard(writer)


async def process(world, out, ids, *more):
    settings = world.settings(**OUT, LITCRAWL_OUT=str(out))
    texts = {name: _text(value) for name, value in settings.items()}
    given = [word for name, value in texts.items() for word in ("-s", f"{name}={value}")]
    return await start("crawl", "publications", "-a", f"ids={ids}", *given, *more, PYTHONPATH=os.pathsep.join(sys.path))


def _text(value):
    return json.dumps(value) if isinstance(value, dict) else ",".join(map(str, value)) if isinstance(value, list) else str(value)


async def until(condition):
    async with asyncio.timeout(60):
        while not await condition():  # noqa: ASYNC110 - another process's doing
            await asyncio.sleep(0.05)


async def test_a_stream_is_stopped_by_sigterm_and_ends_cleanly(tmp_path, topic, dois):
    await produce(topic, *map(event, dois))
    async with archive(lister=dict.fromkeys(dois, WHOLE)) as world:
        running = await process(world, tmp_path, source(topic))

        async def answered():
            return await committed(topic, "workers") == 12

        await until(answered)
        assert stored(tmp_path) == set(dois)
        running.child.send_signal(signal.SIGTERM)
        status, said = await running.end()
    assert status == 0, said
    assert '"ended_by": "signal"' in next((tmp_path / "runs").rglob("summary.json")).read_text()


async def test_a_killed_crawl_loses_no_event(tmp_path, topic, dois):
    await produce(topic, *map(event, dois))
    async with archive(lister=dict.fromkeys(dois, WHOLE)) as world:
        world.first = lambda path, n: Answer(body=b"{}", latency=30) if path.startswith("/list/") and dois[7] in path and n == 1 else None
        running = await process(world, tmp_path, source(topic, "killed"), "-s", "LITCRAWL_OPEN_ARTICLES=5")

        async def begun():
            return _count(tmp_path) >= 2

        await until(begun)
        running.kill()
        await running.end()
        assert await committed(topic, "killed") < 12
        world.first = None
        again = await world.crawl(tmp_path, ids=source(topic, "killed"), idle="4", settings=OUT)
    assert again.status == 0
    assert stored(tmp_path) == set(dois)
    out = await consume("events_linked-discusses", wanted=12, keys=set(dois))
    assert {key for key, _ in out} == set(dois)
    assert await committed(topic, "killed") == 12


def _count(out):
    try:
        return len(stored(out))
    except OperationalError:  # its tables are not there yet
        return 0


async def test_a_broker_that_is_down_at_the_start_is_one_line(tmp_path):
    running = await start("crawl", "publications", "-a", "ids=kafka://127.0.0.1:1/topic", "-s", f"LITCRAWL_OUT={tmp_path}")
    status, said = await running.end()
    assert (status, said.splitlines()[-1]) == (2, "litcrawl: ids: no broker at 127.0.0.1:1 (Connection refused)")
