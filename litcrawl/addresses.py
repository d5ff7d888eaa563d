"""The identifier that a web address holds: resolvers', publishers', PMC's, PubMed's, Bookshelf's, Europe PMC's and arXiv's pages (pure)."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote

_ADDRESS = re.compile(r"(?:(?:https?|ftp):/{1,3})?((?:[a-z0-9-]+\.)+[a-z]{2,})(?::[0-9]+)?(/.*)", re.I | re.S)
_RESOLVER = re.compile(r"(?:dx[.-])?doi[.-](?:org|acm-org)(?:\..*)?|(?:dx\.)?doi\.acm\.org")
_ARXIV_HOST = re.compile(r"(?:.*\.)?(?:arxiv|ar5iv)\.org")
_ARXIV_PATH = re.compile(r"/(?:abs|pdf|html|format|e-print|src|ps)/(.+?)(?:\.pdf)?/?", re.I)
_PMCID = re.compile(r"(?<![a-z0-9])PMC[0-9]+(?:\.[0-9]+)?", re.I)
_NBK = re.compile(r"(?<![a-z0-9])NBK[0-9]+", re.I)
_PUBMED_HOST = re.compile(r"ncbi[.-]nlm[.-]nih[.-]gov|europepmc[.-]org")  # also behind a library's proxy
_PUBMED = re.compile(r"/(?:m/)?(?:pubmed|med|article/med|abstract/med|articles/pmid)/([0-9]+)", re.I)
_DOI = re.compile(r"(?<![a-z0-9.])10\.[0-9]{4,9}(?:\.[0-9]+)*/.+", re.I | re.S)
_SESSION = re.compile(r";jsessionid=[^/]*", re.I)
_EXTENSION = re.compile(r"(?:\.full)?\.(?:pdf|html?|full|abstract)$", re.I)
# Last path segments by which publishers name a view of the article that the DOI before them names.
_VIEW = re.compile(r"(?<=.)/(?:abstract|full|pdf|epdf|pdfdirect|full-?text|html|full-xml|meta|references|figures|summary|epub)/?$", re.I)
# A SICI ends in its check character, which may be the `#` that otherwise begins a fragment.
_SICI_HASH = re.compile(r";2-#$")


def identifier_in(text: str) -> tuple[str, str] | None:
    """
    What `text` holds if it is a web address: (kind, identifier), else None.

    `kind` is `doi`, `pmid`, `pmcid`, `bookid` or `arxiv`; an address that holds none of them gives `("", "")`. The
    path is percent-decoded once. Only at a publisher's address, never at doi.org's, a view's name, a file extension or a
    slash after the DOI is taken off: the DOI itself may end in any of them.
    """
    address = _ADDRESS.fullmatch(text)
    if not address:
        return None
    host, rest = address[1].lower().removeprefix("www."), address[2]
    path, query = _split(rest)
    if _RESOLVER.fullmatch(host):
        doi = path.lstrip("/").removeprefix("doi:")
        return ("doi", doi) if doi else ("", "")
    if _ARXIV_HOST.fullmatch(host):
        paper = _ARXIV_PATH.fullmatch(path)
        return ("arxiv", paper[1]) if paper else ("", "")
    return _in_path(host, path) or _in_query(query) or ("", "")


def _split(rest: str) -> tuple[str, str]:
    rest = rest if _SICI_HASH.search(rest) else rest.partition("#")[0]
    path, _, query = rest.partition("?")
    try:
        return unquote(path, errors="strict"), query
    except UnicodeDecodeError:
        return path, query


def _in_path(host: str, path: str) -> tuple[str, str] | None:
    found = _DOI.search(path)
    if found:
        return "doi", _without_view(found[0])
    if host.startswith("pubmed"):
        path = f"/pubmed{path}"
    for kind, pattern, group in (("pmcid", _PMCID, 0), ("bookid", _NBK, 0), ("pmid", _PUBMED, 1)):
        found = pattern.search(path)
        if found and (kind != "pmid" or _PUBMED_HOST.search(host)):
            return kind, found[group]
    return None


def _in_query(query: str) -> tuple[str, str] | None:
    for _, value in parse_qsl(query):
        found = _DOI.match(value) or _PMCID.fullmatch(value)
        if found:
            return ("doi" if found[0].startswith("10.") else "pmcid"), found[0]
    return None


def _without_view(doi: str) -> str:
    doi = _SESSION.sub("", doi).rstrip("/")
    while True:
        shorter = _EXTENSION.sub("", _VIEW.sub("", doi))
        if shorter == doi or shorter.count("/") == 0:
            return doi
        doi = shorter
