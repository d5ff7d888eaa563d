"""The PMC Open Access bucket: listings, the versions in them, and what the metadata of a version says."""

import hashlib
import json

import asking
import pytest

from litcrawl.ids import Ids
from litcrawl.items import Claim, Link, Retraction, Step
from litcrawl.spiders import pmc_oa_s3
from litcrawl.spiders.pmc_oa_s3 import PmcOaS3
from litcrawl.terms import Reason

BUCKET = "https://pmc-oa-opendata.s3.amazonaws.com"
ALL = ("xml", "pdf", "text", "supplementary")
EMPTY_MD5 = hashlib.md5(b"", usedforsecurity=False).hexdigest()


@pytest.fixture
def source():
    return asking.source(PmcOaS3)


def listing(*keys, token=None):
    contents = "".join(f"<Contents><Key>{key}</Key><ETag>&quot;{EMPTY_MD5}&quot;</ETag><Size>7</Size></Contents>" for key in keys)
    more = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    return (
        '<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<IsTruncated>{'true' if token else 'false'}</IsTruncated>{more}{contents}</ListBucketResult>"
    )


def whole(pmcid="PMC17", version=1, *more):
    stem = f"{pmcid}.{version}"
    return [f"{stem}/{stem}.{ending}" for ending in ("json", "pdf", "txt", "xml")] + [f"{stem}/{name}" for name in more]


def listed(source, *keys, want=ALL, **asked):
    asked = asking.question(*want, pmcid="PMC17", **asked)
    return asking.read(source, asking.first(source, asked), asked, listing(*keys))


def links(found):
    return [(str(one.want), one.url.removeprefix(BUCKET + "/")) for one in found if isinstance(one, Link)]


# the listing


def test_it_begins_with_a_listing_that_no_longer_number_shares(source):
    step = asking.first(source, asking.question(*ALL, pmcid="PMC17"))
    assert step.url == f"{BUCKET}/?list-type=2&prefix=PMC17."
    request = source.request(asking.plan(source, step), "PMC17")
    assert request.headers["Accept-Encoding"] == b"gzip"
    assert "follow" not in request.meta


def test_files_are_linked_in_the_order_of_the_kinds_with_what_the_listing_says(source):
    found = listed(source, *whole("PMC17", 1, "one.s001.doc"))
    assert links(found) == [
        ("xml", "PMC17.1/PMC17.1.xml"),
        ("pdf", "PMC17.1/PMC17.1.pdf"),
        ("text", "PMC17.1/PMC17.1.txt"),
        ("supplementary", "PMC17.1/one.s001.doc"),
    ]
    assert {(one.version, one.size_bytes, one.md5) for one in found} == {(1, 7, EMPTY_MD5)}
    assert [one.filename for one in found] == ["PMC17.1.xml", "PMC17.1.pdf", "PMC17.1.txt", "one.s001.doc"]


def test_only_wanted_kinds_are_linked(source):
    assert links(listed(source, *whole("PMC17", 1, "one.doc"), want=("pdf",))) == [("pdf", "PMC17.1/PMC17.1.pdf")]


def test_names_are_quoted_in_addresses_and_kept_as_names(source):
    found = listed(source, *whole(), "PMC17.1/S1 Table (é) &amp; #1?.csv", want=("supplementary",))
    assert links(found) == [("supplementary", "PMC17.1/S1%20Table%20%28%C3%A9%29%20%26%20%231%3F.csv")]
    assert found[0].filename == "S1 Table (é) & #1?.csv"


def test_a_folder_s_own_key_is_no_file_and_a_nested_file_goes_by_its_last_name(source):
    found = listed(source, "PMC17.1/", *whole(), "PMC17.1/media/film.mp4", want=("supplementary",))
    assert [(one.filename, one.url.removeprefix(BUCKET)) for one in found] == [("film.mp4", "/PMC17.1/media/film.mp4")]


def test_keys_of_articles_that_look_alike_are_left_alone(source):
    alike = [*whole("PMC170"), *whole("PMC7"), *whole("XPMC17"), "PMC17/PMC17.xml", "PMC17.x/PMC17.x.xml", "metadata/PMC17.1.json"]
    assert links(listed(source, *alike, *whole(), want=("xml",))) == [("xml", "PMC17.1/PMC17.1.xml")]


# versions


def test_the_newest_version_is_taken_by_number(source):
    keys = [*whole("PMC17", 10), *whole("PMC17", 2), *whole("PMC17", 9)]
    assert links(listed(source, *keys, want=("xml",))) == [("xml", "PMC17.10/PMC17.10.xml")]


def test_there_need_not_be_a_first_version(source):
    assert links(listed(source, *whole("PMC17", 2), want=("xml",))) == [("xml", "PMC17.2/PMC17.2.xml")]


@pytest.mark.parametrize(("versions", "taken"), [(("all",), [3, 2, 1]), (("1",), [1]), (("2", "latest"), [3, 2]), (("7",), [])])
def test_versions_asked_for_are_linked_newest_first(source, versions, taken):
    keys = [key for number in (1, 2, 3) for key in whole("PMC17", number)]
    assert [one.version for one in listed(source, *keys, want=("xml",), versions=versions)] == taken


# pages


def test_a_listing_of_several_pages_gives_its_links_at_the_end(source):
    asked = asking.question("xml", pmcid="PMC17")
    (second,) = asking.read(source, asking.first(source, asked), asked, listing(*whole("PMC17", 1), token="a+b/="))
    assert isinstance(second, Step)
    assert second.url == f"{BUCKET}/?list-type=2&prefix=PMC17.&continuation-token=a%2Bb%2F%3D"
    (third,) = asking.read(source, second, asked, listing("PMC17.2/PMC17.2.pdf", token="c"))
    assert links(asking.read(source, third, asked, listing("PMC17.2/PMC17.2.xml"))) == [("xml", "PMC17.2/PMC17.2.xml")]


def test_a_page_that_repeats_its_token_ends_the_listing(source):
    asked = asking.question("xml", pmcid="PMC17")
    (second,) = asking.read(source, asking.first(source, asked), asked, listing(*whole(), token="again"))
    assert asking.missed(source, second, asked, listing(*whole(), token="again")) == Reason.UNAVAILABLE


def test_a_listing_without_end_is_given_up(source, monkeypatch):
    monkeypatch.setattr(pmc_oa_s3, "_MOST_KEYS", 3)
    asked = asking.question("xml", pmcid="PMC17")
    assert asking.missed(source, asking.first(source, asked), asked, listing(*whole(), token="more")) == Reason.UNAVAILABLE
    assert asking.missed(source, asking.first(source, asked), asked, listing(*whole())) == Reason.UNAVAILABLE


def test_pages_that_bring_nothing_come_to_an_end(source):
    asked = asking.question("xml", pmcid="PMC17")
    step = asking.first(source, asked)
    for number in range(100):
        (step,) = asking.read(source, step, asked, listing(token=f"t{number}"))
    assert asking.missed(source, step, asked, listing(token="t100")) == Reason.UNAVAILABLE


# no


@pytest.mark.parametrize("keys", [(), ("PMC17.1/",), tuple(whole("PMC170"))])
def test_a_listing_without_an_object_of_the_article_states_its_absence(source, keys):
    asked = asking.question("xml", pmcid="PMC17")
    assert asking.missed(source, asking.first(source, asked), asked, listing(*keys)) == Reason.ABSENT


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html><body>Welcome</body></html>",
        '{"Contents": []}',
        listing(*whole())[:-30],
        listing(*whole()).replace("<IsTruncated>false</IsTruncated>", ""),
        listing(*whole()).replace("<IsTruncated>false</IsTruncated>", "<IsTruncated>true</IsTruncated>"),
        "<Error><Code>InternalError</Code></Error>",
    ],
)
def test_what_is_no_whole_listing_states_nothing(source, body):
    asked = asking.question("xml", pmcid="PMC17")
    assert asking.missed(source, asking.first(source, asked), asked, body) == Reason.UNAVAILABLE


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (301, Reason.UNAVAILABLE),
        (400, Reason.UNAVAILABLE),
        (403, Reason.UNAVAILABLE),
        (404, Reason.ABSENT),
        (429, Reason.RATE_LIMITED),
        (503, Reason.UNAVAILABLE),
    ],
)
def test_statuses(source, status, reason):
    asked = asking.question("xml", pmcid="PMC17")
    body = "<Error><Code>Some</Code></Error>"
    assert asking.missed(source, asking.first(source, asked), asked, body, status=status) == reason


def test_without_a_pmcid_nothing_is_asked(source):
    assert source.declines(Ids(doi="10.1371/journal.pone.0000217")) == Reason.NEEDS_ID
    assert source.declines(Ids(pmcid="PMC17")) is None


# metadata: when it is asked for


@pytest.mark.parametrize(
    ("keys", "asked"),
    [
        (whole(), {"want": ("xml", "access")}),
        (whole(), {"want": ("pdf",), "gated": True}),  # a PDF cannot tell its licence
        (["PMC17.1/PMC17.1.pdf"], {"want": ("pdf",)}),  # nor is there an XML that could
    ],
)
def test_metadata_is_asked_for_before_the_files_when_it_is_needed(source, keys, asked):
    found = listed(source, *keys, **asked)
    assert isinstance(found[0], Step)
    assert found[0].url == f"{BUCKET}/metadata/PMC17.1.json"
    assert all(isinstance(one, Link) for one in found[1:])


@pytest.mark.parametrize("asked", [{"want": ALL}, {"want": ("xml",), "gated": True}])
def test_metadata_is_spared_where_the_xml_tells_all(source, asked):
    assert not any(isinstance(one, Step) for one in listed(source, *whole(), **asked))


# metadata: what it says


def described(source, record, *want, version=1):
    asked = asking.question(*(want or ("xml", "pdf", "supplementary", "access")), pmcid="PMC17")
    step = Step(step="describe", url=f"{BUCKET}/metadata/PMC17.{version}.json", state={"version": version})
    return asking.read(source, step, asked, record if isinstance(record, str) else json.dumps(record))


RECORD = {
    "pmcid": "PMC17",
    "version": 1,
    "pmid": 17375194,
    "doi": "10.1371/JOURNAL.pone.0000308",
    "is_pmc_openaccess": True,
    "is_manuscript": False,
    "is_historical_ocr": False,
    "is_retracted": False,
    "license_code": "CC BY",
    "xml_url": f"s3://pmc-oa-opendata/PMC17.1/PMC17.1.xml?md5={EMPTY_MD5}",
    "pdf_url": f"s3://pmc-oa-opendata/PMC17.1/PMC17.1.pdf?md5={EMPTY_MD5}",
    "text_url": None,
    "media_urls": [f"s3://pmc-oa-opendata/PMC17.1/one.s001.doc?md5={EMPTY_MD5}"],
}


def test_a_version_s_metadata(source):
    found = described(source, RECORD)
    assert [one for one in found if isinstance(one, Ids)] == [Ids(pmid="17375194"), Ids(doi="10.1371/journal.pone.0000308")]
    assert [(one.raw, one.spdx, one.basis, one.about) for one in found if isinstance(one, Claim)] == [
        ("CC BY", "LicenseRef-CC-BY", "pmc", "vor")  # a code names no version, and none is guessed
    ]
    assert [one for one in found if isinstance(one, Retraction)] == [Retraction(retracted=False)]
    assert links(found) == [
        ("xml", "PMC17.1/PMC17.1.xml"),
        ("pdf", "PMC17.1/PMC17.1.pdf"),
        ("supplementary", "PMC17.1/one.s001.doc"),
    ]
    assert {(one.md5, one.licence.spdx, one.stage) for one in found if isinstance(one, Link)} == {(EMPTY_MD5, "LicenseRef-CC-BY", None)}


def test_an_author_manuscript_is_another_version_of_the_article(source):
    found = described(source, RECORD | {"is_manuscript": True, "license_code": "TDM"})
    assert [(one.spdx, one.about) for one in found if isinstance(one, Claim)] == [("LicenseRef-PMC-TDM", "am")]
    assert {one.stage for one in found if isinstance(one, Link)} == {"accepted"}


def test_a_retraction(source):
    assert Retraction(retracted=True) in described(source, RECORD | {"is_retracted": True})


@pytest.mark.parametrize("unknown", [None, "false", 0, [], {}])
def test_a_retraction_that_is_not_stated_is_not_known(source, unknown):
    assert not [one for one in described(source, RECORD | {"is_retracted": unknown}) if isinstance(one, Retraction)]


@pytest.mark.parametrize("code", [None, "", 4, ["CC BY"], {"code": "CC BY"}])
def test_without_a_licence_code_there_is_no_claim(source, code):
    found = described(source, RECORD | {"license_code": code})
    assert not [one for one in found if isinstance(one, Claim)]
    assert {one.licence for one in found if isinstance(one, Link)} == {None}


def test_a_record_that_holds_nothing_but_its_name(source):
    assert described(source, {"pmcid": "PMC17"}) == []


@pytest.mark.parametrize(
    "ids", [{"pmid": None, "doi": None}, {"pmid": 0, "doi": "n/a"}, {"pmid": [1], "doi": {}}, {"pmid": True, "doi": 7}]
)
def test_identifiers_that_are_none_are_passed_over(source, ids):
    assert not [one for one in described(source, RECORD | ids) if isinstance(one, Ids)]


@pytest.mark.parametrize("media", [None, "s3://pmc-oa-opendata/PMC17.1/x.doc", {"a": 1}, 7, [None, 7, ["x"]]])
def test_media_urls_of_another_shape_are_passed_over(source, media):
    assert links(described(source, RECORD | {"media_urls": media}, "supplementary")) == []


@pytest.mark.parametrize(
    "address",
    [
        "https://pmc-oa-opendata.s3.amazonaws.com/PMC17.1/x.doc",
        "s3://another-bucket/PMC17.1/x.doc",
        "s3://pmc-oa-opendata/PMC170.1/x.doc",
        "s3://pmc-oa-opendata/PMC17.2/x.doc",
        "s3://pmc-oa-opendata/x.doc",
    ],
)
def test_addresses_of_anything_else_are_passed_over(source, address):
    assert links(described(source, RECORD | {"media_urls": [address]}, "supplementary")) == []


@pytest.mark.parametrize("record", ["", "null", "[]", '"PMC17"', "{", "<Error/>", "[" * 10_000, {}, {"pmcid": None}, {"pmcid": "PMC170"}])
def test_what_is_no_metadata_of_the_article_states_nothing(source, record):
    step = Step(step="describe", url=f"{BUCKET}/metadata/PMC17.1.json", state={"version": 1})
    body = record if isinstance(record, str) else json.dumps(record)
    assert asking.missed(source, step, asking.question("access", pmcid="PMC17"), body) == Reason.UNAVAILABLE


# files


def test_a_file_s_request_is_followed_and_may_be_resumed(source):
    xml, pdf = listed(source, *whole(), want=("xml", "pdf"))
    request = source.request(asking.plan(source, pdf), "PMC17")
    assert (request.url, request.meta["follow"], request.headers["Accept-Encoding"]) == (pdf.url, True, b"identity")
    assert request.meta["spool"] != source.request(asking.plan(source, xml), "PMC17").meta["spool"]


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, "<Error><Code>NoSuchKey</Code></Error>", Reason.ABSENT),
        (200, "<Error><Code>NoSuchKey</Code></Error>", Reason.ABSENT),
        (200, "<Error><Code>SlowDown</Code></Error>", Reason.UNAVAILABLE),
        (200, "", Reason.EMPTY),
        (200, "<article><front/></article>", Reason.ABSTRACT_ONLY),
        (200, "<html><head><title>Sorry</title></head></html>", Reason.WRONG_TYPE),
        (
            200,
            '<article><front><article-meta><article-id pub-id-type="pmcid">PMC170</article-id></article-meta></front>'
            "<body><p>Text.</p></body></article>",
            Reason.WRONG_ARTICLE,
        ),
    ],
)
def test_an_answer_that_is_not_the_full_text(source, status, body, reason):
    asked = asking.question("xml", pmcid="PMC17")
    link = Link(want="xml", url=f"{BUCKET}/PMC17.1/PMC17.1.xml", filename="PMC17.1.xml", version=1)
    assert asking.missed(source, link, asked, body, status=status) == reason
