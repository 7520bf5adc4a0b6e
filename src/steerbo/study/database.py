"""A log in a database: SQLite (one file, nothing to set up) or PostgreSQL, through SQLAlchemy.

Every event is a row with a checksum over its content and its predecessor's checksum; a head row per study counts them
and repeats the last checksum. An append moves the head from the event it was based on, or is refused: one commit an
event.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from ..errors import InvalidStudy, LogConflict, MissingExtra
from ..optimizer import Created, Event
from ..record import from_plain, to_plain
from .log import Lease, ends_a_round

FORMAT = 1
"""Of the tables, and of what a checksum is over. Every one that was ever released is read."""
BUSY = 30.0
"""Seconds that a call waits while another worker writes to an SQLite file."""
PATIENCE = 2.0
"""Seconds that a call waits for its turn, before it competes with whoever has not given it back."""

_tables = sa.MetaData()
_heads = sa.Table(
    "steerbo_study",
    _tables,
    sa.Column("study", sa.String(200), primary_key=True),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("events", sa.Integer, nullable=False),
    sa.Column("tip", sa.String(64), nullable=False),
)
_events = sa.Table(
    "steerbo_event",
    _tables,
    sa.Column("study", sa.String(200), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("checksum", sa.String(64), nullable=False),
)
_leases = sa.Table(
    "steerbo_lease",
    _tables,
    sa.Column("study", sa.String(200), primary_key=True),
    sa.Column("token", sa.String(200), primary_key=True),
    sa.Column("holder", sa.Text, nullable=False),
    sa.Column("until", sa.Float(53)),
    sa.Column("lapses", sa.Integer, nullable=False),
)


def body_of(event: Event) -> str:
    """An event as one line of JSON: equal events have equal bytes."""
    return json.dumps(to_plain(event, Event), sort_keys=True, separators=(",", ":"), allow_nan=False)


def checksum(before: str, position: int, body: str) -> str:
    """SHA-256 over an event, its place and its predecessor's checksum."""
    return hashlib.sha256(f"{FORMAT}\n{before}\n{position}\n{body}".encode()).hexdigest()


class DatabaseLog:
    """One worker's connection to a study's log; see `EventLog`.

    Args:
        place: an SQLite file, or a database URL such as ``postgresql://user@host/database#name``.
        name: the study's name in that database, where the URL does not say.

    Raises:
        InvalidStudy: it cannot be opened.
        MissingExtra: the database's driver is not installed.
    """

    def __init__(self, place: Path | str, name: str = "study") -> None:
        self.place, _, after = str(place).partition("#") if "://" in str(place) else (str(place), "", "")
        self.name = after or name
        self._engine = self._connect(self.place)
        self.place = self._engine.url.render_as_string(hide_password=True) if "://" in self.place else self.place
        self.seen, self._tip = 0, ""
        try:
            self._make_tables()
        except BaseException:
            self.close()
            raise

    def read(self) -> list[Event]:
        """The events that are new, each checked against its predecessor.

        Raises:
            InvalidStudy: the log is damaged, or of a later version.
        """
        new = _events.c.position > self.seen
        query = (
            sa.select(_heads.c.format, _heads.c.events, _heads.c.tip, _events.c.position, _events.c.body)
            .add_columns(_events.c.checksum)
            .select_from(_heads.outerjoin(_events, (_events.c.study == _heads.c.study) & new))
            .where(_heads.c.study == self.name)
            .order_by(_events.c.position)
        )
        with self._transaction() as connection:  # one statement: head and events of one moment
            rows = connection.execute(query).all()
        if not rows:
            if self.seen:
                raise self._damage("study", None, f"the study whose {self.seen} events were read before")
            return []
        head = rows[0]
        if not isinstance(head.format, int) or head.format > FORMAT:
            raise self._damage("format", head.format, f"at most {FORMAT}", "Update steerbo to read this log.")
        found: list[Event] = []
        seen, tip = self.seen, self._tip
        for row in rows if head.position is not None else []:
            if row.position != seen + 1 or row.checksum != checksum(tip, row.position, str(row.body)):
                raise self._damage(f"event {seen + 1}", row.body, "an event that matches its checksum")
            found.append(self.event(row.position, row.body))
            seen, tip = row.position, row.checksum
        if (head.events, head.tip) != (seen, tip):
            raise self._damage("events", seen, f"the {head.events} events that the log once had")
        self.seen, self._tip = seen, tip
        return found

    def append(self, event: Event, lease: Lease | None = None) -> None:
        """Add one event after those seen: one transaction, one commit."""
        if isinstance(event, Created) and event.problem is None:
            raise InvalidStudy(
                "problem",
                "a Python function",
                "data that can be written",
                "Keep this study in memory, or use a record.",
            )
        body, position = body_of(event), self.seen + 1
        tip = checksum(self._tip, position, body)
        head = {"format": FORMAT, "events": position, "tip": tip}
        with self._transaction(body) as connection:
            if position == 1:
                connection.execute(sa.insert(_heads).values(study=self.name, **head))
            else:
                based = (_heads.c.study == self.name) & (_heads.c.events == self.seen) & (_heads.c.tip == self._tip)
                if connection.execute(sa.update(_heads).where(based).values(**head)).rowcount != 1:
                    raise LogConflict(f"event {position} of {self.place} is another worker's")
            connection.execute(sa.insert(_events).values(study=self.name, position=position, body=body, checksum=tip))
            if lease is not None and event.kind == "asked":
                connection.execute(sa.insert(_leases).values(study=self.name, token=event.token, **vars(lease)))
            if (token := ends_a_round(event)) is not None:
                connection.execute(sa.delete(_leases).where(self._lease(token)))
        self.seen, self._tip = position, tip

    @contextmanager
    def turn(self) -> Iterator[None]:
        """PostgreSQL: one of its advisory locks, waited for no longer than `PATIENCE`: its holder may be halted.

        SQLite: nothing, since a file's only lock would keep leases from being renewed.
        """
        if self._engine.name != "postgresql":
            yield
            return
        key = int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8], signed=True)
        waiting = sa.func.set_config("lock_timeout", f"{PATIENCE:g}s", True)  # in this statement only
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            try:
                with suppress(exc.OperationalError):  # not our turn yet, and we go on all the same
                    connection.execute(sa.select(waiting, sa.func.pg_advisory_lock(key)))
                yield
            finally:
                connection.execute(sa.select(sa.func.pg_advisory_unlock_all()))

    def leases(self) -> dict[str, Lease]:
        """Leases by token."""
        with self._transaction() as connection:
            rows = connection.execute(sa.select(_leases).where(_leases.c.study == self.name)).all()
        return {row.token: Lease(row.holder, row.until, row.lapses) for row in rows}

    def claim(self, token: str, lease: Lease | None, instead_of: Lease | None) -> bool:
        """Compare and swap, in one statement."""
        try:
            with self._transaction() as connection:
                if instead_of is None:
                    if lease is not None:
                        connection.execute(sa.insert(_leases).values(study=self.name, token=token, **vars(lease)))
                    return True
                same = self._lease(token)
                for name, value in vars(instead_of).items():
                    same &= _leases.c[name].is_(None) if value is None else _leases.c[name] == value
                change = sa.delete(_leases) if lease is None else sa.update(_leases).values(**vars(lease))
                return connection.execute(change.where(same)).rowcount == 1
        except LogConflict:
            return False

    def renew(self, holder: str, until: float) -> None:
        """Leases of `holder` last until then."""
        mine = (_leases.c.study == self.name) & (_leases.c.holder == holder) & _leases.c.until.is_not(None)
        with self._transaction() as connection:
            connection.execute(sa.update(_leases).where(mine).values(until=until))

    def rows(self) -> Iterator[tuple[int, Any, Any]]:
        """Position, body and checksum of every event as they stand there, unchecked; ends where the file is damaged."""
        query = sa.select(_events.c.position, _events.c.body, _events.c.checksum)
        query = query.where(_events.c.study == self.name).order_by(_events.c.position)
        with self._transaction() as connection:
            for row in connection.execute(query):
                yield row.position, row.body, row.checksum

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()

    def _lease(self, token: str) -> sa.ColumnElement[bool]:
        return (_leases.c.study == self.name) & (_leases.c.token == token)

    def event(self, position: int, body: str) -> Event:
        """An event from its text."""
        event: Event = from_plain(Event, json.loads(body), f"{self.place}: event {position}", InvalidStudy)
        return event

    def _make_tables(self) -> None:
        """Several workers may do so at once, and SQLite does not wait by itself while a file becomes a database."""
        limit = time.monotonic() + BUSY
        while True:
            try:
                with self._transaction() as connection:
                    _tables.create_all(connection)
                return
            except LogConflict:  # another worker was first
                return
            except InvalidStudy as error:
                if "locked" not in error.hint or time.monotonic() > limit:
                    raise
            time.sleep(0.02)

    def _connect(self, text: str) -> sa.Engine:
        try:
            if "://" not in text:
                Path(text).parent.mkdir(parents=True, exist_ok=True)
                url = sa.URL.create("sqlite", database=text)
            else:
                url = sa.make_url(text)
            if url.drivername in ("postgresql", "postgres"):
                url = url.set(drivername="postgresql+psycopg")
            if url.get_backend_name() != "sqlite":
                return sa.create_engine(url, pool_size=3)  # a turn, what is done in it, and the heartbeat
            engine = sa.create_engine(url, connect_args={"timeout": BUSY})
        except OSError as error:
            raise InvalidStudy("log", text, "a file that can be written", error.strerror or "") from None
        except ModuleNotFoundError as error:
            raise MissingExtra(str(error.name), "postgres") from None
        except (exc.ArgumentError, exc.NoSuchModuleError, ValueError) as error:
            allowed = "a file's name, or a URL such as postgresql://user@host/database"
            raise InvalidStudy("log", text, allowed, f"({error})") from None
        sa.event.listen(engine, "connect", _prepare)
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        return engine

    @contextmanager
    def _transaction(self, body: str = "") -> Iterator[sa.Connection]:
        """Committed where nothing is raised; the database's own errors become ours. `body`: what is being written."""
        lost = f" Not written: {body}" if body else ""
        try:
            with self._engine.begin() as connection:
                yield connection
        except exc.IntegrityError as error:
            raise LogConflict(f"another worker has written to {self.place}: {error.orig}") from None
        except (exc.SQLAlchemyError, sqlite3.Error, UnicodeDecodeError) as error:
            said = " ".join(str(getattr(error, "orig", None) or error).split())
            allowed = "a log that can be read and written"
            if "locked" in said:
                allowed = f"a log that no other worker keeps locked for {BUSY:g} s"
            elif "already exists" in said:  # PostgreSQL: two workers make the tables at once
                raise LogConflict(said) from None
            hint = "" if not any(word in said for word in ("malformed", "not a database", "decode")) else _DOCTOR
            raise InvalidStudy("log", self.place, allowed, f"({said}.){hint}{lost}") from None

    def _damage(self, field: str, value: object, allowed: str, hint: str = "") -> InvalidStudy:
        return InvalidStudy(f"{self.place}: {field}", value, allowed, hint or _DOCTOR.strip())


_DOCTOR = " The log is damaged: `steerbo doctor` says what can be saved."


def _prepare(connection: sqlite3.Connection, _: object) -> None:
    """SQLite: transactions are ours, and a commit is on the disk when it returns."""
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")
