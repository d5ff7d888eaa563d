"""Europe PMC's search: the query, the records that answer it, what they tell of an article, and the answers that tell nothing."""

import json
from urllib.parse import parse_qs, urlsplit

import asking
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import Response

from litcrawl.exceptions import Malformed, Miss
from litcrawl.ids import Ids
from litcrawl.items import Claim, Link, Relation, Retraction, Title
from litcrawl.source import Question
from litcrawl.spiders.europe_pmc_search import EuropePmcSearch
from litcrawl.terms import Reason

API = "https://www.ebi.ac.uk/europepmc/webservices/rest"
IDS = Ids(doi="10.1000/1", pmid="5", pmcid="PMC7")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(["Y", "N", "MED", "PPR", "PMC7", "10.1000/1", "5"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["fullTextId", "commentCorrection", "pubType"]), inner),
    max_leaves=6,
)
FIELDS = (
    "id", "source", "pmid", "pmcid", "title", "license", "isOpenAccess", "inEPMC", "fullTextIdList", "pubTypeList", "commentCorrectionList",
)  # fmt: skip


@pytest.fixture
def source():
    return asking.source(EuropePmcSearch)


def record(**fields):
    told = {"id": "5", "source": "MED", "pmid": "5", "pmcid": "PMC7", "doi": "10.1000/1", "inEPMC": "Y"}
    return {name: value for name, value in (told | fields).items() if value is not None}


def preprint(**fields):
    return record(id="PPR17", source="PPR", pmid=None, pmcid=None, fullTextIdList={"fullTextId": ["PPR17"]}, **fields)


def envelope(*records, **more):
    return {"version": "6.9", "hitCount": len(records), "resultList": {"result": list(records)}} | more


def answers(source, kind, values, body):
    request = source.request_batch(kind, values)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return source.answers(Response(request.url, body=content, request=request), kind, values)


def response_of(body):
    return Response(f"{API}/search", body=json.dumps(body).encode())


def answer(source, *records):
    """What the records say of the article with this DOI."""
    return answers(source, "doi", ["10.1000/1"], envelope(*records))["10.1000/1"]


def facts(source, *records, kind=object):
    return [fact for fact in answer(source, *records).facts if isinstance(fact, kind)]


def linked(kind, of="MED", number="6", **more):
    return {"commentCorrectionList": {"commentCorrection": [{"type": kind, "source": of, "id": number} | more]}}


# the query


@pytest.mark.parametrize(
    ("kind", "values", "query"),
    [
        ("pmid", ["5"], "(EXT_ID:5 AND SRC:MED)"),
        ("pmid", ["5", "6"], "(EXT_ID:5 AND SRC:MED) OR (EXT_ID:6 AND SRC:MED)"),
        ("pmcid", ["PMC7", "PMC8"], "PMCID:PMC7 OR PMCID:PMC8"),
        ("doi", ["10.1000/1", "10.1000/2"], 'DOI:"10.1000/1" OR DOI:"10.1000/2"'),
        (
            "doi",
            ["10.1002/(sici)1097-0258(19980815)17:15/16<1661::aid-sim968>3.0.co;2-2"],
            'DOI:"10.1002/(sici)1097-0258(19980815)17:15/16<1661::aid-sim968>3.0.co;2-2"',
        ),
        ("doi", ["10.1000/a+b&c=d%e#é"], 'DOI:"10.1000/a+b&c=d%e#é"'),
        ("doi", ['10.1000/a"b\\c'], 'DOI:"10.1000/a\\"b\\\\c"'),
        ("doi", ['10.1000/1" or pub_year:2020 or doi:"'], 'DOI:"10.1000/1\\" or pub_year:2020 or doi:\\""'),
    ],
)
def test_identifiers_are_asked_for_in_one_form(source, kind, values, query):
    request = source.request_batch(kind, values)
    assert (request.method, request.url) == ("POST", f"{API}/searchPOST")
    form = parse_qs(request.body.decode())
    assert form == {"query": [query], "resultType": ["core"], "format": ["json"], "pageSize": ["1000"]}
    assert request.headers["Content-Type"] == b"application/x-www-form-urlencoded"
    assert request.headers["Accept-Encoding"] == b"gzip"
    assert request.dont_filter
    assert "follow" not in request.meta


@pytest.mark.parametrize("value", ['10.1000/a"b', "10.1000/a\\b"])
def test_what_must_be_escaped_is_asked_for_alone(source, value):
    assert source.alone(value)
    assert not source.alone("10.1002/(sici)1097-0258(19980815)17:15/16<1661::aid-sim968>3.0.co;2-2,a|b")


# which record is whose


def test_records_are_matched_by_what_they_say_and_never_by_position(source):
    other = record(id="6", pmid="6", doi="10.1000/6", pmcid=None)
    found = answers(source, "pmid", ["5", "6", "9"], envelope(other, record()))
    assert {value: answer.ids for value, answer in found.items()} == {"5": IDS, "6": Ids(doi="10.1000/6", pmid="6")}


@pytest.mark.parametrize(
    ("kind", "value", "fields"),
    [
        ("pmid", "5", {"pmid": None}),  # `id` is the PMID where the source is PubMed
        ("pmid", "5", {"pmid": 5}),
        ("pmcid", "PMC7", {"source": "PMC", "id": "PMC7", "pmcid": None}),
        ("doi", "10.1000/a", {"doi": "10.1000/A"}),
    ],
)
def test_a_record_names_its_article_in_several_ways(source, kind, value, fields):
    assert set(answers(source, kind, [value], envelope(record(**fields)))) == {value}


@pytest.mark.parametrize("fields", [{"pmid": None, "source": "AGR"}, {"pmid": "6", "id": "6"}, {"pmid": ["5"], "id": None}])
def test_a_record_of_another_article_answers_nothing(source, fields):
    assert answers(source, "pmid", ["5"], envelope(record(**fields))) == {}


def test_one_article_as_two_records_is_one_answer(source):
    pubmed, central = record(pmcid=None), record(id="PMC7", source="PMC", pmid=None)
    assert answer(source, pubmed, central).ids == IDS


def test_records_that_contradict_each_other_tell_what_they_agree_on(source):
    erratum = record(id="6", pmid="6", pmcid=None, title="Erratum", license="cc by", inEPMC="N")
    told = answer(source, record(title="The article", inEPMC="N"), erratum)
    assert (told.ids, told.facts, told.heard) == (Ids(doi="10.1000/1", pmcid="PMC7"), [], {})


# facts


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Plain\n  words. ", "Plain words"),
        ("long " * 9000, ("long " * 400).strip()),
        ("The <i>lac</i> operon of <sub>x</sub>.", "The lac operon of x"),
        ("P &lt;i&gt;in vivo&lt;/i&gt; &amp; p &lt; 0.05 &gt; 0", "P in vivo & p < 0.05 > 0"),
    ],
)
def test_titles_come_without_markup(source, title, text):
    assert facts(source, record(title=title)) == [Title(text=text)]


@pytest.mark.parametrize(
    ("fields", "claim"),
    [
        (
            {"license": "cc by-nc", "isOpenAccess": "Y"},
            {"raw": "cc by-nc", "spdx": "LicenseRef-CC-BY-NC", "access": "open-access", "about": "vor"},
        ),
        ({"isOpenAccess": "Y"}, {"raw": None, "access": "open-access", "about": "vor"}),
        ({"license": "cc by", "isOpenAccess": "N", "epmcAuthMan": "Y"}, {"raw": "cc by", "spdx": "LicenseRef-CC-BY", "about": "am"}),
    ],
)
def test_licence_and_openness_are_a_claim(source, fields, claim):
    page = "https://europepmc.org/article/MED/5"
    assert facts(source, record(**fields)) == [Claim(basis="europe_pmc", url=page, **claim)]


def test_a_preprint_s_licence_is_the_preprint_s(source):
    (claim,) = facts(source, preprint(license="cc by", epmcAuthMan="Y"))
    assert (claim.about, claim.url) == ("preprint", "https://europepmc.org/article/PPR/PPR17")


@pytest.mark.parametrize("fields", [{"isOpenAccess": "N"}, {"license": ""}, {"license": ["cc by"]}, {}])
def test_where_nothing_is_said_nothing_is_claimed(source, fields):
    assert facts(source, record(**fields)) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"pubTypeList": {"pubType": ["Journal Article", "Retracted Publication"]}},
        {"pubTypeList": {"pubType": "retracted publication"}},
        linked("Retraction in"),
    ],
)
def test_a_retracted_article_is_told_of(source, fields):
    assert facts(source, record(**fields)) == [Retraction(retracted=True)]


def test_the_notice_of_a_retraction_is_not_retracted(source):
    notice = record(pubTypeList={"pubType": ["Retraction of Publication", "Journal Article"]}, **linked("Retraction of"))
    assert facts(source, notice) == [Relation(relation="retracts", ids=Ids(pmid="6").as_dict())]


@pytest.mark.parametrize(
    ("fields", "relation", "ids"),
    [
        (linked("Preprint in", id="6"), "preprint", Ids(pmid="6")),
        (linked("Preprint in", "PPR", "PPR9", reference="bioRxiv. doi: 10.1101/2020.01.02."), "preprint", Ids(doi="10.1101/2020.01.02")),
        (linked("Preprint of"), "published", Ids(pmid="6")),
        (linked("Preprint of", "PMC", "PMC8"), "published", Ids(pmcid="PMC8")),
        (linked("Erratum for", reference="J Test. 2020;1(2):3. doi: 10.1000/6."), "corrects", Ids(doi="10.1000/6", pmid="6")),
        (linked("Update of"), "version-of", Ids(pmid="6")),
        (linked("Update in"), "version-of", Ids(pmid="6")),
    ],
)
def test_related_works_are_named_with_their_direction(source, fields, relation, ids):
    assert facts(source, record(**fields)) == [Relation(relation=relation, ids=ids.as_dict())]


@pytest.mark.parametrize(
    "fields",
    [
        linked("Comment in"),
        linked("Erratum in"),  # it is the other that corrects
        linked("Preprint in", "PPR", "PPR9"),  # a number that leads nowhere
        linked("Preprint of", number="5"),  # itself
        linked(["Preprint of"]),
        {"commentCorrectionList": {"commentCorrection": "Preprint of"}},
        {"commentCorrectionList": ["Preprint of"]},
    ],
)
def test_what_is_no_related_work_is_left_out(source, fields):
    assert facts(source, record(**fields)) == []


def test_a_list_of_one_may_be_the_bare_value(source):
    fields = linked("Preprint of")
    fields["commentCorrectionList"]["commentCorrection"] = fields["commentCorrectionList"]["commentCorrection"][0]
    assert facts(source, record(**fields), kind=Relation)


# full text


def test_europe_pmc_need_not_be_asked_for_what_it_has_not(source):
    assert answer(source, record(inEPMC="N")).heard == {"europe_pmc": []}
    assert answer(source, preprint(inEPMC="N")).heard == {"europe_pmc": []}


@pytest.mark.parametrize("records", [[record()], [record(inEPMC=None)], [record(inEPMC="N", pmcid=None), record(source="PMC", id="PMC7")]])
def test_europe_pmc_is_asked_where_it_may_have_it(source, records):
    assert answer(source, *records).heard == {}


@pytest.mark.parametrize(
    "fields", [{}, {"fullTextIdList": {"fullTextId": "PPR17"}}, {"fullTextIdList": None}, {"fullTextIdList": {"fullTextId": ["../x"]}}]
)
def test_a_preprint_s_full_text_is_a_link_for_europe_pmc(source, fields):
    told = answer(source, preprint() | fields)
    assert told.ids == Ids(doi="10.1000/1")
    assert told.heard == {"europe_pmc": [Link(want="xml", url=f"{API}/PPR17/fullTextXML", filename="PPR17.xml", stage="preprint")]}


def test_a_preprint_that_pmc_has_is_asked_for_by_its_pmcid(source):
    assert answer(source, preprint(), record()).heard == {}


@pytest.mark.parametrize("number", ["PPR17/../../x", "17", 17, None])
def test_only_a_preprint_s_number_makes_an_address(source, number):
    assert answer(source, preprint() | {"id": number, "fullTextIdList": {"fullTextId": number}}).heard == {}


# no


def test_an_empty_list_states_absence(source):
    assert answers(source, "pmid", ["5"], envelope()) == {}


def test_fewer_hits_than_results_is_no_harm(source):
    assert set(answers(source, "pmid", ["5"], envelope(record(), hitCount=0))) == {"5"}


def test_a_list_cut_short_states_nothing_of_those_it_lacks(source):
    assert set(answers(source, "pmid", ["5"], envelope(record(), hitCount=9))) == {"5"}
    with pytest.raises(Malformed):
        answers(source, "pmid", ["5", "6"], envelope(record(), hitCount=9))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><title>Sorry</title></html>",
        b'{"hitCount": 1, "resultList": {"result": [',
        [],
        {"version": "6.9"},
        {"version": "6.9", "errCode": 404, "errMsg": "Parameter query is missing"},
        envelope(record(), errCode=0, errMsg="Internal"),
        envelope(resultList=None),
        envelope(resultList=[]),
        envelope(resultList={}),
        envelope(resultList={"result": None}),
        envelope(resultList={"result": record()}),
    ],
)
def test_what_is_no_list_of_results_is_no_answer(source, body):
    with pytest.raises(Malformed):
        answers(source, "pmid", ["5"], body)


def test_a_spoilt_record_costs_only_itself(source):
    assert set(answers(source, "pmid", ["5"], envelope(None, [], "5", {"pmid": {}}, record()))) == {"5"}


@given(st.lists(st.fixed_dictionaries({"doi": st.just("10.1000/1")}, optional=dict.fromkeys(FIELDS, JSON)), max_size=3))
def test_no_record_raises(records):
    assert set(answers(asking.source(EuropePmcSearch), "doi", ["10.1000/1"], envelope(*records))) <= {"10.1000/1"}


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (301, Reason.UNAVAILABLE),
        (403, Reason.UNAVAILABLE),
        (404, Reason.UNAVAILABLE),
        (429, Reason.RATE_LIMITED),
        (504, Reason.UNAVAILABLE),
    ],
)
def test_no_status_says_that_an_article_does_not_exist(source, status, reason):
    asked = asking.question("access", pmid="5")
    assert asking.missed(source, asking.first(source, asked), asked, status=status) == reason


# one article


@pytest.mark.parametrize(
    ("ids", "query"),
    [
        ({"pmid": "5", "pmcid": "PMC7", "doi": "10.1000/1"}, "(EXT_ID:5 AND SRC:MED)"),
        ({"pmcid": "PMC7", "doi": "10.1000/1"}, "PMCID:PMC7"),
        ({"doi": "10.1000/1"}, 'DOI:"10.1000/1"'),
    ],
)
def test_a_single_article_is_asked_for_by_one_identifier(source, ids, query):
    step = asking.first(source, asking.question("access", **ids))
    request = source.request(asking.plan(source, step), "key")
    address = urlsplit(request.url)
    assert (request.method, f"https://{address.netloc}{address.path}") == ("GET", f"{API}/search")
    assert parse_qs(address.query)["query"] == [query]


def test_a_single_article_s_records_give_its_identifiers_and_facts(source):
    asked = asking.question("access", "related", doi="10.1000/1")
    body = json.dumps(envelope(record(license="cc by", **linked("Preprint in", reference="doi: 10.1101/9"))))
    ids, claim, relation = asking.read(source, asking.first(source, asked), asked, body)
    assert (ids, claim.spdx, relation.relation) == (IDS, "LicenseRef-CC-BY", "preprint")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (envelope(), Reason.ABSENT),
        (envelope(record(doi="10.1000/2")), Reason.WRONG_ARTICLE),
        (envelope(record(id="6", pmid="6")), Reason.ABSENT),
        ({"version": "6.9"}, Reason.UNAVAILABLE),
    ],
)
def test_a_single_article_that_is_not_there(source, body, reason):
    asked = asking.question("access", pmid="5", doi="10.1000/1")
    assert asking.missed(source, asking.first(source, asked), asked, json.dumps(body)) == reason


def test_any_of_three_identifiers_will_do(source):
    assert source.declines(Ids(bookid="NBK1")) == Reason.NEEDS_ID
    assert [source.declines(Ids(**{kind: value})) for kind, value in IDS] == [None, None, None]
    with pytest.raises(Miss):
        source.check_status(Response(API, status=503))


def test_a_chapter_whose_accession_is_unknown_is_asked_of_bookshelf_by_its_pmid(source):
    told = answer(source, record(hasBook="Y", inEPMC="N", pmcid=None))
    assert told.heard["europe_pmc_bookshelf"] == [Link(want="xml", url=f"{API}/5/bookXML", filename="5.xml")]
    told = answer(source, record(source="NBK", id="NBK99", pmid=None, pmcid=None, hasBook="Y"))
    assert told.ids.bookid == "NBK99"
    assert "europe_pmc_bookshelf" not in told.heard


def test_a_chapter_is_looked_up_by_its_accession_where_bookshelf_has_nothing(source):
    asked = Question(ids=Ids(bookid="NBK99"), want=frozenset())
    (step,) = source.ask(asked)
    assert "EXT_ID%3ANBK99" in step.url
    told = list(source.search(response_of(envelope(record(hasBook="Y", pmcid=None))), asked, step.state))
    assert told[0] == Ids(doi="10.1000/1", pmid="5", bookid="NBK99")
    with pytest.raises(Miss):
        list(source.search(response_of(envelope(record(hasBook="N"))), asked, step.state))
    with pytest.raises(Miss):
        list(source.search(response_of(envelope(record(hasBook="Y"), record(hasBook="Y"))), asked, step.state))
