"""
Springer Nature's OpenAccess answers: each article as the publisher wrote it, out of the envelope around it.

https://dev.springernature.com/docs/api-endpoints/open-access/. The envelope quotes the query and the key that was sent, so it is never
kept; what it declares for the articles inside goes with them.
"""

from __future__ import annotations

import re
from itertools import islice

from litcrawl.exceptions import Malformed
from litcrawl.parsers import xml

_ATTRIBUTES = r"""(?>[^<>"']+|"[^"<]*"|'[^'<]*')*"""
# Comments, CDATA and processing instructions may hold what looks like a tag; one without an end goes on to the last byte
_TOKEN = re.compile(
    r"<!--(?:.*?-->|.*)|<!\[CDATA\[(?:.*?\]\]>|.*)|<\?(?:.*?\?>|.*)"
    rf"|<(?P<end>/?)(?P<name>article|book-part-wrapper|response|records)(?=[\s/>])(?P<attributes>{_ATTRIBUTES})>",
    re.DOTALL,
)
_BODIES = frozenset({"article", "book-part-wrapper"})
_DOCTYPE = re.compile(r"<!DOCTYPE\s+response\b[^\[>]*(?:\[(?P<subset>.*?)\]\s*)?>", re.DOTALL)
_ENTITY = re.compile(r"""<!ENTITY\s+(?P<name>[A-Za-z_][\w.-]*)\s+(?:"[^"]*"|'[^']*')\s*>""")
_NAMESPACE = re.compile(r"""\bxmlns(?::(?P<prefix>[\w.-]+))?\s*=\s*(?:"[^"]*"|'[^']*')""")
_PREFIX = re.compile(r"(?<![\w.-])([\w.-]++):")
_REFERENCE = re.compile(r"&([\w.-]++);")
_PROLOGUE = 16 << 10  # characters in which the envelope begins
_MOST = 100  # articles, and namespaces around them: one call asks for one article


def articles(answer: bytes) -> list[bytes] | None:
    """
    The documents in an answer, each whole by itself: XML declaration in the answer's encoding, namespaces and entities that the envelope
    declared and the article uses; between its tags not a byte is changed. None when `answer` is no envelope.

    Raises `Malformed` when an article ends before its end tag.
    """
    text, codec = _decoded(answer)
    begins = next((token for token in _TOKEN.finditer(text, 0, _PROLOGUE) if token["name"]), None)
    if begins is None or begins["name"] != "response":
        return None
    doctype = _DOCTYPE.search(text, 0, begins.start())
    declared = {found["name"]: found[0] for found in _ENTITY.finditer(doctype["subset"] or "")} if doctype else {}
    around: dict[str, str] = {}  # namespaces in scope, by prefix
    found: list[bytes] = []
    start: re.Match[str] | None = None
    for token in _TOKEN.finditer(text, begins.start()):
        name = token["name"]
        if name is None:
            continue
        if start is None and not token["end"]:
            if name in _BODIES and not token["attributes"].endswith("/"):
                start = token
            elif name not in _BODIES:
                stated = islice(_NAMESPACE.finditer(token["attributes"]), _MOST - len(around))
                around |= {one["prefix"] or "": one[0] for one in stated}
        elif start is not None and token["end"] and name == start["name"]:
            found.append(_document(text[start.end() : token.end()], start, around, declared, codec))
            start = None
            if len(found) == _MOST:
                break
    if start is not None:
        raise Malformed(f"the {start['name']} has no end")
    return found


def _document(rest: str, start: re.Match[str], around: dict[str, str], declared: dict[str, str], codec: str) -> bytes:
    """One article: its own start tag with what it lacks, and the `rest` behind that as it is."""
    own = {one["prefix"] or "" for one in _NAMESPACE.finditer(start["attributes"])}
    used = start["attributes"] + rest
    prefixes = {"", *_PREFIX.findall(used)} if around else set()
    references = set(_REFERENCE.findall(used)) if declared else set()
    lacking = [text for prefix, text in around.items() if prefix not in own and prefix in prefixes]
    entities = [text for name, text in declared.items() if name in references]
    head = f'<?xml version="1.0" encoding="{codec}"?>\n'
    if entities:
        head += f"<!DOCTYPE {start['name']} [\n{chr(10).join(entities)}\n]>\n"
    tag = "".join((f"<{start['name']}", *(f" {one}" for one in lacking), start["attributes"], ">"))
    return (head + tag + rest).encode(codec, "surrogateescape")


def _decoded(answer: bytes) -> tuple[str, str]:
    """The text, and the encoding that gives every byte of it back."""
    if answer[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return answer.decode("utf-16", "replace"), "utf-16"
    codec = xml.declared_encoding(answer) or "utf-8"
    return answer.decode(codec, "surrogateescape"), codec
