"""`python -m benchmarks.parts`: processor time of each part of our own code for one article, without engine and network."""

from __future__ import annotations

import hashlib
import timeit
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from scrapy.http import Response
from scrapy.settings import Settings

from benchmarks import articles
from litcrawl import ladder, verdict
from litcrawl import ticket as tickets
from litcrawl.ids import Ids
from litcrawl.parsers import jats, xml
from litcrawl.pipelines.licence import LicencePipeline
from litcrawl.spiders.pmc_oa_s3 import PmcOaS3
from litcrawl.store import Store
from litcrawl.terms import Reason

_TIMES = 50


def main() -> None:
    """Walk one article down its ladder, and time what each step calls."""
    (pmcid,) = articles.pmcids(1)
    text = articles.full_text(pmcid, articles.LARGE)
    source = PmcOaS3(Settings())
    rungs = {source.name: source}
    new = tickets.new(pmcid, f"pmc/{pmcid}", Ids(pmcid=pmcid), want=["xml"], rungs=rungs)
    asked, call = ladder.next_step(new, rungs)
    listed = Response("https://localhost/", body=articles.listing(pmcid, articles.LARGE))
    served = Response("https://localhost/", body=text)
    links = _timed("listing: read", lambda: list(source.read(call or {}, listed, tickets.question(asked))))
    linked = _timed("listing: ticket", lambda: ladder.record(asked, call or {}, links, Reason.OK))
    due, step = ladder.next_step(linked, rungs)
    root = _timed("XML: parse", lambda: xml.parse(text).root)
    _timed("XML: evidence", lambda: jats.evidence(root))
    _timed("XML: SHA-256 and MD5", lambda: (hashlib.sha256(text), hashlib.md5(text, usedforsecurity=False)))
    found = _timed("XML: proof (the three above, and the checks)", lambda: list(source.read(step or {}, served, tickets.question(due))))
    recorded = _timed("XML: ticket", lambda: ladder.record(due, step or {}, found, Reason.OK))
    done, _ = ladder.next_step(recorded, rungs)
    article = _timed("article: verdict and licence", lambda: LicencePipeline().process_item(verdict.article(done, [], rungs, "run")))
    line = _timed("feed: a line", lambda: orjson.dumps(article.to_dict()))
    with TemporaryDirectory(prefix="litcrawl-benchmark-") as name:
        store = Store(Path(name))
        store.prepare()
        _timed("store: is it there", lambda: store.find(Ids(pmcid=pmcid)))
        _timed("store: body.xml", lambda: store.put(f"pmc/{pmcid}/body.xml", text))
        _timed("store: article.json", lambda: store.put_article(orjson.loads(line)))
        store.close()


def _timed(what: str, call: Callable[[], Any]) -> Any:
    print(f"{min(timeit.repeat(call, number=_TIMES, repeat=7)) / _TIMES * 1000:7.3f} ms  {what}")
    return call()


if __name__ == "__main__":
    main()
