import pytest

from litcrawl.publications import wording


@pytest.mark.parametrize(
    ("text", "known_by"),
    [
        ("Buzsáki, György", "buzsaki gyorgy"),
        ("Łukasz Ørsted-Straße", "lukasz orstedstrasse"),
        ("Ægir Þór", "aegir thor"),
        ("Çelik İnanç Yılmaz", "celik inanc yilmaz"),
        ("IL-32 in 2 mice", "il in mice"),
        ("  two\tblanks  ", "two blanks"),
        ("Иванов И. И.", "иванов и и"),
        ("宮地 元彦", "宮地 元彦"),
        ("2023", ""),
    ],
)
def test_accents_are_folded_and_not_dropped(text, known_by):
    assert wording.normalised(text) == known_by
    assert wording.normalised(known_by) == known_by


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("On <i>E. coli</i> at 5 &lt; pH", "On E. coli at 5 < pH"),
        ("CO<sub>2</sub> uptake", "CO2 uptake"),
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One. Two."),
        ("&lt;p&gt;R &amp;amp; D&lt;/p&gt;", "R & D"),
        ('<a href="https://litcrawl.dev/?a=1">here</a>', "here"),
        ("n <b and c> d stays", "n <b and c> d stays"),
        ("P<0.05", "P<0.05"),
        ("<!-- left -->over", "over"),
        ("one<!-- a <b> --><!---->two <!-- and <i>three</i>", "one two <!-- and three"),
        ("<a title='a > b'>here</a>", "here"),
        (" \n ", None),
        ("<p></p>", None),
        (None, None),
        (7, None),
        (["a"], None),
    ],
)
def test_markup_and_entities_go(text, line):
    assert wording.plain(text) == line


@pytest.mark.parametrize("part", ["<!--", "<a b='", '<a b="<a c=\'" d="\' e=', "<a b=c ", "&lt;!--", "<a "])
def test_markup_that_never_ends_is_read_in_one_pass(part):
    text = part * (100_000 // len(part))
    assert wording.plain(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<jats:title>Abstract</jats:title><jats:p>These results hold.</jats:p>", "These results hold."),
        ("ABSTRACT: Background: We ask.", "We ask."),
        ("Objectives - To measure", "To measure"),
        ("Introduction We ask", "We ask"),
        ("Abstract The results hold.", "The results hold."),
        ("<jats:p>Background</jats:p>\n<jats:p>radiation hides them.</jats:p>", "radiation hides them."),
        ("<p><b>Objective</b><br/>Bayesian methods serve.</p>", "Bayesian methods serve."),
        ("Background\nRadiation hides them.", "Radiation hides them."),
        ("Background\nradiation hides them.", "Background radiation hides them."),
        ("Background Radiation from afar", "Background Radiation from afar"),
        ("Objective Bayesian methods", "Objective Bayesian methods"),
        ("Abstract Theories hold", "Abstract Theories hold"),
        ("Nature-based solutions", "Nature-based solutions"),
        ("Background-free imaging", "Background-free imaging"),
        ("Abstract: " * 5000 + "We ask", "We ask"),
        ("Background noise is everywhere.", "Background noise is everywhere."),
        ("Nature Conservation areas shrink.", "Nature Conservation areas shrink."),
        ("Nature. We ask", "We ask"),
        ("Abstraction helps", "Abstraction helps"),
        ("Abstract", None),
        ("", None),
    ],
)
def test_headings_before_the_first_sentence_are_no_part_of_an_abstract(text, words):
    assert wording.abstract(text) == words


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        (("Miller, Ann B.",), "Ann B. Miller"),
        (("Ann Miller",), "Ann Miller"),
        (("Müller, A., Jr.",), "Müller, A., Jr."),
        (("Miller, Ann", "Ann", "Miller"), "Ann Miller"),
        (("The Group", None, None), "The Group"),
        ((None, None, "Plato"), "Plato"),
        (("Plato,",), "Plato"),
        ((None,), None),
    ],
)
def test_given_names_come_first(stated, name):
    assert wording.person(*stated) == name


def test_an_orcid_is_its_number():
    assert wording.orcid("https://orcid.org/0000-0002-1825-0097") == "0000-0002-1825-0097"
    assert wording.orcid("0000-0002-1694-233x") == "0000-0002-1694-233X"
    assert wording.orcid("https://orcid.org/") is None
    assert wording.orcid(None) is None
