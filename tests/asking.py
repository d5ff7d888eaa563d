"""One source, asked and answered without a crawl."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pytest
from crawling import project_settings
from scrapy.http import Response

from litcrawl.exceptions import Miss
from litcrawl.ids import Ids
from litcrawl.items import Link, Step
from litcrawl.source import Finding, Question, Source
from litcrawl.terms import Reason, Want


def question(*want: str, versions: tuple[str, ...] = ("latest",), gated: bool = False, **ids: str) -> Question:
    return Question(ids=Ids(**ids), want=frozenset(Want(one) for one in want), versions=versions, gated=gated)


def source(kind: type[Source], **settings: Any) -> Source:
    return kind(project_settings(**settings))


def plan(of: Source, finding: Step | Link) -> dict[str, Any]:
    """The finding as it stands in a ticket: plain JSON."""
    plain = {"source": of.name, **asdict(finding)}
    if isinstance(finding, Link):
        plain["step"] = plain.pop("want")
    return json.loads(json.dumps(plain))


def first(of: Source, asked: Question) -> Step | Link:
    """The one thing that a source begins with."""
    (finding,) = of.ask(asked)
    return finding


def read(
    of: Source,
    finding: Step | Link,
    asked: Question,
    body: bytes | str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> list[Finding]:
    """What the source makes of this answer to the request that it built."""
    step = plan(of, finding)
    request = of.request(step, "key")
    content = body if isinstance(body, bytes) else body.encode()
    return list(of.read(step, Response(request.url, status=status, headers=headers or {}, body=content, request=request), asked))


def missed(of: Source, finding: Step | Link, asked: Question, body: bytes | str = b"", **answer: Any) -> Reason:
    """Why this answer does not bring what the step was for."""
    with pytest.raises(Miss) as caught:
        read(of, finding, asked, body, **answer)
    return caught.value.reason
