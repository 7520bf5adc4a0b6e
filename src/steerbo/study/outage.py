"""Which of a database's errors are outages: nothing that was given is wrong, and the same call may go well later."""

from __future__ import annotations

import sqlite3

from sqlalchemy import exc

_SQLITE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PROTOCOL,
}
_STATES = ("08", "25006", "40", "53", "55P03", "57", "58")
"""SQLSTATE, or how it begins: no connection, a standby, deadlocks, no room, a lock, an operator, the system."""
_STARTING = ("starting up", "shutting down", "in recovery", "not yet accepting", "too many clients", "reserved for")
_NOBODY = ("connection to server", "timeout", "timed out", "Temporary failure")


def is_outage(error: Exception, worked: bool) -> bool:
    """Whether it is one; `worked`: the database was reached before, so that its name and password are right."""
    cause = getattr(error, "orig", None) or error
    if isinstance(error, exc.TimeoutError):  # no connection is free
        return True
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        return code in _SQLITE or (code == sqlite3.SQLITE_CANTOPEN and worked)
    if getattr(error, "connection_invalidated", False):  # there was a connection, and it is lost
        return True
    if not isinstance(error, exc.OperationalError | exc.InterfaceError | exc.InternalError):
        return False
    state = getattr(cause, "sqlstate", None)
    if state is not None:
        return state.startswith(_STATES)
    said = str(cause)  # there was no answer, or the server refused to be talked to at all
    if worked or any(words in said for words in _STARTING):
        return True
    return "FATAL" not in said and any(words in said for words in _NOBODY)  # else a name or a password is wrong
