"""The output folder: an article's files and its `article.json`, written atomically; what is there already."""

from __future__ import annotations

import errno
import itertools
import logging
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import orjson
from scrapy.settings import BaseSettings

from litcrawl import ids as identifiers
from litcrawl import names
from litcrawl.exceptions import BadArgument, Malformed, StorageError
from litcrawl.ids import Ids
from litcrawl.index import Index
from litcrawl.items import Spool
from litcrawl.parsers import jats, xml
from litcrawl.terms import Want, want_of

logger = logging.getLogger(__name__)

SIDECAR = "article.json"
PARTS = ".parts"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_STALE_AFTER = 24 * 3600.0  # seconds; a temporary file of that age belongs to no running crawl
_serial = itertools.count()


@dataclass(kw_only=True)
class Kept:
    """What disk has of an article: its `article.json`, the paths of its files that are there at their size, other folders of it."""

    article: dict[str, Any] | None = None
    held: frozenset[str] = frozenset()
    also: list[str] = field(default_factory=list)


class Store:
    """
    A folder of article folders.

    Every file comes into being whole: written under `.parts/`, then renamed. `index.sqlite` finds an article by any of
    its identifiers; it is a cache of the `article.json` files, rebuilt when it is missing, never believed without them.
    """

    def __init__(self, out: Path, *, min_free: int = 0) -> None:
        self.out = out
        self.min_free = min_free
        self.parts = out / PARTS
        self._index: Index | None = None

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        """The store that `LITCRAWL_OUT` names. Raises `BadArgument` for what is no folder."""
        out = str(settings.get("LITCRAWL_OUT"))
        if "://" in out:
            raise BadArgument(f"LITCRAWL_OUT={out.partition('://')[0]}://…: this version writes to a folder")
        return cls(Path(out).expanduser().absolute(), min_free=settings.getint("LITCRAWL_MIN_FREE"))

    def prepare(self) -> None:
        """Make the folder, and see that it can be written. Raises `BadArgument`."""
        try:
            self.parts.mkdir(parents=True, exist_ok=True)
            probe = self._temporary()
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise BadArgument(f"LITCRAWL_OUT={self.out}: cannot be written: {error.strerror}") from None
        for left in (*self.parts.glob("*.tmp"), *self.parts.glob("*.rows")):
            if time.time() - left.stat().st_mtime > _STALE_AFTER:
                left.unlink(missing_ok=True)

    @property
    def index(self) -> Index:
        """Identifier -> folders."""
        if self._index is None:
            self._index = Index(self.out / "index.sqlite", self._sidecars)
        return self._index

    def close(self) -> None:
        """Let go of the index."""
        if self._index is not None:
            self._index.close()
            self._index = None

    # what is there

    def find(self, ids: Ids) -> Kept:
        """What disk has of the article that bears any of these identifiers; of several, the one whose key comes first."""
        singles = [Ids(**{name: value}) for name, value in ids.as_dict().items() if value]
        folders = dict.fromkeys([*(names.folder(identifiers.key(one)) for one in (ids, *singles)), *self.index.folders(ids)])
        kept = [article for folder in folders if (article := self.read(folder)) and _shares(article, ids)]
        if not kept:
            return Kept()
        kept.sort(key=lambda article: _rank(article["key"]))
        article, *others = kept
        held = frozenset(file["path"] for file in article["files"] if file["path"] and self.size(file["path"]) == file["size_bytes"])
        return Kept(article=article, held=held, also=[other["path"] for other in others])

    def read(self, folder: str) -> dict[str, Any] | None:
        """The `article.json` of a folder; None where there is none that can be read."""
        path = self.out / folder / SIDECAR
        try:
            article = orjson.loads(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            logger.warning("%s cannot be read (%s): the article is fetched anew", path, error)
            return None
        return article if isinstance(article, dict) and article.get("type") == "article" else None

    def captions(self, kept: Kept) -> dict[str, Any]:
        """What the full text on disk says of the article's other files."""
        for file in kept.article["files"] if kept.article else ():
            if file["path"] in kept.held and want_of(file["kind"], file["media_type"]) == Want.XML:
                try:
                    return jats.evidence(xml.parse_file(self.out / file["path"]).root).get("supplements") or {}
                except (Malformed, OSError) as error:
                    logger.warning("%s can no longer be read: %s", file["path"], error)
        return {}

    def size(self, path: str) -> int | None:
        """The size in bytes of a stored file; None when it is not there."""
        try:
            return (self.out / path).stat().st_size
        except OSError:
            return None

    def _sidecars(self) -> Iterator[dict[str, Any]]:
        for group in self.out.iterdir() if self.out.is_dir() else ():
            if group.is_dir() and group.name not in (PARTS, "runs"):
                for folder in group.iterdir():
                    if article := self.read(f"{group.name}/{folder.name}"):
                        yield article

    # writing

    def put(self, path: str, content: bytes | Spool) -> None:
        """Put a whole file in its place: bytes, or a spool, which is moved. Raises `StorageError`; then nothing has changed."""
        with self._errors(path):
            if isinstance(content, Spool):
                self._move(Path(content.path), path)
                return
            temporary = self._temporary()
            try:
                self._room(len(content))
                temporary.write_bytes(content)
                self._move(temporary, path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise

    def put_article(self, article: Mapping[str, Any]) -> None:
        """Write an article's `article.json`; the index knows its identifiers before. Raises `StorageError`."""
        with self._errors(SIDECAR):
            self.index.add(Ids(**article["ids"]), article["path"])
        self.put(f"{article['path']}/{SIDECAR}", orjson.dumps(article, option=orjson.OPT_INDENT_2))

    def discard(self, spool: Spool | None) -> None:
        """Throw away a spool that is not needed."""
        if spool is not None:
            Path(spool.path).unlink(missing_ok=True)

    def _move(self, source: Path, path: str) -> None:
        target = self.out / path
        try:
            source.replace(target)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
            source.replace(target)

    def _temporary(self) -> Path:
        return self.parts / f"{os.getpid()}-{next(_serial)}.tmp"

    def _room(self, size: int) -> None:
        if self.min_free and shutil.disk_usage(self.out).free - size < self.min_free:
            raise StorageError(f"less than LITCRAWL_MIN_FREE ({self.min_free} bytes) is free at {self.out}", full=True)

    @contextmanager
    def _errors(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {error.strerror or error}", full=error.errno in _FULL) from error


def _shares(article: Mapping[str, Any], ids: Ids) -> bool:
    return any(value and article["ids"].get(name) == value for name, value in ids.as_dict().items())


def _rank(key: str) -> int:
    """The place of a key's kind in the order of keys: DOI, PMID, PMCID, Bookshelf, arXiv."""
    prefixes = ("10.", "pmid:", "PMC", "NBK", "arxiv:")
    return next((n for n, prefix in enumerate(prefixes) if key.startswith(prefix)), len(prefixes))
