"""Opening a place: its log, its events, and the optimizer that they lead to."""

from __future__ import annotations

from pathlib import Path

from .._redaction import split_name
from ..core import Created, Event, Optimizer, Problem, problem_of
from ..errors import DamagedLog, InvalidStudy, LogConflict, SteerboError, one_of
from .database import DatabaseLog
from .log import EventLog


def replay(place: str, events: list[Event], problem: Problem | None) -> Optimizer:
    """Replay the events of the log at `place`.

    Raises:
        InvalidStudy: they do not follow from one another, or need a package that is not installed.
    """
    if not events:
        raise InvalidStudy("log", place, "a log with a study in it", "‹new› makes one.")
    created = events[0]
    if not isinstance(created, Created):
        raise DamagedLog(f"{place}: event 1", created, "a 'created' event")
    try:
        return Optimizer.replay(problem_of(created, place, problem), events)
    except InvalidStudy:
        raise
    except SteerboError as error:
        hint = f"It was changed by hand, or by another version ({type(error).__name__}: {error})."
        raise DamagedLog("log", place, "events that follow from one another", hint) from error


def read_events(log: EventLog | Path | str, *, name: str | None = None) -> list[Event]:
    """The events of a study as its log has them: nothing is computed, and no other package imported.

    Args:
        log: an SQLite file, a database URL, or a log.
        name: as for `Study.open`.

    Raises:
        InvalidStudy: there is none, or the log is damaged.
        LogUnavailable: the log cannot be reached.
    """
    log, ours, events = found_log(log, name)
    if ours:
        log.close()
    return events


def found_log(log: EventLog | Path | str, name: str | None) -> tuple[EventLog, bool, list[Event]]:
    """Existing log, whether it was opened here, and its events; the only study where none is named."""
    named = name is not None or (isinstance(log, str) and split_name(log)[1] != "")
    log, ours = log_at(log, "study" if name is None else name, make=False)
    try:
        events = log.read()
        if not events and ours and isinstance(log, DatabaseLog) and (names := log.names()):
            if named or len(names) > 1:
                hint = "Name one after a URL, such as sqlite:///FILE#NAME; in Python, by `name`."
                raise InvalidStudy(f"{log.place}: study", log.name, one_of(names, log.name), hint)
            log.name = names[0]
            events = log.read()
    except BaseException:
        if ours:
            log.close()
        raise
    return log, ours, events


def new_log(log: EventLog | Path | str, name: str, created: Event) -> EventLog:
    """A log that holds this event and no other.

    Raises:
        InvalidStudy: there is a study of this name already.
    """
    log, ours = log_at(log, name)
    try:
        taken = bool(log.read())
        if not taken:
            log.append(created)
    except LogConflict:
        taken = True
    except BaseException:
        if ours:
            log.close()
        raise
    if taken:
        if ours:
            log.close()
        hint = "There is one already: go on with it by ‹open›, or name another log."
        raise InvalidStudy("log", log.place, "a place without a study", hint)
    return log


def log_at(log: EventLog | Path | str, name: str, make: bool = True) -> tuple[EventLog, bool]:
    """A log, and whether it was opened here."""
    if isinstance(log, Path | str):
        return DatabaseLog(log, name, make=make), True
    if not callable(getattr(log, "append", None)) or not callable(getattr(log, "read", None)):
        raise InvalidStudy(
            "log", log, "a file, the URL of a database, or a log such as MemoryLog()"
        )
    return log, False
