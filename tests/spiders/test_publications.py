"""Whole crawls for publications against services on loopback."""

import json
from importlib.resources import files

import orjson
import pytest
from archive import ABSTRACT, SETTINGS, WHOLE, archive, publications, words
from crawling import project_settings
from jsonschema import Draft202012Validator
from loopback import Answer
from sqlalchemy import create_engine, text

from litcrawl.exceptions import BadArgument
from litcrawl.publications import events
from litcrawl.publications.database import Database
from litcrawl.publications.item import Publication
from litcrawl.spiders.publications import PublicationsSpider

ONE, TWO, THREE = "10.5555/one", "10.5555/two", "10.5555/three"


def less(*names, **changes):
    """A record without some of its fields."""
    return {name: value for name, value in WHOLE.items() if name not in names} | changes


def rows(out, query):
    engine = create_engine(f"sqlite:///{out / 'publications.sqlite'}")
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(query))]
    engine.dispose()
    return found


def attempts(item):
    return [(one["source"], one["reason"]) for one in item.attempts]


async def test_a_complete_record_ends_the_asking(tmp_path):
    async with archive(lister={ONE: WHOLE, TWO: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=f"{ONE} {TWO}")
        assert world.asked == [f"/list/{ONE},{TWO}"]
    assert words(crawled) == {ONE: "complete", TWO: "complete"}
    assert attempts(publications(crawled)[ONE]) == [("lister", "ok")]
    assert crawled.status == 0


async def test_later_sources_fill_gaps_and_each_field_names_its_own(tmp_path):
    register, pages = less("abstract", title="Another title"), less(publisher="Another")
    async with archive(lister={ONE: {"title": "On sentences"}}, register={ONE: register}, pages={ONE: pages}) as world:
        crawled = await world.crawl(tmp_path, ids=ONE)
    item = publications(crawled)[ONE]
    assert item.status == "complete"
    sources = {name: one["source"] for name, one in item.provenance.items()}
    assert sources == {"doi": "lister", "title": "lister", "normalized_title": "lister", "abstract": "pages"} | dict.fromkeys(
        ("type", "pub_date", "pub_date_precision", "year", "publisher", "citation_count", "authors", "fields_of_study"), "register"
    )
    assert (item.record["title"], item.record["publisher"], item.record["source"]) == ("On sentences", "Words Ltd", "pages")
    assert item.record["source_id"] == [
        {"title": "The List", "url": "https://list.dev/", "license": None},
        {"title": "register", "url": None, "license": None},
        {"title": "pages", "url": None, "license": None},
    ]
    assert rows(tmp_path, "SELECT field, source FROM publication_provenance ORDER BY field") == sorted(sources.items())


async def test_what_is_enough_is_saved(tmp_path):
    async with archive(lister={ONE: less("type", "citation_count")}) as world:
        crawled = await world.crawl(tmp_path, ids=ONE)
        assert len(world.asked) == 3
        assert words(crawled) == {ONE: "saved"}
        assert publications(crawled)[ONE].missing == ["type", "citation_count"]
        assert rows(tmp_path, "SELECT doi, type, citation_count, license FROM publication") == [(ONE, "UNKNOWN", 0, None)]
        again = await world.crawl(tmp_path, ids=ONE)
        assert len(world.asked) == 3, "all have answered"
    assert words(again) == {ONE: "saved"}


async def test_the_sets_are_settings(tmp_path):
    settings = {"LITCRAWL_PUBLICATION_COMPLETE": "doi,title", "LITCRAWL_PUBLICATION_ENOUGH": "doi,title"}
    async with archive(lister={ONE: {"title": "T"}}) as world:
        crawled = await world.crawl(tmp_path, ids=ONE, settings=settings)
        assert len(world.asked) == 1
    assert words(crawled) == {ONE: "complete"}


async def test_the_own_database_is_asked_first_and_its_record_is_whole(tmp_path):
    async with archive(lister={ONE: WHOLE}) as world:
        first = await world.crawl(tmp_path, ids=ONE)
        again = await world.crawl(tmp_path, ids=ONE)
        assert len(world.asked) == 1
        anew = await world.crawl(tmp_path, ids=ONE, refresh="1")
        assert len(world.asked) == 2
    assert publications(again)[ONE].record == publications(first)[ONE].record
    assert publications(again)[ONE].provenance == publications(first)[ONE].provenance
    assert words(again) == words(anew) == {ONE: "complete"}


async def test_what_is_not_found_is_kept_with_what_lacks_and_asked_again_when_it_is_due(tmp_path):
    known = {ONE: less("abstract")}
    async with archive(lister=known) as world:
        crawled = await world.crawl(tmp_path, ids=ONE)
        assert words(crawled) == {ONE: "not-found"}
        assert publications(crawled)[ONE].missing == ["abstract"]
        assert crawled.status == 0, "that is an answer"
        assert rows(tmp_path, "SELECT publication_doi, pub_missing FROM publication_not_found") == [(ONE, '["abstract"]')]
        assert rows(tmp_path, "SELECT * FROM publication") == []
        asked = len(world.asked)
        again = await world.crawl(tmp_path, ids=ONE)
        assert (words(again), len(world.asked)) == ({ONE: "not-found"}, asked)

        known[ONE] = WHOLE
        due = {"LITCRAWL_PUBLICATION_AGAIN": [0, 0]}
        await world.crawl(tmp_path, ids=ONE, refresh="missing", settings=due)
    assert rows(tmp_path, "SELECT doi FROM publication") == [(ONE,)]
    assert rows(tmp_path, "SELECT * FROM publication_not_found") == []


async def test_what_is_due_is_asked_again(tmp_path):
    known = {}
    async with archive(lister=known) as world:
        await world.crawl(tmp_path, ids=ONE, settings={"LITCRAWL_PUBLICATION_AGAIN": [0, 0]})
        known[ONE] = WHOLE
        crawled = await world.crawl(tmp_path, ids=ONE)
    assert words(crawled) == {ONE: "complete"}


async def test_no_answer_is_no_word_on_a_publication(tmp_path):
    async with archive(lister={ONE: WHOLE}) as world:
        world.first = lambda path, n: Answer(503) if path.startswith("/list/") else None
        crawled = await world.crawl(tmp_path, ids=ONE, settings={"LITCRAWL_PUBLICATION_AGAIN": [0, 9999]})
        assert words(crawled) == {ONE: "retry"}
        assert crawled.status == 3
        assert attempts(publications(crawled)[ONE]) == [("lister", "unavailable"), ("register", "absent"), ("pages", "absent")]
        world.first = None
        again = await world.crawl(tmp_path, ids=ONE)
    assert words(again) == {ONE: "complete"}


async def test_a_saved_record_stays_due_for_the_source_that_did_not_answer_alone(tmp_path):
    async with archive(lister={ONE: less("type")}, register={ONE: WHOLE}) as world:
        world.first = lambda path, n: Answer(503) if path.startswith("/register/") else None
        crawled = await world.crawl(tmp_path, ids=ONE)
        assert words(crawled) == {ONE: "saved"}
        world.first = None
        asked = len(world.asked)
        again = await world.crawl(tmp_path, ids=ONE)
        assert world.asked[asked:] == [f"/register/{ONE}"]
    assert words(again) == {ONE: "complete"}
    assert publications(again)[ONE].provenance["type"]["source"] == "register"


async def test_nothing_with_status_200_is_a_miss(tmp_path):
    async with archive(register={ONE: {}}, pages={ONE: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=ONE)
    item = publications(crawled)[ONE]
    assert (item.status, attempts(item)[0]) == ("complete", ("lister", "absent"))


async def test_a_refusal_of_one_record_is_final(tmp_path):
    async with archive() as world:
        world.first = lambda path, n: Answer(403) if path.startswith("/register/") else None
        crawled = await world.crawl(tmp_path, ids=ONE)
        assert sum(path.startswith("/register/") for path in world.asked) == 1
    assert words(crawled) == {ONE: "not-found"}
    assert ("register", "denied") in attempts(publications(crawled)[ONE])


async def test_who_refuses_a_list_is_asked_no_more_in_this_run(tmp_path, caplog):
    dois = [f"10.5555/{n}" for n in range(12)]
    async with archive(pages=dict.fromkeys(dois, WHOLE)) as world:
        world.first = lambda path, n: Answer(403) if path.startswith("/list/") else None
        settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "LITCRAWL_OPEN_ARTICLES": 4}
        crawled = await world.crawl(tmp_path, ids=" ".join(dois), settings=settings)
        assert sum(path.startswith("/list/") for path in world.asked) == 1
    assert set(words(crawled).values()) == {"complete"}
    assert caplog.text.count("asked no more in this run") == 1


@pytest.mark.parametrize(
    ("sources", "answered", "asked", "said"),
    [("archive.Register", (), 5, 1), ("archive.Register", (4, 9), 12, 0), ("archive.Landing", (), 12, 0)],
)
async def test_who_refuses_one_record_after_another_is_asked_no_more_in_this_run(tmp_path, caplog, sources, answered, asked, said):
    dois = [f"10.5555/{n}" for n in range(12)]
    async with archive() as world:
        world.first = lambda path, n: Answer(404 if int(path.rpartition("/")[2]) in answered else 403)
        settings = {"LITCRAWL_SOURCES": sources, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "LITCRAWL_OPEN_ARTICLES": 1}
        crawled = await world.crawl(tmp_path, ids=" ".join(dois), settings=settings)
        assert len(world.asked) == asked
    assert caplog.text.count("asked no more in this run") == said
    assert [attempts(publications(crawled)[doi])[0][1] for doi in dois[asked:]] == ["unavailable"] * (12 - asked)


async def test_a_spent_allowance_is_passed_over(tmp_path):
    dois = [f"10.5555/{n}" for n in range(6)]
    async with archive(lister=dict.fromkeys(dois, less("type")), register=dict.fromkeys(dois, WHOLE)) as world:
        slots = {"register": {"hosts": ["127.0.0.1/register/"], "limit": (2, 3600), "delay": 0}}
        settings = {"LITCRAWL_SLOTS": slots, "LITCRAWL_PATIENCE": 1}
        crawled = await world.crawl(tmp_path, ids=" ".join(dois), settings=settings)
        assert sum(path.startswith("/register/") for path in world.asked) == 2
    assert sorted(words(crawled).values()) == ["complete"] * 2 + ["saved"] * 4
    passed = [item for item in publications(crawled).values() if item.status == "saved"]
    assert all(("register", "quota") in attempts(item) for item in passed), "so they stay due"


async def test_one_publication_in_two_spellings_is_one_row_and_one_look_up(tmp_path):
    async with archive(lister={"10.5555/one": WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids="10.5555/ONE https://doi.org/10.5555/one doi:10.5555/One")
        assert world.asked == ["/list/10.5555/one"]
    assert len(crawled.items) == 1
    assert rows(tmp_path, "SELECT doi FROM publication") == [("10.5555/one",)]
    assert crawled.stats["litcrawl/duplicates"] == 2


async def test_each_row_has_its_event(tmp_path):
    out = tmp_path / "events" / "out.jsonl"
    async with archive(lister={ONE: WHOLE}) as world:
        await world.crawl(tmp_path, ids=f"{ONE} {ONE} {TWO}", settings={"LITCRAWL_EVENTS": str(out)})
    lines = [orjson.loads(line) for line in out.read_bytes().splitlines()]
    assert [(line["topic"], line["key"], line["event"]["state"]) for line in lines] == [("events_linked", ONE, "linked")] * 2
    assert lines[0]["event"]["obj"]["data"]["title"] == "On sentences"
    assert lines[0]["event"]["id"] != lines[1]["event"]["id"]


async def test_events_in_json_lines_are_events(tmp_path):
    event = events.fresh(ONE, "2026-11-30T17:20:00Z") | {"relation_type": "discusses", "subj": {"data": {"text": "é"}}}
    other = {"doi": TWO, "state": "linked"}
    listed = tmp_path / "events.jsonl"
    listed.write_bytes(b"".join(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in (event, event | {"id": "2"}, other)))
    async with archive(lister={ONE: WHOLE, TWO: WHOLE}) as world:
        crawled = await world.crawl(tmp_path / "out", ids=str(listed))
    assert words(crawled) == {ONE: "complete", TWO: "complete"}
    lines = [orjson.loads(line) for line in (crawled.run / "events.jsonl").read_bytes().splitlines()]
    assert [(line["topic"], line["event"]["id"]) for line in lines] == [
        ("events_linked-discusses", event["id"]),
        ("events_linked-discusses", "2"),
    ]
    assert lines[0]["event"]["subj"] == event["subj"]


async def test_what_is_answered_after_a_pause_counts(tmp_path):
    async with archive(lister={ONE: WHOLE}) as world:
        world.first = lambda path, n: Answer(429, headers=[("Retry-After", "1")]) if n == 1 else None
        crawled = await world.crawl(tmp_path, ids=ONE)
        assert len(world.asked) == 2
    assert words(crawled) == {ONE: "complete"}


async def test_a_list_without_events_writes_none(tmp_path):
    async with archive(lister={ONE: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=ONE)
    assert [path.name for path in crawled.run.iterdir()] == ["summary.json"]


async def test_many_share_a_call_and_what_lacks_shares_the_next(tmp_path):
    dois = [f"10.5555/{n}" for n in range(64)]
    lister = {doi: WHOLE if n % 2 else less("type") for n, doi in enumerate(dois)}
    settings = {"LITCRAWL_SOURCES": "archive.Lister,archive.Index,archive.Register", "LITCRAWL_OPEN_ARTICLES": 24}
    async with archive(lister=lister, index=dict.fromkeys(dois, WHOLE)) as world:
        world.latency = 0.05
        crawled = await world.crawl(tmp_path, ids=" ".join(dois), settings=settings)
        assert sum(path.startswith("/list/") for path in world.asked) == 16
        assert sum(path.startswith("/index/") for path in world.asked) <= 6, "32 lack something: four full calls, or a little more"
    assert set(words(crawled).values()) == {"complete"}


async def test_what_parts_identifiers_goes_alone(tmp_path):
    odd = "10.5555/a,b"
    async with archive(lister={ONE: WHOLE, odd: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=f"{ONE}\n{odd}", settings={})
        assert sorted(world.asked) == [f"/list/{odd}", f"/list/{ONE}"]
    assert words(crawled) == {ONE: "complete", odd: "complete"}


async def test_a_call_that_one_identifier_spoils_costs_that_one_alone(tmp_path):
    dois = [f"10.5555/{n}" for n in range(4)]
    async with archive(lister=dict.fromkeys(dois, WHOLE)) as world:
        world.first = lambda path, n: Answer(400) if path.startswith("/list/") and "10.5555/2" in path else None
        crawled = await world.crawl(tmp_path, ids=" ".join(dois))
    assert words(crawled) == dict.fromkeys(dois, "complete") | {"10.5555/2": "not-found"}


async def test_an_agency_is_not_asked_for_what_another_has_registered(tmp_path):
    async with archive(lister={ONE: less("type")}, agency={TWO: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=f"{ONE} {TWO}", settings={"LITCRAWL_SOURCES": "archive.Lister,archive.Agency"})
        assert [path for path in world.asked if path.startswith("/agency/")] == [f"/agency/{TWO}"]
    assert words(crawled) == {ONE: "saved", TWO: "complete"}


async def test_references_and_citations_are_followed_as_far_as_asked(tmp_path):
    lister = {
        ONE: WHOLE | {"refs": [TWO, "10.5555/unknown"], "citations": ["10.5555/citing"]},
        TWO: WHOLE | {"refs": [THREE, ONE]},
        THREE: WHOLE | {"refs": ["10.5555/four"]},
        "10.5555/citing": WHOLE,
    }
    async with archive(lister=lister) as world:
        alone = await world.crawl(tmp_path / "alone", ids=ONE)
        assert set(words(alone)) == {ONE}
        near = await world.crawl(tmp_path / "near", ids=ONE, follow="references")
        assert set(words(near)) == {ONE, TWO, "10.5555/unknown"}
        far = await world.crawl(tmp_path / "far", ids=ONE, follow="references,citations", depth="2")
        assert set(words(far)) == {ONE, TWO, THREE, "10.5555/unknown", "10.5555/citing"}
        few = await world.crawl(tmp_path / "few", ids=ONE, follow="references", depth="2", max_follow="1")
        assert set(words(few)) == {ONE, TWO}
    linked = rows(tmp_path / "near", "SELECT publication_doi, reference_doi FROM publication_reference ORDER BY 1, 2")
    assert linked == [(ONE, TWO), (ONE, "10.5555/unknown"), (TWO, ONE), (TWO, THREE)]


async def test_what_is_followed_comes_behind_the_list_and_has_no_event(tmp_path):
    dois = [f"10.5555/{n}" for n in range(8)]
    lister = {doi: WHOLE | {"refs": [f"10.5555/ref{n}"]} for n, doi in enumerate(dois)}
    out = tmp_path / "events.jsonl"
    settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "LITCRAWL_OPEN_ARTICLES": 8, "LITCRAWL_EVENTS": str(out)}
    async with archive(lister=lister) as world:
        crawled = await world.crawl(tmp_path, ids=" ".join(dois), follow="references", settings=settings)
        order = [path for path in world.asked if path.startswith("/list/")]
        assert [("ref" in path) for path in order] == sorted("ref" in path for path in order)
    assert len(words(crawled)) == 16
    assert {orjson.loads(line)["key"] for line in out.read_bytes().splitlines()} == set(dois)


async def test_what_is_listed_is_not_followed_as_well(tmp_path):
    async with archive(lister={ONE: WHOLE | {"refs": [TWO]}, TWO: WHOLE | {"refs": [ONE]}}) as world:
        crawled = await world.crawl(tmp_path, ids=f"{ONE} {TWO}", follow="references", depth="5")
    assert sorted(item.doi for item in crawled.items) == [ONE, TWO]


async def test_many_rows_are_looked_up_in_the_database_at_once(tmp_path, monkeypatch):
    load, calls = Database.load, []

    def counted(self, dois):
        calls.append(len(dois := list(dois)))
        return load(self, dois)

    monkeypatch.setattr(Database, "load", counted)
    dois = [f"10.5555/{n}" for n in range(60)]
    async with archive(lister=dict.fromkeys(dois, WHOLE)) as world:
        crawled = await world.crawl(tmp_path, ids=" ".join(dois))
    assert calls == [50, 10]
    assert len(words(crawled)) == 60


async def test_a_row_without_a_doi_is_said_to_be_one(tmp_path, caplog):
    caplog.set_level("INFO")
    async with archive(lister={ONE: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=f"{ONE},17375194")
    assert [(item.doi, str(item.status), item.missing) for item in crawled.items] == [(None, "not-found", ["doi"]), (ONE, "complete", [])]
    assert "Rows without a DOI: 1" in caplog.text


async def test_items_keep_to_their_schema_and_come_back_from_json(tmp_path):
    schema = json.loads((files("litcrawl") / "schemas" / "publication.json").read_text())
    Draft202012Validator.check_schema(schema)
    async with archive(lister={ONE: WHOLE | {"refs": [TWO]}, TWO: less("type")}) as world:
        crawled = await world.crawl(tmp_path, ids=f"{ONE} {TWO} 10.5555/none 17375194")
    assert {str(item.status) for item in crawled.items} == {"complete", "saved", "not-found"}
    for item in crawled.items:
        plain = json.loads(json.dumps(item.to_dict()))
        Draft202012Validator(schema).validate(plain)
        assert Publication.from_dict(plain) == item


async def test_the_limit_and_the_shard_are_those_of_any_list(tmp_path):
    dois = [f"10.5555/{n}" for n in range(6)]
    async with archive(lister=dict.fromkeys(dois, WHOLE)) as world:
        crawled = await world.crawl(tmp_path, ids=" ".join(dois), limit="2")
        assert len(words(crawled)) == 2
        crawled = await world.crawl(tmp_path / "part", ids=" ".join(dois), shard="1/3")
    assert set(words(crawled)) == {"10.5555/0", "10.5555/3"}


async def test_more_publications_than_may_be_open_come_one_after_the_other(tmp_path):
    dois = [f"10.5555/{n}" for n in range(30)]
    async with archive(lister=dict.fromkeys(dois, WHOLE)) as world:
        crawled = await world.crawl(tmp_path, ids=" ".join(dois), settings={"LITCRAWL_OPEN_ARTICLES": 3})
    assert set(words(crawled).values()) == {"complete"}
    assert len(rows(tmp_path, "SELECT doi FROM publication")) == 30


async def test_the_summary_counts(tmp_path):
    async with archive(lister={ONE: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=f"{ONE} {ONE} {TWO}")
    summary = json.loads((crawled.run / "summary.json").read_text())
    assert summary["publications"] == {"complete": 1, "saved": 0, "not-found": 1, "retry": 0}
    assert (summary["rows"], summary["duplicates"], summary["status"], summary["open"]) == (3, 1, 0, 0)
    assert summary["told"] == {"lister": 1}
    assert summary["requests"] == {"127.0.0.1": 3}


async def test_a_source_of_ones_own_spider_is_asked_alone(tmp_path):
    async with archive(register={ONE: WHOLE}) as world:
        crawled = await world.crawl(tmp_path, ids=ONE, sources="register")
        assert world.asked == [f"/register/{ONE}"]
    assert words(crawled) == {ONE: "complete"}


async def test_sources_by_name_are_asked_in_that_order(tmp_path):
    async with archive() as world:
        crawled = await world.crawl(tmp_path, ids=ONE, sources="pages,register,lister")
    assert [source for source, _ in attempts(publications(crawled)[ONE])] == ["pages", "register", "lister"]


async def test_what_a_database_refuses_is_a_bug_and_costs_one_publication(tmp_path, monkeypatch, caplog):
    save = Database.save

    def fussy(self, given, now):
        if any(row.doi == TWO for row in given):
            given = [row if row.doi != TWO else _without_a_source(row) for row in given]
        save(self, given, now)

    def _without_a_source(row):
        row.provenance = {"title": {"source": None, "at": "now"}}
        return row

    monkeypatch.setattr(Database, "save", fussy)
    async with archive(lister=dict.fromkeys((ONE, TWO, THREE), WHOLE)) as world:
        crawled = await world.crawl(tmp_path, ids=f"{ONE} {TWO} {THREE}")
    assert sorted(rows(tmp_path, "SELECT doi FROM publication")) == [(ONE,), (THREE,)]
    assert crawled.status == 1
    assert f"{TWO} cannot be stored" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"want": "xml"}, "unknown argument 'want'"),
        ({"follow": "authors"}, "follow: unknown kind 'authors'; the kinds are: references, citations"),
        ({"depth": "0"}, "depth=0"),
        ({"max_follow": "many"}, "max_follow=many"),
        ({"idle": "soon"}, "idle=soon"),
        ({"ids": "kafka://host:1/topic", "shard": "1/2"}, "shard: not with a stream"),
        ({"sources": "unpaywall"}, "unknown source 'unpaywall'"),
        ({"sources": "-lister,-register,-pages"}, "none is left"),
    ],
)
def test_a_wrong_argument_is_named(tmp_path, arguments, said):
    with pytest.raises(BadArgument) as raised:
        PublicationsSpider.prepare(project_settings(**SETTINGS, LITCRAWL_OUT=str(tmp_path)), {"ids": ONE} | arguments)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("LITCRAWL_PUBLICATION_COMPLETE", "doi,licence", "no field 'licence'"),
        ("LITCRAWL_PUBLICATION_ABSTRACT", "long", "give a number of characters"),
        ("LITCRAWL_PUBLICATION_AGAIN", "3600", "give two numbers of seconds"),
        ("LITCRAWL_KAFKA_SECURITY_PROTOCOL", "TLS", "one of PLAINTEXT, SSL"),
        ("LITCRAWL_KAFKA_SECURITY_PROTOCOL", "SASL_SSL", "set LITCRAWL_KAFKA_USERNAME and LITCRAWL_KAFKA_PASSWORD"),
        ("LITCRAWL_EVENTS", "redis://localhost", "kafka://host:port or a file"),
        ("LITCRAWL_DB", "mysql://localhost/x", "LITCRAWL_DB: mysql"),
        ("LITCRAWL_DB", "postgresql://u:secret@127.0.0.1:1/x", "cannot be used"),
        ("LITCRAWL_DB", "postgresql://127.0.0.1:1/x?password=secret", "127.0.0.1:1/x cannot be used"),
    ],
)
def test_a_wrong_setting_is_named_and_no_password_is(tmp_path, setting, value, said):
    with pytest.raises(BadArgument) as raised:
        PublicationsSpider.prepare(project_settings(**SETTINGS, **{"LITCRAWL_OUT": str(tmp_path), setting: value}), {"ids": ONE})
    assert said in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_mechanism_that_there_is_not_is_named(tmp_path):
    kafka = {"SECURITY_PROTOCOL": "SASL_PLAINTEXT", "USERNAME": "u", "PASSWORD": "secret", "SASL_MECHANISM": "FOO"}
    settings = project_settings(
        **SETTINGS, LITCRAWL_OUT=str(tmp_path), **{f"LITCRAWL_KAFKA_{name}": value for name, value in kafka.items()}
    )
    with pytest.raises(BadArgument, match="LITCRAWL_KAFKA_SASL_MECHANISM: one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512"):
        PublicationsSpider.prepare(settings, {"ids": ONE})


def test_the_abstract_of_the_tests_is_long_enough():
    assert len(ABSTRACT) > 100
