"""Examination and repair of the studies of a log: how far events follow from one another, and faults after that."""

from __future__ import annotations

import sqlite3
import warnings
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from .._redaction import split_name
from .._wording import counted
from ..core import Created, Event, KeptFile
from ..core.events import FORMAT, ended_round, read_event, read_json
from ..core.optimizer import problem_of
from ..core.state import StudyState
from ..errors import InvalidStudy, SteerboError, one_of
from ..records import Record, record
from .connections import Database, has, make
from .database import DAMAGED, EVENTS, HEADS, LEASES, TABLES, checksum, study_names
from .kept_files import FOLDER, FilesFolder, files_in
from .log import BY_HAND, Lease

_SHOWN = 5  # names of files in a line
LATER = "Update steerbo to read this log."


@record
class StoredStudy:
    """Intact part of a study.

    Args:
        name: the study's.
        bodies: events that follow from one another, from the first, as text.
        leases: of people, by token, on rounds that are open after these events. Leases of processes
            are not kept: the rounds are offered again.
        complaint: the fault after these events; empty: none.
        note: an oddity that does no harm.
        later: whether only a later version can read it.
    """

    name: str
    bodies: tuple[str, ...]
    leases: tuple[tuple[str, Lease], ...] = ()
    complaint: str = ""
    note: str = ""
    later: bool = False

    @property
    def events(self) -> int:
        """Number of events that follow from one another, from the first."""
        return len(self.bodies)

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.name}: {counted(self.events, 'event')}; {self.complaint or 'every checksum is right'}{note}"

    @property
    def files(self) -> list[tuple[str, KeptFile]]:
        """Files that its events name, with the tokens of the rounds or data that they belong to."""
        named = [body for body in self.bodies if '"sha256"' in body]
        return [*files_in(_events(named)[0])]


@record
class FileFault(Record):
    """File that is not as it was kept: of which study, of which round or data, and whether it is missing or changed."""

    study: str
    token: str
    name: str
    sha256: str
    fault: str


@record
class IntegrityReport:
    """Findings on a log.

    Args:
        place: its file or database.
        studies: all of them, or the one that was asked for.
        complaint: the fault of the file itself; empty: none.
        repaired: the repair; empty: none.
        folder: where files beside remarks are kept; empty: nowhere.
        named: number of files that the studies name.
        files: those of them that are missing or changed: the studies go on without them.
        unnamed: those that no study names, as a kill leaves them; they can be deleted.
    """

    place: str
    studies: tuple[StoredStudy, ...]
    complaint: str = ""
    repaired: str = ""
    folder: str = ""
    named: int = 0
    files: tuple[FileFault, ...] = ()
    unnamed: tuple[str, ...] = ()

    @property
    def damaged(self) -> bool:
        """Whether anything is wrong, or was before it was repaired."""
        return bool(self.complaint) or any(study.complaint for study in self.studies)

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.complaint}" if self.complaint else self.place]
        lines += [f"  {study}" for study in self.studies]
        where = f"in {self.folder}" if self.folder else f"here: {FOLDER} names no folder"
        lines += [
            f"  {each.study}, {each.token}: {each.name} is {each.fault} {where} ({each.sha256})"
            for each in self.files
        ]
        if self.named and not self.files:
            lines.append(f"  {counted(self.named, 'file')} {where}; every checksum is right")
        if self.unnamed:
            some = ", ".join(self.unnamed[:_SHOWN]) + ", …" * (len(self.unnamed) > _SHOWN)
            number = counted(len(self.unnamed), "file")
            lines.append(
                f"  {number} {where} that no study uses; delete them unless one is being sent now: {some}"
            )
        return "\n".join([*lines, *([self.repaired] if self.repaired else [])])


def diagnose(place: Path | str) -> IntegrityReport:
    """Examine a log, and load every study of it as a worker does: its notes name the fits that cannot be used."""
    found = examine(place)
    studies = [
        kept if kept.complaint else replace(kept, note=_joined(kept.note, _unusable(kept)))
        for kept in found.studies
    ]
    folder = FilesFolder.of(place)
    named = [(kept.name, *file) for kept in found.studies for file in kept.files]
    faults = [
        FileFault(study, token, file.name, file.sha256, fault)
        for study, token, file in named
        if (fault := folder.fault(file))
    ]
    # of a part of a log, or of one that is read in part, the names in the rest are unknown
    whole = folder.own and not found.damaged and not split_name(str(place))[1]
    unnamed = folder.named().keys() - {file.sha256 for *_, file in named} if whole else ()
    return replace(
        found,
        studies=tuple(studies),
        folder=str(folder.folder or ""),
        named=len(named),
        files=tuple(faults),
        unnamed=tuple(sorted(unnamed)),
    )


def _joined(note: str, more: list[str]) -> str:
    return "; ".join([note, *more] if note else more)


def examine(place: Path | str) -> IntegrityReport:
    """Read every event of every study in a log, and compare the checksums. Nothing is written.

    Args:
        place: an SQLite file or a database's URL; with ``#name``, only this study.

    Raises:
        InvalidStudy: there is no log, or no such study.
    """
    url, only = split_name(str(place))
    for _ in range(5):  # a worker that opens or closes an SQLite file at this moment may disturb us
        before = _state(url)
        try:
            found = _examined(url, only)
            if not found.damaged or _state(url) == before:
                return found
        except InvalidStudy:
            if _state(url) == before:
                raise
    return _examined(url, only)


def _state(url: str) -> list[tuple[int, int] | None]:
    files = [Path(url + ending) for ending in ("", "-wal")] if "://" not in url else []
    found: list[tuple[int, int] | None] = []
    for file in files:
        try:
            stat = file.stat()
            found.append((stat.st_size, stat.st_mtime_ns))
        except OSError:
            found.append(None)
    return found


def _examined(url: str, only: str) -> IntegrityReport:
    with closing(Database(url, "read")) as database, database.snapshot() as connection:
        if connection.dialect.name != "sqlite" and not has(connection, HEADS):
            raise InvalidStudy(
                "log", database.place, "a database with studies in it", "‹new› makes one."
            )
        found = survey(connection, database.place)
    studies = tuple(kept for kept in found.studies if only in ("", kept.name))
    if not studies and not found.complaint:
        names = [kept.name for kept in found.studies]
        allowed = (
            f"the name of a study there: {one_of(names, only)}"
            if names
            else "a log with a study in it"
        )
        raise InvalidStudy("log", f"{database.place}#{only}" if only else database.place, allowed)
    return IntegrityReport(found.place, studies, found.complaint)


def survey(connection: Connection, place: str = "") -> IntegrityReport:
    """All studies that can be seen through a connection."""
    reader = _Reader(connection)
    heads = {row.study: row for row in reader.rows(sa.select(HEADS))}
    leases: dict[Any, dict[str, Lease]] = defaultdict(dict)
    for row in reader.rows(sa.select(LEASES)):
        if (
            isinstance(row.token, str)
            and isinstance(row.holder, str)
            and isinstance(row.lapses, int)
        ):
            leases[row.study][row.token] = Lease(row.holder, None, row.lapses)
    there = {row.study for row in reader.rows(sa.select(EVENTS.c.study).distinct())}
    studies = []
    for name in sorted(there | heads.keys() | leases.keys(), key=str):
        kept = _kept(name, heads.get(name), reader.events(name), leases[name])
        if kept.complaint and not kept.later and reader.sqlite:
            kept = _kept(name, heads.get(name), reader.all_events()[name], leases[name])
        studies.append(kept)
    return IntegrityReport(place, tuple(studies), reader.complaint or reader.integrity())


Rows = dict[Any, set[tuple[Any, Any]]]
"""Bodies and checksums by position; several where a damaged file has a row more than once."""


class _Reader:
    """Reads as far as it goes: a damaged SQLite file ends some queries early, and not others."""

    def __init__(self, connection: Connection) -> None:
        self.connection, self.sqlite = connection, connection.dialect.name == "sqlite"
        self.complaint = ""
        self._all: dict[Any, Rows] | None = None

    def rows(self, statement: sa.Executable) -> list[Any]:
        """The rows, up to where it cannot be read."""
        found = []
        try:
            for row in self.connection.execute(statement):
                found.append(row)  # noqa: PERF402  # those before an error are kept
        except (DBAPIError, UnicodeError) as error:
            if not self.sqlite:
                raise
            self.complaint = (
                self.complaint or f"the file is damaged ({getattr(error, 'orig', error)})"
            )
        return found

    def events(self, name: str) -> Rows:
        """Events of one study, by the index."""
        rows: Rows = defaultdict(set)
        for row in self.rows(
            sa.select(EVENTS).where(EVENTS.c.study == name).order_by(EVENTS.c.position)
        ):
            rows[row.position].add((row.body, row.checksum))
        return rows

    def all_events(self) -> dict[Any, Rows]:
        """Rows of all studies by every way to reach them: by the index, and without it from both ends."""
        if self._all is None:
            self._all = defaultdict(lambda: defaultdict(set))
            table = "SELECT study, position, body, checksum FROM steerbo_event"
            ways = (
                "ORDER BY study, position",
                "NOT INDEXED ORDER BY rowid",
                "NOT INDEXED ORDER BY rowid DESC",
            )
            for way in ways:
                for row in self.rows(sa.text(f"{table} {way}").columns(*EVENTS.c)):
                    self._all[row.study][row.position].add((row.body, row.checksum))
        return self._all

    def integrity(self) -> str:
        """Faults that SQLite reports of its file; empty where there are none."""
        if not self.sqlite:
            return ""
        said = [str(row[0]) for row in self.rows(sa.text("PRAGMA integrity_check(3)"))]
        return self.complaint or (
            "" if said == ["ok"] else f"the file is damaged ({'; '.join(said)})"
        )


def _kept(given: Any, head: Any, rows: Rows, leases: dict[str, Lease]) -> StoredStudy:
    # where it is damaged it may be anything
    name = given if isinstance(given, str) else "a study whose name is lost"
    name = name.encode(errors="backslashreplace").decode()
    bodies: list[str] = []
    tip = ""
    while (fitting := _fitting(tip, len(bodies) + 1, rows)) is not None:
        body, tip = fitting
        bodies.append(body)
    number, seen = len(bodies), sum(len(found) for found in rows.values())
    if head is not None and isinstance(head.format, int) and head.format != FORMAT:
        said = f"its format is {head.format}, and {FORMAT} is known. {LATER}"
        return StoredStudy(name, (), complaint=said, later=True)
    events, unread = _events(bodies)
    if unread:
        return StoredStudy(name, tuple(bodies), complaint=unread, later=True)
    open_rounds = _open(events)
    complaint = ""
    if seen > number:
        rest = f"{seen - number} from there on cannot be used"
        complaint = f"event {number + 1} is missing or does not match its checksum, and {rest}"
    elif head is None and (number or not leases):
        complaint = "its head, which counts the events, is missing"
    elif head is not None and (head.events, head.tip) != (number, tip):
        complaint = "its head does not match"
        if head.events is not None:
            complaint += f": it counts {counted(head.events, 'event')}"
    elif head is not None and not number:
        complaint = "it has a head, and no event"
    astray = sum(token not in open_rounds for token in leases)
    note = ""
    if astray:
        note = f"{astray} {'lease belongs' if astray == 1 else 'leases belong'} to no open round"
    people = tuple(
        (t, lease) for t, lease in leases.items() if t in open_rounds and lease.holder == BY_HAND
    )
    return StoredStudy(name, tuple(bodies), people, complaint, note)


def _fitting(tip: str, position: int, rows: Rows) -> tuple[str, str] | None:
    """The body at a position that matches its checksum after `tip`, and that checksum."""
    for body, stands in rows.get(position, ()):
        try:
            if isinstance(body, str) and stands == checksum(tip, position, body):
                return body, stands
        except UnicodeEncodeError:  # bytes that are no text
            continue
    return None


def _events(bodies: Sequence[str]) -> tuple[list[Event], str]:
    """The events of a study up to the first that cannot be read, and its fault; empty: all can be read."""
    events: list[Event] = []
    for position, body in enumerate(bodies, 1):
        try:
            events.append(read_event(read_json(body), f"event {position}"))
        except SteerboError as error:
            return (
                events,
                f"event {position} cannot be read: {error} If a later version wrote it: {LATER}",
            )
        except (ValueError, RecursionError):
            return events, f"event {position} is not JSON"
    return events, ""


def _unusable(kept: StoredStudy) -> list[str]:
    """Events of a study that can be read and not used, a clause each."""
    events, _ = _events(kept.bodies)
    if not events or not isinstance(events[0], Created) or events[0].problem is None:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            state = StudyState.from_events(problem_of(events[0], "event 1"), events)
    except SteerboError as error:
        return [f"it cannot be loaded here: {error}"]
    return [
        f"the fit of event {k} cannot be used and is made again: {said}"
        for k, said in state.unread.items()
    ]


def _open(events: list[Event]) -> set[str]:
    """Tokens of the rounds that are open after these events."""
    tokens: set[str] = set()
    for event in events:
        if event.kind == "asked":
            tokens.add(event.token)
        elif (token := ended_round(event)) is not None:
            tokens.discard(token)
    return tokens


def write(connection: Connection, studies: tuple[StoredStudy, ...]) -> None:
    """Write studies whose names are free, as they would have been written event by event."""
    for kept in studies:
        tip, rows = "", []
        for position, body in enumerate(kept.bodies, 1):
            tip = checksum(tip, position, body)
            rows.append({"study": kept.name, "position": position, "body": body, "checksum": tip})
        head = {"study": kept.name, "format": FORMAT, "events": len(rows), "tip": tip}
        connection.execute(HEADS.insert(), head)
        connection.execute(EVENTS.insert(), rows)
        for token, lease in kept.leases:
            connection.execute(LEASES.insert(), {"study": kept.name, "token": token, **vars(lease)})


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


def repair(place: Path | str) -> IntegrityReport:
    """Keep of every damaged study the events that are whole, and all the others as they are.

    An SQLite file is written anew, and the damaged one is kept beside it. On a server the damaged
    studies' events are kept in the table ``steerbo_damaged``. Leases of processes are forgotten:
    their rounds are offered again. A log that is whole is left alone.

    Raises:
        InvalidStudy: there is no log, nothing of it can be read, a worker has it open, or it is of
            a later version.
    """
    found = examine(place)
    if not found.damaged:
        return found
    for kept in found.studies:
        if kept.later:
            raise InvalidStudy(
                f"{found.place}: {kept.name}", kept.complaint, "a study of this version"
            )
    if not any(kept.bodies for kept in found.studies):
        hint = f"({found.complaint or found.studies[0].complaint}.) `steerbo restore` brings back a backup."
        raise InvalidStudy("log", found.place, "a log with an event that can be read", hint)
    url, only = split_name(str(place))
    if "://" in url and not url.startswith("sqlite"):
        return replace(found, repaired=_on_a_server(url, only))
    return replace(found, repaired=_in_a_file(Path(url.removeprefix("sqlite:///"))))


def _in_a_file(file: Path) -> str:
    _alone(file)
    fresh, old = file.with_name(file.name + ".repaired"), _free_name(file)
    fresh.unlink(missing_ok=True)
    whole = examine(file).studies  # of all names, and after the last worker has let go
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
                raise InvalidStudy(
                    "log", str(file), "a log that no process has open", hint
                ) from None


def _free_name(file: Path) -> Path:
    number = 1
    while (name := file.with_name(f"{file.name}.damaged{number}")).exists():
        number += 1
    return name


def _on_a_server(url: str, only: str) -> str:
    with closing(Database(url, "write")) as database, database.transaction() as connection:
        connection.exec_driver_sql(
            "LOCK TABLE steerbo_study, steerbo_event, steerbo_lease IN SHARE ROW EXCLUSIVE MODE"
        )
        studies = survey(connection).studies
        bad = tuple(
            kept
            for kept in studies
            if kept.complaint and not kept.later and only in ("", kept.name)
        )
        make(connection, DAMAGED)
        number = 1 + (connection.scalar(sa.select(sa.func.max(DAMAGED.c.number))) or 0)
        for kept in bad:
            old = sa.select(sa.literal(number), EVENTS).where(EVENTS.c.study == kept.name)
            connection.execute(DAMAGED.insert().from_select(DAMAGED.c.keys(), old))
            for table in TABLES:
                connection.execute(table.delete().where(table.c.study == kept.name))
        write(connection, tuple(kept for kept in bad if kept.bodies))
    lost = [kept.name for kept in bad if not kept.bodies]
    gone = f", and nothing of {', '.join(lost)}" if lost else ""
    kept_there = f"their old content is in the table steerbo_damaged, number {number}"
    return f"the database now holds {_counted(bad)} and nothing after them{gone}; {kept_there}"


def _counted(studies: tuple[StoredStudy, ...]) -> str:
    return ", ".join(
        f"{counted(len(kept.bodies), 'event')} of {kept.name}" for kept in studies if kept.bodies
    )
