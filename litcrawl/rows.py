"""`rows.csv`, `missing.csv`, `again.txt`: a run's answer to each row of its list, in the list's order."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from litcrawl.items import Article, File
from litcrawl.terms import Kind, Outcome, Reason, Want

COLUMNS = (
    "row", "record id", "title", "first author", "year", "doi", "pmid", "pmcid", "outcome", "xml", "pdf", "supplementary", "licence",
    "stage", "retracted", "source", "last address", "note",
)  # fmt: skip


# what `missing.csv` adds, so that every row of it can be read as input again
MORE = ("bookid", "arxiv")


class Rows:
    """
    The last word on each row, gathered on disk while articles end in any order.

    One line a row; a later word on a row takes the place of an earlier one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = sqlite3.connect(path)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("CREATE TABLE rows (row INTEGER PRIMARY KEY, key TEXT, outcome TEXT, again TEXT, line TEXT)")

    def add(self, article: Article) -> None:
        """Take down the word on every row of an article."""
        shared = _shared(article)
        self._db.executemany(
            "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?)",
            [
                (one["row"], article.key, str(article.outcome), _again(article, one), json.dumps(_line(article, one, shared)))
                for one in article.inputs
            ],
        )

    def outcomes(self) -> dict[str, int]:
        """How many articles (rows, where they name none) have each outcome."""
        counted = self._db.execute("SELECT outcome, COUNT(DISTINCT ifnull(key, 'row ' || row)) FROM rows GROUP BY outcome")
        return {str(one): 0 for one in Outcome} | dict(counted)

    def write(self, folder: Path) -> None:
        """Write the three files into a run's folder."""
        self._db.commit()
        with (
            _table(folder / "rows.csv") as rows,
            _table(folder / "missing.csv") as missing,
            (folder / "again.txt").open("w", encoding="utf-8") as again,
        ):
            rows.writerow(COLUMNS)
            missing.writerow(COLUMNS + MORE)
            for outcome, identifier, line in self._db.execute("SELECT outcome, again, line FROM rows ORDER BY row"):
                cells = json.loads(line)
                rows.writerow(cells[: len(COLUMNS)])
                if outcome != Outcome.COMPLETE:
                    missing.writerow(cells)
                if outcome == Outcome.RETRY:
                    again.write(identifier + "\n")

    def close(self) -> None:
        """Forget the rows."""
        self._db.close()
        self.path.unlink(missing_ok=True)


@contextmanager
def _table(path: Path) -> Iterator[Any]:
    """A CSV file that spreadsheets open as UTF-8."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        yield csv.writer(file)


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
        return f"{article.path}/supplementary" + (f" ({len(stored)} files)" if len(stored) > 1 else "")
    listed = any(attempt["step"] == Want.SUPPLEMENTARY for attempt in article.attempts if not Reason(attempt["reason"]).declined)
    return "none" if listed else None


def _line(article: Article, one: Mapping[str, Any], shared: Mapping[str, Any]) -> list[Any]:
    notes = [*one["repairs"], *article.notes, *([article.reason] if article.reason else [])]
    if article.outcome == Outcome.INVALID:
        notes.append(one["raw"])
    own = {"row": one["row"], "record id": one["record_id"], "title": one["title"], "first author": one["author"], "year": one["year"]}
    cells = {**shared, **own, "note": "; ".join(str(note) for note in notes)}
    return [cells[name] for name in COLUMNS + MORE]


def _again(article: Article, one: Mapping[str, Any]) -> str:
    """An identifier that names the article anew, with the version that the row pinned."""
    version = one["version"]
    if version and article.ids.get("pmcid"):
        return f"{article.ids['pmcid']}.{version}"
    if version and article.ids.get("arxiv"):
        return f"arXiv:{article.ids['arxiv']}v{version}"
    return next(iter(_named(article.ids)), str(one["raw"]))


def _named(ids: Mapping[str, str | None]) -> Iterator[str]:
    for name, form in (("doi", "{}"), ("pmcid", "{}"), ("pmid", "pmid:{}"), ("bookid", "{}"), ("arxiv", "arXiv:{}")):
        if ids.get(name):
            yield form.format(ids[name])


def open_rows(window: Mapping[str, Iterable[dict[str, Any]]], run: str) -> Iterator[Article]:
    """What stands for the articles that a run left open: their rows are to be asked again."""
    for key, inputs in window.items():
        yield Article(
            key=key, path=None, inputs=list(inputs), outcome=Outcome.RETRY, missing={}, run=run, notes=["not finished when the run ended"]
        )
