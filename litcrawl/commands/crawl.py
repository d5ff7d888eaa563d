"""`crawl`: Scrapy's own, with arguments checked before the reactor starts, and an exit status that says what is left."""

from __future__ import annotations

import argparse
import logging
import sys

from scrapy.commands.crawl import Command as CrawlCommand

from litcrawl.checks import check_output, check_secrecy, check_settings
from litcrawl.ending import BUG, WRONG, exit_status
from litcrawl.exceptions import BadArgument

logger = logging.getLogger(__name__)


class Command(CrawlCommand):
    """Exit status 0: the list is answered; 3: something is left; 2: a wrong argument, setting or list; 1: a bug."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        process = self.crawler_process
        assert process is not None
        try:
            if len(args) != 1:
                raise BadArgument(f"give one spider, of {', '.join(sorted(process.spider_loader.list()))}: crawl fetch -a ids=…")
            if args[0] not in process.spider_loader.list():
                raise BadArgument(f"no spider {args[0]!r}; the spiders are: {', '.join(sorted(process.spider_loader.list()))}")
            crawler = process.create_crawler(args[0])
            check_secrecy(crawler.settings, opts.spargs)
            check_settings(crawler.settings)
            check_output(crawler.settings, opts.spargs)
            prepared = {}
            if prepare := getattr(crawler.spidercls, "prepare", None):
                prepared["prepared"] = prepare(crawler.settings, opts.spargs)
        except BadArgument as wrong:
            # a UsageError would add the whole usage to the one line that says what to do
            sys.stderr.write(f"litcrawl: {wrong}\n")
            if process.settings.get("LOG_FILE"):  # where a job of Scrapyd is looked for
                logger.error("%s", wrong)
            self.exitcode = WRONG
            return
        process.crawl(crawler, **opts.spargs, **prepared)
        process.start()
        stats = crawler.stats.get_stats()
        self.exitcode = BUG if process.bootstrap_failed else exit_status(stats, str(stats.get("finish_reason")))
