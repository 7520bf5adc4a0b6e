"""Examination and repair of the studies of a log. Examining writes nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from .._redaction import split_name
from .._wording import counted
from ..errors import InvalidStudy
from ..records import record
from ._integrity import IntegrityReport, StoredStudy, look, survey, write
from .backup import fill
from .connections import Database
from .database import DAMAGED, EVENTS, TABLES


@record
class Health:
    """Findings on one study.

    Args:
        name: the study's.
        events: so many follow from one another, from the first.
        complaint: the fault after them; empty: none.
        note: an oddity that does no harm.
    """

    name: str
    events: int
    complaint: str = ""
    note: str = ""

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.name}: {counted(self.events, 'event')}; {self.complaint or 'every checksum is right'}{note}"


@record
class Diagnosis:
    """Findings on a log.

    Args:
        place: its file or database.
        studies: all of them, or the one that was asked for.
        complaint: the fault of the file itself; empty: none.
        repaired: the repair; empty: none.
    """

    place: str
    studies: tuple[Health, ...]
    complaint: str = ""
    repaired: str = ""

    @property
    def damaged(self) -> bool:
        """Whether anything is wrong, or was before it was repaired."""
        return bool(self.complaint) or any(study.complaint for study in self.studies)

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.complaint}" if self.complaint else self.place]
        lines += [f"  {study}" for study in self.studies]
        return "\n".join([*lines, *([self.repaired] if self.repaired else [])])


def examine(place: Path | str) -> Diagnosis:
    """Read every event of every study in a log, and compare the checksums.

    Args:
        place: an SQLite file or a database's URL; with ``#name``, only this study.

    Raises:
        InvalidStudy: there is no log, or no such study.
    """
    return _findings(look(place))


def _findings(found: IntegrityReport, repaired: str = "") -> Diagnosis:
    studies = (Health(kept.name, len(kept.bodies), kept.complaint, kept.note) for kept in found.studies)
    return Diagnosis(found.place, tuple(studies), found.complaint, repaired)


def repair(place: Path | str) -> Diagnosis:
    """Keep of every damaged study the events that are whole, and all the others as they are.

    An SQLite file is written anew, and the damaged one is kept beside it. On a server the damaged studies' events are
    kept in the table ``steerbo_damaged``. Leases of processes are forgotten: their rounds are offered again. A log that
    is whole is left alone.

    Raises:
        InvalidStudy: there is no log, nothing of it can be read, a worker has it open, or it is of a later version.
    """
    found = look(place)
    if found.sound:
        return _findings(found)
    for kept in found.studies:
        if kept.later:
            raise InvalidStudy(f"{found.place}: {kept.name}", kept.complaint, "a study of this version")
    if not any(kept.bodies for kept in found.studies):
        hint = f"({found.complaint or found.studies[0].complaint}.) `steerbo restore` brings back a backup."
        raise InvalidStudy("log", found.place, "a log with an event that can be read", hint)
    url, only = split_name(str(place))
    if "://" in url and not url.startswith("sqlite"):
        return _findings(found, _on_a_server(url, only))
    return _findings(found, _in_a_file(Path(url.removeprefix("sqlite:///")), found))


def _in_a_file(file: Path, found: IntegrityReport) -> str:
    _alone(file)
    fresh, old = file.with_name(file.name + ".repaired"), _free_name(file)
    fresh.unlink(missing_ok=True)
    whole = look(file).studies  # of all names, and after the last worker has let go
    kept = tuple(study for study in whole if study.bodies)
    fill(fresh, kept)
    for ending in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            file.with_name(file.name + ending).rename(old.with_name(old.name + ending))
    fresh.rename(file)
    lost = [study.name for study in whole if not study.bodies]
    gone = f", and nothing of {', '.join(lost)}" if lost else ""
    return f"{file.name} now holds {_counted(kept)} and nothing after them{gone}; the damaged file is {old.name}"


def _alone(file: Path) -> None:
    """Refuse while a worker has the file open: it would go on in the one that is put away."""
    with closing(sqlite3.connect(file, timeout=2.0)) as connection:
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except (sqlite3.Error, UnicodeError) as error:
            if "locked" in str(error):
                hint = "Stop all its runs, pages and scripts, and repair it then."
                raise InvalidStudy("log", str(file), "a log that no process has open", hint) from None


def _free_name(file: Path) -> Path:
    number = 1
    while (name := file.with_name(f"{file.name}.damaged{number}")).exists():
        number += 1
    return name


def _on_a_server(url: str, only: str) -> str:
    with closing(Database(url, "write")) as database, database.transaction() as connection:
        connection.run("LOCK TABLE steerbo_study, steerbo_event, steerbo_lease IN SHARE ROW EXCLUSIVE MODE")
        studies = survey(connection).studies
        bad = tuple(kept for kept in studies if kept.complaint and not kept.later and only in ("", kept.name))
        connection.make(DAMAGED)
        number = 1 + (connection.value("SELECT max(number) FROM steerbo_damaged") or 0)
        columns = ", ".join(EVENTS.columns)
        copy = f"INSERT INTO steerbo_damaged (number, {columns}) SELECT {number}, {columns} FROM steerbo_event"
        for kept in bad:
            connection.run(f"{copy} WHERE study = ?", kept.name)
            for table in TABLES:
                connection.run(f"DELETE FROM {table.name} WHERE study = ?", kept.name)
        write(connection, tuple(kept for kept in bad if kept.bodies))
    lost = [kept.name for kept in bad if not kept.bodies]
    gone = f", and nothing of {', '.join(lost)}" if lost else ""
    kept_there = f"their old content is in the table steerbo_damaged, number {number}"
    return f"the database now holds {_counted(bad)} and nothing after them{gone}; {kept_there}"


def _counted(studies: tuple[StoredStudy, ...]) -> str:
    return ", ".join(f"{counted(len(kept.bodies), 'event')} of {kept.name}" for kept in studies if kept.bodies)
