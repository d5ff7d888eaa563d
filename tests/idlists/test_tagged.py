from litcrawl.idlists.rows import Notes, Row
from litcrawl.idlists.tagged import rows
from litcrawl.ids import Ids


def ris(text: str, id_type: str | None = None, notes: Notes | None = None) -> list[Row]:
    return list(rows(text.splitlines(keepends=True), "RIS", id_type, Notes() if notes is None else notes))


def nbib(text: str) -> list[Row]:
    return list(rows(text.splitlines(keepends=True), "NBIB", None, Notes()))


def test_ris_record() -> None:
    found = ris(
        "Provider: somebody\n\n"
        "TY  - JOUR\nID  - Smith2019\nTI  - A title\n that goes on\nAU  - Smith, John\nAU  - Doe, Ann\nPY  - 2019/08/01/\n"
        "UR  - https://www.scopus.com/record\nUR  - http://www.ncbi.nlm.nih.gov/pubmed/31452104\n"
        "DO  - https://doi.org/10.1038/nature12384\nC2  - PMC6561843\nN1  - Export Date: 1 May 2020\nER  - \n\n"
        "TY  - JOUR\nTI  - Second\nER  -\n"
        "TY  - JOUR\nDO  - 10.1/c\n"
    )
    assert [(row["row"], row["line"]) for row in found] == [(1, 3), (2, 17), (3, 20)]
    assert found[0]["ids"] == Ids(doi="10.1038/nature12384", pmid="31452104", pmcid="PMC6561843")
    assert (found[0]["field"], found[0]["raw"]) == ("DO", "https://doi.org/10.1038/nature12384")
    assert (found[0]["record_id"], found[0]["title"], found[0]["author"], found[0]["year"]) == (
        "Smith2019",
        "A title that goes on",
        "Smith, John",
        "2019",
    )
    assert (found[1]["reason"], found[1]["title"]) == ("no-identifier", "Second")
    assert found[2]["ids"] == Ids(doi="10.1/c")


def record(*fields: str) -> Row:
    (row,) = ris("\n".join(["TY  - JOUR", *fields, "ER  - "]))
    return row


def test_numbers_are_taken_only_where_they_can_be_pmids() -> None:
    assert record("AN  - 31452104")["ids"] == Ids(pmid="31452104")
    assert record("DB  - Scopus", "C2  - 31452104")["ids"] == Ids(pmid="31452104")
    assert record("DB  - CINAHL", "AN  - 10452104")["reason"] == "malformed"
    assert record("AN  - 137654321")["reason"] == "no-identifier"
    assert record("ID  - 57")["reason"] == "malformed"
    assert record("M1  - 4021")["reason"] == "no-identifier"
    assert record("DO  - 10.1/a", "ID  - 57", "M1  - 4")["ids"] == Ids(doi="10.1/a")
    assert record("ID  - 31452104")["ids"] == Ids(pmid="31452104")
    assert record("DO  - 10.1/a", "ID  - 31452104")["ids"] == Ids(doi="10.1/a")


def test_identifiers_in_other_fields() -> None:
    assert record("M3  - 10.1038/nature12384")["ids"] == Ids(doi="10.1038/nature12384")
    assert record("M3  - Article", "L1  - https://arxiv.org/pdf/2310.19377v2")["version"] == "2"
    assert record("N1  - PMID: 31452104; cited 5 times")["field"] == "N1"
    assert record("ID  - 10.1038/nature12384")["field"] == "ID"
    assert record("L3  - https://doi.org/10.1038/nature12384", "UR  - not a link")["field"] == "L3"


def test_two_dois_in_one_record() -> None:
    row = record("UR  - https://doi.org/10.1/b", "DO  - 10.1/a", "DO  - 10.1/c")
    assert row["ids"] == Ids(doi="10.1/a")
    assert [(conflict["field"], conflict["ids"]["doi"]) for conflict in row["conflicts"]] == [("DO", "10.1/c"), ("UR", "10.1/b")]


def test_a_doi_that_does_not_read() -> None:
    row = record("TI  - x", "DO  - 10.1038/ nature", "AN  - 31452104")
    assert row["ids"] == Ids(pmid="31452104")
    assert row["repairs"] == ["DO ignored: white space inside the DOI"]


def test_nbib() -> None:
    found = nbib(
        "\nPMID- 31452104\nOWN - NLM\nTI  - A title\n      that goes on.\nLID - S0022(19)1 [pii]\nLID - 10.1038/nature12384 [doi]\n"
        "FAU - Smith, John\nAU  - Smith J\nDP  - 2019 Aug 28\nAID - 10.1038/nature12384 [doi]\nPMC - PMC6561843\n\n"
        "PMID- 20301295\nAID - NBK1116 [bookaccession]\n"
    )
    assert found[0]["ids"] == Ids(doi="10.1038/nature12384", pmid="31452104", pmcid="PMC6561843")
    assert (found[0]["line"], found[0]["field"], found[0]["title"], found[0]["author"], found[0]["year"]) == (
        2,
        "LID",
        "A title that goes on.",
        "Smith, John",
        "2019",
    )
    assert (found[1]["ids"], found[1]["field"], found[1]["line"]) == (Ids(pmid="20301295", bookid="NBK1116"), "PMID", 14)
