import pytest

from litcrawl.estimate import estimate
from litcrawl.idlists import open_list


def listed(tmp_path, text, encoding="utf-8"):
    (tmp_path / "list").write_bytes(text.encode(encoding))
    return open_list(str(tmp_path / "list"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_long_list_by_its_beginning_and_its_size(tmp_path, encoding):
    about = estimate(listed(tmp_path, "# mine\n" + "".join(f"PMC{n}\n" for n in range(3_000_000, 3_012_000)), encoding))
    assert about == pytest.approx(12_000, rel=0.01)


def test_records_of_several_lines(tmp_path):
    ris = "".join(f"TY  - JOUR\nTI  - A title\nDO  - 10.5555/{n:06}\nER  - \n\n" for n in range(11_000))
    assert estimate(listed(tmp_path, ris)) == pytest.approx(11_000, rel=0.01)


def test_several_identifiers_in_a_line(tmp_path):
    assert estimate(listed(tmp_path, "".join(f"PMC{n},PMC{n + 1}\n" for n in range(3_000_000, 3_020_000, 2)))) == pytest.approx(
        20_000, rel=0.01
    )


def test_a_short_list_needs_none(tmp_path):
    assert estimate(listed(tmp_path, "PMC1\n")) is None
    assert estimate(listed(tmp_path, "".join(f"PMC{n}\n" for n in range(3_000_000, 3_009_000)))) is None
    assert estimate(listed(tmp_path, "PMC1 " + "#" * 50_000 + "\nPMC2\n")) is None


def test_what_has_no_size_has_none():
    assert estimate(open_list("PMC1,PMC2")) is None
