"""The output folder: an article's files and its `article.json`, written atomically; what is there already."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Self
from weakref import WeakKeyDictionary

import orjson
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from litcrawl import ids as identifiers
from litcrawl import leftovers, names
from litcrawl.exceptions import FULL, BadArgument, Malformed, StorageError
from litcrawl.ids import Ids
from litcrawl.index import Index
from litcrawl.items import Article, Spool
from litcrawl.output import output_folder
from litcrawl.parsers import jats, xml
from litcrawl.terms import Reason, Want, want_of

logger = logging.getLogger(__name__)

SIDECAR = "article.json"
PARTS = ".parts"
PAPERS = "papers"
"""The folder of `scrapy crawl arxiv`: its `article.json` are not read back, for that archive has its own tables."""
# what is read of an earlier run's record
_NEEDED = {"key", "path", "inputs", "ids", "conflicts", "files", "claims", "related", "retracted", "attempts", "also", "notes", "run"}
_ENTRIES = {
    "inputs": {"row", "version"},
    "conflicts": {"ids"},
    "attempts": {"source", "step", "reason", "http", "url", "at"},
}


@dataclass(kw_only=True)
class Kept:
    """
    What disk has of an article: its `article.json`, the paths of its files that are there at their size, other folders of
    it, and the identifiers that all these know.
    """

    article: dict[str, Any] | None = None
    held: frozenset[str] = frozenset()
    also: list[str] = field(default_factory=list)
    ids: Ids = field(default_factory=Ids)


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
        out = str(settings.get("LITCRAWL_OUT") or "").strip()
        if not out:
            raise BadArgument("LITCRAWL_OUT is empty: name a folder")
        if "://" in out:
            raise BadArgument(f"LITCRAWL_OUT={out.partition('://')[0]}://…: this version writes to a folder")
        return cls(output_folder(out), min_free=settings.getint("LITCRAWL_MIN_FREE"))

    @classmethod
    def of(cls, crawler: Crawler) -> Store:
        """The one store of a crawler, whoever asks; closed with its spider, after the pipelines. Raises `BadArgument`."""
        if crawler not in _stores:
            _stores[crawler] = store = cls.from_settings(crawler.settings)
            crawler.signals.connect(store.close, signal=signals.spider_closed)
        return _stores[crawler]

    def prepare(self, *, index: bool = True) -> None:
        """
        Make the folder, see that it can be written, sweep up what earlier runs left in it, and build the `index` if that is
        missing: over many articles this takes a while, which is better spent before the crawl than in the middle of it.

        Raises `BadArgument`.
        """
        try:
            self.parts.mkdir(parents=True, exist_ok=True)
            probe = self.temporary()
            probe.write_bytes(b"")
            probe.unlink()
            leftovers.sweep(self.parts)
            if index:
                self._open_index().close()
        except OSError as error:
            raise BadArgument(f"LITCRAWL_OUT={self.out}: cannot be written: {error.strerror}") from None

    @property
    def index(self) -> Index:
        """Identifier -> folders."""
        if self._index is None:
            self._index = self._open_index()
        return self._index

    def _open_index(self) -> Index:
        return Index(self.out / "index.sqlite", self._sidecars)

    def close(self) -> None:
        """Let go of the index."""
        if self._index is not None:
            self._index.close()
            self._index = None

    # what is there

    def find(self, ids: Ids) -> Kept:
        """
        What disk has of the article that bears any of these identifiers; of several, the one whose key comes first.

        Several folders are one article when they share an identifier with these, or with one another and differ in none.
        Raises `StorageError` when the index cannot be used.
        """
        kept: dict[str, dict[str, Any]] = {}
        known = self._read_into(kept, ids, [names.folder(identifiers.key(Ids(**{name: value}))) for name, value in ids], ids)
        with self._errors("index.sqlite"):
            asked = None
            while known != asked:
                asked, known = known, self._read_into(kept, known, self.index.folders(known), ids)
        if not kept:
            return Kept()
        article, *others = sorted(kept.values(), key=lambda one: _rank(one["key"]))
        held = frozenset(file["path"] for file in article["files"] if file["path"] and self.size(file["path"]) == file["size_bytes"])
        return Kept(article=article, held=held, also=[other["path"] for other in others], ids=known)

    def _read_into(self, kept: dict[str, dict[str, Any]], known: Ids, folders: Iterable[str], given: Ids) -> Ids:
        """Add what these folders have of the article to `kept`; the identifiers known with them."""
        for folder in folders:
            if folder not in kept and (article := self.read(folder)):
                own = Ids(**article["ids"])
                if (own.shares(given) and own.names_same(given)) or (own.shares(known) and not own.contradicts(known)):
                    kept[folder] = article
                    known = known.merge(own)
        return known

    def read(self, folder: str) -> dict[str, Any] | None:
        """The `article.json` of a folder; None where there is none that can be read."""
        path = self.out / folder / SIDECAR
        try:
            article = orjson.loads(path.read_bytes())
            _check(article, folder)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            logger.warning("%s cannot be read (%s): the article is fetched anew", path, error)
            return None
        return article

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
            if group.is_dir() and group.name not in (PARTS, PAPERS, "runs"):
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
            temporary = self.temporary()
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
        self.put_json(f"{article['path']}/{SIDECAR}", article)

    def put_json(self, path: str, value: Mapping[str, Any]) -> None:
        """Put a JSON file in its place. Raises `StorageError`."""
        self.put(path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))

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

    def temporary(self) -> Path:
        """A name for a file of this process that is not to outlive it: a later run sweeps up what a killed one left."""
        return leftovers.temporary(self.parts)

    def _room(self, size: int) -> None:
        if self.min_free and shutil.disk_usage(self.out).free - size < self.min_free:
            raise StorageError(f"less than LITCRAWL_MIN_FREE ({self.min_free} bytes) is free at {self.out}", full=True)

    @contextmanager
    def _errors(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {error.strerror or error}", full=error.errno in FULL) from error


def _check(article: Any, folder: str) -> None:
    """
    Raise `ValueError`, `TypeError`, `KeyError` or `AttributeError` unless this is the record of the article in this folder.

    A later run builds on it, and writes where it says; folders are handed on from one to another.
    """
    if not (isinstance(article, dict) and article.keys() >= _NEEDED):
        raise ValueError("not the record of an article")
    Article.from_dict(article)
    for name, needed in _ENTRIES.items():
        if not (isinstance(article[name], list) and all(one.keys() >= needed for one in article[name])):
            raise ValueError(f"{name}: not a list of what belongs there")
    for attempt in article["attempts"]:
        Reason(attempt["reason"])
    bearers = [article, *article["conflicts"]]
    known = [article["key"], article["path"], *(value for one in bearers for _, value in Ids(**one["ids"]))]
    if not all(isinstance(one, str) for one in known):
        raise ValueError("an identifier is no string")
    paths = [PurePosixPath(path) for path in (folder, *(file["path"] for file in article["files"])) if path is not None]
    if article["path"] != folder or not all(path.is_relative_to(folder) and not {"..", "/"} & set(path.parts) for path in paths):
        raise ValueError("it speaks of files outside its folder")


# The spider, the pipeline and the extensions of a crawl share one: two indexes of one process could come to hold two files.
_stores: WeakKeyDictionary[Crawler, Store] = WeakKeyDictionary()


def _rank(key: str) -> int:
    """The place of a key's kind in the order of keys: DOI, PMID, PMCID, Bookshelf, arXiv."""
    prefixes = ("10.", "pmid:", "PMC", "NBK", "arxiv:")
    return next((n for n, prefix in enumerate(prefixes) if key.startswith(prefix)), len(prefixes))
