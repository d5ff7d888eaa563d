"""`python -m benchmarks.memory`: the crawl process's peak of memory, for lists of growing length and for one large file."""

from __future__ import annotations

import argparse

from benchmarks.articles import SMALL
from benchmarks.crawls import bucket
from benchmarks.server import SUPPLEMENT

_TARGET = 150  # MB


def main() -> None:
    """Each crawl in a fresh process; the operating system's own figure of its peak."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--articles", type=int, nargs=2, default=(1_000, 20_000), metavar=("FEW", "MANY"))
    chosen = parser.parse_args()
    few, many = chosen.articles
    with bucket(SMALL) as server:
        peaks = {n: _tell(f"{n:,} articles", server.crawl(n).memory) for n in (few, many)}
    with bucket("supplement") as server:
        _tell(f"a supplement of {SUPPLEMENT:,} bytes", server.crawl(1, want="supplementary").memory)
    growth = (peaks[many] - peaks[few]) / (many - few)
    print(f"growth: {growth:.0f} bytes an article (target: none; at most {_TARGET} MB each)")


def _tell(what: str, peak: int) -> int:
    print(f"{what}: {peak / 1e6:.0f} MB", flush=True)
    return peak


if __name__ == "__main__":
    main()
