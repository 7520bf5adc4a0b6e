"""Connections to a database, SQLite or PostgreSQL: what differs between them, and their errors as ours."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import exc

from ..errors import InvalidStudy, LogConflict, MissingExtra
from ..masking import HIDDEN, masked, masked_url
from .sqlite_file import check, read_only

Access = Literal["make", "write", "read"]

BUSY = 30.0
"""Seconds that a call waits while another worker writes to an SQLite file."""
PATIENCE = 2.0
"""Seconds that a call waits for its turn, before it competes with whoever has not given it back."""
DOCTOR = "The log is damaged: `steerbo doctor` says what can be saved."


class Database:
    """A database by file or URL.

    Args:
        place: an SQLite file, or a database URL such as ``postgresql://user@host/database``.
        access: whether a log that is missing is made, is needed, or can only be read. An SQLite file is made for its
            owner only; its folder must be there.

    Raises:
        InvalidStudy: it is neither, or not a log of ours.
        MissingExtra: the database's driver is not installed.
    """

    def __init__(self, place: str, access: Access = "make") -> None:
        self.engine, self._file, self._secrets = _engine(place, access)
        self.place = masked_url(place) if "://" in place else place
        self._identity = self._identified()

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
                self._still_there()
        except exc.IntegrityError as error:
            raise LogConflict(f"another worker has written to {self.place}: {self._clean(str(error.orig))}") from None
        except (exc.SQLAlchemyError, sqlite3.Error, UnicodeError) as error:
            said = self._clean(" ".join(str(getattr(error, "orig", None) or error).split()))
            allowed = "a log that can be read and written"
            if "locked" in said:
                allowed = f"a log that no other worker keeps locked for {BUSY:g} s"
            elif "already exists" in said:  # PostgreSQL: two workers make the tables at once
                raise LogConflict(said) from None
            hint = f" {DOCTOR}" if any(word in said for word in ("malformed", "not a database", "decode")) else ""
            if "no password" in said:
                hint = " Keep the password in the variable PGPASSWORD or in the file ~/.pgpass."
            raise InvalidStudy("log", self.place, allowed, f"({said}.){hint}{lost}") from None

    def _clean(self, said: str) -> str:
        """What a driver said, without what it must not say."""
        for secret in filter(None, self._secrets):
            said = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)" if len(secret) < 4 else re.escape(secret), HIDDEN, said)
        return masked(said)

    def _identified(self) -> tuple[int, int] | None:
        try:
            found = None if self._file is None else self._file.stat()
        except OSError:
            return 0, 0
        return found and (found.st_dev, found.st_ino)

    def _still_there(self) -> None:
        """What is written into a file that was moved away or removed would be lost."""
        if self._identified() != self._identity:
            hint = "It was removed or replaced since it was opened. Nothing was written; open the study again."
            raise InvalidStudy("log", self.place, "the file that was opened", hint)

    def has(self, table: str) -> bool:
        """Whether there is a table of this name."""
        with self.transaction() as connection:
            return sa.inspect(connection).has_table(table)

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """A transaction that sees one moment of the database, whatever others write meanwhile."""
        with self.transaction() as connection:
            if self.engine.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield connection
            connection.rollback()  # a commit of nothing fails where a file is damaged

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


def _engine(place: str, access: Access) -> tuple[sa.Engine, Path | None, tuple[str, ...]]:
    """The engine, the file where it is SQLite's, and secrets, which the engine's URL does not have."""
    url = _url(place)
    if url.get_backend_name() == "postgresql":
        hidden = {key: value for key, value in url.query.items() if masked(f"?{key}={value}") != f"?{key}={value}"}
        secrets: dict[str, Any] = dict(hidden)
        if url.password is not None:
            secrets["password"] = str(url.password)
        url = url.set(drivername="postgresql+psycopg", password=None).difference_update_query(hidden)
        try:  # a turn, what is done in it, and the heartbeat
            engine = sa.create_engine(url, pool_size=3, connect_args=secrets)
        except ModuleNotFoundError as error:
            raise MissingExtra(str(error.name), "postgres") from None
        return engine, None, tuple(str(secret) for secret in secrets.values())
    if url.database in (None, "", ":memory:"):
        file, engine = None, sa.create_engine("sqlite://")
    else:
        file = Path(str(url.database))
        check(file, make=access == "make")
        if access == "read":
            reader = partial(read_only, file, BUSY)
            engine = sa.create_engine("sqlite://", creator=reader, poolclass=sa.NullPool)
        else:
            engine = sa.create_engine(url, connect_args={"timeout": BUSY})
    if access != "read":
        sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine, file, ()


def _url(place: str) -> sa.URL:
    allowed = "a file's name, or a URL such as postgresql://user@host/database"
    if "://" not in place:
        if masked(place) != place and not Path(place).exists():
            raise InvalidStudy("log", masked(place), allowed, "(This has a password, and is no URL.)")
        return sa.URL.create("sqlite", database=place)
    shown = masked_url(place)
    try:
        url = sa.make_url(place)
    except (exc.ArgumentError, ValueError):  # their messages repeat the URL
        raise InvalidStudy("log", shown, allowed) from None
    if url.drivername == "sqlite" and not url.query and shown == place.replace(" ", "%20"):
        return url
    if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise InvalidStudy("log", shown, allowed, "(SQLite and PostgreSQL keep logs, and only with these options.)")
    if "@" in (url.host or ""):
        raise InvalidStudy("log", shown, allowed, "In a user's name and password write @ as %40, / as %2F, # as %23.")
    return url.set(drivername="postgresql+psycopg")


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    """SQLite: transactions are ours, and a commit is on the disk when it returns."""
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")
