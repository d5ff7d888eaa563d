import pytest

from litcrawl.publications import dates


@pytest.mark.parametrize(
    ("stated", "iso", "precision"),
    [
        ("2012-5-18", "2012-05-18", "day"),
        ("2012-05-18T17:22:41Z", "2012-05-18", "day"),
        ("2012/05", "2012-05", "month"),
        ("20120518", "2012-05-18", "day"),
        ("18 May 2012", "2012-05-18", "day"),
        ("May 18th, 2012", "2012-05-18", "day"),
        ("May 2012", "2012-05", "month"),
        ("2012 Spring", "2012", "year"),
        ("Spring 2012", "2012", "year"),
        ("May-June 2012", "2012", "year"),
        ("05/2012", "2012-05", "month"),
        ("5.2012", "2012-05", "month"),
        ("13/2012", "2012", "year"),
        ("201205", "2012-05", "month"),
        ("201213", "2012", "year"),
        (2012, "2012", "year"),
        ("18/05/2012", "2012-05-18", "day"),
        ("05/18/2012", "2012-05-18", "day"),
        ("05/06/2012", "2012", "year"),
        ("2012-13-01", "2012", "year"),
        ("2012-02-31", "2012-02", "month"),
    ],
)
def test_a_date_is_as_exact_as_it_was_stated(stated, iso, precision):
    assert dates.stated(stated) == iso
    assert dates.precision(iso) == precision


@pytest.mark.parametrize("stated", ["", "forthcoming", "volume 12", "0000-00-00", None, True, [2012], 99])
def test_what_is_no_date_is_none(stated):
    assert dates.stated(stated) is None


@pytest.mark.parametrize(
    ("parts", "iso"),
    [
        ([2012, 5, 18], "2012-05-18"),
        ([2012, 5], "2012-05"),
        ([2012, None], "2012"),
        ([None], None),
        ([], None),
        ("2012", None),
        (["2012"], None),
    ],
)
def test_parts_are_believed_as_far_as_they_go(parts, iso):
    assert dates.of_parts(parts) == iso
