"""What a job of Scrapyd asks of the project: it passes `_job`, a log file, and the folder that scrapyd was started in."""

import os
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest
from crawling import project_settings, replay

from litcrawl.checks import check_output
from litcrawl.exceptions import BadArgument

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(("job", "folder"), [("32df5792ecf611f1", "32df5792ecf611f1"), ("mine:1", "mine_1"), ("../../mine", "mine")])
async def test_a_job_s_id_ends_the_name_of_its_run(tmp_path, job, folder):
    crawled = await replay(tmp_path, ids="NBK1116", _job=job)
    (run,) = (tmp_path / "runs").iterdir()
    assert run.name.startswith("fetch-")
    assert run.name.endswith(f"Z-{folder}")
    assert "_job" not in (run / "summary.json").read_text()
    assert crawled.status == 0


@pytest.mark.parametrize("out", ["litcrawl-out", "./out", "../out"])
def test_a_job_with_a_relative_output_is_refused(out):
    settings = project_settings(LITCRAWL_OUT=out)
    with pytest.raises(BadArgument, match="absolute"):
        check_output(settings, {"_job": "1", "ids": "PMC1"})
    check_output(settings, {"ids": "PMC1"})


@pytest.mark.parametrize("out", ["/data/out", "~/out"])
def test_a_job_with_an_absolute_output_is_not(out):
    check_output(project_settings(LITCRAWL_OUT=out), {"_job": "1"})


def test_what_is_wrong_stands_in_the_job_s_log(tmp_path):
    words = ["crawl", "fetch", "-a", "_job=1", "-a", "ids=PMC1", "-s", "LITCRAWL_OUT=here", "-s", f"LOG_FILE={tmp_path / 'log'}"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("LITCRAWL_")}
    program = [sys.executable, "-c", "from litcrawl.cli import main; main()"]
    done = subprocess.run([*program, *words], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=100)  # noqa: S603
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "litcrawl: LITCRAWL_OUT=here: a Scrapyd job needs an absolute folder (setting=LITCRAWL_OUT=/path)\n"
    assert done.stderr.removeprefix("litcrawl: ") in (tmp_path / "log").read_text()
    assert [one.name for one in tmp_path.iterdir()] == ["log"]


def test_the_egg_finds_its_settings_and_data():
    """`scrapyd-deploy` builds by setup.py, which leaves everything to pyproject.toml."""
    deploy = ConfigParser()
    deploy.read(ROOT / "scrapy.cfg")
    assert deploy["deploy"]["project"] == "litcrawl"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["scrapy"] == {"settings": deploy["settings"]["default"]}
    assert "schemas/*.json" in project["tool"]["setuptools"]["package-data"]["litcrawl"]
    assert (ROOT / "setup.py").read_text().rstrip().endswith("setup()")
