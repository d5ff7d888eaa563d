import pytest
from crawling import project_settings
from lab import Lab, Spare

from litcrawl.arguments import Arguments
from litcrawl.exceptions import BadArgument
from litcrawl.resolver import Resolver
from litcrawl.sources import default_sources, known_sources, with_ladder
from litcrawl.terms import Want


def settings(*sources):
    return project_settings(LITCRAWL_SOURCES=",".join(sources))


def ladder(sources=("europe_pmc", "pmc_oa_s3"), fixed=(), **given):
    return with_ladder(Arguments.parse({"ids": "PMC1"} | given), settings(*sources), fixed)


def test_the_setting_gives_the_order_and_what_is_not_in_it_is_still_known():
    chosen = settings("europe_pmc", "pmc_oa_s3")
    assert default_sources(chosen) == ["europe_pmc", "pmc_oa_s3"]
    known = list(known_sources(chosen))
    assert known[:2] == ["europe_pmc", "pmc_oa_s3"]
    assert "europe_pmc_bookshelf" in known[2:]


def test_a_third_partys_source_is_named_by_its_class_path():
    chosen = settings("lab.Lab", "europe_pmc", "lab.Spare")
    assert default_sources(chosen) == ["lab", "europe_pmc", "spare"]
    assert (known_sources(chosen)["lab"], known_sources(chosen)["spare"]) == (Lab, Spare)


def test_spaces_empty_entries_and_repetitions_do_no_harm():
    assert default_sources(settings(" europe_pmc", "", "pmc_oa_s3 ", "europe_pmc")) == ["europe_pmc", "pmc_oa_s3"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("europe_pmcc", "unknown source 'europe_pmcc'"),
        ("lab.Nothing", "cannot be loaded"),
        ("no_such_package.Source", "cannot be loaded"),
        ("lab.World", "is no Source"),
        ("lab.lab", "is no Source"),
    ],
)
def test_what_is_no_source_is_named(entry, said):
    with pytest.raises(BadArgument, match="LITCRAWL_SOURCES") as raised:
        known_sources(settings("europe_pmc", entry))
    assert said in str(raised.value)


def test_names_choose_and_signs_change():
    assert ladder().sources == ("europe_pmc", "pmc_oa_s3")
    assert with_ladder(Arguments.parse({"ids": "PMC1", "sources": "pmc_oa_s3"}), settings("europe_pmc"), ()).sources == ("pmc_oa_s3",)
    changed = Arguments.parse({"ids": "PMC1", "sources": "+pmc_oa_s3,-europe_pmc"})
    assert with_ladder(changed, settings("europe_pmc", "europe_pmc_bookshelf"), ()).sources == ("europe_pmc_bookshelf", "pmc_oa_s3")


def test_a_ladder_without_a_rung_is_refused():
    with pytest.raises(BadArgument, match="none is left"):
        with_ladder(Arguments.parse({"ids": "PMC1", "sources": "-europe_pmc"}), settings("europe_pmc"), ())
    with pytest.raises(BadArgument, match="none is left"):
        ladder(sources=())


def test_a_want_that_no_rung_offers_is_refused_when_it_was_asked_for():
    with pytest.raises(BadArgument, match="no source of this run offers text"):
        ladder(sources=("europe_pmc",), want="xml,text")
    assert [str(one) for one in ladder(sources=("europe_pmc",)).want] == ["xml", "pdf", "supplementary"]


def test_a_sources_own_spider_wants_what_it_offers():
    own = ladder(fixed=["europe_pmc"])
    assert (own.sources, [str(one) for one in own.want]) == (("europe_pmc",), ["xml", "supplementary"])


def test_one_list_is_the_order_of_each_kind():
    """Archives by their own number, then publishers, then who knows of copies elsewhere."""
    known = known_sources(project_settings())
    ladder = default_sources(project_settings())
    orders = {want: [name for name in ladder if want in known[name].offers] for want in Want}
    assert orders[Want.XML] == ["europe_pmc_bookshelf", "pmc_oa_s3", "europe_pmc", "elsevier_oa", "springer_oa", "crossref_tdm"]
    assert orders[Want.PDF] == ["pmc_oa_s3", "arxiv", "unpaywall", "openalex", "semantic_scholar", "crossref_tdm", "springer"]
    assert [name for name in ladder if issubclass(known[name], Resolver) and known[name].most > 1] == [
        "ncbi_idconv",
        "europe_pmc_search",
        "crossref",
        "openalex",
        "semantic_scholar",
    ]
