"""What is an outage, and what is a mistake of whoever gave the name of the log."""

from __future__ import annotations

import sqlite3

import pytest

from steerbo.storage._drivers import ConnectionLost
from steerbo.storage.connections import is_outage

REFUSED = 'connection failed: connection to server at "127.0.0.1", port 1 failed: Connection refused'


class OperationalError(Exception):
    """A driver's, named as PEP 249 has it."""

    def __init__(self, said: str, sqlstate: str | None) -> None:
        super().__init__(said)
        self.sqlstate = sqlstate


def postgres(said: str, state: str | None = None) -> OperationalError:
    return OperationalError(said, state)


def sqlite(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("said")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("state", ["57P01", "57P03", "08006", "53100", "53300", "40001", "25006", "58030"])
def test_states_that_pass(state: str) -> None:
    assert is_outage(postgres("", state), worked=True)


@pytest.mark.parametrize("state", ["28P01", "3D000", "42P01", "42501", "22021"])
def test_states_that_do_not(state: str) -> None:
    assert not is_outage(postgres("", state), worked=True)


@pytest.mark.parametrize(
    "said",
    [
        REFUSED,
        "connection timeout expired",
        'connection to server at "x" failed: FATAL:  the database system is starting up',
        'connection to server at "x" failed: FATAL:  sorry, too many clients already',
        "failed to resolve host 'db': [Errno -3] Temporary failure in name resolution",
        "consuming input failed: server closed the connection unexpectedly",
        "connection failed: server closed the connection unexpectedly This probably means the server terminated",
        'connection to server at "x" failed: FATAL:  terminating connection because of crash of another server process',
        "could not receive data from server: Connection reset by peer",
        "could not send startup packet: Broken pipe",
        "could not fork new process for connection: Cannot allocate memory",
    ],
)
def test_a_server_that_is_away_when_a_log_is_opened(said: str) -> None:
    assert is_outage(postgres(said), worked=False)


@pytest.mark.parametrize(
    "said",
    [
        'connection to server at "x" failed: FATAL:  password authentication failed for user "ann"',
        'connection to server at "x" failed: FATAL:  database "nowhere" does not exist',
        "failed to resolve host 'no-such-host.invalid': [Errno -2] Name or service not known",
        'invalid sslmode value: "nonsense"',
        'connection to server at "x" failed: FATAL:  no pg_hba.conf entry for host "1.2.3.4", user "ann"',
        "server does not support SSL, but SSL was required",
        'connection to server at "x" failed: fe_sendauth: no password supplied',
    ],
)
def test_a_name_that_was_right_before_is_not_wrong_now(said: str) -> None:
    assert not is_outage(postgres(said), worked=False)
    assert is_outage(postgres(said), worked=True)


def test_a_connection_that_is_lost_was_there() -> None:
    error = postgres("consuming input failed: server closed the connection unexpectedly")
    assert is_outage(error, worked=False), "a crash while the first connection was made"
    assert is_outage(ConnectionLost(str(error)), worked=False)


def test_sqlite() -> None:
    for passes in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR | 1 << 8, sqlite3.SQLITE_LOCKED):
        assert is_outage(sqlite(passes), worked=False)
    for stays in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        assert not is_outage(sqlite(stays), worked=True)
    assert is_outage(sqlite(sqlite3.SQLITE_CANTOPEN), worked=True)
    assert not is_outage(sqlite(sqlite3.SQLITE_CANTOPEN), worked=False)
