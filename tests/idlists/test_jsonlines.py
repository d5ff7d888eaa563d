import json
from typing import Any

import pytest

from litcrawl.idlists.jsonlines import rows
from litcrawl.idlists.rows import Notes, Row
from litcrawl.ids import Ids


def read(*records: Any, id_type: str | None = None) -> list[Row]:
    return list(rows([f"{record if isinstance(record, str) else json.dumps(record)}\n" for record in records], id_type, Notes()))


@pytest.mark.parametrize(
    ("record", "ids"),
    [
        ({"DOI": "10.1/A", "title": ["T"], "author": [{"family": "Smith"}]}, Ids(doi="10.1/a")),
        ({"pmid": 31452104, "pmcid": "PMC6561843", "doi": None}, Ids(pmid="31452104", pmcid="PMC6561843")),
        ({"pmid": 31452104.0}, Ids(pmid="31452104")),
        ({"externalIds": {"DOI": "10.1/a", "PubMed": "31452104", "PubMedCentral": "6561843", "ArXiv": "2310.19377"}}, None),
        ({"id": "https://openalex.org/W1", "ids": {"doi": "https://doi.org/10.1/a", "pmid": "https://pubmed.ncbi.nlm.nih.gov/1/"}}, None),
        ({"type": "article", "key": "arxiv:2310.19377", "ids": {"doi": None, "arxiv": "2310.19377"}, "inputs": [{"doi": "10.1/z"}]}, None),
        ({"identifier": "10.1/a"}, Ids(doi="10.1/a")),
    ],
)
def test_identifiers_by_key_name(record: dict[str, Any], ids: Ids | None) -> None:
    (row,) = read(record)
    expected = {
        "externalIds": Ids(doi="10.1/a", pmid="31452104", pmcid="PMC6561843", arxiv="2310.19377"),
        "id": Ids(doi="10.1/a", pmid="1"),
        "type": Ids(doi="10.48550/arxiv.2310.19377", arxiv="2310.19377"),
    }
    assert row["ids"] == (ids or expected[next(iter(record))])


def test_lines_and_facts() -> None:
    found = read({"doi": "10.1/a", "title": "T", "year": 2019, "authors": [{"name": "Smith, J"}, {"name": "Doe"}]}, "", {"doi": "10.1/b"})
    assert [(row["row"], row["line"], row["field"], row["raw"]) for row in found] == [(1, 1, "doi", "10.1/a"), (2, 3, "doi", "10.1/b")]
    assert (found[0]["title"], found[0]["author"], found[0]["year"]) == ("T", "Smith, J", "2019")


@pytest.mark.parametrize("line", ["{broken", "[1, 2]", "17", "[" * 5000, '{"doi": ' * 5000])
def test_a_line_that_is_no_object_is_a_row(line: str) -> None:
    (row,) = read(line)
    assert (row["ids"], row["reason"]) == (None, "malformed")


def test_an_object_without_an_identifier() -> None:
    assert [row["reason"] for row in read({"a": 1}, {"doi": {"x": 1}}, {"doi": "none"})] == ["no-identifier"] * 3


def test_bare_digits_under_id() -> None:
    assert read({"id": 6561843}, id_type="pmcid")[0]["ids"] == Ids(pmcid="PMC6561843")
    assert read({"pmid": 6561843}, id_type="pmcid")[0]["ids"] == Ids(pmid="6561843")
