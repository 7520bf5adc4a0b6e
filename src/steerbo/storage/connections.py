"""A database, SQLite or PostgreSQL, that several workers share: engines, clocks, forks, and errors.

SQLAlchemy has the pool of connections, and knows whether one was lost. The rest is ours: leases
go by the clock of the log's machine, since clocks of machines may differ by an hour; connections
must not cross a fork, even unused (an SQLite connection's locks belong to the process, while its
memory of holding them is copied), so that idle ones are closed before it; and errors of a driver
are translated into the library's. An outage is an error that a repetition of the same call may not
meet again.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, Table
from sqlalchemy.exc import (
    DBAPIError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
)
from sqlalchemy.pool import NullPool, QueuePool

from .._redaction import HIDDEN, redact, redact_url
from ..errors import DamagedLog, InvalidStudy, LogConflict, LogUnavailable, SteerboError
from ._addresses import Address, address_of
from ._sqlite_file import check, read_only

AGAIN = 3600.0
"""Seconds after which a server is asked again: clocks that are not set drift apart by some seconds a day."""
SLACK = 1.0
"""Seconds by which this machine's clock may be set before a server is asked again."""


class SharedClock:
    """Seconds since 1970 by a server's clock, the same for all writers.

    The server is asked at first, every `AGAIN`, and where this machine's clock was set meanwhile,
    or the machine slept. While it cannot be asked, its last answer holds; this machine's clock
    where it never was.

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
        except SteerboError:  # it is away: the next call that needs it reports it
            return
        self._ahead, self._offset, self._asked = there - (before + self._here()) / 2, offset, now


Access = Literal["make", "write", "read"]
"""Whether a log that is missing is made, is needed, or can only be read."""

BUSY = 30.0
"""Seconds that a call waits while another worker writes to an SQLite file, or stands in a transaction on a server."""
# seconds, and how many times a silent server is asked
NETWORK = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
NETWORK |= {"tcp_user_timeout": 60_000}
"""Options of libpq unless the URL has others: a lost network is noticed within about a minute."""
UNICODE = {"client_encoding": "utf8"}
"""Option of libpq, whatever the database's encoding: text of an SQL_ASCII one would be bytes."""


def _engine_of(address: Address, file: Path | None, access: Access) -> Engine:
    """The engine of a database, an SQLite file or else a server."""
    if file is None:
        import psycopg  # the address was read by it: it is there

        given = {name: value for name, value in address.options.items() if value}
        options = NETWORK | given | UNICODE
        connect: Callable[[], Any] = partial(psycopg.connect, **options)
        engine = sa.create_engine("postgresql+psycopg://", creator=connect, pool_pre_ping=True)
        sa.event.listen(engine, "connect", _not_for_ever)
    elif access == "read":
        engine = sa.create_engine(
            "sqlite://", creator=partial(read_only, file, BUSY), poolclass=NullPool
        )
    else:
        connect = partial(_writable, os.path.abspath(file))
        engine = sa.create_engine("sqlite://", creator=connect, poolclass=QueuePool)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _not_for_ever(connection: Any, record: object) -> None:
    """Let the server end a transaction whose worker was stopped in the middle: others wait for its rows."""
    connection.execute(f"SET idle_in_transaction_session_timeout = {int(1000 * BUSY)}")
    connection.commit()


def _writable(file: str) -> sqlite3.Connection:
    """A connection to an SQLite file: a commit is on the disk when it returns; text has to be UTF-8."""
    connection = sqlite3.connect(file, timeout=BUSY, isolation_level=None, check_same_thread=False)
    connection.text_factory = bytes.decode
    try:
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _begin(connection: Connection) -> None:
    """Begin a transaction, which SQLite's driver does not by itself; see `Database.transaction` for `fleeting`."""
    fleeting = connection.get_execution_options()["fleeting"]
    if connection.dialect.name == "sqlite":
        wanted = "NORMAL" if fleeting else "FULL"
        if connection.info.get("synchronous", "FULL") != wanted:
            connection.exec_driver_sql(f"PRAGMA synchronous = {wanted}")
            connection.info["synchronous"] = wanted
        connection.exec_driver_sql("BEGIN")
    elif fleeting:
        connection.exec_driver_sql("SET LOCAL synchronous_commit TO OFF")


class Forkable(Protocol):
    """Interface of objects that are told of forks."""

    def before_fork(self) -> None:
        """Close connections that a child must not inherit, and block until the fork is over."""

    def after_fork(self) -> None:
        """Resume, in the parent and in the child."""


class _Forks:
    """Registry of objects that are told of forks; one in a process, as there is one `fork`."""

    def __init__(self) -> None:
        self._told: WeakSet[Forkable] = WeakSet()
        self._lock = threading.Lock()
        self._stopped = ExitStack()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._before, after_in_parent=self._after, after_in_child=self._after
            )

    def tell(self, thing: Forkable) -> None:
        """Register an object for as long as it exists."""
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


_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_PASSING = {
    *_BUSY,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PROTOCOL,
}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_STATES = ("08", "25006", "40", "53", "55P03", "57", "58")
"""SQLSTATE, or how it begins: no connection, a standby, deadlocks, no room, a lock, an operator, the system."""
_TABLE_IS_THERE = "42P07"
"""SQLSTATE where two workers make the tables at once."""
_AWAY = ("temporary failure", "timeout expired", "timed out")
_STARTING = (
    "starting up",
    "shutting down",
    "in recovery",
    "not yet accepting",
    "too many clients",
    "reserved for",
)
_WRONG: tuple[str, ...] = (
    "authentication",
    "password",
    "pg_hba.conf",
    "does not exist",
    "permission denied",
    "not permitted to log in",
)
_WRONG += (
    "certificate",
    "does not support SSL",
    "private key",
    "SSL error",
    "service file",
    "invalid ",
)
_WRONG += (
    "name or service not known",
    "nodename nor servname",
    "translate host name",
    "resolve host",
)
"""Messages without an SQLSTATE, of a server before a login, or of the driver: a name or a password is wrong.

Texts are all there is: libpq gives no SQLSTATE of a login that fails, and its ping takes a full
server for one that serves, one without SSL for none, and one that crashes during a login for
either.
"""


def is_outage(error: DBAPIError, worked: bool) -> bool:
    """Whether an error is an outage; `worked`: the database was reached before, with the same password."""
    if error.connection_invalidated:
        return True
    if isinstance(error.orig, sqlite3.Error):
        code = _code(error)
        return code in _PASSING or (code == sqlite3.SQLITE_CANTOPEN and worked)
    if not isinstance(error, OperationalError | InterfaceError | InternalError):
        return False
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_STATES)
    said = str(error.orig).casefold()  # a server that crashes says nothing, or half of something
    if worked or any(words in said for words in (*_STARTING, *_AWAY)):
        return True
    return not any(words.casefold() in said for words in _WRONG)


def _code(error: Exception) -> int:
    """SQLite's primary code of an error; 0 where it has none."""
    return getattr(getattr(error, "orig", error), "sqlite_errorcode", 0) & 0xFF


T = TypeVar("T")

PATIENCE = 2.0
"""Seconds that a fork waits for a transaction to end."""
OPENING = 10.0
"""Default seconds that opening waits for a database that cannot be reached: it may be starting."""
DOCTOR = "The log is damaged: `steerbo doctor` says what can be saved."


_ALLOWED = "a log that can be read and written"


def has(connection: Connection, table: Table) -> bool:
    """Whether the database has such a table."""
    return sa.inspect(connection).has_table(table.name)


def make(connection: Connection, *tables: Table) -> None:
    """Make the tables that the database lacks."""
    tables[0].metadata.create_all(connection, tables)


class Database:
    """A database by file or URL.

    Args:
        place: an SQLite file, or a database URL such as ``postgresql://user@host/database``.
        access: whether a log that is missing is made, is needed, or can only be read. An SQLite
            file is made for its owner only; its folder must be there.
        opening: seconds to wait for a server that cannot be reached at first; None: `OPENING`.

    Raises:
        InvalidStudy: it is neither, or not a log of ours.
        MissingExtra: the database's driver is not installed.

    Several threads may use it, one transaction at a time, and so may forked processes, each by
    connections of its own. `clock` tells the time for all who write to it: a server's time;
    of a file, this machine's.
    """

    def __init__(self, place: str, access: Access = "make", opening: float | None = None) -> None:
        self._opening = OPENING if opening is None else opening
        self._address = address_of(place)
        self.place = redact_url(place) if "://" in place else place
        self._file = self._checked_file(access) if self._address.scheme == "sqlite" else None
        self._identity = _identity_of(self._file)
        self._access: Access = "write" if access == "make" else access
        self.engine = _engine_of(self._address, self._file, self._access)
        self._process, self._parents = os.getpid(), list[Engine]()
        self._busy = threading.RLock()
        self._worked = False
        self.clock: Callable[[], float] = (
            time.time if self._file is not None else SharedClock(self._time)
        )
        FORKS.tell(self)

    def _checked_file(self, access: Access) -> Path:
        if self._address.file in (None, "", ":memory:"):
            hint = "In Python, MemoryLog() keeps a study in memory."
            raise InvalidStudy("log", self.place, "a log in a file or on a server", hint)
        file = Path(str(self._address.file))
        check(file, make=access == "make")
        return file

    def close(self) -> None:
        """Close the connections."""
        self._own()
        self.engine.dispose()

    def before_fork(self) -> None:
        """Wait until no transaction is under way, and close idle connections, which are opened again on demand."""
        if os.getpid() != self._process:
            return
        # A transaction on a file is short. A server that hangs is not waited for: the child makes
        # its own connection.
        if self._busy.acquire(timeout=PATIENCE if self._file is None else -1):
            self.engine.dispose()

    def after_fork(self) -> None:
        """Resume after a fork."""
        if os.getpid() == self._process:
            with suppress(RuntimeError):  # it was not ours within that time
                self._busy.release()

    def _own(self) -> None:
        """Open connections for a forked child. The parent's are kept, untouched: closing them here would end them."""
        if os.getpid() == self._process:
            return
        self._parents.append(self.engine)
        self.engine = _engine_of(self._address, self._file, self._access)
        self._busy, self._process = threading.RLock(), os.getpid()

    @contextmanager
    def transaction(self, body: str = "", fleeting: bool = False) -> Iterator[Connection]:
        """A connection with a transaction. Committed where nothing is raised; the database's own errors become ours.

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
            with (
                self._busy,
                self.engine.connect() as connection,
                connection.execution_options(fleeting=fleeting).begin(),
            ):
                yield connection
                self._still_there(connection)
            self._worked = True

    @contextmanager
    def _ours(self, lost: str) -> Iterator[None]:
        """Translate errors of the database; `lost`: data that was not written then."""
        self._own()
        try:
            yield
        except (LogUnavailable, InvalidStudy):  # the file, or one beside it, was replaced
            self.engine.dispose()
            raise
        except IntegrityError as error:
            said = self._clean(str(error.orig))
            raise LogConflict(f"another worker has written to {self.place}: {said}") from None
        except UnicodeError as error:
            raise self._damaged(str(error), lost) from None
        except DBAPIError as error:
            said = self._clean(" ".join(str(error.orig).split()))
            if getattr(error.orig, "sqlstate", None) == _TABLE_IS_THERE:
                raise LogConflict(said) from None
            if is_outage(error, self._worked):
                self.engine.dispose()  # a connection that SQLite cannot read by will not recover
                held = f" for {BUSY:g} s" if _code(error) in _BUSY else ""
                raise LogUnavailable(self.place, said + held, lost.strip()) from None
            if _code(error) in _DAMAGED:
                raise self._damaged(said, lost) from None
            hint = ""
            if getattr(getattr(error.orig, "pgconn", None), "needs_password", False):
                hint = " Keep the password in the variable PGPASSWORD or in the file ~/.pgpass."
            raise InvalidStudy("log", self.place, _ALLOWED, f"({said}.){hint}{lost}") from None

    def _damaged(self, said: str, lost: str) -> DamagedLog:
        return DamagedLog("log", self.place, _ALLOWED, f"({said}.) {DOCTOR}{lost}")

    def _clean(self, said: str) -> str:
        """Message of a driver, redacted."""
        for secret in filter(None, self._address.secrets):
            said = re.sub(
                rf"(?<!\w){re.escape(secret)}(?!\w)" if len(secret) < 4 else re.escape(secret),
                HIDDEN,
                said,
            )
        return redact(said)

    def _time(self) -> float:
        with self.transaction() as connection:
            now = sa.select(sa.extract("epoch", sa.func.clock_timestamp()))
            return float(connection.execute(now).scalar_one())

    def _still_there(self, connection: Connection) -> None:
        """Refuse to write into a file that was moved or removed: the data would be lost.

        So it is with the file ``-wal`` beside it, to which SQLite writes first. A process that
        takes itself for the last one removes it, although this process has it open, where this
        one's locks are gone: on POSIX they are once anything in it has opened and closed the file.
        """
        if self._file is None:
            return
        if _identity_of(self._file) != self._identity:
            hint = "It was removed or replaced since it was opened. Nothing was written; open the study again."
            raise InvalidStudy("log", self.place, "the file that was opened", hint)
        beside = _identity_of(self._file.with_name(f"{self._file.name}-wal"))
        if connection.info.get("log") not in (None, beside):
            raise LogUnavailable(
                self.place, f"{self._file.name}-wal was removed while it was in use"
            )
        connection.info["log"] = beside

    def has(self, table: Table) -> bool:
        """Whether there is such a table."""
        return self.opening(lambda connection: has(connection, table))

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Transaction that sees one moment of the database, also while other workers write."""
        with self.transaction() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(
                    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
                )
            yield connection
            connection.rollback()  # a commit of nothing fails where a file is damaged

    def make(self, *tables: Table) -> None:
        """Make the tables that are not there.

        Raises:
            LogUnavailable: see `opening`.
        """
        with suppress(LogConflict):  # another worker was first
            self.opening(lambda connection: make(connection, *tables))

    def opening(self, work: Callable[[Connection], T]) -> T:
        """Repeat the first operation for a while: several workers may run it at once, and a server may be starting.

        SQLite does not wait by itself while a file becomes a database.

        Raises:
            LogUnavailable: it could not be reached for that long, or an SQLite file was locked for
                `BUSY`.
        """
        pause, limit = 0.02, time.monotonic() + (self._opening if self._file is None else BUSY)
        while True:
            try:
                with self.transaction() as connection:
                    return work(connection)
            except LogUnavailable as error:
                waits = self._file is None or "locked" in error.said
                if not waits or time.monotonic() > limit:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, 1.0) if self._file is None else pause


def _identity_of(file: Path | None) -> tuple[int, int] | None:
    """Device and inode of the file that has this name now; None: there is none."""
    try:
        found = None if file is None else file.stat()
    except OSError:
        return None
    return found and (found.st_dev, found.st_ino)
