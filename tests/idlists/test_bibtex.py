from litcrawl.idlists.bibtex import rows
from litcrawl.idlists.rows import Notes
from litcrawl.ids import Ids

BIB = r"""% Encoding: UTF-8
@string{nat = "Nature"}

@Article{smith2019,
  author  = {Smith, John and Doe, Ann},
  title   = {The {DNA} of things},
  journal = nat,
  year    = 2019,
  doi     = {10.1007/978-3-319-1234\_5},
  pmid    = "31452104",
}

@comment{not an entry}

@misc{arxiv,
  eprint = {2310.19377v2}, archivePrefix = {arXiv}, url = {https://example.org/x}
}
@article{pubmed, eprint = {31452105}, eprinttype = {pubmed}}
@article{url, url = {\url{https://doi.org/10.1/b}}}
@article{broken, doi = {10.1/c
@article{twice, doi = {10.1/d}, doi = {10.1/d}}
@article{none, title = {Nothing}}
"""


def test_entries() -> None:
    found = list(rows(BIB.splitlines(keepends=True), Notes()))
    assert [(row["row"], row["line"], row["field"], row["ids"]) for row in found] == [
        (1, 4, "doi", Ids(doi="10.1007/978-3-319-1234_5", pmid="31452104")),
        (2, 15, "eprint", Ids(doi="10.48550/arxiv.2310.19377", arxiv="2310.19377")),
        (3, 18, "eprint", Ids(pmid="31452105")),
        (4, 19, "url", Ids(doi="10.1/b")),
        (5, 20, None, None),
        (6, 21, "doi", Ids(doi="10.1/d")),
        (7, 22, None, None),
    ]
    first = found[0]
    assert (first["record_id"], first["title"], first["author"], first["year"]) == ("smith2019", "The DNA of things", "Smith, John", "2019")
    assert first["raw"] == r"10.1007/978-3-319-1234\_5"
    assert first["repairs"] == ["backslash escapes undone"]
    assert found[1]["version"] == "2"
    assert [found[4]["reason"], found[6]["reason"]] == ["malformed", "no-identifier"]


def test_entries_are_read_one_at_a_time() -> None:
    lines = iter(["@article{a, doi = {10.1/a}}\n", "@article{b, doi = {10.1/b}}\n", "@article{c, doi = {10.1/c}}\n"])
    assert next(rows(lines, Notes()))["ids"] == Ids(doi="10.1/a")
    assert len(list(lines)) == 1
