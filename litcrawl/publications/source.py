"""`MetadataSource`: a source of metadata that tells of one publication a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response

from litcrawl.ids import Ids
from litcrawl.items import Metadata, Step
from litcrawl.publications.record import Told
from litcrawl.resolver import Answer, Resolver
from litcrawl.source import Finding, Question
from litcrawl.terms import Reason, Want


class MetadataSource(Resolver):
    """
    One call, one record.

    A subclass names itself, gives the `address` of a DOI's record, and reads what stands there (`told`).
    """

    requires = frozenset({"doi"})
    offers = frozenset({Want.METADATA})
    accepts = ("doi",)
    by_record = True
    most = 1
    statuses: ClassVar = {403: Reason.DENIED}  # who refuses a record once is not asked for it again

    def address(self, doi: str) -> str:
        """Where the record of a DOI is."""
        raise NotImplementedError

    def told(self, response: Response, doi: str) -> Told:
        """
        What an answer tells of a DOI.

        Raises `Miss` when it tells nothing of it, `Malformed` when it is no answer.
        """
        raise NotImplementedError

    def batches(self) -> bool:
        return False

    def request_batch(self, kind: str, values: list[str]) -> Request:
        return self.request({"step": "record", "url": self.address(values[0])}, values[0])

    def answers(self, response: Response, kind: str, values: list[str]) -> dict[str, Answer]:
        doi = values[0]
        return {doi: Answer(ids=Ids(doi=doi), facts=[Metadata(fields=self.told(response, doi))])}

    def ask(self, question: Question) -> Iterator[Step]:
        yield Step(step="record", url=self.address(question.ids.doi or ""))

    def record(self, response: Response, question: Question, state: dict[str, Any]) -> Iterator[Finding]:
        """The record of one publication."""
        yield Metadata(fields=self.told(response, question.ids.doi or ""))
