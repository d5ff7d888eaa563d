"""Elsevier's XML: a body is the article's own sections; terms and identifiers are those of the article itself."""

import pytest

from litcrawl import licences
from litcrawl.parsers import elsevier, xml

NAMESPACES = (
    'xmlns="http://www.elsevier.com/xml/svapi/article/dtd" xmlns:ce="http://www.elsevier.com/xml/common/dtd" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/" '
    'xmlns:xocs="http://www.elsevier.com/xml/xocs/dtd"'
)
SECTIONS = "<ce:sections><ce:section><ce:section-title>Methods</ce:section-title><ce:para>We fed mice.</ce:para></ce:section></ce:sections>"
HIGHLIGHTS = (
    '<head><ce:abstract class="author-highlights"><ce:abstract-sec><ce:list>'
    + "".join(f"<ce:list-item><ce:para>Highlight {n}.</ce:para></ce:list-item>" for n in range(5))
    + "</ce:list></ce:abstract-sec></ce:abstract></head>"
)


def answer(core="", inside="", namespaces=NAMESPACES):
    article = f"<article><item-info><ce:doi>10.1016/j.item.1</ce:doi></item-info>{inside}</article>" if inside else ""
    original = f"<originalText><xocs:doc><xocs:serial-item>{article}</xocs:serial-item></xocs:doc></originalText>" if inside else ""
    return f"<full-text-retrieval-response {namespaces}><coredata>{core}</coredata>{original}</full-text-retrieval-response>"


def bulk(description="", article=""):
    return (
        '<doc:document xmlns:doc="urn:d" xmlns:rdf="urn:r" xmlns:ja="urn:j" xmlns:ce="urn:c" xmlns:dct="urn:t" xmlns:prism="urn:p" '
        f'xmlns:oa="urn:o"><rdf:RDF><rdf:Description>{description}</rdf:Description></rdf:RDF><ja:article>{article}</ja:article></doc:document>'
    )


def evidence(text):
    return elsevier.evidence(xml.parse(text.encode()).root)


def test_the_sections_of_its_body_make_a_full_text():
    found = evidence(
        answer("<dc:title>Of mice</dc:title><prism:doi>10.1016/j.x.2020.1</prism:doi>", HIGHLIGHTS + f"<body>{SECTIONS}</body>")
    )
    assert found == {
        "root": "full-text-retrieval-response",
        "title": "Of mice",
        "ids": {"doi": "10.1016/j.x.2020.1"},
        "version": None,
        "has_body": True,
        "raw_text": False,
        "licences": [],
        "supplements": {},
    }


@pytest.mark.parametrize(
    "inside",
    [
        HIGHLIGHTS,
        HIGHLIGHTS + "<body><ce:sections/></body>",
        "<body><ce:sections><ce:section><ce:section-title>Methods</ce:section-title></ce:section></ce:sections></body>",
        "<head><ce:abstract><ce:sections><ce:para>In the abstract.</ce:para></ce:sections></ce:abstract></head>",
        "<body><ce:acknowledgment><ce:para>We thank.</ce:para></ce:acknowledgment></body>",
        "<tail><ce:bibliography><ce:para>1. Doe.</ce:para></ce:bibliography></tail>",
    ],
)
def test_highlights_abstracts_and_empty_sections_are_no_body(inside):
    found = evidence(answer("<dc:description>Abstract. Long.</dc:description>", inside))
    assert (found["has_body"], found["raw_text"]) == (False, False)


def test_core_data_alone_is_no_body():
    assert not evidence(answer("<dc:description>All of the abstract.</dc:description>"))["has_body"]


def test_another_prefix_or_none_is_the_same():
    other = answer("", f"<body>{SECTIONS}</body>").replace("ce:", "x:").replace("xmlns:ce", "xmlns:x")
    assert evidence(other)["has_body"]


def test_a_chapter_has_its_sections_without_a_body():
    assert evidence(answer("", SECTIONS))["has_body"]


def test_a_scan_has_raw_text_alone():
    scan = answer().replace(
        "</coredata>", "</coredata><originalText><xocs:doc><xocs:rawtext>OF  MICE</xocs:rawtext></xocs:doc></originalText>"
    )
    assert (evidence(scan)["has_body"], evidence(scan)["raw_text"]) == (True, True)
    empty = scan.replace("OF  MICE", "  ")
    assert (evidence(empty)["has_body"], evidence(empty)["raw_text"]) == (False, False)


def test_the_doi_of_its_item_serves_where_the_core_data_has_none():
    assert evidence(answer("<pubmed-id>123</pubmed-id>", f"<body>{SECTIONS}</body>"))["ids"] == {"doi": "10.1016/j.item.1", "pmid": "123"}


@pytest.mark.parametrize(
    ("core", "raw", "access", "spdx"),
    [
        (
            "<openaccess>1</openaccess><openaccessUserLicense>http://creativecommons.org/licenses/by/4.0/</openaccessUserLicense>",
            "http://creativecommons.org/licenses/by/4.0/",
            "open-access",
            "CC-BY-4.0",
        ),
        (
            "<openaccess>true</openaccess>"
            "<openaccessUserLicense> http://www.elsevier.com/open-access/userlicense/1.0/ </openaccessUserLicense>",
            "http://www.elsevier.com/open-access/userlicense/1.0/",
            "open-access",
            "LicenseRef-Elsevier-User-1.0",
        ),
        ("<openaccess>1</openaccess><openaccessUserLicense/>", None, "open-access", None),
    ],
)
def test_the_terms_that_it_states(core, raw, access, spdx):
    licence = licences.licence_of(evidence(answer(core)))
    assert (licence.raw, licence.access, licence.spdx, licence.basis) == (raw, access, spdx, "artifact")
    (claim,) = licences.claims_of(evidence(answer(core)))
    assert (claim.raw, claim.access, claim.spdx) == (raw, access, spdx)


@pytest.mark.parametrize("core", ["", "<openaccess>0</openaccess><openaccessUserLicense/>", "<openaccess>false</openaccess>"])
def test_who_states_no_terms_has_none(core):
    assert licences.licence_of(evidence(answer(core))) is None


def test_documents_of_the_bulk_delivery_are_read_alike():
    found = evidence(
        bulk(
            "<dct:title>Of rats</dct:title><prism:doi>10.1016/j.y.1</prism:doi><oa:openAccessInformation>"
            "<oa:openAccessStatus>http://vtw.test/OpenAccessStatus#Full</oa:openAccessStatus>"
            "<oa:userLicense>http://creativecommons.org/licenses/by-nc-nd/4.0/</oa:userLicense></oa:openAccessInformation>",
            f"<ja:body>{SECTIONS}</ja:body>",
        )
    )
    assert (found["root"], found["title"], found["ids"], found["has_body"]) == ("document", "Of rats", {"doi": "10.1016/j.y.1"}, True)
    licence = licences.licence_of(found)
    assert (licence.spdx, licence.access) == ("CC-BY-NC-ND-4.0", "open-access")


def test_any_other_document_has_no_body():
    assert not evidence("<document><p>Text</p></document>")["has_body"]


@pytest.mark.parametrize(
    "masses",
    [
        "<sections>" * 200 + "<a/>" * 10_000 + "</sections>" * 200,
        "<sections><a/></sections>" * 10_000,
        "<sections>" + "<label>x</label>" * 10_000,
    ],
)
def test_sections_in_masses_cost_what_they_weigh(masses):
    """Each takes milliseconds; to look at every one's whole content takes seconds at this size, and minutes at ten times it."""
    data = f"<document>{masses * 8}</document>" if masses.endswith("</sections>") else f"<document>{masses}</sections></document>"
    assert not evidence(data)["has_body"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            "<service-error><status><statusCode>A_B</statusCode><statusText>No, you.</statusText></status></service-error>",
            ("A_B", "No, you."),
        ),
        ('{"service-error": {"status": {"statusCode": "A_B", "statusText": "No."}}}', ("A_B", "No.")),
        ("<html>Forbidden</html>", ("", "")),
        ("", ("", "")),
        ("<statusCode>" * 10_000, ("", "")),
    ],
)
def test_an_error_message_is_read_in_either_form(body, told):
    assert elsevier.error(body.encode()) == told
