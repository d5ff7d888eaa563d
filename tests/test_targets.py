"""Where links that an upstream told of may lead, and where not."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import Response

from litcrawl import ladder
from litcrawl import ticket as tickets
from litcrawl.ids import Ids
from litcrawl.items import Heard, Link
from litcrawl.targets import LONGEST, Reach, fetchable, reach, shown
from litcrawl.terms import Reason, Want

NONE = [
    "", "x", "//host.test/x", "file:///etc/passwd", "ftp://host.test/x", "data:application/pdf,x", "javascript:alert(1)", "gopher://host.test/",
    "http://", "http:///x", "http://:80/", "http://@/", "http://host.test:0/", "http://host.test:99999/", "http://host.test:port/",
    "http://[::1", "http://[v1.a]@\u2025/", "http://x[::1]/", "http://" + "a" * 64 + ".test/", "http://" + "a." * 150 + "test/",
    "http://a..test/", "http://host.test/\ud800", "http://host.test/" + "x" * 100_000, "http://\u2100.test/",
]  # fmt: skip
PRIVATE = [
    "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://0/", "http://10.1.2.3/",
    "http://192.168.0.1:8080/x", "http://172.16.0.1/", "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://[::1]/",
    "http://[::]/", "http://[fe80::1]/", "http://[fd00::1]/", "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::a00:1]/", "http://localhost/",
    "https://LOCALHOST.:443/", "http://a.localhost/", "http://%6cocalhost/", "http://１２７.0.0.1/", "http://me:pw@127.0.0.1/",
    "http://host.test@127.0.0.1/", "http://224.0.0.1/", "http://255.255.255.255/",
]  # fmt: skip
WEB = [
    "http://host.test/x", "https://host.test:8443/x?y#z", "http://me:pw@host.test/", "http://bücher.test/ä b", "http://аpple.test/",
    "http://8.8.8.8/", "http://[2606:4700::1]/", "http://localhost.test/", "http://127.0.0.1.test/", "http://host.test./", "HTTP://HOST.TEST/",
]  # fmt: skip


@pytest.mark.parametrize("url", NONE)
def test_what_is_no_address_of_the_web(url):
    assert not fetchable(url)
    shown(url).encode()
    assert len(shown(url)) <= LONGEST


@pytest.mark.parametrize("url", PRIVATE)
def test_what_is_near_this_machine_is_for_those_who_are_there(url):
    assert [fetchable(url, each) for each in Reach] == [True, False, False]


@pytest.mark.parametrize("url", WEB)
def test_the_web(url):
    assert [fetchable(url, each) for each in Reach] == [True, True, True]


@given(
    st.text(max_size=12).map("http://".__add__) | st.text(alphabet="[]:@%.v1a\u2025\u200b\u00ad/\\#?", max_size=12).map("http://".__add__)
)
def test_whatever_may_be_fetched_is_a_request(url):
    if fetchable(url, Reach.PUBLIC):
        assert Request(url).url.startswith("http")


def answer(url="https://api.test/", ip=None, **meta):
    request = Request(url, meta=meta)
    return Response("https://cdn.test/" if "redirect_urls" in meta else url, ip_address=ip and ip_address(ip), request=request)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (answer(ip="8.8.8.8"), Reach.PUBLIC),
        (answer(ip="2606:4700::1"), Reach.PUBLIC),
        (answer(ip="127.0.0.41"), Reach.NAMED),
        (answer(), Reach.NAMED),  # off a cassette
        (answer(_scheme_proxy=True), Reach.PUBLIC),
        (answer(routed=True), Reach.PUBLIC),
        (answer("http://127.0.0.1:8000/", ip="127.0.0.1"), Reach.ANYWHERE),
        (answer("http://localhost:8000/", ip="::1"), Reach.ANYWHERE),
        (answer("http://10.0.0.1/", _scheme_proxy=True), Reach.ANYWHERE),
        (answer("http://127.0.0.1/x", ip="127.0.0.1", redirect_urls=["https://api.test/"]), Reach.NAMED),
        (answer("https://cdn.test/", ip="8.8.8.8", redirect_urls=["http://127.0.0.1/"]), Reach.ANYWHERE),
    ],
)
def test_who_leads_how_far(response, expected):
    assert reach(response) is expected


def test_a_ticket_keeps_how_far_its_links_lead():
    new = tickets.new("k", "f", Ids(doi="10.1/x"), want=["pdf"], rungs=[])
    links = [Link(want=Want.PDF, url=url) for url in ("http://10.0.0.1/a.pdf", "https://a.test/a.pdf")]
    told = ladder.add(new, "src", links, Reach.PUBLIC)
    assert [(one["url"], one["reach"]) for one in told["todo"]] == [("https://a.test/a.pdf", "public")]
    assert [(one["url"], one["reason"]) for one in told["tried"]] == [("http://10.0.0.1/a.pdf", Reason.UNSAFE)]
    heard = ladder.add(new, "src", [Heard(source="other", links=links)], Reach.NAMED)["heard"]["other"]
    assert {one["reach"] for one in heard} == {"named"}
    assert len(ladder.add(new, "src", links)["todo"]) == 2
