"""Connections to a database, SQLite or PostgreSQL: what differs between them, and their errors as ours."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import exc

from ..errors import InvalidStudy, LogConflict, MissingExtra

BUSY = 30.0
"""Seconds that a call waits while another worker writes to an SQLite file."""
PATIENCE = 2.0
"""Seconds that a call waits for its turn, before it competes with whoever has not given it back."""
DOCTOR = "The log is damaged: `steerbo doctor` says what can be saved."


class Database:
    """A database by file or URL.

    Args:
        place: an SQLite file, or a database URL such as ``postgresql://user@host/database``.

    Raises:
        InvalidStudy: it is neither.
        MissingExtra: the database's driver is not installed.
    """

    def __init__(self, place: str) -> None:
        self.engine = _engine(place)
        self.place = self.engine.url.render_as_string(hide_password=True) if "://" in place else place

    def close(self) -> None:
        """Let go of the connections."""
        self.engine.dispose()

    @contextmanager
    def transaction(self, body: str = "") -> Iterator[sa.Connection]:
        """Committed where nothing is raised; the database's own errors become ours. `body`: what is being written.

        Raises:
            LogConflict: another worker wrote the same row.
            InvalidStudy: the database cannot be read or written.
        """
        lost = f" Not written: {body}" if body else ""
        try:
            with self.engine.begin() as connection:
                yield connection
        except exc.IntegrityError as error:
            raise LogConflict(f"another worker has written to {self.place}: {error.orig}") from None
        except (exc.SQLAlchemyError, sqlite3.Error, UnicodeError) as error:
            said = " ".join(str(getattr(error, "orig", None) or error).split())
            allowed = "a log that can be read and written"
            if "locked" in said:
                allowed = f"a log that no other worker keeps locked for {BUSY:g} s"
            elif "already exists" in said:  # PostgreSQL: two workers make the tables at once
                raise LogConflict(said) from None
            hint = f" {DOCTOR}" if any(word in said for word in ("malformed", "not a database", "decode")) else ""
            raise InvalidStudy("log", self.place, allowed, f"({said}.){hint}{lost}") from None

    def make(self, tables: sa.MetaData) -> None:
        """Make the tables that are not there.

        Several workers may do so at once, and SQLite does not wait by itself while a file becomes a database.
        """
        limit = time.monotonic() + BUSY
        while True:
            try:
                with self.transaction() as connection:
                    tables.create_all(connection)
                return
            except LogConflict:  # another worker was first
                return
            except InvalidStudy as error:
                if "locked" not in error.hint or time.monotonic() > limit:
                    raise
            time.sleep(0.02)

    @contextmanager
    def turn(self, name: str) -> Iterator[None]:
        """Held by one worker at a time, by its name for what they share.

        PostgreSQL: an advisory lock, waited for no longer than `PATIENCE`, since its holder may be halted. SQLite:
        nothing, since a file's only lock would keep leases from being renewed.
        """
        if self.engine.name != "postgresql":
            yield
            return
        key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
        waiting = sa.func.set_config("lock_timeout", f"{PATIENCE:g}s", True)  # in this statement only
        with ExitStack() as held:
            with suppress(exc.SQLAlchemyError):  # not our turn yet, or no server: what is done in it will say so
                connection = held.enter_context(self.engine.connect())
                connection.execution_options(isolation_level="AUTOCOMMIT")
                held.callback(_unlock, connection)
                connection.execute(sa.select(waiting, sa.func.pg_advisory_lock(key)))
            yield


def _unlock(connection: sa.Connection) -> None:
    with suppress(exc.SQLAlchemyError):  # a connection that was lost has let go already
        connection.execute(sa.select(sa.func.pg_advisory_unlock_all()))


def _engine(place: str) -> sa.Engine:
    try:
        if "://" not in place:
            Path(place).parent.mkdir(parents=True, exist_ok=True)
            url = sa.URL.create("sqlite", database=place)
        else:
            url = sa.make_url(place)
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        if url.get_backend_name() != "sqlite":
            return sa.create_engine(url, pool_size=3)  # a turn, what is done in it, and the heartbeat
        engine = sa.create_engine(url, connect_args={"timeout": BUSY})
    except OSError as error:
        raise InvalidStudy("log", place, "a file that can be written", error.strerror or "") from None
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "postgres") from None
    except (exc.ArgumentError, exc.NoSuchModuleError, ValueError) as error:
        allowed = "a file's name, or a URL such as postgresql://user@host/database"
        raise InvalidStudy("log", place, allowed, f"({error})") from None
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    """SQLite: transactions are ours, and a commit is on the disk when it returns."""
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")
