"""
Pages as text, in the encodings that browsers know and in no other: https://encoding.spec.whatwg.org/#names-and-labels

Python knows more by name: codecs that are no charsets, and some that take a long time over a long page.
"""

from __future__ import annotations

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding, to_unicode

_NAMES = (
    "utf-8", "ibm866", "iso-8859-1", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
    "iso-8859-9", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh", "windows-874",
    "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257",
    "windows-1258", "mac-cyrillic", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "utf-16", "utf-16be",
    "utf-16le",
)  # fmt: skip
_KNOWN = frozenset(filter(None, map(resolve_encoding, _NAMES)))


def text(content: bytes, content_type: str | None = None) -> str:
    """A page as text: by its byte order mark, by the charset of its `Content-Type` or its own, else as UTF-8; bad bytes are replaced."""
    marked, mark = read_bom(content)
    if marked is not None and mark is not None:
        return to_unicode(content[len(mark) :], marked)
    stated = (http_content_type_encoding(content_type), html_body_declared_encoding(content))
    return to_unicode(content, next((one for one in stated if one in _KNOWN), None) or "utf-8")
