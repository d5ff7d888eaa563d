import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from litcrawl.items import Article
from litcrawl.logformatter import LogFormatter

ARTICLE = Article(key="PMC1", path="pmc/PMC1", outcome="complete", notes=["x" * 1000])
RESPONSE = Response("https://example.com/", request=Request("https://example.com/"))


def formatter(level):
    return LogFormatter.from_crawler(get_crawler(settings_dict={"LOG_LEVEL": level}))


@pytest.mark.parametrize("level", ["DEBUG", 10])
def test_items_are_named_not_printed(level):
    told = formatter(level).scraped(ARTICLE, RESPONSE, None)
    assert "Article pmc/PMC1" in told["msg"] % told["args"]
    assert "xxx" not in told["msg"] % told["args"]


def test_lines_that_nobody_would_see_are_not_made():
    quiet = formatter("INFO")
    assert quiet.scraped(ARTICLE, RESPONSE, None) is None
    assert quiet.crawled(RESPONSE.request, RESPONSE, None) is None
    assert formatter("DEBUG").crawled(RESPONSE.request, RESPONSE, None)
