"""`SpooledResponse`: an answer whose body lies on disk instead of in memory."""

from __future__ import annotations

from typing import Any

from scrapy.http import Response

from litcrawl.items import Spool

IMPERSONATED = "impersonated"
"""The flag of an answer that was asked for in a browser's guise."""


class SpooledResponse(Response):
    """A whole answer with an empty `body`; `spool` says where its bytes are, and what they hash to."""

    attributes = (*Response.attributes, "spool")  # what replace() and copy() carry over

    def __init__(self, *args: Any, spool: Spool, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.spool = spool
