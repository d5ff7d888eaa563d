import pytest

from litcrawl.items import Claim, Licence
from litcrawl.licences import about, allowed, claims_of, conflict, licence_of

CC_BY = "https://creativecommons.org/licenses/by/4.0/"
NOW = "2026-11-30T00:00:00Z"
PROSE = "Distributed under the Creative Commons Attribution 4.0 International License."


def stated(*statements: tuple, kind: str | None = None) -> dict:
    """Evidence with (via, raw, about, start) statements."""
    names = ("via", "raw", "about", "start")
    return {"licences": [dict.fromkeys(names) | dict(zip(names, one, strict=False)) | {"type": kind} for one in statements]}


def claim(spdx: str | None, basis: str = "artifact", **more: str | None) -> Claim:
    return Claim(raw="x", spdx=spdx, basis=basis, **more)


def test_the_first_statement_decides():
    evidence = stated(("href", CC_BY), ("license-type", "open-access"), ("text", "CC BY-NC 4.0"), kind="open-access")
    assert licence_of(evidence) == Licence(spdx="CC-BY-4.0", raw=CC_BY, access="open-access", basis="artifact")


def test_a_publisher_s_own_terms_decide_too():
    evidence = stated(("href", "https://journal.org/terms"), ("text", PROSE))
    assert licence_of(evidence) == Licence(spdx=None, raw="https://journal.org/terms", access=None, basis="artifact")


@pytest.mark.parametrize(
    ("kind", "text", "raw", "spdx"),
    [
        ("open-access", PROSE, PROSE, "CC-BY-4.0"),
        ("cc-by", PROSE, PROSE, "CC-BY-4.0"),
        ("cc-by-nc", PROSE, "cc-by-nc", "LicenseRef-CC-BY-NC"),
        ("open-access", "This is an open access article.", "open-access", None),
    ],
)
def test_a_mere_type_gives_way_to_a_text_that_says_which_licence(kind, text, raw, spdx):
    licence = licence_of(stated(("license-type", kind), ("text", text), kind=kind))
    assert (licence.raw, licence.spdx) == (raw, spdx)


@pytest.mark.parametrize("evidence", [{}, {"licences": []}, stated(("license_ref", CC_BY, "am")), stated(("license_ref", CC_BY, "tdm"))])
def test_no_statement_about_this_version_no_licence(evidence):
    assert licence_of(evidence) is None


def test_terms_that_begin_later_do_not_decide_yet():
    evidence = stated(("license_ref", CC_BY, "vor", "2027-05-01"), ("href", "https://journal.org/terms"))
    assert licence_of(evidence, at="2026-11-30T00:00:00Z").raw == "https://journal.org/terms"
    assert licence_of(evidence, at="2027-05-01T00:00:00Z").raw == CC_BY


def test_the_moment_is_now_where_none_is_given():
    """The gate asks without one, the stored licence is asked for with one: they must not differ."""
    assert licence_of(stated(("license_ref", CC_BY, "vor", "2999-05-01"))) is None
    assert licence_of(stated(("license_ref", CC_BY, "vor", "2001-05-01"))).raw == CC_BY


def test_every_statement_becomes_a_claim():
    evidence = stated(("license_ref", CC_BY, "textmining", "2020-01-01"), ("license-type", "open-access"), kind="open-access")
    assert claims_of(evidence, url="https://a.org/1", at=NOW) == [
        Claim(raw=CC_BY, spdx="CC-BY-4.0", access="open-access", basis="artifact", start="2020-01-01", url="https://a.org/1", at=NOW),
        Claim(raw="open-access", access="open-access", basis="artifact", url="https://a.org/1", at=NOW),
    ]


@pytest.mark.parametrize(
    ("word", "version"),
    [
        ("vor", "vor"),
        ("version-of-record", "vor"),
        ("AM", "am"),
        ("tdm", "tdm"),
        ("textmining", None),
        (None, None),
        ("", None),
        ("print", None),
    ],
)
def test_what_a_statement_is_about(word, version):
    assert about(word) == version


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ([], False),
        ([claim("CC-BY-4.0")], False),
        ([claim("CC-BY-4.0"), claim("CC-BY-4.0", "crossref")], False),
        ([claim("CC-BY-4.0"), claim("CC-BY-NC-4.0", "crossref")], True),
        ([claim("CC-BY-4.0"), claim("CC-BY-3.0", "crossref", about="vor")], True),
        ([claim("CC-BY-4.0"), claim("LicenseRef-CC-BY", "pmc")], False),
        ([claim("CC-BY-4.0"), claim("LicenseRef-CC-BY-NC", "pmc")], True),
        ([claim("CC-BY-4.0"), claim(None, "pmc")], False),
        ([claim("CC-BY-4.0"), claim("CC-BY-NC-ND-4.0", "crossref", about="am")], False),
        ([claim("CC-BY-4.0"), claim("LicenseRef-Elsevier-TDM-1.0", "crossref", about="tdm")], False),
        (
            [claim("LicenseRef-Elsevier-User-1.0", "crossref", start="2016-01-01"), claim("CC-BY-4.0", "crossref", start="2017-01-01")],
            False,
        ),
    ],
)
def test_contradictions(claims, expected):
    assert conflict(claims) is expected
    assert conflict(reversed(claims)) is expected


@pytest.mark.parametrize(
    ("name", "patterns", "expected"),
    [
        ("CC-BY-4.0", [], True),
        (None, [], True),
        ("CC-BY-4.0", ["CC-BY-*"], True),
        ("CC-BY-4.0", ["CC0-1.0", " cc-by-4.0 "], True),
        ("CC-BY-3.0-US", ["CC-BY-*"], True),
        ("CC-BY-NC-4.0", ["CC-BY-*"], False),
        ("CC-BY-4.0", ["CC-BY-3.0"], False),
        ("CC-BY-4.0", ["*"], False),
        ("CC0-1.0", ["CC0-*"], True),
        ("LicenseRef-CC-BY", ["CC-BY-*"], False),
        ("LicenseRef-CC-BY", ["LicenseRef-CC-BY"], True),
        (None, ["CC-BY-*"], False),
        (None, ["NONE"], True),
        ("CC-BY-4.0", ["CC.BY.4.0"], False),
    ],
)
def test_the_gate(name, patterns, expected):
    assert allowed(name, patterns) is expected
