import json

import asking
import pytest
from records import OPENAIRE

from litcrawl.spiders.openaire import Openaire
from litcrawl.terms import Reason

DOI = "10.5555/sentence"


def asked(doi=DOI):
    of = asking.source(Openaire)
    question = asking.question("metadata", doi=doi)
    return of, asking.first(of, question), question


def answer(*products):
    return json.dumps({"header": {"numFound": len(products), "page": 1, "pageSize": 5}, "results": list(products)})


def test_products_are_asked_for_by_their_doi():
    _, step, _ = asked()
    assert step.url == "https://api.openaire.eu/graph/v3/research-products?pid=10.5555%2Fsentence&pageSize=5"


def test_of_several_products_the_one_with_the_doi_counts():
    of, step, question = asked()
    other = OPENAIRE | {"mainTitle": "Another", "pids": [{"scheme": "doi", "value": "10.5555/other"}], "instances": []}
    (found,) = asking.read(of, step, question, answer(other, OPENAIRE))
    assert found.fields["title"] == "On sentences"


def test_a_product_may_bear_the_doi_with_one_of_its_versions():
    of, step, question = asked("10.5555/preprint")
    (found,) = asking.read(of, step, question, answer(OPENAIRE))
    assert found.fields["doi"] == "10.5555/preprint"


def test_an_empty_list_is_a_miss():
    of, step, question = asked()
    assert asking.missed(of, step, question, answer()) == Reason.ABSENT
    assert asking.missed(of, step, question, answer(OPENAIRE | {"pids": [], "instances": []})) == Reason.ABSENT


@pytest.mark.parametrize(
    ("status", "reason"), [(404, Reason.ABSENT), (403, Reason.UNAVAILABLE), (401, Reason.UNAVAILABLE), (503, Reason.UNAVAILABLE)]
)
def test_what_a_status_means(status, reason):
    of, step, question = asked()
    assert asking.missed(of, step, question, status=status) == reason
