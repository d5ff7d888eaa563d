"""Which host takes which credential, and where in a request: the one table of keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

CONTACT = "LITCRAWL_CONTACT"


@dataclass(frozen=True, slots=True)
class Join:
    """
    One value that one API takes: of `setting`, or with `template` around it; in the query or in a header, under `name`.

    `path`: only for URLs whose path begins so. A template without a place for the value is a constant that goes with the setting.
    `quoted`: the API's answers quote the value, also those that a file is taken out of.
    """

    setting: str
    where: Literal["query", "header"]
    name: str
    template: str = "{}"
    path: str = "/"
    quoted: bool = False

    @property
    def secret(self) -> bool:
        """Whether the value is a key; the contact is joined, too, but says only who asks."""
        return self.setting != CONTACT


def _ncbi(path: str) -> tuple[Join, ...]:
    """https://www.ncbi.nlm.nih.gov/books/NBK25497/ and https://pmc.ncbi.nlm.nih.gov/tools/id-converter-api/"""
    return (
        Join("LITCRAWL_NCBI_API_KEY", "query", "api_key", path=path),
        Join(CONTACT, "query", "email", path=path),
        Join(CONTACT, "query", "tool", "litcrawl", path=path),
    )


JOINS: dict[str, tuple[Join, ...]] = {
    "eutils.ncbi.nlm.nih.gov": _ncbi("/entrez/eutils/"),
    "pmc.ncbi.nlm.nih.gov": _ncbi("/tools/idconv/"),
    # https://api.semanticscholar.org/api-docs/
    "api.semanticscholar.org": (Join("LITCRAWL_SEMANTIC_SCHOLAR_API_KEY", "header", "x-api-key"),),
    # https://developers.openalex.org/
    "api.openalex.org": (Join("LITCRAWL_OPENALEX_API_KEY", "query", "api_key"), Join(CONTACT, "query", "mailto")),
    "content.openalex.org": (Join("LITCRAWL_OPENALEX_API_KEY", "query", "api_key"),),
    # https://dev.elsevier.com/documentation/FullTextRetrievalAPI.wadl
    "api.elsevier.com": (
        Join("LITCRAWL_ELSEVIER_API_KEY", "header", "X-ELS-APIKey"),
        Join("LITCRAWL_ELSEVIER_INSTTOKEN", "header", "X-ELS-Insttoken"),
    ),
    # https://dev.springernature.com/docs/ - the keys of the two APIs are not interchangeable
    "api.springernature.com": (
        Join("LITCRAWL_SPRINGER_API_KEY", "query", "api_key", path="/openaccess/", quoted=True),
        Join("LITCRAWL_SPRINGER_META_API_KEY", "query", "api_key", path="/meta/", quoted=True),
    ),
    # https://onlinelibrary.wiley.com/library-info/resources/text-and-datamining
    "api.wiley.com": (Join("LITCRAWL_WILEY_TDM_TOKEN", "header", "Wiley-TDM-Client-Token"),),
    # https://www.crossref.org/documentation/retrieve-metadata/rest-api/
    "api.crossref.org": (
        Join("LITCRAWL_CROSSREF_PLUS_TOKEN", "header", "Crossref-Plus-API-Token", "Bearer {}"),
        Join(CONTACT, "query", "mailto"),
    ),
    # https://graph.openaire.eu/docs/apis/authentication/
    "api.openaire.eu": (Join("LITCRAWL_OPENAIRE_TOKEN", "header", "Authorization", "Bearer {}"),),
    # https://unpaywall.org/products/api
    "api.unpaywall.org": (Join(CONTACT, "query", "email"),),
}

_tables: dict[tuple[str, ...], dict[str, tuple[Join, ...]]] = {}

SETTINGS = tuple(dict.fromkeys(join.setting for joins in JOINS.values() for join in joins))


def joins_of(settings: BaseSettings) -> dict[str, tuple[Join, ...]]:
    """The table of a crawl: that above, and what third parties' sources say of their own hosts (`Source.joins`)."""
    named = (*settings.getlist("SPIDER_MODULES"), *settings.getlist("LITCRAWL_SOURCES"))
    if named not in _tables:
        from litcrawl.sources import known_sources  # which knows the spiders, and they the wire

        own = [source.joins for source in known_sources(settings).values() if source.joins]
        _tables[named] = {host: joins for table in own for host, joins in table.items()} | JOINS
    return _tables[named]


def joins_at(url: str, table: Mapping[str, tuple[Join, ...]]) -> tuple[Join, ...]:
    """The joins of an address: exactly their host, over TLS, at the default port; else none."""
    parts = urlsplit(url)
    if parts.scheme != "https":
        return ()
    return tuple(join for join in table.get(parts.netloc.lower(), ()) if parts.path.startswith(join.path))
