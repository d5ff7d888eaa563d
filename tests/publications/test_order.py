import pytest
from crawling import project_settings

from litcrawl.exceptions import BadArgument
from litcrawl.publications.order import chosen

WITH = {"LITCRAWL_CONTACT": "lab@litcrawl.dev", "LITCRAWL_OPENALEX_API_KEY": "key", "LITCRAWL_OPENAIRE_TOKEN": "token"}
BARE = dict.fromkeys(WITH)


def order(asked=(), fixed=(), **settings):
    return chosen(project_settings(**settings), list(asked), fixed)


def test_the_largest_allowance_comes_first_and_landing_pages_last():
    assert order(**WITH) == ["crossref", "openalex", "datacite", "openaire", "semantic_scholar", "meta_tags"]
    assert order(**BARE) == ["openalex", "crossref", "datacite", "semantic_scholar", "openaire", "meta_tags"]


def test_the_table_of_allowances_decides():
    slots = {"api.semanticscholar.org": {"limit": (100, 1.0)}, "api.openaire.eu": {"limit": (50, 1.0)}}
    assert order(LITCRAWL_SLOTS=slots, **WITH)[:2] == ["semantic_scholar", "openaire"]


def test_who_publishes_no_allowance_comes_behind_those_who_do_and_before_landing_pages():
    settings = {"LITCRAWL_SOURCES": "meta_tags,archive.Register,openaire,crossref", "LAB_URL": "http://127.0.0.1"}
    assert order(**settings, **WITH) == ["crossref", "openaire", "register", "meta_tags"]


def test_names_stand_as_they_are_given_and_changes_change():
    assert order(["openaire", "crossref"], **WITH) == ["openaire", "crossref"]
    assert order(["-crossref", "-meta_tags"], **WITH) == ["openalex", "datacite", "openaire", "semantic_scholar"]
    assert order(fixed=["datacite"], **WITH) == ["datacite"]


def test_only_sources_of_metadata_can_be_asked():
    with pytest.raises(BadArgument, match="unknown source 'europe_pmc'"):
        order(["europe_pmc"])
    with pytest.raises(BadArgument, match="none is left"):
        order(LITCRAWL_SOURCES="europe_pmc,unpaywall")
