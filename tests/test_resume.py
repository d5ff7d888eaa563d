"""A crawl that is stopped at any moment, by kill or by Ctrl-C, and then finished."""

import asyncio
import json
import sys

import pytest
from lab import lab, start, tree
from loopback import Answer

KEYS = [f"PMC{n}" for n in range(1, 31)]
IDS = " ".join(KEYS)


def stored(out):
    """The files that an `article.json` names and disk holds, by address."""
    named = [file for one in out.rglob("article.json") for file in json.loads(one.read_bytes())["files"]]
    return {file["uri"] for file in named if (out / file["path"]).is_file() and (out / file["path"]).stat().st_size == file["size_bytes"]}


def summaries(out):
    return sorted((json.loads(one.read_bytes()) for one in (out / "runs").glob("*/summary.json")), key=lambda one: one["ended"])


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    async def crawl():
        async with lab(*KEYS) as world:
            out = tmp_path_factory.mktemp("whole")
            await world.crawl(out, IDS)
            return tree(out)

    return asyncio.run(crawl())


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
async def test_killed_at_any_moment_then_finished(tmp_path, undisturbed):
    async with lab(*KEYS) as world:
        world.latency = 0.002
        for moment in (2, 41, 67, None):
            held, asked = stored(tmp_path), len(world.asked)
            process = await world.process(tmp_path, IDS)
            if moment is not None:
                await world.server.until(asked + moment)
                process.kill()
            status, said = await process.end()
            again = {world.server.url(path) for path in world.asked[asked:]}
            assert not held & again, "nothing is fetched again that an article.json named"
            assert all(json.loads(one.read_bytes())["outcome"] for one in tmp_path.rglob("article.json")), "whole, whenever it is looked at"
        assert (status, "Traceback" in said) == (0, False), said
    assert tree(tmp_path) == undisturbed, "the files of a crawl that nobody disturbed, and no others"


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT")
async def test_interrupted_it_ends_by_itself_and_again_txt_finishes_the_job(tmp_path, undisturbed):
    async with lab(*KEYS) as world:
        world.latency = 0.05
        process = await world.process(tmp_path, IDS, "-s", "LITCRAWL_OPEN_ARTICLES=5")
        await world.server.until(40)
        process.interrupt()
        status, said = await asyncio.wait_for(process.end(), 20)
        assert (status, "Traceback" in said) == (3, False), said
        (summary,) = summaries(tmp_path)
        assert (summary["ended_by"], summary["status"]) == ("signal", 3)
        assert (summary["rows"], sum(summary["outcomes"].values())) == (len(KEYS), len(KEYS)), "rows that it did not come to are rows"
        again = tmp_path / "runs" / summary["run"] / "again.txt"
        left = again.read_text().split()
        assert len(left) == summary["outcomes"]["retry"] > 0
        assert len((again.parent / "rows.csv").read_text().splitlines()) == len(KEYS) + 1
        assert f"-a ids={again}" in said
        world.latency = 0
        status, said = await (await world.process(tmp_path, str(again))).end()
        assert status == 0, said
    assert tree(tmp_path) == undisturbed


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT")
async def test_interrupted_while_it_waits_for_standard_input(tmp_path):
    """A pipe that says nothing more must not keep the process."""
    async with lab("PMC1") as world:
        process = await world.process(tmp_path, "-", stdin=asyncio.subprocess.PIPE)
        process.child.stdin.write(b"PMC1\n")
        await process.child.stdin.drain()
        await world.server.until(5)  # it has begun
        process.interrupt()
        said = await asyncio.wait_for(process.child.stderr.read(), 20)
        status = await asyncio.wait_for(process.child.wait(), 20)
    assert (status, b"Traceback" in said) == (3, False), said.decode()
    assert b"not all of the list was read" in said


async def test_a_killed_runs_temporary_files_are_swept_up(tmp_path):
    async with lab("PMC1") as world:
        child = await start("version")
        await child.end()
        from litcrawl.store import Store

        left = Store(tmp_path).temporary()
        left = left.with_name(left.name.replace(f"-{left.name.split('-')[1]}-", f"-{child.child.pid}-"))
        left.parent.mkdir()
        left.write_bytes(b"half")
        await world.crawl(tmp_path, "PMC1")
    assert not left.exists()


async def test_a_lost_file_is_fetched_again_and_nothing_else(tmp_path):
    async with lab("PMC1") as world:
        await world.crawl(tmp_path, "PMC1")
        (tmp_path / "pmc/PMC1/body.pdf").unlink()
        (tmp_path / "pmc/PMC1/supplementary/s1.csv").write_bytes(b"short")
        asked = len(world.asked)
        again = await world.crawl(tmp_path, "PMC1")
    assert world.asked[asked:] == ["/PMC1", "/PMC1/1/PMC1.pdf", "/PMC1/1/s1.csv"]
    assert str(again.articles["PMC1"].outcome) == "complete"


MISSHAPEN = [
    {"files": [{}]},
    {"files": ["body.xml"]},
    {"attempts": [{}]},
    {"inputs": {}},
    {"conflicts": [{"ids": None}]},
    {"ids": {"doi": 1}},
    {"claims": [{}]},
    {"related": [1]},
    {"path": None},
]


@pytest.mark.parametrize("wrong", MISSHAPEN, ids=str)
async def test_a_misshapen_record_costs_its_own_article_a_fetch_and_no_other_anything(tmp_path, wrong, caplog):
    async with lab("PMC1", "PMC2", "PMC3") as world:
        await world.crawl(tmp_path, "PMC1")
        record = tmp_path / "pmc/PMC1/article.json"
        record.write_text(json.dumps(json.loads(record.read_bytes()) | wrong))
        again = await world.crawl(tmp_path, "PMC2 PMC1 PMC3")
    assert "the article is fetched anew" in caplog.text
    assert {key: str(one.outcome) for key, one in again.articles.items()} == dict.fromkeys(("PMC1", "PMC2", "PMC3"), "complete")


@pytest.mark.parametrize("broken", [b"", b'{"type": "article", "key": "PMC1"', b"[]", b'{"type": "article"}', b"\xff\xfe"])
async def test_a_record_that_cannot_be_read_is_made_anew(tmp_path, broken, caplog):
    async with lab("PMC1") as world:
        await world.crawl(tmp_path, "PMC1")
        before = tree(tmp_path)
        (tmp_path / "pmc/PMC1/article.json").write_bytes(broken)
        again = await world.crawl(tmp_path, "PMC1")
    assert "the article is fetched anew" in caplog.text
    assert (str(again.articles["PMC1"].outcome), again.status) == ("complete", 0)
    assert tree(tmp_path) == before


async def test_an_article_whose_better_identifier_is_another_is_not_the_one_on_disk(tmp_path):
    rows = ["doi,pmcid\n10.5555/b,PMC1\n", "doi,pmcid\n10.5555/a,PMC1\n"]
    async with lab("PMC1") as world:
        for n, text in enumerate(rows):
            (tmp_path / f"{n}.csv").write_text(text)
            crawled = await world.crawl(tmp_path / "out", str(tmp_path / f"{n}.csv"))
    assert [(key, one.ids["doi"]) for key, one in crawled.articles.items()] == [("10.5555/a", "10.5555/a")]


async def test_a_row_that_joins_while_its_article_is_resolved_gives_it_its_identifiers(tmp_path):
    (tmp_path / "ids.csv").write_text("pmid,pmcid\n12,\n12,PMC12\n")
    async with lab("PMC12") as world:
        world.first = lambda path, n: Answer(body=b'{"pmcids": {}}') if path.startswith("/register/") else None
        crawled = await world.crawl(tmp_path / "out", str(tmp_path / "ids.csv"), settings={"LITCRAWL_SOURCES": "lab.Register,lab.Lab"})
    (article,) = crawled.articles.values()
    assert (str(article.outcome), article.ids["pmcid"], len(article.inputs)) == ("complete", "PMC12", 2)


async def test_an_article_that_proves_to_be_another_folders_goes_on_there(tmp_path):
    (tmp_path / "ids.csv").write_text("doi,pmid,pmcid\n10.5555/a,,PMC1\n")
    settings = {"LITCRAWL_SOURCES": "lab.Register,lab.Lab"}
    told = [Answer(500), Answer(body=b'{"pmcids": {"1": "PMC1"}}')]
    async with lab("PMC1") as world:
        world.first = lambda path, n: told[0] if path.startswith("/register/") else None
        await world.crawl(tmp_path / "out", str(tmp_path / "ids.csv"), settings=settings)
        unknown = await world.crawl(tmp_path / "out", "1", settings=settings)
        assert [(key, str(one.outcome)) for key, one in unknown.articles.items()] == [("pmid:1", "retry")]
        told.pop(0)
        asked = len(world.asked)
        crawled = await world.crawl(tmp_path / "out", "1", settings=settings)
    (article,) = crawled.articles.values()
    assert (article.key, str(article.outcome), article.also) == ("10.5555/a", "complete", ["pmid/1"])
    assert [path for path in world.asked[asked:] if path.startswith("/PMC")] == []
