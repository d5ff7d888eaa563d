import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from litcrawl.exceptions import Exhausting, Malformed
from litcrawl.parsers import xml

BOMB = (
    b'<!DOCTYPE a [<!ENTITY e0 "lollollol">' + b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10)) + b"]>"
)


def text(document: xml.Document) -> str:
    return "".join(map(str, document.root.itertext()))


def test_a_well_formed_document_is_left_alone():
    document = xml.parse(b'<?xml version="1.0"?><a><b>x</b></a>')
    assert (text(document), document.repaired, document.cut, document.offset) == ("x", False, False, None)


def test_comments_and_instructions_do_not_split_text():
    assert xml.parse(b"<a>one<!-- no --><?no no?> two</a>").root.text == "one two"


@pytest.mark.parametrize(
    "declared",
    [
        b'<!ENTITY x SYSTEM "file:///etc/passwd">',
        b'<!ENTITY x SYSTEM "http://127.0.0.1:9/x">',
        b'<!ENTITY x PUBLIC "-//x" "http://127.0.0.1:9/x">',
    ],
)
def test_an_external_entity_is_never_read_but_leaves_a_mark(declared):
    assert text(xml.parse(b"<!DOCTYPE a [" + declared + b"]><a>before &x; after</a>")) == "before [x] after"


def test_an_external_parameter_entity_is_never_read(tmp_path):
    secret = tmp_path / "secret.dtd"
    secret.write_text('<!ENTITY stolen "secret">')
    document = xml.parse(f'<!DOCTYPE a [<!ENTITY % p SYSTEM "{secret.as_uri()}"> %p;]><a>&stolen;</a>'.encode())
    assert text(document) == "[stolen]"


def test_a_reference_to_a_dtd_is_not_followed():
    document = xml.parse(b'<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "http://127.0.0.1:9/JATS.dtd"><article>x</article>')
    assert (text(document), document.repaired) == ("x", False)


def test_internal_entities_are_resolved():
    document = xml.parse(b'<!DOCTYPE a [<!ENTITY who "Ann">]><a by="&who;">&who;</a>')
    assert (text(document), document.root.get("by"), document.repaired) == ("Ann", "Ann", False)


@pytest.mark.parametrize("use", [b"<a>&e9;</a>", b'<a b="&e9;"/>', b"<a>\x02&e9;</a>"])
def test_an_entity_bomb_is_refused(use):
    with pytest.raises(Malformed, match="entity bomb"):
        xml.parse(BOMB + use)


def test_an_entity_that_holds_itself_is_refused():
    with pytest.raises(Malformed):
        xml.parse(b'<!DOCTYPE a [<!ENTITY x "&x;">]><a>&x;</a>')


def test_a_broken_bomb_does_not_explode():
    assert len(text(xml.parse(BOMB + b"<a><b></c>&e9;"))) < 1000


def test_named_entities_of_a_dtd_that_is_not_read_are_resolved_and_no_repair():
    document = xml.parse(b'<!DOCTYPE a SYSTEM "x.dtd"><a>&squf;&mdash;&nosuch;</a>')
    assert (text(document), document.repaired) == ("▪—[nosuch]", False)


def test_named_entities_without_a_dtd_are_a_repair():
    document = xml.parse(b"<a>x &squf; y &LT; z</a>")
    assert (text(document), document.repaired) == ("x ▪ y < z", True)


def test_cdata_keeps_its_ampersands():
    document = xml.parse(b"<a>&squf; <![CDATA[a & b &squf;]]> <!-- & --> & c</a>")
    assert " ".join(text(document).split()) == "▪ a & b &squf; & c"


@pytest.mark.parametrize("bad", ["\x02", "\x00", "\ufffe", "\uffff", "&#2;", "&#xFFFE;", "&#xD800;", "&#99999999;"])
def test_characters_that_xml_forbids_leave_a_mark_and_the_offset(bad):
    document = xml.parse(f"<a>before {bad} after</a>".encode())
    assert text(document) == "before \ufffd after"
    assert document.repaired
    assert document.offset in range(8, 24)


def test_the_offset_counts_bytes_over_lines():
    data = "<a>é\né\n  \x02</a>".encode()
    assert xml.parse(data).offset == data.index(b"\x02")


@pytest.mark.parametrize(
    ("declared", "actual"),
    [
        ("utf-8", "latin-1"),
        ("utf-8", "windows-1252"),
        ("iso-8859-99", "utf-8"),
        ("utf-16", "utf-8"),
        ("utf-7", "utf-8"),
        ("us-ascii", "utf-8"),
    ],
)
def test_a_wrong_declared_encoding(declared, actual):
    document = xml.parse(f'<?xml version="1.0" encoding="{declared}"?><a>Müller, naïve</a>'.encode(actual))
    assert (text(document), document.repaired) == ("Müller, naïve", True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "iso-8859-1", "windows-1252", "utf-8-sig"])
def test_a_true_encoding_is_no_repair(encoding):
    name = "utf-16" if encoding.startswith("utf-16") else encoding.removesuffix("-sig")
    document = xml.parse(f'<?xml version="1.0" encoding="{name}"?><a>Müller</a>'.encode(encoding))
    assert (text(document), document.repaired) == ("Müller", False)


def test_one_broken_byte_does_not_turn_utf_8_into_latin_1():
    assert text(xml.parse("<a>naïve Müller ".encode() + b"\xff</a>")) == "naïve Müller \ufffd"


def test_a_huge_text_node_is_no_repair():
    document = xml.parse(b"<a>" + b"x" * 10_100_000 + b"</a>")
    assert (len(document.root.text), document.repaired) == (10_100_000, False)


def test_deep_nesting_is_survived_and_refused_where_no_parser_goes():
    assert not xml.parse(b"<a>" * 1500 + b"</a>" * 1500).repaired
    with pytest.raises(Malformed):
        xml.parse(b"<a>" * 100_000 + b"</a>" * 100_000)


@pytest.mark.parametrize(
    "data",
    [
        b"<article><body><p>text",
        b"<article><body><p>te</p></body></articl",
        b"<article><p>x &am",
        b"<x:a xmlns:x='u'><b>",
        b"<article><p a='",
    ],
)
def test_a_document_that_was_cut_off_is_told_apart(data):
    assert xml.parse(data).cut


@pytest.mark.parametrize(
    "data",
    [
        b"<a><b>x</a>",
        b"<a>x & y</a >\n\n",
        b"<x:a xmlns:x='u'>&nope;</x:a>\0\0",
        b"<a>x</a>trailing",
        b"\n<?xml version='1.0'?><a/>",
        b"<a>\x02</a>",
    ],
)
def test_a_broken_document_that_is_whole_is_not_cut(data):
    document = xml.parse(data)
    assert (document.repaired, document.cut) == (True, False)


def test_junk_before_the_first_tag_is_left_out():
    document = xml.parse(b"Warning: something\n<?xml version='1.0'?><a>x</a>")
    assert (text(document), document.repaired) == ("x", True)


@pytest.mark.parametrize("data", [b"", b"   ", b"plain text", b"\x1f\x8b\x08\0\0", bytes(range(256)) * 4])
def test_nothing_to_use(data):
    with pytest.raises(Malformed):
        xml.parse(data)


@pytest.mark.parametrize("piece", [b"<!DOCTYPE a [", b"<![CDATA[", b"<!--", b"&x", b"&", b" ", b"<a b='", b"]>", b"%p;"])
def test_no_input_takes_long(piece):
    """Quadratic work on these would outlast the time limit of a test."""
    for data in (piece * 60_000, b"<a>\x02" + piece * 60_000, b"<!DOCTYPE a [<!ENTITY x 'y'>" + piece * 60_000 + b"]><a>\x02</a>"):
        with contextlib.suppress(Malformed):
            xml.parse(data)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_document_or_malformed(data):
    for candidate in (data, b"<a>" + data + b"</a>"):
        try:
            assert isinstance(xml.parse(candidate).root, etree._Element)
        except Malformed as error:
            assert str(error)


def test_files_are_parsed_from_their_path(tmp_path):
    path = tmp_path / "http:--x.xml"
    path.write_bytes(b"<a>x</a>")
    assert text(xml.parse_file(path)) == "x"
    path.write_bytes(b"<a>&squf;\x02</a>")
    assert text(xml.parse_file(path)) == "▪\ufffd"
    path.write_bytes(b"<a><b>")
    assert xml.parse_file(path).cut


def test_a_broken_file_too_large_to_mend_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(xml, "MAX_MENDED", 5)
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a>&squf;</a>")
    with pytest.raises(Malformed, match="too large"):
        xml.parse_file(path)


@pytest.mark.parametrize("piece", [b"<p/>", b'<p a="" b=""/>', b"<p>&amp;</p>", b"<p>&nbsp;<b></p>"])
def test_a_mass_of_nodes_is_refused_before_it_is_parsed(piece, tmp_path, monkeypatch):
    monkeypatch.setattr(xml, "MAX_WEIGHT", 1000)
    path = tmp_path / "mass.xml"
    path.write_bytes(b"<a>" + piece * 1000 + b"</a>")
    with pytest.raises(Exhausting):
        xml.parse(path.read_bytes())
    with pytest.raises(Exhausting):
        xml.parse_file(path)


def test_a_document_that_is_too_large_for_memory_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "text.xml"
    path.write_bytes(b"<a>" + b"x" * 3_000_000 + b"</a>")
    monkeypatch.setattr(xml, "MAX_SIZE", path.stat().st_size - 1)
    with pytest.raises(Exhausting):
        xml.parse_file(path)
    monkeypatch.setattr(xml, "MAX_SIZE", path.stat().st_size)
    assert not xml.parse_file(path).repaired


def test_a_text_of_any_length_is_no_mass(tmp_path, monkeypatch):
    monkeypatch.setattr(xml, "MAX_WEIGHT", 1000)
    path = tmp_path / "text.xml"
    path.write_bytes(b"<a>" + b"x" * 3_000_000 + b"</a>")
    assert len(text(xml.parse_file(path))) == 3_000_000
