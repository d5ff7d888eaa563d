from litcrawl.publications.answering import EVENT, FOLLOWED
from litcrawl.publications.following import Following
from litcrawl.publications.item import Publication, Status


def item(*refs, citations=()):
    record = {"refs": [{"doi": doi} for doi in refs], "citations": [{"doi": doi} for doi in citations]}
    return Publication(key="k", doi="k", status=Status.SAVED, record=record)


def test_each_is_due_once_the_nearest_first():
    following = Following(["refs"], 3, 100)
    following.note(item("a", "b", "a", citations=["z"]), EVENT)
    following.note(item("c", "b"), FOLLOWED)
    assert len(following) == 3
    assert following.take(1) == (FOLLOWED, ["a"])
    assert following.take(9) == (FOLLOWED, ["b"])
    assert following.take(9) == (FOLLOWED + 1, ["c"])
    assert following.take(9) == (FOLLOWED, [])


def test_the_depth_bounds_how_far():
    following = Following(["refs", "citations"], 2, 100)
    following.note(item("a", citations=["b"]), EVENT)
    following.note(item("c"), FOLLOWED)
    following.note(item("d"), FOLLOWED + 1)
    assert [following.take(9), following.take(9)] == [(FOLLOWED, ["a", "b"]), (FOLLOWED + 1, ["c"])]


def test_the_number_is_bounded():
    following = Following(["refs"], 1, 2)
    following.note(item("a", "b", "c"), EVENT)
    following.note(item("d"), EVENT)
    assert following.take(-1) == (FOLLOWED, [])
    assert following.take(9) == (FOLLOWED, ["a", "b"])
    assert not following


def test_nothing_is_followed_unless_asked():
    following = Following([], 1, 100)
    following.note(item("a"), EVENT)
    assert not following
