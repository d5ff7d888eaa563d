"""Identifiers in, all identifiers out; no files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from scrapy.settings import BaseSettings

from litcrawl.arguments import Arguments
from litcrawl.spiders.base import LadderSpider


class ResolveSpider(LadderSpider):
    """Asks every resolver for the identifiers that an article lacks. A resolver's own spider is one of these, with that resolver alone."""

    name = "resolve"
    resolves: ClassVar[str] = "all"
    takes: ClassVar[Sequence[str]] = ("ids", "id_type", "sources", "refresh", "limit", "shard")

    @classmethod
    def prepare(cls, settings: BaseSettings, given: Mapping[str, Any]) -> Arguments:
        arguments = super().prepare(settings, given)
        return replace(arguments, want=(), sources=arguments.resolvers)
