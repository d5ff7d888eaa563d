"""The PMC Open Access bucket, at another address."""

from scrapy.settings import BaseSettings

from litcrawl.spiders.pmc_oa_s3 import PmcOaS3


class LoopbackBucket(PmcOaS3):
    """An entry of `LITCRAWL_SOURCES`: in the place of `pmc_oa_s3`, the same source at `BENCHMARKS_BUCKET`."""

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self.bucket = settings["BENCHMARKS_BUCKET"]
