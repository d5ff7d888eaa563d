import asking
import pytest
from archive import archive, words
from crawling import crawl
from loopback import Answer
from records import ABSTRACT, page

from litcrawl.spiders import meta_tags
from litcrawl.spiders.meta_tags import MetaTags
from litcrawl.terms import Reason

DOI = "10.5555/sentence"


def asked(doi=DOI):
    of = asking.source(MetaTags)
    question = asking.question("metadata", doi=doi)
    return of, asking.first(of, question), question


def test_the_page_is_found_through_the_resolver():
    of, step, _ = asked()
    assert step.url == "https://doi.org/10.5555/sentence"
    assert of.request_batch("doi", [DOI]).meta == {"follow": True}
    assert of.last


def test_a_page_tells_metadata():
    of, step, question = asked()
    (found,) = asking.read(of, step, question, page())
    assert (found.fields["title"], found.fields["abstract"]) == ("On sentences", ABSTRACT)


def test_the_header_says_how_a_page_is_encoded():
    of, step, question = asked()
    body = '<meta name="citation_title" content="Über Sätze">'.encode("iso-8859-1")
    (found,) = asking.read(of, step, question, body, headers={"Content-Type": "text/html; charset=iso-8859-1"})
    assert found.fields["title"] == "Über Sätze"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", Reason.ABSENT),
        (b"<html><body><noscript>You need to enable JavaScript</noscript></body></html>", Reason.ABSENT),
        (b"%PDF-1.5\nx\n%%EOF\n", Reason.ABSENT),
        (page((("citation_doi", "10.5555/other"), ("citation_title", "Another")), ()), Reason.WRONG_ARTICLE),
        (page((("citation_doi", DOI),), ()), Reason.ABSENT),
    ],
    ids=["nothing", "scripts", "file", "another's", "no more than its DOI"],
)
def test_a_page_without_metadata_is_a_miss(body, reason):
    of, step, question = asked()
    assert asking.missed(of, step, question, body) == reason


@pytest.mark.parametrize(
    ("status", "headers", "reason"),
    [
        (403, {}, Reason.DENIED),
        (403, {"cf-mitigated": "challenge"}, Reason.BLOCKED),
        (404, {}, Reason.ABSENT),
        (503, {}, Reason.UNAVAILABLE),
    ],
)
def test_what_a_status_means_is_about_the_page(status, headers, reason):
    of, step, question = asked()
    assert asking.missed(of, step, question, status=status, headers=headers) == reason


async def test_redirects_lead_to_the_page(tmp_path, monkeypatch):
    moves = {f"/{DOI}": Answer(302, headers=[("Location", "/landing")]), "/landing": Answer(301, headers=[("Location", "/landing/")])}
    async with archive() as world:
        monkeypatch.setattr(meta_tags, "RESOLVER", world.server.url(""))
        world.first = lambda path, n: moves.get(path) or Answer(body=page())
        settings = world.settings(LITCRAWL_SOURCES="meta_tags", LITCRAWL_PUBLICATION_COMPLETE="title,abstract")
        crawled = await crawl(tmp_path, spider="meta_tags", ids=DOI, settings=settings)
        assert world.asked == [f"/{DOI}", "/landing", "/landing/"]
    assert words(crawled) == {DOI: "complete"}
