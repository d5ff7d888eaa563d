"""A word goes in every form that an echo may have; everything else stays."""

import html
import json
from urllib.parse import quote, quote_plus

import pytest

from litcrawl.wire.redaction import REDACTED, Redactor

CONTACT, KEY = "Jo.Doe+x@uni.edu", "se-sa_me/12+34=&<'\"\\~"


def escaped(text, form):
    return "".join(char if char.isalnum() else form(ord(char)) for char in text)


FORMS = {
    "plain": str,
    "upper case": str.upper,
    "lower case": str.lower,
    "quoted": lambda text: quote(text, safe=""),
    "quoted in lower case": lambda text: quote(text, safe="").lower(),
    "quoted in part": lambda text: quote(text, safe="@/"),
    "as a field": quote_plus,
    "quoted twice": lambda text: quote(quote(text, safe=""), safe=""),
    "quoted with all marks": lambda text: escaped(text, "%{:02X}".format),
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON in JSON": lambda text: json.dumps(json.dumps(text))[3:-3],
    "JSON with slashes": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON with all marks": lambda text: escaped(text, "\\u{:04x}".format),
    "JSON with all marks, in upper case": lambda text: escaped(text, "\\u{:04X}".format),
    "HTML": html.escape,
    "HTML twice": lambda text: html.escape(html.escape(text)),
    "HTML by number": lambda text: escaped(text, "&#{};".format),
    "HTML by hexadecimal number": lambda text: escaped(text, "&#X{:04X};".format),
    "HTML by name": lambda text: text.replace("@", "&commat;").replace("+", "&plus;").replace("/", "&sol;"),
    "JSON of a quoted one": lambda text: json.dumps(quote(text, safe=""))[1:-1],
}


@pytest.mark.parametrize("word", [CONTACT, KEY])
@pytest.mark.parametrize("form", FORMS)
def test_every_form(word, form):
    redactor = Redactor([CONTACT, KEY])
    text = FORMS[form](word)
    assert redactor.text(f"ä {text}.") == f"ä {REDACTED}."
    assert redactor.content(f"ä {text}.".encode()) == f"ä {REDACTED}.".encode()


def test_a_plus_that_was_read_as_a_space():
    assert Redactor([CONTACT]).text("Jo.Doe x@uni.edu Jo.Doe%20x@uni.edu") == f"{REDACTED} {REDACTED}"


@pytest.mark.parametrize("text", ["", "jo.doe@uni.edu", "Jo.Doe-x@uni.edu", "x@uni.edu", "%40%2B", "uni.edu Jo.Doe+x"])
def test_all_else_stays(text):
    redactor = Redactor([CONTACT, "short"])
    assert redactor.text(f"short {text}") == f"short {text}"
    assert redactor.content(b"\xff\x00" + text.encode()) == b"\xff\x00" + text.encode()


def test_a_word_that_holds_another_goes_whole():
    assert Redactor(["sesame", "sesame-street"]).text("sesame-street, sesame") == f"{REDACTED}, {REDACTED}"


@pytest.mark.parametrize("words", [[], ["", "key"]])
def test_without_words_all_stays(words):
    assert Redactor(words).text("a key") == "a key"
    assert Redactor(words).content(b"a key") == b"a key"


def test_json_stays_json():
    for ahead in ("", "\\", "\\\\", '"'):
        assert json.loads(Redactor(["+sesame+"]).text(json.dumps({"a": f"{ahead}+sesame+\\"})))["a"].endswith(f"{REDACTED}\\")


def test_a_hostile_text_costs_no_more_than_its_length():
    redactor = Redactor(["+sesame+"])
    for unit in ("\\", "%25", "&amp;", "&#0"):
        assert redactor.content(unit.encode() * 200_000 + b"sesame").endswith(b"sesame")
