"""
What the sources of files may be sent in XML: full texts, listings and refusals of any shape.

Whatever comes is findings or a `Miss`, never another exception. Single kinds of hostile documents are in `parsers/test_xml.py`
and `test_hostile_hosts.py`.
"""

import asking
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.http import Response

from litcrawl import ladder, licences
from litcrawl import ticket as tickets
from litcrawl.exceptions import Miss
from litcrawl.ids import Ids
from litcrawl.items import Step
from litcrawl.parsers import jats, xml
from litcrawl.source import Found
from litcrawl.spiders.elsevier_oa import ElsevierOa
from litcrawl.spiders.europe_pmc import EuropePmc
from litcrawl.spiders.europe_pmc_bookshelf import EuropePmcBookshelf
from litcrawl.spiders.pmc_oa_s3 import PmcOaS3
from litcrawl.spiders.springer_oa import SpringerOa

ASKED = asking.question("xml", "pdf", "supplementary", "access", pmcid="PMC17", bookid="NBK5")
FULL = {"step": "xml", "url": "https://files.test/a.xml", "filename": "a.xml"}
ZIP = {"step": "supplementary", "url": "https://files.test/a.zip", "filename": "PMC17.zip"}
LIST = {"step": "listing", "url": "https://files.test/", "state": {"keys": [], "token": None, "pages": 1}}
SOURCES = [
    (PmcOaS3, LIST),
    (PmcOaS3, FULL),
    (EuropePmc, FULL),
    (EuropePmc, ZIP),
    (EuropePmcBookshelf, FULL),
    (ElsevierOa, FULL),
    (SpringerOa, FULL),
]
KINDS = [f"{source.__name__}-{step['step']}" for source, step in SOURCES]
BUILT = {source: asking.source(source) for source, _ in SOURCES}

NAMES = [
    "article", "front", "article-meta", "article-id", "permissions", "license", "license_ref", "license-p", "ext-link", "title-group",
    "article-title", "body", "sec", "p", "fig", "label", "caption", "graphic", "media", "supplementary-material", "inline-formula",
    "alternatives", "tex-math", "article-version-alternatives", "article-version", "book", "book-part-wrapper", "book-part",
    "book-part-meta", "book-part-id", "book-meta", "book-id", "collection-meta", "book-body", "ListBucketResult", "Contents", "Key",
    "Size", "ETag", "IsTruncated", "NextContinuationToken", "CommonPrefixes", "Prefix", "EncodingType", "Error", "Code",
    "fullTextXMLBean", "errorBean", "errCode", "errMsg", "message", "response", "records", "full-text-retrieval-response", "document",
    "coredata", "originalText", "doc", "sections", "section", "para", "item-info", "service-error", "statusCode", "rawtext", "head",
]  # fmt: skip
ROOTS = [
    "article", "book-part-wrapper", "book", "ListBucketResult", "Error", "fullTextXMLBean", "errorBean", "full-text-retrieval-response",
    "document", "response", "service-error",
]  # fmt: skip
ATTRIBUTES = [
    "pub-id-type", "book-id-type", "book-part-id-type", "license-type", "specific-use", "applies_to", "start_date", "href", "mimetype",
    "sec-type", "id",
]  # fmt: skip
TEXTS = [
    "", " ", "PMC17", "PMC17.1/PMC17.1.xml", "PMC17.1/../../x", "PMC17.1/a\nb", "PMC17.99999/x", "PMC17.٣/x.csv", "10.1000/..", "pmcid",
    "doi", "pmc", "NBK5", "open-access", "true", "false", "url", "%00%ff%2e%2e", "-1", "9" * 5000,
    "https://creativecommons.org/licenses/by/4.0/", "../../x.csv", "http://[", "NaN", "Y", "404", "\u202e", "x" * 3000, "<b>", "&#0;",
    "&nope;", "2020-99-99",
]  # fmt: skip


@st.composite
def documents(draw):
    """A tree of elements that the parsers look for, in any order, with anything in them."""

    def element(depth):
        name = draw(st.sampled_from(NAMES))
        attributes = "".join(
            f" {name}={_quoted(draw(st.sampled_from(TEXTS)))}"
            for name in draw(st.lists(st.sampled_from(ATTRIBUTES), max_size=2, unique=True))
        )
        if depth == 0:
            return f"<{name}{attributes}>{draw(st.sampled_from(TEXTS))}</{name}>"
        inner = "".join(element(depth - 1) if draw(st.booleans()) else draw(st.sampled_from(TEXTS)) for _ in range(draw(st.integers(0, 3))))
        return f"<{name}{attributes}>{inner}</{name}>"

    root = draw(st.sampled_from(ROOTS))
    inner = "".join(element(3) for _ in range(draw(st.integers(0, 4))))
    return f"{draw(st.sampled_from(['', '<!DOCTYPE a>', '<?x y?>']))}<{root}>{inner}</{root}>".encode()


def _quoted(text):
    return '"' + text.replace("<", "&lt;").replace('"', "") + '"'


def survives(source, step, body):
    """Findings or a Miss; and what was found can be taken down."""
    response = Response(step["url"], body=body)
    try:
        findings = list(BUILT[source].read(step, response, ASKED))
    except Miss:
        return
    ticket = tickets.new("PMC17", "pmc/PMC17", Ids(pmcid="PMC17"), want=["xml", "supplementary"], rungs=[])
    ticket = ladder.add(ticket, source.name, findings)
    for one in ticket["got"]:
        assert one["path"].startswith("pmc/PMC17/")
        assert ".." not in one["path"].split("/")
    for found in findings:
        if isinstance(found, Found):
            licences.claims_of(found.file.evidence or {})


@pytest.mark.parametrize(("source", "step"), SOURCES, ids=KINDS)
@settings(max_examples=40, deadline=None)
@given(body=documents())
def test_any_tree_of_known_names(source, step, body):
    survives(source, step, body)


GOOD = (
    '<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta><article-id pub-id-type="pmcid">PMC17</article-id>'
    '<permissions><license license-type="open-access" xlink:href="https://creativecommons.org/licenses/by/4.0/"><license-p>Free.</license-p>'
    "</license></permissions></article-meta></front><body><p>Text.</p><supplementary-material><caption><p>C</p></caption>"
    '<media xlink:href="s1.csv"/></supplementary-material></body></article>'
)
LISTED = (
    "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>PMC17.1/PMC17.1.xml</Key><Size>12</Size></Contents>"
    "<Contents><Key>PMC17.1/s1.csv</Key><Size>5</Size></Contents></ListBucketResult>"
)
PIECES = [b"<", b">", b"</", b"&", b"<!--", b"]]>", b"<![CDATA[", b"\0", b'"', b"<!DOCTYPE x ["]


@pytest.mark.parametrize(("source", "step"), SOURCES, ids=KINDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_bytes_in_a_good_document(source, step, data):
    body = bytearray((LISTED if step is LIST else GOOD).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(body) - 1))
        piece = data.draw(st.binary(max_size=4) | st.sampled_from(PIECES))
        body[at : at + data.draw(st.integers(0, 9))] = piece
    survives(source, step, bytes(body))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
@pytest.mark.parametrize(("source", "step"), SOURCES, ids=KINDS)
def test_good_documents_are_good(source, step, encoding):
    body = f'<?xml version="1.0" encoding="{encoding}"?>{LISTED if step is LIST else GOOD}'.encode(encoding)
    if source not in (EuropePmcBookshelf, ElsevierOa) and step is not ZIP:
        assert list(BUILT[source].read(step, Response(step["url"], body=body), ASKED))


KEYS = [
    "PMC17.1/../../../etc/passwd", "/PMC17.1/x.csv", "PMC17.1//x.csv", "PMC17.1/C:\\x.csv", "PMC17.1/a/b/../../../c.csv", "PMC17.1/..",
    "PMC17.1/.", "PMC17.1/con.csv", "PMC17.1/x. . ", "PMC17.1/\u202efdp.exe", "PMC17.1/" + "é" * 500, "PMC17.1/S1.csv", "PMC17.1/s1.CSV",
    "PMC17.1/a\tb.csv", "PMC17.1/e\u0301.csv", "PMC17.1/\u00e9.csv", "PMC17.1/%2e%2e%2fx.csv", "PMC17.1/?x=y#z", "PMC17.9999/x.csv",
    "PMC17.99999/x.csv", "PMC17.٣/x.csv", "PMC17.1/PMC17.1.xml/../x", "PMC170.1/x.csv", "PMC17.-1/x.csv", "PMC17.1/PMC17.1.json",
    "PMC17.1/http://inside.test/x",
]  # fmt: skip


def test_addresses_made_of_keys_lead_to_the_bucket():
    contents = "".join(f"<Contents><Key>{key}</Key></Contents>" for key in KEYS)
    body = f"<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>".encode()
    every = asking.question("supplementary", pmcid="PMC17", versions=("all",))
    links = [one for one in BUILT[PmcOaS3].read(LIST, Response(LIST["url"], body=body), every) if not isinstance(one, Step)]
    assert len(links) >= 18
    for link in links:
        request = BUILT[PmcOaS3].request({"step": "supplementary", "url": link.url}, "PMC17")
        assert request.url.startswith("https://pmc-oa-opendata.s3.amazonaws.com/PMC17.")


@given(documents())
@settings(max_examples=60, deadline=None)
def test_evidence_of_any_tree_is_plain(body):
    evidence = jats.evidence(xml.parse(body).root)
    assert {type(one) for statement in evidence["licences"] for one in statement.values()} <= {str, type(None)}
    assert {type(one) for about in evidence["supplements"].values() for one in about.values()} <= {str, type(None)}
