"""The engine against an archive that a third party's sources describe: rows that are one article, versions, refresh, failures."""

import csv
import json
import random

import pytest
from lab import jats, lab, pdf, tree
from loopback import Answer

from litcrawl.spiders import base
from litcrawl.spiders.base import LadderSpider


def bodies(paths):
    return [path for path in paths if path.count("/") > 1]


def reasons(article):
    return {(one["source"], one["step"]): one["reason"] for one in article.attempts}


def table(crawled, name="rows.csv"):
    with (crawled.run / name).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


class TestRowsThatAreOneArticle:
    async def test_before_during_and_after_it_is_open(self, tmp_path):
        async with lab("PMC1", "PMC2", "PMC3") as world:
            crawled = await world.crawl(tmp_path, "PMC1,PMC1,PMC2,PMC3,PMC1", settings={"LITCRAWL_OPEN_ARTICLES": 1})
        assert [row["row"] for row in crawled.articles["PMC1"].inputs] == [1, 2, 5]
        assert sorted(bodies(world.asked)) == sorted(set(bodies(world.asked))), "nothing twice"
        assert [row["outcome"] for row in table(crawled)] == ["complete"] * 5
        assert crawled.stats["litcrawl/duplicates"] == 2
        summary = json.loads((crawled.run / "summary.json").read_bytes())
        assert (summary["rows"], summary["articles"], summary["outcomes"]["complete"]) == (5, 3, 3)

    async def test_while_its_last_item_is_on_its_way(self, tmp_path):
        async with lab("PMC1") as world:
            await world.crawl(tmp_path, "PMC1")
            again = await world.crawl(
                tmp_path, "PMC1 PMC1 PMC1", settings={"FEEDS": {str(tmp_path / "items.jsonl"): {"format": "jsonlines"}}}
            )
        assert [row["row"] for row in table(again)] == ["1", "2", "3"]
        assert [row["row"] for row in again.articles["PMC1"].inputs] == [1, 2, 3]
        assert [row["row"] for row in again.article_json("pmc/PMC1")["inputs"]] == [1, 2, 3]

    async def test_found_whole_without_a_feed_each_row_still_has_its_word(self, tmp_path):
        async with lab("PMC1", "PMC2") as world:
            await world.crawl(tmp_path, "PMC1 PMC2")
            asked = len(world.asked)
            again = await world.crawl(tmp_path, "PMC1 PMC1 PMC2 PMC1")
        assert len(world.asked) == asked
        assert [row["outcome"] for row in table(again)] == ["complete"] * 4
        assert (again.stats["litcrawl/on_disk"], again.stats["litcrawl/duplicates"]) == (2, 2)

    async def test_a_row_fills_gaps_of_the_article_it_joins(self, tmp_path):
        listed = tmp_path / "ids.csv"
        listed.write_text("doi,pmcid\n10.5555/one,\n10.5555/one,PMC1\n")
        async with lab("PMC1", "PMC2") as world:
            crawled = await world.crawl(tmp_path / "out", str(listed))
        article = crawled.articles["10.5555/one"]
        assert (article.path, article.ids["pmcid"], str(article.outcome)) == ("10.5555/one", "PMC1", "complete")

    async def test_what_belongs_to_another_article_stands_apart(self, tmp_path):
        listed = tmp_path / "ids.csv"
        listed.write_text("pmcid,url\nPMC1,\nPMC1,https://pmc.ncbi.nlm.nih.gov/articles/PMC2/\n")
        async with lab("PMC1") as world:
            crawled = await world.crawl(tmp_path / "out", str(listed))
        assert [one["ids"]["pmcid"] for one in crawled.articles["PMC1"].conflicts] == ["PMC2"]

    async def test_named_by_an_identifier_that_its_full_text_told(self, tmp_path):
        async with lab() as world:
            world.add("PMC1", {"PMC1.xml": jats("PMC1", doi="10.5555/told"), "s1.csv": b"a,b\n"})
            crawled = await world.crawl(tmp_path, "PMC1", want="xml")
            again = await world.crawl(tmp_path, "10.5555/told", want="xml")
        assert crawled.articles["PMC1"].ids["doi"] == "10.5555/told"
        assert [row["raw"] for row in again.articles["PMC1"].inputs] == ["10.5555/told"]

    async def test_a_row_that_pins_a_version_joins_an_open_article(self, tmp_path):
        async with lab() as world:
            for version in (1, 2, 3):
                world.add("PMC1", {"PMC1.xml": jats("PMC1", f"version {version}")}, version=version)
            crawled = await world.crawl(tmp_path, "PMC1 PMC1.2", want="xml")
        article = crawled.articles["PMC1"]
        assert {file.version: file.path for file in article.files} == {3: "pmc/PMC1/body.xml", 2: "pmc/PMC1/body.v2.xml"}
        assert [row["version"] for row in article.inputs] == [None, "2"]

    async def test_limit_counts_articles(self, tmp_path):
        async with lab("PMC1", "PMC2", "PMC3") as world:
            crawled = await world.crawl(tmp_path, "PMC1 PMC1 PMC2 PMC3", limit="2", settings={"LITCRAWL_OPEN_ARTICLES": 1})
        assert sorted(crawled.articles) == ["PMC1", "PMC2"]
        assert crawled.status == 0


class TestRefresh:
    async def test_only_changed_bytes_are_written(self, tmp_path):
        async with lab("PMC1") as world:
            await world.crawl(tmp_path, "PMC1")
            before = {path: (tmp_path / path).stat().st_mtime_ns for path in tree(tmp_path)}
            world.files["/PMC1/1/PMC1.pdf"] = pdf(of=b"new")
            asked = len(world.asked)
            again = await world.crawl(tmp_path, "PMC1", refresh="1")
        assert len(world.asked) == 2 * asked
        after = {path: (tmp_path / path).stat().st_mtime_ns for path in tree(tmp_path)}
        assert {path for path in after if after[path] != before[path]} == {"pmc/PMC1/body.pdf"}
        assert after.keys() == before.keys()
        assert [file.path for file in again.files] == ["pmc/PMC1/body.pdf"]
        article = again.articles["PMC1"]
        assert str(article.outcome) == "complete"
        assert all((tmp_path / file.path).stat().st_size == file.size_bytes for file in article.files)

    async def test_what_it_held_stays_when_nothing_comes(self, tmp_path):
        async with lab("PMC1") as world:
            await world.crawl(tmp_path, "PMC1")
            before = tree(tmp_path)
            world.first = lambda path, n: Answer(503)
            again = await world.crawl(tmp_path, "PMC1", refresh="1")
        assert tree(tmp_path) == before
        assert len(again.articles["PMC1"].files) == 4
        assert again.article_json("pmc/PMC1")["files"]

    async def test_a_newer_version_takes_the_place_of_the_older(self, tmp_path):
        async with lab("PMC1") as world:
            await world.crawl(tmp_path, "PMC1")
            world.add("PMC1", {"PMC1.xml": jats("PMC1", "second"), "PMC1.pdf": pdf(of=b"2"), "s1.csv": b"a,b\n2,2\n"}, version=2)
            again = await world.crawl(tmp_path, "PMC1", refresh="1")
        assert {file.path: file.version for file in again.articles["PMC1"].files} == {
            "pmc/PMC1/body.xml": 2,
            "pmc/PMC1/body.pdf": 2,
            "pmc/PMC1/supplementary/s1.csv": 2,
            "pmc/PMC1/supplementary/s2.txt": 1,
        }
        assert b"second" in (tmp_path / "pmc/PMC1/body.xml").read_bytes()

    async def test_missing_asks_again_for_what_is_not_in_hand(self, tmp_path):
        async with lab() as world:
            world.add("PMC1", {"PMC1.xml": jats("PMC1")})
            first = await world.crawl(tmp_path, "PMC1", want="xml,pdf")
            assert str(first.articles["PMC1"].outcome) == "partial"
            world.add("PMC1", {"PMC1.xml": jats("PMC1"), "PMC1.pdf": pdf()})
            plain = await world.crawl(tmp_path, "PMC1", want="xml,pdf")
            assert str(plain.articles["PMC1"].outcome) == "partial", "absence was an answer"
            asked = len(world.asked)
            again = await world.crawl(tmp_path, "PMC1", want="xml,pdf", refresh="missing")
        assert world.asked[asked:] == ["/PMC1", "/PMC1/1/PMC1.pdf"]
        assert str(again.articles["PMC1"].outcome) == "complete"


class TestLater:
    async def test_a_want_added_later_is_all_that_is_fetched(self, tmp_path):
        async with lab("PMC1") as world:
            await world.crawl(tmp_path, "PMC1", want="xml")
            asked = len(world.asked)
            again = await world.crawl(tmp_path, "PMC1", want="xml,pdf")
        assert world.asked[asked:] == ["/PMC1", "/PMC1/1/PMC1.pdf"]
        assert {str(file.want) for file in again.articles["PMC1"].files} == {"xml", "pdf"}

    async def test_every_source_when_exhaustive(self, tmp_path):
        async with lab("PMC1") as world:
            world.files["/spare/PMC1.xml"] = jats("PMC1", "another rendition")
            plain = await world.crawl(tmp_path, "PMC1", want="xml")
            assert [file.path for file in plain.articles["PMC1"].files] == ["pmc/PMC1/body.xml"]
            crawled = await world.crawl(tmp_path, "PMC1", want="xml", exhaustive="1")
            asked = len(world.asked)
            await world.crawl(tmp_path, "PMC1", want="xml", exhaustive="1")
        assert [file.path for file in crawled.articles["PMC1"].files] == ["pmc/PMC1/body.xml", "pmc/PMC1/body.spare.xml"]
        assert len(world.asked) == asked

    async def test_equal_bytes_are_kept_once(self, tmp_path):
        async with lab("PMC1") as world:
            world.files["/spare/PMC1.xml"] = world.files["/PMC1/1/PMC1.xml"]
            crawled = await world.crawl(tmp_path, "PMC1", want="xml", exhaustive="1")
        assert [file.path for file in crawled.articles["PMC1"].files] == ["pmc/PMC1/body.xml"]


class TestLeftOpen:
    async def test_a_file_not_come_to_again_stays_open(self, tmp_path):
        """The second run does not get as far as the listing: what the first one failed to fetch is not forgotten."""
        async with lab("PMC1") as world:
            world.first = lambda path, n: Answer(500) if path.endswith("s2.txt") else None
            first = await world.crawl(tmp_path, "PMC1")
            assert first.articles["PMC1"].missing == {"supplementary": "unavailable"}
            world.first = lambda path, n: Answer(500) if path == "/PMC1" else None
            second = await world.crawl(tmp_path, "PMC1")
            assert second.articles["PMC1"].missing == {"supplementary": "unavailable"}
            world.first = None
            third = await world.crawl(tmp_path, "PMC1")
        assert str(third.articles["PMC1"].outcome) == "complete"
        assert [file.filename for file in third.files] == ["s2.txt"]


class TestLicences:
    async def test_the_gate_is_asked_before_a_download_and_after(self, tmp_path):
        by, nc = "https://creativecommons.org/licenses/by/4.0/", "https://creativecommons.org/licenses/by-nc/4.0/"
        async with lab() as world:
            world.add("PMC1", {"PMC1.xml": jats("PMC1", licence=nc), "PMC1.pdf": pdf()}, licence="CC-BY-NC-4.0")
            world.add("PMC2", {"PMC2.xml": jats("PMC2", licence=by), "PMC2.pdf": pdf()}, licence="CC-BY-4.0")
            gate = {"LITCRAWL_LICENCES": "CC-BY-*, CC0-1.0"}
            crawled = await world.crawl(tmp_path, "PMC1 PMC2", want="xml,pdf", settings=gate)
            assert "/PMC1/1/PMC1.pdf" not in world.asked, "its source had told the licence"
            assert crawled.articles["PMC1"].missing == {"xml": "licence", "pdf": "licence"}
            assert str(crawled.articles["PMC2"].outcome) == "complete"
            assert crawled.article_json("pmc/PMC1")["files"] == []
            later = await world.crawl(tmp_path, "PMC1 PMC2", want="xml,pdf", settings={"LITCRAWL_LICENCES": ""})
        assert str(later.articles["PMC1"].outcome) == "complete"

    async def test_a_large_file_that_the_gate_refuses_leaves_nothing(self, tmp_path):
        async with lab() as world:
            words = "words " * 5000
            world.add("PMC1", {"PMC1.xml": jats("PMC1", words, licence="https://creativecommons.org/licenses/by-nc/4.0/")})
            crawled = await world.crawl(
                tmp_path, "PMC1", want="xml", settings={"LITCRAWL_STREAM_SIZE": 4096, "LITCRAWL_LICENCES": "CC-BY-4.0"}
            )
        assert crawled.articles["PMC1"].missing == {"xml": "licence"}
        assert tree(tmp_path) == {}


class TestHostile:
    async def test_another_article_under_this_ones_name(self, tmp_path):
        async with lab() as world:
            world.add("PMC1", {"PMC1.xml": jats("PMC99"), "PMC1.pdf": pdf(), "s1.csv": b"a,b\n"})
            world.files["/spare/PMC1.xml"] = jats("PMC1")
            crawled = await world.crawl(tmp_path, "PMC1")
        article = crawled.articles["PMC1"]
        assert [(file.source, file.path) for file in article.files] == [("spare", "pmc/PMC1/body.xml")]
        assert article.missing["pdf"] == "wrong-article"
        assert "/PMC1/1/PMC1.pdf" not in world.asked

    async def test_addresses_that_are_none_cost_one_step_each(self, tmp_path):
        odd = ["ftp://a/x", "http://[::1", "http://a:99999/x", "http:///x", "javascript:\ud800", ""]
        async with lab("PMC2") as world:
            world.files["/PMC1"] = json.dumps({"odd": odd}).encode()
            world.files["/PMC2"] = json.dumps({"odd": [7, None, {"a": 1}]}).encode()
            crawled = await world.crawl(tmp_path, "PMC1 PMC2", want="xml", settings={"LITCRAWL_SOURCES": "lab.Odd"})
        assert {one["reason"] for one in crawled.articles["PMC1"].attempts if one["step"] == "xml"} == {"unsafe"}
        assert crawled.articles["PMC1"].missing == {"xml": "unsafe"}
        assert crawled.articles["PMC2"].missing == {"xml": "error"}

    async def test_a_large_file_that_fails_proof_leaves_nothing(self, tmp_path):
        async with lab() as world:
            world.add("PMC1", {"PMC1.pdf": b"<html><body>" + b"sign in " * 5000 + b"</body></html>"})
            crawled = await world.crawl(tmp_path, "PMC1", want="pdf", settings={"LITCRAWL_STREAM_SIZE": 4096})
        assert crawled.articles["PMC1"].missing["pdf"] in ("wrong-type", "denied", "blocked")
        assert tree(tmp_path) == {}


class TestBugsOfASource:
    @pytest.mark.parametrize("source", ["CannotAsk", "CannotBegin", "CannotRead"])
    async def test_cost_one_rung_never_the_article(self, tmp_path, source, caplog):
        async with lab("PMC1", "PMC2") as world:
            world.files["/spare/PMC1.xml"] = jats("PMC1")
            settings = {"LITCRAWL_SOURCES": f"lab.{source},lab.Spare", "LITCRAWL_OPEN_ARTICLES": 1, "LITCRAWL_STREAM_SIZE": 1024}
            crawled = await world.crawl(tmp_path, "PMC1 PMC2", settings=settings)
        article = crawled.articles["PMC1"]
        assert [(file.source, file.path) for file in article.files] == [("spare", "pmc/PMC1/body.xml")]
        assert article.missing["pdf"] == "error"
        assert [str(crawled.articles[key].outcome) for key in ("PMC1", "PMC2")] == ["retry", "retry"]
        assert crawled.status == 1, "a bug"
        assert "Traceback" in caplog.text or any(record.exc_info for record in caplog.records)
        assert not list((tmp_path / ".parts").iterdir())

    async def test_an_article_that_is_lost_does_not_hang_the_crawl(self, tmp_path, monkeypatch, caplog):
        monkeypatch.setattr(base, "_LEAK_CHECK", 0.1)
        monkeypatch.setattr(LadderSpider, "on_response", lambda self, response, ticket, step: iter(()))
        async with lab("PMC1", "PMC2", "PMC3") as world:
            crawled = await world.crawl(tmp_path, "PMC1 PMC2 PMC3", settings={"LITCRAWL_OPEN_ARTICLES": 2})
        assert [(row["outcome"], row["pmcid"]) for row in table(crawled)] == [("retry", "PMC1"), ("retry", "PMC2"), ("retry", "PMC3")]
        assert crawled.status == 1
        assert "no word on 2 open articles, a bug: PMC1, PMC2" in caplog.text

    async def test_a_pipeline_that_fails_leaves_its_rows_a_word(self, tmp_path, monkeypatch):
        from litcrawl.pipelines.licence import LicencePipeline

        def fail(self, article):
            raise RuntimeError("broken")

        monkeypatch.setattr(LicencePipeline, "_article", fail)
        async with lab("PMC1") as world:
            crawled = await world.crawl(tmp_path, "PMC1")
        assert [row["outcome"] for row in table(crawled)] == ["retry"]
        assert crawled.status == 1


async def test_no_more_articles_are_open_than_may_be(tmp_path):
    open_now: list[int] = []
    keys = [f"PMC{n}" for n in range(1, 41)]
    async with lab(*keys) as world:
        crawled = await world.crawl(
            tmp_path,
            " ".join(keys),
            settings={"LITCRAWL_OPEN_ARTICLES": 5},
            on_item=lambda item, crawler: open_now.append(len(crawler.spider.window)),
        )
    assert len(crawled.articles) == 40
    assert 2 <= max(open_now) <= 5


async def test_rows_that_prove_to_be_one_article_count_once_against_the_limit(tmp_path):
    async with lab("PMC1", "PMC2", "PMC3") as world:
        told = Answer(body=b'{"pmcids": {"1": "PMC1", "2": "PMC2", "3": "PMC3"}}')
        world.first = lambda path, n: told if path.startswith("/register/") else None
        crawled = await world.crawl(tmp_path, "PMC1 1 2 3", settings={"LITCRAWL_SOURCES": "lab.Register,lab.Lab"}, limit="2")
    assert [one.ids["pmcid"] for one in crawled.articles.values()] == ["PMC1", "PMC2"]


async def test_articles_in_are_articles_out_whatever_fails(tmp_path):
    """A third of all requests fail, each in its own way; run by run more is there, until it is what an undisturbed run has."""
    keys = [f"PMC{n}" for n in range(1, 101)]
    dice = random.Random(7)  # noqa: S311

    def fail(path, n):
        if dice.random() > 0.33:
            return None
        body = world.files.get(path) or b"no"
        return dice.choice(
            [
                Answer(500),
                Answer(503, [("Retry-After", "0")]),
                Answer(body=body[: dice.randrange(len(body))], cut=True),  # three times at one byte is a file of that length
                Answer(429),
                Answer(body=b'{"versions": [1]}') if path.count("/") == 1 else Answer(408),
            ]
        )

    async with lab(*keys) as world:
        whole = await world.crawl(tmp_path / "whole", " ".join(keys))
        world.first = fail
        runs = []
        for _ in range(8):
            runs.append(await world.crawl(tmp_path / "out", " ".join(keys)))
            crawled = runs[-1]
            assert sorted(crawled.articles) == sorted(keys)
            assert len([item for item in crawled.items if item.type == "article"]) == len(keys)
            assert {str(one.outcome) for one in crawled.articles.values()} <= {"complete", "retry"}
            assert crawled.status == (3 if any(one.outcome == "retry" for one in crawled.articles.values()) else 0)
            if crawled.status == 0:
                break
    assert runs[0].status == 3
    assert runs[-1].status == 0
    assert tree(tmp_path / "out") == tree(tmp_path / "whole")
    stored = [file.path for run in runs for file in run.files]
    assert len(stored) == len(set(stored)) == len(whole.files), "nothing was fetched and stored twice"


async def test_an_outage_is_not_ended_by_rows_that_ask_nobody(tmp_path, monkeypatch):
    """Invalid rows, and articles whole on disk, say nothing of the network."""
    async with lab("PMC1") as world:
        await world.crawl(tmp_path, "PMC1")
        spiders = []
        crawled = await world.crawl(tmp_path, "PMC1", on_item=lambda item, crawler: spiders.append(crawler.spider))
    outage = spiders[0].outage
    outage._streak = 7
    spiders[0]._last_word(crawled.articles["PMC1"])
    assert outage._streak == 7
