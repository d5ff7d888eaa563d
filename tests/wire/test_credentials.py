"""No key is in anything above the credentials; below them, each key goes to its own host only."""

import json
import logging
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadFailedError
from scrapy.http import Response, TextResponse
from scrapy.settings import Settings

from litcrawl import __version__
from litcrawl.exceptions import BadArgument, Miss
from litcrawl.terms import Reason
from litcrawl.wire.credentials import Credentials
from litcrawl.wire.keys import CONTACT, JOINS, SETTINGS

ALL = {name: f"sesame-{number}/+=" for number, name in enumerate(SETTINGS)} | {CONTACT: "jo.doe+x@uni.edu"}


class Below:
    """The transport's place: keeps what it was sent, answers with what it is told."""

    def __init__(self, outcome=None):
        self.outcome, self.sent, self.closed = outcome, [], False

    async def fetch(self, request):
        self.sent.append(request)
        request.meta["download_latency"] = 0.5
        request.meta["received"] = [7]
        outcome = self.outcome(request) if callable(self.outcome) else self.outcome
        if isinstance(outcome, Exception):
            raise outcome
        return outcome or Response(request.url)

    async def close(self):
        self.closed = True


async def sent(url, values=ALL, **kwargs):
    below = Below()
    await Credentials(below, Settings(values)).fetch(Request(url, **kwargs))
    return below.sent[0]


@pytest.mark.parametrize(
    ("url", "query", "headers"),
    [
        (
            "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?db=pmc",
            {"api_key": "LITCRAWL_NCBI_API_KEY", "email": CONTACT, "tool": "litcrawl"},
            {},
        ),
        (
            "https://pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/?ids=1",
            {"api_key": "LITCRAWL_NCBI_API_KEY", "email": CONTACT, "tool": "litcrawl"},
            {},
        ),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC1/pdf/x.pdf", {}, {}),
        ("https://api.semanticscholar.org/graph/v1/paper/batch", {}, {"x-api-key": "LITCRAWL_SEMANTIC_SCHOLAR_API_KEY"}),
        ("https://api.openalex.org/works", {"api_key": "LITCRAWL_OPENALEX_API_KEY", "mailto": CONTACT}, {}),
        ("https://content.openalex.org/works/W1.pdf", {"api_key": "LITCRAWL_OPENALEX_API_KEY"}, {}),
        (
            "https://api.elsevier.com/content/article/doi/10.1/x",
            {},
            {"X-ELS-APIKey": "LITCRAWL_ELSEVIER_API_KEY", "X-ELS-Insttoken": "LITCRAWL_ELSEVIER_INSTTOKEN"},
        ),
        ("https://api.springernature.com/openaccess/jats?q=doi:1", {"api_key": "LITCRAWL_SPRINGER_API_KEY"}, {}),
        ("https://api.springernature.com/meta/v2/json?q=doi:1", {"api_key": "LITCRAWL_SPRINGER_META_API_KEY"}, {}),
        ("https://api.springernature.com/other", {}, {}),
        ("https://api.wiley.com/onlinelibrary/tdm/v1/articles/10.1", {}, {"Wiley-TDM-Client-Token": "LITCRAWL_WILEY_TDM_TOKEN"}),
        ("https://api.crossref.org/works/10.1/x", {"mailto": CONTACT}, {"Crossref-Plus-API-Token": "Bearer LITCRAWL_CROSSREF_PLUS_TOKEN"}),
        ("https://api.openaire.eu/graph/v3/research-products", {}, {"Authorization": "Bearer LITCRAWL_OPENAIRE_TOKEN"}),
        ("https://api.unpaywall.org/v2/10.1/x", {"email": CONTACT}, {}),
        ("https://www.ebi.ac.uk/europepmc/webservices/rest/search", {}, {}),
    ],
)
async def test_what_each_host_is_given(url, query, headers):
    def filled(text):
        for name, value in ALL.items():
            text = text.replace(name, value)
        return text

    request = await sent(url)
    given = dict(parse_qsl(urlsplit(request.url.removeprefix(url)).query or request.url.removeprefix(url)))
    assert given == {name: filled(value) for name, value in query.items()}
    assert request.url.startswith(url)
    assert {name.lower(): value for name, value in request.headers.to_unicode_dict().items() if name != "User-Agent"} == {
        name.lower(): filled(value) for name, value in headers.items()
    }


@pytest.mark.parametrize(
    "url",
    [
        "http://api.elsevier.com/content/x",
        "https://api.elsevier.com:8443/content/x",
        "https://api.elsevier.com.evil.example/content/x",
        "https://xapi.elsevier.com/content/x",
        "https://api.elsevier.com@evil.example/x",
        "https://evil.example/?u=https://api.elsevier.com/",
        "https://user@api.elsevier.com/x",
        "https://api.elsevier.com./x",
    ],
)
async def test_no_key_for_another_place(url):
    request = await sent(url)
    assert "sesame" not in repr((request.url, request.headers))


async def test_nothing_is_joined_without_a_value():
    for host in JOINS:
        request = await sent(f"https://{host}/entrez/eutils/meta/tools/idconv/", dict.fromkeys(SETTINGS, "") | {CONTACT: None})
        assert request.url == f"https://{host}/entrez/eutils/meta/tools/idconv/"
        assert list(request.headers.to_unicode_dict()) == ["User-Agent"]


async def test_who_asks():
    assert (await sent("http://x.example/")).headers["User-Agent"] == f"litcrawl/{__version__} (mailto:{ALL[CONTACT]})".encode()
    assert (await sent("http://x.example/", {})).headers["User-Agent"] == f"litcrawl/{__version__}".encode()
    assert (await sent("http://x.example/", headers={"User-Agent": "own"})).headers["User-Agent"] == b"own"


async def test_the_address_is_only_appended_to():
    assert (await sent("https://api.unpaywall.org/v2/10.1%2Fa;b?x=%20+&y#part", {CONTACT: "a+b@c.de"})).url == (
        "https://api.unpaywall.org/v2/10.1%2Fa;b?x=%20+&y&email=a%2Bb%40c.de#part"
    )
    assert (await sent("https://api.unpaywall.org/v2/1?email=own@x.edu")).url == "https://api.unpaywall.org/v2/1?email=own@x.edu"


async def test_the_request_itself_never_holds_a_key_but_gets_its_meta():
    below = Below()
    request = Request("https://api.openalex.org/works?a=1", method="POST", body=b"x", headers={"Accept": "y"}, meta={"spool": "s"})
    response = await Credentials(below, Settings(ALL)).fetch(request)
    assert "sesame" not in repr((request.url, request.headers, request.meta))
    assert request.headers.get("User-Agent") is None
    assert request.meta == {"spool": "s", "download_latency": 0.5, "received": [7]}
    assert response.url == request.url
    assert (below.sent[0].method, below.sent[0].body, below.sent[0].headers["Accept"]) == ("POST", b"x", b"y")


async def test_what_comes_back_is_clean():
    def echo(request):
        text = json.dumps({"url": request.url, "headers": dict(request.headers.to_unicode_dict())})
        return TextResponse(
            request.url, headers=[("Link", f"<{request.url}>; rel=next"), ("Link", "b"), ("X", "y")], body=text, encoding="utf-8"
        )

    for url in ("https://api.openalex.org/works", "https://api.crossref.org/works", "https://api.elsevier.com/content"):
        response = await Credentials(Below(echo), Settings(ALL)).fetch(Request(url))
        assert "sesame" not in repr((response.url, response.headers, response.text))
        assert "REDACTED" in response.text
        assert len(response.headers.getlist("Link")) == 2
        assert type(response) is TextResponse


@pytest.mark.parametrize("url", ["https://api.openalex.org/works", "https://x.example/", "http://x.example/"])
async def test_what_any_host_echoes_is_clean(url):
    """It was told the contact in the User-Agent; a redirect may have told it more."""

    def echo(request):
        agent = request.headers["User-Agent"].decode()
        text = f"{agent} {quote(agent)} {quote_plus(agent).lower()} {ALL['LITCRAWL_NCBI_API_KEY']}"
        return TextResponse(url, 302, headers={"Location": f"/?a={text}", "Set-Cookie": f"a={text}"}, body=text, encoding="utf-8")

    response = await Credentials(Below(echo), Settings(ALL)).fetch(Request(url))
    said = repr((response.headers, response.text)).lower()
    assert "uni.edu" not in said
    assert "sesame" not in said
    assert response.text.startswith(f"litcrawl/{__version__} (mailto:REDACTED) ")
    with pytest.raises(DownloadFailedError) as raised:
        await Credentials(Below(DownloadFailedError(f"to {quote(ALL[CONTACT])}.example")), Settings(ALL)).fetch(Request(url))
    assert str(raised.value) == "to REDACTED.example"


async def test_a_page_in_a_files_place_is_cleaned():
    below = Below(lambda request: Response(request.url, 403, body=ALL[CONTACT].encode()))
    response = await Credentials(below, Settings(ALL)).fetch(Request("https://x.example/a.pdf", meta={"spool": "s"}))
    assert response.body == b"REDACTED"


async def test_a_files_bytes_are_never_touched():
    body = f"<xml>{ALL['LITCRAWL_ELSEVIER_API_KEY']}</xml>".encode()
    below = Below(lambda request: Response(request.url, body=body))
    response = await Credentials(below, Settings(ALL)).fetch(Request("https://api.elsevier.com/content", meta={"spool": "s"}))
    assert response.body == body


async def test_a_key_that_an_envelope_quotes_does_not_stay_in_the_file_within():
    key, contact = ALL["LITCRAWL_SPRINGER_API_KEY"], ALL[CONTACT]
    below = Below(lambda request: Response(request.url, body=f"<apiKey>{key}</apiKey><email>{contact}</email>".encode()))
    request = Request("https://api.springernature.com/openaccess/jats?q=doi:1", meta={"verbatim": True})
    response = await Credentials(below, Settings(ALL)).fetch(request)
    assert response.body == f"<apiKey>REDACTED</apiKey><email>{contact}</email>".encode(), (
        "an author's address is theirs, also where it is ours"
    )


async def test_a_proxy_s_password_is_taken_out_of_what_came_by_it():
    below = Below(lambda request: Response(request.url, 302, headers={"Location": "/?pw=library%2F1"}, body=b"your password library/1"))
    wire = Credentials(below, Settings({"LITCRAWL_PROXY": {"x.example": "http://reader:library%2F1@proxy.example"}}))
    response = await wire.fetch(Request("https://x.example/"))
    assert (response.headers["Location"], response.body) == (b"/?pw=REDACTED", b"your password REDACTED")
    other = await wire.fetch(Request("https://other.example/"))
    assert other.body == b"your password library/1", "elsewhere it is a word like any other"


async def test_what_is_raised_is_clean_whatever_is_set():
    below = Below(UnicodeDecodeError("utf-8", b"reader:library", 0, 1, "no"))
    settings = Settings({"LITCRAWL_PROXY": {"x.example": "http://reader:library@proxy.example"}})
    with pytest.raises(UnicodeDecodeError) as raised:
        await Credentials(below, settings).fetch(Request("https://x.example/"))
    assert "library" not in repr(raised.value.args)


async def test_a_guise_has_its_own_name_and_no_contact():
    request = await sent("https://www.biorxiv.org/a.xml", meta={"impersonate": "chrome"})
    assert not request.headers


@pytest.mark.parametrize("kind", [DownloadFailedError, lambda text: Miss(Reason.TOO_LARGE, text)])
async def test_exceptions_are_clean_and_meta_comes_back_with_them(kind, caplog):
    def fail(request):
        error = kind(f"{request.url} {request.headers}")
        error.__cause__ = ValueError(request.url)
        return error

    request = Request("https://api.openalex.org/works?q=1")
    with pytest.raises((DownloadFailedError, Miss)) as raised:
        await Credentials(Below(fail), Settings(ALL)).fetch(request)
    logging.getLogger("x").error("failed", exc_info=raised.value)
    assert "sesame" not in caplog.text + repr(vars(raised.value))
    assert request.url in str(raised.value)
    assert request.meta["received"] == [7]


@pytest.mark.parametrize("value", ["a\r\nX-Injected: 1", "two words", "caf\xe9", "a\0b"])
def test_a_value_that_could_break_a_header_is_refused_without_being_quoted(value):
    with pytest.raises(BadArgument) as raised:
        Credentials(Below(), Settings({"LITCRAWL_ELSEVIER_API_KEY": value}))
    assert "LITCRAWL_ELSEVIER_API_KEY" in str(raised.value)
    assert value not in str(raised.value)


async def test_white_space_around_a_value_is_not_part_of_it():
    request = await sent("https://api.elsevier.com/x", {"LITCRAWL_ELSEVIER_API_KEY": " sesame-key\n"})
    assert request.headers["X-ELS-APIKey"] == b"sesame-key"


async def test_close_reaches_the_layer_below():
    below = Below()
    await Credentials(below, Settings()).close()
    assert below.closed
