"""Events from and to Kafka, with aiokafka on the crawl's own loop: https://aiokafka.readthedocs.io/"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Coroutine, Iterable, Mapping, Sequence
from typing import Any

import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import KafkaError, MessageSizeTooLargeError, RecordListTooLargeError

from litcrawl.exceptions import Malformed
from litcrawl.ids import Ids
from litcrawl.publications import events
from litcrawl.publications.address import Address
from litcrawl.publications.events import Event
from litcrawl.publications.offsets import Offsets, Receipt
from litcrawl.publications.sinks import SinkDown

logger = logging.getLogger(__name__)

_TOO_LARGE = (MessageSizeTooLargeError, RecordListTooLargeError)
_SIZES = (lambda event: event, events.lighter)
_INSTEAD = ("without references and citations", "to the dead letters")
_LEAST = 0.5  # seconds to close a client, however long others took
_LONGEST_KEY = 1000  # bytes of a dead letter's
_AT_ONCE = 200  # messages of a read
_LONG = 24 * 3600 * 1000  # milliseconds: while publications wait for a slow service no message is asked for, and that is no failure


class KafkaSink:
    """Events to their topics, keyed by DOI; they are safe once all replicas in sync have them."""

    def __init__(self, address: Address, options: Mapping[str, Any]) -> None:
        self._options = {"bootstrap_servers": list(address.servers), "acks": "all", "linger_ms": 5, **options}
        self._producer: Any = None

    async def send(self, events_: Sequence[tuple[str, Event]]) -> None:
        """Events to their topics; what is too large for a message goes without the lists of others, or to the dead letters."""
        for n, size in enumerate(_SIZES):
            refused = await self.put([(events.topic(event), doi, size(event)) for doi, event in events_], left=events_)
            events_ = [events_[one] for one in refused]
            if not events_:
                return
            logger.error("%s: too large for the broker: sent %s", ", ".join(doi for doi, _ in events_[:5]), _INSTEAD[n])
        letters = []
        for doi, event in events_:
            topic = events.topic(event)
            letters.append((topic + events.DEAD_LETTER, doi, events.dead_letter(orjson.dumps(event), "too large", topic=topic)))
        await self.put(letters, left=events_)

    async def put(self, messages: Sequence[tuple[str, str | None, Any]], left: Sequence[tuple[str, Event]] = ()) -> list[int]:
        """
        Take messages: topic, key, value; the numbers of those that are too large for the broker.

        Raises `SinkDown`, with those of the events in `left` that are not taken.
        """
        pending: list[Any] = []
        try:
            if self._producer is None:
                self._producer = await self._started()
            for topic, key, value in messages:
                pending.append(await self._handed_over(topic, orjson.dumps(value), key.encode() if key else None))
        except KafkaError as error:
            pending += [_failed(error)] * (len(messages) - len(pending))
        answers = await asyncio.gather(*pending, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, KafkaError):
                raise answer
        refused = [n for n, answer in enumerate(answers) if isinstance(answer, _TOO_LARGE)]
        down = [n for n, answer in enumerate(answers) if isinstance(answer, BaseException) and n not in set(refused)]
        if down:
            again = [one for n, one in enumerate(left) if isinstance(answers[n], BaseException)]
            raise SinkDown(f"Kafka: {answers[down[0]]}", again)
        return refused

    async def _handed_over(self, topic: str, value: bytes, key: bytes | None) -> Any:
        """The answer to come."""
        try:
            return await self._producer.send(topic, value, key=key)
        except _TOO_LARGE as error:
            return _failed(error)

    async def close(self, patience: float) -> None:
        if self._producer is not None:
            await _within(patience, self._producer.stop())

    async def _started(self) -> Any:
        producer = AIOKafkaProducer(**self._options)
        try:
            await producer.start()
        except KafkaError:
            await producer.stop()
            raise
        return producer


def _failed(error: Exception) -> asyncio.Future[Any]:
    answer = asyncio.get_running_loop().create_future()
    answer.set_exception(error)
    return answer


async def _within(patience: float, closing: Coroutine[Any, Any, Any]) -> None:
    """Close a client that says goodbye to its broker; one that is away would be waited for, for a minute."""
    try:
        await asyncio.wait_for(closing, patience)
    except TimeoutError:
        logger.warning("Kafka: the broker did not answer when the crawl ended")


class KafkaSource:
    """
    Events of a topic as rows of a list, each with its receipt.

    What is no event of an unknown publication goes to the topic's dead letters, with the reason. An offset is committed when its
    message and all before it have been answered: what is open when the crawl ends, or is killed, is handed out again.
    """

    def __init__(self, address: Address, options: Mapping[str, Any]) -> None:
        assert address.topic
        self.topic = address.topic
        self._options = {"bootstrap_servers": list(address.servers), **options}
        self._address = address
        self._offsets: Offsets[TopicPartition] = Offsets()
        self._dead_letters = KafkaSink(address, options)
        self._consumer: Any = None
        self._number = 0

    async def rows(self, *, every: float, idle: float | None = None) -> AsyncGenerator[dict[str, Any] | None]:
        """The rows, for ever; None for every `every` seconds without one; to the end after `idle` seconds without one."""
        self._consumer = AIOKafkaConsumer(
            group_id=self._address.group,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            session_timeout_ms=self._address.session_timeout_ms,
            heartbeat_interval_ms=max(1, self._address.session_timeout_ms // 10),
            max_poll_interval_ms=_LONG,
            **self._options,
        )
        self._consumer.subscribe([self.topic], listener=_Forgetting(self._offsets))
        await self._until_well("started", self._consumer.start)
        last = time.monotonic()
        while idle is None or time.monotonic() - last < idle:
            records = await self._until_well("read", lambda: self._consumer.getmany(timeout_ms=int(every * 1000), max_records=_AT_ONCE))
            generations = {partition: self._offsets.generation(partition) for partition in records}
            for partition, messages in records.items():
                for message in messages:
                    if self._offsets.generation(partition) != generations[partition]:
                        break  # the group shared out its partitions anew meanwhile: the rest of the batch comes again, here or elsewhere
                    row = await self._row(message, self._offsets.taken(partition, message.offset))
                    if row is not None:
                        yield row
            if records:
                last = time.monotonic()  # after they were taken in: that may have waited for room
            else:
                yield None

    async def acknowledge(self, receipts: Iterable[Receipt[Any]]) -> None:
        offsets = self._offsets.done(receipts)
        mine = self._consumer.assignment() if self._consumer is not None else set()
        due = {partition: offset for partition, offset in offsets.items() if partition in mine}
        if not due:
            return
        try:
            await self._consumer.commit(due)
        except KafkaError as error:  # handed out again at worst; the next commit of the partition includes it
            logger.warning("Kafka: offsets could not be committed (%s)", error)

    @property
    def open(self) -> int:
        """How many messages are handed out and not answered."""
        return self._offsets.open

    async def close(self, patience: float) -> None:
        """Leave the group."""
        ends = time.monotonic() + patience
        if self._consumer is not None:
            await _within(patience, self._consumer.stop())
        await self._dead_letters.close(max(_LEAST, ends - time.monotonic()))

    async def refuse(self, row: Mapping[str, Any], reason: str) -> None:
        """A message that cannot be answered goes to the dead letters, and is done with."""
        partition, offset, _ = row["receipt"]
        await self._bury(partition.partition, offset, row["ids"].doi.encode(), orjson.dumps(row["event"]), reason)
        await self.acknowledge([row["receipt"]])

    async def _row(self, message: Any, receipt: Receipt[Any]) -> dict[str, Any] | None:
        try:
            doi, event = events.read(message.value)
        except Malformed as malformed:
            await self._bury(message.partition, message.offset, message.key, message.value or b"", str(malformed))
            await self.acknowledge([receipt])
            return None
        self._number += 1
        return {"row": self._number, "ids": Ids(doi=doi), "event": event, "receipt": receipt}

    async def _bury(self, partition: int, offset: int, key: bytes | None, value: bytes, reason: str) -> None:
        logger.warning("%s, partition %d, offset %d: dead letter: %s", self.topic, partition, offset, reason)
        letter = events.dead_letter(value, reason, topic=self.topic, partition=partition, offset=offset)
        message = self.topic + events.DEAD_LETTER, (key or b"")[:_LONGEST_KEY].decode("utf-8", "replace") or None, letter
        await self._until_well("written to", lambda: self._dead_letters.put([message]))

    async def _until_well(self, what: str, call: Any) -> Any:
        """Wait for a broker that is away."""
        pause = 0.5
        while True:
            try:
                return await call()
            except (KafkaError, SinkDown) as error:
                logger.warning("%s cannot be %s (%s): waiting for the broker", self.topic, what, error)
                await asyncio.sleep(pause)
                pause = min(pause * 2, 30.0)


class _Forgetting(ConsumerRebalanceListener):
    """What a partition had open is handed out again, by us or another member of the group, once it is shared out anew."""

    def __init__(self, offsets: Offsets[Any]) -> None:
        self._offsets = offsets

    async def on_partitions_revoked(self, revoked: Iterable[Any]) -> None:
        self._offsets.forget(revoked)

    async def on_partitions_assigned(self, assigned: Iterable[Any]) -> None:
        """They begin at what was committed."""
