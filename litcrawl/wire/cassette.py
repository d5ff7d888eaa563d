"""Every exchange of a crawl as betamax cassettes, one file a host: whole crawls run offline, a failing one can be sent to somebody."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote, urlsplit

from scrapy import Request
from scrapy.http import Response
from scrapy.settings import BaseSettings

from litcrawl.items import Spool
from litcrawl.recording import folder_of, mode_of
from litcrawl.wire.body import Limits, respond
from litcrawl.wire.credentials import configured
from litcrawl.wire.errors import CassetteMiss
from litcrawl.wire.parts import Origin, Parts
from litcrawl.wire.tape import RECORDED, Secrets, Tape, body_of, error_of, headers_of
from litcrawl.wire.transport import Fetcher

_BLOCK = 1 << 20


class Cassette:
    """
    The layer on top: plays, or records what the layers below answer and raise (LITCRAWL_RECORD).

    `none` plays only; `once` records if the folder holds no cassette yet, else plays; `new_episodes` plays what is there and
    records the rest; `all` records everything anew. Cassettes are written when the crawl ends.

    Keys and contact are placeholders there, in text; odd forms of them are redacted for good. Bodies that are no UTF-8 are
    base64 of the bytes as they came, and are not looked into: a file that holds your contact still does.
    """

    def __init__(self, inner: Fetcher, settings: BaseSettings):
        self._inner = inner
        self._folder, self._mode = folder_of(settings), mode_of(settings)
        if self._mode != "none":
            self._folder.mkdir(parents=True, exist_ok=True)
        self._parts = Parts(settings["LITCRAWL_OUT"], settings.getint("LITCRAWL_MIN_FREE"))
        self._memory = Limits.of(settings).memory
        self._secrets = Secrets(configured(settings))
        self._tapes: dict[str, Tape] = {}

    async def fetch(self, request: Request) -> Response:
        """What was recorded, or what the layers below give now; `CassetteMiss` for a request that is not there in mode `none`."""
        tape = self._tape(request)
        recorded = tape.find_match(request) if tape and self._mode != "all" else None
        if recorded is not None:
            return await self._play(recorded.data["response"], request)
        if tape is None or self._mode == "none":
            raise CassetteMiss(f"{self._folder} holds no {request.method} {request.url}")
        try:
            response = await self._inner.fetch(request)
        except RECORDED as error:
            tape.save_interaction(error, request)
            raise
        await asyncio.to_thread(tape.save_interaction, response, request)
        return response

    async def close(self) -> None:
        while self._tapes:
            await asyncio.to_thread(self._tapes.popitem()[1].eject)
        await self._inner.close()

    def _tape(self, request: Request) -> Tape | None:
        name = quote(urlsplit(request.url).netloc.rpartition("@")[2].lower(), safe="")
        if name not in self._tapes:
            if self._mode == "none" and not (self._folder / f"{name}.json").exists():
                return None  # betamax would create it
            self._tapes[name] = Tape(self._folder, name, self._mode, self._secrets)
        return self._tapes[name]

    async def _play(self, recorded: dict[str, Any], request: Request) -> Response:
        error = error_of(recorded, request)
        if error:
            raise error
        status, content = recorded["status"]["code"], body_of(recorded)
        body: bytes | Spool = content
        if status == 200 and (name := request.meta.get("spool")) and len(content) > self._memory:
            body = await asyncio.to_thread(self._spooled, name, content)
        return respond(request, status, headers_of(recorded), body, ["cassette", *recorded.get("flags", ())])

    def _spooled(self, name: str, body: bytes) -> Spool:
        part = self._parts.create(name, Origin.unknown(), len(body))
        for start in range(0, len(body), _BLOCK):
            part.write(body[start : start + _BLOCK])
        return part.finish()
