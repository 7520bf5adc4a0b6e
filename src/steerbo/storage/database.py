"""A log in a database: SQLite (one file, nothing to set up) or PostgreSQL.

Every event is a row with a checksum over its content and its predecessor's checksum; a head row per
study counts them and repeats the last checksum. An append moves the head from the event it was
based on, or is refused: one commit an event.
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

import sqlalchemy as sa
from sqlalchemy import Connection

from .._redaction import split_name
from ..core import Created, Event
from ..core.determinism import uncollected
from ..core.events import FORMAT, ended_round, read_event, read_json
from ..errors import DamagedLog, InvalidStudy, LogConflict, LogUnavailable
from ..records import to_dict
from .connections import DOCTOR, Database
from .log import TURN, Lease, checked_name, checked_place, new_name
from .outbox_files import OutboxFiles

METADATA = sa.MetaData()
"""All tables of a log, and those of keys to it."""


_SHA = sa.String(64)  # SHA-256 in hexadecimal digits


def _study() -> sa.Column[str]:
    return sa.Column("study", sa.String(200), primary_key=True)


def _event() -> tuple[sa.Column[Any], ...]:
    position = sa.Column("position", sa.Integer, primary_key=True)
    body = sa.Column("body", sa.Text, nullable=False)
    return _study(), position, body, sa.Column("checksum", _SHA, nullable=False)


HEADS = sa.Table(
    "steerbo_study",
    METADATA,
    _study(),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("events", sa.Integer, nullable=False),
    sa.Column("tip", _SHA, nullable=False),
)
EVENTS = sa.Table("steerbo_event", METADATA, *_event())
# who evaluates which suggestion, and until when
LEASES = sa.Table(
    "steerbo_lease",
    METADATA,
    _study(),
    sa.Column("token", sa.String(200), primary_key=True),
    sa.Column("holder", sa.Text, nullable=False),
    sa.Column("until", sa.Double),
    sa.Column("lapses", sa.Integer, nullable=False),
)
TABLES = HEADS, EVENTS, LEASES
DAMAGED = sa.Table(
    "steerbo_damaged", METADATA, sa.Column("number", sa.Integer, primary_key=True), *_event()
)
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
    return [*connection.scalars(sa.select(HEADS.c.study).order_by(HEADS.c.study))]


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
        self,
        place: Path | str,
        name: str = "study",
        *,
        make: bool = True,
        opening: float | None = None,
    ) -> None:
        url, after = split_name(checked_place(place))
        self.name = checked_name(after or name)
        self.named = self.name != "study"
        self._database = Database(url, "make" if make else "write", opening)
        self.place = self._database.place
        self._outbox_files = OutboxFiles.of(url, self.name)
        self.seen, self.tip, self._unsure = 0, "", ""
        # the position seen, and events read or written after it, belong together
        self._lock = threading.RLock()
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
            DamagedLog: an event is missing, or another than it was, and still is when all are read
                again.
            InvalidStudy: the log is of a later version.
        """
        with self._lock:
            try:
                found, seen, tip = self._after(self.seen, self.tip)
            # events seen here are no proof of damage: read all again, from the first event
            except DamagedLog:
                events, seen, tip = self._after(0, "")
                if self._tip_at(self.seen) != self.tip:
                    raise
                found = events[self.seen :]
            self.seen, self.tip = seen, tip
            return found

    def _tip_at(self, position: int) -> str:
        """The checksum of an event; empty: there is none."""
        query = sa.select(EVENTS.c.checksum).where(
            EVENTS.c.study == self.name, EVENTS.c.position == position
        )
        with self._database.transaction() as connection:
            return connection.scalar(query) or ""

    def _after(self, seen: int, tip: str) -> tuple[list[Event], int, str]:
        """Events after a number of them, the last with this checksum; the number of events and the checksum now."""
        later = (EVENTS.c.study == HEADS.c.study) & (EVENTS.c.position > seen)
        query = (
            sa.select(
                *HEADS.c["format", "events", "tip"], *EVENTS.c["position", "body", "checksum"]
            )
            .select_from(HEADS.outerjoin(EVENTS, later))
            .where(HEADS.c.study == self.name)
            .order_by(EVENTS.c.position)
        )
        # one statement: head and events of one moment
        with self._database.transaction() as connection:
            rows = connection.execute(query).all()
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
                if row.position != seen + 1 or row.checksum != checksum(
                    tip, row.position, str(row.body)
                ):
                    raise self._damage(
                        f"event {seen + 1}", row.body, "an event that matches its checksum"
                    )
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
        if self._tip_at(position) != tip:
            return False
        if lease is None or event.kind != "asked":
            return True
        held = self.leases().get(event.token)
        return held is not None and held.holder == lease.holder

    def _write(
        self, rows: Sequence[Mapping[str, Any]], events: Sequence[Event], lease: Lease | None
    ) -> None:
        count, tip = rows[-1]["position"], rows[-1]["checksum"]
        head = {"format": FORMAT, "events": count, "tip": tip}
        based_on = (
            (HEADS.c.study == self.name) & (HEADS.c.events == self.seen) & (HEADS.c.tip == self.tip)
        )
        with self._database.transaction("\n".join(row["body"] for row in rows)) as connection:
            if not self.seen:
                connection.execute(HEADS.insert(), {"study": self.name, **head})
            elif connection.execute(HEADS.update().where(based_on).values(head)).rowcount != 1:
                raise LogConflict(f"event {self.seen + 1} of {self.place} is another worker's")
            connection.execute(EVENTS.insert(), rows)
            if lease is not None and (asked := events[-1]).kind == "asked":
                connection.execute(
                    LEASES.insert(), {"study": self.name, "token": asked.token, **vars(lease)}
                )
            for token in filter(None, map(ended_round, events)):
                connection.execute(LEASES.delete().where(self._lease_on(token)))

    def _lease_on(self, token: str) -> sa.ColumnElement[bool]:
        return (LEASES.c.study == self.name) & (LEASES.c.token == token)

    def names(self) -> list[str]:
        """Names of all studies in this database."""
        with self._database.transaction() as connection:
            return study_names(connection)

    def snapshot(self) -> AbstractContextManager[Connection]:
        """See `Database.snapshot`."""
        return self._database.snapshot()

    def leases(self) -> dict[str, Lease]:
        """Leases by token."""
        query = sa.select(*LEASES.c["token", "holder", "until", "lapses"]).where(
            LEASES.c.study == self.name
        )
        with self._database.transaction() as connection:
            rows = connection.execute(query).all()
        return {token: Lease(holder, until, lapses) for token, holder, until, lapses in rows}

    def claim(self, token: str, lease: Lease | None, instead_of: Lease | None) -> bool:
        """Compare and swap in one statement. The queue need not survive a crash of the machine, so it is not synced."""
        try:
            with self._database.transaction(fleeting=token == TURN) as connection:
                if instead_of is None:
                    if lease is not None:
                        connection.execute(
                            LEASES.insert(), {"study": self.name, "token": token, **vars(lease)}
                        )
                    return True
                same = self._lease_on(token)
                for name, value in vars(instead_of).items():
                    same &= LEASES.c[name].is_not_distinct_from(value)
                change = LEASES.delete() if lease is None else LEASES.update().values(vars(lease))
                return connection.execute(change.where(same)).rowcount == 1
        except LogConflict:
            return False

    def renew(self, holder: str, until: float) -> None:
        """Leases of `holder` last until then."""
        mine = (
            (LEASES.c.study == self.name)
            & (LEASES.c.holder == holder)
            & LEASES.c.until.is_not(None)
        )
        with self._database.transaction() as connection:
            connection.execute(LEASES.update().where(mine).values(until=until))

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
