"""Interface of logs: events in one order, and leases on the rounds that are being evaluated; and the log that waits.

Events are history and never change. A lease says who evaluates a round just now; it is not part of
the history, so that a run that was killed and resumed leaves the same events as one that was not.

Studies and runs write to Python's logging under the name ``steerbo.study``: warnings for the user
(a failed round, an unreachable log), one line a round at INFO, every step at DEBUG, and never a
secret. Python prints warnings to standard error where a program does not configure logging. Where
an observer or `say` is given, it gets the warnings instead.
"""

from __future__ import annotations

import logging
import os
import platform
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from .._text import as_name, unsafe
from ..core import Event
from ..errors import InvalidStudy, LogUnavailable
from .outbox_files import OutboxFiles

T = TypeVar("T")
LOGGER = logging.getLogger("steerbo.study")
LONGEST_NAME = 200
"""Characters of a study's name."""
BY_HAND = "by hand"
"""The holder of rounds that people evaluate: only they can say that they have stopped."""
TURN = "turn"
"""The token of the line of workers, among those of rounds, which begin with a number; see `FairQueue`."""


@dataclass(frozen=True)
class Lease:
    """Lease of a round: the worker that evaluates it, and until when.

    Args:
        holder: a name from `new_holder`, or `BY_HAND`.
        until: when it runs out, in seconds since 1970; None: not while its holder lives.
        lapses: how often a lease on this round has run out.
    """

    holder: str
    until: float | None = None
    lapses: int = 0

    def ran_out(self, now: float) -> bool:
        """Whether its time is over."""
        return self.until is not None and self.until < now


class EventLog(Protocol):
    """Keeps the events of one study, for any number of workers; each worker has its own `EventLog`.

    It remembers how many events its worker has seen: `append` is based on these, and refused if
    others came between. Any call may raise `LogUnavailable`, and then be made again.

    Args:
        place: its name for people.
        private: whether no other process sees it.
        named: whether its study was asked for by name.
        outbox_files: where answers wait that it has not taken.
    """

    place: str
    private: bool
    named: bool

    @property
    def outbox_files(self) -> OutboxFiles:
        """Where."""

    def read(self) -> list[Event]:
        """The events since the last `read` or `append`, in order; now they are seen."""

    def append(self, event: Event, lease: Lease | None = None) -> None:
        """Add one event after those seen, and a lease on its round; returns when both are durable.

        An event that ends a round ends its lease.

        Raises:
            LogConflict: there are events that were not seen. Nothing is added.
            LogUnavailable: it is unknown whether it was added. The same call again adds it once.
            InvalidStudy: it cannot be written. Nothing is added.
        """

    def extend(self, events: Sequence[Event]) -> None:
        """Add some events after those seen, at least one, as `append` does: all of them, or none."""

    def leases(self) -> dict[str, Lease]:
        """Leases by token."""

    def claim(self, token: str, lease: Lease | None, instead_of: Lease | None) -> bool:
        """Put `lease` in the place of exactly `instead_of` (None: there is none); whether that went well."""

    def renew(self, holder: str, until: float) -> None:
        """Let all leases of `holder` that have an end last until then."""

    def now(self) -> float:
        """Seconds since 1970 by a clock that all its workers share."""

    def close(self) -> None:
        """Close files and connections."""


@cache
def _here(process: int) -> str:
    """Machine of a process since its last start, and its PID namespace: in it a number names one process."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{platform.node()}|{boot}|{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return f"{platform.node()}||"


def _started(process: int) -> str | None:
    """Start time of a process of this machine; None: it cannot be seen; empty: it has ended."""
    try:
        state, *rest = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return "" if state in "ZX" else rest[18]


def _seen() -> bool:
    """Whether /proc shows the processes of our own name space."""
    try:
        return os.readlink("/proc/self") == str(os.getpid())
    except OSError:
        return False


def _there(process: int) -> bool:
    """Whether there is a process of this number, even if /proc hides it from us."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


_TIMED = "t"
"""End of names of workers whose leases run out whether they live or not; other names end in a hexadecimal digit."""


def new_holder(timed: bool = False) -> str:
    """A name for a worker in this process.

    Args:
        timed: whether its leases run out although it lives.

    >>> is_gone(new_holder())
    False
    """
    mine = os.getpid()
    started = (_started(mine) if _seen() else None) or ""
    return f"{_here(mine)}|{mine}|{started}|{uuid.uuid4().hex[:8]}{_TIMED * timed}"


def is_gone(holder: str) -> bool:
    """Whether the holder was a process of this machine that has ended; False where that is unknown."""
    return _lives(holder) is False


def is_alive(holder: str) -> bool:
    """Whether the holder is a living process of this machine; False where that is unknown."""
    return _lives(holder) is True


def is_heard(holder: str) -> bool:
    """Whether the holder is a process of this machine that goes on, and renews its leases as long as it does."""
    return is_alive(holder) and not holder.endswith(_TIMED)


def unseen(holder: str) -> str:
    """Name of a holder whose life cannot be checked from here; empty where it can."""
    if _lives(holder) is not None:
        return ""
    host, *rest = holder.split("|")
    return f"its worker on {host}" if rest else f"its worker {holder}"


def _lives(holder: str) -> bool | None:
    parts = holder.rsplit("|", 3)
    if (
        len(parts) < 4
        or parts[0] != _here(os.getpid())
        or not parts[1].isdecimal()
        or not parts[2]
        or not _seen()
    ):
        return None
    started = _started(int(parts[1]))
    return started == parts[2] or (started is None and _there(int(parts[1])))


def checked_place(given: Any) -> str:
    """A file's name or a URL."""
    if not isinstance(given, Path | str) or not str(given) or "\0" in str(given):
        raise InvalidStudy(
            "log", given, "a file's name without NUL characters, or the URL of a database"
        )
    return str(given)


def checked_name(given: Any) -> str:
    r"""Check the name of a study; returns the one form of all that look alike: see `as_name`.

    >>> checked_name(" Cafe\u0301\u200b  2") == checked_name("Caf\u00e9 2")
    True
    """
    fault = unsafe(given) if isinstance(given, str) else ""
    name = as_name(given) if isinstance(given, str) else ""
    if not name or len(name) > LONGEST_NAME or fault:
        hint = f"It has {fault}." if fault else ""
        raise InvalidStudy(
            "name", given, f"a text of 1 to {LONGEST_NAME} characters that can be seen", hint
        )
    return name


def new_name(given: Any) -> str:
    """Check the name of a new study, which becomes part of addresses and perhaps of a file's name.

    Raises:
        InvalidStudy: it cannot.

    >>> new_name("pH & temperature")
    'pH & temperature'
    """
    name = checked_name(given)
    if name in (".", "..") or any(sign in name for sign in "/\\"):
        raise InvalidStudy("name", name, "a name without / and \\, and neither . nor ..")
    return name


WAIT = 600.0
"""Seconds that a call waits for a log that is away, before it raises `LogUnavailable`."""
_FIRST, _LONGEST = 0.05, 5.0  # seconds between two tries
_QUIET = 1.0  # an outage shorter than this is nothing to speak of


class RetryingLog:
    """An `EventLog` that waits while another one is away; renewals do not wait, since the next one comes soon.

    Args:
        log: the other one.
        seconds: how long a call waits.
        say: is told that it waits, and that it need not wait any longer.
        away: is called when an outage begins, before the wait.
    """

    def __init__(
        self,
        log: EventLog,
        seconds: float,
        say: Callable[[str], None],
        away: Callable[[], None] = lambda: None,
    ) -> None:
        self.log, self.seconds, self.say, self.away = log, seconds, say, away
        self.pause: Callable[[float], object] = time.sleep
        self.closing = False  # no call waits from now on, also where others set `seconds` back
        self.place = log.place
        self.private = log.private
        self.named = log.named
        self.outbox_files = log.outbox_files

    def read(self) -> list[Event]:
        """See `EventLog`."""
        return self._patiently(self.log.read)

    def append(self, event: Event, lease: Lease | None = None) -> None:
        """See `EventLog`."""
        self._patiently(lambda: self.log.append(event, lease))

    def extend(self, events: Sequence[Event]) -> None:
        """See `EventLog`."""
        self._patiently(lambda: self.log.extend(events))

    def leases(self) -> dict[str, Lease]:
        """See `EventLog`."""
        return self._patiently(self.log.leases)

    def claim(self, token: str, lease: Lease | None, instead_of: Lease | None) -> bool:
        """See `EventLog`. A connection that was lost may have been lost after the swap."""
        tries = 0

        def swap() -> bool:
            nonlocal tries
            tries += 1
            return (tries > 1 and self.log.leases().get(token) == lease) or self.log.claim(
                token, lease, instead_of
            )

        return self._patiently(swap)

    def renew(self, holder: str, until: float) -> None:
        """See `EventLog`."""
        self.log.renew(holder, until)

    def now(self) -> float:
        """See `EventLog`."""
        return self.log.now()

    def close(self) -> None:
        """See `EventLog`."""
        self.log.close()

    def _patiently(self, call: Callable[[], T]) -> T:
        began, pause, said = time.monotonic(), _FIRST, False
        while True:
            try:
                result = call()
            except LogUnavailable as error:
                if pause == _FIRST:
                    LOGGER.debug("%s", error)
                    self.away()
                waited = time.monotonic() - began
                if self.closing or waited + pause > self.seconds:
                    raise
                if waited > _QUIET and not said:
                    said = True
                    self.say(
                        f"the log {error.place} cannot be reached ({error.said}); waiting for it, up to "
                        f"{self.seconds:g} s"
                    )
                self.pause(pause)
                pause = min(2 * pause, _LONGEST)
            else:
                if said:
                    self.say(
                        f"the log {self.place} is back, after {time.monotonic() - began:.0f} s"
                    )
                return result
