"""
arXiv's addresses. Pure.

Files and pages are asked of export.arxiv.org, which arXiv sets aside for programs (https://info.arxiv.org/help/bulk_data.html),
records of the OAI-PMH interface (https://info.arxiv.org/help/oa/index.html), lists of an author's papers of the site itself
(https://info.arxiv.org/help/author_identifiers.html).
"""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

FOR_PROGRAMS = "https://export.arxiv.org"
OAI = "https://oaipmh.arxiv.org/oai"
SITE = "https://arxiv.org"

_PREFIX = "oai:arXiv.org:"


def record(paper: str) -> str:
    """The record of a paper, with all its versions."""
    query = {"verb": "GetRecord", "identifier": _PREFIX + paper, "metadataPrefix": "arXivRaw"}
    return f"{OAI}?{urlencode(query, safe=':/')}"


def identifiers(*, set_: str | None = None, since: str | None = None, until: str | None = None, token: str | None = None) -> str:
    """A page of the list of papers that changed; the protocol wants a `token` to stand alone."""
    query = {"metadataPrefix": "arXivRaw", "set": set_, "from": since, "until": until}
    given = {"resumptionToken": token} if token else {name: value for name, value in query.items() if value}
    return f"{OAI}?{urlencode({'verb': 'ListIdentifiers'} | given, safe=':')}"


def paper_of(identifier: str) -> str:
    """The paper that an identifier of the OAI-PMH interface names."""
    return identifier.removeprefix(_PREFIX)


def author(name: str) -> str:
    """The feed of an author's papers."""
    return f"{SITE}/a/{name}.atom2"


def page(paper: str, version: int) -> str:
    """The abstract page of a version."""
    return f"{FOR_PROGRAMS}/abs/{paper}v{version}"


def is_page_of(url: str, version: int) -> bool:
    """Whether an address is still that of the version: arXiv takes who asks for none to the newest."""
    return urlsplit(url).path.rstrip("/").endswith(f"v{version}")


def pdf(paper: str, version: int) -> str:
    """The PDF of a version."""
    return f"{FOR_PROGRAMS}/pdf/{paper}v{version}"


def source(paper: str, version: int) -> str:
    """The e-print of a version: what its authors sent in, as they did (`/src/` makes a .tar.gz of everything)."""
    return f"{FOR_PROGRAMS}/e-print/{paper}v{version}"


def robots(url: str) -> dict[str, bool]:
    """
    What the `meta` of a request holds for Scrapy's robots.txt middleware, should a user turn it on.

    The host for programs turns all crawlers away by its robots.txt (`Disallow: /`), and asks programs to come to it.
    """
    return {"dont_obey_robotstxt": True} if url.startswith(f"{FOR_PROGRAMS}/") else {}
