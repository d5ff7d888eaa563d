"""
Is a PDF the article that was asked for? Its own text says so: by a DOI, by the title. Pure.

An accepted manuscript, a scan, an old paper names no DOI at all: what says nothing is kept. A file is refused only when its
front names another article, and nothing in its first pages the one that was asked for.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Mapping

from litcrawl import ids as identifiers
from litcrawl.exceptions import Miss
from litcrawl.proof.reading import Pages
from litcrawl.terms import Reason

VOLUME = 100
"""A file with this many pages that names only the whole of which a part was asked for is the whole."""

# Who gives DOIs to copies, preprints, data and funders: one on a first page says where this copy lies, what it rests on
# or who paid for it, not which article it is.
_OF_COPIES = frozenset(
    {
        "10.1101", "10.64898", "10.48550", "10.2139", "10.3386", "10.13140", "10.13039", "10.17605", "10.17632", "10.20944", "10.21203",
        "10.22541", "10.26434", "10.31219", "10.31222", "10.31223", "10.31234", "10.31235", "10.36227", "10.5061", "10.5281", "10.6084",
    }
)  # fmt: skip
_SEVERAL = 3  # so many DOIs on a front are citations, whatever stands above them
_SPARSE = 600  # characters: a cover sheet of a repository, with the front on the next page
_PIECE, _ENOUGH = 8, 0.6
_SHORTEST = 4  # bytes: two characters of Chinese say as much
_REFERENCES = re.compile(
    r"^\W*(?:\d+\.?\s*)?(?:references?(?: and notes| cited)?|bibliography|(?:works|literature) cited|literatur(?:verzeichnis)?"
    r"|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|referências)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
# In a file of one page: all there is, says its author, is not here.
_STUB = re.compile(
    r"first[- ]page preview|preview of (?:the )?(?:first page|subscription content)|only the first page (?:of|is)"
    r"|full[- ]text (?:of this (?:item|article|work) )?is (?:currently )?(?:not available|unavailable|restricted|under embargo)",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_BREAK = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]|[\ufffe\uffff\x02]\\s*")  # soft hyphens as text and as PDFium marks them


def compare(pages: Pages, ids: Mapping[str, str | None], titles: Iterable[str]) -> list[str]:
    """
    What in a PDF's first pages speaks for the asked article: `doi` (any of its identifiers), `title`; `no-text`, `no-match` for nothing.

    Raises `Miss`: `wrong-article` for another article's, `abstract-only` for a page that stands for the article.
    """
    texts = [_BREAK.sub("", unicodedata.normalize("NFKC", text)) for text in pages.texts]
    whole = "\n".join((*texts, *pages.about))
    if pages.count == 1 and (stub := _STUB.search(" ".join(texts[0].split()) if texts else "")):
        raise Miss(Reason.ABSTRACT_ONLY, f"one page: {stub[0]}")
    asked = ids.get("doi")
    text = _letters(whole)
    checks = ["doi"] if _named(asked, whole, text) or any(_named(ids.get(kind), whole, text) for kind in ("arxiv", "pmcid")) else []
    long = pages.count >= VOLUME
    others = _others("\n".join(_front(texts, long)), asked) if asked and not checks else set()
    if asked and long and (volume := next((one for one in others if _is_part(asked, one)), None)):
        raise Miss(Reason.WRONG_ARTICLE, f"{volume}, the whole of {pages.count} pages")
    if any(_titled(title, text) for title in titles):
        checks.append("title")
    foreign = {one for one in others if asked and not asked.startswith(one)}
    if foreign and not checks and len(others) < _SEVERAL:
        raise Miss(Reason.WRONG_ARTICLE, f"doi {', '.join(sorted(foreign))}, not {asked}")
    return checks or ["no-match" if any(map(_letters, texts)) else "no-text"]


def _named(identifier: str | None, text: str, letters: str) -> bool:
    """Whether an identifier stands in a text, wherever its lines broke; one that goes on with further digits is another."""
    if not identifier:
        return False
    wanted = _letters(identifier)
    if wanted not in letters:
        return False
    longer = re.compile(re.escape(identifier) + r"\d", re.IGNORECASE) if identifier[-1].isdigit() else None
    return longer is None or not longer.search(text) or wanted in _letters(longer.sub(" ", text))


def _others(front: str, asked: str) -> set[str]:
    """DOIs that a front names, and that are neither the asked one nor of a part of it nor of a copy."""
    found = {one.ids.doi for one in identifiers.find(front) if one.ids.doi}
    registrant = asked.partition("/")[0]
    return {
        doi
        for doi in found
        if not doi.startswith(asked) and (doi.partition("/")[0] == registrant or doi.partition("/")[0] not in _OF_COPIES)
    }


def _is_part(asked: str, whole: str) -> bool:
    """Whether the asked DOI is that of a chapter, a figure, an abstract of `whole`, as DOIs are commonly made."""
    return asked.startswith(whole) and bool(re.match(r"[._/\-(]", asked[len(whole) :]))


def _front(texts: list[str], long: bool) -> list[str]:
    """The first page up to its references; also the next one where the first is a cover sheet; all that was read of a volume."""
    last = len(texts) if long else 2 if texts and len(texts[0]) < _SPARSE else 1
    return [_REFERENCES.split(text, maxsplit=1)[0] for text in texts[:last]]


def _titled(title: str, text: str) -> bool:
    """
    Whether a text holds a title, in most of its pieces: footnote marks, line order, a letter read wrongly or written as `?` do not matter.

    Of a word or two (`Editorial`, `書評`) it must hold all; `N/A` is no title.
    """
    wanted = _letters(_TAG.sub("", html.unescape(title)))
    if len(wanted) < _PIECE:
        return len(wanted.encode()) >= _SHORTEST and wanted in text
    unwritten = _unwritten(wanted, text)
    runs = re.split(f"[{''.join(unwritten)}]", wanted) if unwritten else [wanted]
    pieces = {run[at : at + _PIECE] for run in runs for at in range(len(run) - _PIECE + 1)} or {wanted}
    return sum(piece in text for piece in pieces) >= _ENOUGH * len(pieces)


def _unwritten(wanted: str, text: str) -> list[str]:
    """Letters beyond ASCII of which a text holds none: its font or its maker had no sign for them."""
    return [letter for letter in dict.fromkeys(wanted) if not letter.isascii() and letter not in text]


def _letters(text: str) -> str:
    """Letters and digits alone, without ligatures, accents and case."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKD", text).casefold())
