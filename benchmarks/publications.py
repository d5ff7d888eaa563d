"""`python -m benchmarks.publications`: DOIs a second, with and without the services' limits; publications a second into the databases."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.catalogue import catalogue, record, stated
from litcrawl.publications import schema
from litcrawl.publications.database import Database, Row
from litcrawl.publications.merging import Rules, empty, finished, merge

ROOT = Path(__file__).parent.parent
PUBFINDER = 28_800  # publications a day: what its slowest service allowed it
_BATCH = 500
_SOURCES = "benchmarks.catalogue.Agency,benchmarks.catalogue.Index,benchmarks.catalogue.Graph"
# as settings.py has them, with contact, key and token: Crossref's lists, OpenAlex, OpenAIRE
_LIMITS = {
    "agency": {"hosts": ["127.0.0.1/agency/"], "limit": (3, 1.0), "concurrency": 3},
    "index": {"hosts": ["127.0.0.1/index/"], "limit": (10, 1.0), "concurrency": 4},
    "graph": {"hosts": ["127.0.0.1/graph/"], "limit": (7200, 3600.0), "concurrency": 1},
}


def crawl(address: str, count: int, slots: dict[str, object], folder: Path) -> float:
    """Seconds that a crawl takes for so many DOIs, start-up left out."""
    folder.mkdir()
    (folder / "dois.txt").write_text("\n".join(f"10.5555/benchmark.{n}" for n in range(count)))
    settings = {
        "LITCRAWL_SOURCES": _SOURCES,
        "LITCRAWL_SLOTS": json.dumps(slots),
        "LITCRAWL_OUT": str(folder / "out"),
        "BENCHMARKS_CATALOGUE": address,
        "AUTOTHROTTLE_ENABLED": "False",
        "DOWNLOAD_DELAY": "0",
    }
    command = [
        sys.executable,
        "-m",
        "scrapy",
        "crawl",
        "publications",
        "-a",
        f"ids={folder / 'dois.txt'}",
        "-O",
        str(folder / "feed.jsonl"),
    ]
    command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    summary = next((folder / "out" / "runs").rglob("summary.json"), None)
    if summary is None:
        sys.exit(f"the crawl of {count} DOIs failed:\n{done.stderr[-4000:]}")
    told = json.loads(summary.read_text())
    if sum(told["publications"].values()) != count or told["publications"]["retry"]:
        sys.exit(f"the crawl of {count} DOIs left something open: {told['publications']}")
    began, ended = (datetime.fromisoformat(told[name]) for name in ("started", "ended"))
    return max((ended - began).total_seconds(), 1.0)


def rows(count: int) -> list[Row]:
    made = []
    for n in range(count):
        doi = f"10.5555/benchmark.{n}"
        publication = merge(empty(), "agency", stated(doi, record(doi)), "2026-11-30T17:20:00Z", Rules())
        made.append(Row(doi=doi, record=finished(publication, doi, {}), provenance=publication["provenance"]))
    return made


def write(url: str, made: list[Row]) -> tuple[float, float]:
    """Publications a second: new ones, and the same again."""
    database = Database(url)
    with database.engine.begin() as connection:
        schema.metadata.drop_all(connection)
    database.prepare()
    speeds = []
    for _ in range(2):
        began = time.perf_counter()
        for at in range(0, len(made), _BATCH):
            database.save(made[at : at + _BATCH], datetime.now(UTC))
        speeds.append(len(made) / (time.perf_counter() - began))
    database.close()
    return speeds[0], speeds[1]


def main() -> None:
    """Print what this machine makes of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.publications", description=__doc__)
    parser.add_argument("--dois", type=int, default=5000, help="with limits off")
    parser.add_argument("--limited", type=int, default=3000, help="under the services' limits")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--repeat", type=int, default=3)
    chosen = parser.parse_args()
    with TemporaryDirectory(prefix="litcrawl-benchmark-") as name, catalogue() as address:
        folder = Path(name)
        free = min(crawl(address, chosen.dois, {}, folder / f"free{n}") for n in range(chosen.repeat))
        print(f"{chosen.dois / free:.0f} DOIs a second, limits off ({chosen.dois} DOIs, best of {chosen.repeat})")
        taken = crawl(address, chosen.limited, _LIMITS, folder / "limited")
        a_day = chosen.limited / taken * 86_400
        print(
            f"{chosen.limited / taken:.1f} DOIs a second under the limits of Crossref, OpenAlex and OpenAIRE: {a_day:,.0f} a day, "
            f"{a_day / PUBFINDER:.0f} times the Pubfinder's bound (aim: 100)"
        )
        made = rows(chosen.rows)
        urls = {"SQLite": str(folder / "rows.sqlite")} | ({"PostgreSQL": url} if (url := os.environ.get("TEST_POSTGRES")) else {})
        for kind, url in urls.items():
            speeds = [write(url, made) for _ in range(chosen.repeat)]
            new, again = (max(one) for one in zip(*speeds, strict=True))
            print(f"{kind}: {new:.0f} publications a second new, {again:.0f} again (each with 5 authors, 4 subjects, 30 references)")


if __name__ == "__main__":
    main()
