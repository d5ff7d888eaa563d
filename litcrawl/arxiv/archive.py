"""
The archive's folder, as OpenSheaf lays it out: what it holds of each version, and the two tables that say so.

`papers/<id>/` holds `record.xml`, `vN.pdf`, `vN-source.<ending>`; `download.json` names each file, or why there is none;
`version-licences.json` the licence and comments of each version.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from litcrawl import proof
from litcrawl.arxiv import eprint, urls
from litcrawl.arxiv.table import Table
from litcrawl.exceptions import Malformed, Miss
from litcrawl.items import Spool
from litcrawl.parsers import oai
from litcrawl.proof.content import Content
from litcrawl.store import PAPERS, Store
from litcrawl.terms import Reason, Want

logger = logging.getLogger(__name__)

FILES = "download.json"
LICENCES = "version-licences.json"
PDF, SOURCE = "pdf", "src"
"""The two files of a version, as the keys of `download.json` have them."""

_BLOCK = 1 << 20
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")


class Archive:
    """Every change is on disk when its method returns."""

    def __init__(self, store: Store) -> None:
        """Raises `BadArgument` when a table that is there cannot be read."""
        self.store = store
        self._files, self._licences = Table(store, FILES), Table(store, LICENCES)
        self._read: tuple[str, oai.Record | None] = ("", None)

    # what is there

    def record(self, paper: str) -> oai.Record | None:
        """The record that is held of a paper; None when there is none that can be read."""
        if self._read[0] != paper:
            self._read = (paper, self._record(paper))
        return self._read[1]

    def _record(self, paper: str) -> oai.Record | None:
        path = self.store.out / folder(paper) / "record.xml"
        try:
            return oai.record(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, Malformed, oai.OaiError) as error:
            logger.warning("%s cannot be read (%s): the record is asked for anew", path, error)
            return None

    def licence(self, paper: str, version: int) -> str | None:
        """The licence of a version; None while it is unknown."""
        return _text(self._licences.get(f"{paper}v{version}"), "licence")

    def file(self, paper: str, version: int, what: str) -> Mapping[str, Any] | None:
        """The entry of a file that is on disk, at its size: `file`, `url`, `bytes`, `sha256`."""
        entry = self._entries(paper).get(f"v{version}.{what}")
        name = _text(entry, "file")
        if name is None or not isinstance(entry, dict) or not _form(version, what).fullmatch(name):
            return None  # folders are handed on from one to another: none may lead out of it, nor to another version's file
        size = self.store.size(f"{folder(paper)}/{name}")
        if not size or entry.get("bytes", size) != size:
            return None
        url = _text(entry, "url") or address(paper, version, what)
        return {"file": name, "url": url, "bytes": size, "sha256": _text(entry, "sha256")}

    def adopt(self, paper: str, versions: Iterable[int]) -> None:
        """
        Enter files that are on disk whole, and in no table: of who was killed between the two.

        Only those whose own bytes tell that they are whole.
        """
        inside = self.store.out / folder(paper)
        names = sorted(path.name for path in inside.iterdir()) if inside.is_dir() else []
        for version in versions:
            for what in (PDF, SOURCE):
                for name in filter(_form(version, what).fullmatch, names):
                    if _text(self._entries(paper).get(f"v{version}.{what}"), "file") is None and (found := _whole(inside / name, what)):
                        size, digest, written = found
                        url = address(paper, version, what)
                        self._enter(paper, version, what, {"file": name, "url": url, "bytes": size, "sha256": digest, "fetched": written})

    def owed(self) -> Iterator[tuple[str, int]]:
        """
        The versions that the tables know, and of which they lack the licence or a file.

        A file that was withdrawn is not lacking: its record says so.
        """
        versions: set[tuple[str, int]] = set()
        for name in self._licences.names():
            paper, _, number = name.rpartition("v")
            versions |= {(paper, int(number))} if _NUMBER.fullmatch(number) else set()
        for paper in self._files.names():
            keys = (key.removeprefix("v").partition(".")[0] for key in self._entries(paper))
            versions |= {(paper, int(number)) for number in keys if _NUMBER.fullmatch(number)}
        for paper, version in sorted(versions):
            entries = [self._entries(paper).get(f"v{version}.{what}") for what in (PDF, SOURCE)]
            had = (_text(one, "file") or (_text(one, "error") or "").startswith(f"{Reason.WITHDRAWN}:") for one in entries)
            if self.licence(paper, version) is None or not all(had):
                yield paper, version

    # what is new

    def keep_record(self, paper: str, data: bytes) -> None:
        """Store a record in place of the one that is held. Raises `StorageError`."""
        self.store.put(f"{folder(paper)}/record.xml", data)
        self._read = ("", None)

    def keep_page(self, paper: str, version: int, licence: str | None, comments: str | None) -> None:
        """Take down what a version's page says; what is known is not forgotten. Raises `StorageError`."""
        name = f"{paper}v{version}"
        known = {"licence": licence, "comments": comments}
        self._licences.set(name, {key: value or _text(self._licences.get(name), key) for key, value in known.items()})

    def keep_file(self, path: str, content: bytes | Spool, *, paper: str, version: int, what: str, size: int, sha256: str) -> None:
        """Store a file, whole, and enter it. Raises `StorageError`."""
        self.store.put(path, content)
        name, url = path.rpartition("/")[2], address(paper, version, what)
        self._enter(
            paper, version, what, {"file": name, "url": url, "bytes": size, "sha256": sha256, "fetched": _moment(datetime.now(UTC))}
        )

    def keep_error(self, paper: str, version: int, what: str, error: str) -> None:
        """Enter why there is no such file. Raises `StorageError`."""
        self._enter(paper, version, what, {"error": error, "url": address(paper, version, what)})

    def _entries(self, paper: str) -> Mapping[str, Any]:
        entries = self._files.get(paper)
        return entries if isinstance(entries, dict) else {}

    def _enter(self, paper: str, version: int, what: str, entry: dict[str, Any]) -> None:
        self._files.update(paper, {f"v{version}.{what}": entry})


def folder(paper: str) -> str:
    """The folder of a paper, relative to the output."""
    return f"{PAPERS}/{paper.replace('/', '_')}"


def address(paper: str, version: int, what: str) -> str:
    """Where a file of a version is fetched."""
    return urls.pdf(paper, version) if what == PDF else urls.source(paper, version)


def _form(version: int, what: str) -> re.Pattern[str]:
    """The names that a file of a version may have."""
    return re.compile(rf"v{version}\.pdf" if what == PDF else rf"v{version}-source\.[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*")


def _text(entry: object, name: str) -> str | None:
    value = entry.get(name) if isinstance(entry, dict) else None
    return value if isinstance(value, str) and value else None


def _whole(path: Path, what: str) -> tuple[int, str, str] | None:
    """Size, SHA-256 and time of a file that is whole by its own bytes."""
    sha256, head, tail, size = hashlib.sha256(), b"", b"", 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                sha256.update(block)
                head, tail, size = head or block[: Spool.END], (tail + block[-Spool.END :])[-Spool.END :], size + len(block)
        content = Content(Spool(path=str(path), size=size, sha256=sha256.hexdigest(), md5="", head=head, tail=tail))
        if what == PDF:
            proof.check(content, Want.PDF)
        else:
            _, ending, checks = eprint.prove(content, html=False)
            if ending not in eprint.PROVABLE or not checks:
                return None
        return size, content.sha256, _moment(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    except (OSError, Miss):
        return None


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
