"""Catalogue of the studies in a database: list, rename, archive, delete."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from .._redaction import split_name
from ..errors import InvalidStudy, one_of
from ..records import Record, record
from ._drivers import Connection
from .backup import backup
from .connections import Database
from .database import HEADS, TABLES, DatabaseLog, study_names
from .keys import KEYS
from .log import BY_HAND, is_gone, new_name
from .opening import replay


@record
class StudyInfo(Record):
    """Study in a database: name, kind, progress and number of events."""

    name: str
    kind: str
    status: str
    events: int


def shelved(place: Path | str) -> tuple[StudyInfo, ...]:
    """All studies of a database, by name.

    Raises:
        InvalidStudy: there is no log, or it is damaged.
    """
    found = []
    with closing(DatabaseLog(place, make=False)) as log:
        names = log.names()
    url = split_name(str(place))[0]
    for name in names:
        with closing(DatabaseLog(url, name, make=False)) as log:
            log.name = name
            optimizer = replay(log.place, log.read(), None)
            found.append(StudyInfo(name, optimizer.problem.kind, str(optimizer.status), len(optimizer.events)))
    return tuple(found)


def rename(place: Path | str, name: str, new: str) -> None:
    """Call a study by another name from now on; its keys come with it.

    Raises:
        InvalidStudy: there is none of this name, one of the new name, or a worker is active on it.
    """
    with closing(Database(split_name(str(place))[0], "write")) as database, database.transaction() as connection:
        _alone(connection, name)
        if new_name(new) in study_names(connection):
            raise InvalidStudy("new", new, "a name that no study there has")
        for table in _tables(connection):
            connection.run(f"UPDATE {table} SET study = ? WHERE study = ?", new, name)


def delete(place: Path | str, name: str) -> None:
    """Throw a study away, with its keys: nothing brings it back but a backup.

    Raises:
        InvalidStudy: there is none of this name, or a worker is active on it.
    """
    with closing(Database(split_name(str(place))[0], "write")) as database, database.transaction() as connection:
        _alone(connection, name)
        for table in _tables(connection):
            connection.run(f"DELETE FROM {table} WHERE study = ?", name)


def archive(place: Path | str, name: str, file: Path | str) -> int:
    """Put a study away: into a file, from which `restore` brings it back, and out of the database. Its events.

    Raises:
        InvalidStudy: as `delete`; or the file cannot be made.
    """
    url = split_name(str(place))[0]
    with closing(Database(url, "write")) as database, database.transaction() as connection:
        _alone(connection, name)
    (events,) = backup(f"{url if '://' in url else f'sqlite:///{url}'}#{name}", file).values()
    with closing(Database(url, "write")) as database, database.transaction() as connection:
        same = "SELECT study FROM steerbo_study WHERE study = ? AND events = ?"
        if not connection.rows(same, name, events):
            hint = f"Another process has just written to it. {file} has the state before; archive to another file."
            raise InvalidStudy("study", name, "a study that no process works on", hint)
        for table in _tables(connection):
            connection.run(f"DELETE FROM {table} WHERE study = ?", name)
    return events


def _tables(connection: Connection) -> list[str]:
    """Tables with a column of studies' names; of keys there may be none."""
    return [table.name for table in (*TABLES, KEYS) if connection.has(table)]


def _alone(connection: Connection, name: str) -> None:
    """Refuse a study that is not there, or that a process works on."""
    there = study_names(connection) if connection.has(HEADS) else []
    if name not in there:
        raise InvalidStudy("study", name, one_of(there, name) if there else "a study that is there")
    holders = connection.column("SELECT holder FROM steerbo_lease WHERE study = ?", name)
    if any(holder != BY_HAND and not is_gone(holder) for holder in holders):
        raise InvalidStudy("study", name, "a study that no process works on", "Stop its runs first.")
