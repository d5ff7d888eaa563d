import pytest

from litcrawl.idlists.rows import Notes, Row
from litcrawl.idlists.tables import delimiter_of, rows
from litcrawl.ids import Ids


def read(text: str, id_type: str | None = None, notes: Notes | None = None) -> list[Row]:
    lines = text.splitlines(keepends=True)
    delimiter = delimiter_of(lines[0])
    assert delimiter
    return list(rows(lines, delimiter, id_type, Notes() if notes is None else notes))


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [
        ("doi", ","),
        ("PMID", ","),
        ("Title;DOI;Year", ";"),
        ("Title\tPubMed ID", "\t"),
        ('"Title, long",DOI', ","),
        ("DOI Link,Other", ","),
        ("URL", ","),
        ("id", ","),
        ("10.1038/nature12384", None),
        ("31452104,31452105", None),
        ("PaperList", None),
        ("Title", None),
        ("Some words, and more words", None),
    ],
)
def test_the_first_line_is_a_header_only_if_it_names_a_known_column(header: str, delimiter: str | None) -> None:
    assert delimiter_of(header) == delimiter


def test_pubmed_export() -> None:
    (row,) = read(
        "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI\n"
        '31452104,"A title, with comma","Smith J, Doe A.",x,Smith J,Nature,2019,2019/08/28,PMC6561843,,10.1038/nature12384\n'
    )
    assert row["ids"] == Ids(doi="10.1038/nature12384", pmid="31452104", pmcid="PMC6561843")
    assert (row["field"], row["raw"]) == ("DOI", "10.1038/nature12384")
    assert (row["title"], row["author"], row["year"]) == ("A title, with comma", "Smith J", "2019")


def test_zotero_export_with_ids_in_extra() -> None:
    (row,) = read(
        '"Key","Item Type","Publication Year","Author","Title","DOI","Url","Extra"\n'
        '"ABCD1234","journalArticle","2019","Smith, John; Doe, Ann","T","","https://example.org/1","PMID: 31452104\nPMCID: PMC6561843"\n'
    )
    assert row["ids"] == Ids(pmid="31452104", pmcid="PMC6561843")
    assert (row["record_id"], row["author"], row["field"]) == ("ABCD1234", "Smith, John", "Extra")


def test_covidence_rayyan_scopus_and_web_of_science() -> None:
    covidence = read("Title,Authors,Published Year,Accession Number,DOI,Covidence #\nT,Smith J,2019,L200,10.1/a,#12\n")
    rayyan = read("key,title,authors,year,url,doi,pubmed_id,pmc_id\nrayyan-1,T,Smith,2019,,10.1/a,31452104,\n")
    scopus = read(
        '"Authors","Title","Year","DOI","Link","PubMed ID","EID"\n"Smith J.; Doe A.","T",2019,"10.1/a","https://www.scopus.com/x","","2-s2"\n'
    )
    wos = read(
        "Authors\tArticle Title\tPublication Year\tDOI\tDOI Link\tPubmed Id\nSmith, J\tT\t2019\t10.1/a\thttp://dx.doi.org/10.1/a\t31452104\n"
    )
    assert [row["record_id"] for row in covidence + rayyan + scopus + wos] == ["#12", "rayyan-1", "2-s2", None]
    assert [row["ids"].doi for row in covidence + rayyan + scopus + wos] == ["10.1/a"] * 4
    assert [row["repairs"] for row in covidence + rayyan + scopus] == [[]] * 3


def test_lines_are_counted_over_quoted_line_breaks_and_blank_records() -> None:
    found = read('id,title,doi\n1,"one\ntwo\nthree",10.1/a\n\n,,\n2,x,10.1/b\n')
    assert [(row["row"], row["line"], row["record_id"], row["raw"]) for row in found] == [(1, 2, "1", "10.1/a"), (2, 7, "2", "10.1/b")]
    assert found[0]["title"] == "one two three"


def test_a_quote_that_is_never_closed_costs_no_other_record() -> None:
    found = read('title,doi\n"open,10.1/a\nb,10.1/b\nc,10.1/c\n')
    assert [(row["line"], row["ids"].doi) for row in found] == [(2, "10.1/a"), (3, "10.1/b"), (4, "10.1/c")]


def test_a_quote_that_is_never_closed_in_a_long_file() -> None:
    body = "".join(f"title {number},10.1/{number}\n" for number in range(20_000))
    found = read(f'title,doi\n"open,10.1/a\n{body}')
    assert len(found) == 20_001
    assert all(row["ids"] for row in found)


def test_a_quote_that_is_never_closed_in_the_only_column() -> None:
    assert [row["ids"].doi for row in read('DOI\n"10.1/a\n10.1/b\n')] == ["10.1/a", "10.1/b"]


def test_a_short_record_with_a_line_break_inside_is_one_record() -> None:
    (row,) = read('doi,title,notes\n10.1/a,"one\ntwo"\n')
    assert (row["ids"], row["title"]) == (Ids(doi="10.1/a"), "one two")


def test_a_field_longer_than_the_csv_module_allows() -> None:
    found = read(f"title,doi\n{'x' * 200_000},10.1/a\ny,10.1/b\n")
    assert [(row["line"], row["ids"].doi) for row in found] == [(2, "10.1/a"), (3, "10.1/b")]


def test_our_own_tables_are_lists() -> None:
    (row,) = read("row,record id,title,first author,year,doi,pmid,pmcid,outcome,note\n7,r1,T,Smith,2019,,31452104,,retry,not 10.1/z\n")
    assert (row["ids"], row["record_id"], row["author"]) == (Ids(pmid="31452104"), "r1", "Smith")


def test_excels_separator_line_and_comments_before_the_header() -> None:
    lines = ["sep=;\n", "# made by hand\n", "DOI;Title\n", "10.1/a;T\n"]
    (row,) = rows(lines, ";", None, Notes())
    assert (row["row"], row["line"], row["ids"]) == (1, 4, Ids(doi="10.1/a"))


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("31452104.0,", Ids(pmid="31452104")),
        (",6561843", Ids(pmcid="PMC6561843")),
        (",PMC6561843", Ids(pmcid="PMC6561843")),
        ("n/a,PMC6561843", Ids(pmcid="PMC6561843")),
        ("31452104,6561843.0", Ids(pmid="31452104", pmcid="PMC6561843")),
    ],
)
def test_the_column_says_what_bare_digits_are(line: str, ids: Ids) -> None:
    notes = Notes()
    (row,) = read(f"PMID,PMCID\n{line}\n", notes=notes)
    assert row["ids"] == ids
    assert notes == []


def test_id_type_outdoes_a_column_that_has_no_counterpart() -> None:
    assert read("PMID\n6561843\n", "pmcid")[0]["ids"] == Ids(pmcid="PMC6561843")
    assert read("id\n6561843\n", "pmcid")[0]["ids"] == Ids(pmcid="PMC6561843")
    assert read("PMID,PMCID\n31452104,6561843\n", "pmcid")[0]["ids"] == Ids(pmid="31452104", pmcid="PMC6561843")


def test_id_column_alone_holds_anything() -> None:
    notes = Notes()
    found = read("ID,Title\n10.1/a,x\n31452104,y\n", notes=notes)
    assert [row["ids"] for row in found] == [Ids(doi="10.1/a"), Ids(pmid="31452104")]
    assert len(notes) == 1


def test_rows_without_an_identifier_tell_the_worst() -> None:
    found = read("DOI,PMID,Title\n,,A\nn/a,-,B\nsee text,3.14E+07,C\n10.1/aa10.1234/b,,D\n31452104,,E\n")
    assert [row["reason"] for row in found] == ["no-identifier", "no-identifier", "malformed", "ambiguous", "malformed"]
    assert [(row["field"], row["raw"]) for row in found] == [
        (None, ""),
        (None, ""),
        ("PMID", "3.14E+07"),
        ("DOI", "10.1/aa10.1234/b"),
        ("DOI", "31452104"),
    ]
    assert found[0]["title"] == "A"


def test_an_identifier_that_does_not_read_is_told_beside_a_good_one() -> None:
    (row,) = read("DOI,PMID\n10.1/a,3.14E+07\n")
    assert row["ids"] == Ids(doi="10.1/a")
    assert row["repairs"] == ["PMID ignored: a spreadsheet's rounded number: its last digits are lost"]


def test_the_doi_of_the_better_column_wins() -> None:
    (row,) = read("URL,DOI\nhttps://doi.org/10.1/b,10.1/a\n")
    assert row["ids"] == Ids(doi="10.1/a")
    assert row["conflicts"] == [{"field": "URL", "raw": "https://doi.org/10.1/b", "ids": Ids(doi="10.1/b").as_dict()}]


def test_a_journals_doi_and_an_arxiv_id() -> None:
    (row,) = read("arXiv,DOI\n2310.19377v2,10.1/a\n")
    assert row["ids"] == Ids(doi="10.1/a", arxiv="2310.19377")
    assert (row["field"], row["conflicts"], row["version"]) == ("DOI", [], "2")


def test_an_arxiv_id_decides_over_a_pmid() -> None:
    (row,) = read("PMID,arXiv\n31452104,2310.19377\n")
    assert row["ids"] == Ids(doi="10.48550/arxiv.2310.19377", pmid="31452104", arxiv="2310.19377")
    assert row["field"] == "arXiv"


def test_short_and_long_records() -> None:
    found = read("Title,DOI\nonly\na,10.1/a,more,and more\n")
    assert [row["reason"] for row in found] == ["no-identifier", None]
