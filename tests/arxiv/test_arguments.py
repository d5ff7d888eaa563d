"""The archive's arguments: checked before the first request, each mistake told in one line."""

import pytest

from litcrawl.arxiv.arguments import NAMES, ArchiveArguments
from litcrawl.exceptions import BadArgument

DAYS = {"from": "2026-11-01", "until": "2026-11-30"}


def test_a_list_is_taken_as_everywhere():
    arguments = ArchiveArguments.parse({"ids": "2303.18112v2 math.GT/0309136", "_job": "x", "limit": "5", "shard": "1/3"})
    assert [(row["ids"].arxiv, row["version"]) for row in arguments.rows.rows()] == [("2303.18112", "2"), ("math/0309136", None)]
    assert (arguments.limit, arguments.shard, arguments.refresh, arguments.harvest) == (5, (1, 3), "0", False)
    assert (arguments.sources, arguments.want, arguments.versions) == (("arxiv",), ("pdf", "supplementary"), "all")


@pytest.mark.parametrize(
    ("given", "author"),
    [
        ("gubinelli_m_1", "gubinelli_m_1"),
        ("https://arxiv.org/a/gubinelli_m_1", "gubinelli_m_1"),
        ("https://arxiv.org/a/gubinelli_m_1.atom2", "gubinelli_m_1"),
        ("0000-0002-7970-7855", "0000-0002-7970-7855"),
    ],
)
def test_an_author_by_identifier_orcid_or_address(given, author):
    assert ArchiveArguments.parse({"author": given}).author == author


def test_a_harvest():
    arguments = ArchiveArguments.parse({"set": "math:math:PR"} | DAYS)
    assert (arguments.harvest, arguments.set_, arguments.since, arguments.until) == (True, "math:math:PR", "2026-11-01", "2026-11-30")
    assert ArchiveArguments.parse({"from": "2026-11-01"}).harvest
    assert arguments.rows.name == "set math:math:PR from 2026-11-01 until 2026-11-30"


def test_several_at_once_are_one_list_the_given_ids_first():
    arguments = ArchiveArguments.parse({"ids": "2303.18112", "author": "gubinelli_m_1", "set": "math"})
    arguments.listed.append(("author", "2301.00001"))
    assert [(row["row"], row["field"], row["ids"].arxiv) for row in arguments.rows.rows()] == [
        (1, None, "2303.18112"),
        (2, "author", "2301.00001"),
    ]
    assert (arguments.rows.name, arguments.rows.size) == ("identifiers given, author gubinelli_m_1, set math", None)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no papers: give -a ids="),
        ({"ids": " "}, "no papers"),
        ({"id": "2303.18112"}, r"unknown argument 'id' \(did you mean ids\?\); the arguments are: ids, author, set, from, until, refresh"),
        ({"ids": "2303.18112", "want": "pdf"}, "unknown argument 'want'"),
        ({"ids": "nothing.here"}, "there is no such file"),
        ({"author": "Gubinelli"}, "author=Gubinelli: give an arXiv author identifier"),
        ({"author": "../x_1"}, "author="),
        ({"author": ""}, "author="),
        ({"set": "math probability"}, "set=math probability: give a set"),
        ({"set": "math&x=1"}, "set="),
        ({"from": "2026-11"}, "from=2026-11: give a day, as 2026-11-30"),
        ({"from": "2026-02-30"}, "from=2026-02-30"),
        ({"until": "yesterday"}, "until=yesterday"),
        ({"from": "2026-12-01", "until": "2026-11-30"}, "from=2026-12-01: is after until=2026-11-30"),
        ({"ids": "2303.18112", "refresh": "missing"}, "refresh=missing: the values are: 0, 1"),
        ({"ids": "2303.18112", "limit": "0"}, "limit=0"),
        ({"ids": "2303.18112", "shard": "3/3"}, "shard=3/3"),
    ],
)
def test_a_mistake_is_told_in_one_line(given, said):
    with pytest.raises(BadArgument, match=said) as wrong:
        ArchiveArguments.parse(given)
    assert "\n" not in str(wrong.value)


def test_the_names():
    assert NAMES == ("ids", "author", "set", "from", "until", "refresh", "limit", "shard")
