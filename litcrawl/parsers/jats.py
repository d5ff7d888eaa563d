"""
What a full text in JATS or BITS says of itself: identifiers, title, licence statements, supplements; and whether it has a body.

https://jats.nlm.nih.gov/archiving/tag-library/1.3/ and https://jats.nlm.nih.gov/extensions/bits/tag-library/2.1/;
names are compared without their namespace, which publishers declare or not as they please.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from lxml import etree

from litcrawl.parsers.xml import local_name
from litcrawl.terms import Role

ROOTS = frozenset({"article", "book-part-wrapper", "book-part", "book"})
"""The root elements of JATS and BITS documents."""

_HREF = "{http://www.w3.org/1999/xlink}href"
_CREATIVE_COMMONS = re.compile(r"(?:https?://)?(?:www\.)?creativecommons\.org/[^\s<>\"'()\[\],;]*[^\s<>\"'()\[\],;.:]", re.IGNORECASE)
_PMCID = re.compile(r"(?:PMC)?(\d{1,10})(?:\.(\d{1,4}))?", re.IGNORECASE)
_NBK = re.compile(r"NBK\d{1,9}", re.IGNORECASE)
_DOI_PREFIX = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
# PMC's own names for its number, over the years; pmcaiid counts instances, not articles, and is none
_PMCID_TYPES = ("pmcid", "pmc", "pmcid-ver", "pmcaid", "pmc-aid")
_BOILERPLATE = re.compile(r"click here for (?:additional data )?file\b.*", re.IGNORECASE | re.DOTALL)
_TEX = frozenset({"tex-math"})
_NOTES = frozenset({"tex-math", "fn", "xref"})
_CARRIERS = ("{*}supplementary-material", "{*}inline-supplementary-material", "{*}media", "{*}inline-media", "{*}graphic")
_FORMULAS = frozenset({"inline-formula", "disp-formula"})
_WEIGHT = {"license_ref": 0, "href": 1, "ext-link": 2, "license-type": 3, "text": 4}
_LONGEST, _LONGEST_LICENCE = 2000, 8000
# Far above what any article has: without a bound, and with work that grows faster than a document, a small one could take hours.
_MOST_NAMED, _MOST_STATEMENTS, _MOST_NODES = 10_000, 100, 20_000


def evidence(root: etree._Element) -> dict[str, Any]:
    """
    Plain data: `root, title, ids, version, has_body, licences, supplements`.

    `ids` are the document's own. `licences` are the statements about the whole document, the weightiest first, each
    `{raw, via, type, about, start}`; a figure's licence is never among them. `supplements` maps the file names that the
    text refers to (often without extension) to `{description, role}`.
    """
    kind = local_name(root)
    if kind == "article":
        meta, body, ids, version, permissions = _article(root)
    else:
        meta, body, ids, version, permissions = _book(root)
    title = (
        None
        if meta is None
        else _first(meta, "{*}title-group/{*}article-title", "{*}title-group/{*}title", "{*}book-title-group/{*}book-title")
    )
    return {
        "root": kind,
        "title": None if title is None else text_of(title, without=_NOTES) or None,
        "ids": ids,
        "version": version,
        "has_body": body is not None and _has_content(body),
        "licences": licences(permissions),
        "supplements": supplements(root),
    }


def licences(permissions: etree._Element | None) -> list[dict[str, Any]]:
    """Licence statements of a `permissions` element, the weightiest first: `license_ref`, `href`, a Creative Commons link, type, text."""
    own = () if permissions is None else permissions.iterchildren("{*}license")
    stated = islice((one for licence in own for one in _statements(licence)), _MOST_STATEMENTS)
    return sorted(stated, key=lambda one: _WEIGHT[one["via"]])


def supplements(root: etree._Element) -> dict[str, dict[str, str | None]]:
    """File names the text refers to, each with its label and caption, and its role: figures told apart from supplements."""
    found: dict[str, dict[str, str | None]] = {}
    said: dict[etree._Element, tuple[str | None, str | None]] = {}  # one section may hold thousands of them
    for element in root.iter(*_CARRIERS):
        if len(found) == _MOST_NAMED:
            break
        if any(local_name(above) in _FORMULAS for above in islice(element.iterancestors(), 2)):
            continue  # there may be hundreds, and they say nothing
        name = _file_name(_href(element))
        if name and name not in found:
            about = _described(element, said)
            if about["description"] or about["role"] != Role.FIGURE:
                found[name] = about
    return found


def describe(supplements: dict[str, dict[str, str | None]], filename: str) -> dict[str, str | None] | None:
    """What the text says of a file listed as `filename`; it may have named it without its extension, or in other letters."""
    if filename in supplements:
        return supplements[filename]
    names = {name.casefold(): about for name, about in supplements.items()}
    whole = filename.casefold()
    return names.get(whole) or names.get(PurePosixPath(whole).stem)


def text_of(element: etree._Element, without: frozenset[str] = _TEX) -> str:
    """The readable text inside an element, white space collapsed; elements named in `without` are left out."""
    return " ".join("".join(_pieces(element, without)).split())


def paragraphs_of(element: etree._Element, without: frozenset[str] = _TEX) -> str:
    """As `text_of`, for an element that may hold paragraphs: a space between one and the next."""
    children = [child for child in element.iterchildren("*") if local_name(child) not in without]
    if any((text or "").strip() for text in (element.text, *(child.tail for child in children))):
        return text_of(element, without)
    return " ".join(filter(None, (text_of(child, without) for child in children)))


def _pieces(element: etree._Element, without: frozenset[str]) -> Iterator[str]:
    if len(element) == 0:
        yield element.text or ""
        return
    skipped: etree._Element | None = None
    for event, node in islice(etree.iterwalk(element, events=("start", "end")), _MOST_NODES):
        if skipped is None and event == "start":
            if node is not element and local_name(node) in without:
                skipped = node
            elif node.text:
                yield node.text
        elif event == "end":
            if node is skipped:
                skipped = None
            if skipped is None and node is not element and node.tail:
                yield node.tail


def _statements(licence: etree._Element) -> Iterator[dict[str, Any]]:
    """What one `license` element states, each way it states it."""
    kind, about = licence.get("license-type"), licence.get("specific-use")
    text = paragraphs_of(licence, without=_TEX | {"license_ref"})
    for via, raw in (("href", _href(licence)), ("ext-link", _creative_commons(licence, text)), ("license-type", kind), ("text", text)):
        if raw and raw.strip():
            yield {"raw": raw.strip()[:_LONGEST_LICENCE], "via": via, "type": kind, "about": about, "start": None}
    for reference in licence.iter("{*}license_ref"):
        if raw := text_of(reference):
            own = reference.get("specific-use") or reference.get("applies_to") or about
            yield {"raw": raw[:_LONGEST_LICENCE], "via": "license_ref", "type": kind, "about": own, "start": reference.get("start_date")}


def _article(root: etree._Element) -> tuple[Any, ...]:
    meta = root.find("{*}front/{*}article-meta")
    ids: dict[str, str] = {}
    version = None
    if meta is not None:
        ids, version = _ids((entry.get("pub-id-type"), entry.text) for entry in meta.iterchildren("{*}article-id"))
        for entry in meta.iterfind("{*}article-version-alternatives/{*}article-version"):
            if version is None and re.fullmatch(r"[0-9]{1,4}", number := (entry.text or "").strip()):
                version = int(number)
    return meta, root.find("{*}body"), ids, version, None if meta is None else meta.find("{*}permissions")


def _book(root: etree._Element) -> tuple[Any, ...]:
    """A Bookshelf document is one part of a book: its own statements count, its book's where it makes none."""
    book = _first(root, "{*}book-meta", "{*}collection-meta")
    part = root if local_name(root) == "book-part" else root.find("{*}book-part")  # BITS wraps the part, its forerunner did not
    if part is None:
        part = root if local_name(root) == "book" else None
    meta = None if part is None else part.find("{*}book-part-meta")
    body = None if part is None else _first(part, "{*}body", "{*}book-body")
    if meta is None:
        ids, version = _ids((_type(entry), entry.text) for entry in (() if book is None else book.iterchildren("{*}book-id")))
    else:
        ids, version = _ids((_type(entry), entry.text) for entry in meta.iterchildren("{*}book-part-id"))
    if "bookid" not in ids and part is not None and _NBK.fullmatch(part.get("id") or ""):
        ids["bookid"] = part.get("id", "").upper()
    own = None if meta is None else meta.find("{*}permissions")
    if own is None or own.find("{*}license") is None:
        own = None if book is None else book.find("{*}permissions")
    return book if meta is None else meta, body, ids, version, own


def _type(entry: etree._Element) -> str | None:
    return entry.get("book-part-id-type") or entry.get("book-id-type") or entry.get("pub-id-type")


def _ids(stated: Iterable[tuple[str | None, str | None]]) -> tuple[dict[str, str], int | None]:
    """Identifiers in our spelling, and the version that a `PMC123.2` carries."""
    ids: dict[str, str] = {}
    version, best = None, len(_PMCID_TYPES)
    for kind, text in stated:
        kind, value = (kind or "").lower(), (text or "").strip()
        if _NBK.fullmatch(value):  # Bookshelf writes its numbers under the types nbk, pmcid and publisher-id
            ids.setdefault("bookid", value.upper())
        elif kind == "doi":
            ids.setdefault("doi", _DOI_PREFIX.sub("", value, count=1))
        elif kind == "pmid" and value.isascii() and value.isdecimal():
            ids.setdefault("pmid", value.lstrip("0"))
        elif kind in _PMCID_TYPES and (match := _PMCID.fullmatch(value)):
            if match[2]:
                version = int(match[2])
            if (rank := _PMCID_TYPES.index(kind)) < best:
                best, ids["pmcid"] = rank, f"PMC{int(match[1])}"
    return {kind: value for kind, value in ids.items() if value}, version


def _has_content(body: etree._Element) -> bool:
    """Whether there is text in the body besides supplements: scanned articles and mere metadata have none."""
    for child in body.iterchildren("*"):
        if (
            local_name(child) != "supplementary-material"
            and child.get("sec-type") != "supplementary-material"
            and any(str(text).strip() for text in child.itertext())
        ):
            return True
    return bool((body.text or "").strip())


def _creative_commons(licence: etree._Element, text: str) -> str | None:
    for element in licence.iter("{*}ext-link", "{*}uri"):
        if (href := _href(element)) and _CREATIVE_COMMONS.search(href):
            return href
    match = _CREATIVE_COMMONS.search(text)
    return match[0] if match else None


def _described(element: etree._Element, said: dict[etree._Element, tuple[str | None, str | None]]) -> dict[str, str | None]:
    label, captions, role = None, [], Role.OTHER
    supplementary = False
    node: etree._Element | None = element
    for _ in range(4):  # media in supplementary-material in its section; a graphic in alternatives in a figure
        if node is None:
            break
        kind = local_name(node)
        supplementary = supplementary or kind.endswith("supplementary-material")
        if kind != "sec":
            if node not in said:
                said[node] = _label_and_caption(node)
            own, caption = said[node]
            label = own if label is None else label
            captions += [] if caption is None else [caption]
        if kind in ("supplementary-material", "fig", "table-wrap", "sec", "body"):
            break
        node = node.getparent()
    name = local_name(element)
    if element.get("mimetype") in ("video", "audio") or (not supplementary and name.endswith("media")):
        role = Role.MEDIA
    elif not supplementary and name.endswith("graphic"):
        role = Role.FIGURE
    description = " ".join(filter(None, [label, *dict.fromkeys(reversed(captions))]))
    return {"description": description[:_LONGEST] or None, "role": str(role)}


def _label_and_caption(node: etree._Element) -> tuple[str | None, str | None]:
    label, caption = _child(node, "{*}label"), _child(node, "{*}caption")
    text = None if caption is None else paragraphs_of(caption)
    return (
        None if label is None else text_of(label)[:_LONGEST],
        None if text is None or _BOILERPLATE.fullmatch(text) else text[:_LONGEST],
    )


def _file_name(href: str | None) -> str | None:
    if not href or "://" in href or href.startswith(("#", "mailto:", "doi:")):
        return None
    return unquote(href).rpartition("/")[2].strip() or None


def _href(element: etree._Element) -> str | None:
    href = element.get(_HREF)
    if href is None:
        href = next((str(value) for name, value in element.attrib.items() if str(name).rpartition("}")[2] == "href"), None)
    return href.strip() if href else None


def _child(element: etree._Element, name: str) -> etree._Element | None:
    return next(element.iterchildren(name), None)


def _first(element: etree._Element, *paths: str) -> etree._Element | None:
    return next((found for path in paths if (found := element.find(path)) is not None), None)
