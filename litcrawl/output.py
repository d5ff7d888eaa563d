"""The output folder, as a path that every module understands alike (pure)."""

from __future__ import annotations

import os
from pathlib import Path


def output_folder(stated: str) -> Path:
    """The folder that `LITCRAWL_OUT` names, absolute: the process may change its own, and Windows knows long paths by that form alone."""
    path = Path(stated.strip()).expanduser()
    return Path(extended(os.path.abspath(path))) if os.name == "nt" else path.absolute()  # noqa: PTH100 resolve() would undo a `subst`


def extended(path: str) -> str:
    r"""
    An absolute Windows path in the form that may be longer than 260 characters: `\\?\C:\…`, `\\?\UNC\server\share\…`.

    It must be normalised: Windows takes it letter by letter.
    https://learn.microsoft.com/windows/win32/fileio/maximum-file-path-limitation
    """
    if path.startswith(("\\\\?\\", "\\\\.\\")):
        return path
    return f"\\\\?\\UNC\\{path[2:]}" if path.startswith("\\\\") else f"\\\\?\\{path}"
