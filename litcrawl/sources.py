"""The sources of a run: named in `LITCRAWL_SOURCES`, by name or by class path, in the order of the ladder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scrapy.settings import BaseSettings
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.misc import load_object

from litcrawl.arguments import Arguments, choose_sources
from litcrawl.exceptions import BadArgument
from litcrawl.resolver import Resolver
from litcrawl.source import Source
from litcrawl.terms import Want


def known_sources(settings: BaseSettings) -> Mapping[str, type[Source]]:
    """Every source that this project's spiders bring, and those that the setting names by class path; the setting's order first."""
    named = _named(settings)
    return named | {source.name: source for source in _of_spiders(settings) if source.name not in named}


def built(settings: BaseSettings, names: Iterable[str], scope: Iterable[str]) -> dict[str, Source]:
    """The sources of a run by name, each told what the run is after."""
    known = known_sources(settings)
    sources = {name: known[name](settings) for name in dict.fromkeys(names)}
    for source in sources.values():
        source.scope = frozenset(scope)
    return sources


def default_sources(settings: BaseSettings) -> list[str]:
    """The names of the default ladder, in order."""
    return list(_named(settings))


def with_ladder(arguments: Arguments, settings: BaseSettings, fixed: Sequence[str]) -> Arguments:
    """
    The arguments with the rungs of this run (`fixed` for a source's own spider) and what can be wanted of them.

    Raises `BadArgument` when none is left, or for a kind that was asked for and none of them offers.
    """
    known = known_sources(settings)
    if arguments.feed_sources:
        if strange := sorted(arguments.feed_sources - known.keys()):
            raise BadArgument(f"files: unknown source {strange[0]!r}; the sources are: {', '.join(known)}")
        return replace(arguments, sources=tuple(name for name in known if name in arguments.feed_sources), resolve=False)
    chosen = list(fixed) or choose_sources(default_sources(settings), arguments.sources, known)
    if not chosen:
        raise BadArgument("sources: none is left; take one -name away, or see LITCRAWL_SOURCES")
    offered = frozenset().union(*(known[name].offers for name in chosen))
    unknown = [want for want in arguments.want if want not in offered]
    if unknown and arguments.want_given:
        raise BadArgument(
            f"want: no source of this run offers {', '.join(unknown)}; {', '.join(chosen)} offer {', '.join(sorted(offered))}"
        )
    want = tuple(want for want in arguments.want if want in offered) if fixed else arguments.want
    if fixed and not want:  # a source of facts alone
        want = tuple(one for one in Want if one in offered)
    return replace(
        arguments, sources=tuple(chosen), resolvers=_resolvers(arguments, settings, chosen, fixed) if arguments.resolve else (), want=want
    )


def _resolvers(arguments: Arguments, settings: BaseSettings, chosen: Sequence[str], fixed: Sequence[str]) -> tuple[str, ...]:
    """
    The resolvers of a run: those of the setting, whatever rungs were chosen, but for what was left out by name.

    A resolver's own spider asks no other.
    """
    known = known_sources(settings)
    left_out = {one[1:] for one in arguments.sources if one.startswith("-")}
    alone = bool(fixed) and any(issubclass(known[name], Resolver) for name in fixed)
    names = dict.fromkeys(fixed if alone else [*default_sources(settings), *chosen])
    return tuple(name for name in names if _takes_many(known[name]) and name not in left_out)


def _takes_many(source: type[Source]) -> bool:
    """Whether it is asked before the chains of articles begin; a resolver that takes one a call is a rung like others."""
    return issubclass(source, Resolver) and source.most > 1


def _named(settings: BaseSettings) -> dict[str, type[Source]]:
    """The sources that the setting names, in its order."""
    own = {source.name: source for source in _of_spiders(settings)}
    named: dict[str, type[Source]] = {}
    for entry in filter(None, (str(one).strip() for one in settings.getlist("LITCRAWL_SOURCES"))):
        source = own.get(entry) or (_load(entry) if "." in entry else None)
        if source is None:
            raise BadArgument(f"LITCRAWL_SOURCES: unknown source {entry!r}; the sources are: {', '.join(own)}, or a class path")
        named.setdefault(source.name, source)
    return named


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
