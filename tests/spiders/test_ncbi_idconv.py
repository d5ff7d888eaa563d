"""NCBI's ID Converter: one type a call, records believed only for the identifier they were asked by."""

import json
from urllib.parse import parse_qs, urlsplit

import asking
import pytest
from scrapy.http import Response

from litcrawl import batch
from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import Ids
from litcrawl.resolver import Answer
from litcrawl.spiders.ncbi_idconv import NcbiIdconv
from litcrawl.terms import Reason

API = "https://pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/"


@pytest.fixture
def source():
    return asking.source(NcbiIdconv)


def response(source, kind, values, body, status=200):
    request = source.request_batch(kind, list(values))
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Response(request.url, status=status, body=content, request=request)


def answers(source, kind, values, *records, **envelope):
    body = {"status": "ok", "records": list(records)} | envelope
    return source.answers(response(source, kind, values, body), kind, list(values))


def record(requested, doi="10.1000/1", pmcid="PMC7", pmid=5, **more):
    return {"doi": doi, "pmcid": pmcid, "pmid": pmid, "requested-id": requested} | more


def unknown(requested, **ids):
    return ids | {"requested-id": requested, "status": "error", "errmsg": "Identifier not found in PMC"}


# the request


@pytest.mark.parametrize(
    ("kind", "values", "query"),
    [
        ("pmid", ["5", "6"], "ids=5,6&idtype=pmid&format=json"),
        ("pmcid", ["PMC7"], "ids=PMC7&idtype=pmcid&format=json"),
        (
            "doi",
            ["10.1002/(sici)1097-0258(19980815)17:15/16<1661::aid-sim968>3.0.co;2-2", "10.1000/a&b=c+d#e%é"],
            "ids=10.1002/(sici)1097-0258(19980815)17:15/16%3C1661::aid-sim968%3E3.0.co%3B2-2,"
            "10.1000/a%26b%3Dc%2Bd%23e%25%C3%A9&idtype=doi&format=json",
        ),
    ],
)
def test_a_call_names_the_one_type_of_its_identifiers(source, kind, values, query):
    request = source.request_batch(kind, values)
    assert (request.method, request.url) == ("GET", f"{API}?{query}")
    assert parse_qs(urlsplit(request.url).query)["ids"] == [",".join(values)]
    assert request.headers["Accept-Encoding"] == b"gzip"
    assert request.dont_filter
    assert "follow" not in request.meta


def test_two_hundred_dois_fit_into_an_address(source):
    dois = [f"10.1371/journal.pone.{number:07}" for number in range(source.most)]
    assert len(source.request_batch("doi", dois).url) < 8000


def test_a_doi_that_holds_the_separator_cannot_be_asked_for(source):
    assert source.alone("10.1000/a,b")
    assert not source.serves(Ids(doi="10.1000/a,b"))
    assert source.serves(Ids(doi="10.1000/a,b", pmid="5"))
    assert source.serves(Ids(doi="10.1000/a;b"))
    assert not source.serves(Ids(bookid="NBK1"))


# the answer


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        ("pmid", "5", record("5")),
        ("pmid", "5", record("5", pmid="5")),
        ("pmid", "5", record(5)),
        ("pmcid", "PMC7", record("PMC7")),
        ("pmcid", "PMC7", record("7", pmcid="PMC7.2")),
        ("pmcid", "PMC7", record("PMC7.1", versions=[{"pmcid": "PMC7.1", "current": "true"}])),
        ("doi", "10.1000/1", record("10.1000/1")),
        ("doi", "10.1000/a.b", record("10.1000/A.b", doi="10.1000/A.B")),
    ],
)
def test_a_record_tells_the_three_identifiers(source, kind, value, told):
    ids = Ids(doi=told["doi"].lower(), pmid="5", pmcid="PMC7")
    assert answers(source, kind, [value], told) == {value: Answer(ids=ids)}


def test_a_record_may_lack_what_the_article_has_not(source):
    assert answers(source, "doi", ["10.1000/1"], {"doi": "10.1000/1", "pmcid": "PMC7", "requested-id": "10.1000/1"}) == {
        "10.1000/1": Answer(ids=Ids(doi="10.1000/1", pmcid="PMC7"))
    }


def test_records_are_matched_by_what_they_say_and_never_by_position(source):
    found = answers(source, "pmid", ["5", "6", "8"], record("8", "10.1000/8", "PMC80", 8), unknown("6", pmid=6), record("5"))
    assert {value: answer.ids.pmcid for value, answer in found.items()} == {"5": "PMC7", "8": "PMC80"}


def test_a_record_without_the_identifier_it_was_asked_by_in_words_goes_by_its_own(source):
    plain = record("5")
    del plain["requested-id"]
    assert answers(source, "pmid", ["5"], plain, {"pmid": 6, "status": "error"})["5"].ids.pmcid == "PMC7"


@pytest.mark.parametrize(
    "told",
    [
        unknown("5", pmid=5),
        unknown("5", pmid="5", live="false"),
        record("5", pmid=6),  # another article's
        record("6"),
        record("5", pmid=None),
        record("5", pmid=[5]),
        record(["5"]),
        {"requested-id": "5"},
        None,
        [],
        "5",
    ],
)
def test_a_record_that_does_not_agree_with_itself_costs_only_itself(source, told):
    assert set(answers(source, "pmid", ["5", "8"], told, record("8", pmid=8))) == {"8"}


def test_records_that_contradict_each_other_tell_what_they_agree_on(source):
    assert answers(source, "pmid", ["5"], record("5"), record("5", pmcid="PMC8")) == {"5": Answer(ids=Ids(doi="10.1000/1", pmid="5"))}


def test_hostile_identifiers_are_left_out(source):
    told = record("5", doi="../../etc/passwd", pmcid={"$": "PMC7"})
    assert answers(source, "pmid", ["5"], told) == {"5": Answer(ids=Ids(pmid="5"))}


def test_no_records_are_an_answer(source):
    assert answers(source, "pmid", ["5"]) == {}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><title>Maintenance</title></html>",
        b'{"status": "ok", "records": [',
        [],
        {"status": "ok"},
        {"status": "ok", "records": None},
        {"status": "ok", "records": {"5": record("5")}},
        {"status": "error", "records": []},
        {"status": "error", "message": "Invalid idtype"},
    ],
)
def test_what_is_no_list_of_records_is_no_answer(source, body):
    with pytest.raises(Malformed):
        source.answers(response(source, "pmid", ["5"], body), "pmid", ["5"])


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (301, Reason.UNAVAILABLE),
        (401, Reason.UNAVAILABLE),
        (403, Reason.UNAVAILABLE),
        (404, Reason.UNAVAILABLE),
        (429, Reason.RATE_LIMITED),
        (503, Reason.UNAVAILABLE),
    ],
)
def test_no_status_says_that_two_hundred_articles_do_not_exist(source, status, reason):
    with pytest.raises(Miss) as caught:
        source.check_status(response(source, "pmid", ["5"], {"status": "error"}, status))
    chunk = {"kind": "pmid", "tickets": [{"ids": {"pmid": "5"}}]}
    assert batch.of_each(chunk, source, caught.value.reason) == reason
