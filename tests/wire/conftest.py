"""Raw servers, and a transport with small limits."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from ssl import SSLContext

import pytest
from rawserver import Upstream
from scrapy.settings import Settings

from litcrawl.wire.transport import Transport


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., Awaitable[Upstream]]]:
    """Start a server: `await serve(b"answer")`, `await serve([first, second, last…])` or `await serve(async_function)`."""
    started: list[Upstream] = []

    async def start(answers, tls: SSLContext | None = None) -> Upstream:
        script = [answers] if isinstance(answers, bytes) else answers

        async def from_script(head: bytes, writer: asyncio.StreamWriter) -> None:
            writer.write(script.pop(0) if len(script) > 1 else script[0])

        upstream = await Upstream(answers if callable(answers) else from_script).start(tls)
        started.append(upstream)
        return upstream

    yield start
    for upstream in started:
        await upstream.stop()


@pytest.fixture
def values(tmp_path: Path) -> dict[str, str | int]:
    """All settings that the wire cannot do without, with small limits."""
    return {
        "LITCRAWL_OUT": str(tmp_path / "out"),
        "LITCRAWL_STREAM_SIZE": 100_000,
        "LITCRAWL_MAX_FILE_SIZE": 10_000_000,
        "LITCRAWL_MIN_FREE": 0,
        "DOWNLOAD_MAXSIZE": 1_000_000,
        "DOWNLOAD_TIMEOUT": 20,
        "CONCURRENT_REQUESTS": 16,
    }


@pytest.fixture
def settings(values: dict[str, str | int]) -> Settings:
    return Settings(values)


@pytest.fixture
async def transport_with(settings: Settings) -> AsyncIterator[Callable[..., Transport]]:
    """A transport with other settings than those above."""
    made: list[Transport] = []

    def make(**changes: int | float) -> Transport:
        settings.update(changes)
        made.append(Transport(settings))
        return made[-1]

    yield make
    for transport in made:
        await transport.close()


@pytest.fixture
def transport(transport_with: Callable[..., Transport]) -> Transport:
    return transport_with()


@pytest.fixture
def parts(tmp_path: Path) -> Callable[[], list[str]]:
    """The names of what lies in `.parts`."""
    return lambda: sorted(path.name for path in (tmp_path / "out" / ".parts").glob("*"))
