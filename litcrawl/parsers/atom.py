"""Atom feeds of arXiv: the papers of an author. Pure. https://info.arxiv.org/help/author_identifiers.html"""

from __future__ import annotations

import re

from litcrawl.exceptions import Malformed
from litcrawl.parsers import xml

_PAPER = re.compile(r"https?://(?:[a-z]+\.)?arxiv\.org/abs/(\S+)")


def papers(data: bytes) -> list[str]:
    """
    The identifiers of the papers of a feed, in its order, with the version that each stands at.

    Raises `Malformed` for what is no feed, and for one with an entry that is no paper: arXiv tells its errors by such.
    """
    document = xml.parse(data)
    if document.cut or xml.local_name(document.root) != "feed":
        raise Malformed("no whole Atom feed")
    found = []
    for entry in document.root.iterfind("{*}entry"):
        paper = _PAPER.fullmatch((entry.findtext("{*}id") or "").strip())
        if paper is None:
            raise Malformed("an entry that is no paper")
        found.append(paper[1])
    return found
