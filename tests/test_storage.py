"""A disk that takes nothing more: nothing half-written under a final name, a clean end, and a later run that completes."""

import errno
import gzip
import json
import os
import resource
import signal
import subprocess

import pytest
from lab import jats, lab, pdf, tree
from loopback import Answer

KEYS = [f"PMC{n}" for n in range(1, 13)]
IDS = " ".join(KEYS)
LARGE = 300_000


@pytest.fixture
def small_disk(tmp_path):
    """A disk of one megabyte."""
    mount = tmp_path / "disk"
    mount.mkdir()
    if os.name != "posix" or os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount]).returncode:  # noqa: S603, S607
        pytest.skip("cannot mount a small disk")
    yield mount
    subprocess.run(["umount", mount], check=True)  # noqa: S603, S607


def grow(disk):
    subprocess.run(["mount", "-o", "remount,size=32m", disk], check=True)  # noqa: S603, S607


def check_clean_end(out, status, said, *, tables=True):
    assert (status, "Traceback" in said) == (3, False), said
    if tables:
        (summary,) = [json.loads(one.read_bytes()) for one in (out / "runs").glob("*/summary.json")]
        assert (summary["ended_by"], summary["status"]) == ("disk", 3)
        assert summary["outcomes"]["retry"] > 0
        assert sum(summary["outcomes"].values()) == len(KEYS)
    for record in out.rglob("article.json"):
        article = json.loads(record.read_bytes())
        for file in article["files"]:
            assert (out / file["path"]).stat().st_size == file["size_bytes"]


def check_whole(out, world):
    for name, content in tree(out).items():
        assert content in world.files.values(), f"{name} is half-written, or does not belong here"


@pytest.mark.parametrize("stream", ["8388608", "65536"], ids=["in memory", "spooled"])
async def test_a_disk_that_runs_full(small_disk, stream):
    async with lab() as world:
        for key in KEYS:
            world.add(key, {f"{key}.xml": jats(key), f"{key}.pdf": pdf(LARGE, of=key.encode()[-1:])})
        arguments = ("-s", f"LITCRAWL_STREAM_SIZE={stream}", "-a", "want=xml,pdf")
        status, said = await (await world.process(small_disk, IDS, *arguments)).end()
        check_clean_end(small_disk, status, said, tables=False)
        check_whole(small_disk, world)
        grow(small_disk)
        status, said = await (await world.process(small_disk, IDS, *arguments)).end()
        assert status == 0, said
        assert len(tree(small_disk)) == 2 * len(KEYS)
        check_whole(small_disk, world)


@pytest.mark.skipif(os.name != "posix", reason="resource limits")
@pytest.mark.parametrize("stream", ["8388608", "65536"], ids=["in memory", "spooled"])
async def test_a_file_larger_than_the_system_allows(tmp_path, stream):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGE // 2, LARGE // 2))

    async with lab() as world:
        for key in KEYS:
            world.add(key, {f"{key}.xml": jats(key), f"{key}.pdf": pdf(LARGE if key == "PMC3" else 10, of=key.encode()[-1:])})
        arguments = ("-s", f"LITCRAWL_STREAM_SIZE={stream}", "-a", "want=xml,pdf")
        status, said = await (await world.process(tmp_path, IDS, *arguments, before=limit)).end()
        check_clean_end(tmp_path, status, said)
        check_whole(tmp_path, world)
        record = json.loads((tmp_path / "pmc/PMC3/article.json").read_bytes())
        assert (record["outcome"], record["missing"]) == ("retry", {"pdf": "not-stored"})
        status, said = await (await world.process(tmp_path, IDS, *arguments)).end()
        assert status == 0, said
        check_whole(tmp_path, world)


async def test_less_is_free_than_is_to_stay_free(tmp_path):
    async with lab(*KEYS) as world:
        status, said = await (await world.process(tmp_path, IDS, "-s", f"LITCRAWL_MIN_FREE={1 << 55}")).end()
        check_clean_end(tmp_path, status, said)
        assert tree(tmp_path) == {}
        assert "LITCRAWL_MIN_FREE" in said
        (summary,) = [json.loads(one.read_bytes()) for one in (tmp_path / "runs").glob("*/summary.json")]
        again = tmp_path / "runs" / summary["run"] / "again.txt"
        assert sorted(again.read_text().split()) == sorted(KEYS)
        status, said = await (await world.process(tmp_path, str(again))).end()
        assert status == 0, said
        assert len(tree(tmp_path)) == 4 * len(KEYS)


@pytest.mark.parametrize(("cause", "ended"), [("ENOSPC", "disk"), ("EIO", "finished")])
async def test_a_disk_that_does_not_take_what_came_packed(tmp_path, monkeypatch, caplog, cause, ended):
    """A large file in a coding that nobody asked for is unpacked on the disk before it is proved."""

    def refuse(*_):
        raise OSError(getattr(errno, cause), "as told")

    monkeypatch.setattr("litcrawl.proof.content.decode", refuse)
    async with lab() as world:
        world.add("PMC1", {"PMC1.pdf": b""})
        packed = gzip.compress(os.urandom(20_000))
        world.first = lambda path, n: Answer(headers=[("Content-Encoding", "gzip")], body=packed) if path.endswith(".pdf") else None
        crawled = await world.crawl(tmp_path, "PMC1", want="pdf", settings={"LITCRAWL_STREAM_SIZE": 4096})
    summary = json.loads((crawled.run / "summary.json").read_bytes())
    assert (summary["ended_by"], summary["status"]) == (ended, 3)
    assert [one["reason"] for one in crawled.article_json("pmc/PMC1")["attempts"] if one["step"] == "pdf" and one["source"] == "lab"] == [
        "not-stored"
    ]
    assert [record for record in caplog.records if record.exc_info] == []
    assert not list((tmp_path / ".parts").iterdir())
