"""Takes words that must not be seen out of text, however the text spells them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.entities import html5
from typing import AnyStr

REDACTED = "REDACTED"

_SHORTEST = 6  # characters: what is shorter stands in other text by chance, and is no key of anybody's
_ALPHANUMERIC = re.compile(r"[0-9A-Za-z]*")


class Redactor:
    """
    Knows some words, without regard to case, in the forms that echoes have: plain, percent-encoded, as a form's field,
    JSON- and HTML-escaped, each of them also twice over, and mixed.

    Letters and digits are looked for as they are, for no encoder touches them. Base64 and the like is not looked into.
    """

    def __init__(self, words: Iterable[str]):
        chosen = sorted({word for word in words if is_secret(word)}, key=len, reverse=True)  # a word may hold another
        # No form is without the longest run of letters and digits: looking for that is a hundred times faster.
        self._cores = [max(_ALPHANUMERIC.findall(word), key=len).lower() for word in chosen]
        self._core_bytes = [core.encode() for core in self._cores]
        pattern = "|".join("".join(map(_character, word)) for word in chosen)
        self._text = re.compile(pattern, re.I | re.A)
        self._bytes = re.compile(pattern.encode(), re.I)

    def text(self, text: str) -> str:
        """The text without the words."""
        return self._text.sub(REDACTED, text) if _any_in(self._cores, text) else text

    def content(self, content: bytes) -> bytes:
        """The same of bytes, in any encoding that writes ASCII as ASCII."""
        return self._bytes.sub(REDACTED.encode(), content) if _any_in(self._core_bytes, content) else content


def is_secret(word: str) -> bool:
    """Whether a value is long enough to be told from other text."""
    return len(word) >= _SHORTEST


def _any_in(cores: list[AnyStr], text: AnyStr) -> bool:
    if not cores:
        return False
    lower = text.lower()
    return any(core in lower for core in cores)


def _character(char: str) -> str:
    """A pattern for one printable ASCII character in all its forms; every repetition is bounded, for upstreams are hostile."""
    if char.isalnum():
        return char
    number = ord(char)
    names = [re.escape(name.removesuffix(";")) for name, meant in html5.items() if meant == char and name.endswith(";")]
    entity = "|".join([rf"#0{{0,5}}{number}", rf"#x0{{0,5}}{number:x}", *names])
    forms = [
        rf"\\{{0,8}}{re.escape(char)}",
        rf"%(?:25){{0,4}}{number:02x}",
        rf"\\{{1,8}}(?:u00|x){number:02x}",
        rf"&(?:amp;){{0,4}}(?:{entity});",
    ]
    if char == "+":  # as a form's field is read
        forms += [" ", "%(?:25){0,4}20"]
    return f"(?:{'|'.join(forms)})"
