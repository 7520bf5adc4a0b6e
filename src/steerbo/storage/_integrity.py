"""Integrity of the studies in a database: how far events follow from one another, and faults after that."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

from .._redaction import split_name
from .._wording import counted
from ..core import Event
from ..core.events import FORMAT, ended_round
from ..errors import InvalidStudy, SteerboError, one_of
from ..records import from_dict, record
from ._drivers import Connection
from .connections import Database
from .database import EVENTS, HEADS, LEASES, checksum
from .log import BY_HAND, Lease

LATER = "Update steerbo to read this log."


@record
class StoredStudy:
    """Intact part of a study.

    Args:
        name: the study's.
        bodies: events that follow from one another, from the first, as text.
        leases: of people, by token, on rounds that are open after these events. Those of processes are not kept:
            the rounds are offered again.
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


@record
class IntegrityReport:
    """Studies in a log's file or database, and faults of the file itself."""

    place: str
    studies: tuple[StoredStudy, ...]
    complaint: str = ""

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.complaint and not any(kept.complaint for kept in self.studies)


def look(place: Path | str) -> IntegrityReport:
    """The studies in an SQLite file or a database, only the one after ``#`` where there is one. Nothing is written.

    Raises:
        InvalidStudy: it is no log, or there is no such study.
    """
    url, only = split_name(str(place))
    for _ in range(5):  # a worker that opens or closes an SQLite file at this moment may disturb us
        before = _state(url)
        try:
            found = _look(url, only)
            if found.sound or _state(url) == before:
                return found
        except InvalidStudy:
            if _state(url) == before:
                raise
    return _look(url, only)


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


def _look(url: str, only: str) -> IntegrityReport:
    with closing(Database(url, "read")) as database, database.snapshot() as connection:
        if connection.kind != "sqlite" and not connection.has(HEADS):
            raise InvalidStudy("log", database.place, "a database with studies in it", "‹new› makes one.")
        found = survey(connection, database.place)
    studies = tuple(kept for kept in found.studies if only in ("", kept.name))
    if not studies and not found.complaint:
        names = [kept.name for kept in found.studies]
        allowed = f"the name of a study there: {one_of(names, only)}" if names else "a log with a study in it"
        raise InvalidStudy("log", f"{database.place}#{only}" if only else database.place, allowed)
    return IntegrityReport(found.place, studies, found.complaint)


def survey(connection: Connection, place: str = "") -> IntegrityReport:
    """All studies that can be seen through a connection."""
    reader = _Reader(connection)
    heads = {row.study: row for row in reader.rows("SELECT study, format, events, tip FROM steerbo_study")}
    leases: dict[Any, dict[str, Lease]] = defaultdict(dict)
    for row in reader.rows("SELECT study, token, holder, until, lapses FROM steerbo_lease"):
        if isinstance(row.token, str) and isinstance(row.holder, str) and isinstance(row.lapses, int):
            leases[row.study][row.token] = Lease(row.holder, None, row.lapses)
    there = {row.study for row in reader.rows("SELECT DISTINCT study FROM steerbo_event")}
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
        self.connection, self.sqlite = connection, connection.kind == "sqlite"
        self.complaint = ""
        self._all: dict[Any, Rows] | None = None

    def rows(self, statement: str, *values: str) -> list[Any]:
        """The rows, up to where it cannot be read."""
        found = []
        try:
            for row in self.connection.run(statement, *values):
                found.append(row)  # noqa: PERF402  # those before an error are kept
        except (sqlite3.Error, UnicodeError) as error:
            if not self.sqlite:
                raise
            self.complaint = self.complaint or f"the file is damaged ({error})"
        return found

    def events(self, name: str) -> Rows:
        """Events of one study, by the index."""
        query = "SELECT position, body, checksum FROM steerbo_event WHERE study = ? ORDER BY position"
        rows: Rows = defaultdict(set)
        for row in self.rows(query, name):
            rows[row.position].add((row.body, row.checksum))
        return rows

    def all_events(self) -> dict[Any, Rows]:
        """Rows of all studies by every way to reach them: by the index, and without it from both ends."""
        if self._all is None:
            self._all = defaultdict(lambda: defaultdict(set))
            table = "SELECT study, position, body, checksum FROM steerbo_event"
            ways = ("ORDER BY study, position", "NOT INDEXED ORDER BY rowid", "NOT INDEXED ORDER BY rowid DESC")
            for way in ways:
                for row in self.rows(f"{table} {way}"):
                    self._all[row.study][row.position].add((row.body, row.checksum))
        return self._all

    def integrity(self) -> str:
        """Faults that SQLite reports of its file; empty where there are none."""
        if not self.sqlite:
            return ""
        said = [str(row[0]) for row in self.rows("PRAGMA integrity_check(3)")]
        return self.complaint or ("" if said == ["ok"] else f"the file is damaged ({'; '.join(said)})")


def _kept(given: Any, head: Any, rows: Rows, leases: dict[str, Lease]) -> StoredStudy:
    name = given if isinstance(given, str) else "a study whose name is lost"  # where it is damaged it may be anything
    name = name.encode(errors="backslashreplace").decode()
    bodies: list[str] = []
    tip = ""
    while (fitting := _fitting(tip, len(bodies) + 1, rows)) is not None:
        body, tip = fitting
        bodies.append(body)
    number, seen = len(bodies), sum(len(found) for found in rows.values())
    if head is not None and isinstance(head.format, int) and head.format > FORMAT:
        said = f"its format is {head.format}, and at most {FORMAT} is known. {LATER}"
        return StoredStudy(name, (), complaint=said, later=True)
    open_rounds, unread = _open(bodies)
    if unread:
        return StoredStudy(name, tuple(bodies), complaint=f"event {unread} is none that is known. {LATER}", later=True)
    complaint = ""
    if seen > number:
        rest = f"{seen - number} that stand after it or in its place are not counted"
        complaint = f"event {number + 1} is missing or does not match its checksum, and {rest}"
    elif head is None and (number or not leases):
        complaint = "its head, which counts the events, is missing"
    elif head is not None and (head.events, head.tip) != (number, tip):
        complaint = f"its head does not match: it counts {counted(head.events, 'event')}"
    elif head is not None and not number:
        complaint = "it has a head, and no event"
    astray = sum(token not in open_rounds for token in leases)
    note = f"{astray} {'lease is' if astray == 1 else 'leases are'} on no open round" if astray else ""
    people = tuple((t, lease) for t, lease in leases.items() if t in open_rounds and lease.holder == BY_HAND)
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


def _open(bodies: list[str]) -> tuple[set[str], int]:
    """Tokens of rounds that are open after these events; and the number of the first that cannot be read, else 0."""
    tokens: set[str] = set()
    for position, body in enumerate(bodies, 1):
        try:
            event: Event = from_dict(Event, json.loads(body), f"event {position}", InvalidStudy)
        except (SteerboError, ValueError, RecursionError):
            return tokens, position
        if event.kind == "asked":
            tokens.add(event.token)
        elif (token := ended_round(event)) is not None:
            tokens.discard(token)
    return tokens, 0


def write(connection: Connection, studies: tuple[StoredStudy, ...]) -> None:
    """Write studies whose names are free, as they would have been written event by event."""
    for kept in studies:
        tip, rows = "", []
        for position, body in enumerate(kept.bodies, 1):
            tip = checksum(tip, position, body)
            rows.append({"study": kept.name, "position": position, "body": body, "checksum": tip})
        head = {"study": kept.name, "format": FORMAT, "events": len(rows), "tip": tip}
        connection.insert(HEADS, head)
        connection.insert(EVENTS, *rows)
        for token, lease in kept.leases:
            connection.insert(LEASES, {"study": kept.name, "token": token, **vars(lease)})
