"""What LITCRAWL_CASSETTE and LITCRAWL_RECORD mean; apart from the cassettes, which bring betamax."""

from __future__ import annotations

import json
from pathlib import Path

from scrapy.settings import BaseSettings

from litcrawl.exceptions import BadArgument

MODES = ("none", "once", "new_episodes", "all")


def folder_of(settings: BaseSettings) -> Path:
    """Where the cassettes are."""
    return Path(settings["LITCRAWL_CASSETTE"]).expanduser()


def mode_of(settings: BaseSettings) -> str:
    """`none`, `new_episodes` or `all`: `once` is `none` or `all`, as the folder holds a cassette or not; `BadArgument` for another."""
    mode = str(settings.get("LITCRAWL_RECORD") or "none")
    if mode not in MODES:
        raise BadArgument(f"LITCRAWL_RECORD={mode}: the values are: {', '.join(MODES)}")
    if mode == "once" and settings.get("LITCRAWL_CASSETTE"):
        return "none" if any(path.stat().st_size for path in folder_of(settings).glob("*.json")) else "all"
    return mode


def is_replay(settings: BaseSettings) -> bool:
    """Whether nobody is asked: all is played."""
    return bool(settings.get("LITCRAWL_CASSETTE")) and mode_of(settings) == "none"


def check_recording(settings: BaseSettings) -> None:
    """Raise `BadArgument`, one line, where cassettes cannot be played or recorded."""
    mode = mode_of(settings)
    if not settings.get("LITCRAWL_CASSETTE"):
        return
    folder = folder_of(settings)
    if folder.exists() and not folder.is_dir():
        raise BadArgument(f"LITCRAWL_CASSETTE={folder}: no folder")
    cassettes = sorted(folder.glob("*.json"))
    if mode == "none" and not cassettes:
        raise BadArgument(f"LITCRAWL_CASSETTE={folder}: holds no cassette to play; LITCRAWL_RECORD=once records them")
    for path in cassettes:
        _check_cassette(path)


def _check_cassette(path: Path) -> None:
    """All is read before the first request: a crawl that stops at some host in its midst would have been for nothing."""
    try:
        content = path.read_bytes()
        interactions = json.loads(content)["http_interactions"] if content.strip() else []
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadArgument(f"{path} is no cassette: {type(error).__name__}: {error}".replace("\n", " ")) from None
    if not isinstance(interactions, list):
        raise BadArgument(f"{path} is no cassette: its http_interactions are no list")
