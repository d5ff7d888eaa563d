"""
Every setting of the project, grouped. This is the only reader of the environment.

Beside each Scrapy setting that is changed stand its default and the reason. Project settings begin with `LITCRAWL_`;
each is also read from the environment and from a `.env` file in the working folder; `-s NAME=value` wins.
"""

import os
import sys

from dotenv import dotenv_values

_ENVIRONMENT = {**dotenv_values(".env"), **os.environ}


def _env(name: str, default: str | None = None) -> str | None:
    """A project setting from the environment; empty counts as absent."""
    return (_ENVIRONMENT.get(name) or "").strip() or default


def _names(name: str) -> list[str]:
    """A setting that is a list, separated by commas."""
    return [one.strip() for one in (_env(name) or "").split(",") if one.strip()]


BOT_NAME = "litcrawl"
SPIDER_MODULES = ["litcrawl.spiders"]
COMMANDS_MODULE = "litcrawl.commands"

# What is fetched, and where it goes

LITCRAWL_OUT = _env("LITCRAWL_OUT", "litcrawl-out")
LITCRAWL_CONTACT = _env("LITCRAWL_CONTACT")  # an e-mail: none is shipped, each user is answerable for their own requests

# The ladder: one list, from which the orders of XML, PDF, facts and resolving all follow.
LITCRAWL_SOURCES = _names("LITCRAWL_SOURCES") or [
    "europe_pmc_bookshelf",
    "ncbi_idconv",
    "europe_pmc_search",
    "pmc_oa_s3",
    "europe_pmc",
    "elsevier_oa",
    "springer_oa",
    "arxiv",
    "unpaywall",
    "crossref",
    "openalex",
    "semantic_scholar",
    "crossref_tdm",
    "springer",
    "biorxiv_relations",
    "datacite",
    "openaire",
    "meta_tags",
]  # and, where it is asked for by name, biorxiv
LITCRAWL_LICENCES = _names("LITCRAWL_LICENCES")  # SPDX ids to keep; empty keeps all

# Credentials: each goes to its own host alone, over TLS (wire/keys.py). A key that is absent leaves its source out, or slower.
# Not for spider arguments nor for jobs of Scrapyd, which keep and show them.

LITCRAWL_ELSEVIER_API_KEY = _env("LITCRAWL_ELSEVIER_API_KEY")
LITCRAWL_ELSEVIER_INSTTOKEN = _env("LITCRAWL_ELSEVIER_INSTTOKEN")
LITCRAWL_SPRINGER_API_KEY = _env("LITCRAWL_SPRINGER_API_KEY")  # of the OpenAccess API
LITCRAWL_SPRINGER_META_API_KEY = _env("LITCRAWL_SPRINGER_META_API_KEY")
LITCRAWL_SEMANTIC_SCHOLAR_API_KEY = _env("LITCRAWL_SEMANTIC_SCHOLAR_API_KEY")
LITCRAWL_OPENALEX_API_KEY = _env("LITCRAWL_OPENALEX_API_KEY")
LITCRAWL_NCBI_API_KEY = _env("LITCRAWL_NCBI_API_KEY")
LITCRAWL_WILEY_TDM_TOKEN = _env("LITCRAWL_WILEY_TDM_TOKEN")
LITCRAWL_OPENAIRE_TOKEN = _env("LITCRAWL_OPENAIRE_TOKEN")
LITCRAWL_CROSSREF_PLUS_TOKEN = _env("LITCRAWL_CROSSREF_PLUS_TOKEN")
LITCRAWL_PROXY = _env("LITCRAWL_PROXY")  # JSON, host pattern -> HTTP proxy: the way of an institution to those hosts, and to no other
LITCRAWL_IMPERSONATE = _env("LITCRAWL_IMPERSONATE", "chrome")  # the browser in whose guise biorxiv fetches, and nothing else does

# Publications: merged metadata

LITCRAWL_DB = _env("LITCRAWL_DB")  # a path or postgresql://…; None: publications.sqlite in LITCRAWL_OUT
LITCRAWL_EVENTS = _env("LITCRAWL_EVENTS")  # kafka://host:port, or a file of JSON lines; None: in the run's folder, where rows bring events
LITCRAWL_KAFKA_SECURITY_PROTOCOL = _env("LITCRAWL_KAFKA_SECURITY_PROTOCOL")
LITCRAWL_KAFKA_SASL_MECHANISM = _env("LITCRAWL_KAFKA_SASL_MECHANISM")
LITCRAWL_KAFKA_USERNAME = _env("LITCRAWL_KAFKA_USERNAME")
LITCRAWL_KAFKA_PASSWORD = _env("LITCRAWL_KAFKA_PASSWORD")
LITCRAWL_KAFKA_CAFILE = _env("LITCRAWL_KAFKA_CAFILE")
LITCRAWL_PUBLICATION_COMPLETE = _names("LITCRAWL_PUBLICATION_COMPLETE")  # fields; empty: the Pubfinder's set
LITCRAWL_PUBLICATION_ENOUGH = _names("LITCRAWL_PUBLICATION_ENOUGH")  # likewise
LITCRAWL_PUBLICATION_ABSTRACT = _env("LITCRAWL_PUBLICATION_ABSTRACT", "100")  # characters that an abstract has more than
LITCRAWL_PUBLICATION_AGAIN = [3600, 7 * 86_400]  # seconds till what was not found is asked for again: unanswered, and answered

# Sizes and bounds

LITCRAWL_OPEN_ARTICLES = _env("LITCRAWL_OPEN_ARTICLES", "500")  # at once; memory grows with it
LITCRAWL_STREAM_SIZE = _env("LITCRAWL_STREAM_SIZE", str(8 << 20))  # bytes; larger bodies go to disk as they come
LITCRAWL_MAX_FILE_SIZE = _env("LITCRAWL_MAX_FILE_SIZE", str(2 << 30))  # bytes; larger files are `too-large`
LITCRAWL_MIN_FREE = _env("LITCRAWL_MIN_FREE", str(1 << 30))  # bytes that stay free on the disk

# Politeness

LITCRAWL_PATIENCE = _env("LITCRAWL_PATIENCE", "120")  # seconds that a host may ask us to wait before it is left for later
LITCRAWL_WORKERS = _env("LITCRAWL_WORKERS", "1")  # processes that share each host's allowance

# Who may be asked how often; what each entry means is told in slots.py. Hosts that share a limit share a slot.
_NCBI = {  # per host and address; https://support.nlm.nih.gov/kbArticle/?pn=KA-05318
    "limit": (3, 1.0),
    "concurrency": 2,
    "with": {"LITCRAWL_NCBI_API_KEY": {"limit": (10, 1.0), "concurrency": 3}},
    "page": "https://www.ncbi.nlm.nih.gov/books/NBK25497/",
}
LITCRAWL_SLOTS = {
    # one allowance for all hosts, and one connection
    "arxiv": {
        "hosts": ["arxiv.org", "export.arxiv.org", "oaipmh.arxiv.org", ".arxiv.org"],
        "limit": (1, 3.0),
        "concurrency": 1,
        "timeout": 120,
        "page": "https://info.arxiv.org/help/api/tou.html",
    },
    "eutils.ncbi.nlm.nih.gov": _NCBI,
    "pmc.ncbi.nlm.nih.gov": _NCBI,
    "www.ncbi.nlm.nih.gov": _NCBI,
    # no practical limit: S3 says 503 SlowDown when there is one
    "pmc-oa-opendata.s3.amazonaws.com": {"delay": 0, "concurrency": 16, "page": "https://registry.opendata.aws/ncbi-pmc/"},
    # nothing published; no more than the 10/s an address that its users agree on
    "europe_pmc": {
        "hosts": ["www.ebi.ac.uk", "europepmc.org"],
        "limit": (10, 1.0),
        "concurrency": 4,
        "autothrottle": True,
        "page": "https://europepmc.org/RestfulWebService",
    },
    # single records and lists are counted apart; each answer announces its own limits, which are followed
    "crossref": {
        "hosts": ["api.crossref.org"],
        "limit": (5, 1.0),
        "concurrency": 1,
        "with": {"LITCRAWL_CONTACT": {"limit": (10, 1.0), "concurrency": 3}},
        "page": "https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and-authentication/",
    },
    "crossref-lists": {
        "hosts": ["api.crossref.org/works?", "api.crossref.org/v1/works?"],
        "limit": (1, 1.0),
        "concurrency": 1,
        "with": {"LITCRAWL_CONTACT": {"limit": (3, 1.0), "concurrency": 3}},
        "page": "https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and-authentication/",
    },
    # the same with a key, to begin with
    "api.semanticscholar.org": {"limit": (1, 1.0), "concurrency": 1, "page": "https://www.semanticscholar.org/product/api"},
    "api.openalex.org": {"limit": (10, 1.0), "concurrency": 4, "page": "https://developers.openalex.org/"},
    "api.datacite.org": {
        "limit": (500, 300.0),
        "concurrency": 2,
        "with": {"LITCRAWL_CONTACT": {"limit": (1000, 300.0)}},
        "page": "https://support.datacite.org/docs/rate-limit",
    },
    "api.openaire.eu": {
        "limit": (60, 3600.0),
        "concurrency": 1,
        "with": {"LITCRAWL_OPENAIRE_TOKEN": {"limit": (7200, 3600.0)}},
        "page": "https://graph.openaire.eu/docs/apis/terms",
    },
    "api.elsevier.com": {"limit": (10, 1.0), "concurrency": 4, "page": "https://dev.elsevier.com/api_key_settings.html"},
    "api.springernature.com": {
        "limit": (100, 60.0),
        "concurrency": 2,
        "page": "https://dev.springernature.com/docs/quick-start/api-access/",
    },
    "api.wiley.com": {
        "limit": (60, 600.0),
        "delay": 0.34,
        "concurrency": 1,
        "page": "https://onlinelibrary.wiley.com/library-info/resources/text-and-datamining",
    },
    # nothing published; a site for readers, that shuts out who hurries
    "biorxiv": {
        "hosts": ["www.biorxiv.org", "www.medrxiv.org"],
        "delay": 1,
        "concurrency": 1,
        "autothrottle": True,
        "page": "https://www.biorxiv.org/tdm",
    },
}
LITCRAWL_BACKOFF = [0.5, 60]  # seconds: the least and the longest wait before a try is repeated; jitter lies between
LITCRAWL_CLOSED = [60, 3600]  # seconds that a failing host is left alone: at first, and at most

# Replay: every exchange of a crawl as betamax cassettes

LITCRAWL_CASSETTE = _env("LITCRAWL_CASSETTE")
LITCRAWL_RECORD = _env("LITCRAWL_RECORD", "none")

# Scrapy: safety

TELNETCONSOLE_ENABLED = False  # True: a port that runs Python
REMOTE_CONTROL_ENABLED = False  # True: likewise
ROBOTSTXT_OBEY = False  # False: APIs and open-access stores made for programs; see README, "Politeness"
COOKIES_ENABLED = False  # True: a jar per chain is never freed; middlewares/redirect.py keeps the cookies of one chain
COMPRESSION_ENABLED = False  # True: the wire decodes, with a cap, and knows which bytes must stay as they came
METAREFRESH_ENABLED = False  # True: a page that is no file leads nowhere

# Scrapy: the engine

CONCURRENT_ITEMS = 1  # 100: an article's file is on disk before its next request is scheduled; also a third of the CPU
DUPEFILTER_CLASS = "scrapy.dupefilters.BaseDupeFilter"  # a filtered request calls nobody back, and its article would vanish
SCHEDULER_PRIORITY_QUEUE = "litcrawl.scheduler.PacedPriorityQueue"  # holds back what its slot cannot send yet
ASYNCIO_EVENT_LOOP = "uvloop.Loop" if sys.platform != "win32" else None  # None: an eighth of the CPU
DOWNLOAD_HANDLERS = {
    "http": "litcrawl.wire.Wire",
    "https": "litcrawl.wire.Wire",
    "ftp": None,
    "file": None,  # an upstream's link must never read our disk
    "data": None,
    "s3": None,
}
DOWNLOAD_TIMEOUT = 180  # the same; seconds in all for a body under the streaming size
DOWNLOAD_MAXSIZE = 32 << 20  # 1 GiB: API answers, held in memory
DOWNLOAD_WARNSIZE = 0  # 32 MiB: large files are our business, and the warning prints the URL
DOWNLOAD_VERIFY_CERTIFICATES = True  # False
DEFAULT_REQUEST_HEADERS = {"Accept": "*/*"}  # browsers' types and English: we take what there is

# Scrapy: what is seen

LOG_LEVEL = "INFO"  # DEBUG
LOGSTATS_INTERVAL = 0  # 60: extensions/progress.py says more
LOG_FORMATTER = "litcrawl.logformatter.LogFormatter"  # no bytes in the log
WARN_ON_GENERATOR_RETURN_VALUE = False  # True: parses the callback's source again and again
FEED_EXPORTERS = dict.fromkeys(("jsonl", "jsonlines", "jl"), "litcrawl.exporters.JsonLines")  # Scrapy's takes three times as long
FEED_EXPORT_ENCODING = "utf-8"  # \u escapes

ITEM_PIPELINES = {
    "litcrawl.pipelines.licence.LicencePipeline": 300,  # before the files are written: article.json holds the licences
    "litcrawl.pipelines.fileset.FileSetPipeline": 500,
    "litcrawl.pipelines.publication.PublicationPipeline": 600,
}
EXTENSIONS = {
    "litcrawl.extensions.summary.Summary": 100,
    "litcrawl.extensions.progress.Progress": 200,
    "litcrawl.extensions.publications.PublicationSummary": 300,
}
# Scrapy: pace

ADDONS = {"litcrawl.slots.SlotsAddon": 500}  # derives DOWNLOAD_SLOTS from LITCRAWL_SLOTS
AUTOTHROTTLE_ENABLED = True  # False: paces the hosts that publish no limit
AUTOTHROTTLE_START_DELAY = 0.25  # 5 s: a host is learnt within a few answers
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0  # 1.0
CONCURRENT_REQUESTS = 64  # 16: many hosts at once, few requests at each
CONCURRENT_REQUESTS_PER_DOMAIN = 4  # 8: of hosts that are not in the table
DOWNLOAD_DELAY = 0.1  # 0: the least that AutoThrottle comes down to for a host that is not in the table
DOWNLOAD_DELAY_JITTER = 0  # 0.5: goes below the delay as often as above it
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"  # LIFO: the oldest article would starve
RETRY_TIMES = 2  # the same
RETRY_HTTP_CODES = [408, 429, 500, 502, 503, 504, *range(520, 528)]  # 52x: of content delivery networks
RETRY_EXCEPTIONS = [  # also OSError, which would repeat a failed write
    "scrapy.exceptions.CannotResolveHostError",
    "scrapy.exceptions.DownloadConnectionRefusedError",
    "scrapy.exceptions.DownloadFailedError",
    "scrapy.exceptions.DownloadTimeoutError",
    "scrapy.exceptions.ResponseDataLossError",
]
RETRY_PRIORITY_ADJUST = 0  # -1: a retry takes its turn, it does not wait behind the whole list
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"  # ERROR: the article says it
REDIRECT_MAX_TIMES = 10  # 20

SPIDER_MIDDLEWARES = {  # none: each is two more generators about every answer
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,  # a guard for spiders that copy meta
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,  # nobody asks which requests came first
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,  # a status is an answer, read in the callback
    "scrapy.spidermiddlewares.referer.RefererMiddleware": None,  # says where we come from to whom it does not concern
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,  # drops a long URL, and its article with it
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,  # a chain is as long as its ladder
}
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,  # a link may lead to any host
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,  # the wire joins credentials
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": None,  # the wire joins it, with the contact, unseen by logs
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": None,  # each slot has its own time-out without a byte
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "litcrawl.middlewares.retry.RetryMiddleware": 550,  # hears answers after redirect and pacing
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "litcrawl.middlewares.redirect.RedirectMiddleware": 600,  # a redirect never reaches retry
    "litcrawl.middlewares.pacing.PacingMiddleware": 950,  # last before the wire: it hears every try
}

# Settings of third parties' sources; and misspelt ones, so that the crawl can say so

others = [name for name in _ENVIRONMENT if name.startswith("LITCRAWL_") and name not in globals()]
globals().update({name: _env(name) for name in others})
