"""What the columns of the exports in use are called, and what stands in them (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litcrawl.idlists.rows import Cell, Facts, facts_of

# Names as `fold` makes them. From the exports of PubMed, PMC-ids.csv, Zotero, EndNote, Covidence, Rayyan, Scopus, Web of Science,
# Europe PMC, OpenAlex, Semantic Scholar and Crossref, and what people write by hand.
_IDENTIFIERS = {
    "doi": "doi dois doilink doiurl doinumber articledoi digitalobjectidentifier prismdoi di",
    "pmid": "pmid pmids pubmed pubmedid pubmedids pubmedpmid medlinepmid pm",
    "pmcid": "pmcid pmcids pmc pmcidentifier pubmedcentral pubmedcentralid",
    "bookid": "bookid nbk nbkid bookshelf bookshelfid bookaccession",
    "arxiv": "arxiv arxivid eprint",
}
_LOOSE = "url urls link links uri fulltexturl articleurl landingpage openurl accessionnumber an"
_PROSE = "extra notes"  # Zotero keeps PMID and PMCID in "Extra"; not "note", which in our own tables may quote other identifiers
_ANY = "id ids identifier identifiers articleid paperid"
_FACTS = {
    "title": "title articletitle documenttitle primarytitle publicationtitle ti",
    "author": "firstauthor authors author authornames authorfullnames creators au",
    "year": "year publicationyear publishedyear pubyear yearofpublication date publicationdate py",
    "record_id": "recordid recordnumber covidence key eid utuniquewosid uniquewosid ut ref refid referenceid studyid recnumber label",
}
_KIND = {name: kind for kind, names in _IDENTIFIERS.items() for name in names.split()}
_FACT = {name: fact for fact, names in _FACTS.items() for name in names.split()}
_LOOSE_NAMES, _PROSE_NAMES, _ANY_NAMES = frozenset(_LOOSE.split()), frozenset(_PROSE.split()), frozenset(_ANY.split())
_RANK = {"doi": 0, "pmid": 1, "pmcid": 2, "bookid": 3, "arxiv": 4, "any": 5, "loose": 6, "prose": 7}


def fold(name: str) -> str:
    """A column's name without case, spaces and punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def known(names: Sequence[str]) -> int:
    """How many of these are names of columns that we know: none means that the line is no header."""
    folded = [fold(name) for name in names]
    alone = len(folded) == 1
    return sum(_role(name) not in (None, "prose") or (name in _FACT and not alone) for name in folded)


@dataclass(frozen=True, slots=True)
class Columns:
    """Where in a record the identifiers are, best first, and where the facts are."""

    names: Sequence[str]
    identifiers: list[tuple[int, str]]
    facts: dict[str, int]

    @classmethod
    def of(cls, names: Sequence[str]) -> Columns:
        """The columns of a header; `id` is an identifier only where no column says so more plainly, else the record's own."""
        roles = [(index, _role(fold(name))) for index, name in enumerate(names)]
        plain = any(role in _IDENTIFIERS for _, role in roles)
        identifiers = [(index, role) for index, role in roles if role and not (plain and role == "any")]
        facts: dict[str, int] = {}
        for fact, called in _FACTS.items():
            order = called.split() + (_ANY.split() if fact == "record_id" and plain else [])
            at = {fold(name): index for index, name in reversed(list(enumerate(names)))}
            index = next((at[name] for name in order if name in at), None)
            if index is not None:
                facts[fact] = index
        return cls(names, sorted(identifiers, key=lambda each: _RANK[each[1]]), facts)

    def digits_as(self, id_type: str | None) -> dict[str, str | None]:
        """
        What bare digits are, by the role of their column.

        `id_type` outdoes the name of the one column of PMIDs or PMCIDs; where both exist each is what its name says.
        """
        both = {"pmid", "pmcid"} <= {role for _, role in self.identifiers}
        numbers = dict.fromkeys(("pmid", "pmcid"), id_type) if id_type and not both else {"pmid": "pmid", "pmcid": "pmcid"}
        return {"doi": "doi", "bookid": "bookid", "arxiv": "arxiv", "any": id_type, "loose": "url", "prose": "url"} | numbers

    def cells(self, values: Sequence[str], kinds: dict[str, str | None]) -> list[Cell]:
        """The identifier fields of a record, best first."""
        return [
            Cell(self.names[index].strip(), values[index], kinds[role], loose=role in ("loose", "prose"), prose=role == "prose")
            for index, role in self.identifiers
            if index < len(values)
        ]

    def facts_in(self, values: Sequence[str]) -> Facts:
        """What the record tells of itself."""
        told = {fact: values[index] for fact, index in self.facts.items() if index < len(values)}
        return facts_of(told.get("record_id", ""), told.get("title", ""), told.get("author", ""), told.get("year", ""))


def _role(folded: str) -> str | None:
    if folded in _LOOSE_NAMES:
        return "loose"
    if folded in _PROSE_NAMES:
        return "prose"
    if folded in _ANY_NAMES:
        return "any"
    return _KIND.get(folded)
