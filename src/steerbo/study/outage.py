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
_WRONG: tuple[str, ...] = (
    "authentication",
    "password",
    "pg_hba.conf",
    "does not exist",
    "permission denied",
    "not permitted to log in",
)
_WRONG += ("certificate", "does not support SSL", "private key", "SSL error", "service file", "invalid ")
_WRONG += ("name or service not known", "nodename nor servname", "translate host name", "resolve host")
"""Said without an SQLSTATE, by a server before anybody is let in, or by the driver: a name or a key is wrong."""
_AWAY = ("temporary failure", "timeout expired", "timed out")


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
    said = str(cause).casefold()  # a server that crashes says nothing, or half of something
    if worked or any(words in said for words in (*_STARTING, *_AWAY)):
        return True
    return not any(words.casefold() in said for words in _WRONG)
