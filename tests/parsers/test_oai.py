"""OAI-PMH: a refusal is told from an empty list, a list's end from a list that was cut, and a record is read whole or not at all."""

import arxivs
import pytest

from litcrawl.exceptions import Malformed
from litcrawl.parsers import oai


def test_a_page_of_identifiers():
    page = oai.headers(
        arxivs.identifiers(
            arxivs.header("2303.18112", "2023-04-03"),
            arxivs.header("math/0601001", "2023-04-04T10:00:00Z", ' status="deleted"'),
            token='<resumptionToken cursor="0" completeListSize="7"> 66|1001 </resumptionToken>',
        )
    )
    assert page.items == [
        oai.Header("oai:arXiv.org:2303.18112", "2023-04-03"),
        oai.Header("oai:arXiv.org:math/0601001", "2023-04-04", deleted=True),
    ]
    assert (page.token, page.size, page.day) == ("66|1001", 7, "2026-11-30")


@pytest.mark.parametrize(
    "token", [None, "<resumptionToken/>", '<resumptionToken cursor="6" completeListSize="1"/>', "<resumptionToken> </resumptionToken>"]
)
def test_no_token_and_an_empty_one_are_the_end(token):
    assert oai.headers(arxivs.identifiers(arxivs.header("2303.18112"), token=token)).token is None


@pytest.mark.parametrize("size", ["many", "-1", "9" * 5000, "\u0663", ""])
def test_a_size_that_is_no_number_is_none(size):
    page = oai.headers(arxivs.identifiers(arxivs.header("2303.18112"), token=f'<resumptionToken completeListSize="{size}"/>'))
    assert page.size is None


@pytest.mark.parametrize("code", ["noRecordsMatch", "badResumptionToken", "badArgument", "idDoesNotExist"])
@pytest.mark.parametrize("read", [oai.headers, oai.record])
def test_a_refusal_is_no_list_and_no_record(code, read):
    with pytest.raises(oai.OaiError, match=f"{code}: because") as refused:
        read(arxivs.refusal(code, "because"))
    assert (refused.value.code, refused.value.day) == (code, "2026-11-30")


def test_a_refusal_need_not_say_why():
    with pytest.raises(oai.OaiError, match=r"^noRecordsMatch$"):
        oai.headers(arxivs.envelope('<error code="noRecordsMatch"/>'))


def test_a_record_with_its_versions():
    record = oai.record(arxivs.record("1810.09584", "D", "D", "I", datestamp="2019-01-15", doi="10.1209/0295-5075/124/60006"))
    assert (record.id, record.datestamp, record.licence) == ("1810.09584", "2019-01-15", arxivs.NONEXCLUSIVE)
    assert (record.doi, record.title) == ("10.1209/0295-5075/124/60006", "On a thing")
    assert [one.number for one in record.versions] == [1, 2, 3]
    assert [one.withdrawn for one in record.versions] == [False, False, True]
    assert record.newest.number == 3


def test_a_record_that_stands_alone_has_no_datestamp():
    record = oai.record(arxivs.raw("1810.09584", "D").encode())
    assert (record.id, record.datestamp) == ("1810.09584", None)


def test_versions_may_stand_in_any_order():
    inner = arxivs.raw("1810.09584", "D", "D").replace('"v1"', '"v0"').replace('"v2"', '"v1"').replace('"v0"', '"v2"')
    assert oai.record(inner.encode()).newest.number == 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Rate exceeded.",
        b"<html><body>busy</body></html>",
        arxivs.envelope(""),
        arxivs.envelope("<GetRecord><record><header status='deleted'/></record></GetRecord>"),
        arxivs.record("1810.09584")[:-60],
        arxivs.record("1810.09584").replace(b'version="v1"', b""),
        arxivs.record("1810.09584").replace(b'version="v1"', b'version="vv"'),
        arxivs.record("1810.09584", "D", "D").replace(b'"v2"', b'"v1"'),
        arxivs.record("1810.09584").replace(b"<id>1810.09584</id>", b""),
        arxivs.record("1810.09584").replace(b"2026-01-02", b"soon"),
        b"<arXivRaw xmlns='http://arxiv.org/OAI/arXivRaw/'><id>1810.09584</id></arXivRaw>",
        arxivs.identifiers(arxivs.header("1")),
    ],
)
def test_another_shape_is_no_record(data):
    with pytest.raises(Malformed):
        oai.record(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<feed/>",
        arxivs.record("1810.09584"),
        arxivs.identifiers(arxivs.header("1"))[:-20],
        arxivs.identifiers("<header><datestamp>2026-01-01</datestamp></header>"),
        arxivs.identifiers(arxivs.header("1", "")),
        arxivs.identifiers(arxivs.header("1")).replace(b"2026-11-30T10:00:00Z", b""),
    ],
)
def test_another_shape_is_no_list(data):
    with pytest.raises(Malformed):
        oai.headers(data)
