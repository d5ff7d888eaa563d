from litcrawl.items import Article, Blob, Claim, File, Licence
from litcrawl.pipelines.licence import LicencePipeline
from litcrawl.terms import Kind, Outcome

BY = "https://creativecommons.org/licenses/by/4.0/"
NC = "https://creativecommons.org/licenses/by-nc/4.0/"


def stated(*addresses):
    return {"licences": [{"raw": one, "via": "href", "type": None, "about": None, "start": None} for one in addresses]}


def file(path="body.xml", kind=Kind.BODY, evidence=None, licence=None):
    return File(
        kind=kind, source="lab", media_type="application/jats+xml", uri=f"https://lab.test/{path}", filename=path, path=path,
        size_bytes=1, sha256="", licence=licence, stated=evidence,
    )  # fmt: skip


def article(*files, claims=()):
    return Article(key="PMC1", path="pmc/PMC1", outcome=Outcome.RETRY, files=list(files), claims=list(claims), at="2026-01-01T00:00:00Z")


def passed(item):
    assert LicencePipeline().process_item(item) is item
    return item


def test_a_file_has_the_licence_that_its_bytes_state_and_the_article_that_of_its_first_body():
    item = passed(article(file(evidence=stated(BY)), file("body.pdf"), file("s1.csv", Kind.SUPPLEMENTARY)))
    assert [one.licence and one.licence.spdx for one in item.files] == ["CC-BY-4.0", None, None]
    assert item.files[0].licence.basis == "artifact"
    assert item.licence.spdx == "CC-BY-4.0"
    assert [(claim.raw, claim.spdx, claim.basis, claim.url) for claim in item.claims] == [
        (BY, "CC-BY-4.0", "artifact", "https://lab.test/body.xml")
    ]


def test_a_body_without_a_licence_leaves_the_article_without_one():
    item = passed(article(file("body.xml"), file("body.pdf", licence=Licence(spdx="CC-BY-4.0"))))
    assert item.licence is None


def test_supplements_do_not_decide():
    assert passed(article(file("s1.xml", Kind.SUPPLEMENTARY, stated(BY)))).licence is None


def test_what_its_source_told_of_a_file_stays():
    told = Licence(spdx="CC0-1.0", raw="CC0", basis="pmc")
    item = passed(article(file(evidence=stated(BY), licence=told)))
    assert item.licence is told
    assert [claim.spdx for claim in item.claims] == ["CC-BY-4.0"], "the statement is kept all the same"


def test_contradictions_are_kept_and_flagged():
    item = passed(article(file(evidence=stated(BY)), claims=[Claim(raw=NC, spdx="CC-BY-NC-4.0", basis="crossref", about="vor")]))
    assert item.licence_conflict
    assert {claim.spdx for claim in item.claims} == {"CC-BY-4.0", "CC-BY-NC-4.0"}
    assert not passed(article(file(evidence=stated(BY)))).licence_conflict


def test_a_blob_brings_the_same_to_its_draft_and_nothing_twice():
    fetched = file(evidence=stated(BY))
    blob = passed(Blob(file=fetched, body=b"x", draft=article(file(evidence=stated(BY)))))
    assert fetched.licence.spdx == blob.draft.licence.spdx == "CC-BY-4.0"
    assert len(blob.draft.claims) == 1
    passed(blob.draft)
    assert len(blob.draft.claims) == 1


def test_other_items_pass():
    other = {"anything": 1}
    assert LicencePipeline().process_item(other) is other
