"""Names on disk: an article's folder, and back to its key; a supplementary file's name; a run's folder."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import PurePosixPath
from urllib.parse import unquote

_FOLDER_BYTES = 120
_FILE_BYTES = 100
_MARK = 11  # `~` and ten hex digits
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-+=@,")
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file: also with any extension
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]|conin\$|conout\$) *(?:\..*)?", re.I)
_FORBIDDEN = re.compile(r'[<>:"|?*]')
_EXTENSION = re.compile(r"(?:\.tar)?\.[A-Za-z0-9_-]{1,16}$")


def folder(key: str) -> str:
    """
    The folder of the article with this key, relative to the output: `<registrant>/<rest>`, `pmid/<n>`, `pmc/<PMCID>`, …

    Different keys never share one, on any file system: names are ASCII, equal only if they are equal without
    regard to case, with no trailing dot or space and no device name; only names that were cut hold a `~`.
    """
    parent, name = _split(key)
    return f"{_encoded(parent, key)}/{_encoded(name, key)}"


def key_of_folder(path: str) -> str | None:
    """The key whose folder this is; None for a name that was cut or is not one of ours."""
    parent, slash, name = path.partition("/")
    if not slash:
        return None
    name = unquote(name, errors="surrogatepass")
    match parent:
        case "pmid":
            key = f"pmid:{name}"
        case "pmc" | "bookshelf":
            key = name
        case "arxiv":
            key = f"arxiv:{name.replace('_', '/')}"
        case _ if parent.startswith("10."):
            key = f"{parent}/{name}"
        case _:
            return None
    return key if folder(key) == path else None


def file_name(name: str, taken: Iterable[str] = ()) -> str:
    """
    An upstream's name for a file, made safe: one path part of at most 100 bytes, not hidden, never empty, its extension kept.

    Names that any file system holds for equal (NFC, case-folded) are told apart from those `taken` by `-2`, `-3`, …
    """
    stem, extension = _cleaned(name)
    folded = _folded("\n".join(["", "article.json", *taken, ""]))  # at once: there may be thousands, and no name holds a line's end

    def candidate(number: int) -> str:
        return _fitted(stem, f"-{number}{extension}" if number > 1 else extension)

    def is_taken(number: int) -> bool:
        return f"\n{_folded(candidate(number))}\n" in folded

    low, high = 0, 1  # in steps that double, then halve: all of ten thousand files may bear one name
    while is_taken(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_taken(middle) else (low, middle)
    return candidate(high)


def _split(key: str) -> tuple[str, str]:
    if key.startswith("pmid:"):
        return "pmid", key[5:]
    if key.startswith("arxiv:"):
        return "arxiv", key[6:].replace("/", "_")
    if key.startswith("PMC"):
        return "pmc", key
    if key.startswith("NBK"):
        return "bookshelf", key
    registrant, _, rest = key.partition("/")
    return registrant, rest


def _encoded(name: str, key: str) -> str:
    units = [each if each in _PLAIN else _percent(each) for each in name]
    if units and units[-1] == ".":
        units[-1] = "%2E"
    if units and (units[0] == "." or _DEVICE.fullmatch("".join(units))):
        units[0] = _percent(name[0])
    if sum(map(len, units)) <= _FOLDER_BYTES:
        return "".join(units)
    kept, room = [], _FOLDER_BYTES - _MARK
    for unit in units:
        room -= len(unit)
        if room < 0:
            break
        kept.append(unit)
    return "".join(kept) + "~" + sha256(key.encode(errors="surrogatepass")).hexdigest()[:10]


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode(errors="surrogatepass"))


def _cleaned(name: str) -> tuple[str, str]:
    name = PurePosixPath(unicodedata.normalize("NFC", name).replace("\\", "/")).name
    # Cc, Cf, Cs: control, format (direction overrides hide an extension) and lone surrogates
    name = "".join(each for each in name if unicodedata.category(each) not in {"Cc", "Cf", "Cs", "Zl", "Zp"})
    name = _FORBIDDEN.sub("_", name).strip().lstrip(".").rstrip(". ").strip()
    found = _EXTENSION.search(name)
    extension = found[0] if found and found.start() else ""
    stem = name.removesuffix(extension).rstrip(". ") or "file"
    return (f"_{stem}" if _DEVICE.fullmatch(stem) else stem), extension


def _fitted(stem: str, ending: str) -> str:
    room = _FILE_BYTES - len(ending.encode())
    stem = stem.encode()[:room].decode(errors="ignore").rstrip(". ") or "file"
    return stem + ending


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def run(spider: str, job: object = None) -> str:
    """The name of a run's folder: spider, moment, and Scrapyd's job, else a few letters of its own."""
    return f"{spider}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{file_name(str(job or secrets.token_hex(2)))}"
