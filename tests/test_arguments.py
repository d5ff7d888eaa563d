import pytest

from litcrawl.arguments import NAMES, Arguments, choose_sources
from litcrawl.exceptions import BadArgument


def test_what_is_not_given_has_its_default():
    arguments = Arguments.parse({"ids": "PMC1"})
    assert [str(one) for one in arguments.want] == ["xml", "pdf", "supplementary"]
    assert (arguments.exhaustive, arguments.versions, arguments.refresh) == (False, "latest", "0")
    assert (arguments.limit, arguments.shard, arguments.want_given) == (None, (0, 1), False)


def test_what_is_given_is_understood():
    arguments = Arguments.parse(
        {"ids": "PMC1,PMC2", "want": "pdf, xml", "exhaustive": "1", "versions": "all", "refresh": "missing", "limit": "7", "shard": "2/8"}
        | {"sources": "europe_pmc", "_job": "ab12"}
    )
    assert [str(one) for one in arguments.want] == ["xml", "pdf"]
    assert (arguments.exhaustive, arguments.versions, arguments.refresh) == (True, "all", "missing")
    assert (arguments.limit, arguments.shard, arguments.sources) == (7, (2, 8), ("europe_pmc",))
    assert "_job" not in arguments.given
    assert [row["raw"] for row in arguments.rows.rows()] == ["PMC1", "PMC2"]


def test_bare_digits_are_what_id_type_says():
    (row,) = Arguments.parse({"ids": "123", "id_type": "pmcid"}).rows.rows()
    assert row["ids"].pmcid == "PMC123"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no identifiers"),
        ({"ids": " "}, "no identifiers"),
        ({"ids": "PMC1", "wants": "pdf"}, "unknown argument 'wants' (did you mean want?)"),
        ({"ids": "PMC1", "elsevier_api_key": "s"}, "unknown argument"),
        ({"ids": "PMC1", "want": "pfd"}, "unknown kind 'pfd'; the kinds are: xml, pdf"),
        ({"ids": "PMC1", "want": ""}, "unknown kind ''"),
        ({"ids": "PMC1", "want": ","}, "unknown kind ','"),
        ({"ids": "PMC1", "exhaustive": "yes"}, "exhaustive=yes: the values are: 0, 1"),
        ({"ids": "PMC1", "versions": "newest"}, "latest, all"),
        ({"ids": "PMC1", "refresh": "2"}, "0, 1, missing"),
        ({"ids": "PMC1", "limit": "0"}, "limit=0"),
        ({"ids": "PMC1", "limit": "-1"}, "limit=-1"),
        ({"ids": "PMC1", "limit": "ten"}, "limit=ten"),
        ({"ids": "PMC1", "shard": "8/8"}, "from 0/8 to 7/8"),
        ({"ids": "PMC1", "shard": "2/2"}, "give 0/2 or 1/2"),
        ({"ids": "PMC1", "shard": "1/1"}, "give 0/1"),
        ({"ids": "PMC1", "shard": "3/3"}, "from 0/3 to 2/3"),
        ({"ids": "PMC1", "shard": "1"}, "from 0/8 to 7/8"),
        ({"ids": "PMC1", "shard": "0/0"}, "from 0/8 to 7/8"),
        ({"ids": "PMC1", "sources": ","}, "no source named"),
        ({"ids": "PMC1", "id_type": "doi"}, "pmid, pmcid"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_it(given, said):
    with pytest.raises(BadArgument) as raised:
        Arguments.parse(given)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_sources_own_spider_has_no_choice_of_sources():
    with pytest.raises(BadArgument, match="unknown argument 'sources'"):
        Arguments.parse({"ids": "PMC1", "sources": "europe_pmc"}, [name for name in NAMES if name != "sources"])
    assert "sources" in NAMES


@pytest.mark.parametrize(
    ("chosen", "rungs"),
    [
        ([], ["a", "b"]),
        (["b", "c", "b"], ["b", "c"]),
        (["+c"], ["a", "b", "c"]),
        (["-a"], ["b"]),
        (["-a", "+c"], ["b", "c"]),
        (["+a", "-a"], ["b"]),
        (["-a", "-b"], []),
    ],
)
def test_sources_are_chosen_or_changed(chosen, rungs):
    assert choose_sources(["a", "b"], chosen, ["a", "b", "c"]) == rungs


@pytest.mark.parametrize(("chosen", "said"), [(["d"], "unknown source 'd'"), (["-d"], "unknown source 'd'"), (["a", "+b"], "not both")])
def test_sources_that_cannot_be_meant(chosen, said):
    with pytest.raises(BadArgument, match=said):
        choose_sources(["a", "b"], chosen, ["a", "b", "c"])
