"""What every spider and every source keeps to, whoever wrote it."""

import json
import re
from importlib import import_module
from pathlib import Path

import asking
import pytest
from crawling import project_settings
from scrapy import Request
from scrapy.spiderloader import get_spider_loader

from litcrawl import ladder, names, ticket
from litcrawl.ids import KINDS, Ids, key
from litcrawl.items import Link, Step
from litcrawl.source import Source
from litcrawl.sources import default_sources, known_sources
from litcrawl.spiders.base import LadderSpider
from litcrawl.terms import FILE_WANTS, Reason, Want

SETTINGS = project_settings()
SPIDERS = {name: get_spider_loader(SETTINGS).load(name) for name in get_spider_loader(SETTINGS).list()}
SOURCES = dict(known_sources(SETTINGS))
HEADINGS = ["Serves", "Needs", "Pace", "Documentation", "Beware"]
# an article of which everything is known: any source that can be asked has something to ask
EVERYTHING = Ids(doi="10.1371/journal.pone.0000217", pmid="17375194", pmcid="PMC1790863", bookid="NBK32884", arxiv="2303.18112")

every_spider = pytest.mark.parametrize("spider", SPIDERS.values(), ids=list(SPIDERS))
every_source = pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))


def class_name(name: str) -> str:
    """`pmc_oa_s3` -> `PmcOaS3`."""
    return "".join(part.capitalize() for part in name.split("_"))


@every_spider
def test_a_spider_is_named_as_its_module(spider):
    assert spider.__module__ == f"litcrawl.spiders.{spider.name}"
    assert spider.__name__ == class_name(spider.name) + "Spider"
    assert issubclass(spider, LadderSpider)


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
    assert source.name in default_sources(SETTINGS)


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
    assert source.offers
    assert source.offers <= set(Want)
    assert source.basis
    assert all(isinstance(reason, Reason) for reason in source.statuses.values())
    assert not vars(source(SETTINGS)).keys() - {"settings"}, "a source has no state"


@every_source
def test_a_source_declines_what_it_cannot_ask(source):
    built = asking.source(source)
    for lacking in source.requires:
        assert built.declines(Ids(**(EVERYTHING.as_dict() | {lacking: None}))) == Reason.NEEDS_ID
    contact = {"LITCRAWL_CONTACT": "someone@library.tld"}
    assert asking.source(source, **contact).declines(EVERYTHING) in (None, Reason.NEEDS_KEY)


@every_source
def test_each_question_begins_with_requests_of_plain_data(source):
    built = asking.source(source)
    for want in source.offers:
        asked = list(built.ask(asking.question(want, **EVERYTHING.as_dict())))
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
            assert request.meta.get("follow", False) is (plan["step"] in FILE_WANTS)


@every_source
def test_a_source_s_ticket_survives_json(source):
    built = asking.source(source)
    fresh = ticket.new(key(EVERYTHING), names.folder(key(EVERYTHING)), EVERYTHING, want=list(source.offers), rungs=[source.name])
    opened, plan = ladder.next_step(fresh, {source.name: built})
    assert plan is not None
    assert json.loads(json.dumps([opened, plan])) == [opened, plan]
    recorded = ladder.record(opened, plan, [], Reason.TIMEOUT)
    assert json.loads(json.dumps(recorded)) == recorded
