"""Identifiers as upstreams state them: whatever they send, nothing is raised, and nothing doubtful is believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litcrawl.ids import Ids
from litcrawl.stated import agreed, stated

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@pytest.mark.parametrize(
    ("values", "ids"),
    [
        (
            {"pmid": 17375194, "pmcid": "PMC1790863", "doi": "10.1371/Journal.pone.0000217"},
            Ids("10.1371/journal.pone.0000217", "17375194", "PMC1790863"),
        ),
        ({"pmid": "17375194", "pmcid": 1790863}, Ids(pmid="17375194", pmcid="PMC1790863")),
        ({"pmcid": "PMC1790863.2"}, Ids(pmcid="PMC1790863")),
        ({"doi": "https://doi.org/10.48550/arXiv.2303.18112"}, Ids(doi="10.48550/arxiv.2303.18112", arxiv="2303.18112")),
        ({"doi": None, "pmid": "", "pmcid": []}, Ids()),
        ({"pmid": True, "doi": {"value": "10.1000/1"}}, Ids()),
        ({"pmid": 0}, Ids()),
        ({"pmid": -5}, Ids()),
        ({"pmid": 10**5000}, Ids()),
        ({"pmid": "PMC1790863"}, Ids()),  # another kind than the field says
        ({"pmid": "10.1000/1", "pmcid": "17375194 17375195"}, Ids()),
    ],
)
def test_what_is_none_of_its_kind_is_left_out(values, ids):
    assert stated(**values) == ids


@given(JSON, JSON, JSON)
def test_nothing_is_raised(doi, pmid, pmcid):
    assert isinstance(stated(doi=doi, pmid=pmid, pmcid=pmcid), Ids)


def test_records_of_one_article_complete_each_other():
    assert agreed([Ids(doi="10.1000/1", pmid="5"), Ids(doi="10.1000/1", pmcid="PMC7")]) == Ids(doi="10.1000/1", pmid="5", pmcid="PMC7")


def test_what_they_contradict_each_other_in_is_not_told():
    assert agreed([Ids(doi="10.1000/1", pmid="5"), Ids(doi="10.1000/1", pmid="6")]) == Ids(doi="10.1000/1")
    assert agreed([]) == Ids()
