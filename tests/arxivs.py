"""A small arXiv: its records, pages and e-prints, made as the real one's look, of papers that do not exist."""

from __future__ import annotations

import gzip
import io
import tarfile

CC_BY = "http://creativecommons.org/licenses/by/4.0/"
NONEXCLUSIVE = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
OAI = 'xmlns="http://www.openarchives.org/OAI/2.0/"'


def envelope(inner: str) -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH {OAI}><responseDate>2026-11-30T10:00:00Z</responseDate>'
        f'<request verb="x">https://oaipmh.arxiv.org/oai</request>{inner}</OAI-PMH>'
    ).encode()


def refusal(code: str, message: str = "") -> bytes:
    return envelope(f'<error code="{code}">{message}</error>')


def header(paper: str, datestamp: str = "2026-01-02", status: str = "") -> str:
    return f"<header{status}><identifier>oai:arXiv.org:{paper}</identifier><datestamp>{datestamp}</datestamp></header>"


def raw(paper: str, *types: str, licence: str | None = NONEXCLUSIVE, doi: str = "") -> str:
    """The inner record: one version for each source type; `I` is a withdrawn one."""
    versions = "".join(
        f'<version version="v{n}"><date>Mon, 22 Oct 2018 22:41:50 GMT</date><size>{"0kb" if kind == "I" else "401kb"}</size>'
        f"<source_type>{kind}</source_type></version>"
        for n, kind in enumerate(types, 1)
    )
    stated = f"<license>{licence}</license>" if licence else ""
    return (
        f'<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>{paper}</id><submitter>A. Body</submitter>{versions}'
        "<title>On  a\n thing</title>"
        f"<authors>A. Body</authors>{f'<doi>{doi}</doi>' if doi else ''}{stated}<abstract>  We do.\n</abstract></arXivRaw>"
    )


def record(paper: str, *types: str, datestamp: str = "2026-01-02", licence: str | None = NONEXCLUSIVE, doi: str = "") -> bytes:
    inner = raw(paper, *(types or ("D",)), licence=licence, doi=doi)
    return envelope(f"<GetRecord><record>{header(paper, datestamp)}<metadata>{inner}</metadata></record></GetRecord>")


def identifiers(*headers: str, token: str | None = None) -> bytes:
    """A page of a list; `token` is the whole element."""
    return envelope(f"<ListIdentifiers>{''.join(headers)}{token or ''}</ListIdentifiers>")


def page(paper: str, licence: str | None = CC_BY, comments: str | None = None) -> bytes:
    box = f'<div class="abs-license"><a href="{licence}" title="Rights to this article" class="has_license">view license</a></div>'
    row = f'<tr><td class="tablecell label">Comments:</td><td class="tablecell comments mathjax">{comments}</td></tr>'
    return (
        f'<!DOCTYPE html><html><head><meta name="citation_title" content="On a thing"/><meta name="citation_arxiv_id" content="{paper}"/>'
        f'</head><body><div id="abs"><h1 class="title mathjax">On a thing</h1><blockquote class="abstract mathjax">We do.</blockquote>'
        f"<table>{row if comments else ''}</table></div>{box if licence else ''}</body></html>"
    ).encode()


def feed(*papers: str) -> bytes:
    entries = "".join(f"<entry><id>http://arxiv.org/abs/{one}</id><title>t</title></entry>" for one in papers)
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>articles</title>{entries}</feed>'.encode()


def tar(name: str = "main.tex", content: bytes = b"\\documentclass{article}", form: int = tarfile.USTAR_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def pdf(words: str = "") -> bytes:
    return b"%PDF-1.5\n" + words.encode() + b"\n%%EOF\n"
