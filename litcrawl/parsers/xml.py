"""Hostile XML to an lxml tree: never the network, never another file, never an entity bomb; broken documents are mended, and say so."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import partial
from html.entities import html5
from pathlib import Path

from lxml import etree

from litcrawl.exceptions import Exhausting, Malformed

MAX_MENDED = 128 << 20
"""A larger document must be well-formed: mending holds it in memory several times over."""
MAX_SIZE = 256 << 20
"""No larger document is read: as a tree it takes as much memory, and two megabytes of gzip may hold two gigabytes of text."""
MAX_WEIGHT = 5_000_000
"""As `_weight` counts, some 120 bytes each once parsed: a table of half a million cells. A megabyte of gzip can hold far more."""

_SAFE = {
    "no_network": True,
    "load_dtd": False,
    "resolve_entities": "internal",  # declared in the document itself; libxml2 caps how far they may grow
    "remove_comments": True,
    "remove_pis": True,
}
_STRICT = etree.XMLParser(**_SAFE)  # type: ignore[arg-type]  # the stubs know no "internal"
_FALLBACK = {
    # huge_tree lifts libxml2's limits on depth and text, and with them the one on entities
    huge: (
        etree.XMLParser(encoding="utf-8", huge_tree=huge, **_SAFE),  # type: ignore[arg-type]
        etree.XMLParser(encoding="utf-8", huge_tree=huge, recover=True, **_SAFE),  # type: ignore[arg-type]
    )
    for huge in (False, True)
}
_LIMIT, _LOOP = etree.ErrorTypes.ERR_RESOURCE_LIMIT, etree.ErrorTypes.ERR_ENTITY_LOOP
_UNDECLARED = {etree.ErrorTypes.ERR_UNDECLARED_ENTITY, etree.ErrorTypes.WAR_UNDECLARED_ENTITY}

_TAIL = 4096
_BLOCK = 1 << 20
_DECLARATION = re.compile(r"<\?xml\s[^>]*?\?>")
_ENCODING = re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")
_ASCII_BASED = re.compile(r"(us-)?ascii|iso-?8859|latin|windows-125|cp125|gb|big5|euc|shift|koi8|iso-2022-jp", re.IGNORECASE)
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_PARAMETER = re.compile(r"%[\w.-]+;")
_DECLARED = re.compile(r"""<!ENTITY\s+([\w.-]+)\s+["']""")
_REFERENCE = re.compile(
    r"<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)|&(?:\#(?P<decimal>\d{1,8});|\#x(?P<hex>[0-9a-fA-F]{1,8});|(?P<name>[A-Za-z_][\w.-]*);)?",
    re.DOTALL,
)
_PREDEFINED = frozenset({"lt", "gt", "amp", "quot", "apos"})


@dataclass(frozen=True, slots=True)
class Document:
    """
    A parsed document, and how well it held together.

    `repaired`: it was not well-formed; `offset` is about where, in bytes. `cut`: its end is missing, so it is not the whole document.
    """

    root: etree._Element
    repaired: bool = False
    cut: bool = False
    offset: int | None = None
    note: str = ""


def parse(data: bytes) -> Document:
    """The document in `data`; `Malformed` when there is none, or when it is made to exhaust its reader (`Exhausting`)."""
    _refuse_mass(_weight(data))
    try:
        return Document(etree.fromstring(data, _STRICT))
    except etree.XMLSyntaxError as error:
        return _mended(data, error)


def parse_file(path: str | Path) -> Document:
    """As `parse`, of a file too large to be read whole unless it needs mending."""
    path = Path(path)
    size = path.stat().st_size
    if size > MAX_SIZE:
        raise Exhausting(f"{size} bytes")
    with path.open("rb") as file:  # an open file: libxml2 never sees a name it could take for a URL
        _refuse_mass(sum(map(_weight, iter(partial(file.read, _BLOCK), b""))))
        file.seek(0)
        try:
            return Document(etree.parse(file, _STRICT).getroot())
        except etree.XMLSyntaxError as error:
            if size > MAX_MENDED:
                raise Malformed(f"not well-formed, and too large to be mended: {error}") from error
            return _mended(path.read_bytes(), error)


def local_name(element: etree._Element) -> str:
    """The tag without its namespace: upstreams differ in which they declare."""
    return element.tag.rpartition("}")[2]


def declared_encoding(data: bytes) -> str | None:
    """The encoding that a document in an ASCII-based one declares; None for UTF-8, and for what is no encoding of documents."""
    declared = _ENCODING.search(data[:1024])
    if declared is None or not _ASCII_BASED.match(name := declared[1].decode()):
        return None
    try:
        codecs.lookup(name)
    except LookupError:
        return None
    return name


def _weight(data: bytes) -> int:
    """About how many nodes a document has: of elements, texts and references one each, of attributes two."""
    return data.count(b"<") + data.count(b"&") + 2 * data.count(b"=")


def _refuse_mass(weight: int) -> None:
    if weight > MAX_WEIGHT:
        raise Exhausting(f"some {weight} nodes")


def _mended(data: bytes, error: etree.XMLSyntaxError) -> Document:
    code = _refuse_bomb(error)
    text, forced = _decode(data)
    text, mended = _mend(text)
    strict, recovering = _FALLBACK["<!ENTITY" not in text]
    clean = text.encode()
    known = (code in _UNDECLARED and "<!DOCTYPE" in text) or code == _LIMIT
    offset = _offset(data, error)
    try:
        root = etree.fromstring(clean, strict)
    except etree.XMLSyntaxError as second:
        _refuse_bomb(second)
    else:
        if known and not (forced or mended):
            return Document(root)  # well-formed all along: its DTD defines what we would not fetch, or it is just large
        return Document(root, repaired=True, offset=offset, note=error.msg)
    try:
        root = etree.fromstring(clean, recovering)
    except etree.XMLSyntaxError as third:
        raise Malformed(third.msg) from third
    if root is None or any(entry.type in (_LIMIT, _LOOP) for entry in recovering.error_log):
        raise Malformed(error.msg)
    return Document(root, repaired=True, cut=_is_cut(text, root), offset=offset, note=error.msg)


def _refuse_bomb(error: etree.XMLSyntaxError) -> int:
    """The error's code, unless it is libxml2's verdict on an entity bomb."""
    code: int = error.code  # type: ignore[attr-defined]  # missing in the stubs
    if code == _LOOP or (code == _LIMIT and "amplification" in error.msg):
        raise Malformed(f"entity bomb: {error.msg}")
    return code


def _decode(data: bytes) -> tuple[str, bool]:
    """The text, and whether its declared encoding had to be set aside."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace"), False
    if data[:4] in (b"<\0?\0", b"<\0!\0"):
        return data.decode("utf-16-le", "replace"), False
    if name := declared_encoding(data):
        try:
            return data.decode(name), False
        except UnicodeDecodeError:
            pass
    try:
        return data.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", "replace")
    bad = text.count("\ufffd")
    if bad > sum(map(len, re.findall("[^\x00-\x7f\ufffd]+", text))):  # mostly not UTF-8: what Windows and old databases write
        text = data.decode("windows-1252", "replace")
    return text, True


def _mend(text: str) -> tuple[str, bool]:
    """Text a strict parser may accept: nothing is dropped silently; and whether more than named entities had to be changed."""
    if 0 < (start := text.find("<")) <= 1024:
        text = text[start:]
    if declaration := _DECLARATION.match(text):
        text = text[declaration.end() :]
    text, illegal = _ILLEGAL.subn("\ufffd", text)
    declared: frozenset[str] = frozenset()
    if doctype := _DOCTYPE.match(text, max(text.find("<!DOCTYPE", 0, 1 << 16), 0)):
        subset = _PARAMETER.sub("", doctype[0])  # external parameter entities are never read
        declared = frozenset(_DECLARED.findall(subset))
        text = text[: doctype.start()] + subset + text[doctype.end() :]
    changed = illegal

    def resolve(match: re.Match[str]) -> str:
        nonlocal changed
        if match[0][0] == "<":
            return match[0]
        if name := match["name"]:
            if name in _PREDEFINED or name in declared:
                return match[0]
            return "".join(f"&#{ord(letter)};" for letter in html5.get(f"{name};", f"[{name}]"))
        if number := match["decimal"] or match["hex"]:
            code = int(number, 10 if match["decimal"] else 16)
            if code in (9, 10, 13) or (32 <= code <= 0x10FFFF and not _ILLEGAL.match(chr(code))):
                return match[0]
            changed += 1
            return "\ufffd"
        changed += 1
        return "&amp;"

    return _REFERENCE.sub(resolve, text), bool(changed)


def _offset(data: bytes, error: etree.XMLSyntaxError) -> int:
    line, column = error.position
    start = 0
    for _ in range(line - 1):
        start = data.find(b"\n", start) + 1
    return min(max(start + column - 1, 0), len(data))


def _is_cut(text: str, root: etree._Element) -> bool:
    """Whether the root's own end tag is missing near the end: a parser that recovers would close what was never closed."""
    tail = text[-_TAIL:].rstrip("\0\ufffd \t\r\n")
    name = f"{root.prefix}:{local_name(root)}" if root.prefix else local_name(root)
    return not re.search(rf"</{re.escape(name)}\s*>", tail) and not (len(root) == 0 and tail.endswith("/>"))
