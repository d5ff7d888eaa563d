"""The abstract page of a version of a paper on arXiv: its licence and its authors' comments, which no API tells. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast
from urllib.parse import urljoin

from lxml import etree, html

from litcrawl.exceptions import Malformed

_BASE = "https://arxiv.org/abs/"
_LICENCE = re.compile(r"(?:https?:)?//(?:www\.)?(?:creativecommons\.org/|arxiv\.org/licen[cs]es/)", re.IGNORECASE)
_MARKS = (  # of an abstract page in any of its layouts: the table and the box of today, the meta elements, the mobile and the old page
    "//meta[@name='citation_arxiv_id' or @name='citation_title']",
    "//blockquote[contains(concat(' ', @class, ' '), ' abstract ')]",
    "//*[contains(concat(' ', @class, ' '), ' abs-license ')]",
    "//h1[contains(concat(' ', @class, ' '), ' title ')]",
    "//*[@id='abs']",
)
_BOX = "//*[contains(concat(' ', @class, ' '), ' abs-license ')]//a/@href | //a[@title='Rights to this article' or @rel='license']/@href"
_COMMENTS = (
    "//td[contains(concat(' ', @class, ' '), ' comments ')]",
    "//*[self::td or self::th or self::dt][normalize-space()='Comments:']/following-sibling::*[1]",
    "//*[contains(concat(' ', @class, ' '), ' comments ')]",
)
_LABEL = re.compile(r"\s*Comments:\s*", re.IGNORECASE)
_AUTHORS_OWN = "ancestor::blockquote or ancestor::*[contains(concat(' ', @class, ' '), ' comments ')]"
_SHOWN = f"//*[self::b or self::strong][not(.//a) and not({_AUTHORS_OWN})]"  # in the history of submissions all other versions are links
_NUMBER = re.compile(r"\[v([0-9]+)\]")
_BREAKS = re.compile(r"[ \t\r\n\f\v]+")


@dataclass(frozen=True, slots=True)
class Page:
    """What an abstract page says; `licence` is the address as it stands there, None where the page names none."""

    licence: str | None
    comments: str | None


def page(data: bytes, paper: str, version: int) -> Page:
    """
    What the abstract page of a version of `paper` says.

    Raises `Malformed` for what is no abstract page, or that of another paper or version, as far as it tells.
    """
    try:
        root = html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8", no_network=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise Malformed(f"no page: {error}") from error
    if not any(root.xpath(mark) for mark in _MARKS):
        raise Malformed("no abstract page")
    named = _values(root, "//meta[@name='citation_arxiv_id']/@content")
    shown = [number for text in cast("list[str]", root.xpath(f"{_SHOWN}/text()")) if (number := _NUMBER.fullmatch(text.strip()))]
    if (named and named[0] not in (paper, f"{paper}v{version}")) or any(one[1] != str(version) for one in shown):
        raise Malformed(f"the page of {', '.join([*named[:1], *(one[0] for one in shown[:1])])[:60]}")
    return Page(_licence(root), _comments(root))


def _licence(root: html.HtmlElement) -> str | None:
    """The licence box's link, else the first to a licence anywhere but in the authors' own words."""
    linked = (one for one in _values(root, f"//a[not({_AUTHORS_OWN})]/@href") if _LICENCE.match(one))
    return next(iter(_values(root, _BOX)), None) or next(linked, None)


def _comments(root: html.HtmlElement) -> str | None:
    """The comments as text, links replaced by their addresses: the page shows "this https URL" for many."""
    found = next((cells[0] for path in _COMMENTS if (cells := cast("list[html.HtmlElement]", root.xpath(path)))), None)
    if found is None:
        return None
    return _BREAKS.sub(" ", _LABEL.sub("", _told(found), count=1)).strip() or None


def _values(root: html.HtmlElement, path: str) -> list[str]:
    """The attributes that a path leads to, without the empty ones."""
    return [value for one in cast("list[str]", root.xpath(path)) if (value := one.strip())]


def _told(element: html.HtmlElement) -> str:
    if not isinstance(element.tag, str):  # a comment, in the sense of HTML
        return ""
    if element.tag == "a" and element.get("href"):
        return _address(element.get("href").strip())
    return (element.text or "") + "".join(_told(child) + (child.tail or "") for child in element)


def _address(href: str) -> str:
    try:
        return urljoin(_BASE, href)
    except ValueError:  # no address, but what the authors wrote
        return href
