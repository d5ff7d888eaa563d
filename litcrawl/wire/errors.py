"""What the wire raises, most as the exceptions that Scrapy's retry middleware knows; their texts never quote an address or a header."""

from __future__ import annotations

import errno

import aiohttp
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)

from litcrawl.exceptions import Miss
from litcrawl.terms import Reason
from litcrawl.wire.addresses import NotGlobal

# What aiohttp, the resolver, the TLS layer and the header serialiser are known to raise.
NETWORK_ERRORS = (aiohttp.ClientError, OSError, ValueError)


class CutShort(ResponseDataLossError):
    """The body ended before its end; `received` is the offset in the file that this try came to, Range counted in."""

    def __init__(self, message: str, received: int):
        super().__init__(message)
        self.received = received


class CertificateError(DownloadFailedError):
    """The host could not prove who it is: nothing was sent to it."""


class StalePart(DownloadFailedError):
    """What an earlier try had left does not belong to what the host has now; it was thrown away, so the next try begins at zero."""


class CassetteMiss(Exception):
    """No cassette answers a request, while none may be recorded; not retried, for the next try would not find it either."""


def translate(error: Exception) -> Exception:
    """The exception to raise in place of one of `NETWORK_ERRORS`."""
    match error:
        case TimeoutError():  # before OSError, of which it is one
            return DownloadTimeoutError(f"no answer in time ({type(error).__name__})")
        case aiohttp.ClientConnectorDNSError() if isinstance(error.os_error, NotGlobal):
            return Miss(Reason.UNSAFE, str(error.os_error))
        case aiohttp.ClientConnectorDNSError():
            return CannotResolveHostError(f"cannot resolve {error.host}")
        case aiohttp.ClientConnectorCertificateError():
            return CertificateError(f"certificate of {error.host} refused: {error.certificate_error}")
        case aiohttp.ClientConnectorError() if error.os_error.errno == errno.ECONNREFUSED:
            return DownloadConnectionRefusedError(f"{error.host}:{error.port} refused the connection")
        case aiohttp.ClientConnectorError():
            return DownloadFailedError(f"cannot connect to {error.host}:{error.port}: {error.os_error.strerror or type(error).__name__}")
        case aiohttp.InvalidURL() | aiohttp.NonHttpUrlClientError():
            return UnsupportedURLSchemeError("not an address that can be fetched")
        case aiohttp.ClientHttpProxyError(status=407):
            return Miss(Reason.UNAVAILABLE, "the proxy refuses its user or password (407)")
        case aiohttp.ClientHttpProxyError():
            return DownloadFailedError(f"the proxy answered {error.status}")
        case aiohttp.ClientResponseError():
            return DownloadFailedError("the answer is not HTTP, or its headers are too large")
        case _:
            return DownloadFailedError(f"no answer ({type(error).__name__})")
