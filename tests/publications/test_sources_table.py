"""
The Pubfinder's table of what each source tells of which field (thesis, table 4.3), and what today's APIs tell beyond it.

An `x` is the table's, a `+` is more.
"""

import pytest
from records import ABSTRACT, CROSSREF, DATACITE, DOI, OPENAIRE, OPENALEX, SEMANTIC_SCHOLAR, page

from litcrawl.parsers import crossref_metadata, datacite, html_meta, openaire, openalex, semantic_scholar
from litcrawl.publications.record import FIELDS

TABLE = """
field            crossref  openaire  semantic_scholar  meta_tags  openalex  datacite
title            x         x         x                 x          +         +
authors          x         x         x                 x          +         +
year             x         x         x                 x          +         +
abstract         x         x         x                 x          +         +
publisher        x         x         x                 x          +         +
fields_of_study  x         x         x                 x          +         +
type             x         -         -                 -          +         +
citation_count   x         +         x                 x          +         +
pub_date         x         x         +                 x          +         +
refs             x         -         +                 +          -         +
citations        x         -         x                 x          -         +
license          x         +         -                 +          +         +
container        +         +         +                 +          +         +
"""

TOLD = {
    "crossref": crossref_metadata.metadata(CROSSREF, DOI),
    "openaire": openaire.metadata(OPENAIRE, DOI),
    "semantic_scholar": semantic_scholar.metadata(SEMANTIC_SCHOLAR, DOI),
    "meta_tags": html_meta.metadata(html_meta.page(page()), DOI),
    "openalex": openalex.metadata(OPENALEX, DOI),
    "datacite": datacite.metadata(DATACITE, DOI),
}
_HEAD, *_ROWS = [line.split() for line in TABLE.split("\n") if line]
CELLS = [(source, row[0], mark) for row in _ROWS for source, mark in zip(_HEAD[1:], row[1:], strict=True)]

SAME = {"title": "On sentences", "year": 2012, "abstract": ABSTRACT, "citation_count": 3, "doi": DOI}
TYPES = {"crossref": "JOURNAL_ARTICLE", "openalex": "JOURNAL_ARTICLE", "datacite": "DATASET"}
DATES = dict.fromkeys(TOLD, "2012-05-18")


@pytest.mark.parametrize(("source", "field", "mark"), CELLS, ids=[f"{source}-{field}" for source, field, _ in CELLS])
def test_each_cell_is_mapped(source, field, mark):
    assert (field in TOLD[source]) == (mark != "-")


def test_no_field_is_left_out_of_the_table():
    beside = {"doi", "normalized_title", "pub_date_precision"}
    assert {row[0] for row in _ROWS} | beside == set(FIELDS)


@pytest.mark.parametrize("source", TOLD)
def test_all_tell_the_same_of_one_publication(source):
    told = TOLD[source]
    assert {field: told[field] for field in SAME} == SAME
    assert told.get("type") == TYPES.get(source)
    assert (told["pub_date"], told["pub_date_precision"]) == (DATES[source], "day")
    assert (told["authors"][0]["name"], told["authors"][0]["normalized_name"]) == ("Ann Miller", "ann miller")
    assert told["authors"][0]["orcid"] == (None if source == "semantic_scholar" else "0000-0002-1825-0097")
    assert told["fields_of_study"][0]["normalized_name"] in ("linguistics", "linguistics and language", "syntax")
    if "refs" in told:
        assert told["refs"][0] == {"doi": "10.5555/cited"}
    if "citations" in told:
        assert told["citations"] == [{"doi": "10.5555/citing"}]
