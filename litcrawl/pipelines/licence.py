"""What the files of an article say of their licence, and what that makes the article's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litcrawl import licences
from litcrawl.items import Article, Blob, Claim, File
from litcrawl.terms import Kind

XML_BASIS = "artifact"


class LicencePipeline:
    """
    Fills each file's licence from what its bytes state, keeps every statement as a claim, flags contradictions, and gives
    the article the licence of its first body file. It holds no state: what it needs comes with the item.
    """

    def process_item(self, item: Any) -> Any:
        if isinstance(item, Article):
            self._article(item)
        elif isinstance(item, Blob):
            self._article(item.draft)
            self._file(item.file, item.draft)
        return item

    def _article(self, article: Article) -> None:
        for file in article.files:
            self._file(file, article)
        decide(article)

    def _file(self, file: File, article: Article) -> None:
        if not file.evidence:
            return
        if file.licence is None:
            file.licence = licences.licence_of(file.evidence, XML_BASIS, article.at)
        for claim in licences.claims_of(file.evidence, XML_BASIS, file.uri, article.at):
            if not any(_same(claim, other) for other in article.claims):
                article.claims.append(claim)


def decide(article: Article) -> None:
    """
    The article's licence: that of its first body file in ladder order; one that has none leaves the article without. And
    whether its claims contradict one another.
    """
    article.licence_conflict = licences.conflict(article.claims)
    article.licence = next((file.licence for file in article.files if file.kind == Kind.BODY), None)


def forget(article: Article, lost: Sequence[File]) -> None:
    """Take back what files that are not kept after all had brought to their article."""
    uris = {file.uri for file in lost}
    article.claims = [claim for claim in article.claims if not (claim.basis == XML_BASIS and claim.url in uris)]
    decide(article)


def _same(one: Claim, other: Claim) -> bool:
    return (one.raw, one.basis, one.about, one.url) == (other.raw, other.basis, other.about, other.url)
