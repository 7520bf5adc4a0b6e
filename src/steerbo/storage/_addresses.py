"""Drivers of SQLite and of PostgreSQL by one interface: addresses, tables, connections, and those that are idle.

Both follow PEP 249. Statements are SQL that both understand, with `?` for a value; rows have their columns by name. A
driver is imported when an address needs it.
"""

from __future__ import annotations

import functools
import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote

from ..errors import MissingExtra

Kind = Literal["sqlite", "postgresql"]


SERVERS = "postgresql", "postgres", "postgresql+psycopg"
"""Schemes of URLs that libpq reads."""


@dataclass(frozen=True)
class Address:
    """A database's URL in parts: a file, or the options of a server as libpq reads them. No password is shown."""

    scheme: str
    file: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, url: str) -> Address:
        """The parts of a URL.

        Raises:
            ValueError: it is none.
            MissingExtra: it is a server's, and its driver is not installed.
        """
        scheme, separator, rest = url.partition("://")
        if not separator or not scheme.replace("+", "").isalnum():
            raise ValueError("no URL")
        if scheme not in SERVERS:
            place, _, query = rest.partition("?")
            _, slash, file = place.partition("/")
            return cls(scheme, unquote(file) if slash else None, dict(parse_qsl(query)))
        try:
            from psycopg import ProgrammingError
            from psycopg.conninfo import conninfo_to_dict
        except ModuleNotFoundError as error:
            raise MissingExtra(str(error.name), "postgres") from None
        try:
            return cls(scheme, None, conninfo_to_dict(f"postgresql://{rest}"))
        except ProgrammingError as error:
            raise ValueError(str(error)) from None


@dataclass(frozen=True)
class Table:
    """Table of a log: types by column, of which the first `keys` are the key, and columns that may have no value."""

    name: str
    columns: Mapping[str, str]
    keys: int = 1
    nullable: tuple[str, ...] = ()

    @property
    def definition(self) -> str:
        """The statement that makes it."""
        lines = [f"{name} {type}{'' if name in self.nullable else ' NOT NULL'}" for name, type in self.columns.items()]
        key = ", ".join([*self.columns][: self.keys])
        return f"CREATE TABLE {self.name} ({', '.join(lines)}, PRIMARY KEY ({key}))"


class Connection:
    """One connection, with at most one transaction under way: SQLite's driver begins none by itself."""

    def __init__(self, raw: Any, kind: Kind) -> None:
        self.raw, self.kind = raw, kind
        self.log: tuple[int, int] | None = None
        """The file, ``-wal``, that SQLite was seen to write to first."""
        self._synchronous = "FULL"
        if kind == "sqlite":
            raw.row_factory = _named

    def begin(self, fleeting: bool = False) -> None:
        """Begin a transaction; a kill loses nothing of a `fleeting` one, but a power cut may."""
        if self.kind == "postgresql":
            if fleeting:
                self.run("SET LOCAL synchronous_commit TO OFF")
            return
        wanted = "NORMAL" if fleeting else "FULL"
        if self._synchronous != wanted:
            self.run(f"PRAGMA synchronous = {wanted}")
            self._synchronous = wanted
        self.run("BEGIN")

    def run(self, statement: str, *values: Any) -> Any:
        """Execute a statement; returns the driver's cursor: an iterator over rows, with a `rowcount`."""
        if self.kind == "postgresql":
            return self.raw.execute(statement.replace("?", "%s"), values or None)
        return self.raw.execute(statement, values)

    def rows(self, statement: str, *values: Any) -> list[Any]:
        """All rows of a statement."""
        found: list[Any] = self.run(statement, *values).fetchall()
        return found

    def value(self, statement: str, *values: Any) -> Any:
        """The first column of the first row; None: there is no row."""
        row = self.run(statement, *values).fetchone()
        return None if row is None else row[0]

    def column(self, statement: str, *values: Any) -> list[Any]:
        """The first column of all rows."""
        return [row[0] for row in self.rows(statement, *values)]

    def change(self, statement: str, *values: Any) -> int:
        """Execute a statement that changes rows; returns how many."""
        count: int = self.run(statement, *values).rowcount
        return count

    def insert(self, table: Table, *rows: Mapping[str, Any]) -> None:
        """Add rows that have the same columns."""
        columns = [*rows[0]]
        statement = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        values = [tuple(row[column] for column in columns) for row in rows]
        if len(values) == 1:
            self.run(statement, *values[0])
        else:
            cursor = self.raw.cursor()
            cursor.executemany(statement.replace("?", "%s") if self.kind == "postgresql" else statement, values)

    def has(self, table: Table) -> bool:
        """Whether there is such a table."""
        if self.kind == "postgresql":
            return self.value("SELECT to_regclass(?)", table.name) is not None
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table.name))

    def make(self, *tables: Table) -> None:
        """Make the tables that the database lacks."""
        for table in tables:
            if not self.has(table):
                self.run(table.definition)

    @property
    def lost(self) -> bool:
        """Whether the connection can serve no more."""
        return self.kind == "postgresql" and bool(self.raw.closed)

    def close(self) -> None:
        """Close the driver's connection, whatever state it is in."""
        with suppress(Exception):  # it is of no use any more, or never was
            self.raw.close()


class ConnectionLost(Exception):  # noqa: N818  it is no fault of a statement
    """A connection that stood stands no more; its cause is the driver's error."""


class Pool:
    """Connections to one database: an idle one is used again, and `kept` of them stay.

    `errors` are the driver's errors, and among them those of rows that another one wrote.
    """

    def __init__(
        self, kind: Kind, connect: Callable[[], Any], errors: tuple[type[Exception], type[Exception]], kept: int = 3
    ) -> None:
        self.kind, self.kept = kind, kept
        self.error, self.conflict = errors
        self._connect, self._idle = connect, list[Connection]()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Take a connection for one user at a time."""
        taken = self._idle.pop() if self._idle else Connection(self._connect(), self.kind)
        try:
            yield taken
        finally:
            if taken.lost:
                self.close()  # a server that went away took the others with it
                taken.close()
            elif len(self._idle) < self.kept:
                self._idle.append(taken)
            else:
                taken.close()

    @contextmanager
    def transaction(self, fleeting: bool = False) -> Iterator[Connection]:
        """A connection with a transaction, committed where nothing is raised; see `Connection.begin`."""
        with self.connection() as connection:
            try:
                connection.begin(fleeting)
                yield connection
                connection.raw.commit()
            except BaseException as error:
                with suppress(self.error):
                    connection.raw.rollback()
                if connection.lost and isinstance(error, self.error):
                    raise ConnectionLost(str(error)) from error
                raise

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()


@functools.lru_cache(maxsize=64)
def _row_of(columns: tuple[str, ...]) -> Any:
    make: Any = namedtuple
    return make("Row", columns, rename=True)._make


def _named(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> Any:
    names = [column[0].lower() for column in cursor.description]  # as in the file, where a bit may have flipped
    return _row_of(tuple(names))(row)
