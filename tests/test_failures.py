import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from twisted.python.failure import Failure

from litcrawl.exceptions import HostClosed, Miss, StorageError
from litcrawl.failures import reason_of
from litcrawl.terms import Reason
from litcrawl.wire.errors import CassetteMiss, CertificateError, CutShort, StalePart


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Miss(Reason.LOOP), Reason.LOOP),
        (HostClosed(Reason.QUOTA), Reason.QUOTA),
        (StorageError("full", full=True), Reason.NOT_STORED),
        (DownloadTimeoutError(), Reason.TIMEOUT),
        (CutShort("ended", 7), Reason.TRUNCATED),
        (ResponseDataLossError(), Reason.TRUNCATED),
        (UnsupportedURLSchemeError(), Reason.UNSAFE),
        (CannotResolveHostError(), Reason.UNAVAILABLE),
        (DownloadConnectionRefusedError(), Reason.UNAVAILABLE),
        (DownloadFailedError(), Reason.UNAVAILABLE),
        (CertificateError(), Reason.UNAVAILABLE),
        (StalePart(), Reason.UNAVAILABLE),
    ],
)
def test_each_failure_has_its_reason_and_no_error_is_logged(error, reason, caplog):
    assert reason_of(Failure(error)) is reason
    assert not caplog.records


def test_anything_else_is_a_bug_of_ours_and_logged_with_its_traceback(caplog):
    try:
        raise KeyError("oops")
    except KeyError:
        failure = Failure()
    assert reason_of(failure) is Reason.ERROR
    assert caplog.records[0].exc_info[0] is KeyError


def test_a_request_that_is_on_no_cassette_is_one_line(caplog):
    try:
        raise CassetteMiss("cassettes holds no GET http://x.example/")
    except CassetteMiss:
        failure = Failure()
    assert reason_of(failure) is Reason.ERROR
    [record] = caplog.records
    assert (record.levelname, record.getMessage(), record.exc_info) == ("ERROR", "cassettes holds no GET http://x.example/", None)


def test_what_an_upstream_said_is_one_short_line_of_the_log():
    said = "no such\r\n2026-11-30 ERROR: forged \x1b[2J\u202e\ud800" + "x" * 100_000
    detail = Miss(Reason.ABSENT, said).detail
    assert len(detail) <= 500
    assert detail.isprintable()
    detail.encode()
    assert detail.startswith("no such  2026")
