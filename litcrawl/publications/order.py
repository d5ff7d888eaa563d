"""Whom to ask for metadata, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from scrapy.settings import BaseSettings

from litcrawl.arguments import choose_sources
from litcrawl.exceptions import BadArgument
from litcrawl.resolver import Resolver
from litcrawl.slots import Slots
from litcrawl.source import Source
from litcrawl.sources import default_sources, known_sources
from litcrawl.terms import Want

EXAMPLE = "10.5555/12345678"  # https://www.crossref.org/documentation/register-maintain-records/creating-metadata/testing-your-xml/


def chosen(settings: BaseSettings, asked: Sequence[str], fixed: Sequence[str] = ()) -> list[str]:
    """
    The sources of a run, in the order in which they are asked: `fixed`, or those `asked` for by name as they stand, or all by allowance.

    Raises `BadArgument`.
    """
    known = {name: source for name, source in known_sources(settings).items() if _tells(source)}
    if fixed:
        return list(fixed)
    default = [name for name in default_sources(settings) if name in known]
    names = choose_sources(default, asked, known)
    if not names:
        raise BadArgument("sources: none is left that tells of metadata; take one -name away, or see LITCRAWL_SOURCES")
    if asked and asked[0][0] not in "+-":
        return names
    return by_allowance(names, {name: known[name](settings) for name in names}, Slots.from_settings(settings))


def by_allowance(names: Sequence[str], sources: Mapping[str, Source], slots: Slots) -> list[str]:
    """The names, the largest configured allowance first; whose is not known comes behind, and what is `last` at the end."""

    def rank(name: str) -> tuple[bool, float]:
        source = sources[name]
        assert isinstance(source, Resolver)
        parts = urlsplit(source.request_batch("doi", [EXAMPLE]).url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        limit = slots.of(parts.hostname or "", target).limit
        return source.last, -(limit[0] / limit[1]) if limit else 0.0

    return sorted(names, key=rank)


def _tells(source: type[Source]) -> bool:
    return issubclass(source, Resolver) and Want.METADATA in source.offers and "doi" in source.accepts
