"""Which slot an address belongs to, and what a table may say."""

import pytest
from crawling import project_settings
from scrapy.settings import Settings

from litcrawl.exceptions import BadArgument
from litcrawl.slots import Slots, SlotsAddon

TABLE = {
    "arxiv": {"hosts": ["arxiv.org", "export.arxiv.org"], "limit": (1, 3.0), "concurrency": 1, "timeout": 120},
    "crossref": {"hosts": ["api.crossref.org"], "limit": (5, 1.0), "with": {"CONTACT": {"limit": (10, 1.0), "concurrency": 3}}},
    "crossref-lists": {"hosts": ["api.crossref.org/works?", "api.crossref.org/v1/works?"], "limit": (1, 1.0)},
    "wiley": {"hosts": [".wiley.com"], "delay": 0.5, "concurrency": 4, "autothrottle": True},
    "eutils.ncbi.nlm.nih.gov": {"limit": (3, 1.0)},
}


def slots(**settings: object) -> Slots:
    return Slots.from_settings(Settings({"LITCRAWL_SLOTS": TABLE, "DOWNLOAD_DELAY": 0.1, "CONCURRENT_REQUESTS_PER_DOMAIN": 2, **settings}))


@pytest.mark.parametrize(
    ("host", "target", "name"),
    [
        ("arxiv.org", "/", "arxiv"),
        ("export.arxiv.org", "/pdf/1", "arxiv"),
        ("www.arxiv.org", "/", "www.arxiv.org"),
        ("api.crossref.org", "/works/10.1/x", "crossref"),
        ("api.crossref.org", "/works?filter=doi:10.1/x", "crossref-lists"),
        ("api.wiley.com", "/", "wiley"),
        ("wiley.com", "/", "wiley"),
        ("notwiley.com", "/", "notwiley.com"),
        ("eutils.ncbi.nlm.nih.gov", "/", "eutils.ncbi.nlm.nih.gov"),
    ],
)
def test_which_slot(host: str, target: str, name: str) -> None:
    assert slots().of(host, target).name == name


def test_a_limit_is_spread_evenly_unless_a_delay_is_given() -> None:
    assert slots().named("arxiv").delay == 3.0
    assert slots().named("crossref").delay == pytest.approx(0.2)
    assert slots().named("wiley").limit is None


def test_a_host_outside_the_table_is_left_to_autothrottle() -> None:
    slot = slots().of("repository.example")
    assert (slot.delay, slot.concurrency, slot.autothrottle, slot.timeout) == (0.1, 2, True, 30)
    assert slots().named("arxiv").timeout == 120


def test_a_key_or_contact_buys_a_larger_share() -> None:
    assert slots().named("crossref").limit == (5, 1.0)
    assert slots(CONTACT="me@uni.edu").named("crossref").limit == (10, 1.0)
    assert slots(CONTACT="me@uni.edu").named("crossref").concurrency == 3


def test_workers_share_each_allowance() -> None:
    shared = slots(LITCRAWL_WORKERS=3, CONTACT="me@uni.edu")
    assert shared.named("arxiv").limit == (1, 9.0)
    assert shared.named("arxiv").concurrency == 1
    assert shared.named("crossref").concurrency == 1
    assert shared.named("wiley").delay == 1.5
    assert shared.of("repository.example").delay == pytest.approx(0.3)


@pytest.mark.parametrize(
    "entry",
    [{"dealy": 1}, {"delay": -1}, {"delay": "x"}, {"concurrency": 0}, {"limit": (0, 1)}, {"limit": 3}, {"limit": (1, 0)}, {"timeout": 0}],
)
def test_a_wrong_entry_is_named(entry: dict[str, object]) -> None:
    with pytest.raises(BadArgument, match="LITCRAWL_SLOTS: x: "):
        Slots({"x": entry})


def test_scrapys_own_slots_follow() -> None:
    settings = Settings({"LITCRAWL_SLOTS": TABLE})
    SlotsAddon().update_settings(settings)
    assert settings["DOWNLOAD_SLOTS"]["arxiv"] == {"delay": 3.0, "concurrency": 1, "jitter": 0}


def test_every_host_of_arxiv_is_in_its_slot() -> None:
    slots = Slots(project_settings().getdict("LITCRAWL_SLOTS"))
    hosts = ("arxiv.org", "export.arxiv.org", "oaipmh.arxiv.org", "www.arxiv.org", "browse.arxiv.org")
    assert {slots.of(host).name for host in hosts} == {"arxiv"}
    assert slots.of("notarxiv.org").name == "notarxiv.org"
