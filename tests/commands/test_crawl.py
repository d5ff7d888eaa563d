"""`litcrawl crawl` as users start it: exit status, and one line for whatever is theirs to fix."""

import asyncio
import json
import os
import re
import subprocess
import sys

import pytest
from crawling import CASSETTES
from lab import lab, start

REPLAY = (
    "-s", f"LITCRAWL_CASSETTE={CASSETTES / 'open_sources'}", "-s", "LITCRAWL_MIN_FREE=0",
    "-s", "LITCRAWL_SOURCES=europe_pmc_bookshelf,pmc_oa_s3,europe_pmc",
)  # fmt: skip
SCRAPYS_OWN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[(scrapy\.\S+|asyncio)\] (INFO|DEBUG): |^[ {].*")


async def run(*arguments, **options):
    return await (await start("crawl", *arguments, **options)).end()


async def test_an_answered_list_ends_with_0_from_any_folder(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    status, said = await run(
        "fetch", "-a", "ids=PMC3000057", *REPLAY, "-s", "LITCRAWL_OUT=here", "-o", "items.jsonl", cwd=tmp_path / "elsewhere"
    )
    assert status == 0, said
    here = tmp_path / "elsewhere"
    assert (here / "here/pmc/PMC3000057/body.xml").is_file()
    items = [json.loads(line) for line in (here / "items.jsonl").read_text().splitlines()]
    assert [item["type"] for item in items][-1] == "article"
    assert f"Output: {here / 'here'}" in said
    assert sorted(path.name for path in here.iterdir()) == ["here", "items.jsonl"]


async def test_the_environment_and_a_dotenv_file_are_read(tmp_path):
    (tmp_path / ".env").write_text("LITCRAWL_OUT=from-dotenv\n")
    status, said = await run("fetch", "-a", "ids=PMC3000057", "-a", "want=xml", *REPLAY, cwd=tmp_path)
    assert status == 0, said
    assert (tmp_path / "from-dotenv/pmc/PMC3000057/body.xml").is_file()


async def test_what_is_left_ends_with_3(tmp_path):
    async with lab("PMC1") as world:
        world.files["/PMC1/1/PMC1.pdf"] = b"%PDF-1.5 cut"
        status, said = await (await world.process(tmp_path, "PMC1")).end()
    assert (status, "Traceback" in said) == (3, False), said


async def test_a_bug_ends_with_1(tmp_path):
    async with lab("PMC1") as world:
        status, said = await (await world.process(tmp_path, "PMC1", "-s", "LITCRAWL_SOURCES=lab.CannotRead")).end()
    assert (status, "Traceback" in said) == (1, True), said


def bad_inputs(folder):
    (folder / "empty.txt").write_bytes(b"")
    (folder / "binary.bin").write_bytes(bytes(range(256)) * 20)
    (folder / "book.xlsx").write_bytes(b"PK\x03\x04\x14\x00\x06\x00" + b"\0" * 500 + b"xl/workbook.xml")
    (folder / "file").write_bytes(b"")
    (folder / "ids.txt").write_text("PMC3000057\n")
    ids = ("-a", f"ids={folder / 'ids.txt'}")
    return {
        "no ids": (["fetch"], "no identifiers"),
        "missing": (["fetch", "-a", f"ids={folder / 'no.txt'}"], "no such file"),
        "empty": (["fetch", "-a", f"ids={folder / 'empty.txt'}"], "is empty"),
        "a folder": (["fetch", "-a", f"ids={folder}"], "is a folder"),
        "binary": (["fetch", "-a", f"ids={folder / 'binary.bin'}"], "binary.bin"),
        "a workbook": (["fetch", "-a", f"ids={folder / 'book.xlsx'}"], "CSV"),
        "unknown argument": (["fetch", *ids, "-a", "wants=pdf"], "unknown argument 'wants'"),
        "unknown value": (["fetch", *ids, "-a", "want=pfd"], "unknown kind 'pfd'"),
        "malformed contact": (["fetch", *ids, "-s", "LITCRAWL_CONTACT=me"], "LITCRAWL_CONTACT"),
        "placeholder contact": (["fetch", *ids, "-s", "LITCRAWL_CONTACT=me@example.org"], "placeholder"),
        "output not writable": (["fetch", *ids, "-s", f"LITCRAWL_OUT={folder / 'file'}"], "cannot be written"),
        "JOBDIR": (["fetch", *ids, "-s", "JOBDIR=jobs"], "JOBDIR"),
        "unknown spider": (["fetsh", *ids], "no spider 'fetsh'"),
        "LITCRAWL_SOURCES": (["fetch", *ids, "-s", "LITCRAWL_SOURCES=nobody"], "LITCRAWL_SOURCES"),
    }


# Each case in a process of its own, as ever; forked, because starting Python anew is what takes the time.
FORKS = """
import json, os, sys
from scrapy.utils.project import get_project_settings
from litcrawl.cli import main
import litcrawl.commands.crawl

os.environ["SCRAPY_SETTINGS_MODULE"] = "litcrawl.settings"
from scrapy.spiderloader import get_spider_loader
get_spider_loader(get_project_settings())
for number, arguments in enumerate(json.load(sys.stdin)):
    if not (child := os.fork()):
        os.dup2(os.open(f"{number}.err", os.O_CREAT | os.O_WRONLY), 2)
        sys.argv = ["litcrawl", "crawl", *arguments]
        main()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="fork")
def test_whatever_is_the_users_to_fix_is_one_line_and_2_and_no_request(tmp_path):
    cases = bad_inputs(tmp_path)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LITCRAWL_")}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", FORKS],
        cwd=tmp_path, env=environment | {"LITCRAWL_OUT": str(tmp_path / "out")}, check=True, capture_output=True, text=True,
        input=json.dumps([arguments for arguments, _ in cases.values()]),
    )  # fmt: skip
    for number, (name, (_, part)) in enumerate(cases.items()):
        said = (tmp_path / f"{number}.err").read_text()
        own = [line for line in said.splitlines() if not SCRAPYS_OWN.match(line)]
        assert (done.stdout.split()[number], len(own)) == ("2", 1), f"{name}: {said}"
        assert own[0].startswith("litcrawl: "), name
        assert part in own[0], name
        assert "Spider opened" not in said
    assert not list((tmp_path / "out").glob("runs/*"))


@pytest.mark.parametrize("cut", [b"PMC3000057\nPMC3000060\n", b"PMC3000057\n\nnonsense here\n"])
async def test_standard_input(tmp_path, cut):
    process = await start("crawl", "fetch", "-a", "ids=-", "-a", "want=xml", *REPLAY, cwd=tmp_path, stdin=asyncio.subprocess.PIPE)
    _, said = await process.child.communicate(cut)
    assert process.child.returncode == 0, said.decode()
    assert (tmp_path / "litcrawl-out/pmc/PMC3000057/body.xml").is_file()
