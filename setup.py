"""For `scrapyd-deploy`, which builds an egg: all is in pyproject.toml. Without this file it would write one that leaves the schemas out."""

from setuptools import setup

setup()
