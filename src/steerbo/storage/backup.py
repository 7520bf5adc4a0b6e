"""Studies of a log as a whole: backup into one file, restoring from it, listing, renaming, archiving, deleting.

A backup is an SQLite log, whichever store it was made of: it can be opened, shown and examined. Its
studies are those of one moment, also while others write; every checksum is compared on the way
there and back.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection

from .._redaction import redact_url, split_name
from .._warnings import warn
from ..core import Event
from ..core.events import read_json
from ..errors import DamagedLog, FilesWarning, InvalidStudy, one_of
from ..records import Record, record
from ._sqlite_file import meant
from .connections import DOCTOR, Database, has
from .database import EVENTS, HEADS, LEASES, TABLES, DatabaseLog, study_names, writable
from .doctor import IntegrityReport, StoredStudy, examine, fill, survey
from .kept_files import FOLDER, FilesFolder, lost_text
from .keys import KEYS
from .log import BY_HAND, EventLog, is_gone, new_name
from .opening import replay


def backup(place: Path | str, file: Path | str) -> dict[str, int]:
    """Copy all studies of a log into a new file, which only its owner may read, and their files beside it.

    Files that are missing or changed are warned of. Leases of people are copied, but not leases of
    processes, which will be gone.

    Args:
        place: an SQLite file or a database's URL; with ``#name``, only this study.
        file: a name that is free.

    Returns:
        The number of events by study.

    Raises:
        InvalidStudy: there is no log, it is damaged, or the file cannot be made.
    """
    return save(_sound(place).studies, file, FilesFolder.of(place))


def save(studies: tuple[StoredStudy, ...], file: Path | str, files: FilesFolder) -> dict[str, int]:
    """Write studies into a new file, and their files beside it.

    It has its name only once all of it is whole, and on the disk.
    """
    file = Path(file)
    allowed = "a new file, in a folder that exists"
    taken = InvalidStudy("backup", str(file), allowed, "Nothing is overwritten: name another file.")
    if file.exists():
        raise taken
    # another process may be making a backup of this name, too
    part = file.with_name(f"{file.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        fill(part, studies)
        if {kept.name: kept.bodies for kept in examine(part).studies} != {
            kept.name: kept.bodies for kept in studies
        }:
            raise InvalidStudy("backup", str(file), "a disk that keeps what is written to it")
        _copy_files(studies, files, FilesFolder.of(file))
        _name(part, file)
    except FileExistsError:
        raise taken from None
    except OSError as error:
        raise InvalidStudy("backup", str(file), allowed, f"({error.strerror or error}.)") from None
    finally:
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                part.with_name(part.name + ending).unlink(missing_ok=True)
    return {kept.name: len(kept.bodies) for kept in studies}


def _copy_files(studies: tuple[StoredStudy, ...], source: FilesFolder, to: FilesFolder) -> None:
    """Copy the files that studies name; those that are not whole are warned of."""
    lost = source.copy((kept for study in studies for _, kept in study.files), to)
    if said := lost_text(lost, source.folder):
        warn(FilesWarning(f"{said}. They are not in the copy"))


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
    # sticks and network drives without links: another may take the name between these lines
    except OSError:
        if file.exists():
            raise FileExistsError from None
        part.rename(file)
    if os.name == "posix":
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def restore(file: Path | str, place: Path | str, name: str = "") -> dict[str, int]:
    """Write the studies of a backup into an SQLite file or a database, all of them or none, and their files.

    Args:
        file: from `backup`, or any SQLite log without writers.
        place: where studies of these names are not there yet.
        name: new name of a study that is alone in the backup; ``#name`` in a URL goes before it.

    Returns:
        The number of events by study.

    Raises:
        InvalidStudy: the backup is damaged, a study of one of the names is there, or there is no
            place for its files.
    """
    studies = _sound(file).studies
    url, after = split_name(str(place))
    if after and len(studies) > 1:
        hint = f"The backup has {len(studies)} studies, which keep their names: {_names(studies)}."
        raise InvalidStudy("log", f"#{after}", "no name after #", hint)
    if len(studies) == 1:
        called = after or name
        studies = (replace(studies[0], name=new_name(called) if called else studies[0].name),)
    files = FilesFolder.of(url)
    if files.folder is None and any(study.files for study in studies):
        hint = f"Set {FOLDER} in the environment to a folder that all its workers share."
        raise InvalidStudy("log", redact_url(url), "a place with a folder for files", hint)
    _copy_files(studies, FilesFolder.of(file), files)
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
            raise InvalidStudy("new", new, "a name that is not taken there")
        for table in _tables(connection):
            connection.execute(table.update().where(table.c.study == name).values(study=new))


def delete(place: Path | str, name: str) -> None:
    """Throw a study away, with its keys, and the files that no other study there names.

    Nothing brings it back but a backup. In a folder of files that a server's log shares with
    others, files stay.

    Raises:
        InvalidStudy: there is none of this name, or a worker is active on it.
    """
    with (
        closing(Database(split_name(str(place))[0], "write")) as database,
        database.transaction() as connection,
    ):
        _check_unused(connection, name)
        _throw_away(connection, name, FilesFolder.of(place))


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
        _throw_away(connection, name, FilesFolder.of(place))
    return events


def _throw_away(connection: Connection, name: str, files: FilesFolder) -> None:
    """Delete a study; its files before that is committed: until then no other study can come to name them."""
    before = _checksums(connection) if files.own else set()
    for table in _tables(connection):
        connection.execute(table.delete().where(table.c.study == name))
    if before:
        files.remove(before - _checksums(connection))


def _checksums(connection: Connection) -> set[str]:
    """Checksums of all files that studies name."""
    query = sa.select(EVENTS.c.body).where(EVENTS.c.body.contains('"sha256"'))
    plain = [read_json(body) for body in connection.scalars(query)]
    return {each["file"]["sha256"] for each in plain if each.get("kind") == "remarked"}


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
