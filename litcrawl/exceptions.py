"""What can go wrong, by whose hands: an upstream's (`Miss`), the user's (`BadArgument`, `BadIdentifier`), the disk's (`StorageError`)."""

import errno

from scrapy.exceptions import IgnoreRequest

from litcrawl.terms import Reason

_LONGEST = 500


class Miss(IgnoreRequest):
    """
    One step of one article did not bring what it was for; `reason` says why.

    Raised by sources, proof, middlewares and the wire. An `IgnoreRequest`, so that Scrapy hands it to the
    errback without an ERROR line of its own. `detail`, which may quote an upstream, is cut to one short line.
    """

    def __init__(self, reason: Reason, detail: str = ""):
        detail = one_line(detail)
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail


def one_line(text: str) -> str:
    """What an upstream said, as it may stand in a log: short, on one line, without what a terminal would obey."""
    return "".join(each if each.isprintable() else " " for each in text[:_LONGEST])


class HostClosed(Miss):
    """The host is closed for now (`rate-limited`, `unavailable`, `quota`): the request was not sent."""


class Malformed(ValueError):
    """Bytes that are not what their format says; raised by `litcrawl.parsers`."""


class Exhausting(Malformed):
    """A document that holds so much that reading it could end the crawl."""


class BadIdentifier(ValueError):
    """A string that is no identifier; `reason` is `no-identifier`, `malformed` or `ambiguous`."""

    def __init__(self, reason: str, detail: str):
        super().__init__(detail)
        self.reason = reason


class BadArgument(ValueError):
    """A wrong argument, setting or list: one line for the user, exit status 2."""


FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""What the system says when a disk takes nothing more, whatever is to be written."""


class StorageError(Exception):
    """The output folder cannot be written; `full` when the disk takes nothing more: then it is no use to go on."""

    def __init__(self, message: str, *, full: bool = False):
        super().__init__(message)
        self.full = full
