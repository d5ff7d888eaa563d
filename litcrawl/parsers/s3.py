"""
ListObjectsV2 answers of S3 and its imitators.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import unquote_plus

from lxml import etree

from litcrawl.exceptions import Malformed
from litcrawl.parsers import xml

_LONGEST_KEY = 1024  # bytes: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
_LONGEST_TOKEN = 4096  # characters; those of S3 have some eighty
_SIZE = re.compile(r"[0-9]{1,18}")
_MD5 = re.compile(r'"?([0-9a-f]{32})"?', re.IGNORECASE)


class Object(NamedTuple):
    """One object of a bucket; `md5` only where its ETag is one (an upload in parts has another)."""

    key: str
    size: int | None
    md5: str | None


class Listing(NamedTuple):
    """One page of a listing; `next_token` asks for the page after it."""

    objects: list[Object]
    prefixes: list[str]
    next_token: str | None


def listing(data: bytes) -> Listing:
    """The objects, the common prefixes and the token for more; `Malformed` for anything that is not a whole listing."""
    document = xml.parse(data)
    root = document.root
    if document.repaired or xml.local_name(root) != "ListBucketResult":
        raise Malformed(f"not a bucket listing: <{xml.local_name(root)}>" if not document.repaired else document.note)
    decode: Callable[[str], str] = unquote_plus if root.findtext("{*}EncodingType") == "url" else str
    objects = [_object(entry, decode) for entry in root.iterchildren("{*}Contents")]
    prefixes = [decode(_text(entry, "{*}Prefix")) for entry in root.iterchildren("{*}CommonPrefixes")]
    truncated = (root.findtext("{*}IsTruncated") or "").strip()
    token = root.findtext("{*}NextContinuationToken")
    if token and len(token) > _LONGEST_TOKEN:
        raise Malformed(f"a token of {len(token)} characters")
    if truncated not in ("true", "false") or (truncated == "true" and not token):
        raise Malformed("a listing that does not say whether or how it goes on")
    return Listing(objects, prefixes, token if truncated == "true" else None)


def error_code(root: etree._Element) -> str | None:
    """The code in S3's error document, such as `NoSuchKey`; None when it is none."""
    if xml.local_name(root) != "Error":
        return None
    return root.findtext("{*}Code") or ""


def _object(entry: etree._Element, decode: Callable[[str], str]) -> Object:
    said = {xml.local_name(child): child.text or "" for child in entry.iterchildren("*")}
    key, size = said.get("Key"), said.get("Size")
    if not key:
        raise Malformed("an entry without Key")
    if len((key := decode(key)).encode("utf-8", "replace")) > _LONGEST_KEY:
        raise Malformed(f"a key of {len(key)} characters")
    if size is not None and not _SIZE.fullmatch(size):
        raise Malformed(f"the size of an object is {size[:40]!r}")
    md5 = _MD5.fullmatch(said.get("ETag", ""))
    return Object(key, None if size is None else int(size), md5[1].lower() if md5 else None)


def _text(entry: etree._Element, name: str) -> str:
    text = entry.findtext(name)
    if not text:
        raise Malformed(f"an entry without {name.rpartition('}')[2]}")
    return text
