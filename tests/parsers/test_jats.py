import pytest

from litcrawl.parsers import jats, xml

XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:ali="http://www.niso.org/schemas/ali/1.0/"'
CC_BY = "https://creativecommons.org/licenses/by/4.0/"


def evidence(data: str) -> dict:
    return jats.evidence(xml.parse(data.encode()).root)


def article(meta: str = "", body: str = "<body><p>Text.</p></body>", back: str = "") -> str:
    return f"<article {XLINK}><front><journal-meta/><article-meta>{meta}</article-meta></front>{body}{back}</article>"


def book(part: str = "", permissions: str = "", attributes: str = "", body: str = "<body><p>Text.</p></body>") -> str:
    return (
        f'<book-part-wrapper {XLINK}><book-meta><book-id book-id-type="pmcid">NBK1</book-id>'
        f"<book-title-group><book-title>The book</book-title></book-title-group>{permissions}</book-meta>"
        f"<book-part {attributes}><book-part-meta>{part}</book-part-meta>{body}</book-part></book-part-wrapper>"
    )


def ids(kind: str, value: str) -> dict:
    return evidence(article(f'<article-id pub-id-type="{kind}">{value}</article-id>'))["ids"]


def licences(inside: str) -> list[tuple]:
    return [(one["via"], one["raw"]) for one in evidence(article(f"<permissions>{inside}</permissions>"))["licences"]]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("pmc", "123"),
        ("pmcid", "PMC123"),
        ("pmcid", " pmc123 "),
        ("pmcaid", "123"),
        ("pmc-aid", "123"),
        ("pmcid-ver", "PMC123.2"),
        ("PMC", "0123"),
    ],
)
def test_every_spelling_of_a_pmcid(kind, value):
    assert ids(kind, value) == {"pmcid": "PMC123"}


def test_the_best_spelling_of_a_pmcid_wins_and_the_version_is_kept():
    meta = "".join(
        f'<article-id pub-id-type="{kind}">{value}</article-id>'
        for kind, value in [("pmcaiid", "999"), ("pmcaid", "777"), ("pmcid-ver", "PMC123.4"), ("pmcid", "PMC123")]
    )
    found = evidence(article(meta))
    assert (found["ids"], found["version"]) == ({"pmcid": "PMC123"}, 4)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("doi", " 10.1234/ABC<9> ".replace("<", "&lt;").replace(">", "&gt;"), {"doi": "10.1234/ABC<9>"}),
        ("doi", "https://doi.org/10.1234/a", {"doi": "10.1234/a"}),
        ("pmid", "0123", {"pmid": "123"}),
        ("pmid", "", {}),
        ("pmid", "none", {}),
        ("pmid", "000", {}),
        ("pmc", "PMC-x", {}),
        ("publisher-id", "123", {}),
        ("arxiv", "1501.00001", {}),
    ],
)
def test_other_identifiers(kind, value, expected):
    assert ids(kind, value) == expected


def test_identifiers_of_cited_and_related_works_are_not_the_article_s():
    back = '<back><ref-list><ref><element-citation><pub-id pub-id-type="doi">10.1/x</pub-id></element-citation></ref></ref-list></back>'
    reply = '<sub-article><front-stub><article-id pub-id-type="doi">10.1/reply</article-id></front-stub></sub-article>'
    assert evidence(article(back=back + reply))["ids"] == {}


@pytest.mark.parametrize(("text", "version"), [("3", 3), (" 12 ", 12), ("1.2", None), ("preprint", None), ("", None), ("²", None)])
def test_the_version_as_a_number(text, version):
    meta = f"<article-version-alternatives><article-version>{text}</article-version></article-version-alternatives>"
    assert evidence(article(meta))["version"] == version


def test_the_title_without_its_footnotes_and_tex():
    title = (
        "<title-group><article-title>CO<sub>2</sub> and\n <italic>Aspen</italic><xref>*</xref> "
        "<inline-formula><alternatives><tex-math>\\alpha</tex-math><math>α</math></alternatives></inline-formula>, twice"
        "</article-title></title-group>"
    )
    assert evidence(article(title))["title"] == "CO2 and Aspen α, twice"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", False),
        ("<body/>", False),
        ("<body> <sec><title> </title></sec></body>", False),
        ("<body><sec><title>Introduction</title></sec></body>", True),
        ("<body>Scanned text</body>", True),
        ('<body><supplementary-material content-type="scanned-pages"><p>Pages</p></supplementary-material></body>', False),
        ('<body><sec sec-type="supplementary-material"><title>Files</title></sec></body>', False),
        ('<body><sec sec-type="supplementary-material"><title>Files</title></sec><p>Text</p></body>', True),
    ],
)
def test_a_body_is_text_and_not_just_an_element(body, expected):
    assert evidence(article("<abstract><p>Long abstract.</p></abstract>", body=body))["has_body"] is expected


def test_names_are_compared_without_their_namespace():
    data = article('<article-id pub-id-type="doi">10.1/x</article-id>').replace("<article ", '<article xmlns="urn:some-dtd" ')
    found = evidence(data)
    assert (found["root"], found["ids"], found["has_body"]) == ("article", {"doi": "10.1/x"}, True)


def test_an_article_without_front_matter_is_no_error():
    assert evidence("<article/>") == {
        "root": "article", "title": None, "ids": {}, "version": None, "has_body": False, "licences": [], "supplements": {},
    }  # fmt: skip


def test_licence_statements_in_their_order():
    stated = licences(
        '<license license-type="open-access" xlink:href="http://a.org/href">'
        f'<license-p>Under <ext-link xlink:href="{CC_BY}">CC BY</ext-link>.'
        "</license-p><ali:license_ref>http://a.org/ref</ali:license_ref></license>"
    )
    assert stated == [
        ("license_ref", "http://a.org/ref"),
        ("href", "http://a.org/href"),
        ("ext-link", CC_BY),
        ("license-type", "open-access"),
        ("text", "Under CC BY."),
    ]


def test_what_a_license_ref_is_about_and_when_it_starts():
    found = evidence(
        article(
            '<permissions><license license-type="OpenAccess" specific-use="am"><ali:license_ref start_date="2027-01-01">http://a.org/1</ali:license_ref>'
            '<ali:license_ref specific-use="vor">http://a.org/2</ali:license_ref></license></permissions>'
        )
    )["licences"]
    assert [(one["about"], one["start"], one["type"]) for one in found[:2]] == [
        ("am", "2027-01-01", "OpenAccess"),
        ("vor", None, "OpenAccess"),
    ]


@pytest.mark.parametrize(
    ("paragraph", "link"),
    [
        ("See (http://creativecommons.org/licenses/by/3.0/).", "http://creativecommons.org/licenses/by/3.0/"),
        ("See https://creativecommons.org/licenses/by/4.0, please", "https://creativecommons.org/licenses/by/4.0"),
        ('<uri xlink:href="https://creativecommons.org/licenses/by/4.0/">x</uri>', CC_BY),
        (f'<ext-link xlink:href="https://publisher.org/x">x</ext-link> <ext-link xlink:href="{CC_BY}">y</ext-link>', CC_BY),
    ],
)
def test_a_creative_commons_link_in_the_paragraph(paragraph, link):
    assert ("ext-link", link) in licences(f"<license><license-p>{paragraph}</license-p></license>")


def test_an_other_link_in_the_paragraph_is_no_statement():
    paragraph = '<license-p>See <ext-link xlink:href="https://publisher.org/terms">terms</ext-link></license-p>'
    assert licences(f"<license>{paragraph}</license>") == [("text", "See terms")]


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("<license-p>One.</license-p><license-p>Two.</license-p>", "One. Two."),
        ("<p>One <italic>and</italic> only.</p>", "One and only."),
        ("Under <italic>these</italic> terms.", "Under these terms."),
    ],
)
def test_the_text_of_a_licence(inside, text):
    assert licences(f"<license>{inside}</license>") == [("text", text)]


def test_a_figure_s_licence_is_not_the_article_s():
    body = f'<body><p>Text</p><fig><permissions><license xlink:href="{CC_BY}"><p>Fig</p></license></permissions></fig></body>'
    assert evidence(article("<permissions><copyright-year>2020</copyright-year></permissions>", body=body))["licences"] == []


def test_a_book_part_has_its_own_identifiers_title_and_terms():
    part = (
        '<book-part-id book-part-id-type="nbk">NBK22</book-part-id><book-part-id book-part-id-type="pmid">20301295</book-part-id>'
        f'<title-group><title>The part</title></title-group><permissions><license xlink:href="{CC_BY}"/></permissions>'
    )
    found = evidence(book(part, '<permissions><license xlink:href="http://a.org/book"/></permissions>'))
    assert (found["root"], found["ids"], found["title"]) == ("book-part-wrapper", {"bookid": "NBK22", "pmid": "20301295"}, "The part")
    assert [one["raw"] for one in found["licences"]] == [CC_BY]


def test_a_book_part_without_terms_falls_under_its_book_s():
    part = "<permissions><copyright-year>2020</copyright-year></permissions>"
    found = evidence(book(part, '<permissions><license xlink:href="http://a.org/book"/></permissions>', 'id="NBK22"'))
    assert [one["raw"] for one in found["licences"]] == ["http://a.org/book"]
    assert found["ids"] == {"bookid": "NBK22"}


def test_bookshelf_writes_its_number_under_pmcid():
    assert evidence(book('<book-part-id book-part-id-type="pmcid">NBK22</book-part-id>'))["ids"] == {"bookid": "NBK22"}


def test_a_book_part_without_body():
    assert evidence(book(body=""))["has_body"] is False


def test_supplements_and_figures_are_told_apart():
    body = (
        '<body><p>Text</p><fig><label>Figure 1</label><caption><title>Effect.</title><p>See <xref>Table 1</xref>.</p></caption>'
        '<alternatives><graphic xlink:href="x-g001"/></alternatives></fig>'
        '<sec><label>9</label><supplementary-material id="S1"><label>S1 File</label><caption><p>Raw data.</p></caption>'
        '<media xlink:href="MediaObjects/x%20s001.xlsx"><caption><p>Click here for additional data file.</p></caption></media>'
        "</supplementary-material>"
        '<supplementary-material xlink:href="x-s002.tif"><caption><p>A scan.</p></caption></supplementary-material>'
        '<supplementary-material><media mimetype="video" xlink:href="film.mp4"/></supplementary-material>'
        '<media xlink:href="talk.mp4"><label>Video 1</label></media></sec>'
        '<p><inline-formula><alternatives><inline-graphic xlink:href="eq1.gif"/><graphic xlink:href="eq2.gif"/></alternatives>'
        "</inline-formula>"
        '<disp-formula><label>1</label><graphic xlink:href="eq3.gif"/></disp-formula></p></body>'
    )  # fmt: skip
    assert evidence(article(body=body))["supplements"] == {
        "x-g001": {"description": "Figure 1 Effect. See Table 1.", "role": "figure"},
        "x s001.xlsx": {"description": "S1 File Raw data.", "role": "other"},
        "x-s002.tif": {"description": "A scan.", "role": "other"},
        "film.mp4": {"description": None, "role": "media"},
        "talk.mp4": {"description": "Video 1", "role": "media"},
    }


@pytest.mark.parametrize("href", ["https://elsewhere.org/data.zip", "#F1", "mailto:a@b.org", "", "/", "folder/"])
def test_references_that_name_no_file(href):
    body = f'<body><p>x</p><supplementary-material xlink:href="{href}"/></body>'
    assert evidence(article(body=body))["supplements"] == {}


def test_a_listed_file_is_found_by_name_in_other_letters_and_without_extension():
    supplements = {"pone.001.g001": {"description": "Figure", "role": "figure"}, "Data.CSV": {"description": "Data", "role": "other"}}
    assert jats.describe(supplements, "pone.001.g001.jpg") == supplements["pone.001.g001"]
    assert jats.describe(supplements, "data.csv") == supplements["Data.CSV"]
    assert jats.describe(supplements, "pone.001.g002.jpg") is None
    assert jats.describe({}, "x") is None


def test_a_book_part_that_nothing_wraps():
    """As the Book DTD before BITS has it: https://dtd.nlm.nih.gov/book/."""
    found = evidence(
        '<book-part id="NBK22"><book-meta><book-id pub-id-type="pmcid">NBK1</book-id></book-meta><book-part-meta>'
        '<book-part-id pub-id-type="pmid">20301295</book-part-id><title-group><title>The part</title></title-group></book-part-meta>'
        "<body><book-part><body><p>Text.</p></body></book-part></body></book-part>"
    )
    assert (found["root"], found["title"], found["has_body"]) == ("book-part", "The part", True)
    assert found["ids"] == {"pmid": "20301295", "bookid": "NBK22"}


class TestMasses:
    """What a small document can ask of its reader: more than any article holds is left out, and nothing is looked at again and again."""

    def test_of_countless_supplements_the_first_are_taken(self):
        media = "".join(f'<media xlink:href="{n}.csv"/>' for n in range(150_000))  # a minute for each, were it looked for among all others
        found = evidence(article(body=f"<body><sec><p>Text.</p>{media}</sec></body>"))["supplements"]
        assert (len(found), "0.csv" in found) == (10_000, True)

    def test_a_caption_is_read_once_however_many_files_share_it(self, monkeypatch):
        read = []
        monkeypatch.setattr(jats, "paragraphs_of", lambda element, read=read, of=jats.paragraphs_of: read.append(element) or of(element))
        media = "".join(f'<media xlink:href="{n}.csv"/>' for n in range(50))
        shared = f"<supplementary-material><caption><p>Tables.</p></caption>{media}</supplementary-material>"
        found = evidence(article(body=f"<body><p>Text.</p>{shared}</body>"))["supplements"]
        assert {one["description"] for one in found.values()} == {"Tables."}
        assert len(read) == 1

    def test_captions_inside_captions_come_to_an_end(self):
        start = "".join(f'<supplementary-material xlink:href="{n}.csv"><caption>' for n in range(100))
        nested = start + "<p/>" * 200_000 + "</caption></supplementary-material>" * 100
        assert len(evidence(article(body=f"<body><p>Text.</p>{nested}</body>"))["supplements"]) == 100

    def test_of_countless_licence_statements_the_first_are_taken(self):
        references = "".join(f"<license_ref>https://terms.test/{n}</license_ref>" for n in range(20_000))
        stated = evidence(article(f"<permissions><license>{references}</license></permissions>"))["licences"]
        assert len(stated) == 100
