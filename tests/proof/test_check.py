import gzip
import hashlib
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litcrawl.exceptions import Miss
from litcrawl.items import Spool
from litcrawl.proof import Content, check
from litcrawl.terms import Reason, Want

JATS = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS.dtd"><article><front><article-meta>'
    b'<article-id pub-id-type="pmcid">PMC123</article-id><article-id pub-id-type="doi">10.1234/ABC</article-id>'
    b"</article-meta></front><body><sec><title>Introduction</title><p>Text.</p></sec></body></article>\n"
)
PDF = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n" + b"x" * 5000 + b"\ntrailer\nstartxref\n9\n%%EOF\n"
HTML = b"<!DOCTYPE html><html><head><title>Viewer</title></head><body>Soon.</body></html>"
LOGIN = b"<html><head><title>Sign in</title></head><body><input type=password></body></html>"
WALL = b"<html><head><title>Just a moment...</title></head></html>"
NO_SUCH_KEY = b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>no</Message></Error>'
CLOSED = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><fullTextXMLBean><fullTextXML><pmId>1</pmId>'
    b"<message>not open</message><isOpenAccess>N</isOpenAccess></fullTextXML></fullTextXMLBean>"
)


def reason(data: bytes, want: Want = Want.XML, **asked) -> Reason:
    with pytest.raises(Miss) as caught:
        check(Content(data), want, **asked)
    return caught.value.reason


def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()  # noqa: S324


@pytest.mark.parametrize("want", [Want.XML, Want.PDF, Want.TEXT, Want.SUPPLEMENTARY])
def test_an_empty_body_is_never_a_file(want):
    assert reason(b"", want) is Reason.EMPTY
    assert reason(gzip.compress(b""), Want.XML, encoding="gzip") is Reason.EMPTY


@given(st.data())
def test_any_bytes_are_proved_or_a_miss(data):
    whole = data.draw(st.sampled_from([JATS, PDF, HTML, CLOSED, NO_SUCH_KEY, b""]))
    start, length = data.draw(st.integers(0, len(whole))), data.draw(st.integers(0, 40))
    mutated = whole[:start] + data.draw(st.binary(max_size=40)) + whole[start + length :]
    want = data.draw(st.sampled_from([Want.XML, Want.PDF, Want.TEXT, Want.SUPPLEMENTARY]))
    encoding = data.draw(st.sampled_from([None, "gzip", "deflate", "br", ""]))
    try:
        proof = check(Content(mutated), want, filename=data.draw(st.sampled_from([None, "a.csv", "a.pdf"])), encoding=encoding)
    except Miss as miss:
        assert miss.reason.final or miss.reason.retryable
    else:
        assert proof.media_type
        json.dumps([proof.evidence, proof.checks])


class TestXml:
    def test_a_full_text(self):
        proof = check(Content(JATS), Want.XML, ids={"doi": "10.1234/abc", "pmcid": "PMC123.2", "pmid": "9"})
        assert (proof.media_type, proof.checks) == ("application/jats+xml", ["well-formed", "body", "ids"])
        assert (proof.evidence["root"], proof.content.body) == ("article", JATS)

    def test_identifiers_are_compared_only_where_both_are_known(self):
        assert check(Content(JATS), Want.XML, ids={"pmid": "9", "doi": None}).checks == ["well-formed", "body"]

    @pytest.mark.parametrize("ids", [{"doi": "10.1234/other"}, {"pmcid": "PMC1234"}, {"pmcid": "PMC123", "doi": "10.1/x"}])
    def test_identifiers_inside_of_another_article(self, ids):
        assert reason(JATS, ids=ids) is Reason.WRONG_ARTICLE

    def test_a_repaired_document_says_where(self):
        broken = JATS.replace(b"Text", b"Te\x02xt")
        assert check(Content(broken), Want.XML).checks == [f"repaired-xml@{broken.index(2)}", "body"]

    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (CLOSED, Reason.NOT_OPEN),
            (CLOSED.replace(b">N<", b">Y<"), Reason.ABSENT),
            (b"<fullTextXMLBean/>", Reason.ABSENT),
            (b"<errorBean><errCode>404</errCode><errMsg>none</errMsg></errorBean>", Reason.ABSENT),
            (b"<ns2:errorBean xmlns:ns2='u'><errCode>404</errCode></ns2:errorBean>", Reason.ABSENT),
            (b"<errorBean><errCode>500</errCode></errorBean>", Reason.UNAVAILABLE),
            (NO_SUCH_KEY, Reason.ABSENT),
            (NO_SUCH_KEY.replace(b"NoSuchKey", b"AccessDenied"), Reason.DENIED),
            (NO_SUCH_KEY.replace(b"NoSuchKey", b"SlowDown"), Reason.UNAVAILABLE),
            (HTML, Reason.WRONG_TYPE),
            (WALL, Reason.BLOCKED),
            (LOGIN, Reason.DENIED),
            (PDF, Reason.WRONG_TYPE),
            (b'{"error": "busy"}', Reason.WRONG_TYPE),
            (b"<feed><entry/></feed>", Reason.WRONG_TYPE),
            (b"Service busy, try later", Reason.UNREADABLE),
            (b"<<>>", Reason.UNREADABLE),
            (JATS.replace(b"<body><sec><title>Introduction</title><p>Text.</p></sec></body>", b""), Reason.ABSTRACT_ONLY),
            (JATS[:-30], Reason.TRUNCATED),
            (JATS[:200], Reason.TRUNCATED),
            (JATS[:60], Reason.TRUNCATED),
        ],
    )
    def test_what_is_no_full_text(self, data, expected):
        assert reason(data) is expected

    def test_only_the_roots_of_the_source(self):
        assert reason(JATS, roots=frozenset({"book-part-wrapper"})) is Reason.WRONG_TYPE

    def test_a_root_without_a_reader_is_kept_as_xml(self):
        proof = check(Content(b"<feed><entry/></feed>"), Want.XML, roots=frozenset({"feed"}))
        assert (proof.media_type, proof.evidence) == ("application/xml", {"root": "feed"})

    def test_a_spooled_document_is_read_from_its_path(self, tmp_path):
        path = tmp_path / "part"
        path.write_bytes(JATS)
        spool = Spool(path=str(path), size=len(JATS), sha256="a" * 64, md5="b" * 32, head=JATS[:2048], tail=JATS[-2048:])
        proof = check(Content(spool), Want.XML, size_bytes=len(JATS))
        assert (proof.checks, proof.content.sha256) == (["well-formed", "body", "size"], "a" * 64)


class TestPdf:
    def test_a_pdf(self):
        proof = check(Content(PDF), Want.PDF, size_bytes=len(PDF), md5=md5(PDF).upper())
        assert (proof.media_type, proof.checks, proof.evidence) == ("application/pdf", ["pdf-header", "pdf-eof", "size", "md5"], {})

    def test_junk_before_and_after_is_kept_and_flagged(self):
        data = b"<html>" + b"x" * 358 + PDF + b"<!-- appended -->\0\0\0"
        proof = check(Content(data), Want.PDF)
        assert (proof.checks, proof.content.body) == (["pdf-header", "leading-junk", "pdf-eof"], data)

    @pytest.mark.parametrize("position", [1024, 1025])
    def test_how_late_a_header_may_come(self, position):
        data = b" " * position + PDF
        if position > 1024:
            assert reason(data, Want.PDF) is Reason.WRONG_TYPE
        else:
            assert check(Content(data), Want.PDF).checks[1] == "leading-junk"

    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (PDF[:-20], Reason.TRUNCATED),
            (PDF[: len(PDF) // 2], Reason.TRUNCATED),
            (PDF + b"x" * 3000, Reason.TRUNCATED),
            (HTML, Reason.WRONG_TYPE),
            (LOGIN, Reason.DENIED),
            (WALL, Reason.BLOCKED),
            (NO_SUCH_KEY, Reason.ABSENT),
            (b'{"error": "not found"}', Reason.WRONG_TYPE),
            (b"[" * 60_000, Reason.WRONG_TYPE),
            (JATS, Reason.WRONG_TYPE),
            (b"PK\x03\x04", Reason.WRONG_TYPE),
        ],
    )
    def test_what_is_no_pdf(self, data, expected):
        assert reason(data, Want.PDF) is expected

    def test_bytes_that_were_listed_otherwise(self):
        assert reason(PDF, Want.PDF, size_bytes=len(PDF) + 1) is Reason.TRUNCATED
        assert reason(PDF, Want.PDF, md5="0" * 32) is Reason.TRUNCATED
        assert "longer-than-announced" in check(Content(PDF), Want.PDF, size_bytes=len(PDF) - 1).checks

    def test_a_listing_tells_what_was_cut_on_the_way_from_what_is_broken_where_it_lies(self):
        for want, whole in ((Want.PDF, PDF), (Want.XML, JATS)):
            broken = whole[:-25]
            assert reason(broken, want, size_bytes=len(whole)) is Reason.TRUNCATED
            assert reason(broken, want, size_bytes=len(broken)) is Reason.UNREADABLE
            assert reason(broken, want, size_bytes=len(broken), md5=md5(broken)) is Reason.UNREADABLE
            assert reason(broken, want, size_bytes=len(broken), md5="0" * 32) is Reason.TRUNCATED

    def test_a_page_in_its_place_is_named_whatever_its_size(self):
        assert reason(WALL, Want.PDF, size_bytes=10**6, md5="0" * 32) is Reason.BLOCKED


class TestOtherFiles:
    def test_text(self):
        assert check(Content(b"==== Front\nA title\n"), Want.TEXT).media_type == "text/plain"

    @pytest.mark.parametrize(
        ("data", "expected"),
        [(HTML, Reason.WRONG_TYPE), (NO_SUCH_KEY, Reason.ABSENT), (PDF, Reason.WRONG_TYPE), (b'{"error": 1}', Reason.WRONG_TYPE)],
    )
    def test_what_is_no_text(self, data, expected):
        assert reason(data, Want.TEXT) is expected

    @pytest.mark.parametrize(
        ("data", "name", "media_type", "checks"),
        [
            (b"\xff\xd8\xff\xe0", "a.jpg", "image/jpeg", ["type"]),
            (b"anything", None, "text/plain", []),
            (bytes(range(256)), "a.unknown", "application/octet-stream", []),
            (b'{"error": 1}', "a.json", "application/json", ["type"]),
            (HTML, "page.html", "text/html", ["type"]),
            (b"<model/>", "model.xml", "application/xml", ["type"]),
            (gzip.compress(b"x"), "a.tar.gz", "application/gzip", ["type"]),
        ],
    )
    def test_supplements(self, data, name, media_type, checks):
        proof = check(Content(data), Want.SUPPLEMENTARY, filename=name)
        assert (proof.media_type, proof.checks, proof.content.body) == (media_type, checks, data)

    @pytest.mark.parametrize(
        ("data", "name", "expected"),
        [
            (HTML, "a.xlsx", Reason.WRONG_TYPE),
            (HTML, None, Reason.WRONG_TYPE),
            (WALL, "a.mp4", Reason.BLOCKED),
            (LOGIN, "a.zip", Reason.DENIED),
            (NO_SUCH_KEY, "a.xml", Reason.ABSENT),
            (b"<x:errorBean xmlns:x='u'><errCode>404</errCode></x:errorBean>", "a.zip", Reason.ABSENT),
            (b'{"error": "not found"}', "a.pdf", Reason.WRONG_TYPE),
        ],
    )
    def test_what_is_no_supplement(self, data, name, expected):
        assert reason(data, Want.SUPPLEMENTARY, filename=name) is expected


class TestLeftOverEncoding:
    def test_it_is_undone_when_only_the_decoded_bytes_are_what_was_asked(self):
        for packed, encoding in ((gzip.compress(JATS), "gzip"), (zlib.compress(JATS), "deflate")):
            proof = check(Content(packed), Want.XML, encoding=encoding)
            assert (proof.content.body, proof.checks) == (JATS, ["well-formed", "body", "decoded"])

    @pytest.mark.parametrize("encoding", ["gzip", "br", "nonsense"])
    def test_bytes_that_are_what_was_asked_stay(self, encoding):
        assert check(Content(PDF), Want.PDF, encoding=encoding).content.body == PDF

    def test_an_archive_stays_packed(self):
        archive = gzip.compress(JATS)
        for name in ("a.xml.gz", "a.tar.gz", "a.tgz", "data"):
            assert check(Content(archive), Want.SUPPLEMENTARY, filename=name, encoding="gzip").content.body == archive

    def test_a_packed_supplement_is_undone_when_its_name_says_so(self):
        proof = check(Content(gzip.compress(b"a,b\n1,2\n")), Want.SUPPLEMENTARY, filename="a.csv", encoding="gzip", size_bytes=8)
        assert (proof.content.body, proof.media_type, proof.checks) == (b"a,b\n1,2\n", "text/csv", ["type", "decoded", "size"])

    def test_the_size_and_md5_of_the_packed_form_count_too(self):
        packed = gzip.compress(JATS)
        assert check(Content(packed), Want.XML, encoding="gzip", size_bytes=len(packed), md5=md5(packed)).checks[-2:] == ["size", "md5"]
        assert check(Content(packed), Want.XML, encoding="gzip", md5=md5(JATS)).checks[-1] == "md5"
        assert reason(packed, encoding="gzip", size_bytes=len(packed) + 1) is Reason.TRUNCATED

    @pytest.mark.parametrize(
        ("data", "encoding"), [(b"\x8b\x02\x80garbage", "br"), (gzip.compress(JATS)[:-9], "gzip"), (b"no gzip at all", "gzip")]
    )
    def test_what_cannot_be_undone_is_retried(self, data, encoding):
        assert reason(data, encoding=encoding) is Reason.TRUNCATED
        assert reason(data, Want.PDF, encoding=encoding) is Reason.TRUNCATED

    @pytest.mark.parametrize("encoding", ["gzip", "deflate"])
    def test_it_is_undone_up_to_the_size_that_a_file_may_have(self, encoding):
        packed = (gzip.compress if encoding == "gzip" else zlib.compress)(b" " * 5000 + JATS)
        assert reason(packed, Want.XML, encoding=encoding, most=4000) is Reason.TOO_LARGE
        assert check(Content(packed), Want.XML, encoding=encoding, most=9000).checks[-1] == "decoded"

    def test_what_is_wrong_also_once_decoded_keeps_its_reason(self):
        assert reason(gzip.compress(WALL), Want.PDF, encoding="gzip") is Reason.BLOCKED


def test_a_document_of_more_nodes_than_memory_holds_is_too_large():
    assert reason(JATS.replace(b"<p>Text.</p>", b"<p/>" * 5_000_001)) == Reason.TOO_LARGE
