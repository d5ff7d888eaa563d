"""DataCite: metadata of data sets, preprints, theses and whatever else is registered there."""

from typing import ClassVar

from scrapy.http import Response

from litcrawl.exceptions import Miss
from litcrawl.ids import quote_doi
from litcrawl.parsers import datacite
from litcrawl.publications.record import Told
from litcrawl.publications.source import MetadataSource
from litcrawl.source import json_object
from litcrawl.spiders.publications import PublicationsSpider
from litcrawl.terms import Reason

API = "https://api.datacite.org/dois"


class Datacite(MetadataSource):
    """
    Serves
      Metadata, with subjects and what cites the work.
    Needs
      DOI. No key; a contact doubles the allowance.
    Pace
      1,000 requests in five minutes with a contact, 500 without.
    Documentation
      https://support.datacite.org/docs/api-get-doi
    Beware
      A DOI belongs to one agency: what Crossref knows is not asked for here. A publisher is a text or an object.
    """

    name = "datacite"
    basis = "datacite"
    origin: ClassVar = {
        "title": "DataCite",
        "url": "https://datacite.org/",
        "license": "https://creativecommons.org/publicdomain/zero/1.0/",
    }
    but = frozenset({"crossref"})

    def address(self, doi: str) -> str:
        return f"{API}/{quote_doi(doi)}"

    def told(self, response: Response, doi: str) -> Told:
        record = datacite.record(json_object(response))
        if record["doi"].casefold() != doi.casefold():
            raise Miss(Reason.WRONG_ARTICLE, f"the record of {record['doi'][:200]}")
        return datacite.metadata(record, doi)


class DataciteSpider(PublicationsSpider):
    name = "datacite"
    rungs_named = (Datacite,)
