"""Connections to a database, SQLite or PostgreSQL: engines, clocks, forks, and errors.

Leases go by the clock of the log's machine, since clocks of machines may differ by an hour. An SQLite connection must
not cross a fork, even unused: its locks belong to the process, while its memory of holding them is copied. Idle
connections are therefore closed before a fork, and opened again when they are needed. Errors of a driver are translated
into the library's; an outage is an error that a repetition of the same call may not meet again.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy import exc

from .._redaction import HIDDEN, redact, redact_url
from ..errors import DamagedLog, InvalidStudy, LogConflict, LogUnavailable, MissingExtra, SteerboError
from ._sqlite_file import check, identity, read_only

AGAIN = 3600.0
"""Seconds after which a server is asked again: clocks that nobody sets run apart by some seconds a day."""
SLACK = 1.0
"""Seconds by which this machine's clock may be set before a server is asked again."""


class SharedClock:
    """Seconds since 1970 by a server's clock, which is the same for all who write to it.

    The server is asked at first, every `AGAIN`, and where this machine's clock was set meanwhile, or the machine slept.
    While it cannot be asked, what it said last holds; this machine's clock where it never was.

    Args:
        ask: the server's time.
        here: this machine's.

    >>> clock = SharedClock(lambda: 5000.0, here=lambda: 1400.0)
    >>> clock()
    5000.0
    """

    def __init__(self, ask: Callable[[], float], here: Callable[[], float] = time.time) -> None:
        self._ask, self._here = ask, here
        self._ahead, self._offset, self._asked = 0.0, 0.0, -AGAIN

    def __call__(self) -> float:
        """Time of the clock, in seconds since 1970."""
        now, offset = time.monotonic(), self._here() - time.monotonic()
        if now - self._asked >= AGAIN or abs(offset - self._offset) > SLACK:
            self._compare(now, offset)
        return self._here() + self._ahead

    def _compare(self, now: float, offset: float) -> None:
        try:
            before = self._here()
            there = self._ask()
        except SteerboError:  # it is away: whoever needs it will say so
            return
        self._ahead, self._offset, self._asked = there - (before + self._here()) / 2, offset, now


Access = Literal["make", "write", "read"]
"""Whether a log that is missing is made, is needed, or can only be read."""

BUSY = 30.0
"""Seconds that a call waits while another worker writes to an SQLite file."""
FLEETING = "fleeting"
"""An execution option: of what is committed so nothing is lost by a kill, but perhaps by a power cut."""
NETWORK = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
NETWORK |= {"tcp_user_timeout": 60_000}
"""What libpq is told unless the URL says otherwise: a network that is gone is noticed within about a minute."""


def engine_of(place: str, access: Access) -> tuple[sa.Engine, Path | None, tuple[str, ...]]:
    """The engine, the file where it is SQLite's, and secrets, which the engine's URL does not have."""
    url = _url(place)
    if url.get_backend_name() == "postgresql":
        hidden = {key: value for key, value in url.query.items() if redact(f"?{key}={value}") != f"?{key}={value}"}
        secrets: dict[str, Any] = dict(hidden)
        if url.password is not None:
            secrets["password"] = str(url.password)
        url = url.set(drivername="postgresql+psycopg", password=None).difference_update_query(hidden)
        try:  # a turn, what is done in it, and the heartbeat
            network = {name: value for name, value in NETWORK.items() if name not in url.query}
            engine = sa.create_engine(url, pool_size=3, connect_args=network | secrets)
            sa.event.listen(engine, "begin", _begin_on_server)
        except ModuleNotFoundError as error:
            raise MissingExtra(str(error.name), "postgres") from None
        return engine, None, tuple(str(secret) for secret in secrets.values())
    if url.database in (None, "", ":memory:"):
        if access != "make":
            hint = "A log in memory ends with the process that made it."
            raise InvalidStudy("log", place, "a log in a file or on a server", hint)
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
    sa.event.listen(engine, "begin", _begin)
    return engine, file, ()


def _url(place: str) -> sa.URL:
    allowed = "a file's name, or a URL such as postgresql://user@host/database"
    if "://" not in place:
        if not place.strip():
            raise InvalidStudy("log", place, allowed)
        if redact(place) != place and not Path(place).exists():
            raise InvalidStudy("log", redact(place), allowed, "(This has a password, and is no URL.)")
        return sa.URL.create("sqlite", database=place)
    shown = redact_url(place)
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


def _begin(connection: sa.Connection) -> None:
    """SQLite: begin a transaction; one that is `FLEETING` need not be on the disk when it is committed."""
    wanted = "NORMAL" if connection.get_execution_options().get(FLEETING) else "FULL"
    if connection.info.setdefault("synchronous", "FULL") != wanted:
        connection.exec_driver_sql(f"PRAGMA synchronous = {wanted}")
        connection.info["synchronous"] = wanted
    connection.exec_driver_sql("BEGIN")


def _begin_on_server(connection: sa.Connection) -> None:
    if connection.get_execution_options().get(FLEETING):
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO OFF")


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    """SQLite: transactions are ours, and a commit is on the disk when it returns."""
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")


class Forkable(Protocol):
    """Interface of objects that are told of forks."""

    def before_fork(self) -> None:
        """Close connections that a child must not inherit, and block until the fork is over."""

    def after_fork(self) -> None:
        """Go on, in the parent and in the child."""


class _Forks:
    """All that is told. There is one of it in a process, as there is one `fork`."""

    def __init__(self) -> None:
        self._told: WeakSet[Forkable] = WeakSet()
        self._lock = threading.Lock()
        self._stopped = ExitStack()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._before, after_in_parent=self._after, after_in_child=self._after)

    def tell(self, thing: Forkable) -> None:
        """Tell it of every fork, for as long as it is there."""
        with self._lock:
            self._told.add(thing)

    def _before(self) -> None:
        self._lock.acquire()
        for thing in list(self._told):
            self._stopped.callback(thing.after_fork)
            thing.before_fork()

    def _after(self) -> None:
        self._stopped.close()
        self._lock.release()


FORKS = _Forks()


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
    """Whether an error is an outage; `worked`: the database was reached before, with the same password."""
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
        self.place = redact_url(place) if "://" in place else place
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
        """Whether a place is an SQLite database in memory, which no other process sees."""
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
            body: the transaction.
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
        """Rows of one statement outside a transaction: waiting workers poll often.

        Args:
            query: the statement.
            text: the same in SQLite's words, which needs a tenth of the processor time.
            given: the parameters of the text.
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
        """Translate errors of the database; `lost`: data that was not written then."""
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
        """Message of a driver, redacted."""
        for secret in filter(None, self._secrets):
            said = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)" if len(secret) < 4 else re.escape(secret), HIDDEN, said)
        return redact(said)

    def _time(self) -> float:
        with self.transaction() as connection:
            return float(connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())").scalar_one())

    def _still_there(self, about: dict[Any, Any]) -> None:
        """Refuse to write into a file that was moved or removed: the data would be lost.

        So it is with the file beside it, ``-wal``, that SQLite writes to first: whoever takes itself for the last one
        removes it, and does so while this process has it where its locks are gone, as they are on POSIX once anything
        in this process has opened and closed the file.

        Args:
            about: the description of the connection.
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
