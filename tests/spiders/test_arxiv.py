"""arXiv as a rung: which version's PDF, under which licence; what its refusals mean."""

import arxivs
import asking
import pytest

from litcrawl.arxiv import urls
from litcrawl.ids import Ids
from litcrawl.items import Claim, Licence, Link, Relation, Step, Title
from litcrawl.spiders.arxiv import Arxiv
from litcrawl.terms import Reason, Stage

PAPER = "2303.18112"
DOI = "10.48550/arxiv.2303.18112"
REF = "LicenseRef-arXiv-nonexclusive-distrib-1.0"


@pytest.fixture
def source():
    return asking.source(Arxiv)


def question(paper=PAPER, **more):
    return asking.question("pdf", arxiv=paper, doi=f"10.48550/arxiv.{paper}", **more)


def told(source, body, **more):
    asked = question(**more)
    return asking.read(source, asking.first(source, asked), asked, body)


def link(number, licence, spdx):
    held = Licence(raw=licence, spdx=spdx, basis="arxiv") if licence else None
    return Link(want="pdf", url=f"https://export.arxiv.org/pdf/{PAPER}v{number}", version=number, stage=Stage.PREPRINT, licence=held)


@pytest.mark.parametrize("paper", [PAPER, "math/0601001", "hep-th/9901001"])
def test_it_begins_with_the_record_that_tells_the_versions(source, paper):
    step = asking.first(source, question(paper))
    assert step.url == f"https://oaipmh.arxiv.org/oai?verb=GetRecord&identifier=oai:arXiv.org:{paper}&metadataPrefix=arXivRaw"


def test_the_newest_version_comes_with_the_licence_that_the_record_tells(source):
    found = told(source, arxivs.record(PAPER, "D", "D", licence=arxivs.CC_BY))
    claim = Claim(raw=arxivs.CC_BY, spdx="CC-BY-4.0", basis="arxiv", about="preprint", url=asking.first(source, question()).url)
    assert found == [Title(text="On a thing"), claim, link(2, arxivs.CC_BY, "CC-BY-4.0")]


def test_another_version_s_licence_stands_on_its_page(source):
    asked = question(versions=("1",))
    (_, step) = told(source, arxivs.record(PAPER, "D", "D"), versions=("1",))
    assert step == Step(step="page", url=f"https://export.arxiv.org/abs/{PAPER}v1", state={"version": 1})
    assert source.request(asking.plan(source, step), "key").meta["follow"]
    claim = Claim(raw=arxivs.CC_BY, spdx="CC-BY-4.0", basis="arxiv", about="preprint", url=step.url)
    assert asking.read(source, step, asked, arxivs.page(PAPER)) == [claim, link(1, arxivs.CC_BY, "CC-BY-4.0")]
    assert asking.read(source, step, asked, arxivs.page(PAPER, None)) == [link(1, None, None)]


@pytest.mark.parametrize(
    ("body", "url"),
    [
        (arxivs.page(PAPER), urls.page(PAPER, 2)),
        (arxivs.page(f"{PAPER}v2"), urls.page(PAPER, 1)),
        (arxivs.page(PAPER), "https://arxiv.org/abs/x"),
    ],
)
def test_another_version_s_page_tells_nothing_of_it(source, body, url):
    step = Step(step="page", url=url, state={"version": 1})
    assert asking.missed(source, step, question(versions=("1",)), body) == Reason.UNAVAILABLE


@pytest.mark.parametrize(("url", "set_aside"), [(urls.page(PAPER, 1), True), (urls.pdf(PAPER, 1), True), (urls.record(PAPER), False)])
def test_the_host_for_programs_is_asked_whatever_its_robots_txt_says_to_crawlers(source, url, set_aside):
    request = source.request({"step": "pdf" if "/pdf/" in url else "page", "url": url}, "key")
    assert request.meta.get("dont_obey_robotstxt", False) is set_aside


def test_all_versions_are_the_newest_first(source):
    found = told(source, arxivs.record(PAPER, "D", "D", "D"), versions=("all",))
    assert [one.url.rpartition("/")[2] for one in found if isinstance(one, Link | Step)] == [f"{PAPER}v{n}" for n in (3, 2, 1)]
    assert link(3, arxivs.NONEXCLUSIVE, REF) in found


def test_a_withdrawn_version_does_not_hide_those_before_it(source):
    body = arxivs.record(PAPER, "D", "I")
    asked = question()
    assert asking.missed(source, asking.first(source, asked), asked, body) == Reason.WITHDRAWN
    found = told(source, body, versions=("all",))
    assert [one.url for one in found if isinstance(one, Link | Step)] == [f"https://export.arxiv.org/abs/{PAPER}v1"]


def test_the_published_article_is_named_and_its_doi_is_not_the_paper_s(source):
    found = told(source, arxivs.record(PAPER, doi="10.1000/ABC, 10.48550/arXiv.2303.18112 nonsense"))
    assert [one for one in found if isinstance(one, Relation)] == [Relation(relation="published", ids=Ids(doi="10.1000/abc").as_dict())]
    assert not any(isinstance(one, Ids) for one in found)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (arxivs.refusal("idDoesNotExist"), Reason.ABSENT),
        (arxivs.refusal("badArgument"), Reason.UNAVAILABLE),
        (arxivs.refusal("cannotDisseminateFormat"), Reason.UNAVAILABLE),
        (arxivs.record("2303.99999"), Reason.UNAVAILABLE),
        (b"<html><body>busy</body></html>", Reason.UNAVAILABLE),
        (b"", Reason.UNAVAILABLE),
        (b"Rate exceeded.\n", Reason.RATE_LIMITED),
    ],
)
def test_what_a_record_s_refusal_means(source, body, reason):
    asked = question()
    assert asking.missed(source, asking.first(source, asked), asked, body) == reason


def test_a_pinned_version_that_there_is_not_is_absent(source):
    asked = question(versions=("5",))
    assert asking.missed(source, asking.first(source, asked), asked, arxivs.record(PAPER)) == Reason.ABSENT


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"body": b"<html><body>The PDF is being made.</body></html>"}, Reason.UNAVAILABLE),
        ({"body": b"Rate exceeded."}, Reason.RATE_LIMITED),
        ({"body": b"%PDF-1.5 cut"}, Reason.TRUNCATED),
        ({"status": 404}, Reason.ABSENT),
        ({"status": 403}, Reason.DENIED),
        ({"status": 429, "body": b"Rate exceeded."}, Reason.RATE_LIMITED),
    ],
)
def test_a_page_with_status_200_is_no_pdf_and_is_asked_for_again(source, answer, reason):
    assert asking.missed(source, link(1, None, None), question(), **answer) == reason


def test_a_pdf_is_kept_with_its_version_stage_and_licence(source):
    (found,) = asking.read(source, link(2, arxivs.NONEXCLUSIVE, REF), question(), arxivs.pdf())
    file = found.file
    assert (file.version, file.stage, file.licence.spdx, file.licence.basis, file.source) == (2, Stage.PREPRINT, REF, "arxiv", "arxiv")
