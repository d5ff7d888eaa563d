"""
What the services of all sources may answer in JSON: any value at any place of a good answer, and masses of good ones.

Whatever comes, it is findings or a `Miss` (in a batch `Malformed` as well): never another exception, which would be the reason
`error` and a traceback. Bodies that are no JSON are in `parsers/test_json.py`.
"""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import asking
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.http import Response

from litcrawl import batch, ladder
from litcrawl import ticket as tickets
from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import Ids
from litcrawl.resolver import Resolver
from litcrawl.source import Source
from litcrawl.spiders.biorxiv import Biorxiv
from litcrawl.spiders.biorxiv_relations import BiorxivRelations
from litcrawl.spiders.crossref import Crossref
from litcrawl.spiders.crossref_tdm import CrossrefTdm
from litcrawl.spiders.europe_pmc_search import EuropePmcSearch
from litcrawl.spiders.ncbi_idconv import NcbiIdconv
from litcrawl.spiders.openalex import Openalex
from litcrawl.spiders.pmc_oa_s3 import PmcOaS3
from litcrawl.spiders.semantic_scholar import SemanticScholar
from litcrawl.spiders.springer import Springer
from litcrawl.spiders.unpaywall import Unpaywall
from litcrawl.terms import Reason

DOI, PMID, PMCID = "10.1000/a.1", "17", "PMC23"
IDS = Ids(doi=DOI, pmid=PMID, pmcid=PMCID)
SETTINGS = {"LITCRAWL_CONTACT": "someone@library.tld", "LITCRAWL_OPENALEX_API_KEY": "sesame"}
BY = "https://creativecommons.org/licenses/by/4.0/"

COPY = {
    "url": "https://repo.test/1", "url_for_pdf": "https://repo.test/1.pdf", "url_for_landing_page": "https://repo.test/1",
    "version": "acceptedVersion", "license": "cc-by", "is_best": True,
}  # fmt: skip
PLACE = {
    "is_oa": True, "pdf_url": "https://repo.test/2.pdf", "landing_page_url": "https://repo.test/2", "license": "cc-by",
    "version": "publishedVersion", "is_accepted": True, "is_published": True,
}  # fmt: skip
UPDATE = {"DOI": "10.1000/notice", "type": "retraction", "source": "publisher", "updated": {"date-parts": [[2020, 1, 2]]}}
WORK = {
    "DOI": DOI, "type": "journal-article", "title": ["A title"], "original-title": ["Ein Titel"],
    "license": [{"URL": BY, "content-version": "vor", "start": {"date-parts": [[2020, 1, 2]], "date-time": "2020-01-02T00:00:00Z"}}],
    "link": [
        {"URL": "https://p.test/a.pdf", "content-type": "application/pdf", "content-version": "vor", "intended-application": "text-mining"},
        {"URL": "https://p.test/a.xml", "content-type": "text/xml", "content-version": "am", "intended-application": "text-mining"},
    ],
    "relation": {"has-preprint": [{"id-type": "doi", "id": "10.1101/1"}], "is-retracted-by": [{"id-type": "doi", "id": "10.1000/r"}]},
    "update-to": [UPDATE], "updated-by": [UPDATE],
}  # fmt: skip
RECORD = {
    "id": PMID, "source": "MED", "pmid": PMID, "pmcid": PMCID, "doi": DOI, "title": "A title.", "license": "cc by", "isOpenAccess": "Y",
    "inEPMC": "Y", "hasBook": "Y", "authMan": "N", "pubTypeList": {"pubType": ["Review"]}, "fullTextIdList": {"fullTextId": ["PPR5"]},
    "commentCorrectionList": {"commentCorrection": [{"id": "5", "source": "MED", "type": "Erratum for", "reference": "J. doi: 10.1/x"}]},
}  # fmt: skip
PAPER = {
    "paperId": "x", "externalIds": {"DOI": DOI, "PubMed": PMID, "PubMedCentral": "23", "ArXiv": "2301.00001"}, "title": "A title",
    "openAccessPdf": {"url": "https://arxiv.org/pdf/2301.00001", "status": "GREEN", "license": "CCBY"},
}  # fmt: skip
OPENALEX = {
    "doi": f"https://doi.org/{DOI}", "ids": {"doi": f"https://doi.org/{DOI}", "pmid": f"https://pubmed.test/{PMID}", "pmcid": "23"},
    "title": "A title", "is_retracted": False, "open_access": {"oa_status": "green"}, "locations": [PLACE], "best_oa_location": PLACE,
    "primary_location": PLACE,
}  # fmt: skip
S3 = f"s3://pmc-oa-opendata/{PMCID}.1/{PMCID}.1"


@cache
def built(source: type[Source]) -> Source:
    return asking.source(source, **SETTINGS)


@dataclass(frozen=True)
class Service:
    """One kind of call: the source, a good answer to it, and the step that reads it; no step: the call is for many articles."""

    source: type[Source]
    good: Any
    step: str | None = None
    state: tuple[tuple[str, Any], ...] = ()
    kind: str = "doi"

    def read(self, answer: Any) -> dict[str, Any]:
        """What the ticket of the article is after this answer, but for the list of its steps."""
        return self.read_bytes(json.dumps(answer).encode())

    def read_bytes(self, body: bytes) -> dict[str, Any]:
        source = built(self.source)
        response = Response("https://service.test/", body=body)
        ticket = tickets.new("key", "folder", IDS, want=["pdf", "xml", "supplementary", "access"], rungs=[])
        if self.step is None:
            assert isinstance(source, Resolver)
            value = getattr(IDS, self.kind)
            answers = source.answers(response, self.kind, [value, "10.1000/other" if self.kind == "doi" else "99"])
            after = batch.record(ticket, source, self.kind, answers.get(value), Reason.OK)
        else:
            asked = asking.question("pdf", "xml", "supplementary", "access", "related", doi=DOI, pmid=PMID, pmcid=PMCID)
            step = {"step": self.step, "url": "https://service.test/", "state": dict(self.state)}
            after = ladder.add(ticket, source.name, list(source.read(step, response, asked)))
        json.dumps(after, ensure_ascii=False).encode()  # it is plain, and every text of it can be written
        return {name: value for name, value in after.items() if name != "tried"}

    def __str__(self) -> str:
        return f"{self.source.__name__}-{self.step or 'many'}"


SERVICES = [
    Service(
        Unpaywall,
        {"doi": DOI, "is_oa": True, "title": "A title", "oa_status": "green", "oa_locations": [COPY], "best_oa_location": COPY},
        "record",
    ),
    Service(Openalex, OPENALEX, "work", (("kind", "doi"), ("value", DOI))),
    Service(Openalex, {"meta": {"count": 1}, "results": [OPENALEX]}),
    Service(SemanticScholar, PAPER, "paper", (("kind", "doi"), ("value", DOI))),
    Service(SemanticScholar, [PAPER, None]),
    Service(Crossref, {"status": "ok", "message-type": "work", "message": WORK}, "work"),
    Service(Crossref, {"status": "ok", "message-type": "work-list", "message": {"total-results": 1, "items": [WORK]}}),
    Service(CrossrefTdm, {"status": "ok", "message-type": "work", "message": WORK}, "work"),
    Service(EuropePmcSearch, {"hitCount": 1, "resultList": {"result": [RECORD]}}, "search", (("kind", "doi"), ("value", DOI))),
    Service(EuropePmcSearch, {"hitCount": 1, "resultList": {"result": [RECORD, RECORD | {"source": "PPR", "id": "PPR5"}]}}),
    Service(
        NcbiIdconv, {"status": "ok", "records": [{"doi": DOI, "pmid": PMID, "pmcid": PMCID, "requested-id": PMID}]}, kind="pmid",
    ),
    Service(
        BiorxivRelations,
        {"messages": [{"status": "ok"}], "collection": [{"doi": DOI, "version": "2", "license": "cc_by", "published": "10.1000/2"}]},
        "details",
        (("rest", []),),
    ),
    Service(
        BiorxivRelations,
        {"messages": [{"status": "ok"}], "collection": [{"published_doi": DOI, "biorxiv_doi": "10.1101/1", "preprint_doi": "10.1101/1"}]},
        "pubs",
        (("rest", ["medrxiv"]),),
    ),
    Service(
        Biorxiv,
        {"messages": [{"status": "ok"}], "collection": [{"doi": DOI, "version": "2", "license": "cc_by", "jatsxml": "https://p.test/a.xml"}]},
        "details",
        (("rest", []),),
    ),
    Service(
        Springer,
        {"records": [{"doi": DOI, "title": "A title", "openaccess": "true", "url": [{"format": "pdf", "value": "http://p.test/a.pdf"}]}]},
        "record",
    ),
    Service(
        PmcOaS3,
        {
            "pmcid": PMCID, "pmid": 17, "doi": DOI, "license_code": "CC BY", "is_retracted": False, "is_manuscript": True,
            "xml_url": f"{S3}.xml?md5={'0' * 32}", "pdf_url": f"{S3}.pdf", "text_url": f"{S3}.txt", "media_urls": [f"{S3}/s1.csv"],
        },
        "describe",
        (("version", 1),),
    ),
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside, itself first."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        yield from places(one, (*path, name))


def put(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """A copy with another value at that place."""
    if not path:
        return other
    changed = copy.copy(value)
    changed[path[0]] = put(value[path[0]], path[1:], other)
    return changed


def survives(service: Service, answer: Any) -> None:
    try:
        service.read(answer)
    except Miss:
        pass
    except Malformed:
        assert service.step is None, "a call for one article is read to a Miss"


DEEP: Any = "deep"
for _ in range(90):
    DEEP = [{"a": DEEP}] if isinstance(DEEP, str) else [DEEP]
MANY = 3000
ODD = [
    None, True, False, 0, -1, 10**18, 10**400, 1e308, float("nan"), float("inf"), "", " ", "x" * 5000, "\x00", "\ud800", "\u202e\r\n",
    "../../../etc/passwd", "..", "/etc/passwd", "C:\\con", "http://[::1", "http://[v1.a]/x", "javascript:alert(1)", "10.1000/..", "NaN",
    [], {}, [[]], [None], [{}], {"": None}, [1, "a", None, {}], {"a": {"b": []}}, DEEP,
]  # fmt: skip


@pytest.mark.parametrize("service", SERVICES, ids=str)
def test_a_good_answer_is_good(service):
    after = service.read(service.good)
    told = [after[name] for name in ("claims", "related", "titles", "todo", "heard", "retracted")]
    assert any(told) or service.source is NcbiIdconv  # which tells identifiers alone


@pytest.mark.parametrize("service", SERVICES, ids=str)
def test_odd_values_at_every_place(service):
    for path in places(service.good):
        for odd in ODD:
            survives(service, put(service.good, path, odd))


@pytest.mark.parametrize("service", SERVICES, ids=str)
def test_anything_may_be_missing(service):
    for path in places(service.good):
        if path and isinstance(path[-1], str):
            answer = copy.deepcopy(service.good)
            inside = answer
            for name in path[:-1]:
                inside = inside[name]
            del inside[path[-1]]
            survives(service, answer)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([DOI, PMID, PMCID, "Y", "ok", BY, "MED"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["doi", "DOI", "id", "URL", "date-parts", "status"]) | st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("service", SERVICES, ids=str)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_value_at_any_place(service, data):
    answer = service.good
    for _ in range(data.draw(st.integers(1, 3))):
        answer = put(answer, data.draw(st.sampled_from(list(places(answer)))), data.draw(JSON))
    survives(service, answer)


@pytest.mark.parametrize("service", SERVICES, ids=str)
def test_other_spellings_of_json(service):
    good = json.dumps(service.good)
    for body in (good.encode("utf-16"), good.encode("utf-8-sig"), good.encode("utf-32-le")):
        assert service.read_bytes(body) == service.read(service.good)
    broken = [
        good.encode() + good.encode(),
        good.encode()[:-1],
        good.encode().replace(b'"', b"'"),
        b"\xff" + good.encode(),
        good.encode().replace(b"10.1000", b"10.1\xff00"),
        b")]}',\n" + good.encode(),
        b"callback(" + good.encode() + b")",
        b"\x1f\x8b" + good.encode(),
        b"<html>busy</html>",
        b"",
        b"null",
        b"NaN",
        b'"text"',
        b"0",
    ]
    for body in broken:
        with pytest.raises(Miss if service.step else (Miss, Malformed)):
            service.read_bytes(body)


@pytest.mark.parametrize("service", SERVICES, ids=str)
def test_of_a_name_that_comes_twice_the_last_counts(service):
    if isinstance(service.good, dict):
        good = json.dumps(service.good)
        assert (
            service.read_bytes(good.replace("{", '{"doi": 7, "records": 1, "pmcid": [], "message": 0, "results": {},', 1).encode())
            is not None
        )


@pytest.mark.parametrize("service", SERVICES, ids=str)
def test_masses_are_cut_to_what_an_article_has(service):
    """Every list with thousands of entries, different and good: what is made of them is bounded, and the work is not their square."""
    for path in places(service.good):
        at = service.good
        for name in path:
            at = at[name]
        if not (isinstance(at, list) and at and isinstance(at[0], dict)):
            continue
        many = [
            {name: f"{text}{n}" if name in ("URL", "url_for_pdf", "pdf_url", "id") else text for name, text in at[0].items()}
            for n in range(MANY)
        ]
        try:
            found = service.read(put(service.good, path, many))
        except (Miss, Malformed):
            continue
        lists = {"titles": 10, "claims": 100, "related": 1000, "todo": 300}
        assert {name: len(found[name]) for name in lists if len(found[name]) > lists[name]} == {}
        assert all(len(links) <= 300 for links in found["heard"].values())
