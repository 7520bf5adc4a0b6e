"""Outages, and mistakes of whoever gave the name of the log."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import ExitStack, closing, suppress

import pytest
from sqlalchemy import exc

import steerbo as sb
from steerbo.errors import InvalidStudy, LogUnavailable
from steerbo.storage.connections import Database, is_outage
from steerbo.storage.database import HEADS
from steerbo.study import DatabaseLog, Study
from tests.torture.server import Server, postgres

REFUSED = 'connection failed: connection to server at "127.0.0.1", port 1 failed: Connection refused'


class DriverError(Exception):
    """A driver's error, with a state as PostgreSQL gives it."""

    def __init__(self, said: str, sqlstate: str | None) -> None:
        super().__init__(said)
        self.sqlstate = sqlstate


def outage(error: Exception, *, worked: bool = False, kind: type[exc.DBAPIError] = exc.OperationalError) -> bool:
    return is_outage(kind("", {}, error), worked)


def sqlite(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("said")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("state", ["57P01", "57P03", "08006", "53100", "53300", "40001", "25006", "58030"])
def test_states_that_pass(state: str) -> None:
    assert outage(DriverError("", state))


@pytest.mark.parametrize("state", ["28P01", "3D000", "42P01", "42501", "22021"])
def test_states_that_do_not(state: str) -> None:
    assert not outage(DriverError("", state), worked=True)


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
    assert outage(DriverError(said, None), worked=False)


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
    assert not outage(DriverError(said, None), worked=False)
    assert outage(DriverError(said, None), worked=True)


def test_a_fault_of_the_statement_is_none_of_the_server() -> None:
    assert not outage(DriverError("", None), worked=True, kind=exc.ProgrammingError)


def test_a_connection_that_is_lost_was_there() -> None:
    error = exc.OperationalError("", {}, DriverError("", None), connection_invalidated=True)
    assert is_outage(error, worked=False)


def test_sqlite() -> None:
    for passes in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR | 1 << 8, sqlite3.SQLITE_LOCKED):
        assert outage(sqlite(passes))
    for stays in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        assert not outage(sqlite(stays), worked=True)
    assert outage(sqlite(sqlite3.SQLITE_CANTOPEN), worked=True)
    assert not outage(sqlite(sqlite3.SQLITE_CANTOPEN))


# -- a real server ----------------------------------------------------------------------------------------------------


def test_names_and_passwords_that_are_wrong_are_said_at_once() -> None:
    with postgres("sesame", durable=False) as url:
        right = url.replace("steerbo@", "steerbo:sesame@")
        wrong = {
            url.replace("steerbo@", "steerbo:open@"): "password authentication failed",
            url: "PGPASSWORD",
            right.replace("/postgres", "/nowhere"): '"nowhere" does not exist',
            f"{right}?sslmode=nonsense": "invalid sslmode",
        }
        for given, said in wrong.items():
            with pytest.raises(InvalidStudy, match=re.escape(said)) as refused:
                DatabaseLog(given, opening=600.0)
            assert "sesame" not in str(refused.value)


def test_a_server_that_is_full_is_waited_for(running: Server) -> None:
    import psycopg

    url = running.database().url
    with psycopg.connect(url) as first:
        (most,) = first.execute("SHOW max_connections").fetchone() or (0,)
    with ExitStack() as others:
        for _ in range(int(most)):
            with suppress(psycopg.OperationalError):
                others.enter_context(closing(psycopg.connect(url)))
        with pytest.raises(LogUnavailable, match="too many clients"):
            DatabaseLog(url, opening=0.0)
    DatabaseLog(url).close()


def test_a_connection_that_a_server_dropped_is_made_anew(running: Server) -> None:
    """Before it is used: a restart between two calls is no outage."""
    import psycopg

    url = running.database().url
    with closing(DatabaseLog(url)) as log:
        assert log.names() == []
        with psycopg.connect(running.url, autocommit=True) as admin:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
            while admin.execute(others, [url.rpartition("/")[2]]).fetchall():
                time.sleep(0.01)  # each of them ends in its own time
        assert log.names() == []


def test_a_worker_that_is_stopped_in_a_transaction_loses_it(running: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.storage.connections.BUSY", 0.5)
    url = running.database().url
    problem = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]])
    with Study.create(url, problem, rounds=3, seed=1) as study, closing(Database(url)) as stopped:

        def stand() -> None:
            with stopped.transaction() as connection:
                connection.execute(HEADS.update().values(format=HEADS.c.format))  # it holds the study's row
                assert study.ask().round == 1
                connection.execute(HEADS.select())

        with pytest.raises(LogUnavailable):
            stand()
        with stopped.transaction() as connection:
            assert connection.execute(HEADS.select()).all(), "and goes on"
