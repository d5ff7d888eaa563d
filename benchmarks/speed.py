"""`python -m benchmarks.speed`: processor time an article of the crawl process, and where it goes."""

from __future__ import annotations

import argparse

from benchmarks.articles import LARGE
from benchmarks.crawls import bucket

_TARGET = 5.0  # ms


def main() -> None:
    """Crawl two lists several times; what an article costs is the difference of their cheapest runs, start-up left out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--articles", type=int, nargs=2, default=(200, 1200), metavar=("FEW", "MANY"))
    parser.add_argument("--repeat", type=int, default=3)
    chosen = parser.parse_args()
    few, many = chosen.articles
    with bucket(LARGE) as server:
        costs = {n: [server.crawl(n) for _ in range(chosen.repeat)] for n in (few, many)}
    cpu, wall = ({n: min(getattr(cost, name) for cost in costs[n]) for n in costs} for name in ("cpu", "wall"))
    milliseconds = (cpu[many] - cpu[few]) / (many - few) * 1000
    print(f"listing and a full text of {LARGE} bytes, over TLS; {few} and {many} articles, {chosen.repeat} times each")
    print(f"{milliseconds:.2f} ms of processor an article (target: at most {_TARGET:.0f})")
    print(f"{2 * (many - few) / (wall[many] - wall[few]):.0f} requests a second; start-up {cpu[few] - few * milliseconds / 1000:.1f} s")


if __name__ == "__main__":
    main()
