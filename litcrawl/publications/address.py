"""Brokers of Kafka: where they are, and how to sign in. The client itself is loaded where one is named."""

from __future__ import annotations

import re
import socket
import ssl
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from scrapy.settings import BaseSettings

from litcrawl.exceptions import BadArgument

SCHEME = "kafka://"
GROUP = "pub-finder-worker"  # the Pubfinder's own

_PORT = 9092
_REACHED = 5.0  # seconds that a broker has to take a connection at the start
_OPTIONS = {"group", "session_timeout_ms"}
_SECURITY = ("SECURITY_PROTOCOL", "SASL_MECHANISM", "USERNAME", "PASSWORD", "CAFILE")
_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


@dataclass(frozen=True, kw_only=True)
class Address:
    """A broker, or several of one cluster, and for reading a topic with the group that shares it."""

    servers: tuple[str, ...]
    topic: str | None = None
    group: str = GROUP
    session_timeout_ms: int = 45_000

    @classmethod
    def parse(cls, url: str, name: str, *, topic: bool) -> Self:
        """The address that `kafka://host:port[,host:port]/topic?group=…` gives. Raises `BadArgument`, which names the argument."""
        parts = urlsplit(url)
        if "@" in parts.netloc:
            raise BadArgument(f"{name}: no user or password in the address: set LITCRAWL_KAFKA_USERNAME and LITCRAWL_KAFKA_PASSWORD")
        servers = tuple(one if ":" in one else f"{one}:{_PORT}" for one in parts.netloc.split(",") if one)
        named = parts.path.strip("/")
        shape = "kafka://host:port/topic?group=…" if topic else "kafka://host:port"
        if not servers or not all(re.fullmatch(r".+:[0-9]{1,5}", one) for one in servers) or bool(named) is not topic or "/" in named:
            raise BadArgument(f"{name}={url}: give {shape}")
        options = dict(parse_qsl(parts.query))
        if unknown := options.keys() - (_OPTIONS if topic else set()):
            raise BadArgument(f"{name}: unknown {', '.join(sorted(unknown))}; known are {', '.join(sorted(_OPTIONS))}")
        timeout = options.get("session_timeout_ms", str(cls.session_timeout_ms))
        if not re.fullmatch(r"[0-9]{1,8}", timeout) or int(timeout) < 1:
            raise BadArgument(f"{name}: session_timeout_ms={timeout}: give milliseconds")
        return cls(servers=servers, topic=named or None, group=options.get("group", GROUP), session_timeout_ms=int(timeout))

    def check(self, name: str) -> None:
        """Raise `BadArgument`, one line, when the client is not installed or none of the brokers takes a connection."""
        if find_spec("aiokafka") is None:
            raise BadArgument(f"{name}: Kafka needs its client: pip install 'litcrawl[kafka]'")
        why: OSError | None = None
        for server in self.servers:
            host, _, port = server.rpartition(":")
            try:
                socket.create_connection((host, int(port)), timeout=_REACHED).close()
            except OSError as error:
                why = error
            else:
                return
        raise BadArgument(f"{name}: no broker at {', '.join(self.servers)} ({why and (why.strerror or why)})")


def security(settings: BaseSettings) -> dict[str, Any]:
    """How to sign in, by `LITCRAWL_KAFKA_…`. Raises `BadArgument`."""
    given = {name: str(value) for name in _SECURITY if (value := settings.get(f"LITCRAWL_KAFKA_{name}"))}
    protocol = given.get("SECURITY_PROTOCOL", "PLAINTEXT").upper()
    if protocol not in ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"):
        raise BadArgument("LITCRAWL_KAFKA_SECURITY_PROTOCOL: one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL")
    options: dict[str, Any] = {"security_protocol": protocol}
    if protocol.endswith("SSL"):
        try:
            options["ssl_context"] = ssl.create_default_context(cafile=given.get("CAFILE"))
        except OSError as error:
            raise BadArgument(f"LITCRAWL_KAFKA_CAFILE: {error.strerror or error}") from None
    if protocol.startswith("SASL"):
        if not {"USERNAME", "PASSWORD"} <= given.keys():
            raise BadArgument(f"LITCRAWL_KAFKA_SECURITY_PROTOCOL={protocol}: set LITCRAWL_KAFKA_USERNAME and LITCRAWL_KAFKA_PASSWORD")
        mechanism = given.get("SASL_MECHANISM", _MECHANISMS[0]).upper()
        if mechanism not in _MECHANISMS:
            raise BadArgument(f"LITCRAWL_KAFKA_SASL_MECHANISM: one of {', '.join(_MECHANISMS)}")
        options |= {
            "sasl_mechanism": mechanism,
            "sasl_plain_username": given["USERNAME"],
            "sasl_plain_password": given["PASSWORD"],
        }
    return options
