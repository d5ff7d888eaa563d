import os
from pathlib import PureWindowsPath

import pytest
from scrapy.settings import Settings

from litcrawl.output import extended, output_folder
from litcrawl.store import Store
from litcrawl.wire.parts import Parts


@pytest.mark.parametrize("stated", ["out", " out\n", "./out"])
def test_the_folder_is_absolute_whatever_stands_around_its_name(stated, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert output_folder(stated) == tmp_path / "out"


def test_home_is_known(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert output_folder("~/out") == output_folder(str(tmp_path / "out"))


def test_the_wire_and_the_store_mean_one_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Parts(" out ", 0).folder == Store.from_settings(Settings({"LITCRAWL_OUT": " out "})).parts
    assert Parts("out", 0).folder.is_absolute()


@pytest.mark.parametrize(
    ("path", "long"),
    [
        (r"C:\out", r"\\?\C:\out"),
        (r"\\server\share\out", r"\\?\UNC\server\share\out"),
        (r"\\?\C:\out", r"\\?\C:\out"),
        (r"\\?\UNC\server\share", r"\\?\UNC\server\share"),
    ],
)
def test_the_form_of_long_paths_on_windows(path, long):
    assert extended(path) == long
    assert str(PureWindowsPath(long) / "pmc/PMC1" / "body.xml") == rf"{long}\pmc\PMC1\body.xml"


@pytest.mark.skipif(os.name != "nt", reason="Windows")
def test_a_path_over_260_characters(tmp_path):
    store = Store.from_settings(Settings({"LITCRAWL_OUT": str(tmp_path / ("a" * 100))}))
    store.prepare()
    store.put("b" * 100 + "/" + "c" * 100, b"x")
    assert store.size("b" * 100 + "/" + "c" * 100) == 1
