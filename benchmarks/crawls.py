"""Crawls in processes of their own, against the loopback bucket; what each cost, as the operating system counts it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from benchmarks.articles import pmcids

ROOT = Path(__file__).parent.parent
_LONGEST = 1800  # seconds; a crawl that takes longer is ended
_NO_LIMITS = {
    "LITCRAWL_SLOTS": "{}",
    "LITCRAWL_SOURCES": "benchmarks.bucket.LoopbackBucket",
    "AUTOTHROTTLE_ENABLED": "False",
    "DOWNLOAD_DELAY": "0",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "16",
}


@dataclass(frozen=True)
class Cost:
    """Of one crawl, from start to exit: seconds of processor (user and system) and of the clock, bytes of memory at its peak."""

    cpu: float
    wall: float
    memory: int


@dataclass(frozen=True)
class Bucket:
    """The server of a benchmark."""

    address: str
    ca_file: Path
    folder: Path

    def crawl(self, articles: int, *, want: str = "xml") -> Cost:
        """Fetch so many articles into an empty folder, with a JSONL feed; `SystemExit` unless every one is complete."""
        # Kept until the benchmark ends: file systems are slow to create files where many were deleted a moment ago.
        folder = Path(mkdtemp(dir=self.folder))
        (folder / "ids.txt").write_text("\n".join(pmcids(articles)))
        settings = _NO_LIMITS | {"LITCRAWL_OUT": str(folder / "out"), "BENCHMARKS_BUCKET": self.address}
        command = [sys.executable, "-m", "scrapy", "crawl", "fetch", "-a", f"ids={folder / 'ids.txt'}", "-a", f"want={want}"]
        command += ["-O", str(folder / "feed.jsonl")]
        command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        cost = self._run(command, folder / "log")
        told = (folder / "log").read_text()
        if f"Articles: {articles} complete" not in told:
            sys.exit(f"the crawl of {articles} articles failed:\n{told[-4000:]}")
        return cost

    def _run(self, command: list[str], log: Path) -> Cost:
        direct = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        environment = direct | {"SSL_CERT_FILE": str(self.ca_file)}
        start = time.monotonic()
        with log.open("w") as output:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)  # noqa: S603
            limit = threading.Timer(_LONGEST, process.kill)
            limit.start()
            _, status, usage = os.wait4(process.pid, 0)
            limit.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        unit = 1 if sys.platform == "darwin" else 1024
        return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss * unit)


@contextmanager
def bucket(size: int | str) -> Iterator[Bucket]:
    """A running server, as `benchmarks.server` describes it; nothing is left when it ends."""
    with TemporaryDirectory(prefix="litcrawl-benchmark-") as name:
        folder = Path(name)
        ca_file = folder / "ca.pem"
        command = [sys.executable, "-m", "benchmarks.server", str(ca_file), str(size)]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
            assert server.stdin is not None and server.stdout is not None
            try:
                port = server.stdout.readline().strip()
                if not port:
                    sys.exit("the server did not start")
                yield Bucket(f"https://localhost:{port}", ca_file, folder)
            finally:
                server.stdin.close()
