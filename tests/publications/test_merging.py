from datetime import UTC, datetime

import pytest

from litcrawl.publications import answering
from litcrawl.publications.merging import COMPLETE, ENOUGH, Rules, empty, finished, is_complete, merge, missing
from litcrawl.publications.record import FIELDS, author, told

DOI = "10.1371/journal.pone.0000217"
LONG = "We asked what a sentence has to have, to be more than the hundred characters that an abstract is known by: it is this one."
ORIGINS = {"crossref": {"title": "Crossref", "url": "https://api.crossref.org", "license": None}}


def whole(**changes):
    fields = {
        "type": "JOURNAL_ARTICLE", "title": "On sentences", "abstract": LONG, "date": "2012-05", "publisher": "PLOS", "citation_count": 3,
        "authors": [author("Ann Miller")], "subjects": ["Linguistics"],
    }  # fmt: skip
    return told(doi=DOI, **(fields | changes))


def merged(*sources, rules=None):
    publication = empty()
    for n, (source, fields) in enumerate(sources):
        publication = merge(publication, source, fields, f"2026-11-30T17:20:0{n}Z", rules or Rules())
    return publication


def test_gaps_are_filled_and_what_is_known_stays():
    publication = merged(("crossref", told(doi=DOI, title="First", year=2012)), ("openalex", told(doi=DOI, title="Second", publisher="P")))
    assert publication["record"]["title"] == "First"
    assert publication["record"]["publisher"] == "P"
    assert publication["provenance"] == {
        "doi": {"source": "crossref", "at": "2026-11-30T17:20:00Z"},
        "title": {"source": "crossref", "at": "2026-11-30T17:20:00Z"},
        "normalized_title": {"source": "crossref", "at": "2026-11-30T17:20:00Z"},
        "year": {"source": "crossref", "at": "2026-11-30T17:20:00Z"},
        "publisher": {"source": "openalex", "at": "2026-11-30T17:20:01Z"},
    }
    assert publication["record"]["source"] == "openalex"


def test_merging_changes_nothing_in_place():
    before = merged(("crossref", told(doi=DOI)))
    merge(before, "openalex", whole(), "now", Rules())
    assert set(before["record"]) == {"doi", "source"}


def test_an_abstract_takes_the_place_of_one_that_is_too_short_alone():
    short = told(doi=DOI, abstract="A graphical abstract.")
    assert merged(("crossref", short), ("openalex", whole()))["record"]["abstract"] == LONG
    other = told(doi=DOI, abstract="Another graphical abstract.")
    assert merged(("crossref", short), ("openalex", other))["record"]["abstract"] == "A graphical abstract."
    assert merged(("crossref", whole()), ("openalex", short))["record"]["abstract"] == LONG
    rules = Rules(abstract=10)
    assert merged(("crossref", short), ("openalex", whole()), rules=rules)["record"]["abstract"] == "A graphical abstract."


def test_a_number_of_citations_takes_the_place_of_nought():
    none, some, more = (told(doi=DOI, citation_count=n) for n in (0, 3, 5))
    publication = merged(("crossref", none), ("openalex", some), ("semantic_scholar", more))
    assert publication["record"]["citation_count"] == 3
    assert publication["provenance"]["citation_count"]["source"] == "openalex"


def test_a_landing_page_alone_may_correct_a_title_of_a_few_characters():
    stub, title = told(doi=DOI, title="n/a"), told(doi=DOI, title="On sentences")
    assert merged(("crossref", stub), ("openalex", title))["record"]["title"] == "n/a"
    corrected = merged(("crossref", stub), ("meta_tags", title))["record"]
    assert (corrected["title"], corrected["normalized_title"]) == ("On sentences", "on sentences")


def test_a_title_without_letters_is_known_by_what_it_has():
    publication = merged(("crossref", whole(title="1984")))
    assert publication["record"]["normalized_title"] == "1984"
    assert is_complete(publication, Rules())


def test_what_followed_another_value_goes_with_it():
    stub, title = told(doi=DOI, title="n/a"), {"doi": DOI, "title": "On sentences"}
    publication = merged(("crossref", stub), ("meta_tags", title))
    assert publication["record"]["title"] == "On sentences"
    assert "normalized_title" not in publication["record"]
    assert "normalized_title" not in publication["provenance"]


def test_crossref_alone_may_correct_a_licence():
    first, second = told(doi=DOI, licence="cc-by"), told(doi=DOI, licence="https://creativecommons.org/licenses/by/4.0/")
    assert merged(("openalex", first), ("datacite", second))["record"]["license"] == "cc-by"
    assert merged(("openalex", first), ("crossref", second))["record"]["license"] == "https://creativecommons.org/licenses/by/4.0/"


def test_a_precision_goes_with_its_date():
    publication = merged(("crossref", told(doi=DOI, date="2012")), ("openalex", told(doi=DOI, date="2012-05-18")))
    assert (publication["record"]["pub_date"], publication["record"]["pub_date_precision"]) == ("2012", "year")


def test_the_sets_are_the_pubfinders():
    assert set(COMPLETE) - set(ENOUGH) == {"type", "pub_date", "citation_count"}
    assert not {"refs", "citations", "license", "container"} & {*COMPLETE, *ENOUGH}


def test_a_whole_record_lacks_nothing():
    publication = merged(("crossref", whole()))
    assert is_complete(publication, Rules())
    assert missing(publication, ENOUGH, Rules()) == []


@pytest.mark.parametrize(
    ("changes", "lacks"),
    [
        ({"type": None}, ["type"]),
        ({"title": " "}, ["title", "normalized_title"]),
        ({"authors": []}, ["authors"]),
        ({"subjects": ["  "]}, ["fields_of_study"]),
        ({"date": None}, ["year", "pub_date"]),
        ({"abstract": "Too short."}, ["abstract"]),
        ({"citation_count": 0}, []),
    ],
)
def test_what_is_empty_lacks(changes, lacks):
    assert missing(merged(("crossref", whole(**changes))), COMPLETE, Rules()) == lacks


@pytest.mark.parametrize(("abstract", "found"), [("N/A", False), (LONG, True)])
def test_an_abstract_that_is_too_short_is_not_enough(abstract, found):
    known = merged(("crossref", whole(abstract=abstract)))
    ticket = answering.ticket(DOI, None, (), Rules(), datetime.now(UTC)) | {"metadata": known}
    item = answering.publication(ticket, {}, "run")
    assert (item.status.found, item.missing) == (found, [] if found else ["abstract"])


def test_of_nothing_everything_lacks():
    assert missing(empty(), COMPLETE, Rules()) == list(COMPLETE)


def test_a_finished_record_has_every_field():
    record = finished(merged(("crossref", told(doi=DOI, title="T"))), DOI, ORIGINS)
    assert set(record) == {*FIELDS, "source", "source_id"}
    assert (record["type"], record["citation_count"], record["pub_date"], record["license"], record["authors"]) == (
        "UNKNOWN", 0, None, None, [],
    )  # fmt: skip
    assert record["source_id"] == [{"title": "Crossref", "url": "https://api.crossref.org", "license": None}]


def test_a_source_that_added_something_is_named_once_and_none_is_forgotten():
    publication = merged(("crossref", told(doi=DOI, title="T")), ("openalex", told(doi=DOI, title="T")), ("new", told(doi=DOI, year=2012)))
    publication["record"]["source_id"] = [{"title": "Ambalytics", "url": "https://ambalytics.com", "license": "MIT"}]
    assert [one["title"] for one in finished(publication, DOI, ORIGINS)["source_id"]] == ["Ambalytics", "Crossref", "new"]
