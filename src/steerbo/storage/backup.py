"""Backup of the studies of a log into one file, and restoring from it.

A backup is an SQLite log, whichever store it was made of: it can be opened, shown and examined. Its studies are those
of one moment, also while others write; every checksum is compared on the way there and back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from .._redaction import split_name
from ..core import Event
from ..errors import DamagedLog, InvalidStudy
from ._integrity import IntegrityReport, StoredStudy, look, survey, write
from ._sqlite_file import meant
from .connections import DOCTOR, Database
from .database import TABLES, DatabaseLog, study_names, writable
from .log import BY_HAND, EventLog, new_name


def backup(place: Path | str, file: Path | str) -> dict[str, int]:
    """Copy all studies of a log into a new file, which only its owner may read.

    Leases of people come with them. Those of processes do not: they will be gone.

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
        raise InvalidStudy("backup", str(file), allowed, "Nothing is overwritten: name another file.")
    part = file.with_name(file.name + ".part")
    try:
        part.unlink(missing_ok=True)
        fill(part, studies)
        if {kept.name: kept.bodies for kept in look(part).studies} != {kept.name: kept.bodies for kept in studies}:
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
        people = tuple((token, lease) for token, lease in log.leases().items() if lease.holder == BY_HAND)
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
    except OSError:  # sticks and network drives without links: another may take the name between these lines
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


def fill(place: Path | str, studies: tuple[StoredStudy, ...]) -> None:
    """Write studies into a log, which is made where there is none, in one transaction."""
    with closing(Database(str(place))) as database:
        database.make(*TABLES)
        with database.transaction() as connection:
            there = set(study_names(connection))
            if taken := [kept.name for kept in studies if kept.name in there]:
                hint = f"There is a study {', '.join(taken)} already, and nothing is overwritten: name another place."
                raise InvalidStudy("log", database.place, "a place without these studies", hint)
            write(connection, studies)


def _sound(place: Path | str) -> IntegrityReport:
    found = look(place)
    if not found.sound:
        wrong = [found.complaint, *(f"{k.name}: {k.complaint}" for k in found.studies if k.complaint)]
        said = "; ".join(filter(None, wrong))
        kind = InvalidStudy if any(kept.later for kept in found.studies) else DamagedLog
        raise kind("log", found.place, "a log that is whole", f"({said}.) {meant(Path(found.place), DOCTOR)}")
    return found


def _names(studies: tuple[StoredStudy, ...]) -> str:
    return ", ".join(kept.name for kept in studies)
