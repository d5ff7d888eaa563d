"""Whether a database that raised an error is away, and comes back, or will refuse the same rows again. Pure."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

# https://www.postgresql.org/docs/current/errcodes-appendix.html: connection, rolled back, resources, locks, an operator, the system;
# 25006: a server that only reads, as one that has just taken over
_AWAY = ("08", "25006", "40", "53", "55P", "57P", "58")
# https://www.sqlite.org/rescode.html: ERROR, TOOBIG, CONSTRAINT, MISMATCH, RANGE speak of the statement, all others of the file
_REFUSED = frozenset({1, 18, 19, 20, 25})


def is_away(error: BaseException) -> bool:
    """Whether the same call may succeed later: what is no error of the database's never does."""
    if isinstance(error, PoolTimeout):
        return True
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_AWAY)
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF not in _REFUSED
    return isinstance(error, (OperationalError, InterfaceError))  # no connection came about
