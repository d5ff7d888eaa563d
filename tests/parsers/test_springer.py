"""Springer Nature's envelope: what comes out of it is a document by itself, to the byte as it was within."""

import pytest
from lxml import etree

from litcrawl.exceptions import Malformed
from litcrawl.parsers import springer

DOCTYPE = (
    '<!DOCTYPE response [\n<!ENTITY % article SYSTEM "http://jats.nlm.nih.gov/archiving/1.2/JATS-archivearticle1.dtd">\n'
    '<!ENTITY % book-part-wrapper SYSTEM "http://jats.nlm.nih.gov/extensions/bits/2.0/BITS-book2.dtd">\n\t]>'
)
ARTICLE = '<article dtd-version="1.2"  xml:lang="en"><?props open?><front/><body><p>Text &amp; <b>more</b> > all.</p></body></article >'


def envelope(*records, doctype=DOCTYPE, root="<response>", declaration='<?xml version="1.0" encoding="UTF-8"?>'):
    return (
        f'{declaration}\n<?xml-stylesheet type="text/xsl" href="/x.xsl"?>\n{doctype}{root}<apiMessage>Provided</apiMessage>'
        f"<query>doi:10.1186/a</query><apiKey>KEY</apiKey><result><total>{len(records)}</total></result>\n<records>{''.join(records)}</records>"
        "</response>"
    )


def articles(text, encoding="utf-8"):
    return springer.articles(text.encode(encoding))


def test_the_article_comes_out_byte_for_byte():
    (found,) = articles(envelope(ARTICLE))
    assert found == b'<?xml version="1.0" encoding="utf-8"?>\n' + ARTICLE.encode()
    assert b"KEY" not in found


def test_several_records_are_several_documents():
    chapter = "<book-part-wrapper><book-meta/></book-part-wrapper>"
    found = articles(envelope(ARTICLE, chapter, ARTICLE))
    assert [etree.fromstring(one).tag for one in found] == ["article", "book-part-wrapper", "article"]


@pytest.mark.parametrize("records", [[], ["  "], ["<article/>"]])
def test_no_record_is_none(records):
    assert articles(envelope(*records)) == []


@pytest.mark.parametrize(
    "text", ["", "<html><body><article>x</article></body></html>", "<article><body/></article>", '{"status": "Fail"}', "\0"]
)
def test_what_is_no_envelope_is_said_to_be_none(text):
    assert articles(text) is None


@pytest.mark.parametrize("lost", [len("</records></response>") + 1, 30, 60])
def test_an_article_that_is_cut_off_is_none(lost):
    with pytest.raises(Malformed, match="has no end"):
        articles(envelope(ARTICLE)[:-lost])


def test_namespaces_of_the_envelope_go_with_the_article():
    root = '<response xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml=\'urn:m\' xmlns:unused="urn:u">'
    inside = '<article xmlns:mml="urn:own"><body><p xlink:href="a"><mml:math/></p></body></article>'
    (found,) = articles(envelope(inside, root=root))
    document = etree.fromstring(found)
    assert document.nsmap == {"xlink": "http://www.w3.org/1999/xlink", "mml": "urn:own"}
    assert found.endswith(b'<body><p xlink:href="a"><mml:math/></p></body></article>')


def test_a_default_namespace_of_the_envelope_goes_with_the_article():
    (found,) = articles(envelope("<article><body/></article>", root='<response xmlns="urn:jats">'))
    assert etree.fromstring(found).tag == "{urn:jats}article"


def test_entities_of_the_envelope_go_with_the_article():
    doctype = '<!DOCTYPE response [<!ENTITY alpha "&#945;"><!ENTITY % pe SYSTEM "x.dtd"><!ENTITY unused "u">]>'
    (found,) = articles(envelope("<article><body><p>&alpha;</p></body></article>", doctype=doctype))
    assert etree.fromstring(found).findtext("body/p") == "α"
    assert b"unused" not in found and b"SYSTEM" not in found


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1252", "UTF-8"])
def test_the_encoding_is_kept(encoding):
    inside = "<article><body><p>Müller é</p></body></article>"
    (found,) = articles(envelope(inside, declaration=f'<?xml version="1.0" encoding="{encoding}"?>'), encoding)
    assert inside.encode(encoding) in found
    assert etree.fromstring(found).findtext("body/p") == "Müller é"


def test_utf_16_is_kept():
    (found,) = articles(envelope("<article><body><p>Müller 漢</p></body></article>", declaration='<?xml version="1.0"?>'), "utf-16")
    assert etree.fromstring(found).findtext("body/p") == "Müller 漢"


@pytest.mark.parametrize("encoding", ["x-unknown", "utf-8", "unicode_escape", "punycode"])
def test_bytes_that_are_not_of_their_encoding_stay(encoding):
    data = envelope("<article><body><p>@</p></body></article>", declaration=f'<?xml version="1.0" encoding="{encoding}"?>').encode()
    (found,) = springer.articles(data.replace(b"@", b"\xe9\xff"))
    assert b"<p>\xe9\xff</p>" in found


def test_tags_in_comments_data_and_attributes_are_none():
    inside = (
        "<article><!-- </article> --><body><p title='> &lt;/article>'><![CDATA[</article>]]></p><?x </article>?></body>"
        '<response>of the editor</response><sub-article a=">"/></article>'
    )
    (found,) = articles(envelope(inside))
    assert found.endswith(inside.encode())


@pytest.mark.parametrize(
    "hostile",
    [
        "<!--" * 400_000,
        "<![CDATA[" * 200_000,
        "<?x" * 400_000,
        '<article a="' * 200_000,
        "<article '" * 200_000,
        "<records xmlns:a='b'>" * 100_000,
        "<article></article>" * 100_000,
        "<article " + "a" * 2_000_000,
        "<records " + " ".join(f"xmlns:n{n}='u'" for n in range(8000)) + "><article>" + "n1:x " * 400_000 + "</article>",
        "<records xmlns:n='u'><article>" + "a" * 4_000_000 + "</article>",
    ],
)
def test_hostile_masses_cost_little(hostile):
    """Each takes well under a second; a pattern that goes back over them would take hours, and the test's time-out."""
    data = envelope().replace("</records></response>", hostile)
    try:
        found = articles(data)
    except Malformed:
        return
    assert found is not None
    assert len(found) <= 100
