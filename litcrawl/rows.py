"""`rows.csv`, `missing.csv`, `again.txt`: a run's answer to each row of its list, in the list's order."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from litcrawl.exceptions import StorageError
from litcrawl.items import Article, File
from litcrawl.terms import Kind, Outcome, Reason, Want

COLUMNS = (
    "row", "record id", "title", "first author", "year", "doi", "pmid", "pmcid", "outcome", "xml", "pdf", "supplementary", "licence",
    "stage", "retracted", "source", "last address", "note",
)  # fmt: skip
# what `missing.csv` adds, so that every row of it can be read as input again
MORE = ("bookid", "arxiv")
# what `again.txt` holds when no row is to be asked again: a list of comments alone is answered, an empty file is a mistake
NOTHING = "# nothing is left to ask"


class Rows:
    """
    The last word on each row, gathered on disk while articles end in any order.

    One line a row; a later word on a row takes the place of an earlier one. Raises `StorageError` where the disk takes no more.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._errors():
            self._db = sqlite3.connect(path, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = OFF")
            self._db.execute("PRAGMA synchronous = OFF")
            self._db.execute("CREATE TABLE rows (row INTEGER PRIMARY KEY, key TEXT, outcome TEXT, declined TEXT, again TEXT, line TEXT)")
            self._db.execute("CREATE INDEX keys ON rows (key)")

    def add(self, article: Article, *, only_new: bool = False) -> None:
        """Take down the word on every row of an article; `only_new`: on those that have none yet."""
        shared = _shared(article)
        declined = sorted({attempt["reason"] for attempt in article.attempts if Reason(attempt["reason"]).declined})
        told = [
            (
                one["row"],
                article.key,
                str(article.outcome),
                " ".join(declined),
                _again(article, one),
                json.dumps(_line(article, one, shared)),
            )
            for one in article.inputs
        ]
        with self._errors():
            self._db.executemany(f"INSERT OR {'IGNORE' if only_new else 'REPLACE'} INTO rows VALUES (?, ?, ?, ?, ?, ?)", told)  # noqa: S608

    def knows(self, key: str | None) -> bool:
        """Whether there is a word on any row of this article."""
        return self._db.execute("SELECT 1 FROM rows WHERE key = ? LIMIT 1", (key,)).fetchone() is not None

    def outcomes(self) -> dict[str, int]:
        """How many articles (rows, where they name none) have each outcome."""
        counted = self._db.execute("SELECT outcome, COUNT(DISTINCT ifnull(key, 'row ' || row)) FROM rows GROUP BY outcome")
        return {str(one): 0 for one in Outcome} | dict(counted)

    def declined(self) -> dict[str, int]:
        """For how many articles a source was not asked, by reason."""
        counted: Counter[str] = Counter()
        for reasons, n in self._db.execute("SELECT declined, COUNT(DISTINCT key) FROM rows WHERE declined != '' GROUP BY declined"):
            counted.update(dict.fromkeys(reasons.split(), n))
        return dict(counted)

    def write(self, folder: Path) -> None:
        """Write the three files into a run's folder, each whole or not at all."""
        with self._errors():
            self._db.commit()
            with (
                _whole(folder / "rows.csv") as rows,
                _whole(folder / "missing.csv") as missing,
                _whole(folder / "again.txt", "utf-8") as again,
            ):
                all_rows, missing_rows = csv.writer(rows), csv.writer(missing)
                all_rows.writerow(COLUMNS)
                missing_rows.writerow(COLUMNS + MORE)
                nothing = True
                for outcome, identifier, line in self._db.execute("SELECT outcome, again, line FROM rows ORDER BY row"):
                    cells = json.loads(line)
                    all_rows.writerow(cells[: len(COLUMNS)])
                    if outcome != Outcome.COMPLETE:
                        missing_rows.writerow(_pinned(cells))
                    if outcome == Outcome.RETRY:
                        again.write(identifier + "\n")
                        nothing = False
                if nothing:
                    again.write(NOTHING + "\n")

    def close(self) -> None:
        """Forget the rows."""
        self._db.close()
        self.path.unlink(missing_ok=True)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.OperationalError) as error:
            raise StorageError(f"the word on each row cannot be written: {error}", full=True) from error


@contextmanager
def _whole(path: Path, encoding: str = "utf-8-sig") -> Iterator[TextIO]:
    """A text file that is there when all of it has been written; the encoding is the one by which spreadsheets know UTF-8."""
    fresh = path.with_name(path.name + ".tmp")
    try:
        with fresh.open("w", encoding=encoding, newline="") as file:
            yield file
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _shared(article: Article) -> dict[str, Any]:
    """The cells that all rows of an article have in common."""
    bodies = [file for file in article.files if file.kind == Kind.BODY]
    first = bodies[0] if bodies else None
    addresses = [attempt["final_url"] or attempt["url"] for attempt in article.attempts if attempt["url"]]
    licence = article.licence
    return {
        "doi": article.ids.get("doi"),
        "pmid": article.ids.get("pmid"),
        "pmcid": article.ids.get("pmcid"),
        "bookid": article.ids.get("bookid"),
        "arxiv": article.ids.get("arxiv"),
        "outcome": str(article.outcome),
        "xml": _cell(article, bodies, Want.XML),
        "pdf": _cell(article, bodies, Want.PDF),
        "supplementary": _supplements(article),
        "licence": (licence.spdx or licence.raw) if licence else None,
        "stage": first.stage if first else None,
        "retracted": {True: "yes", False: "no", None: None}[article.retracted],
        "source": first.source if first else None,
        "last address": addresses[-1] if addresses else None,
    }


def _cell(article: Article, bodies: Sequence[File], want: Want) -> str | None:
    """Where a kind is, or why it is not; empty when it was not asked for."""
    return next((file.path for file in bodies if file.want == want), None) or article.missing.get(want)


def _supplements(article: Article) -> str | None:
    if reason := article.missing.get(Want.SUPPLEMENTARY):
        return reason
    stored = [file for file in article.files if file.kind == Kind.SUPPLEMENTARY]
    if stored:
        return stored[0].path.rpartition("/")[0] if stored[0].path else f"{article.path}/supplementary"
    listed = any(attempt["step"] == Want.SUPPLEMENTARY for attempt in article.attempts if not Reason(attempt["reason"]).declined)
    return "none" if listed else None


def _line(article: Article, one: Mapping[str, Any], shared: Mapping[str, Any]) -> list[Any]:
    notes = [*one["repairs"], *article.notes, *([article.reason] if article.reason else [])]
    if one["raw"] and not (shared["doi"] or shared["pmid"] or shared["pmcid"]):  # nothing else would say which row it is
        notes.append(one["raw"])
    own = {"row": one["row"], "record id": one["record_id"], "title": one["title"], "first author": one["author"], "year": one["year"]}
    cells = {**shared, **own, "note": "; ".join(str(note) for note in notes)}
    return [*(cells[name] for name in COLUMNS + MORE), _version(article, one)]


def _version(article: Article, one: Mapping[str, Any]) -> tuple[str, str] | None:
    """The column of the identifier by which a row pins a version, and the identifier with it."""
    if not (version := one["version"]):
        return None
    if article.ids.get("arxiv"):
        column, mark = "arxiv", "v"
    elif "10.1101/" in str(one["raw"]) or "10.64898/" in str(one["raw"]):  # bioRxiv and medRxiv write it behind the DOI
        column, mark = "doi", "v"
    else:
        column, mark = "pmcid", "."
    return (column, f"{article.ids[column]}{mark}{version}") if article.ids.get(column) else None


def _pinned(cells: list[Any]) -> list[Any]:
    """A line of `missing.csv`: its identifiers with the version that the row pins, so that it is the same row when it is read again."""
    *cells, pinned = cells
    if pinned:
        cells[(COLUMNS + MORE).index(pinned[0])] = pinned[1]
    return cells


def _again(article: Article, one: Mapping[str, Any]) -> str:
    """An identifier that names the article anew: the one it is filed under, with the version that the row pins."""
    if pinned := _version(article, one):
        return f"arXiv:{pinned[1]}" if pinned[0] == "arxiv" else pinned[1]
    return article.key or str(one["raw"])
