"""biorxiv: JATS of preprints, fetched as a browser fetches from their own hosts, and from no other."""

import json

import asking
import pytest

from litcrawl.ids import Ids
from litcrawl.items import Claim, Heard, Link, Relation, Step
from litcrawl.sources import default_sources
from litcrawl.spiders.biorxiv import Biorxiv
from litcrawl.terms import Reason, Want

API = "https://api.biorxiv.org"
DOI, ARTICLE = "10.1101/2024.04.01.587366", "10.1016/j.xgen.2025.100814"
ASKED = asking.question("xml", doi=DOI)


@pytest.fixture
def source():
    return asking.source(Biorxiv)


def xml_of(number):
    return f"https://www.biorxiv.org/content/early/2024/04/0{number}/2024.04.01.587366.source.xml"


def version(number, xml=None, doi=DOI, **fields):
    return {
        "doi": doi,
        "version": str(number),
        "jatsxml": xml_of(number) if xml is None else xml,
        "license": "cc_by",
        "published": "NA",
    } | fields


def read(source, *entries, asked=ASKED):
    body = json.dumps({"messages": [{"status": "ok"}], "collection": list(entries)})
    return asking.read(source, asking.first(source, asked), asked, body)


def links(found):
    return [(one.version, one.url) for one in found if isinstance(one, Link)]


def test_it_begins_at_the_likelier_server(source):
    assert asking.first(source, ASKED) == Step(step="details", url=f"{API}/details/biorxiv/{DOI}", state={"rest": ["medrxiv"]})
    medrxiv = asking.question("xml", doi="10.64898/2026.01.02.26343210")
    assert asking.first(source, medrxiv).url == f"{API}/details/medrxiv/10.64898/2026.01.02.26343210"


def test_the_newest_version_is_the_one_with_the_highest_number(source):
    found = read(source, version(2), version(10, xml_of(9)), version(1))
    assert links(found) == [(10, xml_of(9))]
    (link,) = (one for one in found if isinstance(one, Link))
    assert (link.stage, link.licence.raw, link.licence.basis) == ("preprint", "cc_by", "biorxiv")


def test_every_version_where_all_are_wanted(source):
    asked = asking.question("xml", versions=("all",), doi=DOI)
    assert links(read(source, version(1), version(2), version(3, ""), asked=asked)) == [(2, xml_of(2)), (1, xml_of(1))]


def test_one_answer_tells_what_the_open_api_is_asked_for_as_well(source):
    found = read(source, version(1, published=ARTICLE))
    claim = Claim(raw="cc_by", spdx="LicenseRef-CC-BY", basis="biorxiv", about="preprint", url=f"{API}/details/biorxiv/{DOI}")
    assert claim in found
    assert Relation(relation="published", ids=Ids(doi=ARTICLE).as_dict()) in found
    assert Heard(source="biorxiv_relations", links=[], facts=(Want.RELATED,)) in found


@pytest.mark.parametrize("entries", [[], [version(1, doi="10.1101/other")], [None, "x"]])
def test_a_preprint_that_is_not_there_is_sought_at_the_other_server(source, entries):
    body = json.dumps({"messages": [{"status": "no posts found"}], "collection": entries})
    (step,) = asking.read(source, asking.first(source, ASKED), ASKED, body)
    assert step == Step(step="details", url=f"{API}/details/medrxiv/{DOI}", state={"rest": []})
    assert asking.missed(source, step, ASKED, body) == Reason.ABSENT


@pytest.mark.parametrize("address", ["", None, 7, [], "ftp://x.test/a.xml", "javascript:1", "/relative.xml"])
def test_a_preprint_without_xml_has_none(source, address):
    body = json.dumps({"messages": [{"status": "ok"}], "collection": [version(1) | {"jatsxml": address}]})
    found = asking.read(source, asking.first(source, ASKED), ASKED, body)
    assert links(found) == []
    assert any(isinstance(one, Claim) for one in found), "what the answer tells besides stands"


@pytest.mark.parametrize(
    ("url", "guise"),
    [
        (xml_of(1), "chrome"),
        ("https://www.medrxiv.org/a.xml", "chrome"),
        ("https://www.biorxiv.org.evil.test/a.xml", None),
        ("https://xwww.biorxiv.org/a.xml", None),
        ("https://www.biorxiv.org:8443/a.xml", None),
        ("https://me@www.biorxiv.org/a.xml", None),
        ("http://www.biorxiv.org/a.xml", None),
        ("https://evil.test/www.biorxiv.org", None),
    ],
)
def test_a_browser_s_guise_is_for_those_hosts_alone(source, url, guise):
    assert source.request(asking.plan(source, Link(want="xml", url=url)), "key").meta.get("impersonate") == guise


def test_the_open_api_is_asked_in_our_own_name(source):
    assert "impersonate" not in source.request(asking.plan(source, asking.first(source, ASKED)), "key").meta


def test_the_guise_is_a_setting():
    firefox = asking.source(Biorxiv, LITCRAWL_IMPERSONATE="firefox")
    assert firefox.request(asking.plan(firefox, Link(want="xml", url=xml_of(1))), "key").meta["impersonate"] == "firefox"


@pytest.mark.parametrize("doi", ["10.1101/gr.123456.111", "10.1101/sqb.2011.76.010736", ARTICLE, "10.48550/arxiv.2303.18112"])
def test_what_is_no_preprint_of_theirs_is_left_alone(source, doi):
    assert not source.serves(Ids(doi=doi))


def test_a_challenge_is_named(source):
    page = "<html><title>Just a moment...</title></html>"
    assert (
        asking.missed(source, Link(want="xml", url=xml_of(1)), ASKED, page, status=403, headers={"cf-mitigated": "challenge"})
        == Reason.BLOCKED
    )
    assert asking.missed(source, Link(want="xml", url=xml_of(1)), ASKED, "error code: 1015", status=429) == Reason.BLOCKED


def test_it_is_off_unless_named(source):
    assert "biorxiv" not in default_sources(source.settings)
