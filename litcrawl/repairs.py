"""Undo what copying, exporting and typesetting do to an identifier; every change is told in a short phrase (pure)."""

from __future__ import annotations

import html
import re
import unicodedata
from urllib.parse import unquote

# Byte order marks, zero-width and direction marks, soft hyphens: never part of an identifier, never visible.
_INVISIBLE = re.compile("[\ufeff\u200b-\u200f\u2060-\u2064\u202a-\u202e\u2066-\u2069\u00ad]")
_HARD_SPACE = re.compile("[\u00a0\u2007\u202f]")
# A no-break space before something that names its own kind stands between two identifiers, not inside one.
_HARD_SPACE_BETWEEN = re.compile("[\u00a0\u2007\u202f](?=https?:|10\\.[0-9]{4}|PMC|NBK|doi|pmid|arxiv)", re.I)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#[0-9]+|#x[0-9a-f]+);", re.I)
_LATEX_MATH = re.compile(r"\$\s*([<>])\s*\$")
_LATEX_WORD = re.compile(r"\{?\\text(less|greater)(?:\{\})?\}?")
_ESCAPE = re.compile(r"\{?\\([_&%#$<>/])\}?")  # "\/" is JSON's
_LATEX_URL = re.compile(r"\\(?:url|path|nolinkurl)\{(.*)\}")
_PERCENT = re.compile(r"%[0-9a-f]{2}", re.I)
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">", "“": "”", "‘": "’", "«": "»", '"': '"', "'": "'"}
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_TRAILING = ".,;:!?\"'`’”»*"
# Hyphens and dashes of U+2010 to U+2015, the minus sign, and the small and full-width forms.
_DASHES = dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63, 0xFF0D], "-")


def visible(text: str, repairs: list[str]) -> str:
    """`text` without what cannot be seen, in Unicode's composed form, without outer white space."""
    if text.isascii():
        return text.strip()
    shown = _INVISIBLE.sub("", text)
    shown = _HARD_SPACE_BETWEEN.sub(" ", shown.strip())
    shown = _HARD_SPACE.sub("", shown)
    if shown != text.strip():
        repairs.append("invisible characters and no-break spaces removed")
    composed = unicodedata.normalize("NFC", shown)
    if composed != shown:
        repairs.append("Unicode composed")
    return composed.strip()


def unmarked(text: str, repairs: list[str]) -> str:
    """`text` without the escapes of HTML, LaTeX and JSON."""
    if "&" in text and _ENTITY.search(text):
        text = html.unescape(text)
        repairs.append("HTML entities undone")
    if "\\" in text or "$" in text:
        plain = _LATEX_URL.sub(r"\1", text)
        plain = _LATEX_MATH.sub(r"\1", plain)
        plain = _LATEX_WORD.sub(lambda found: "<" if found[1] == "less" else ">", plain)
        plain = _ESCAPE.sub(r"\1", plain)
        if plain != text:
            repairs.append("backslash escapes undone")
        text = plain
    return text


def unwrapped(text: str, repairs: list[str]) -> str:
    """`text` without quotes or brackets around the whole, and without the punctuation that a sentence left at its end."""
    wrapped, ended = False, False
    while text:
        if len(text) > 1 and _PAIRS.get(text[0]) == text[-1]:
            text, wrapped = text[1:-1].strip(), True
        elif text[-1] in _TRAILING or text[-1] == "\\" or _unbalanced(text):
            text, ended = text[:-1].rstrip(), True
        elif _unclosed(text):
            text, ended = text[1:].lstrip(), True
        else:
            break
    if wrapped:
        repairs.append("quotes or brackets around it removed")
    if ended:
        repairs.append("punctuation at its ends removed")
    return text


def undashed(text: str, repairs: list[str]) -> str:
    """`text` with a hyphen for every look-alike: word processors and PDFs put dashes where the DOI has a hyphen."""
    plain = text if text.isascii() else text.translate(_DASHES)
    if plain != text:
        repairs.append("dashes replaced by hyphens")
    return plain


def percent_decoded(text: str, repairs: list[str]) -> str:
    """`text` percent-decoded once; what is not UTF-8 then, or holds white space as nothing that was encoded does, stays as it was."""
    if not _PERCENT.search(text) or any(each.isspace() for each in text.strip()):
        return text
    try:
        plain = unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
    repairs.append("percent-encoding undone")
    return plain


def _unclosed(text: str) -> bool:
    """Whether the first character opens a bracket or quote that is never closed."""
    closer = _PAIRS.get(text[0])
    return closer is not None and closer not in text[1:]


def _unbalanced(text: str) -> bool:
    """Whether the last character closes a bracket that was never opened: DOIs may hold and end in balanced ones."""
    opener = _CLOSERS.get(text[-1])
    return opener is not None and text.count(text[-1]) > text.count(opener)
