"""A key that is refused and a spent allowance: when an upstream is not asked again."""

from litcrawl.refusals import Refusals, Verdict
from litcrawl.terms import Reason


def test_a_key_that_is_refused_three_times_in_a_row_is_given_up():
    refusals = Refusals()
    assert [refusals.heard("press", "api.test", Reason.NEEDS_KEY) for _ in range(5)] == [Verdict.FIRST, None, Verdict.ENOUGH, None, None], (
        "each said once"
    )
    assert refusals.heard("press", "other.test", Reason.NEEDS_KEY) == Verdict.FIRST
    assert refusals.heard("another", "api.test", Reason.NEEDS_KEY) == Verdict.FIRST, "it may have another key"


def test_any_answer_between_shows_that_the_key_is_good():
    refusals = Refusals()
    for between in (Reason.NOT_ENTITLED, Reason.OK, Reason.ABSENT):
        for reason in (Reason.NEEDS_KEY, Reason.NEEDS_KEY, between):
            assert refusals.heard("press", "api.test", reason) != Verdict.ENOUGH


def test_a_spent_allowance_is_told_once():
    refusals = Refusals()
    assert [refusals.heard("press", "api.test", Reason.QUOTA) for _ in range(2)] == [Verdict.ENOUGH, None]
