"""A log in a database: SQLite (one file, nothing to set up) or PostgreSQL.

Every event is a row with a checksum over its content and its predecessor's checksum; a head row per study counts them
and repeats the last checksum. An append moves the head from the event it was based on, or is refused: one commit an
event.
A table of leases holds the rounds that are being evaluated.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._redaction import split_name
from ..core import Created, Event
from ..core.determinism import uncollected
from ..core.events import FORMAT, ended_round, read_event, read_json
from ..errors import DamagedLog, InvalidStudy, LogConflict, LogUnavailable
from ..records import to_dict
from ._drivers import Connection, Table
from .connections import DOCTOR, Database
from .log import TURN, Lease, checked_name, checked_place, new_name
from .outbox_files import OutboxFiles

HEADS = Table(
    "steerbo_study", {"study": "VARCHAR(200)", "format": "INTEGER", "events": "INTEGER", "tip": "VARCHAR(64)"}
)
_EVENT = {"study": "VARCHAR(200)", "position": "INTEGER", "body": "TEXT", "checksum": "VARCHAR(64)"}
EVENTS = Table("steerbo_event", _EVENT, keys=2)
LEASES = Table(
    "steerbo_lease",
    {
        "study": "VARCHAR(200)",
        "token": "VARCHAR(200)",
        "holder": "TEXT",
        "until": "DOUBLE PRECISION",
        "lapses": "INTEGER",
    },
    keys=2,
    nullable=("until",),
)
TABLES = HEADS, EVENTS, LEASES
DAMAGED = Table("steerbo_damaged", {"number": "INTEGER", **_EVENT}, keys=3)
"""Events of studies on a server before they were repaired, the first repair's with number 1; made only then."""


CHECKED = 1
"""The way in which checksums are made."""


def body_of(event: Event) -> str:
    """An event as one line of JSON: equal events have equal bytes."""
    return json.dumps(to_dict(event, Event), sort_keys=True, separators=(",", ":"), allow_nan=False)


def writable(event: Event) -> str:
    """The same, where it is all there is to know of the event.

    Raises:
        InvalidStudy: it has a Python function, or needs a class that cannot be found again.
    """
    if isinstance(event, Created):
        if event.problem is None:
            hint = "Keep this study in memory, or use a record."
            raise InvalidStudy("problem", "a Python function", "data that can be written", hint)
        for field, place in (("method", event.method), ("problem", event.problem_class or "")):
            if "<locals>" in place:
                hint = "It was made inside a function: move it to the top of a module, or keep this study in memory."
                raise InvalidStudy(field, place, "a class that is found again", hint)
    return body_of(event)


def checksum(before: str, position: int, body: str) -> str:
    """SHA-256 over an event, its place and its predecessor's checksum."""
    return hashlib.sha256(f"{CHECKED}\n{before}\n{position}\n{body}".encode()).hexdigest()


def study_names(connection: Connection) -> list[str]:
    """Names of the studies in a database, sorted."""
    return connection.column("SELECT study FROM steerbo_study ORDER BY study")


class DatabaseLog:
    """One worker's connection to a study's log; see `EventLog`.

    Args:
        place: an SQLite file, or a database URL such as ``postgresql://user@host/database#name``.
        name: the study's name in that database, where the URL does not say.
        make: whether a log that is not there is made; else nothing is.
        opening: seconds to wait for a server that cannot be reached at first; None: ten.

    Raises:
        InvalidStudy: it cannot be opened, or no study is called so.
        MissingExtra: the database's driver is not installed.
    """

    private = False

    def __init__(
        self, place: Path | str, name: str = "study", *, make: bool = True, opening: float | None = None
    ) -> None:
        url, after = split_name(checked_place(place))
        self.name = checked_name(after or name)
        self.named = self.name != "study"
        self._database = Database(url, "make" if make else "write", opening)
        self.place = self._database.place
        self._outbox_files = OutboxFiles.of(url, self.name)
        self.seen, self.tip, self._unsure = 0, "", ""
        self._lock = threading.RLock()  # what was seen, and what is read or written after that, belong together
        try:
            if make:
                self._database.make(*TABLES)
            elif not self._database.has(HEADS):
                raise InvalidStudy("log", self.place, "a study's log", "‹new› makes one.")
        except BaseException:
            self.close()
            raise

    @property
    def outbox_files(self) -> OutboxFiles:
        """Files of outcomes that the log does not have yet."""
        return replace(self._outbox_files, study=self.name)

    def read(self) -> list[Event]:
        """The events that are new, each checked against its predecessor.

        Raises:
            DamagedLog: an event is missing, or another than it was, and still is when all are read again.
            InvalidStudy: the log is of a later version.
        """
        with self._lock:
            try:
                found, seen, tip = self._after(self.seen, self.tip)
            except DamagedLog:  # nothing is accused for what was seen here: all of it again, from the first event
                events, seen, tip = self._after(0, "")
                if self._tip_at(self.seen) != self.tip:
                    raise
                found = events[self.seen :]
            self.seen, self.tip = seen, tip
            return found

    def _tip_at(self, position: int) -> str:
        """The checksum of an event; empty: there is none."""
        query = "SELECT checksum FROM steerbo_event WHERE study = ? AND position = ?"
        with self._database.transaction() as connection:
            return connection.value(query, self.name, position) or ""

    def _after(self, seen: int, tip: str) -> tuple[list[Event], int, str]:
        """Events after a number of them, the last with this checksum; the number of events and the checksum now."""
        query = (
            "SELECT format, events, tip, position, body, checksum FROM steerbo_study"
            " LEFT JOIN steerbo_event ON steerbo_event.study = steerbo_study.study AND position > ?"
            " WHERE steerbo_study.study = ? ORDER BY position"
        )
        with self._database.transaction() as connection:  # one statement: head and events of one moment
            rows = connection.rows(query, seen, self.name)
        if not rows:
            if seen:
                raise self._damage("study", None, f"the study whose {seen} events were read before")
            return [], 0, ""
        head = rows[0]
        if head.format != FORMAT:
            hint = "Update steerbo to read this log."
            raise InvalidStudy(f"{self.place}: format", head.format, str(FORMAT), hint)
        found: list[Event] = []
        with uncollected():
            for row in rows if head.position is not None else []:
                if row.position != seen + 1 or row.checksum != checksum(tip, row.position, str(row.body)):
                    raise self._damage(f"event {seen + 1}", row.body, "an event that matches its checksum")
                found.append(self.event(row.position, row.body))
                seen, tip = row.position, row.checksum
        if (head.events, head.tip) != (seen, tip):
            raise self._damage("events", seen, f"the {head.events} events that the log once had")
        return found, seen, tip

    def append(self, event: Event, lease: Lease | None = None) -> None:
        """Add one event after those seen: see `extend`."""
        self.extend([event], lease)

    def extend(self, events: Sequence[Event], lease: Lease | None = None) -> None:
        """Add some events after those seen, and a lease on the last one's round: one transaction, one commit.

        A connection that is lost may be lost after the commit: the same call again looks first.
        """
        with self._lock:
            self._extend(events, lease)

    def _extend(self, events: Sequence[Event], lease: Lease | None) -> None:
        if not self.seen:
            new_name(self.name)
        rows, tip = list[dict[str, Any]](), self.tip
        for position, event in enumerate(events, self.seen + 1):
            body = writable(event)
            tip = checksum(tip, position, body)
            rows.append({"study": self.name, "position": position, "body": body, "checksum": tip})
        if self._unsure != tip or not self._stands(rows[-1]["position"], tip, events[-1], lease):
            try:
                self._write(rows, events, lease)
            except LogUnavailable:
                self._unsure = tip
                raise
        self.seen, self.tip, self._unsure = rows[-1]["position"], tip, ""

    def _stands(self, position: int, tip: str, event: Event, lease: Lease | None) -> bool:
        """Whether an event was added after all, by us: workers may choose alike, but only one gets the lease."""
        ours = "SELECT position FROM steerbo_event WHERE study = ? AND position = ? AND checksum = ?"
        with self._database.transaction() as connection:
            if not connection.rows(ours, self.name, position, tip):
                return False
        if lease is None or event.kind != "asked":
            return True
        held = self.leases().get(event.token)
        return held is not None and held.holder == lease.holder

    def _write(self, rows: Sequence[Mapping[str, Any]], events: Sequence[Event], lease: Lease | None) -> None:
        count, tip = rows[-1]["position"], rows[-1]["checksum"]
        move = "UPDATE steerbo_study SET format = ?, events = ?, tip = ? WHERE study = ? AND events = ? AND tip = ?"
        with self._database.transaction("\n".join(row["body"] for row in rows)) as connection:
            if not self.seen:
                connection.insert(HEADS, {"study": self.name, "format": FORMAT, "events": count, "tip": tip})
            elif connection.change(move, FORMAT, count, tip, self.name, self.seen, self.tip) != 1:
                raise LogConflict(f"event {self.seen + 1} of {self.place} is another worker's")
            connection.insert(EVENTS, *rows)
            if lease is not None and (asked := events[-1]).kind == "asked":
                connection.insert(LEASES, {"study": self.name, "token": asked.token, **vars(lease)})
            for token in filter(None, map(ended_round, events)):
                connection.run("DELETE FROM steerbo_lease WHERE study = ? AND token = ?", self.name, token)

    def names(self) -> list[str]:
        """Names of all studies in this database."""
        with self._database.transaction() as connection:
            return study_names(connection)

    def snapshot(self) -> AbstractContextManager[Connection]:
        """See `Database.snapshot`."""
        return self._database.snapshot()

    def leases(self) -> dict[str, Lease]:
        """Leases by token."""
        query = "SELECT token, holder, until, lapses FROM steerbo_lease WHERE study = ?"
        rows = self._database.glance(query, self.name)
        return {token: Lease(holder, until, lapses) for token, holder, until, lapses in rows}

    def claim(self, token: str, lease: Lease | None, instead_of: Lease | None) -> bool:
        """Compare and swap in one statement. The queue need not survive a crash of the machine, so it is not synced."""
        try:
            with self._database.transaction(fleeting=token == TURN) as connection:
                if instead_of is None:
                    if lease is not None:
                        connection.insert(LEASES, {"study": self.name, "token": token, **vars(lease)})
                    return True
                same = {"study": self.name, "token": token, **vars(instead_of)}
                where = " AND ".join(
                    f"{name} IS NULL" if value is None else f"{name} = ?" for name, value in same.items()
                )
                held = [value for value in same.values() if value is not None]
                if lease is None:
                    return connection.change(f"DELETE FROM steerbo_lease WHERE {where}", *held) == 1
                change = f"UPDATE steerbo_lease SET {', '.join(f'{name} = ?' for name in vars(lease))} WHERE {where}"
                return connection.change(change, *vars(lease).values(), *held) == 1
        except LogConflict:
            return False

    def renew(self, holder: str, until: float) -> None:
        """Leases of `holder` last until then."""
        mine = "UPDATE steerbo_lease SET until = ? WHERE study = ? AND holder = ? AND until IS NOT NULL"
        with self._database.transaction() as connection:
            connection.run(mine, until, self.name, holder)

    def now(self) -> float:
        """Seconds since 1970 by the database's clock; see `Database`."""
        return self._database.clock()

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    def event(self, position: int, body: str) -> Event:
        """An event from its text."""
        try:
            return read_event(read_json(body), f"{self.place}: event {position}")
        except (json.JSONDecodeError, RecursionError):
            raise self._damage(f"event {position}", body, "an event in JSON") from None

    def _damage(self, field: str, value: object, allowed: str) -> DamagedLog:
        return DamagedLog(f"{self.place}: {field}", value, allowed, DOCTOR)
