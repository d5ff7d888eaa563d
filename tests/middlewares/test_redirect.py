"""Redirects: which are followed, with what, and which are refused and why."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.http import Response
from scrapy.settings import Settings

from litcrawl.exceptions import Miss
from litcrawl.middlewares.redirect import RedirectMiddleware
from litcrawl.terms import Reason

START = "https://repo.org/a/b?c=1"


@pytest.fixture
def redirect() -> RedirectMiddleware:
    return RedirectMiddleware(Settings({"REDIRECT_MAX_TIMES": 10}))


def answer(request: Request, location: str | bytes, status: int = 302, cookies: tuple[str, ...] = (), ip: str | None = None) -> Response:
    return Response(
        request.url,
        status=status,
        headers={"Location": location, "Set-Cookie": list(cookies)},
        ip_address=ip_address(ip) if ip else None,
        request=request,
    )


def file_request(url: str = START, **kwargs: object) -> Request:
    return Request(url, meta={"follow": True}, **kwargs)


def reason(redirect: RedirectMiddleware, location: str | bytes, url: str = START) -> Reason:
    request = file_request(url)
    with pytest.raises(Miss) as miss:
        redirect.process_response(request, answer(request, location))
    return miss.value.reason


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://other.org/x.pdf", "https://other.org/x.pdf"),
        ("/x.pdf", "https://repo.org/x.pdf"),
        ("x.pdf", "https://repo.org/a/x.pdf"),
        ("?d=2", "https://repo.org/a/b?d=2"),
        ("//cdn.org/x.pdf", "https://cdn.org/x.pdf"),
        ("http://other.org/x.pdf", "http://other.org/x.pdf"),
        ("https://other.org:8443/x", "https://other.org:8443/x"),
        ("https://other.org/x.pdf#page=2", "https://other.org/x.pdf"),
        ("https://me:secret@other.org/x", "https://other.org/x"),
        ("  https://other.org/x\r\n y ", "https://other.org/x%20y"),
        ("/Größe.pdf".encode(), "https://repo.org/Gr%C3%B6%C3%9Fe.pdf"),
        ("/Größe.pdf".encode("latin-1"), "https://repo.org/Gr%C3%B6%C3%9Fe.pdf"),
        ("https://bücher.example/x".encode(), "https://xn--bcher-kva.example/x"),
        ("https:\\\\other.org\\x", "https://other.org/x"),
        ("/a%20b%2Fc", "https://repo.org/a%20b%2Fc"),
    ],
)
def test_where_a_location_leads(redirect: RedirectMiddleware, location: str | bytes, target: str) -> None:
    request = file_request()
    follow = redirect.process_response(request, answer(request, location))
    assert isinstance(follow, Request)
    assert follow.url == target
    assert follow.meta["redirect_urls"] == [START]


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://0x7f.1/",
        "http://10.0.0.8/x",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://100.64.0.1/",
        "http://0.0.0.0/",
        "http://999.1.1.1/",
        "http://224.0.0.1/",
        "http://[::1]/",
        "http://[::]/",
        "http://[fe80::1%25eth0]/",
        "http://[fc00::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://127.0.0.1./",
        "http://%31%32%37.0.0.1/",
        "http://１２７.0.0.1/".encode(),
        "http://127。0。0。1/".encode(),
        "http://localhost/",
        "http://LOCALHOST:8080/",
        "http://localhost./",
        "http://files.localhost/",
        "//localhost/x",
        "http:///x",
        "ftp://other.org/x.pdf",
        "file:///etc/passwd",
        "data:application/pdf,x",
        "javascript:alert(1)",
        "http://[::1",
        "http://other.org:port/",
        "http://other.org:99999/",
        "http://" + "a" * 70 + ".org/",
        "https://other.org/" + "x" * 100_000,
    ],
)
def test_unsafe_targets(redirect: RedirectMiddleware, location: str | bytes) -> None:
    assert reason(redirect, location) is Reason.UNSAFE


def test_a_public_literal_address_is_fine(redirect: RedirectMiddleware) -> None:
    request = file_request()
    assert redirect.process_response(request, answer(request, "https://8.8.8.8/x")).url == "https://8.8.8.8/x"


@pytest.mark.parametrize("start", ["http://127.0.0.1:8000/a", "http://localhost/a", "http://[::1]/a"])
def test_a_chain_that_began_at_a_local_address_may_stay_there(redirect: RedirectMiddleware, start: str) -> None:
    request = file_request(start)
    assert redirect.process_response(request, answer(request, "http://127.0.0.1:9000/b")).url == "http://127.0.0.1:9000/b"
    assert reason(redirect, "file:///etc/passwd", start) is Reason.UNSAFE


def test_it_counts_where_the_chain_began_not_where_it_is(redirect: RedirectMiddleware) -> None:
    request = Request("http://8.8.8.8/", meta={"follow": True, "redirect_urls": [START]})
    with pytest.raises(Miss, match="unsafe"):
        redirect.process_response(request, answer(request, "http://10.0.0.1/"))


@pytest.mark.parametrize(
    ("request_", "status", "location"),
    [
        (Request(START), 302, "/x"),  # an API call
        (file_request(), 302, ""),
        (file_request(), 304, "/x"),
        (file_request(), 300, "/x"),
        (file_request(), 201, "/x"),
        (file_request(), 200, "/x"),
    ],
)
def test_what_is_not_followed_passes_through(redirect: RedirectMiddleware, request_: Request, status: int, location: str) -> None:
    response = answer(request_, location, status)
    assert redirect.process_response(request_, response) is response


def test_a_loop_ends_at_the_second_visit(redirect: RedirectMiddleware) -> None:
    a = file_request("https://repo.org/a")
    b = redirect.process_response(a, answer(a, "https://repo.org/b#top"))
    with pytest.raises(Miss) as miss:
        redirect.process_response(b, answer(b, "https://repo.org/a#again"))
    assert miss.value.reason is Reason.LOOP


def test_a_cookie_test_is_passed_when_the_cookie_comes_back(redirect: RedirectMiddleware) -> None:
    start = file_request("https://journal.org/pdf")
    test = redirect.process_response(start, answer(start, "/pdf?cookieSet=1", cookies=("t=1; Path=/; HttpOnly",)))
    assert test.headers["Cookie"] == b"t=1"
    again = redirect.process_response(test, answer(test, "/pdf"))
    assert again.url == start.url
    assert again.headers["Cookie"] == b"t=1"


def test_a_cookie_test_that_goes_round_is_blocked(redirect: RedirectMiddleware) -> None:
    request = file_request("https://journal.org/pdf")
    targets = ["/pdf?cookieSet=1", "/pdf", "/pdf?cookieSet=1"]
    request = redirect.process_response(request, answer(request, targets[0], cookies=("t=1",)))
    request = redirect.process_response(request, answer(request, targets[1], cookies=("t=1",)))
    with pytest.raises(Miss) as miss:
        redirect.process_response(request, answer(request, targets[2], cookies=("t=1",)))
    assert miss.value.reason is Reason.BLOCKED


@pytest.mark.parametrize(("cookies", "expected"), [((), Reason.LOOP), (("n={n}",), Reason.BLOCKED)])
def test_ten_redirects_are_the_most(redirect: RedirectMiddleware, cookies: tuple[str, ...], expected: Reason) -> None:
    request = file_request("https://repo.org/0")
    for n in range(1, 11):
        request = redirect.process_response(request, answer(request, f"/{n}", cookies=tuple(each.format(n=n) for each in cookies)))
    assert request.url == "https://repo.org/10"
    assert len(request.meta["redirect_urls"]) == 10
    with pytest.raises(Miss) as miss:
        redirect.process_response(request, answer(request, "/11"))
    assert miss.value.reason is expected


def test_a_redirect_starts_anew_what_belongs_to_one_url(redirect: RedirectMiddleware) -> None:
    request = file_request()
    request.meta.update(tries=3, retry_times=2, waited=4.0, not_before=1.0, received=[7], spool="x", cb="kept")
    follow = redirect.process_response(request, answer(request, "https://other.org/"))
    assert {"tries", "retry_times", "waited", "not_before", "received"}.isdisjoint(follow.meta)
    assert follow.meta["spool"] == "x"
    assert request.meta["tries"] == 3


@pytest.mark.parametrize(("ip", "guarded"), [("8.8.8.8", True), ("127.0.0.2", False), (None, False)])
def test_a_chain_from_the_public_internet_stays_there(redirect: RedirectMiddleware, ip: str | None, guarded: bool) -> None:
    request = file_request()
    follow = redirect.process_response(request, answer(request, "https://other.org/", ip=ip))
    assert follow.meta.get("global_only", False) is guarded
    further = redirect.process_response(follow, answer(follow, "https://third.org/", ip="10.0.0.1"))
    assert further.meta.get("global_only", False) is guarded


def test_secrets_stay_with_their_origin(redirect: RedirectMiddleware) -> None:
    headers = {
        "Authorization": "Bearer x",
        "X-ELS-APIKey": "k",
        "Wiley-TDM-Client-Token": "t",
        "Referer": "https://x.org/",
        "Accept": "*/*",
    }
    request = file_request(headers=headers)
    same = redirect.process_response(request, answer(request, "/x"))
    assert set(same.headers) == {b"Authorization", b"X-Els-Apikey", b"Wiley-Tdm-Client-Token", b"Accept"}
    for target in ("https://other.org/", "http://repo.org/", "https://repo.org:8443/"):
        assert set(redirect.process_response(request, answer(request, target)).headers) == {b"Accept"}


PROXY, PASSWORD = "http://px:3128", b"Basic dTpwdw=="
ENVIRONMENT = {"http_proxy": "http://plain:3128", "https_proxy": "http://u:pw@px:3128", "no_proxy": "inside.org"}


@pytest.mark.parametrize(
    ("start", "location", "proxy", "password"),
    [
        (START, "/x", PROXY, PASSWORD),
        (START, "https://other.org/x", PROXY, PASSWORD),
        (START, "https://inside.org/x", None, None),
        (START, "http://other.org/x", "http://plain:3128", None),
        ("http://repo.org/a", "https://repo.org/a", PROXY, PASSWORD),
        ("https://inside.org/a", "https://repo.org/a", PROXY, PASSWORD),
    ],
)
def test_the_environments_proxy_is_chosen_anew(
    redirect: RedirectMiddleware, monkeypatch: pytest.MonkeyPatch, start: str, location: str, proxy: str | None, password: bytes | None
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.delenv(name.upper(), raising=False)
        monkeypatch.setenv(name, value)
    proxies = HttpProxyMiddleware()
    request = file_request(start)
    proxies.process_request(request)
    follow = redirect.process_response(request, answer(request, location))
    proxies.process_request(follow)
    assert (follow.meta.get("proxy"), follow.headers.get("Proxy-Authorization")) == (proxy, password)
    assert follow.meta.get("global_only", False) is ("inside.org" not in start), "a host past the proxy may be in a private network"


@pytest.mark.parametrize("location", ["/x", "https://other.org/x", "https://inside.org/x", "http://other.org/x"])
def test_a_proxy_of_the_requests_own_stays_with_its_password(
    redirect: RedirectMiddleware, monkeypatch: pytest.MonkeyPatch, location: str
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    proxies = HttpProxyMiddleware()
    request = file_request()
    request.meta["proxy"] = "http://me:mine@own:3128"
    proxies.process_request(request)
    follow = redirect.process_response(request, answer(request, location))
    proxies.process_request(follow)
    assert (follow.meta["proxy"], follow.headers["Proxy-Authorization"]) == ("http://own:3128", b"Basic bWU6bWluZQ==")


def test_a_password_is_for_its_own_proxy_only(redirect: RedirectMiddleware) -> None:
    request = file_request(headers={"Proxy-Authorization": "Basic c2VjcmV0"})
    request.meta.update(proxy="http://own:3128", _auth_proxy="http://another:3128")
    assert "Proxy-Authorization" not in redirect.process_response(request, answer(request, "/x")).headers


@pytest.mark.parametrize(
    ("status", "method", "then"),
    [(301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"), (303, "HEAD", "HEAD")],
)
def test_methods(redirect: RedirectMiddleware, status: int, method: str, then: str) -> None:
    request = file_request(method=method, body=b"{}" if method == "POST" else b"", headers={"Content-Type": "application/json"})
    follow = redirect.process_response(request, answer(request, "/x", status))
    assert follow.method == then
    assert follow.body == (b"{}" if then == "POST" else b"")


def test_an_api_that_has_moved_is_said_once_a_host(redirect: RedirectMiddleware, caplog: pytest.LogCaptureFixture) -> None:
    for url, location in (
        ("https://api.org/a?key=secret", "https://new.org/a?key=secret"),
        ("https://api.org/b", "https://newer.org/b"),
        ("https://other.org/", "/login"),
        ("https://third.org/", "https://[/"),
    ):
        request = Request(url)
        response = answer(request, location)
        assert redirect.process_response(request, response) is response
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    first, second, third = caplog.messages
    assert "api.org redirects its API to new.org" in first
    assert "secret" not in first
    assert "other.org redirects its API to other.org" in second
    assert "third.org redirects its API to what is no address" in third


PIECES = [
    "http://",
    "https:",
    "//",
    "/",
    "\\",
    "@",
    ":",
    "[",
    "]",
    "::1",
    "%00",
    "%zz",
    "\r\n",
    "\u2100",
    "\u3002",
    "xn--a",
    "\u00ad",
    "a" * 64,
    "..",
    "?",
    "#",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=7).map("".join) | st.binary(max_size=20), st.booleans())
def test_any_location_is_followed_refused_or_passed_through(location: str | bytes, api: bool) -> None:
    raw = location if isinstance(location, bytes) else location.encode("utf-8", "surrogatepass")
    request = Request(START) if api else file_request()
    response = Response(START, status=302, headers={"Location": raw, "Set-Cookie": [raw]})
    middleware = RedirectMiddleware(Settings({"REDIRECT_MAX_TIMES": 10}))
    try:
        after = middleware.process_response(request, response)
    except Miss as miss:
        assert miss.reason in (Reason.UNSAFE, Reason.LOOP)
    else:
        assert after is response or after.url.startswith(("http://", "https://"))
