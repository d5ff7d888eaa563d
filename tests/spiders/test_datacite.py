import json

import asking
import pytest
from records import DATACITE

from litcrawl.items import Metadata
from litcrawl.spiders.datacite import Datacite
from litcrawl.terms import Reason

DOI = "10.5555/sentence"
QUESTION = asking.question("metadata", doi=DOI)


def answer(**changes):
    return json.dumps({"data": {"id": DOI, "type": "dois", "attributes": DATACITE | changes}})


def asked(doi=DOI):
    of = asking.source(Datacite)
    question = asking.question("metadata", doi=doi)
    return of, asking.first(of, question), question


def test_the_record_has_an_address_of_its_own():
    of, step, _ = asked()
    assert step.url == "https://api.datacite.org/dois/10.5555/sentence"
    _, step, _ = asked("10.1002/(sici)1<1::a>2#x")
    assert step.url == "https://api.datacite.org/dois/10.1002/%28sici%291%3C1%3A%3Aa%3E2%23x"
    assert of.request_batch("doi", [DOI]).url == "https://api.datacite.org/dois/10.5555/sentence"


def test_a_record_is_metadata():
    of, step, question = asked()
    (found,) = asking.read(of, step, question, answer())
    assert isinstance(found, Metadata)
    assert (found.fields["type"], found.fields["publisher"]) == ("DATASET", "Words Repository")


def test_the_record_of_another_doi_is_none():
    of, step, question = asked()
    assert asking.missed(of, step, question, answer(doi="10.5555/other")) == Reason.WRONG_ARTICLE
    (found,) = asking.read(of, step, question, answer(doi="10.5555/SENTENCE"))
    assert found.fields["doi"] == DOI


@pytest.mark.parametrize(
    ("status", "reason"),
    [(404, Reason.ABSENT), (410, Reason.ABSENT), (403, Reason.DENIED), (429, Reason.RATE_LIMITED), (500, Reason.UNAVAILABLE)],
)
def test_what_a_status_means(status, reason):
    of, step, question = asked()
    assert asking.missed(of, step, question, status=status) == reason


def test_what_crossref_knows_is_not_asked_for():
    assert Datacite.but == {"crossref"}
