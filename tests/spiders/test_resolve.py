"""Identifiers in, all identifiers out: which resolvers it asks, and what it does not take. Whole crawls of it: test_ladder_crawl.py."""

import pytest
from crawling import project_settings

from litcrawl.arguments import NAMES
from litcrawl.exceptions import BadArgument
from litcrawl.spiders.ncbi_idconv import NcbiIdconvSpider
from litcrawl.spiders.resolve import ResolveSpider


def prepare(spider, tmp_path, **given):
    return spider.prepare(project_settings(LITCRAWL_OUT=str(tmp_path)), given)


def test_it_asks_every_resolver_and_wants_no_file(tmp_path):
    arguments = prepare(ResolveSpider, tmp_path, ids="17375194")
    assert arguments.want == ()
    assert arguments.resolvers == ("ncbi_idconv", "europe_pmc_search", "crossref", "openalex", "semantic_scholar")


def test_a_resolver_may_be_left_out(tmp_path):
    arguments = prepare(ResolveSpider, tmp_path, ids="17375194", sources="-semantic_scholar,-openalex")
    assert arguments.resolvers == ("ncbi_idconv", "europe_pmc_search", "crossref")


def test_a_resolver_s_own_spider_asks_it_alone(tmp_path):
    arguments = prepare(NcbiIdconvSpider, tmp_path, ids="17375194")
    assert arguments.resolvers == arguments.sources == ("ncbi_idconv",)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(ResolveSpider.takes)))
def test_what_is_about_files_is_no_argument_of_it(tmp_path, name):
    with pytest.raises(BadArgument, match=f"unknown argument '{name}'"):
        prepare(ResolveSpider, tmp_path, ids="17375194", **{name: "1"})
