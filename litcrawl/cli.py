"""The console script `litcrawl`: Scrapy's command line with this project's settings, from any folder."""

import os
import sys

from scrapy.cmdline import execute


def main() -> None:
    """Run `litcrawl <command> …` as `scrapy <command> …` runs inside the project."""
    os.environ["SCRAPY_SETTINGS_MODULE"] = "litcrawl.settings"
    execute(["litcrawl", *sys.argv[1:]])
