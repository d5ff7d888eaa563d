"""README keeps to the code: its commands, shown output, tables, links and worked example."""

import dataclasses
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import arxivs
import pytest
from crawling import CASSETTES, crawl, project_settings
from hosts import hosts
from loopback import Answer
from scrapy.spiderloader import get_spider_loader

from litcrawl import ending, settings
from litcrawl.arguments import NAMES, PARSERS, Arguments
from litcrawl.arxiv.arguments import ARCHIVE_PARSERS
from litcrawl.arxiv.arguments import NAMES as ARCHIVE_NAMES
from litcrawl.exceptions import BadArgument
from litcrawl.idlists import open_list
from litcrawl.items import File
from litcrawl.publications.arguments import OWN
from litcrawl.slots import Slots
from litcrawl.sources import known_sources
from litcrawl.terms import Outcome, Reason, Want

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line[2:] for kind, block in BLOCKS if kind == "console" for line in block.splitlines() if line.startswith("$ ")]
CRAWLS = [one for one in COMMANDS if "litcrawl crawl" in one]
MADE_WRONG = next(one for one in CRAWLS if "idss=" in one)
SPIDERS = get_spider_loader(project_settings()).list()
TOOLS = {"pytest", "ruff", "mypy", "pip", "python", "litcrawl"}  # that an installation with `.[test]` puts into .venv/bin
ELSEWHERE = {"export", "python3", "pip", "curl", "scrapyd-deploy"}

TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ?")
RUN = re.compile(r"(?:fetch|arxiv)-\d{8}T\d{6}Z-[0-9a-f]{4}")


def table(heading: str) -> list[list[str]]:
    """The cells of the table whose first column is headed so, code marks taken off where they surround a cell."""
    lines = README.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows.append([cell[1:-1] if re.fullmatch(r"`[^`]+`", cell) else cell for cell in cells])
    return rows


def block_with(text: str) -> str:
    return next(block for _, block in BLOCKS if text in block)


# commands


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_exists(command):
    for part in command.split(" && "):
        head, *rest = shlex.split(part)
        if head.startswith(".venv/bin/"):
            assert head.removeprefix(".venv/bin/") in TOOLS
        elif head == ".ci/run":
            assert os.access(ROOT / head, os.X_OK)
        else:
            assert head in ELSEWHERE | {"litcrawl"}
        if rest[:1] == ["-m"] and rest[1] != "venv":
            assert (ROOT / (rest[1].replace(".", "/") + ".py")).is_file()


@pytest.mark.parametrize("command", [one for one in CRAWLS if one != MADE_WRONG])
def test_each_crawl_has_a_spider_arguments_and_settings_that_exist(command):
    words = shlex.split(command.split(" && ")[-1])
    spider, given = words[2], list(zip(words[3::2], words[4::2], strict=True))
    assert spider in SPIDERS
    for option, value in given:
        name, _, setting = value.partition("=")
        match option:
            case "-a" if name in ("ids", "files"):
                assert setting
            case "-a" if spider == "publications" and name in OWN:
                assert setting
            case "-a":
                (ARCHIVE_PARSERS if spider == "arxiv" else PARSERS)[name](name, setting)
            case "-s":
                assert hasattr(settings, name)
            case _:
                assert option == "-o"


def test_the_wrong_command_is_told_what_the_page_shows():
    with pytest.raises(BadArgument) as wrong:
        Arguments.parse({"idss": "ids.txt"})
    assert f"litcrawl: {wrong.value}" in block_with("idss=").splitlines()


def test_the_first_lines_name_what_is_there():
    fetch, test = COMMANDS[:2]
    assert "ids=examples/ids.txt" in fetch
    rows = list(open_list(str(ROOT / "examples/ids.txt")).rows())
    assert rows
    assert all(row["ids"] and (row["ids"].pmcid or row["ids"].bookid) for row in rows)
    assert ".[test]" in test
    assert "test" in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    windows = next(block for kind, block in BLOCKS if kind == "powershell")
    assert windows.strip().endswith(r"litcrawl crawl fetch -a ids=examples\ids.txt")


def test_the_run_that_is_shown_is_what_the_command_does(tmp_path):
    session = block_with("LITCRAWL_CASSETTE=tests/cassettes/ladder")
    command, *shown = session.splitlines()
    words = shlex.split(command.removeprefix("$ litcrawl").replace("tests/cassettes", CASSETTES.as_posix()))
    env = {name: value for name, value in os.environ.items() if not name.startswith("LITCRAWL_")}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", "from litcrawl.cli import main; main()", *words],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr

    said = _timeless(done.stderr).replace(str(tmp_path), "/home/you/litcrawl").splitlines()
    assert [line for line in shown if line != "…" and _timeless(line) not in said] == []

    drawn = block_with("litcrawl-out/\n  10.3390/")
    assert _timeless(_tree(tmp_path / "litcrawl-out")) == _timeless(drawn)

    (rows,) = tmp_path.glob("litcrawl-out/runs/*/rows.csv")
    written = rows.read_text(encoding="utf-8-sig").splitlines()
    assert [line for line in block_with("row,record id,").splitlines() if line not in written] == []

    fed = [_timeless(line) for line in (tmp_path / "feed.jsonl").read_text(encoding="utf-8").splitlines()]
    assert _timeless(block_with('"type":"file"').strip()) in fed

    article = json.loads((tmp_path / "litcrawl-out/10.3390/aommet00000009/article.json").read_bytes())
    assert _shortened(json.loads(block_with('"attempts": [')), article)


async def test_the_archive_that_is_shown_is_what_the_spider_leaves(tmp_path, monkeypatch):
    async with arxivs.arxiv(monkeypatch, {"2303.18112": ("1", "D"), "math/0601001": ("F", "I")}) as world:
        await world.crawl(tmp_path / "litcrawl-out", ids="2303.18112 math/0601001")
        here = world.server.url()
    assert _timeless(_tree(tmp_path / "litcrawl-out")) == _timeless(block_with("v1-source.gz\n"))
    written = (tmp_path / "litcrawl-out/download.json").read_text().replace(here, "https://export.arxiv.org/")
    assert _shortened(json.loads(_timeless(block_with('"error": "withdrawn'))), json.loads(_timeless(written)))


def _timeless(text: str) -> str:
    return RUN.sub("RUN", TIME.sub("TIME", text))


def _tree(folder: Path, depth: int = 0) -> str:
    lines = ["  " * depth + folder.name + ("/" if folder.is_dir() else "")]
    if folder.is_dir():
        lines += [_tree(one, depth + 1).rstrip("\n") for one in sorted(folder.iterdir()) if one.name != ".parts"]
    return "\n".join(lines) + "\n"


def _shortened(short, whole):
    """Whether `short` is `whole` with things left out."""
    if isinstance(short, dict):
        return all(name in whole and _shortened(value, whole[name]) for name, value in short.items())
    if isinstance(short, list):
        return all(any(_shortened(one, other) for other in whole) for one in short)
    return short == whole


# tables

LISTS = ("LITCRAWL_SOURCES", "LITCRAWL_LICENCES", "LITCRAWL_PUBLICATION_COMPLETE", "LITCRAWL_PUBLICATION_ENOUGH")


def test_the_arguments():
    assert [row[0] for row in table("argument")] == list(NAMES)
    wants = re.findall(r"`(\w+)`", next(row[1] for row in table("argument") if row[0] == "want"))
    offered = {str(want) for source in known_sources(project_settings()).values() for want in source.offers}
    assert wants == [str(want) for want in Want if want in offered]


def test_the_arguments_of_the_archive():
    assert re.findall(r"`(\w+)`", " ".join(f"`{row[0]}`" for row in table("of `arxiv`"))) == list(ARCHIVE_NAMES)


def test_the_settings():
    documented = {row[0].replace("`", "").removesuffix(" *"): row for row in table("setting")}
    assert set(documented) == {name for name in dir(settings) if name.startswith("LITCRAWL_")}
    for name, (cell, _, default) in documented.items():
        value = getattr(settings, name)
        only_there = cell.endswith("*")
        assert only_there is (not isinstance(value, str | None) and name not in LISTS), name
        if name in os.environ or not re.fullmatch(r"[\w\[\]., -]+", default) or " " in default.replace(", ", ""):
            continue
        plain = ",".join(value) if name == "LITCRAWL_SOURCES" else value
        assert default == ("none" if plain is None else str(plain)), name


def test_the_sources():
    def needs(source):
        ids = ", ".join(sorted(source.requires)) or " or ".join(source.accepts)
        settings = [source.needs_key, "LITCRAWL_CONTACT" if source.needs_contact else None]
        return ", ".join([ids, *(f"`{name}`" for name in settings if name)])

    assert table("name (= spider)") == [
        [
            name,
            needs(source),
            ", ".join(sorted(getattr(source, "provides", ()))),
            ", ".join(want for want in Want if want in source.offers),
            str(getattr(source, "most", 1)),
        ]
        for name, source in known_sources(project_settings()).items()
    ]


def test_the_checks():
    written = "".join(
        path.read_text(encoding="utf-8") for path in [*(ROOT / "litcrawl/proof").glob("*.py"), ROOT / "litcrawl/wire/response.py"]
    )
    for cell, _ in table("check"):
        for name in re.findall(r"[a-z][a-z0-9-]+", cell.replace("@N", "@")):
            assert f'"{name}' in written, name


def test_the_reasons():
    rows = table("reason")
    assert [row[0] for row in rows] == list(Reason)
    for name, kind, meaning in rows:
        reason = Reason(name)
        assert kind == ("declined" if reason.declined else "retried" if reason.retryable else "final")
        assert meaning


def test_the_outcomes_and_the_exit_statuses():
    assert [row[0] for row in table("outcome")] == list(Outcome)
    assert [int(row[0]) for row in table("exit status")] == sorted([ending.ANSWERED, ending.BUG, ending.WRONG, ending.LEFT])


def test_the_allowances():
    slots = Slots.from_settings(project_settings())
    for host, allowance, at_once in table("host"):
        name = host.split()[0].strip("`")
        slot = slots.of(name.rstrip(",`") if "." in name else "a-host-of-its-own.tld")
        assert slot.concurrency == int(at_once)
        assert slot.autothrottle is ("AutoThrottle" in allowance)
        if (a_second := re.search(r"(\d+|one)( requests)? (a|in any) second", allowance)) is not None:
            assert slot.delay == pytest.approx(1 / int(a_second[1].replace("one", "1")))
        elif (spread := re.match(r"(\d+) (a minute|in ten minutes)", allowance)) is not None:
            assert slot.limit == (int(spread[1]), 60.0 if spread[2] == "a minute" else 600.0)
        elif (in_seconds := re.match(r"(\d+) in (\d+) seconds", allowance)) is not None:
            assert slot.limit == (int(in_seconds[1]), int(in_seconds[2]))
            assert set(slots.hosts(slot.name)) == set(re.findall(r"`(\S+)`", host))
        elif slot.limit is not None:
            assert f"{slot.limit[0]}" in allowance
        else:
            assert slot.delay == 0


def test_links_inside_the_page_and_the_clone_lead_somewhere():
    anchors = {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in README.splitlines() if line.startswith("#")}
    for target in re.findall(r"\]\(([^)]+)\)", README):
        if target.startswith("#"):
            assert target[1:] in anchors
        elif not target.startswith("https://"):
            assert (ROOT / target).is_file()


# the third party's sources


@pytest.fixture
def lab_archive(tmp_path, monkeypatch):
    """The module that the page shows, importable as the page says."""
    (tmp_path / "lab_archive.py").write_text(block_with("class LabArchive(Source)"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("lab_archive", None)


PDF = b"%PDF-1.4\nan accepted manuscript\n%%EOF\n"
JATS = b"<article><front><article-meta/></front><body><p>Text.</p></body></article>"


def archive(arrival, _n):
    """The laboratory's archive, as the page describes it."""
    match arrival.path.removeprefix("/api/").split("/"):
        case ["texts", "10.5555%2Fheld"]:
            return Answer(body=JATS) if arrival.headers.get("x-lab-key") == "the-key-of-the-laboratory" else Answer(401)
        case ["records", "10.5555%2Fheld"]:
            return Answer(body=b'{"pdf": "https://archive.your-lab.tld/files/held.pdf"}')
        case ["records", "10.5555%2Fembargo"]:
            return Answer(body=b'{"pdf": null}')
        case ["records", "10.5555%2Fodd"]:
            return Answer(body=b"[]")
        case ["register?pmids=1,2"]:
            return Answer(body=b'{"dois": {"1": "10.5555/held"}}')
        case ["", "files", "held.pdf"]:
            assert "x-lab-key" not in arrival.headers, "its path takes none"
            return Answer(body=PDF)
    return Answer(404)


async def test_the_sources_of_a_third_party_run(tmp_path, monkeypatch, lab_archive):
    command = next(one for one in CRAWLS if "lab_archive.LabArchive" in one)
    sources = [one for one in re.search(r"LITCRAWL_SOURCES=(\S+)", command)[1].split(",") if one.startswith("lab_archive.")]
    ladder = {"LITCRAWL_SOURCES": sources, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False}
    shown = block_with("export LITCRAWL_LAB_KEY")
    key = {"LITCRAWL_LAB_KEY": re.search(r"LITCRAWL_LAB_KEY=(\S+)", shown)[1]}
    ids = "1 2 10.5555/embargo 10.5555/odd 10.5555/none 10.1371/not.theirs"
    async with hosts(monkeypatch, tmp_path, archive, "archive.your-lab.tld") as world:
        crawled = await crawl(tmp_path / "out", settings=ladder | key, want="xml,pdf", ids=ids)
        keyless = await crawl(tmp_path / "keyless", settings=ladder, want="xml,pdf", ids="10.5555/held 10.1371/not.theirs")

    texts, manuscript = crawled.articles["10.5555/held"].files
    assert (texts.source, texts.path, texts.checks) == ("lab_texts", "10.5555/held/body.xml", ["well-formed", "body"])
    assert (manuscript.source, manuscript.path, manuscript.stage) == ("lab_archive", "10.5555/held/body.pdf", "accepted")
    assert (crawled.out / manuscript.path).read_bytes() == PDF
    told = {key: (str(article.outcome), article.missing) for key, article in crawled.articles.items()}
    assert told == {
        "10.5555/held": ("complete", {}),
        "pmid:2": ("absent", {"xml": "needs-id", "pdf": "needs-id"}),
        "10.5555/embargo": ("absent", {"xml": "absent", "pdf": "embargoed"}),
        "10.5555/odd": ("retry", {"xml": "absent", "pdf": "unavailable"}),
        "10.5555/none": ("absent", {"xml": "absent", "pdf": "absent"}),
        "10.1371/not.theirs": ("absent", {"xml": "absent", "pdf": "absent"}),
    }
    assert [arrival.path for arrival in world.arrivals].count("/api/register?pmids=1,2") == 1
    assert keyless.articles["10.5555/held"].missing == {"xml": "needs-key"}
    assert "xml" not in {one["step"] for one in keyless.articles["10.1371/not.theirs"].attempts}


def test_who_comes_from_litfetch_finds_everything_beside_what_is_here():
    rows = table("litfetch")
    ours = " ".join(row[1] for row in rows)
    for name in ("ArticleIds", "File", "SourceMetadata", "Related", "RetryPolicy", "Rate", "Session", "Fetcher", "FileSource", "Resolver"):
        assert any(f"`{name}" in row[0] or row[0].startswith(name) for row in rows), name
    for name in re.findall(r"`(LITCRAWL_\w+)`", ours):
        assert hasattr(settings, name)
    for name in re.findall(r"`([a-z_0-9]+)`", " ".join(row[1] for row in rows if re.search(r"`[a-z]+_", row[1]) and "Fetcher`" in row[0])):
        assert name in known_sources(project_settings())
    fields = {one.name for one in dataclasses.fields(File)}
    assert set(re.findall(r"`([a-z_0-9]+)`", next(row[0] for row in rows if row[0].startswith("`File`")))) <= fields
