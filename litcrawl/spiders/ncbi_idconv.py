"""NCBI's ID Converter: the identifiers of articles in PMC, two hundred a call."""

from urllib.parse import urlencode

from scrapy import Request
from scrapy.http import Response

from litcrawl.exceptions import Malformed
from litcrawl.ids import Ids
from litcrawl.resolver import Answer, Resolver
from litcrawl.source import json_object
from litcrawl.spiders.resolve import ResolveSpider
from litcrawl.stated import agreed, stated

API = "https://pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/"


class NcbiIdconv(Resolver):
    """
    Serves
      DOI, PMID and PMCID of articles that are in PMC.
    Needs
      PMID, PMCID or DOI. No key; with NCBI's it may be asked oftener.
    Pace
      3 requests a second, with a key 10.
    Documentation
      https://pmc.ncbi.nlm.nih.gov/tools/id-converter-api/
    Beware
      All identifiers of a call are of one type, else 400 for all. It is documented, and names its parameters, as a GET
      alone: two hundred DOIs are some 6,000 characters of address, and a list that is too long (414) is halved. A comma
      always separates: a DOI that holds one cannot be asked for, and is unknown here. It does not know PubMed, only PMC:
      an unknown identifier may well exist.
    """

    name = "ncbi_idconv"
    accepts = ("pmid", "pmcid", "doi")  # numbers are short, and have one spelling
    provides = frozenset(accepts)
    most = 200
    basis = "pmc"

    def serves(self, ids: Ids) -> bool:
        return bool(ids.pmid or ids.pmcid or (ids.doi and not self.alone(ids.doi)))

    def alone(self, value: str) -> bool:
        return "," in value

    def request_batch(self, kind: str, values: list[str]) -> Request:
        # what may stand in a query as it is stays so: a list of DOIs is a quarter shorter
        query = urlencode({"ids": ",".join(values), "idtype": kind, "format": "json"}, safe=",/:()")
        return Request(f"{API}?{query}", headers={"Accept-Encoding": "gzip"}, dont_filter=True)

    def answers(self, response: Response, kind: str, values: list[str]) -> dict[str, Answer]:
        told = json_object(response)
        records = told.get("records")
        if told.get("status") == "error" or not isinstance(records, list):
            raise Malformed(f"no list of records; status {told.get('status')!r}")
        asked, found = set(values), dict[str, list[Ids]]()
        for record in records:
            if not isinstance(record, dict) or record.get("status") == "error":  # its way of saying that it knows none
                continue
            ids = stated(doi=record.get("doi"), pmid=record.get("pmid"), pmcid=record.get("pmcid"))
            value = getattr(ids, kind)
            requested = getattr(stated(**{kind: record.get("requested-id") or value}), kind)
            if value in asked and value == requested:
                found.setdefault(value, []).append(ids)
        return {value: Answer(ids=agreed(several)) for value, several in found.items()}


class NcbiIdconvSpider(ResolveSpider):
    name = "ncbi_idconv"
    rungs_named = (NcbiIdconv,)
