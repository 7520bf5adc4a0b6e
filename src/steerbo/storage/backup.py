"""Studies of a log as a whole: backup into one file, restoring from it, listing, renaming, archiving, deleting.

A backup is an SQLite log, whichever store it was made of: it can be opened, shown and examined. Its
studies are those of one moment, also while others write; every checksum is compared on the way
there and back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from .._redaction import split_name
from ..core import Event
from ..errors import DamagedLog, InvalidStudy, one_of
from ..records import Record, record
from ._sqlite_file import meant
from .connections import DOCTOR, Database, has
from .database import HEADS, LEASES, TABLES, DatabaseLog, study_names, writable
from .doctor import IntegrityReport, StoredStudy, examine, fill, survey
from .keys import KEYS
from .log import BY_HAND, EventLog, is_gone, new_name
from .opening import replay


def backup(place: Path | str, file: Path | str) -> dict[str, int]:
    """Copy all studies of a log into a new file, which only its owner may read.

    Leases of people are copied, but not leases of processes, which will be gone.

    Args:
        place: an SQLite file or a database's URL; with ``#name``, only this study.
        file: a name that is free.

    Returns:
        The number of events by study.

    Raises:
        InvalidStudy: there is no log, it is damaged, or the file cannot be made.
    """
    return save(_sound(place).studies, file)


def save(studies: tuple[StoredStudy, ...], file: Path | str) -> dict[str, int]:
    """Write studies into a new file. It has its name only once it is whole, and on the disk."""
    file = Path(file)
    allowed = "a name that is free, in a folder that is there"
    if file.exists():
        raise InvalidStudy(
            "backup", str(file), allowed, "Nothing is overwritten: name another file."
        )
    part = file.with_name(file.name + ".part")
    try:
        part.unlink(missing_ok=True)
        fill(part, studies)
        if {kept.name: kept.bodies for kept in examine(part).studies} != {
            kept.name: kept.bodies for kept in studies
        }:
            raise InvalidStudy("backup", str(file), "a disk that keeps what is written to it")
        _name(part, file)
    except OSError as error:
        raise InvalidStudy("backup", str(file), allowed, f"({error.strerror or error}.)") from None
    finally:
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                part.with_name(part.name + ending).unlink(missing_ok=True)
    return {kept.name: len(kept.bodies) for kept in studies}


def copy_of(log: EventLog, events: Iterable[Event]) -> StoredStudy:
    """A study's events as its log has them; from memory, as they are.

    Raises:
        InvalidStudy: the log is damaged, or an event has a Python function.
    """
    if not isinstance(log, DatabaseLog):
        people = tuple(
            (token, lease) for token, lease in log.leases().items() if lease.holder == BY_HAND
        )
        return StoredStudy("study", tuple(writable(event) for event in events), people)
    with log.snapshot() as connection:
        studies = survey(connection).studies
    (kept,) = (kept for kept in studies if kept.name == log.name)
    if kept.complaint:
        raise DamagedLog("log", log.place, "a log that is whole", f"({kept.complaint}.) {DOCTOR}")
    return kept


def _name(part: Path, file: Path) -> None:
    """Give the file its name, unless another has taken it meanwhile."""
    try:
        os.link(part, file)
    except FileExistsError:
        raise
    # sticks and network drives without links: another may take the name between these lines
    except OSError:
        if file.exists():
            raise
        part.rename(file)
    if os.name == "posix":
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def restore(file: Path | str, place: Path | str, name: str = "") -> dict[str, int]:
    """Write the studies of a backup into an SQLite file or a database, all of them or none.

    Args:
        file: from `backup`, or any SQLite log without writers.
        place: where studies of these names are not there yet.
        name: new name of a study that is alone in the backup; ``#name`` in a URL goes before it.

    Returns:
        The number of events by study.

    Raises:
        InvalidStudy: the backup is damaged, or a study of one of the names is there.
    """
    studies = _sound(file).studies
    url, after = split_name(str(place))
    if after and len(studies) > 1:
        hint = f"The backup has {len(studies)} studies, which keep their names: {_names(studies)}."
        raise InvalidStudy("log", f"#{after}", "no name for all of them", hint)
    if len(studies) == 1:
        called = after or name
        studies = (replace(studies[0], name=new_name(called) if called else studies[0].name),)
    fill(url, studies)
    return {kept.name: len(kept.bodies) for kept in studies}


def _sound(place: Path | str) -> IntegrityReport:
    found = examine(place)
    if found.damaged:
        wrong = [
            found.complaint,
            *(f"{k.name}: {k.complaint}" for k in found.studies if k.complaint),
        ]
        said = "; ".join(filter(None, wrong))
        kind = InvalidStudy if any(kept.later for kept in found.studies) else DamagedLog
        raise kind(
            "log",
            found.place,
            "a log that is whole",
            f"({said}.) {meant(Path(found.place), DOCTOR)}",
        )
    return found


def _names(studies: tuple[StoredStudy, ...]) -> str:
    return ", ".join(kept.name for kept in studies)


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
            found.append(
                StudyInfo(
                    name, optimizer.problem.kind, str(optimizer.status), len(optimizer.events)
                )
            )
    return tuple(found)


def rename(place: Path | str, name: str, new: str) -> None:
    """Call a study by another name from now on; its keys come with it.

    Raises:
        InvalidStudy: there is none of this name, one of the new name, or a worker is active on it.
    """
    with (
        closing(Database(split_name(str(place))[0], "write")) as database,
        database.transaction() as connection,
    ):
        _check_unused(connection, name)
        if (new := new_name(new)) in study_names(connection):
            raise InvalidStudy("new", new, "a name that no study there has")
        for table in _tables(connection):
            connection.execute(table.update().where(table.c.study == name).values(study=new))


def delete(place: Path | str, name: str) -> None:
    """Throw a study away, with its keys: nothing brings it back but a backup.

    Raises:
        InvalidStudy: there is none of this name, or a worker is active on it.
    """
    with (
        closing(Database(split_name(str(place))[0], "write")) as database,
        database.transaction() as connection,
    ):
        _check_unused(connection, name)
        for table in _tables(connection):
            connection.execute(table.delete().where(table.c.study == name))


def archive(place: Path | str, name: str, file: Path | str) -> int:
    """Put a study away: into a file, from which `restore` brings it back, and out of the database. Its events.

    Raises:
        InvalidStudy: as `delete`; or the file cannot be made.
    """
    url = split_name(str(place))[0]
    with closing(Database(url, "write")) as database, database.transaction() as connection:
        _check_unused(connection, name)
    (events,) = backup(f"{url if '://' in url else f'sqlite:///{url}'}#{name}", file).values()
    with closing(Database(url, "write")) as database, database.transaction() as connection:
        if connection.scalar(sa.select(HEADS.c.events).where(HEADS.c.study == name)) != events:
            hint = f"Another process has just written to it. {file} has the state before; archive to another file."
            raise InvalidStudy("study", name, "a study that no process works on", hint)
        for table in _tables(connection):
            connection.execute(table.delete().where(table.c.study == name))
    return events


def _tables(connection: Connection) -> list[sa.Table]:
    """Tables with a column of studies' names; of keys there may be none."""
    return [table for table in (*TABLES, KEYS) if has(connection, table)]


def _check_unused(connection: Connection, name: str) -> None:
    """Refuse a study that is not there, or that a process works on."""
    there = study_names(connection) if has(connection, HEADS) else []
    if name not in there:
        raise InvalidStudy("study", name, one_of(there, name) if there else "a study that is there")
    holders = connection.scalars(sa.select(LEASES.c.holder).where(LEASES.c.study == name))
    if any(holder != BY_HAND and not is_gone(holder) for holder in holders):
        raise InvalidStudy(
            "study", name, "a study that no process works on", "Stop its runs first."
        )
