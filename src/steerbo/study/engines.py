"""From a place to SQLAlchemy's engine: a file or a URL that is checked, and what SQLite and PostgreSQL are told."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import exc

from ..errors import InvalidStudy, MissingExtra
from ..masking import masked, masked_url
from .sqlite_file import check, read_only

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
        hidden = {key: value for key, value in url.query.items() if masked(f"?{key}={value}") != f"?{key}={value}"}
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
            hint = "What is in memory is gone with the process that made it."
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
