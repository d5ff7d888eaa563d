import json

import pytest

from litcrawl.exceptions import BadArgument, Malformed
from litcrawl.publications import events
from litcrawl.publications.address import Address
from litcrawl.publications.offsets import Offsets

EVENT = {
    "id": "e1", "state": "unknown", "relation_type": "discusses", "subj_id": "https://twitter.com/i/1", "obj_id": "https://doi.org/10.5555/One",
    "occurred_at": "2026-11-30T17:20:00Z", "timestamp": "2026-11-30T17:20:01Z", "source_id": "twitter",
    "subj": {"pid": "https://twitter.com/i/1", "data": {"text": "Read this", "author": {"id": 7}}, "alternative-id": "1"},
    "obj": {"pid": "https://doi.org/10.5555/One", "alternative-id": "10.5555/One", "data": {"doi": "10.5555/One", "seen": 3}},
    "extra": [1, None, {"deep": True}],
}  # fmt: skip


def test_an_event_names_a_publication():
    assert events.read(json.dumps(EVENT).encode()) == ("10.5555/one", EVENT)


@pytest.mark.parametrize(
    "obj",
    [
        {"alternative-id": "10.5555/one"},
        {"pid": "https://doi.org/10.5555/ONE"},
        {"data": {"doi": "doi:10.5555/one"}},
        {"pid": None, "alternative-id": "not one", "data": {"doi": "10.5555/one"}},
    ],
)
def test_a_doi_is_found_wherever_it_stands(obj):
    assert events.read(json.dumps({"state": "unknown", "obj": obj}).encode())[0] == "10.5555/one"
    assert events.read(json.dumps({"state": "unknown", "obj_id": "https://doi.org/10.5555/one"}).encode())[0] == "10.5555/one"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no JSON"), (b"", "no JSON"), (b"{", "no JSON"), (b"\xff\xfe", "no JSON"), (b"[]", "no JSON object"),
        (b"null", "no JSON object"),
        (b"{}", "its state is 'None'"), (b'{"state": "linked", "obj": {"pid": "10.5555/one"}}', "its state is 'linked'"),
        (b'{"state": "unknown"}', "no DOI"), (b'{"state": "unknown", "obj": [], "obj_id": 7}', "no DOI"),
        (b'{"state": "unknown", "obj": {"pid": "https://litcrawl.dev/"}}', "no DOI"),
        (b'{"state": "unknown", "obj_id": "10.5555/one", "n": 36893488147419103232}', "cannot be written again: Integer exceeds 64-bit"),
    ],
)  # fmt: skip
def test_what_is_no_such_event_is_told_why(content, said):
    with pytest.raises(Malformed, match=said):
        events.read(content)


def test_nothing_of_an_event_is_dropped_when_it_is_linked():
    before = json.loads(json.dumps(EVENT))
    after = events.linked(EVENT, {"doi": "10.5555/one", "title": "On sentences"})
    assert before == EVENT
    assert after["state"] == "linked"
    assert after["obj"]["data"] == {"doi": "10.5555/one", "seen": 3, "title": "On sentences"}
    assert {name: value for name, value in after.items() if name not in ("state", "obj")} == {
        name: value for name, value in EVENT.items() if name not in ("state", "obj")
    }
    assert (after["obj"]["pid"], after["obj"]["alternative-id"]) == (EVENT["obj"]["pid"], "10.5555/One")


@pytest.mark.parametrize(
    ("relation", "topic"),
    [("discusses", "events_linked-discusses"), ("crossref", "events_linked"), (None, "events_linked"), ([], "events_linked")],
)
def test_only_the_relations_that_have_one_have_a_topic_of_their_own(relation, topic):
    assert events.topic({"relation_type": relation}) == topic


def test_a_fresh_event_is_one_of_its_kind():
    event = events.fresh("10.5555/one", "2026-11-30T17:20:00Z")
    assert events.read(json.dumps(event).encode()) == ("10.5555/one", event)
    assert event["id"] != events.fresh("10.5555/one", "now")["id"]


@pytest.mark.parametrize(
    ("url", "servers", "topic", "group"),
    [
        ("kafka://localhost:9092/events_unknown?group=g", ("localhost:9092",), "events_unknown", "g"),
        ("kafka://a,b:9093/t", ("a:9092", "b:9093"), "t", "pub-finder-worker"),
    ],
)
def test_an_address_of_a_topic(url, servers, topic, group):
    address = Address.parse(url, "ids", topic=True)
    assert (address.servers, address.topic, address.group) == (servers, topic, group)


@pytest.mark.parametrize(
    "url",
    [
        "kafka://", "kafka://host", "kafka://host/", "kafka://host:port/t", "kafka:///t", "kafka://host/a/b", "kafka://host/t?groop=g",
        "kafka://host/t?session_timeout_ms=soon", "kafka://host/t?session_timeout_ms=²", "kafka://host:²/t", "kafka://user:secret@host/t",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_topic_is_refused(url):
    with pytest.raises(BadArgument, match="ids") as raised:
        Address.parse(url, "ids", topic=True)
    assert "secret" not in str(raised.value)


def test_events_go_to_a_broker_and_not_to_a_topic():
    assert Address.parse("kafka://host:1", "LITCRAWL_EVENTS", topic=False).servers == ("host:1",)
    for url in ("kafka://host:1/topic", "kafka://host:1?group=g"):
        with pytest.raises(BadArgument, match="LITCRAWL_EVENTS"):
            Address.parse(url, "LITCRAWL_EVENTS", topic=False)


def test_a_broker_that_is_not_there_is_one_line():
    with pytest.raises(BadArgument, match=r"ids: no broker at 127\.0\.0\.1:1 \(Connection refused\)"):
        Address.parse("kafka://127.0.0.1:1/t", "ids", topic=True).check("ids")


def test_a_lighter_event_names_no_other_publications():
    event = events.linked(EVENT, {"title": "On sentences", "refs": [1], "citations": [2]})
    assert events.lighter(event) == events.linked(EVENT, {"title": "On sentences"})


def test_a_dead_letter_is_never_larger_than_a_message_may_be():
    letter = events.dead_letter(b"\x00" * 2_000_000, "no JSON", topic="t")
    assert len(json.dumps(letter)) < 1_000_000
    assert (letter["reason"], letter["topic"], letter["length"]) == ("no JSON", "t", 2_000_000)


# offsets


def taken(*offsets, partition="a"):
    known = Offsets()
    for offset in offsets:
        known.taken(partition, offset)
    return known


def test_nothing_is_committed_before_what_comes_before_it():
    known = taken(5, 6, 7, 9)
    assert known.done([("a", 6, 0)]) == {}
    assert known.done([("a", 9, 0)]) == {}
    assert known.done([("a", 5, 0)]) == {"a": 7}
    assert known.done([("a", 7, 0)]) == {"a": 10}
    assert known.open == 0


def test_partitions_are_kept_apart():
    known = taken(1)
    known.taken("b", 8)
    assert known.done([("a", 1, 0), ("b", 8, 0)]) == {"a": 2, "b": 9}


def test_a_partition_that_is_anothers_is_forgotten():
    known = taken(1, 2)
    known.forget(["a", "unknown"])
    assert known.done([("a", 1, 0)]) == {}
    receipt = known.taken("a", 1)
    assert known.done([receipt]) == {"a": 2}
    assert known.open == 0


def test_what_was_handed_out_before_a_partition_was_given_anew_counts_for_nothing():
    known = Offsets()
    before = [known.taken("a", offset) for offset in range(100, 150)]
    known.forget(["a"])
    after = [known.taken("a", offset) for offset in range(100, 200)]
    assert known.done(before) == {}
    assert known.done(after[50:]) == {}
    assert known.done(after[:50]) == {"a": 200}
