"""What an answer tells beyond what articles have is left out."""

from collections import Counter

from litcrawl.bounds import LINKS, SUPPLEMENTS, bounded
from litcrawl.ids import Ids
from litcrawl.items import Claim, Link, Relation, Title
from litcrawl.terms import Want


def test_of_each_kind_no_more_than_an_article_has():
    many = [
        *(Title(text=str(n)) for n in range(20)),
        *(Claim(raw=str(n), basis="crossref") for n in range(300)),
        *(Relation(relation="retracts", ids=Ids(pmid=str(n + 1)).as_dict()) for n in range(2000)),
        *(Link(want=want, url=f"https://a.test/{want}{n}") for want in (Want.PDF, Want.XML) for n in range(300)),
    ]
    told = list(bounded(many))
    assert Counter(type(one) for one in told) == {Title: 10, Claim: 100, Relation: 1000, Link: 2 * LINKS}
    assert told[0] == many[0], "the first are the best"
    assert list(bounded(told)) == told


def test_an_article_may_have_thousands_of_supplements():
    many = [Link(want=Want.SUPPLEMENTARY, url=f"https://a.test/{n}") for n in range(SUPPLEMENTS + 5)]
    assert len(list(bounded(many))) == SUPPLEMENTS
