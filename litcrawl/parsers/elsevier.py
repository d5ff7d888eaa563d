"""
What a full text of Elsevier says of itself: identifiers, title, terms; and whether it has a body.

Two wrappings are known: the answers of the article retrieval API (https://dev.elsevier.com/documentation/ArticleRetrievalAPI.wadl)
and the documents that Elsevier delivers in bulk. Within both stands the same article
(https://www.elsevier.com/researcher/author/policies-and-guidelines/elsevier-xml-dtds-and-transport-schemas); names are compared without
their namespace, which changes from one schema to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from lxml import etree

from litcrawl.parsers.jats import text_of
from litcrawl.parsers.xml import local_name

ROOTS = frozenset({"full-text-retrieval-response", "document"})
"""The root elements of the two wrappings."""

# Where sections are not the article's own, or a part of others: the highlights of an abstract are paragraphs like any other.
_NOT_OWN = frozenset({"head", "simple-head", "abstract", "coredata", "meta", "sections"})
_FAR = 20_000  # pieces of a document in which its text has begun
_HEADINGS = frozenset({"section-title", "label"})
_OPEN = frozenset({"1", "true"})
_ERROR = re.compile(rb"""["<](statusCode|statusText)["\s]*[>:]\s*"?([^<>"]{0,400})""", re.IGNORECASE)
_MESSAGE = 4096  # bytes: an error is no longer


def evidence(root: etree._Element) -> dict[str, Any]:
    """
    Plain data, as `jats.evidence` gives it: `root, title, ids, version, has_body, licences, supplements`; and `raw_text`.

    A body is text in the article's sections. `raw_text` is True where there is none but what a scan's text recognition made of the pages.
    """
    core = _first(root, "{*}coredata", "{*}RDF/{*}Description")
    has_sections = _has_sections(root)
    raw_text = not has_sections and any(text_of(one) for one in root.iter("{*}rawtext", "{*}raw-text"))
    title = None if core is None else core.find("{*}title")
    return {
        "root": local_name(root),
        "title": None if title is None else text_of(title) or None,
        "ids": _ids(root, core),
        "version": None,
        "has_body": has_sections or raw_text,
        "raw_text": raw_text,
        "licences": [] if core is None else _licences(core),
        "supplements": {},
    }


def error(body: bytes) -> tuple[str, str]:
    """The code and the words of an error message, in XML or JSON; empty for what is none."""
    found = {name.lower(): value.decode("utf-8", "replace").strip() for name, value in _ERROR.findall(body[:_MESSAGE])}
    return found.get(b"statuscode", ""), found.get(b"statustext", "")


def _has_sections(root: etree._Element) -> bool:
    """Whether there is text in the article's sections. An article's begin with it; what goes on and on without is none."""
    outermost = (one for one in root.iter("{*}sections") if not any(local_name(above) in _NOT_OWN for above in one.iterancestors()))
    return any(islice(chain.from_iterable(map(_texts, outermost)), _FAR))


def _texts(sections: etree._Element) -> Iterator[bool]:
    """Of each piece of a section, headings left out, whether it is text."""
    walk = etree.iterwalk(sections, events=("start", "end"))
    for event, element in walk:
        if event == "start" and local_name(element) in _HEADINGS:
            walk.skip_subtree()
            yield False
        else:
            text = element.text if event == "start" else element.tail if element is not sections else None
            yield bool(text and not text.isspace())


def _ids(root: etree._Element, core: etree._Element | None) -> dict[str, str]:
    """The article's own, never those of what it cites."""
    stated = {
        "doi": _text(core, "{*}doi") or _text(root.find(".//{*}item-info"), "{*}doi"),
        "pmid": _text(core, "{*}pubmed-id"),
    }
    return {kind: value for kind, value in stated.items() if value}


def _licences(core: etree._Element) -> list[dict[str, Any]]:
    """What the retrieval API calls `openaccessUserLicense` and `openaccess`; that an article is open may be stated alone."""
    raw = _text(core, "{*}openaccessUserLicense") or _text(core, "{*}openAccessInformation/{*}userLicense")
    status = _text(core, "{*}openAccessInformation/{*}openAccessStatus") or ""
    is_open = (_text(core, "{*}openaccess") or "").lower() in _OPEN or status.rpartition("#")[2] == "Full"
    if not (raw or is_open):
        return []
    return [{"raw": raw, "via": "user-licence", "type": "open-access" if is_open else None, "about": None, "start": None}]


def _first(root: etree._Element, *paths: str) -> etree._Element | None:
    return next((found for path in paths if (found := root.find(path)) is not None), None)


def _text(element: etree._Element | None, path: str) -> str | None:
    found = None if element is None else element.find(path)
    return None if found is None else text_of(found) or None
