"""Articles that wait for a call: a group is due when it is full, or old enough."""

from litcrawl.waiting import Waiting

PMID, DOI = ("register", "pmid"), ("register", "doi")


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def ticket(n):
    return {"key": f"pmid:{n}"}


def test_a_full_group_is_due_at_once():
    waiting = Waiting()
    assert waiting.add(PMID, ticket(1), 2) == []
    assert waiting.add(DOI, ticket(2), 2) == [], "another kind is another call"
    assert waiting.add(PMID, ticket(3), 2) == [ticket(1), ticket(3)]
    assert len(waiting) == 1


def test_a_group_of_one_does_not_wait():
    waiting = Waiting()
    assert waiting.add(PMID, ticket(1), 1) == [ticket(1)]
    assert not waiting


def test_a_group_that_does_not_fill_is_due_by_the_age_of_its_first():
    clock = Clock()
    waiting = Waiting(patience=2.0, clock=clock)
    waiting.add(PMID, ticket(1), 9)
    clock.now += 1.5
    waiting.add(PMID, ticket(2), 9)
    waiting.add(DOI, ticket(3), 9)
    assert list(waiting.due()) == []
    clock.now += 0.5
    assert list(waiting.due()) == [[ticket(1), ticket(2)]]
    assert len(waiting) == 1
    assert list(waiting.due()) == []


def test_a_group_begins_anew_after_it_was_taken():
    clock = Clock()
    waiting = Waiting(patience=2.0, clock=clock)
    waiting.add(PMID, ticket(1), 2)
    clock.now += 1.9
    waiting.add(PMID, ticket(2), 2)
    waiting.add(PMID, ticket(3), 2)
    clock.now += 1.9
    assert list(waiting.due()) == []


def test_at_the_end_of_the_list_nothing_waits_any_more():
    waiting = Waiting()
    waiting.add(PMID, ticket(1), 9)
    waiting.add(DOI, ticket(2), 9)
    assert list(waiting.due(all_=True)) == [[ticket(1)], [ticket(2)]]
    assert not waiting


def test_a_group_that_may_still_grow_waits_on_and_not_for_ever():
    clock = Clock()
    waiting = Waiting(patience=2.0, clock=clock)
    waiting.add(PMID, ticket(1), 9)
    waiting.add(DOI, ticket(2), 9)
    clock.now += 5
    assert list(waiting.places) == [PMID, DOI]
    assert list(waiting.due(more=lambda place: place == PMID)) == [[ticket(2)]]
    clock.now += 114
    assert list(waiting.due(more=lambda place: True)) == []
    clock.now += 1
    assert list(waiting.due(more=lambda place: True)) == [[ticket(1)]]
