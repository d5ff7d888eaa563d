import pytest
from scrapy.http import TextResponse

from litcrawl.exceptions import Malformed, Miss
from litcrawl.parsers import json
from litcrawl.source import json_object
from litcrawl.terms import Reason


@pytest.mark.parametrize("text", ["", "[" * 100_000, "9" * 5000, '{"a":', "\udcff"])
def test_what_is_no_json_that_can_be_read_is_malformed(text):
    with pytest.raises(Malformed):
        json.parse(text)


def test_half_a_character_becomes_a_question_mark():
    assert json.parse(b'["\\ud83d\\ude00", "\\ud83d"]') == ["\U0001f600", "?"]


@pytest.mark.parametrize("depth", [101, 300, 900, 980, 100_000])
@pytest.mark.parametrize(("start", "end"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[0,{"a":', b"}]")])
def test_what_is_nested_deeper_than_answers_are_is_malformed(depth, start, end):
    for inside in (b"0", b'"\\ud800"'):
        with pytest.raises(Malformed):
            json.parse(start * depth + inside + end * depth)


def test_what_nests_as_records_do_is_read():
    assert repr(json.parse(b"[" * 100 + b"0" + b"]" * 100)).count("[") == 100


@pytest.mark.parametrize("piece", [b"[],", b"{},", b'{"a":{}},', b"1,", b'"ab",'])
def test_an_answer_of_countless_values_is_not_parsed(piece):
    response = TextResponse("https://api.test/", body=b'{"a":[' + piece * 2_000_001 + b"0]}")
    with pytest.raises(Miss) as caught:
        json_object(response)
    assert caught.value.reason is Reason.TOO_LARGE
