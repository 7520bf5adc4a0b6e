"""A database, SQLite or PostgreSQL, that several workers share: places, clocks, forks, and errors.

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
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar
from weakref import WeakSet

from .._redaction import HIDDEN, redact, redact_url
from ..errors import DamagedLog, InvalidStudy, LogConflict, LogUnavailable, MissingExtra, SteerboError
from ._drivers import SERVERS, Address, Connection, ConnectionLost, Pool, Table
from ._sqlite_file import check, read_only

AGAIN = 3600.0
"""Seconds after which a server is asked again: clocks that are not set drift apart by some seconds a day."""
SLACK = 1.0
"""Seconds by which this machine's clock may be set before a server is asked again."""


class SharedClock:
    """Seconds since 1970 by a server's clock, the same for all writers.

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
        except SteerboError:  # it is away: the next call that needs it reports it
            return
        self._ahead, self._offset, self._asked = there - (before + self._here()) / 2, offset, now


Access = Literal["make", "write", "read"]
"""Whether a log that is missing is made, is needed, or can only be read."""

BUSY = 30.0
"""Seconds that a call waits while another worker writes to an SQLite file."""
NETWORK = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
NETWORK |= {"tcp_user_timeout": 60_000}
"""Options of libpq unless the URL has others: a lost network is noticed within about a minute."""


def pool_of(place: str, access: Access) -> tuple[Pool, Path | None, tuple[str, ...]]:
    """The pool of connections, the file where it is SQLite's, and secrets, which are not to be shown."""
    address = _address(place)
    if address.scheme != "sqlite":
        return _server(address)
    if address.file in (None, "", ":memory:"):
        hint = "In Python, MemoryLog() keeps a study in memory."
        raise InvalidStudy("log", place, "a log in a file or on a server", hint)
    file = Path(str(address.file))
    check(file, make=access == "make")
    if access == "read":
        return Pool("sqlite", partial(read_only, file, BUSY), _SQLITE_ERRORS, kept=0), file, ()
    return Pool("sqlite", partial(_writable, os.path.abspath(file)), _SQLITE_ERRORS), file, ()


_KEYWORDS = re.compile(r"\s*(host|hostaddr|port|dbname|user|password|service|ssl\w+)\s*=\s*\S")
"""The other form in which libpq takes an address, ``host=… dbname=…``, and which could be a file's name."""


def _address(place: str) -> Address:
    allowed = "a file's name, or a URL such as postgresql://user@host/database"
    if "://" not in place:
        if not place.strip():
            raise InvalidStudy("log", place, allowed)
        if _KEYWORDS.match(place) and not Path(place).exists():
            hint = (
                "Write these keywords as postgresql://USER@HOST:PORT/DBNAME; a file that is called so, with ./ before."
            )
            raise InvalidStudy("log", redact(place), allowed, hint)
        if redact(place) != place and not Path(place).exists():
            raise InvalidStudy("log", redact(place), allowed, "(This has a password, and is no URL.)")
        return Address("sqlite", place)
    shown = redact_url(place)
    try:
        address = Address.of(place)
    except ValueError:
        raise InvalidStudy("log", shown, allowed) from None
    if address.scheme == "sqlite" and not address.options and shown == place.replace(" ", "%20"):
        return address
    if address.scheme not in SERVERS:
        raise InvalidStudy("log", shown, allowed, "(SQLite and PostgreSQL keep logs, and only with these options.)")
    if "@" in address.options.get("host", ""):
        raise InvalidStudy("log", shown, allowed, "In a user's name and password write @ as %40, / as %2F, # as %23.")
    return address


_SQLITE_ERRORS = sqlite3.Error, sqlite3.IntegrityError


def _writable(file: str) -> sqlite3.Connection:
    """A connection to an SQLite file: transactions are ours, and a commit is on the disk when it returns."""
    connection = sqlite3.connect(file, timeout=BUSY, isolation_level=None, check_same_thread=False)
    try:
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _server(address: Address) -> tuple[Pool, None, tuple[str, ...]]:
    try:
        import psycopg  # it is an extra
        from psycopg.rows import namedtuple_row  # it is an extra
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "postgres") from None
    given = {name: value for name, value in address.options.items() if value}
    secrets = [str(value) for key, value in given.items() if redact(f"?{key}={value}") != f"?{key}={value}"]
    connect = partial(psycopg.connect, **NETWORK | given, row_factory=namedtuple_row)
    return Pool("postgresql", connect, (psycopg.Error, psycopg.IntegrityError)), None, tuple(secrets)


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
            os.register_at_fork(before=self._before, after_in_parent=self._after, after_in_child=self._after)

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
"""Messages without an SQLSTATE, of a server before a login, or of the driver: a name or a password is wrong."""
_AWAY = ("temporary failure", "timeout expired", "timed out")


_PASSING = {"OperationalError", "InterfaceError", "InternalError"}
"""Classes of errors that are not the statement's fault, as PEP 249 calls them in every driver."""


def is_outage(error: Exception, worked: bool) -> bool:
    """Whether an error is an outage; `worked`: the database was reached before, with the same password."""
    if isinstance(error, ConnectionLost):
        return True
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return code in _SQLITE or (code == sqlite3.SQLITE_CANTOPEN and worked)
    if not _PASSING & {kind.__name__ for kind in type(error).__mro__}:
        return False
    state = getattr(error, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_STATES)
    said = str(error).casefold()  # a server that crashes says nothing, or half of something
    if worked or any(words in said for words in (*_STARTING, *_AWAY)):
        return True
    return not any(words.casefold() in said for words in _WRONG)


T = TypeVar("T")

PATIENCE = 2.0
"""Seconds that a fork waits for a transaction to end."""
OPENING = 10.0
"""Default seconds that opening waits for a database that cannot be reached: it may be starting."""
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
        self.pool, self._file, self._secrets = pool_of(place, access)
        self.place = redact_url(place) if "://" in place else place
        self._identity = _identity_of(self._file)
        later: Access = "write" if access == "make" else access
        self._anew: Callable[[], Pool] = lambda: pool_of(place, later)[0]  # its text has no password
        self._process, self._parents = os.getpid(), list[Pool]()
        self._busy = threading.RLock()
        self._worked = False
        self.clock: Callable[[], float] = time.time if self.pool.kind == "sqlite" else SharedClock(self._time)
        FORKS.tell(self)

    def close(self) -> None:
        """Close the connections."""
        self._own()
        self.pool.close()

    def before_fork(self) -> None:
        """Wait until no transaction is under way; SQLite's connections are closed, and reopened on demand."""
        if os.getpid() != self._process:
            return
        if self.pool.kind == "sqlite":
            self._busy.acquire()  # no longer than a transaction lasts
            self.pool.close()
        else:
            self._busy.acquire(timeout=PATIENCE)  # a server that hangs is no reason to: the child makes its own

    def after_fork(self) -> None:
        """Resume after a fork."""
        if os.getpid() == self._process:
            with suppress(RuntimeError):  # it was not ours within that time
                self._busy.release()

    def _own(self) -> None:
        """Open connections for a forked child. The parent's are kept, untouched: closing them here would end them."""
        if os.getpid() == self._process:
            return
        self._parents.append(self.pool)
        self.pool, self._busy, self._process = self._anew(), threading.RLock(), os.getpid()

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
            with self._busy, self.pool.transaction(fleeting) as connection:
                yield connection
                self._still_there(connection)
            self._worked = True

    def glance(self, statement: str, *values: str) -> list[Any]:
        """Rows of one statement, of an SQLite file outside a transaction: waiting workers poll often."""
        if self.pool.kind != "sqlite":
            with self.transaction() as connection:
                return connection.rows(statement, *values)
        with self._ours(""):
            with self._busy, self.pool.connection() as connection:
                found = connection.rows(statement, *values)
                self._still_there(connection)
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
        except self.pool.conflict as error:
            raise LogConflict(f"another worker has written to {self.place}: {self._clean(str(error))}") from None
        except (self.pool.error, ConnectionLost, sqlite3.Error, UnicodeError) as error:
            said = self._clean(" ".join(str(error).split()))
            allowed = "a log that can be read and written"
            if "already exists" in said:  # PostgreSQL: two workers make the tables at once
                raise LogConflict(said) from None
            if is_outage(error, self._worked):
                self._begin_anew()
                held = f" for {BUSY:g} s" if "locked" in said and self.pool.kind == "sqlite" else ""
                raise LogUnavailable(self.place, said + held, lost.strip()) from None
            if any(word in said for word in ("malformed", "not a database", "decode")):
                raise DamagedLog("log", self.place, allowed, f"({said}.) {DOCTOR}{lost}") from None
            hint = ""
            if "no password" in said:
                hint = " Keep the password in the variable PGPASSWORD or in the file ~/.pgpass."
            raise InvalidStudy("log", self.place, allowed, f"({said}.){hint}{lost}") from None

    def _begin_anew(self) -> None:
        """Replace the connection for the next try: one that SQLite cannot read by will not recover."""
        if self._file is not None:
            self.pool.close()

    def _clean(self, said: str) -> str:
        """Message of a driver, redacted."""
        for secret in filter(None, self._secrets):
            said = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)" if len(secret) < 4 else re.escape(secret), HIDDEN, said)
        return redact(said)

    def _time(self) -> float:
        with self.transaction() as connection:
            return float(connection.value("SELECT extract(epoch FROM clock_timestamp())"))

    def _still_there(self, connection: Connection) -> None:
        """Refuse to write into a file that was moved or removed: the data would be lost.

        So it is with the file ``-wal`` beside it, to which SQLite writes first. A process that takes itself for the
        last one removes it, although this process has it open, where this one's locks are gone: on POSIX they are once
        anything in it has opened and closed the file.
        """
        if self._file is None:
            return
        if _identity_of(self._file) != self._identity:
            hint = "It was removed or replaced since it was opened. Nothing was written; open the study again."
            raise InvalidStudy("log", self.place, "the file that was opened", hint)
        beside = _identity_of(self._file.with_name(f"{self._file.name}-wal"))
        if connection.log not in (None, beside):
            raise LogUnavailable(self.place, f"{self._file.name}-wal was removed while it was in use")
        connection.log = beside

    def has(self, table: Table) -> bool:
        """Whether there is such a table."""
        return self.opening(lambda connection: connection.has(table))

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Transaction that sees one moment of the database, also while other workers write."""
        with self.transaction() as connection:
            if self.pool.kind == "postgresql":
                connection.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield connection
            connection.raw.rollback()  # a commit of nothing fails where a file is damaged

    def make(self, *tables: Table) -> None:
        """Make the tables that are not there.

        Raises:
            LogUnavailable: see `opening`.
        """
        with suppress(LogConflict):  # another worker was first
            self.opening(lambda connection: connection.make(*tables))

    def opening(self, work: Callable[[Connection], T]) -> T:
        """Repeat the first operation for a while: several workers may run it at once, and a server may be starting.

        SQLite does not wait by itself while a file becomes a database.

        Raises:
            LogUnavailable: it could not be reached for that long, or an SQLite file was locked for `BUSY`.
        """
        pause, limit = 0.02, time.monotonic() + (BUSY if self.pool.kind == "sqlite" else self._opening)
        while True:
            try:
                with self.transaction() as connection:
                    return work(connection)
            except LogUnavailable as error:
                waits = self.pool.kind != "sqlite" or "locked" in error.said
                if not waits or time.monotonic() > limit:
                    raise
            time.sleep(pause)
            pause = pause if self.pool.kind == "sqlite" else min(2 * pause, 1.0)


def _identity_of(file: Path | None) -> tuple[int, int] | None:
    """Device and inode of the file that has this name now; None: there is none."""
    try:
        found = None if file is None else file.stat()
    except OSError:
        return None
    return found and (found.st_dev, found.st_ino)
