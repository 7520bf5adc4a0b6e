"""A study's journal: one JSON event a line, on disk before the call that caused it returns."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..errors import InvalidStudy
from ..optimizer import Event
from ..record import from_plain, to_plain

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows: two runs on one journal are not kept apart there
    flock = None  # type: ignore[assignment]


class Journal:
    """A file of events that only grows; one process at a time may hold it.

    Opening it reads what is there. A last line that was cut short (the machine went down while it was written) was
    never acknowledged: it is dropped, and `torn` holds its text.

    Args:
        path: the file; created, with its folders, where it does not exist.

    Raises:
        InvalidStudy: it cannot be opened, another run holds it, or a line is not an event.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn = ""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise self._refusal("a file that can be written", error.strerror or "") from None
        try:
            self._lock()
            self.events: tuple[Any, ...] = tuple(self._read())
        except BaseException:
            self.close()
            raise

    def append(self, event: Event) -> None:
        """Add one event; returns when it is on disk.

        Raises:
            InvalidStudy: it cannot be written; the message holds the event, so that it is not lost.
        """
        line = json.dumps(to_plain(event, Event), allow_nan=False)
        self._write(line)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lock(self) -> None:
        if flock is None:
            return
        try:
            flock(self._file, LOCK_EX | LOCK_NB)
        except OSError:
            raise self._refusal(
                "a journal that no other run is writing", "Wait for it, or name another journal."
            ) from None

    def _read(self) -> list[Event]:
        whole, separator, last = self.path.read_bytes().rpartition(b"\n")
        events = [self._event(i, line) for i, line in enumerate(whole.splitlines(), 1)]
        if last:
            os.truncate(self._file, len(whole) + len(separator))
            try:
                events.append(self._event(len(events) + 1, last))
            except InvalidStudy:
                self.torn = last.decode(errors="replace")
            else:  # only the end of the line was missing
                self._write(last.decode())
        if separator == b"" and not last:
            self._sync_folder()
        return events

    def _event(self, number: int, line: bytes) -> Event:
        place = f"{self.path.name}: line {number}"
        try:
            plain = json.loads(line)
        except ValueError:
            raise InvalidStudy(place, line.decode(errors="replace"), "an event in JSON") from None
        event: Event = from_plain(Event, plain, place, InvalidStudy)
        return event

    def _write(self, line: str) -> None:
        rest = line.encode() + b"\n"
        try:
            while rest:  # one call, unless the disk takes it in pieces
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError as error:
            raise self._refusal("a file that can be written", f"({error.strerror}) Not written: {line}") from None

    def _sync_folder(self) -> None:
        """A new file is durable when its folder is."""
        if os.name == "posix":
            folder = os.open(self.path.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def _refusal(self, allowed: str, hint: str) -> InvalidStudy:
        return InvalidStudy("journal", str(self.path), allowed, hint)
