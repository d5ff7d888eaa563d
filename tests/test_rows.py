import csv
import sqlite3

import pytest

from litcrawl.exceptions import StorageError
from litcrawl.idlists import open_list
from litcrawl.ids import Ids, parse
from litcrawl.items import Article, File, Licence
from litcrawl.rows import COLUMNS, Rows
from litcrawl.terms import Kind, Outcome
from litcrawl.unasked import invalid, left_open, unread
from litcrawl.window import Place


@pytest.fixture
def rows(tmp_path):
    gathered = Rows(tmp_path / "rows.tmp")
    yield gathered
    gathered.close()
    assert not (tmp_path / "rows.tmp").exists()


def row(number, raw="PMC1", version=None, **facts):
    told = dict.fromkeys(("line", "field", "record_id", "title", "author", "year")) | facts
    return {"row": number, "raw": raw, "version": version, "repairs": []} | told


def article(key="PMC1", inputs=None, outcome=Outcome.COMPLETE, ids=None, **more):
    ids = ids or parse(key).ids
    return Article(key=key, path=f"folder/{key}", inputs=inputs or [row(1)], outcome=outcome, ids=ids.as_dict(), **more)


def file(path, kind=Kind.BODY, media_type="application/pdf", **more):
    return File(
        kind=kind, source="lab", media_type=media_type, uri="https://lab.test/f", filename="f", path=path, size_bytes=1, sha256="", **more
    )


def written(rows, folder, name="rows.csv"):
    rows.write(folder)
    with (folder / name).open(encoding="utf-8-sig", newline="") as opened:
        return list(csv.DictReader(opened))


def test_one_line_a_row_in_the_order_of_the_list(rows, tmp_path):
    rows.add(article("PMC2", [row(3, "PMC2"), row(1, "PMC2")]))
    rows.add(article("PMC1", [row(2)]))
    assert [(one["row"], one["pmcid"]) for one in written(rows, tmp_path)] == [("1", "PMC2"), ("2", "PMC1"), ("3", "PMC2")]
    content = (tmp_path / "rows.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbf"), "spreadsheets know UTF-8 by its mark"
    assert content.splitlines()[0].decode("utf-8-sig") == ",".join(COLUMNS)
    assert not list(tmp_path.glob("*.csv.tmp"))


def test_what_a_line_tells(rows, tmp_path):
    rows.add(
        article(
            inputs=[row(1, record_id="r7", title="Bees, and — “others”", author="Müller, A", year="1999")],
            outcome=Outcome.PARTIAL,
            files=[file("folder/PMC1/body.pdf", stage="accepted"), file("folder/PMC1/supplementary/s", Kind.SUPPLEMENTARY, "text/csv")],
            missing={"xml": "not-open"},
            licence=Licence(spdx="CC-BY-4.0", raw="by"),
            retracted=True,
            attempts=[{"reason": "ok", "url": "https://a.test/1", "final_url": "https://b.test/2", "step": "pdf"}],
            notes=["supplements: unknown"],
        )
    )
    (line,) = written(rows, tmp_path)
    assert line == {
        "row": "1", "record id": "r7", "title": "Bees, and — “others”", "first author": "Müller, A", "year": "1999",
        "doi": "", "pmid": "", "pmcid": "PMC1", "outcome": "partial", "xml": "not-open", "pdf": "folder/PMC1/body.pdf",
        "supplementary": "folder/PMC1/supplementary", "licence": "CC-BY-4.0", "stage": "accepted", "retracted": "yes",
        "source": "lab", "last address": "https://b.test/2", "note": "supplements: unknown",
    }  # fmt: skip


def test_a_later_word_on_a_row_counts(rows, tmp_path):
    rows.add(article(outcome=Outcome.RETRY))
    rows.add(article(outcome=Outcome.COMPLETE))
    rows.add(article(outcome=Outcome.RETRY), only_new=True)
    assert [one["outcome"] for one in written(rows, tmp_path)] == ["complete"]
    assert rows.outcomes() == {"complete": 1, "partial": 0, "absent": 0, "retry": 0, "invalid": 0}
    assert rows.knows("PMC1")
    assert not rows.knows("PMC2")


def test_articles_are_counted_once_and_invalid_rows_each(rows):
    rows.add(article(inputs=[row(1), row(2)]))
    for number in (3, 4):
        rows.add(invalid(row(number, "nonsense") | {"reason": "malformed"}, "run"))
    assert rows.outcomes() == {"complete": 1, "partial": 0, "absent": 0, "retry": 0, "invalid": 2}


def test_a_row_that_no_column_names_is_named_by_its_note(rows, tmp_path):
    rows.add(article("NBK7", inputs=[row(1, "NBK7")]))
    assert written(rows, tmp_path)[0]["note"] == "NBK7"


@pytest.mark.parametrize(("raw", "note"), [("", "no field holds one; no-identifier"), ("?", "no field holds one; no-identifier; ?")])
def test_the_note_of_an_invalid_row(rows, tmp_path, raw, note):
    rows.add(invalid(row(1, raw) | {"reason": "no-identifier", "detail": "no field holds one"}, "run"))
    assert written(rows, tmp_path)[0]["note"] == note


def test_what_was_not_asked_is_counted_by_article(rows):
    lacking = [{"reason": reason, "url": None, "final_url": None, "step": "pdf"} for reason in ("needs-key", "needs-contact", "absent")]
    rows.add(article("PMC1", [row(1), row(2)], attempts=lacking))
    rows.add(article("PMC2", [row(3)], attempts=lacking[:1]))
    rows.add(article("PMC2", [row(3)], attempts=lacking[:1]))
    assert rows.declined() == {"needs-key": 2, "needs-contact": 1}


LEFT = [
    article("10.1371/journal.pone.0000217", [row(1)], Outcome.RETRY, Ids(doi="10.1371/journal.pone.0000217", pmcid="PMC9")),
    article("NBK1116", [row(2, "NBK1116")], Outcome.RETRY),
    article("PMC5", [row(3, "PMC5.2", "2")], Outcome.RETRY),
    article("PMC5", [row(4, "PMC5")], Outcome.RETRY),
    article("arxiv:2303.18112", [row(5, "2303.18112v2", "2")], Outcome.RETRY),
    article("arxiv:hep-th/9901001", [row(6, "hep-th/9901001")], Outcome.RETRY),
    article("pmid:77", [row(7, "77")], Outcome.RETRY),
    article("10.1101/2020.01.02.123456", [row(8, "10.1101/2020.01.02.123456v3", "3")], Outcome.RETRY),
    left_open("PMC6", Place([row(9, "PMC6.1", "1")], Ids(pmcid="PMC6"), []), "run"),
]


@pytest.mark.parametrize("name", ["again.txt", "missing.csv"])
def test_what_is_left_can_be_read_as_a_list_again(rows, tmp_path, name):
    for one in LEFT:
        rows.add(one)
    rows.add(article("PMC1", [row(10)]))
    rows.write(tmp_path)
    back = list(open_list(str(tmp_path / name)).rows())
    assert [(one["reason"], one["version"]) for one in back] == [(None, left.inputs[0]["version"]) for left in LEFT]
    for one, left in zip(back, LEFT, strict=True):
        asked = Ids(**left.ids)
        assert one["ids"].shares(asked)
        assert not one["ids"].contradicts(asked)
        assert name == "again.txt" or one["ids"].as_dict().items() >= {(kind, value) for kind, value in asked}


def test_again_has_the_open_rows_and_missing_all_that_is_not_complete(rows, tmp_path):
    rows.add(article("PMC1", [row(1)], Outcome.PARTIAL))
    rows.add(article("PMC2", [row(2)], Outcome.ABSENT))
    rows.add(invalid(row(3, "nonsense") | {"reason": "malformed"}, "run"))
    rows.add(article("PMC4", [row(4)], Outcome.RETRY))
    rows.add(article("PMC5", [row(5)]))
    assert [one["row"] for one in written(rows, tmp_path, "missing.csv")] == ["1", "2", "3", "4"]
    assert (tmp_path / "again.txt").read_text() == "PMC4\n"
    assert written(rows, tmp_path)[2]["note"] == "malformed; nonsense"


def test_rows_that_were_not_come_to(tmp_path):
    (tmp_path / "ids.txt").write_text("PMC1\nPMC2\nrubbish!\nPMC4\nPMC5.2\n")
    listed = open_list(str(tmp_path / "ids.txt"))
    words = list(unread(listed, (0, 1), 1, "run"))
    assert [(one.inputs[0]["row"], str(one.outcome), one.key) for one in words] == [
        (2, "retry", "PMC2"),
        (3, "invalid", None),
        (4, "retry", "PMC4"),
        (5, "retry", "PMC5"),
    ]
    assert [one.key for one in unread(listed, (0, 2), 2, "run")] == ["PMC4"]
    listed.size = None
    assert list(unread(listed, (0, 1), 1, "run")) == [], "a stream is read once"


def test_a_disk_that_takes_no_more_leaves_no_half_tables(rows, tmp_path):
    rows.add(article())
    (tmp_path / "again.txt").mkdir()
    with pytest.raises(StorageError):
        rows.write(tmp_path)
    assert [path.name for path in tmp_path.glob("*.tmp")] == ["rows.tmp"]


def test_a_word_that_cannot_be_kept_says_so(rows):
    rows._db.execute("PRAGMA max_page_count = 5")
    with pytest.raises(StorageError) as raised:
        for number in range(5000):
            rows.add(article(f"PMC{number + 1}", [row(number, title="long " * 40)]))
    assert raised.value.full
    assert isinstance(raised.value.__cause__, sqlite3.OperationalError)
