"""Landing pages: what a publisher's own page says of the publication in its meta tags and JSON-LD."""

from typing import ClassVar

from scrapy.http import Response

from litcrawl.exceptions import Miss
from litcrawl.ids import quote_doi
from litcrawl.parsers import html_meta
from litcrawl.publications.record import Told
from litcrawl.publications.source import MetadataSource
from litcrawl.spiders.publications import PublicationsSpider
from litcrawl.terms import Reason

RESOLVER = "https://doi.org"


class MetaTags(MetadataSource):
    """
    Serves
      Metadata: Dublin Core, Highwire (`citation_*`), PRISM, Eprints, bepress, Open Graph and JSON-LD.
    Needs
      DOI. No key.
    Pace
      No published limit; AutoThrottle for each host.
    Documentation
      https://www.doi.org/the-identifier/resources/factsheets/doi-resolution-documentation
    Beware
      Found through doi.org, so any host may answer, with any page: a page that names another DOI alone is another article's; a
      wall, a form to sign in and a page made of scripts tell nothing.
    """

    name = "meta_tags"
    basis = "meta_tags"
    origin: ClassVar = {"title": "Meta", "url": "https://doi.org/", "license": None}
    follows = True
    last = True

    def address(self, doi: str) -> str:
        return f"{RESOLVER}/{quote_doi(doi)}"

    def check_status(self, response: Response, *, is_file: bool = False) -> None:
        super().check_status(response, is_file=True)  # a wall or a refusal is about this page

    def told(self, response: Response, doi: str) -> Told:
        kind = response.headers.get("Content-Type")
        page = html_meta.page(response.body, kind.decode("latin-1") if kind else None)
        own = html_meta.dois(page)
        if own and doi not in own:
            raise Miss(Reason.WRONG_ARTICLE, f"the page of {min(own)[:200]}")
        told = html_meta.metadata(page, doi)
        if set(told) == {"doi"}:
            raise Miss(Reason.ABSENT, "a page without metadata")
        return told


class MetaTagsSpider(PublicationsSpider):
    name = "meta_tags"
    rungs_named = (MetaTags,)
