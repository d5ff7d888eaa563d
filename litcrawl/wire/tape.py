"""One betamax cassette: how exchanges are written down, found again, and saved."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import defaultdict, deque
from collections.abc import Hashable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from betamax import BaseSerializer, Betamax
from betamax.cassette import Cassette, Interaction
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    UnsupportedURLSchemeError,
)
from scrapy.http import Headers, Response

from litcrawl.exceptions import Miss
from litcrawl.terms import Reason
from litcrawl.wire.errors import CassetteMiss, CertificateError, CutShort, StalePart
from litcrawl.wire.redaction import Redactor, is_secret
from litcrawl.wire.response import SpooledResponse

_PLAIN = {
    error.__name__: error
    for error in (
        CannotResolveHostError,
        CertificateError,
        DownloadConnectionRefusedError,
        DownloadFailedError,
        DownloadTimeoutError,
        StalePart,
        UnsupportedURLSchemeError,
    )
}
RECORDED: tuple[type[Exception], ...] = (CutShort, Miss, *_PLAIN.values())
"""The exceptions that are recorded as the outcome of a request, and raised again on playing."""


class PrettyJson(BaseSerializer):
    """JSON that can be read and compared, in UTF-8 on every platform."""

    name = "litcrawl"
    stored_as_binary = True

    @staticmethod
    def generate_cassette_name(cassette_library_dir: str, cassette_name: str) -> str:
        return str(Path(cassette_library_dir) / f"{cassette_name}.json")

    def serialize(self, cassette_data: dict[str, Any]) -> bytes:
        return json.dumps(cassette_data, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"

    def deserialize(self, cassette_data: bytes) -> dict[str, Any]:
        return json.loads(cassette_data) if cassette_data.strip() else {}


Betamax.register_serializer(PrettyJson)


class Secrets:
    """
    What stands on a cassette in place of keys and contact.

    Placeholders, plain and as URLs hold them, from which the bytes come back on playing; and at last, where other forms are
    left, no way back.
    """

    def __init__(self, values: dict[str, str]):
        forms = {f"<{name}>": value for name, value in values.items() if is_secret(value)}
        forms |= {f"<{name} quoted>": quoted for name, value in values.items() if (quoted := quote(value, safe="")) != value}
        # The longest first: one may hold another.
        self.placeholders = [
            {"placeholder": name, "replace": value} for name, value in sorted(forms.items(), key=lambda form: -len(form[1]))
        ]
        self._redactor = Redactor(values.values())

    def redact(self, recorded: Any) -> Any:
        """A recorded exchange, or a part of it, without them."""
        match recorded:
            case str():
                return self._redactor.text(recorded)
            case list():
                return [self.redact(each) for each in recorded]
            case dict():
                return {name: each if name == "base64_string" else self.redact(each) for name, each in recorded.items()}
        return recorded


class Tape(Cassette):
    """The cassette of one host. Recorded answers to a request play in their order, and the last of them again and again."""

    def __init__(self, folder: Path, name: str, mode: str, secrets: Secrets):
        self._secrets = secrets
        try:
            super().__init__(name, PrettyJson.name, record_mode=mode, cassette_library_dir=str(folder), placeholders=secrets.placeholders)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:  # looked at before the crawl, and changed since
            raise CassetteMiss(f"{folder / name}.json is no cassette: {type(error).__name__}: {error}") from None
        self._to_play: defaultdict[Hashable, deque[Interaction]] = defaultdict(deque)
        for interaction in self.interactions:
            recorded = interaction.data["request"]
            self._to_play[_key(recorded["method"], recorded["uri"], body_of(recorded))].append(interaction)
        self._changed = False

    def find_match(self, request: Request) -> Interaction | None:
        """The next recorded answer; what this very run recorded is not played back to it."""
        recorded = self._to_play.get(_key(request.method, request.url, request.body))
        if not recorded:
            return None
        return recorded.popleft() if len(recorded) > 1 else recorded[0]

    def save_interaction(self, outcome: Response | Exception, request: Request) -> Interaction:
        """Append; in mode `all`, in place of what was recorded of this request before."""
        for outdated in self._to_play.pop(_key(request.method, request.url, request.body), ()):
            self.interactions.remove(outdated)
        self._changed = True
        return super().save_interaction(outcome, request)

    def serialize_interaction(self, outcome: Response | Exception, request: Request) -> dict[str, Any]:
        return {
            "request": {
                "method": request.method,
                "uri": request.url,
                "headers": {name: each for name, each in _header_lists(request.headers).items() if name != "Proxy-Authorization"},
                "body": _readable(request.body),
            },
            "response": _recorded_error(outcome) if isinstance(outcome, Exception) else _recorded_response(outcome),
            "recorded_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        }

    def sanitize_interactions(self) -> None:
        super().sanitize_interactions()
        for interaction in self.interactions:
            interaction.data = self._secrets.redact(interaction.data)

    def eject(self) -> None:
        """Write the file, all of it or nothing."""
        if not self._changed:
            return
        path = Path(self.serializer.cassette_path)
        fresh = path.with_suffix(".new")
        self.serializer.cassette_path = str(fresh)
        super().eject()
        fresh.replace(path)


def _key(method: str, url: str, body: bytes) -> Hashable:
    """What makes two requests one: not the order of the query's parameters, nor the fragment."""
    parts = urlsplit(url)
    return method, parts.scheme, parts.netloc.lower(), parts.path or "/", *sorted(parse_qsl(parts.query, keep_blank_values=True)), body


def _recorded_response(response: Response) -> dict[str, Any]:
    body = Path(response.spool.path).read_bytes() if isinstance(response, SpooledResponse) else response.body
    return {
        "status": {"code": response.status, "message": ""},
        "headers": _header_lists(response.headers),
        "body": _readable(body),
        "url": response.url,
        **({"flags": response.flags} if response.flags else {}),
    }


def _recorded_error(error: Exception) -> dict[str, Any]:
    """An exchange that ended without an answer, in a response's place: status 0, and what was raised."""
    raised: dict[str, Any] = {"type": type(error).__name__, "text": str(error)}
    if isinstance(error, CutShort):
        raised["received"] = error.received
    if isinstance(error, Miss):
        raised |= {"type": "Miss", "reason": error.reason, "text": error.detail}
    return {"status": {"code": 0, "message": ""}, "headers": {}, "body": _readable(b""), "url": "", "raised": raised}


def error_of(response: dict[str, Any], request: Request) -> Exception | None:
    """The exception that stands in a recorded response's place, with its mark in `request.meta`; None: it is a response."""
    raised = response.get("raised")
    if raised is None:
        return None
    if raised["type"] == "Miss":
        return Miss(Reason(raised["reason"]), raised["text"])
    if raised["type"] == "CutShort":
        request.meta["received"] = [*request.meta.get("received", ()), raised["received"]]
        return CutShort(raised["text"], raised["received"])
    return _PLAIN[raised["type"]](raised["text"])


def _header_lists(headers: Headers) -> dict[str, list[str]]:
    return {name.decode("latin-1"): [value.decode("latin-1") for value in values] for name, values in headers.items()}


def headers_of(response: dict[str, Any]) -> Headers:
    """The headers of a recorded response, to the byte."""
    return Headers({name: [value.encode("latin-1", "replace") for value in values] for name, values in response["headers"].items()})


def _readable(body: bytes) -> dict[str, Any]:
    """Text as text: it can be read, and betamax puts placeholders into nothing else."""
    try:
        return {"encoding": "utf-8", "string": body.decode()}
    except UnicodeDecodeError:
        return {"encoding": None, "base64_string": b64encode(body).decode()}


def body_of(message: dict[str, Any]) -> bytes:
    """The body of a recorded request or response."""
    body = message["body"]
    return b64decode(body["base64_string"]) if "base64_string" in body else body["string"].encode()
