from litcrawl.idlists.lines import rows
from litcrawl.idlists.rows import Notes, Row
from litcrawl.ids import Ids


def read(*lines: str, id_type: str | None = None) -> list[Row]:
    return list(rows([f"{line}\n" for line in lines], id_type, Notes()))


def test_a_line_that_parses_whole_is_one_identifier() -> None:
    (row,) = read("  10.1000/a,b ")
    assert row == {
        "row": 1,
        "line": 1,
        "field": None,
        "raw": "10.1000/a,b",
        "record_id": None,
        "title": None,
        "author": None,
        "year": None,
        "version": None,
        "repairs": [],
        "ids": Ids(doi="10.1000/a,b"),
        "reason": None,
        "detail": None,
        "conflicts": [],
    }


def test_blank_lines_and_comments_are_no_rows() -> None:
    found = read("# my list", "", "10.1/a", "   ", "#10.1/b", "10.1/c")
    assert [(row["row"], row["line"], row["raw"]) for row in found] == [(1, 3, "10.1/a"), (2, 6, "10.1/c")]


def test_several_identifiers_on_a_line_are_rows_of_their_own() -> None:
    found = read("10.1038/nature12384, 31452104;PMC6561843", "10.1/z")
    assert [(row["row"], row["line"], row["raw"]) for row in found] == [
        (1, 1, "10.1038/nature12384"),
        (2, 1, "31452104"),
        (3, 1, "PMC6561843"),
        (4, 2, "10.1/z"),
    ]


def test_a_sentence_that_names_one_article() -> None:
    (row,) = read("Lander (2001). Nature. doi: 10.1038/35057062. PMID: 11237011")
    assert row["ids"] == Ids(doi="10.1038/35057062", pmid="11237011")
    assert row["repairs"] == ["taken out of a longer text"]
    assert row["raw"].startswith("Lander")


def test_lines_without_an_identifier() -> None:
    found = read("PaperList", "10.1038/", "see 10.1/a and 10.1/b", "3.14E+07", "doi 10.1038/a and 10.1038/b too")
    assert [row["reason"] for row in found] == ["no-identifier", "malformed", "no-identifier", "malformed", "ambiguous"]
    assert all(row["ids"] is None and row["detail"] for row in found)


def test_a_doi_pasted_twice_is_not_guessed_at() -> None:
    (row,) = read("10.1038/nature1238410.1038/nature12384")
    assert (row["ids"], row["reason"]) == (None, "ambiguous")
    assert "10.1038/nature12384 ?" in row["detail"]


def test_duplicates_are_rows_all_the_same() -> None:
    assert [row["ids"].doi for row in read("10.1234/ABC", "10.1234/abc", "10.1234/abc.")] == ["10.1234/abc"] * 3


def test_the_pinned_version_belongs_to_the_row() -> None:
    found = read("PMC6561843.2", "arXiv:2310.19377v1", "2310.19377")
    assert [row["version"] for row in found] == ["2", "1", None]


def test_what_bare_digits_are() -> None:
    notes = Notes()
    found = list(rows(["6561843\n", "6561844\n", "6561845 6561846\n"], None, notes))
    assert [row["ids"].pmid for row in found] == ["6561843", "6561844", "6561845", "6561846"]
    assert len(notes) == 1
    assert read("6561843", id_type="pmcid")[0]["ids"] == Ids(pmcid="PMC6561843")
