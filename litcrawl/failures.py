"""What a failed request means for its step: an exception's `Reason`."""

from __future__ import annotations

import logging

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from twisted.python.failure import Failure

from litcrawl.exceptions import Miss, StorageError
from litcrawl.terms import Reason
from litcrawl.wire.errors import CassetteMiss

logger = logging.getLogger(__name__)

# The first that fits: the exceptions of Scrapy that derive from one another stand special before general.
_REASONS: tuple[tuple[type[BaseException], Reason], ...] = (
    (StorageError, Reason.NOT_STORED),
    (DownloadTimeoutError, Reason.TIMEOUT),
    (ResponseDataLossError, Reason.TRUNCATED),
    (UnsupportedURLSchemeError, Reason.UNSAFE),
    (CannotResolveHostError, Reason.UNAVAILABLE),
    (DownloadConnectionRefusedError, Reason.UNAVAILABLE),
    (DownloadFailedError, Reason.UNAVAILABLE),
)


def reason_of(failure: Failure) -> Reason:
    """The reason that a step ends with; what is no upstream's doing is a bug of ours, and is logged with its traceback."""
    error = failure.value
    if isinstance(error, Miss):
        return error.reason
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    if isinstance(error, CassetteMiss):  # the operator's mistake: where we were at says nothing of it
        logger.error("%s", error)
        return Reason.ERROR
    logger.error("%s: %s", type(error).__name__, error, exc_info=(type(error), error, failure.getTracebackObject()))
    return Reason.ERROR
