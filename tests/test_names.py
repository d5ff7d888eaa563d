import unicodedata
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litcrawl.ids import Ids, key
from litcrawl.names import file_name, folder, key_of_folder


@pytest.mark.parametrize(
    ("article", "path"),
    [
        ("10.1371/journal.pone.0000217", "10.1371/journal.pone.0000217"),
        ("10.1002/(sici)1:1<1::a>3.0.co;2-6", "10.1002/%28sici%291%3A1%3C1%3A%3Aa%3E3.0.co%3B2-6"),
        ("10.1234/a/b", "10.1234/a%2Fb"),
        ("10.1234/a/", "10.1234/a%2F"),
        ("10.1234/.a.", "10.1234/%2Ea%2E"),
        ("10.1234/.", "10.1234/%2E"),
        ("10.1234/..", "10.1234/%2E%2E"),
        ("10.1234/a~b%c", "10.1234/a%7Eb%25c"),
        ("10.1234/é", "10.1234/%C3%A9"),
        ("10.1234/a-b_c+d=e@f,g", "10.1234/a-b_c+d=e@f,g"),
        ("10.1234/con", "10.1234/%63on"),
        ("10.1234/nul.txt", "10.1234/%6Eul.txt"),
        ("10.1234/com1", "10.1234/%63om1"),
        ("10.1234/lpt9.a.b", "10.1234/%6Cpt9.a.b"),
        ("10.1234/console", "10.1234/console"),
        ("pmid:31452104", "pmid/31452104"),
        ("PMC6561843", "pmc/PMC6561843"),
        ("NBK1116", "bookshelf/NBK1116"),
        ("arxiv:2310.19377", "arxiv/2310.19377"),
        ("arxiv:hep-th/9901001", "arxiv/hep-th_9901001"),
    ],
)
def test_folder_and_back(article: str, path: str) -> None:
    assert folder(article) == path
    assert key_of_folder(path) == article


@pytest.mark.parametrize("path", ["", "10.1234", "10.1234/A%2fb", "runs/fetch-1", "10.1234/a/b", "pmc/x", "../x", "10.1234/%"])
def test_what_is_no_folder_of_ours(path: str) -> None:
    assert key_of_folder(path) is None


def test_long_name_is_cut_and_marked() -> None:
    long = "10.1234/" + "x" * 121
    name = folder(long).partition("/")[2]
    assert name == "x" * 109 + "~" + sha256(long.encode()).hexdigest()[:10]
    assert len(name) == 120
    assert key_of_folder(folder(long)) is None
    assert folder("10.1234/" + "x" * 120) == "10.1234/" + "x" * 120


def test_long_name_is_cut_between_characters() -> None:
    name = folder("10.1234/" + "x" * 105 + "é" * 10).partition("/")[2]
    assert name.partition("~")[0] == "x" * 105


def _on_any_disk(path: str) -> str:
    """What a case-blind, normalising file system that drops trailing dots and spaces makes of a path."""
    parts = [unicodedata.normalize("NFD", part).casefold().rstrip(". ") for part in path.split("/")]
    return "/".join(parts)


DOIS = st.builds(
    lambda registrant, rest: f"10.{registrant}/{rest}",
    st.integers(1000, 99999),
    st.text(st.characters(exclude_categories=["Lu", "Lt"], exclude_characters="ABCDEFGHIJKLMNOPQRSTUVWXYZ"), min_size=1, max_size=150)
    | st.sampled_from(["con", "con.", "con.txt", "%63on", "a", "a.", "a ", "a/", "a%2f", "é", "e\u0301", "ß", "ss", "~", "%7e"]),
)
KEYS = st.one_of(
    DOIS,
    st.integers(1, 10**8).map(lambda n: key(Ids(pmid=str(n)))),
    st.integers(1, 10**8).map(lambda n: key(Ids(pmcid=f"PMC{n}"))),
    st.integers(1, 10**8).map(lambda n: key(Ids(bookid=f"NBK{n}"))),
    st.from_regex(r"[0-9]{4}\.[0-9]{5}|(hep-th|math)/[0-9]{7}", fullmatch=True).map(lambda paper: key(Ids(arxiv=paper))),
)


@given(KEYS, KEYS)
def test_different_keys_never_share_a_folder(one: str, other: str) -> None:
    assert (_on_any_disk(folder(one)) == _on_any_disk(folder(other))) == (one == other)


@given(KEYS)
def test_a_folder_is_safe_and_turns_back_into_its_key(article: str) -> None:
    path = folder(article)
    parent, name = path.split("/")
    assert path.isascii()
    for part in (parent, name):
        assert 0 < len(part) <= 120
        assert part not in {".", ".."}
        assert not part.startswith(".")
        assert not part.endswith((".", " "))
    assert key_of_folder(path) == (None if "~" in name else article)


@pytest.mark.parametrize(
    ("upstream", "name"),
    [
        ("pone.0000217.s001.doc", "pone.0000217.s001.doc"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\data.csv", "data.csv"),
        ("/absolute/", "absolute"),
        (".hidden", "hidden"),
        ("..", "file"),
        ("", "file"),
        ("...", "file"),
        ("a\x00b\nc.txt", "abc.txt"),
        ("evil\u202etxt.exe", "eviltxt.exe"),
        ('what?is*"this".pdf', "what_is__this_.pdf"),
        ("CON.pdf", "_CON.pdf"),
        ("nul", "_nul"),
        ("com1.tar.gz", "_com1.tar.gz"),
        ("trailing. ", "trailing"),
        ("re\u0301sume\u0301.pdf", "r\u00e9sum\u00e9.pdf"),
        ("article.json", "article-2.json"),
        ("Article.JSON", "Article-2.JSON"),
        ("\ud800.pdf", "pdf"),
    ],
)
def test_file_name_is_safe(upstream: str, name: str) -> None:
    assert file_name(upstream) == name


def test_file_names_are_told_apart_as_any_disk_would() -> None:
    taken = ["Data.CSV", "r\u00e9sum\u00e9.pdf"]
    assert file_name("data.csv", taken) == "data-2.csv"
    assert file_name("data.csv", [*taken, "DATA-2.csv"]) == "data-3.csv"
    assert file_name("re\u0301sume\u0301.pdf", taken) == "r\u00e9sum\u00e9-2.pdf"


def test_thousands_of_equal_names_are_numbered() -> None:
    taken: list[str] = []
    for _ in range(3000):
        taken.append(file_name("data.csv", taken))
    assert taken == ["data.csv", *(f"data-{n}.csv" for n in range(2, 3001))]


def test_long_file_name_keeps_its_extension_and_its_number() -> None:
    long = "é" * 80 + ".tar.gz"
    first = file_name(long)
    assert first.endswith("é.tar.gz")
    assert 98 <= len(first.encode()) <= 100
    second = file_name(long, [first])
    assert second.endswith("é-2.tar.gz")
    assert len(second.encode()) <= 100


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=5))
def test_any_file_name_is_safe(upstream: str, others: list[str]) -> None:
    taken: list[str] = []
    for each in [upstream, *others, upstream]:
        name = file_name(each, taken)
        assert 0 < len(name.encode()) <= 100
        assert not set(name) & set('/\\<>:"|?*\x00')
        assert not name.startswith(".")
        assert not name.endswith((".", " "))
        assert unicodedata.normalize("NFC", name).casefold() not in {unicodedata.normalize("NFC", seen).casefold() for seen in taken}
        taken.append(name)
