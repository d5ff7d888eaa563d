"""What every spider and every source keeps to, whoever wrote it."""

import json
import re
from importlib import import_module
from pathlib import Path

import asking
import pytest
from crawling import project_settings
from scrapy import Request
from scrapy.http import Response
from scrapy.spiderloader import get_spider_loader

from litcrawl import ladder, names, ticket
from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import KINDS, Ids, key
from litcrawl.items import Link, Step
from litcrawl.resolver import Resolver
from litcrawl.source import Source
from litcrawl.sources import default_sources, known_sources
from litcrawl.spiders.base import LadderSpider
from litcrawl.spiders.publications import PublicationsSpider
from litcrawl.terms import FILE_WANTS, Reason, Want

SETTINGS = project_settings()
SPIDERS = {name: get_spider_loader(SETTINGS).load(name) for name in get_spider_loader(SETTINGS).list()}
SOURCES = dict(known_sources(SETTINGS))
RESOLVERS = {name: source for name, source in SOURCES.items() if issubclass(source, Resolver)}
HEADINGS = ["Serves", "Needs", "Pace", "Documentation", "Beware"]
# an article of which everything is known: any source that can be asked has something to ask
EVERYTHING = Ids(doi="10.1371/journal.pone.0000217", pmid="17375194", pmcid="PMC1790863", bookid="NBK32884", arxiv="2303.18112")

CONTACT = {"LITCRAWL_CONTACT": "someone@library.tld"}
OFF = {"biorxiv"}
"""Sources that only who asks for them by name gets."""


def built_with_key(source):
    """A source that can be asked, whatever key it wants."""
    return asking.source(source, **CONTACT, **({source.needs_key: "a-key-of-ours"} if source.needs_key else {}))


def known(source):
    """An article of which everything is known, with a DOI that can be this source's."""
    if source.registrants:
        return Ids(**(EVERYTHING.as_dict() | {"doi": f"{min(source.registrants)}/s0022"}))
    return Ids(**(EVERYTHING.as_dict() | {"doi": "10.1101/2024.04.01.587366"})) if source.name == "biorxiv" else EVERYTHING


every_spider = pytest.mark.parametrize("spider", SPIDERS.values(), ids=list(SPIDERS))
every_source = pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))
every_resolver = pytest.mark.parametrize("source", RESOLVERS.values(), ids=list(RESOLVERS))


def class_name(name: str) -> str:
    """`pmc_oa_s3` -> `PmcOaS3`."""
    return "".join(part.capitalize() for part in name.split("_"))


@every_spider
def test_a_spider_is_named_as_its_module(spider):
    assert spider.__module__ == f"litcrawl.spiders.{spider.name}"
    assert spider.__name__ == class_name(spider.name) + "Spider"
    assert issubclass(spider, LadderSpider | PublicationsSpider)


@every_spider
def test_a_spider_has_a_test_of_its_own(spider):
    tested = "test_crawl.py" if spider.name == "fetch" else f"spiders/test_{spider.name}.py"
    assert (Path(__file__).parent / tested).is_file()


@every_source
def test_a_source_is_named_as_its_spider(source):
    assert source.__name__ == class_name(source.name)
    assert SPIDERS[source.name].rungs_named == (source,)
    assert getattr(import_module(f"litcrawl.spiders.{source.name}"), source.__name__) is source


@every_source
def test_a_source_stands_in_the_ladder_s_setting(source):
    assert (source.name in default_sources(SETTINGS)) is (source.name not in OFF)


@every_source
def test_a_source_s_docstring_answers_the_five_questions(source):
    lines = [line for line in (source.__doc__ or "").splitlines() if line.strip()]
    assert [line.strip() for line in lines if re.match(r" {4}\S", line)] == HEADINGS
    told = re.split(r"^ {4}\S.*\n", source.__doc__ or "", flags=re.MULTILINE)[1:]
    assert all(len(one.strip()) > 5 for one in told), "a heading with nothing under it"
    assert "https://" in told[HEADINGS.index("Documentation")]


@every_source
def test_what_a_source_declares_means_something(source):
    assert issubclass(source, Source)
    assert source.requires <= set(KINDS)
    assert source.offers <= set(Want)
    assert source.offers or getattr(source, "provides", None), "it serves nothing"
    assert source.basis
    assert all(isinstance(reason, Reason) for reason in source.statuses.values())
    assert not vars(source(SETTINGS)).keys() - {"settings"}, "a source has no state"


@every_source
def test_a_source_declines_what_it_cannot_ask(source):
    built = asking.source(source)
    for lacking in source.requires:
        assert built.declines(Ids(**(EVERYTHING.as_dict() | {lacking: None}))) == Reason.NEEDS_ID
    assert (built.declines(EVERYTHING) == Reason.NEEDS_CONTACT) is source.needs_contact
    assert (built.declines(EVERYTHING) == Reason.NEEDS_KEY) is (source.needs_key is not None)
    assert built_with_key(source).declines(EVERYTHING) is None
    assert built_with_key(source).serves(known(source))


@every_source
def test_each_question_begins_with_requests_of_plain_data(source):
    built = built_with_key(source)
    for want in source.offers:
        asked = list(built.ask(asking.question(want, **known(source).as_dict())))
        assert asked, f"{want} is offered, and nothing asked"
        for finding in asked:
            assert isinstance(finding, Step | Link)
            plan = asking.plan(built, finding)
            assert plan["step"] in FILE_WANTS or callable(getattr(built, plan["step"], None))
            request = built.request(plan, key(EVERYTHING))
            assert isinstance(request, Request)
            assert request.url.startswith("https://")
            assert request.dont_filter
            assert "Accept-Encoding" in request.headers
            assert plan["step"] in FILE_WANTS or request.meta.get("follow", False) is source.follows, "an API's answer follows no redirect"
            assert "a-key-of-ours" not in f"{request.url} {request.headers} {request.meta}", "keys are joined on the wire"


@every_source
@pytest.mark.parametrize(
    ("status", "headers", "of_file"),
    [
        (401, {}, Reason.DENIED),
        (403, {}, Reason.DENIED),
        (403, {"cf-mitigated": "challenge"}, Reason.BLOCKED),
        (503, {"cf-mitigated": "challenge"}, Reason.BLOCKED),
    ],
)
def test_who_is_not_let_in_has_heard_nothing_of_an_article(source, status, headers, of_file):
    built = built_with_key(source)
    for want in source.offers:
        asked = asking.question(want, **known(source).as_dict())
        finding = next(iter(built.ask(asked)))
        reason = of_file if isinstance(finding, Link) or source.follows else Reason.UNAVAILABLE
        if not headers:
            reason = source.statuses.get(status, reason)
        if source.needs_key and not headers:  # then it is about the key
            assert asking.missed(built, finding, asked, status=status) not in (Reason.ABSENT, Reason.DENIED)
            continue
        assert asking.missed(built, finding, asked, status=status, headers=headers) == reason


@every_source
def test_a_source_s_ticket_survives_json(source):
    built, ids = built_with_key(source), known(source)
    fresh = ticket.new(key(ids), names.folder(key(ids)), ids, want=list(source.offers), rungs=[source.name])
    opened, plan = ladder.next_step(fresh, {source.name: built})
    assert (plan is not None) is bool(source.offers)
    assert json.loads(json.dumps([opened, plan])) == [opened, plan]
    recorded = ladder.record(opened, plan, [], Reason.TIMEOUT) if plan else opened
    assert json.loads(json.dumps(recorded)) == recorded


@every_resolver
def test_what_a_resolver_declares_means_something(source):
    built = asking.source(source, LITCRAWL_OPENALEX_API_KEY="key")
    assert set(source.accepts) <= set(KINDS)
    assert len(source.accepts) == len(set(source.accepts)) > 0
    assert source.provides <= set(KINDS)
    assert source.speaks_for <= SOURCES.keys()
    assert built.batches() is (source.most > 1)
    assert source.but <= SOURCES.keys()
    assert source.origin is None or set(source.origin) == {"title", "url", "license"}


@every_resolver
def test_a_call_for_many_is_one_bare_request(source):
    built = asking.source(source, LITCRAWL_OPENALEX_API_KEY="key")
    values = {
        "doi": [f"10.1371/journal.pone.{n:07}" for n in range(source.most)],
        "pmid": [str(17375194 + n) for n in range(source.most)],
        "pmcid": [f"PMC{1790863 + n}" for n in range(source.most)],
        "arxiv": [f"2303.{n:05}" for n in range(source.most)],
    }
    for kind in source.accepts:
        for count in (1, source.most):
            request = built.request_batch(kind, values[kind][:count])
            assert request.url.startswith("https://")
            assert "Accept-Encoding" in request.headers
            assert request.meta == ({"follow": True} if source.follows else {}), "the engine knows nothing of it but what it asks"
            assert "key" not in request.url.partition("?")[2], "keys are joined on the wire"


@every_resolver
@pytest.mark.parametrize("body", [b"", b"<html>", b"null", b"7", b'"no"', b"{}", b'{"message": "Internal error"}'])
def test_an_answer_that_is_none_says_nothing_of_an_identifier(source, body):
    """Absence must be stated: an answer of another shape is no word on any article."""
    built = asking.source(source, LITCRAWL_OPENALEX_API_KEY="key")
    for kind in source.accepts:
        if kind in ("doi", "pmid"):
            values = ["10.1371/journal.pone.0000217", "10.1371/journal.pone.0000218"] if kind == "doi" else ["17375194", "17375195"]
            response = Response(built.request_batch(kind, values).url, body=body)
            with pytest.raises((Malformed, Miss)):
                built.answers(response, kind, values)
