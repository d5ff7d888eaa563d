import pytest

from litcrawl.exceptions import Malformed
from litcrawl.parsers import s3, xml

NS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
DIGEST = "0123456789abcdef0123456789ABCDEF"


def page(inside: str, truncated: str = "<IsTruncated>false</IsTruncated>") -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult {NS}><Name>b</Name>{truncated}{inside}</ListBucketResult>'.encode()


def contents(key: str = "PMC1.1/PMC1.1.xml", rest: str = "<Size>12</Size>") -> str:
    return f"<Contents><Key>{key}</Key>{rest}</Contents>"


def test_objects_in_the_order_of_the_listing():
    listing = s3.listing(page(contents("PMC1.1/a&amp;b.xml") + contents("PMC1.1/é.pdf", "<Size>0</Size>")))
    assert listing == ([("PMC1.1/a&b.xml", 12, None), ("PMC1.1/é.pdf", 0, None)], [], None)


@pytest.mark.parametrize(
    ("etag", "md5"),
    [
        (f"&quot;{DIGEST}&quot;", DIGEST.lower()),
        (DIGEST, DIGEST.lower()),
        (f"&quot;{DIGEST}-2&quot;", None),
        ("&quot;abc&quot;", None),
        ("", None),
    ],
)
def test_an_etag_is_an_md5_only_when_it_looks_like_one(etag, md5):
    assert s3.listing(page(contents(rest=f"<ETag>{etag}</ETag><Size>1</Size>"))).objects[0].md5 == md5


def test_a_size_may_be_missing():
    assert s3.listing(page(contents(rest=""))).objects == [("PMC1.1/PMC1.1.xml", None, None)]


def test_encoded_keys_are_decoded():
    listing = s3.listing(page("<EncodingType>url</EncodingType>" + contents("a%2Bb+c%C3%A9.xml")))
    assert listing.objects[0].key == "a+b cé.xml"
    assert s3.listing(page(contents("a%2Bb+c.xml"))).objects[0].key == "a%2Bb+c.xml"


def test_common_prefixes():
    assert s3.listing(page("<CommonPrefixes><Prefix>PMC1.1/</Prefix></CommonPrefixes>")).prefixes == ["PMC1.1/"]


def test_a_truncated_page_gives_its_token():
    more = "<IsTruncated>true</IsTruncated><NextContinuationToken>1a/+b=</NextContinuationToken>"
    assert s3.listing(page(contents(), more)).next_token == "1a/+b="


def test_a_token_of_a_last_page_is_not_followed():
    rest = "<IsTruncated>false</IsTruncated><NextContinuationToken>x</NextContinuationToken>"
    assert s3.listing(page("", rest)).next_token is None


@pytest.mark.parametrize(
    "data",
    [
        page("", "<IsTruncated>true</IsTruncated>"),
        page("", ""),
        page("", "<IsTruncated>maybe</IsTruncated>"),
        page(contents(rest="<Size>many</Size>")),
        page(contents(rest="<Size>-1</Size>")),
        page(contents(rest="<Size/>")),
        page(contents(rest="<Size>" + "9" * 5000 + "</Size>")),
        page("<Contents><Size>1</Size></Contents>"),
        page(contents("PMC1.1/" + "a" * 1018)),
        page(contents("PMC1.1/" + "é" * 509)),
        page(contents(), f"<IsTruncated>true</IsTruncated><NextContinuationToken>{'t' * 5000}</NextContinuationToken>"),
        page(contents())[:-5],
        page(contents()).replace(b"Contents>", b"Contents>\x02", 1),
        b"<html><body>busy</body></html>",
        b'{"a": 1}',
        b"[]",
        b"null",
        b"",
    ],
)
def test_anything_but_a_whole_listing_is_malformed(data):
    with pytest.raises(Malformed):
        s3.listing(data)


def test_the_code_of_an_error_document():
    assert s3.error_code(xml.parse(b"<Error><Code>NoSuchKey</Code><Message>x</Message></Error>").root) == "NoSuchKey"
    assert s3.error_code(xml.parse(b"<Error/>").root) == ""
    assert s3.error_code(xml.parse(b"<article/>").root) is None
