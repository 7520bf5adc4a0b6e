"""What a long log's first events lead to, in a file of the user's own, so that they need not be folded again.

A snapshot is never the truth. It is used only where the checksums of the log, each made anew from what the log holds,
lead to the very event up to which it was made, and where it was made by the same code on the same wheels. Else it is
thrown away, and all events are folded. What comes out is the same to the last bit: it is the state itself, written
down between two events.

It is a pickle, which runs what it holds: so it is never beside a log that others may have sent, but in the user's own
cache, `$XDG_CACHE_HOME/steerbo` (`~/.cache/steerbo` where that is not set), and only of problems and methods that are
steerbo's own.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import io
import json
import os
import pickle
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from ..record import to_plain
from ..rounds import Amended, Created, Event, Problem
from ..rounds.arithmetic import fingerprint
from ..rounds.fold import Fold
from .database import DatabaseLog, checksum
from .log import EventLog
from .logger import LOGGER
from .pickling import Bounded, OwnPickler, OwnUnpickler

EVERY = 1000
"""Events, and a tenth of all, after which another snapshot is made."""
AGAIN = 20
"""A correction takes as long as so many times fewer new events than there are: some methods begin anew for it."""
UNUSED = 30 * 86400.0
"""Seconds after which one that nobody has used is deleted, when another is made: its study may be gone."""
_FAULTS = (OSError, ValueError, pickle.PickleError, TypeError, AttributeError, ImportError, EOFError, RecursionError)


def cache_folder() -> Path:
    """The user's own folder for what can be computed again."""
    named = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(named) if named else Path("~/.cache").expanduser()) / "steerbo"


class Remembered(list[Event]):
    """All events of a log, and what the first of them lead to: for whoever comes first, since it goes on from there."""

    def __init__(self, events: Iterable[Event], fold: Fold) -> None:
        super().__init__(events)
        self._fold: Fold | None = fold

    def fold(self, problem: Problem | None) -> Fold | None:
        """What all of them lead to; None where it has to be computed."""
        fold, self._fold = self._fold, None
        created = self[0]
        if fold is None or not isinstance(created, Created):
            return None
        if problem is not None and to_plain(problem) != created.problem:
            return None
        fold.check_wheels()
        for event in self[len(fold.events) :]:
            fold.take(event)
        return fold


class Snapshot:
    """The snapshot of one log on this machine.

    Args:
        log: the log; only one in a file or on a server has one.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self.log = log if isinstance(log, DatabaseLog) and not log.private else None
        self.events = 0  # that went into the one that is there
        self._heard = self._corrections = 0  # events that were looked at; corrections among those since

    @property
    def file(self) -> Path | None:
        """Where it is, or would be."""
        if self.log is None:
            return None
        name = f"{self.log.spill.places[-1][1]}{self.log.name}"
        return cache_folder() / f"{hashlib.sha256(name.encode(errors='backslashreplace')).hexdigest()[:24]}.snapshot"

    def read(self) -> list[Event]:
        """All events of the log, which nothing was read of yet; the first of them as the snapshot has them."""
        file, log, fold = self.file, self.log, None
        if file is not None and log is not None and file.exists():
            try:
                fold = self._load(file, log)
            except _FAULTS as error:
                LOGGER.info("the snapshot %s is thrown away: %s", file, error)
                with suppress(OSError):
                    file.unlink()
        if fold is None or log is None:
            return self._log.read()
        LOGGER.debug("the first %d events were read from %s", self.events, file)
        return Remembered([*fold.events, *log.read()], fold)

    def _load(self, file: Path, log: DatabaseLog) -> Fold:
        """What it holds, if the log leads there."""
        with file.open("rb") as opened:
            if hasattr(os, "getuid") and os.fstat(opened.fileno()).st_uid != os.getuid():
                raise ValueError("another user has made it")
            head = json.loads(opened.readline())
            if head["made"] != _made():
                raise ValueError("another version has made it, or other wheels")
            body = opened.read()
        if hashlib.sha256(body).hexdigest() != head["body"]:
            raise ValueError("it is not whole")
        with _uncollected():
            fold = OwnUnpickler(io.BytesIO(body)).load()
        if not isinstance(fold, Fold) or len(fold.events) != head["events"]:
            raise ValueError("it holds something else")
        if not _leads_to(log, head["events"], head["tip"]):
            raise ValueError("the log says otherwise")
        log.seen, log.tip = head["events"], head["tip"]
        with suppress(OSError):
            os.utime(file)  # it was used
        return fold

    def keep(self, fold: Fold) -> None:
        """Make another one, where that is due; nothing depends on it."""
        now, file = len(fold.events), self.file
        self._corrections += _corrections(fold, self._heard)
        self._heard = now
        if self.log is None or file is None or not self._due(now):
            return
        if (others := _events_of(file)) > self.events:  # another worker has made one
            self.events, self._corrections = others, _corrections(fold, others)
        created = fold.events[0]
        ours = isinstance(created, Created) and created.problem_class is None and ":" not in created.method
        if not ours or not fold.whole or self.log.seen != now or not self._due(now):
            return
        self.events, self._corrections = now, 0
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(file, fold)
        except _FAULTS as error:
            LOGGER.info("no snapshot is made: %s", error)

    def stop(self) -> None:
        """Make none any more: what was cut short may have left something half done."""
        self.log = None

    def _due(self, now: int) -> bool:
        return now - self.events + self._corrections * now // AGAIN >= max(EVERY, self.events // 10)

    def _write(self, file: Path, fold: Fold) -> None:
        assert self.log is not None
        body = Bounded()
        OwnPickler(body, protocol=5).dump(fold)
        data = body.getvalue()
        head = {"made": _made(), "events": self.events, "tip": self.log.tip, "body": hashlib.sha256(data).hexdigest()}
        handle, name = tempfile.mkstemp(dir=file.parent)  # for its owner only
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(json.dumps(head).encode() + b"\n")
                opened.write(data)
            os.replace(name, file)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
        for other in file.parent.glob("*.snapshot"):
            with suppress(OSError):
                if time.time() - other.stat().st_mtime > UNUSED:
                    other.unlink()


def _corrections(fold: Fold, since: int) -> int:
    return sum(isinstance(event, Amended) for event in fold.events[since:])


def _events_of(file: Path) -> int:
    """How many events went into a snapshot that can be used here; 0: there is none."""
    try:
        with file.open("rb") as opened:
            head = json.loads(opened.readline())
        return int(head["events"]) if head["made"] == _made() else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _leads_to(log: DatabaseLog, events: int, tip: str) -> bool:
    """Whether the first events of the log end with this checksum, each checked against its predecessor."""
    position, last = 0, ""
    for at, body, noted in islice(log.rows(), events):
        position, last = position + 1, checksum(last, position + 1, str(body))
        if (at, noted) != (position, last):
            return False
    return (position, last) == (events, tip)


@functools.cache
def _made() -> str:
    """What decides what a state is: the wheels, and every file of our own code."""
    package = Path(__file__).parents[1]
    files = sorted((str(file.relative_to(package)), file.stat()) for file in package.rglob("*.py"))
    code = [(name, about.st_size, about.st_mtime_ns) for name, about in files]
    return hashlib.sha256(json.dumps([fingerprint(), str(package), code]).encode()).hexdigest()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Many small things are made, and none is let go of: looking for some to let go of takes most of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
