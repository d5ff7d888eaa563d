"""The main spider: identifiers in; full text, PDF, supplements and licences out, by every enabled source in turn."""

from litcrawl.spiders.base import LadderSpider


class FetchSpider(LadderSpider):
    """Walks the whole ladder of `LITCRAWL_SOURCES`."""

    name = "fetch"
