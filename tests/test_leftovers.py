import os
import subprocess
import sys
import time

import pytest

from litcrawl.leftovers import RESUMABLE_FOR, STALE_AFTER, sweep, temporary

DAY = 86400.0


@pytest.fixture
def lay(tmp_path):
    """Put files into the folder, last written to so many seconds ago; what is left of them after a sweep."""

    def lay_and_sweep(**ages):
        for name, age in ages.items():
            path = tmp_path / name
            path.write_bytes(b"x")
            os.utime(path, (0, time.time() - age))
        sweep(tmp_path)
        return sorted(path.name for path in tmp_path.iterdir())

    return lay_and_sweep


@pytest.mark.parametrize("name", ["part", "part.1a2b3c4d", "part.decoded", "part.resume", "part.resume.new", "elsewhere-1-0.tmp"])
def test_what_nothing_goes_on_from_stays_for_a_day(lay, name):
    assert lay(**{name: STALE_AFTER - 60}) == [name]
    assert lay(**{name: STALE_AFTER + 60}) == []


def test_a_part_with_its_record_stays_for_a_week(lay):
    pair = {"part": RESUMABLE_FOR - 60, "part.resume": RESUMABLE_FOR + 60}
    assert lay(**pair) == sorted(pair)
    assert lay(**dict.fromkeys(pair, RESUMABLE_FOR + 60)) == []


def test_an_old_record_does_not_take_a_part_that_is_being_written(lay):
    assert lay(**{"part": 0, "part.resume": RESUMABLE_FOR + 60}) == ["part", "part.resume"]


def test_the_two_of_a_pair_go_together(lay):
    """Whichever is looked at first: half a pair would stay for another week."""
    pair = {f"{n}{suffix}": RESUMABLE_FOR + 60 for n in range(20) for suffix in ("", ".resume")}
    assert lay(**pair) == []


@pytest.mark.skipif(os.name != "posix", reason="which processes run is asked by signal 0")
def test_temporary_files_of_dead_processes_go_at_once(tmp_path):
    own, dead = temporary(tmp_path), temporary(tmp_path)
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    dead = dead.with_name(dead.name.replace(f"-{os.getpid()}-", f"-{child.pid}-"))
    for one in (own, dead):
        one.write_bytes(b"")
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == [own]


def test_what_cannot_be_removed_is_left(tmp_path):
    (tmp_path / "folder").mkdir()
    os.utime(tmp_path / "folder", (0, time.time() - 30 * DAY))
    sweep(tmp_path)
    assert (tmp_path / "folder").is_dir()


def test_a_lock_stays_for_it_may_be_held_however_old_it_is(lay):
    assert lay(**{"download.json.lock": 100 * DAY}) == ["download.json.lock"]
