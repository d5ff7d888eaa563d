"""Whole crawls down the whole ladder, off the cassette `ladder`: resolvers in batches, then every open source."""

import csv
import json

import pytest
from crawling import project_settings, replay

from litcrawl.sources import default_sources

LISTED = [
    "10000655",  # in PMC's bucket, and without a DOI
    "10000061",  # in Europe PMC alone; the ID Converter does not know it
    "10.7554/eLife.000008",  # the same article
    "10000579",  # no full text anywhere
    "10.3390/aommet00000009",  # an open copy, and text-mining links
    "10.3390/ictrcli00000111",  # every copy is cut, at the same byte in each try
    "10.1371/journal.pone.1000057",  # a copy behind a chain of redirects
    "10.1101/000076",  # a page in a PDF's clothes
    "10.3390/aosssoi00000041",  # a copy behind a login; its PMCID has no open text
    "10.1093/isprsta/ab000084",  # a copy that only Semantic Scholar knows
    "10000395",  # XML from Europe PMC, PDF from a repository
    "10.1101/000030",  # a preprint that was published
    "NBK1078",
    "10.5555/nothing.here",
    "arXiv:2307.00001",
    "10000729",  # retracted; a cookie test before it
    "10.1093/ssrsoi/ab000097",  # redirects in a circle
    "10.1016/j.aovrvis.2017.1000098",  # its text-mining link wants a key
    "10.1002/jopgpla.200000005",  # closed
]
ELIFE = "10.7554/elife.000008"
SETTINGS = {
    "LITCRAWL_SOURCES": default_sources(project_settings()),
    "LITCRAWL_CONTACT": "crawler@litcrawl.test",
    # a recording need not be spared
    "LITCRAWL_SLOTS": {},
    "LITCRAWL_BACKOFF": [0.01, 0.03],
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
}


async def crawl(out, ids=LISTED, cassette="ladder", **more):
    return await replay(out, cassette, ids=" ".join(ids), settings=SETTINGS, **more)


def asked(crawled):
    """Requests by host in the newest run, but for those to where files lie."""
    by_host = json.loads((crawled.run / "summary.json").read_bytes())["requests"]
    return {host: count for host, count in by_host.items() if host.startswith(("api.", "pmc.ncbi"))}


def came_from(article):
    """The source and the place of each body."""
    return {str(file.want): (file.source, file.path) for file in article.files if file.kind == "body"}


@pytest.fixture
async def crawled(tmp_path):
    return await crawl(tmp_path / "out")


async def test_every_row_has_its_word(crawled):
    words = {
        "pmid:10000655": ("complete", {}),
        ELIFE: ("complete", {}),
        "pmid:10000579": ("absent", {"xml": "absent", "pdf": "absent"}),
        "10.3390/aommet00000009": ("complete", {}),
        "10.3390/ictrcli00000111": ("absent", {"xml": "absent", "pdf": "unreadable"}),
        "10.1371/journal.pone.1000057": ("partial", {"xml": "absent"}),
        "10.1101/000076": ("absent", {"xml": "absent", "pdf": "wrong-type"}),
        "10.3390/aosssoi00000041": ("absent", {"xml": "absent", "pdf": "denied"}),
        "10.1093/isprsta/ab000084": ("complete", {}),
        "10.1007/s10050-019-00056-2": ("partial", {"supplementary": "absent"}),
        "10.1101/000030": ("complete", {}),
        "NBK1078": ("partial", {"pdf": "absent"}),
        "10.5555/nothing.here": ("absent", {"xml": "absent", "pdf": "absent"}),
        "arxiv:2307.00001": ("partial", {"xml": "needs-id"}),
        "10.1007/s10050-023-00104-4": ("absent", {"xml": "needs-key", "pdf": "needs-key"}),
        "10.1093/ssrsoi/ab000097": ("absent", {"xml": "absent", "pdf": "loop"}),
        "10.1016/j.aovrvis.2017.1000098": ("absent", {"xml": "needs-key", "pdf": "absent"}),
        "10.1002/jopgpla.200000005": ("absent", {"xml": "absent", "pdf": "absent"}),
    }
    assert {key: (str(one.outcome), dict(one.missing)) for key, one in crawled.articles.items()} == words
    assert sorted(row["raw"] for one in crawled.articles.values() for row in one.inputs) == sorted(LISTED)
    assert crawled.status == 0
    assert (crawled.run / "again.txt").read_text() == "# nothing is left to ask\n"


async def test_what_each_body_came_from(crawled):
    assert {key: came_from(one) for key, one in crawled.articles.items() if one.files} == {
        "pmid:10000655": {"xml": ("pmc_oa_s3", "pmid/10000655/body.xml"), "pdf": ("pmc_oa_s3", "pmid/10000655/body.pdf")},
        ELIFE: {"xml": ("europe_pmc", f"{ELIFE}/body.xml"), "pdf": ("unpaywall", f"{ELIFE}/body.pdf")},
        "10.3390/aommet00000009": {
            "xml": ("crossref_tdm", "10.3390/aommet00000009/body.xml"),
            "pdf": ("unpaywall", "10.3390/aommet00000009/body.pdf"),
        },
        "10.1371/journal.pone.1000057": {"pdf": ("unpaywall", "10.1371/journal.pone.1000057/body.pdf")},
        "10.1093/isprsta/ab000084": {
            "xml": ("crossref_tdm", "10.1093/isprsta%2Fab000084/body.xml"),
            "pdf": ("semantic_scholar", "10.1093/isprsta%2Fab000084/body.pdf"),
        },
        "10.1007/s10050-019-00056-2": {
            "xml": ("europe_pmc", "10.1007/s10050-019-00056-2/body.xml"),
            "pdf": ("semantic_scholar", "10.1007/s10050-019-00056-2/body.pdf"),
        },
        "10.1101/000030": {"xml": ("crossref_tdm", "10.1101/000030/body.xml"), "pdf": ("unpaywall", "10.1101/000030/body.pdf")},
        "NBK1078": {"xml": ("europe_pmc_bookshelf", "bookshelf/NBK1078/body.xml")},
        "arxiv:2307.00001": {"pdf": ("arxiv", "arxiv/2307.00001/body.pdf")},
    }


async def test_rows_that_prove_to_be_one_article_are_fetched_once(crawled):
    article = crawled.articles[ELIFE]
    assert sorted(row["row"] for row in article.inputs) == [2, 3]
    assert {name: value for name, value in article.ids.items() if value} == {"doi": ELIFE, "pmid": "10000061", "pmcid": "PMC3000043"}
    with (crawled.run / "rows.csv").open(encoding="utf-8-sig", newline="") as file:
        second, third = list(csv.DictReader(file))[1:3]
    assert second | {"row": "3"} == third
    urls = [one["url"] for one in article.attempts if one["url"]]
    assert len(urls) == len(set(urls))


async def test_a_copy_from_elsewhere_is_held_against_the_article(crawled):
    pdf = next(file for file in crawled.articles["10.1371/journal.pone.1000057"].files)
    assert {"pdf-header", "pdf-eof", "doi"} <= set(pdf.checks)
    assert (pdf.stage, pdf.licence.spdx, pdf.licence.basis) == ("published", "LicenseRef-CC-BY-NC", "unpaywall")
    assert crawled.articles["10.1101/000030"].files[0].stage == "submitted"


async def test_a_retraction_is_told_even_where_no_file_is_to_be_had(crawled):
    told = {key: one.retracted for key, one in crawled.articles.items()}
    assert told["10.1007/s10050-023-00104-4"] is True
    assert told["10.3390/aommet00000009"] is False
    assert told["10.5555/nothing.here"] is None, "nobody said"


async def test_a_service_that_takes_many_is_not_asked_for_each(crawled):
    counts = asked(crawled)
    assert counts["pmc.ncbi.nlm.nih.gov"] == 2, "one call for the PMIDs, one for the DOIs"
    told = [one for article in crawled.articles.values() for one in article.attempts if one["step"] == "identifiers"]
    for name, host in (("crossref", "api.crossref.org"), ("semantic_scholar", "api.semanticscholar.org")):
        in_batches = sum(one["source"] == name for one in told)
        singly = [one for article in crawled.articles.values() for one in article.attempts if one["url"] and host in one["url"]]
        assert in_batches > 8
        assert counts[host] - len({one["url"] for one in singly}) <= 4
    assert "api.biorxiv.org" not in counts, "nobody wanted relations"


async def test_a_second_run_asks_for_nothing_that_was_answered(crawled):
    again = await crawl(crawled.out)
    assert {key: one.outcome for key, one in again.articles.items()} == {key: one.outcome for key, one in crawled.articles.items()}
    assert asked(again) == {"api.crossref.org": 1}, "for the link that wants a key: one may be set by now"
    rest = [one for one in LISTED if one != "10.1016/j.aovrvis.2017.1000098"]
    third = await crawl(crawled.out, rest, cassette="none")
    assert third.stats.get("downloader/request_count", 0) == 0
    assert third.status == 0


async def test_facts_alone(tmp_path):
    crawled = await crawl(tmp_path, want="access,related")
    assert crawled.files == []
    preprint = crawled.articles["10.1101/000030"]
    assert preprint.outcome == "complete"
    assert {claim.basis for claim in preprint.claims} == {"europe_pmc", "crossref", "unpaywall", "openalex", "biorxiv"}
    published = [(one.relation, one.ids["doi"] or one.ids["pmid"]) for one in preprint.related]
    assert published == [("published", "10000223"), ("published", "10.1007/s10020-014-00031-4")]
    assert crawled.articles["10.1007/s10050-023-00104-4"].retracted is True
    assert crawled.articles["NBK1078"].missing == {"access": "needs-id", "related": "needs-id"}
    nobody_s = crawled.articles["10.5555/nothing.here"]
    assert (nobody_s.outcome, nobody_s.missing, nobody_s.retracted) == ("absent", {"access": "absent"}, None)
    hosts = json.loads((crawled.run / "summary.json").read_bytes())["requests"]
    assert not [host for host in hosts if "scholars" in host]
    again = await crawl(crawled.out, cassette="none", want="access,related")
    assert again.stats.get("downloader/request_count", 0) == 0


async def test_addresses_alone(tmp_path):
    crawled = await crawl(tmp_path, download="0")
    hosts = json.loads((crawled.run / "summary.json").read_bytes())["requests"]
    assert not [host for host in hosts if "scholars" in host]
    files = [file for article in crawled.articles.values() for file in article.files]
    assert files
    assert {(file.path, file.sha256) for file in files} == {(None, None)}
    assert {str(file.want): file.source for file in crawled.articles["10.1093/isprsta/ab000084"].files} == {
        "pdf": "semantic_scholar",
        "xml": "crossref_tdm",
    }


async def test_what_was_listed_is_fetched(tmp_path):
    feed = tmp_path / "feed.jsonl"
    listed = await crawl(tmp_path / "listed", download="0")
    chosen = [file for file in listed.files if file.key in (ELIFE, "10.1101/000030")]
    feed.write_text("".join(json.dumps(file.to_dict()) + "\n" for file in chosen))
    fetched = await replay(tmp_path / "out", "ladder", files=str(feed), settings=SETTINGS)
    assert {key: (str(one.outcome), len(one.files)) for key, one in fetched.articles.items()} == {
        ELIFE: ("complete", 2),
        "10.1101/000030": ("complete", 2),
    }
    assert fetched.stats["downloader/request_count"] == 4
    assert asked(fetched) == {}


async def test_identifiers_alone(tmp_path):
    crawled = await crawl(tmp_path, spider="resolve")
    assert crawled.files == []
    known = {key: {name: value for name, value in one.ids.items() if value} for key, one in crawled.articles.items()}
    assert known[ELIFE] == {"doi": ELIFE, "pmid": "10000061", "pmcid": "PMC3000043"}
    assert known["10.1101/000076"] == {"doi": "10.1101/000076", "pmcid": "PMC3000384"}
    assert known["10.1007/s10050-019-00056-2"]["pmcid"] == "PMC3000280"
    assert {key: one.reason for key, one in crawled.articles.items() if one.outcome != "complete"} == {
        "10.5555/nothing.here": "absent",
        "NBK1078": "needs-id",
    }
    assert crawled.stats["downloader/request_count"] <= 9, "batches only"


async def test_nothing_resolved_beforehand(tmp_path):
    crawled = await crawl(tmp_path, resolve="0")
    steps = {one["step"] for article in crawled.articles.values() for one in article.attempts}
    assert "identifiers" not in steps
    assert "pmc.ncbi.nlm.nih.gov" not in asked(crawled)
    assert crawled.articles[ELIFE].missing == {"xml": "absent"}, "its PMCID stayed unknown"
