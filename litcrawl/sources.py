"""The sources of a run: named in `LITCRAWL_SOURCES`, by name or by class path, in the order of the ladder."""

from __future__ import annotations

from collections.abc import Mapping

from scrapy.settings import BaseSettings
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.misc import load_object

from litcrawl.exceptions import BadArgument
from litcrawl.source import Source


def known_sources(settings: BaseSettings) -> Mapping[str, type[Source]]:
    """Every source that this project's spiders bring, and those that the setting names by class path; the setting's order first."""
    own = {source.name: source for source in _of_spiders(settings)}
    ordered: dict[str, type[Source]] = {}
    for entry in settings.getlist("LITCRAWL_SOURCES"):
        source = own.get(entry) or (_load(entry) if "." in entry else None)
        if source is None:
            raise BadArgument(f"LITCRAWL_SOURCES: unknown source {entry!r}; the sources are: {', '.join(own)}, or a class path")
        ordered[source.name] = source
    return ordered | {name: source for name, source in own.items() if name not in ordered}


def default_sources(settings: BaseSettings) -> list[str]:
    """The names of the default ladder, in order."""
    return list(known_sources(settings))[: len(settings.getlist("LITCRAWL_SOURCES"))]


def _of_spiders(settings: BaseSettings) -> list[type[Source]]:
    loader = get_spider_loader(settings)
    return [source for name in loader.list() for source in getattr(loader.load(name), "rungs_named", ())]


def _load(path: str) -> type[Source]:
    try:
        source = load_object(path)
    except (ImportError, NameError, ValueError) as error:
        raise BadArgument(f"LITCRAWL_SOURCES: {path!r} cannot be loaded: {error}") from None
    if not (isinstance(source, type) and issubclass(source, Source)):
        raise BadArgument(f"LITCRAWL_SOURCES: {path!r} is no Source")
    return source
