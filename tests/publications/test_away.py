import sqlite3

import pytest
from sqlalchemy.exc import DataError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from litcrawl.publications.away import is_away


class Refusal(Exception):
    def __init__(self, sqlstate):
        self.sqlstate = sqlstate


@pytest.mark.parametrize("state", ["08006", "57P01", "57P03", "40001", "40P01", "53300", "25006", None])
def test_a_server_that_is_away_comes_back(state):
    assert is_away(OperationalError("INSERT", {}, Refusal(state)))


@pytest.mark.parametrize("state", ["54000", "22021", "23502", "42703", "42P01"])
def test_a_row_that_is_refused_is_refused_again(state):
    assert not is_away(OperationalError("INSERT", {}, Refusal(state)))


def test_a_connection_that_broke_comes_back_whatever_was_said():
    assert is_away(DataError("INSERT", {}, Refusal("22021"), connection_invalidated=True))
    assert is_away(InterfaceError("INSERT", {}, Exception("the connection is closed")))
    assert is_away(PoolTimeout("none is free"))


def test_what_is_no_errors_of_a_database_does_not_pass():
    assert not is_away(TypeError("Integer exceeds 64-bit range"))
    assert not is_away(IntegrityError("INSERT", {}, Exception("constraint")))


def test_a_file_of_sqlite(tmp_path):
    one, two = (sqlite3.connect(tmp_path / "x", timeout=0) for _ in range(2))
    one.execute("CREATE TABLE t (a NOT NULL)")
    one.execute("BEGIN IMMEDIATE")
    for statement, away in (("BEGIN IMMEDIATE", True), ("SELECT b FROM t", False), ("INSERT INTO u VALUES (1)", False)):
        with pytest.raises(sqlite3.OperationalError) as raised:
            two.execute(statement)
        assert is_away(OperationalError(statement, {}, raised.value)) is away
    one.rollback()
    with pytest.raises(sqlite3.IntegrityError) as broken:
        two.execute("INSERT INTO t VALUES (NULL)")
    assert not is_away(IntegrityError("INSERT", {}, broken.value))
    one.close()
    two.close()
