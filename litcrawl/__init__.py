"""litcrawl: every retrievable artefact of a scholarly article, proved and on disk."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("litcrawl")
except PackageNotFoundError:  # run from an egg or a checkout that was never installed
    __version__ = "0.1.0"
