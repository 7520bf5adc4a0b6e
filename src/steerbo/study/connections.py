"""Connections to a database, SQLite or PostgreSQL: what differs between them, and their errors as ours."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import exc

from ..errors import DamagedLog, InvalidStudy, LogConflict, LogUnavailable
from ..masking import HIDDEN, masked, masked_url
from .clock import SharedClock
from .engines import BUSY, FLEETING, Access, engine_of
from .forks import FORKS
from .outage import is_outage
from .sqlite_file import identity

T = TypeVar("T")

PATIENCE = 2.0
"""Seconds that a fork waits for a transaction to end."""
OPENING = 10.0
"""Seconds that opening waits for a database that cannot be reached, where nobody says more: it may be starting."""
DOCTOR = "The log is damaged: `steerbo doctor` says what can be saved."


class Database:
    """A database by file or URL.

    Args:
        place: an SQLite file, or a database URL such as ``postgresql://user@host/database``.
        access: whether a log that is missing is made, is needed, or can only be read. An SQLite file is made for its
            owner only; its folder must be there.
        opening: seconds to wait for a server that cannot be reached at first; None: `OPENING`.

    Raises:
        InvalidStudy: it is neither, or not a log of ours.
        MissingExtra: the database's driver is not installed.

    Several threads may use it, one transaction at a time, and so may forked processes, each by connections of its own.
    `clock` says what time it is for all who write to it: a server's time; of a file, this machine's.
    """

    def __init__(self, place: str, access: Access = "make", opening: float | None = None) -> None:
        self._opening = OPENING if opening is None else opening
        self.engine, self._file, self._secrets = engine_of(place, access)
        self.place = masked_url(place) if "://" in place else place
        self._identity = identity(self._file)
        later: Access = "write" if access == "make" else access
        self._anew: Callable[[], sa.Engine] = lambda: engine_of(place, later)[0]  # its text has no password
        self._process, self._parents = os.getpid(), list[sa.Engine]()
        self._busy = threading.RLock()
        self._worked = False
        self.clock: Callable[[], float] = time.time if self.engine.name == "sqlite" else SharedClock(self._time)
        FORKS.tell(self)

    def close(self) -> None:
        """Let go of the connections."""
        if not self.private:
            self._own()
        self.engine.dispose()

    @property
    def private(self) -> bool:
        """Whether it is an SQLite database in memory, which no other process sees."""
        return self.engine.name == "sqlite" and self._file is None

    def before_fork(self) -> None:
        """Wait until nothing is under way; SQLite's connections are closed, and come back by themselves."""
        if os.getpid() != self._process:
            return
        if self.engine.name == "sqlite":
            self._busy.acquire()  # no longer than a transaction lasts
            if not self.private:
                self.engine.dispose()
        else:
            self._busy.acquire(timeout=PATIENCE)  # a server that hangs is no reason to: the child makes its own

    def after_fork(self) -> None:
        """Go on."""
        if os.getpid() == self._process:
            with suppress(RuntimeError):  # it was not ours within that time
                self._busy.release()

    def _own(self) -> None:
        """In a forked child: connections of its own. The parent's are kept, untouched: closing them would end them."""
        if os.getpid() == self._process:
            return
        if self.private:
            allowed = "a log that processes can share, such as a file"
            raise InvalidStudy("log", self.place, allowed, "It is in the memory of the process that made it.")
        self._parents.append(self.engine)
        self.engine, self._busy, self._process = self._anew(), threading.RLock(), os.getpid()

    @contextmanager
    def transaction(self, body: str = "", fleeting: bool = False) -> Iterator[sa.Connection]:
        """Committed where nothing is raised; the database's own errors become ours.

        Args:
            body: what is being written.
            fleeting: it may be lost if the machine goes down just now, and is sooner done.

        Raises:
            LogConflict: another worker wrote the same row.
            LogUnavailable: the database cannot be reached or written just now.
            DamagedLog: it cannot be read any more.
            InvalidStudy: it is of another kind, or not for us to write.
        """
        with self._ours(f" Not written: {body}" if body else ""):
            engine = self.engine.execution_options(**{FLEETING: True}) if fleeting else self.engine
            with self._busy, engine.begin() as connection:
                yield connection
                self._still_there(connection.info)
            self._worked = True

    def glance(self, query: sa.Select[Any], text: str, *given: str) -> list[Any]:
        """The rows of one statement, with less ado than in a transaction: whoever waits asks for them often.

        Args:
            query: the statement.
            text: the same in SQLite's words, which needs a tenth of the processor time.
            given: what the text leaves open.
        """
        if self.engine.name != "sqlite":
            with self.transaction() as connection:
                return [*connection.execute(query)]
        with self._ours(""):
            with self._busy, closing(self.engine.raw_connection()) as raw:
                cursor = raw.cursor()
                cursor.execute(text, given)
                found = [*cursor.fetchall()]
                self._still_there(raw.info)
            self._worked = True
        return found

    @contextmanager
    def _ours(self, lost: str) -> Iterator[None]:
        """The database's own errors become ours; `lost`: what was not written then."""
        self._own()
        try:
            yield
        except (LogUnavailable, InvalidStudy):  # the file, or what stands beside it, is another one
            self._begin_anew()
            raise
        except exc.IntegrityError as error:
            raise LogConflict(f"another worker has written to {self.place}: {self._clean(str(error.orig))}") from None
        except (exc.SQLAlchemyError, sqlite3.Error, UnicodeError) as error:
            said = self._clean(" ".join(str(getattr(error, "orig", None) or error).split()))
            allowed = "a log that can be read and written"
            if "already exists" in said:  # PostgreSQL: two workers make the tables at once
                raise LogConflict(said) from None
            if is_outage(error, self._worked):
                self._begin_anew()
                held = f" for {BUSY:g} s" if "locked" in said and self.engine.name == "sqlite" else ""
                raise LogUnavailable(self.place, said + held, lost.strip()) from None
            if any(word in said for word in ("malformed", "not a database", "decode")):
                raise DamagedLog("log", self.place, allowed, f"({said}.) {DOCTOR}{lost}") from None
            hint = ""
            if "no password" in said:
                hint = " Keep the password in the variable PGPASSWORD or in the file ~/.pgpass."
            raise InvalidStudy("log", self.place, allowed, f"({said}.){hint}{lost}") from None

    def _begin_anew(self) -> None:
        """The next try has another connection: one that SQLite cannot read by will not be better."""
        if self._file is not None:
            self.engine.dispose()

    def _clean(self, said: str) -> str:
        """What a driver said, without what it must not say."""
        for secret in filter(None, self._secrets):
            said = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)" if len(secret) < 4 else re.escape(secret), HIDDEN, said)
        return masked(said)

    def _time(self) -> float:
        with self.transaction() as connection:
            return float(connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())").scalar_one())

    def _still_there(self, about: dict[Any, Any]) -> None:
        """What is written into a file that was moved away or removed would be lost.

        So it is with the file beside it, ``-wal``, that SQLite writes to first: whoever takes itself for the last one
        removes it, and does so while this process has it where its locks are gone, as they are on POSIX once anything
        in this process has opened and closed the file.

        Args:
            about: what is known of the connection.
        """
        if self._file is None:
            return
        if identity(self._file) != self._identity:
            hint = "It was removed or replaced since it was opened. Nothing was written; open the study again."
            raise InvalidStudy("log", self.place, "the file that was opened", hint)
        beside = identity(self._file.with_name(f"{self._file.name}-wal"))
        if about.get("wal") not in (None, beside):
            raise LogUnavailable(self.place, f"{self._file.name}-wal was removed while it was in use")
        about["wal"] = beside

    def has(self, table: str) -> bool:
        """Whether there is a table of this name."""
        return self.opening(lambda connection: sa.inspect(connection).has_table(table))

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

        Raises:
            LogUnavailable: see `opening`.
        """
        with suppress(LogConflict):  # another worker was first
            self.opening(tables.create_all)

    def opening(self, work: Callable[[sa.Connection], T]) -> T:
        """The first thing that is done is waited for: several workers may do it at once, and a server may be starting.

        SQLite does not wait by itself while a file becomes a database.

        Raises:
            LogUnavailable: it could not be reached for that long, or an SQLite file was locked for `BUSY`.
        """
        pause, limit = 0.02, time.monotonic() + (BUSY if self.engine.name == "sqlite" else self._opening)
        while True:
            try:
                with self.transaction() as connection:
                    return work(connection)
            except LogUnavailable as error:
                waits = self.engine.name != "sqlite" or "locked" in error.said
                if not waits or time.monotonic() > limit:
                    raise
            time.sleep(pause)
            pause = pause if self.engine.name == "sqlite" else min(2 * pause, 1.0)
