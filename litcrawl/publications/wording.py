"""Text as sources send it -> text as records hold it: titles, abstracts, names of people and subjects. Pure."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Any

_LONGEST = 100_000  # characters; the longest abstracts have some ten thousand
# No value holds "<", as in XML: so no tag begins inside another, and a text is read in one pass.
_ATTRIBUTE = r"""\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s<>"']+)"""
_TAG = re.compile(rf"</?([a-z][\w:.-]*)(?:{_ATTRIBUTE})*\s*/?>", re.IGNORECASE)
# Elements of JATS and HTML that end a word; others (italic, sub, sup) stand within one.
_BLOCKS = frozenset(
    {
        "abstract", "br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "label", "li", "list", "list-item", "ol", "p", "sec",
        "section", "table", "td", "th", "title", "tr", "ul",
    }
)  # fmt: skip
# What stands before the first section of an abstract, and is none of its words: what a mark ends, or a tag, or a line before a capital, or
# what a sentence begins behind that cannot go on from it. "Background Radiation …" and "Nature-based …" are words of it.
_HEADING = re.compile(
    r"""(?:abstracts?|backgrounds?|introductions?|objectives?|nature)
        (?: \s*[:.|–—]+\s* | \s*-+\s+ | [^\S\n]*\n\s*\n\s* | [^\S\n]*\n\s*(?=(?-i:[A-Z0-9ÄÖÜÀ-Ý"“'(])) | \s*$ )
    |   (?:abstracts?|backgrounds?|introductions?|objectives?)
        \s+(?=(?-i:We|The|This|These|Here|In|Our|To|It|There|Although|While)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
# Letters that have no decomposition in Unicode.
_FOLDED = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ŋ": "n", "ŧ": "t", "ĸ": "k"}
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ORCID = re.compile(r"(\d{4}-\d{4}-\d{4}-\d{3}[\dX])/?$", re.IGNORECASE)


def normalised(text: str) -> str:
    """
    `text` by which equal titles, people and subjects are known: letters and single spaces, lower case, accents folded.

    "Buzsáki, G." becomes "buzsaki g"; letters of other scripts stay, or all their authors were one.
    """
    folded = unicodedata.normalize("NFKD", text.casefold().translate(_FOLDED))
    letters = (char if char.isalpha() else " " if char.isspace() else "" for char in folded)
    return " ".join(unicodedata.normalize("NFC", "".join(letters)).split())


def key(text: str) -> str:
    """`text` normalised; one without letters, as the title "1984", by what it has."""
    return normalised(text) or text.casefold()


def plain(text: Any) -> str | None:
    """One line without markup and entities, however often they were escaped; None for what says nothing."""
    return " ".join(_stripped(text).split()) or None


def abstract(text: Any) -> str | None:
    """An abstract in plain words, without the headings that stand before its first sentence."""
    words, begin = _stripped(text).strip(), 0
    while heading := _HEADING.match(words, begin):
        begin = heading.end()
    return " ".join(words[begin:].split()) or None


def _stripped(text: Any) -> str:
    """Without markup and entities; where an element stood that parts words, a line is left blank."""
    if not isinstance(text, str):
        return ""
    text = _CONTROL.sub("", text[:_LONGEST])
    for _ in range(3):  # JATS inside XML inside JSON
        stripped = html.unescape(_TAG.sub(_space, _without_comments(text)))
        if stripped == text:
            break
        text = stripped
    return text


def person(name: Any, given: Any = None, family: Any = None) -> str | None:
    """A name, given names first: of its parts where they are stated, else of "Family, Given"."""
    parts = [part for part in (plain(given), plain(family)) if part]
    if parts:
        return " ".join(parts)
    whole = plain(name)
    if whole and whole.count(",") == 1:
        last, first = (part.strip() for part in whole.split(","))
        return f"{first} {last}".strip() or None
    return whole


def orcid(value: Any) -> str | None:
    """An ORCID as its bare number, of whatever form."""
    found = _ORCID.search(value.strip()) if isinstance(value, str) else None
    return found[1].upper() if found else None


def _space(tag: re.Match[str]) -> str:
    name = tag[1].lower().rpartition(":")[2]
    return "\n\n" if name in _BLOCKS else ""


def _without_comments(text: str) -> str:
    """A pattern would look for the end of each comment anew, where none ends."""
    kept, begin = [], 0
    while (start := text.find("<!--", begin)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[begin:start])
        begin = end + 3
    return " ".join((*kept, text[begin:]))
