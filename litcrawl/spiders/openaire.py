"""OpenAIRE: metadata from its Graph, which gathers repositories, publishers and registration agencies."""

from typing import ClassVar
from urllib.parse import urlencode

from scrapy.http import Response

from litcrawl.exceptions import Miss
from litcrawl.parsers import openaire
from litcrawl.publications.record import Told
from litcrawl.publications.source import MetadataSource
from litcrawl.source import json_object
from litcrawl.spiders.publications import PublicationsSpider
from litcrawl.terms import Reason

PRODUCTS = "https://api.openaire.eu/graph/v3/research-products"

_MOST = 5  # products that may bear one DOI


class Openaire(MetadataSource):
    """
    Serves
      Metadata, without type and references.
    Needs
      DOI. A token (`LITCRAWL_OPENAIRE_TOKEN`) is optional, and good for an hour.
    Pace
      7,200 requests an hour with a token, 60 without.
    Documentation
      https://graph.openaire.eu/docs/apis/graph-api/
    Beware
      A DOI that it does not know is an empty list with status 200. 403 is about who asks. A product bears
      the DOIs of all the versions merged into it.
    """

    name = "openaire"
    basis = "openaire"
    statuses: ClassVar = {}  # it refuses who asks, and no record
    origin: ClassVar = {"title": "OpenAIRE", "url": "https://graph.openaire.eu/", "license": "https://creativecommons.org/licenses/by/4.0/"}

    def address(self, doi: str) -> str:
        return f"{PRODUCTS}?{urlencode({'pid': doi, 'pageSize': _MOST})}"

    def told(self, response: Response, doi: str) -> Told:
        products = openaire.products(json_object(response))
        product = next((one for one in products if doi in openaire.dois(one)), None)
        if product is None:
            raise Miss(Reason.ABSENT, f"{len(products)} products, none with this DOI")
        return openaire.metadata(product, doi)


class OpenaireSpider(PublicationsSpider):
    name = "openaire"
    rungs_named = (Openaire,)
