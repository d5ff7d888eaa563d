import hashlib
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from records import ABSTRACT
from sqlalchemy import func, make_url, select

from litcrawl.exceptions import BadArgument
from litcrawl.publications import schema
from litcrawl.publications.database import Database, Row
from litcrawl.publications.merging import Rules, empty, finished, is_complete, merge
from litcrawl.publications.reading import digest
from litcrawl.publications.record import author, told

NOW = datetime(2026, 11, 30, 17, 20, tzinfo=UTC)
AT = "2026-11-30T17:20:00Z"
DOI = "10.5555/sentence"
ORIGINS = {"crossref": {"title": "Crossref", "url": "https://www.crossref.org/", "license": None}}
POSTGRES = os.environ.get("TEST_POSTGRES")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    if request.param == "sqlite":
        made = Database(str(tmp_path / "new folder" / "publications.sqlite"))
    elif POSTGRES:
        made = Database(POSTGRES)
        with made.engine.begin() as connection:
            schema.metadata.drop_all(connection)
    else:
        pytest.skip("no PostgreSQL: TEST_POSTGRES is not set (.ci/run starts one)")
    made.prepare()
    yield made
    made.close()


def whole(doi=DOI, **changes):
    fields = {
        "type": "JOURNAL_ARTICLE", "title": "On sentences", "abstract": ABSTRACT, "date": "2012-05", "publisher": "Words Ltd",
        "container": "Annals of Words", "citation_count": 3, "licence": "cc-by",
        "authors": [author("Ann Miller", orcid="0000-0002-1825-0097"), author("José Baker")], "subjects": ["Linguistics", "Syntax"],
        "refs": ["10.5555/cited", "10.5555/other"], "citations": ["10.5555/citing"],
    }  # fmt: skip
    return merge(empty(), "crossref", told(doi=doi, **(fields | changes)), AT, Rules())


def row(publication, doi=DOI, **more):
    return Row(doi=doi, record=finished(publication, doi, ORIGINS), provenance=publication["provenance"], **more)


def count(database, table):
    with database.engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table))


def test_a_publication_comes_back_as_it_went_in(database):
    publication = whole()
    database.save([row(publication, attempts=[{"source": "crossref", "reason": "ok"}])], NOW)
    stored = database.load([DOI, "10.5555/unknown"])
    assert set(stored) == {DOI}
    record = finished(publication, DOI, ORIGINS)
    back = stored[DOI].publication
    assert back["record"] == record
    assert back["provenance"] == publication["provenance"]
    assert stored[DOI].attempts == [{"source": "crossref", "reason": "ok"}]
    assert is_complete(back, Rules()), "with its authors, subjects and sources"


def test_provenance_that_is_stored_outlives_a_second_look(database):
    database.save([row(whole())], NOW)
    back = database.load([DOI])[DOI].publication
    again = merge(back, "openalex", told(doi=DOI, title="Another", publisher="Another"), "later", Rules())
    database.save([row(again)], NOW)
    last = database.load([DOI])[DOI].publication
    assert last["provenance"] == whole()["provenance"]
    assert [one["title"] for one in last["record"]["source_id"]] == ["Crossref"]


def test_nothing_stored_is_lost_to_an_emptier_record(database):
    database.save([row(whole())], NOW)
    bare = merge(empty(), "openalex", told(doi=DOI, title="Corrected title"), "later", Rules())
    database.save([row(bare)], NOW)
    record = database.load([DOI])[DOI].publication["record"]
    expected = finished(whole(), DOI, ORIGINS)
    changed = {"title": "Corrected title", "normalized_title": "corrected title", "source": "openalex"}
    for name in expected.keys() - changed.keys() - {"source_id"}:
        assert record[name] == expected[name], name
    assert {name: record[name] for name in changed} == changed
    assert [one["title"] for one in record["source_id"]] == ["Crossref", "openalex"]


def test_nothing_stored_is_lost_to_a_poorer_value(database):
    database.save([row(whole(title="On sentences", date="2012-05-18"))], NOW)
    poor = told(doi=DOI, title="n/a", abstract="short", date="2012-05", citation_count=0, authors=[author("Bo Baker")])
    database.save([row(merge(empty(), "openalex", poor, "later", Rules()))], NOW)
    back = database.load([DOI])[DOI].publication
    told_before = ("title", "normalized_title", "abstract", "pub_date", "pub_date_precision", "citation_count", "type")
    expected = whole(date="2012-05-18")
    assert {name: back["record"][name] for name in told_before} == {name: expected["record"][name] for name in told_before}
    assert {back["provenance"][name]["source"] for name in told_before} == {"crossref"}
    assert [one["name"] for one in back["record"]["authors"]] == ["Bo Baker"]
    assert back["provenance"]["authors"] == {"source": "openalex", "at": "later"}


def test_what_an_abstract_is_is_the_users_to_say(tmp_path):
    made = Database(f"sqlite:///{tmp_path}/p.sqlite", Rules(abstract=3))
    made.prepare()
    made.save([row(whole())], NOW)
    made.save([row(whole(abstract="short"))], NOW)
    assert made.load([DOI])[DOI].publication["record"]["abstract"] == "short"
    made.close()


def test_a_title_never_keeps_what_another_is_known_by(database):
    database.save([row(whole())], NOW)
    other = merge(empty(), "openalex", {"doi": DOI, "title": "Another title"}, "later", Rules())
    database.save([row(other)], NOW)
    back = database.load([DOI])[DOI].publication
    assert back["record"]["title"] == "Another title"
    assert "normalized_title" not in {**back["record"], **back["provenance"]}


def test_references_stand_in_their_order_and_are_those_of_one_source(database):
    listed = [f"10.5555/{n}" for n in (3, 1, 2)]
    database.save([row(whole(refs=listed, citations=listed)), row(whole("10.5555/two", refs=["10.5555/9"]), "10.5555/two")], NOW)
    record = database.load([DOI])[DOI].publication["record"]
    assert [one["doi"] for one in record["refs"]] == [one["doi"] for one in record["citations"]] == listed

    again = merge(empty(), "openalex", told(doi=DOI, refs=["10.5555/2", "10.5555/4"]), "later", Rules())
    database.save([row(again)], NOW)
    back = database.load([DOI])[DOI].publication
    assert [one["doi"] for one in back["record"]["refs"]] == ["10.5555/2", "10.5555/4"]
    assert back["provenance"]["refs"]["source"] == "openalex"
    assert [one["doi"] for one in back["record"]["citations"]] == listed
    with database.engine.connect() as connection:
        table = schema.publication_provenance
        stored = connection.scalar(select(table.c.value_hash).where(table.c.publication_doi == DOI, table.c.field == "refs"))
    assert stored == hashlib.sha256(orjson.dumps(back["record"]["refs"], option=orjson.OPT_SORT_KEYS)).hexdigest()


def test_what_nobody_stated_stays_open_for_others(database):
    bare = merge(empty(), "crossref", told(doi=DOI, title="On sentences"), AT, Rules())
    database.save([row(bare)], NOW)
    record = database.load([DOI])[DOI].publication["record"]
    assert "citation_count" not in record
    assert "type" not in record
    with database.engine.connect() as connection:
        table = schema.publication
        stored = connection.execute(select(table.c.type, table.c.citation_count)).one()
    assert (str(stored.type), stored.citation_count) == ("UNKNOWN", 0)


def test_people_subjects_and_sources_are_shared_and_each_publication_keeps_its_spelling(database):
    other = whole("10.5555/two", authors=[author("Jose Baker"), author("Ann Miller")])
    database.save([row(whole()), row(other, "10.5555/two")], NOW)
    assert count(database, schema.author) == 2
    assert count(database, schema.publication_author) == 4
    assert count(database, schema.source) == 1
    stored = database.load([DOI, "10.5555/two"])
    assert [one["name"] for one in stored["10.5555/two"].publication["record"]["authors"]] == ["Jose Baker", "Ann Miller"]
    assert [one["name"] for one in stored[DOI].publication["record"]["authors"]] == ["Ann Miller", "José Baker"]


def test_a_second_save_replaces_lists_and_adds_no_row(database):
    database.save([row(whole())], NOW)
    fewer = whole(authors=[author("Ann Miller")])
    database.save([row(fewer), row(fewer)], NOW)
    assert count(database, schema.publication) == 1
    assert [one["name"] for one in database.load([DOI])[DOI].publication["record"]["authors"]] == ["Ann Miller"]


def test_what_is_cited_need_not_be_known(database):
    database.save([row(whole())], NOW)
    assert count(database, schema.publication_reference) == 2
    assert not schema.publication_reference.c.reference_doi.foreign_keys
    assert not schema.publication_citation.c.citation_doi.foreign_keys


def test_what_is_not_found_is_kept_with_what_lacks_and_when_to_ask_again(database):
    lost = row(empty(), missing=["title", "year"], next_try=NOW + timedelta(days=7), events=[{"id": "e1"}])
    database.save([lost, row(whole("10.5555/two"), "10.5555/two")], NOW)
    stored = database.load([DOI])[DOI]
    assert (stored.publication, stored.missing, stored.next_try) == (None, ["title", "year"], NOW + timedelta(days=7))
    assert database.due(NOW, 10) == []
    assert database.due(NOW + timedelta(days=8), 10) == [DOI]
    assert database.waiting_events([DOI, "10.5555/two"]) == {DOI: {digest({"id": "e1"}): {"id": "e1"}}}

    database.save([row(whole())], NOW)
    assert database.load([DOI])[DOI].next_try is None
    assert database.waiting_events([DOI]) == {DOI: {digest({"id": "e1"}): {"id": "e1"}}}, "until it is sent"
    database.sent([(DOI, digest({"id": "e1"}))])
    assert database.waiting_events([DOI]) == {}


def test_many_are_written_and_read_at_once(database):
    rows = [row(whole(doi), doi) for doi in (f"10.5555/{n}" for n in range(1200))]
    database.save(rows, NOW)
    assert len(database.load(one.doi for one in rows)) == 1200
    assert database.load([]) == {}
    database.save([], NOW)


def test_a_batch_is_written_whole_or_not_at_all(database):
    bad = replace(row(whole("10.5555/two"), "10.5555/two"), provenance={"title": {"source": None, "at": AT}})
    with pytest.raises(Exception, match=r"(?i)null"):
        database.save([row(whole()), bad], NOW)
    assert database.load([DOI]) == {}


def test_one_schema_with_the_pubfinders_names(database):
    names = {
        "publication", "author", "publication_author", "field_of_study", "publication_field_of_study", "source", "publication_source",
        "publication_citation", "publication_reference", "publication_not_found",
    }  # fmt: skip
    assert names < set(schema.metadata.tables)
    columns = {"id", "doi", "type", "pub_date", "year", "publisher", "citation_count", "title", "normalized_title", "abstract", "license"}
    assert columns < set(schema.publication.c.keys())
    with database.engine.connect() as connection:
        for table in schema.metadata.tables.values():
            assert connection.execute(select(table)).all() == []


@pytest.mark.parametrize("url", ["mysql://u:secret@host/db", "postgresql://u:secret@host:port/db", "sqlite://secret@host:x/"])
def test_an_address_that_is_none_is_refused_without_its_password(url):
    with pytest.raises(BadArgument, match="LITCRAWL_DB") as raised:
        Database(url)
    assert "secret" not in str(raised.value)


def test_postgresqls_own_address_means_the_driver_that_is_installed():
    pytest.importorskip("psycopg")
    made = Database("postgresql://somebody:secret@localhost/name")
    assert made.engine.url.drivername == "postgresql+psycopg"
    assert "secret" not in repr(made.engine)
    assert make_url(str(made.engine.url)).host == "localhost"
