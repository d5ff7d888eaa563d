import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litcrawl.exceptions import BadIdentifier
from litcrawl.ids import Ids, find, key, parse, quote_doi

NATURE = "10.1038/nature12384"


@pytest.mark.parametrize(
    "text",
    [
        "10.1038/nature12384",
        "10.1038/NATURE12384",
        "  10.1038/nature12384\r\n",
        "info:doi/10.1038/nature12384",
        "DOI 10.1038/nature12384",
        "DOI:10.1038/nature12384",
        "doi:doi:10.1038/nature12384",
        "urn:doi:10.1038/nature12384",
        "doi.org/10.1038/nature12384",
        "https://doi.org/10.1038/nature12384",
        "http://dx.doi.org/10.1038%2Fnature12384",
        "https://www.doi.org/10.1038/nature12384",
        "https://doi-org.proxy.example.edu/10.1038/nature12384",
        "DOI: https://doi.org/10.1038/nature12384",
        "\ufeff10.1038/nature12384",
        "10.1038/nature\u200b12384",
        "10.1038/nature\u00a012384",
        "10.1038%2Fnature12384",
        "10.1038/nature12384\\",
        "10.1038/nature12384.",
        "10.1038/nature12384),",
        '"10.1038/nature12384",',
        "<https://doi.org/10.1038/nature12384>",
        "(10.1038/nature12384)",
        '"10.1038/nature12384',
        "(10.1038/nature12384",
        r"\url{https://doi.org/10.1038/nature12384}",
    ],
)
def test_one_doi_in_many_clothes(text: str) -> None:
    assert parse(text).ids == Ids(doi=NATURE)


@pytest.mark.parametrize(
    "doi",
    [
        "10.1002/(sici)1096-9861(19960129)365:1<113::aid-cne9>3.0.co;2-6",
        "10.1577/1548-8659(1981)110<446:eotofr>2.0.co;2",
        "10.1175/1520-0477(1996)077<0935:wotwsm>2.0.co;2",
        "10.1641/0006-3568(2002)052[0129:bsipgo]2.0.co;2",
        "10.1016/s0022-4049(02)00143-3",
        "10.36652/0042-4633-2023-102-5-404-413/",
        "10.1093/analys/anw053",
        "10.1111/nous.12244/abstract",
        "10.1000/a,b",
        "10.4435/bspi.2012.23",
        "10.1145/review-10.1145/1234",
    ],
)
def test_doi_is_kept_whole(doi: str) -> None:
    parsed = parse(doi.upper())
    assert (parsed.ids, parsed.repairs) == (Ids(doi=doi), [])
    assert parse(f"https://doi.org/{quote_doi(doi)}").ids == Ids(doi=doi)


def test_only_ascii_letters_are_lowered() -> None:
    assert parse("10.1234/ÄB").ids.doi == "10.1234/Äb"


@pytest.mark.parametrize(
    ("text", "doi", "repair"),
    [
        ("10.1007/s10711–018–0327–4", "10.1007/s10711-018-0327-4", "dashes replaced by hyphens"),
        ("10.1007/s10711\u2212018-0327-4", "10.1007/s10711-018-0327-4", "dashes replaced by hyphens"),
        ("10.1016%2FS0022-4049(02)00143-3", "10.1016/s0022-4049(02)00143-3", "percent-encoding undone"),
        (r"10.1007/978-3-319-1234\_5", "10.1007/978-3-319-1234_5", "backslash escapes undone"),
        (r"10.1002/(SICI)1:1$<$113::AID$>$3.0.CO;2-6", "10.1002/(sici)1:1<113::aid>3.0.co;2-6", "backslash escapes undone"),
        (r"10.1086\/305772", "10.1086/305772", "backslash escapes undone"),
        ("10.1002/(SICI)1:1&lt;113::AID&gt;3.0.CO;2-6", "10.1002/(sici)1:1<113::aid>3.0.co;2-6", "HTML entities undone"),
        ("10.1016/j.cell.2020.01.001\\", "10.1016/j.cell.2020.01.001", "punctuation at its ends removed"),
        ("10.1234/re\u0301sume\u0301", "10.1234/r\u00e9sum\u00e9", "Unicode composed"),
        ("doi: 10.1234/abc", "10.1234/abc", "label removed"),
        ("https://doi.org/10.1234/abc", "10.1234/abc", "taken from a web address"),
        ("'10.1234/abc'", "10.1234/abc", "quotes or brackets around it removed"),
        ("\u200b10.1234/abc", "10.1234/abc", "invisible characters and no-break spaces removed"),
        ("10.1101/2020.01.01.892901v2", "10.1101/2020.01.01.892901", "version taken off the DOI"),
    ],
)
def test_repairs_are_told(text: str, doi: str, repair: str) -> None:
    parsed = parse(text)
    assert (parsed.ids.doi, parsed.repairs) == (doi, [repair])


def test_percent_encoding_is_undone_once() -> None:
    assert parse("10.1234/a%252Fb").ids.doi == "10.1234/a%2fb"


@pytest.mark.parametrize(
    ("text", "ids", "version"),
    [
        ("PMC6561843", Ids(pmcid="PMC6561843"), None),
        ("PMC6561843.2", Ids(pmcid="PMC6561843"), "2"),
        ("pmc6561843", Ids(pmcid="PMC6561843"), None),
        ("PMCID: PMC6561843", Ids(pmcid="PMC6561843"), None),
        ("PMCID: 6561843", Ids(pmcid="PMC6561843"), None),
        ("31452104", Ids(pmid="31452104"), None),
        ("31452104.0", Ids(pmid="31452104"), None),
        ("31452104,0", Ids(pmid="31452104"), None),
        ("0031452104", Ids(pmid="31452104"), None),
        ("PMID: 31452104", Ids(pmid="31452104"), None),
        ("PubMed ID 31452104", Ids(pmid="31452104"), None),
        ("info:pmid/31452104", Ids(pmid="31452104"), None),
        ("NBK1116", Ids(bookid="NBK1116"), None),
        ("nbk1116", Ids(bookid="NBK1116"), None),
    ],
)
def test_numbered_identifiers(text: str, ids: Ids, version: str | None) -> None:
    parsed = parse(text)
    assert (parsed.ids, parsed.version) == (ids, version)


@pytest.mark.parametrize(
    ("text", "paper", "version"),
    [
        ("arXiv:2310.19377v1", "2310.19377", "1"),
        ("2310.19377v3", "2310.19377", "3"),
        ("arXiv:2310.19377v1 [cs.CL]", "2310.19377", "1"),
        ("oai:arXiv.org:2310.19377", "2310.19377", None),
        ("hep-th/9901001v2", "hep-th/9901001", "2"),
        ("math.GT/0309136", "math/0309136", None),
        ("arxiv.org/abs/astro-ph/9912010", "astro-ph/9912010", None),
        ("https://arxiv.org/html/2310.19377v2", "2310.19377", "2"),
        ("http://www.arxiv.org/pdf/2310.19377v2.pdf", "2310.19377", "2"),
        ("https://arxiv.org/pdf/2310.19377?download=1", "2310.19377", None),
        ("https://export.arxiv.org/abs/math.GT/0309136v1", "math/0309136", "1"),
        ("10.48550/arXiv.2310.19377v2", "2310.19377", "2"),
        ("https://doi.org/10.48550/arXiv.math/0309136", "math/0309136", None),
    ],
)
def test_arxiv_id_and_its_doi_are_one_identifier(text: str, paper: str, version: str | None) -> None:
    parsed = parse(text)
    assert (parsed.ids, parsed.version) == (Ids(doi=f"10.48550/arxiv.{paper}", arxiv=paper), version)
    assert key(parsed.ids) == f"arxiv:{paper}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no-identifier"),
        ("\u200b \u00a0", "no-identifier"),
        ("PaperList", "no-identifier"),
        ("doing well", "no-identifier"),
        ("pmid:", "no-identifier"),
        ("https://www.nature.com/articles/nature12384", "no-identifier"),
        ("https://arxiv.org/list/cs.CL/recent", "no-identifier"),
        ("path/1234567", "no-identifier"),
        ("3.14E+07", "malformed"),
        ("3,14e+07", "malformed"),
        ("1234567890", "malformed"),
        ("0", "malformed"),
        ("PMID: abc", "malformed"),
        ("arXiv: nothing", "malformed"),
        ("10.1038/", "malformed"),
        ("10.1007", "malformed"),
        ("10.1007-BF02727953", "malformed"),
        ("10.1038/ nature12384", "malformed"),
        ("10.1038/a\x00b", "malformed"),
        ("10.1038/\ud800", "malformed"),
        ("10.1038/" + "x" * 2000, "malformed"),
        ("10/f6bmst", "malformed"),
        ("https://doi.org/10/f6bmst", "malformed"),
        ("10.1038/nature1238410.1038/nature12384", "ambiguous"),
        ("10.1038/nature12384,10.1126/science.1", "ambiguous"),
        ("10.1038/nature12384;https://doi.org/10.1126/science.1", "ambiguous"),
    ],
)
def test_what_is_no_identifier(text: str, reason: str) -> None:
    with pytest.raises(BadIdentifier) as bad:
        parse(text)
    assert bad.value.reason == reason


def test_doi_pasted_twice_gets_a_suggestion() -> None:
    with pytest.raises(BadIdentifier, match=r"did you mean 10\.1038/nature12384 "):
        parse("10.1038/nature1238410.1038/nature12384")


def test_bare_digits_are_what_the_list_says() -> None:
    assert parse("6561843", "pmcid").ids == Ids(pmcid="PMC6561843")
    assert parse("1116", "bookid").ids == Ids(bookid="NBK1116")
    assert parse("31452104", "pmid").guessed is False
    assert parse("31452104").guessed is True
    assert parse("PMID 31452104").guessed is False
    with pytest.raises(BadIdentifier):
        parse("31452104", "doi")


def test_an_explicit_identifier_outdoes_the_kind() -> None:
    assert parse("PMC6561843", "pmid").ids == Ids(pmcid="PMC6561843")
    assert parse("pmid:31452104", "pmcid").ids == Ids(pmid="31452104")


def test_no_break_space_between_two_identifiers_does_not_join_them() -> None:
    with pytest.raises(BadIdentifier):
        parse("10.1038/nature12384\u00a010.1126/science.1")


def test_merge_fills_gaps_and_never_overwrites() -> None:
    assert Ids(doi="10.1/a").merge(Ids(doi="10.1/b", pmid="1")) == Ids(doi="10.1/a", pmid="1")
    assert Ids().merge(Ids()) == Ids()


def test_what_contradicts() -> None:
    assert Ids(doi="10.1/a", pmid="1").contradicts(Ids(doi="10.1/b", pmid="1"))
    assert not Ids(doi="10.1/a", pmid="1").contradicts(Ids(doi="10.1/a", pmcid="PMC1"))


def test_ids_as_plain_data() -> None:
    assert Ids(pmid="1").as_dict() == {"doi": None, "pmid": "1", "pmcid": None, "bookid": None, "arxiv": None}
    assert list(Ids(arxiv="2310.19377", pmid="1")) == [("pmid", "1"), ("arxiv", "2310.19377")]
    assert not Ids()
    assert Ids(bookid="NBK1")


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (Ids(doi=NATURE, pmid="1", pmcid="PMC1", bookid="NBK1", arxiv="2310.19377"), NATURE),
        (Ids(pmid="1", pmcid="PMC1"), "pmid:1"),
        (Ids(pmcid="PMC1", bookid="NBK1"), "PMC1"),
        (Ids(bookid="NBK1"), "NBK1"),
        (Ids(arxiv="2310.19377"), "arxiv:2310.19377"),
        (Ids(arxiv="2310.19377", pmid="1"), "arxiv:2310.19377"),
        (Ids(doi="10.48550/arxiv.2310.19377", pmid="1", arxiv="2310.19377"), "arxiv:2310.19377"),
        (Ids(), ""),
    ],
)
def test_key(ids: Ids, expected: str) -> None:
    assert key(ids) == expected


@pytest.mark.parametrize(
    ("doi", "path"),
    [
        ("10.1038/nature12384", "10.1038/nature12384"),
        ("10.1002/(sici)1:1<1::a>3.0.co;2-6", "10.1002/%28sici%291%3A1%3C1%3A%3Aa%3E3.0.co%3B2-6"),
        ("10.1641/052[0129:b]2", "10.1641/052%5B0129%3Ab%5D2"),
        ("10.1016/a%2fb", "10.1016/a%252fb"),
        ("10.1234/a/b", "10.1234/a/b"),
        ("10.1234/a/", "10.1234/a%2F"),
        ("10.1234/a//b", "10.1234/a%2F%2Fb"),
        ("10.1234/a/../b", "10.1234/a%2F..%2Fb"),
        ("10.1234/./b", "10.1234%2F.%2Fb"),
    ],
)
def test_quote_doi_keeps_every_character(doi: str, path: str) -> None:
    assert quote_doi(doi) == path


def test_identifiers_in_running_text() -> None:
    text = "Lander (2001), Nature; doi: 10.1038/35057062. PMID: 11237011, see https://example.org/x and https://doi.org/10.1038/35057062"
    assert [parsed.ids for parsed in find(text)] == [Ids(doi="10.1038/35057062"), Ids(pmid="11237011")]


@given(st.text() | st.from_regex(r"(doi:|https?://[a-z.]+/|PMC|arXiv:)?10\.[0-9]{4}/[^\s]{1,40}", fullmatch=True))
@example("https://[")
@example("\\url{}")
def test_parse_never_raises_anything_else(text: str) -> None:
    try:
        parsed = parse(text)
    except BadIdentifier as bad:
        assert bad.reason in {"no-identifier", "malformed", "ambiguous"}
        assert str(bad)
    else:
        assert parsed.ids
        assert key(parsed.ids)


@given(st.from_regex(r"10\.[0-9]{4}/[A-Za-z0-9<>()\[\];:._/é,+=@#–-]{1,30}", fullmatch=True))
def test_what_was_parsed_parses_to_itself(text: str) -> None:
    try:
        ids = parse(text).ids
    except BadIdentifier:
        return
    again = parse(key(ids))
    assert (again.ids, again.repairs) == (ids, ["label removed"] if ids.arxiv else [])


@pytest.mark.parametrize("text", ["10.1234/odd#frag?x=1%20y z", "10.1002/a<1 ::aid>2"])
def test_a_space_inside_a_doi_stays_where_no_word_follows_it(text):
    parsed = parse(text)
    assert parsed.ids.doi == text
    assert parsed.repairs == ["white space inside the DOI kept"]
