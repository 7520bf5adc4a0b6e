"""Leases of one worker: the rounds that it holds, and the rounds of other workers that it may take over.

A worker has a name in leases, and renews them by a heartbeat while it lives, so that a lease ends where its holder has.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._text import unsafe
from ..errors import InvalidInput, InvalidOption, SteerboError, combine, one_of
from ..space.fields import as_number
from ..storage.log import BY_HAND, LOGGER, EventLog, Lease, is_gone, is_heard, new_holder, unseen

LEASE = 60.0
"""Seconds that a worker's rounds stay its own after it was last heard of; it is heard of every third of that."""
LAPSES = 3
"""A round whose lease has run out so often is abandoned: its evaluation may well be what takes its workers down."""


class Taken(NamedTuple):
    """Round that was taken over: how often its leases ran out, and its former holder where that may still live."""

    token: str
    lapses: int
    whose: str


@dataclass(frozen=True)
class Leases:
    """Leases as one worker knows them.

    Args:
        log: where they are kept.
        holder: this worker's name in them.
        seconds: how long they last; None: while this process lives.
        clock: seconds since 1970.
    """

    log: EventLog
    holder: str
    seconds: float | None
    clock: Callable[[], float]
    _late: dict[str, tuple[Lease, float]] = field(default_factory=dict)  # since when they are seen to be, by token

    def new(self, lapses: int = 0) -> Lease:
        """New lease from now on a round whose leases have run out so often."""
        return Lease(self.holder, None if self.seconds is None else self.clock() + self.seconds, lapses)

    def take_over(self, rounds: Collection[str]) -> Iterator[Taken]:
        """Rounds whose leases have run out, each leased to this worker as it is yielded.

        A round that another worker takes first is left out.
        """
        held = self.log.leases() if rounds else {}
        for token in rounds:
            lease = held.get(token)
            lapsed = lease is not None and self._left(token, lease) == 0.0
            if lease is not None and not lapsed and not self._let_go(lease):
                continue
            lapses = (lease.lapses if lease else 0) + lapsed
            if self.log.claim(token, self.new(lapses), lease):
                yield Taken(token, lapses, unseen(lease.holder) if lease is not None and lapsed else "")

    def _left(self, token: str, lease: Lease) -> float | None:
        """Seconds until a lease has run out; None: that does not happen.

        By the clock, which may be another than its holder's, or have been set since. So where a worker is seen to live
        on this machine that renews its leases, this one has to be seen, for as long as a lease lasts, not to be.
        """
        if lease.until is None:
            return None
        now = self.clock()
        if not lease.ran_out(now):
            self._late.pop(token, None)
            return max(lease.until - now, 1e-9)
        if not is_heard(lease.holder):
            return 0.0
        if self._late.get(token, (None,))[0] != lease:
            self._late[token] = lease, time.monotonic()
        return max(0.0, LEASE - (time.monotonic() - self._late[token][1]))

    def _let_go(self, lease: Lease) -> bool:
        """Whether the holder has ended, or is this worker, whose call was cut short before it knew of the lease."""
        return is_gone(lease.holder) or (lease.holder == self.holder != BY_HAND)

    def next_lapse(self, rounds: Collection[str]) -> float | None:
        """Seconds until the first lease on one of the rounds runs out; None where none does."""
        held = self.log.leases()
        left = (self._left(token, held[token]) for token in rounds if token in held)
        return min((seconds for seconds in left if seconds is not None), default=None)

    def renew(self) -> None:
        """Renew the leases of this worker."""
        if self.seconds is not None:
            self.log.renew(self.holder, self.clock() + self.seconds)

    def drop(self, token: str) -> None:
        """Release the lease on one round."""
        lease = self.log.leases().get(token)
        if lease is not None and lease.holder == self.holder:
            self.log.claim(token, None, lease)

    def release(self) -> None:
        """Release all leases, so that the rounds are offered again at once. People keep theirs."""
        if self.holder == BY_HAND:
            return
        for token, lease in self.log.leases().items():
            if lease.holder == self.holder:
                self.log.claim(token, None, lease)


class Heartbeat:
    """Heartbeat that renews leases every third of their length, from `start` until `stop` or the end of its owner.

    A forked child has no heartbeat of its own until it calls `start`.
    """

    def __init__(self, leases: Leases) -> None:
        self.leases = leases
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    def start(self) -> None:
        """Start the thread, unless it runs."""
        if self._thread is None and self.leases.seconds is not None:
            self._over = threading.Event()
            weakref.finalize(self, self._over.set)
            arguments = self.leases.renew, self._over, self.leases.seconds / 3
            self._thread = threading.Thread(target=renewing, args=arguments, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread; no call is under way when it returns."""
        self._over.set()
        if self._thread is not None and self._process == os.getpid():
            self._thread.join()
        self._thread = None


def renewing(renew: Callable[[], None], over: threading.Event, wait: float) -> None:
    """Call a function every `wait` seconds until `over` is set; a call that fails is repeated like any other."""
    while not over.wait(wait):
        try:
            renew()
        except SteerboError as error:  # the log is busy or away: the next call that needs it reports it
            LOGGER.debug("leases could not be renewed just now: %s", error)


class Worker:
    """One process's part in a study. A forked child is another worker than its parent, which keeps its own rounds.

    Args:
        log: where leases are kept.
        holder: its name there; empty: a new one.
        lease: seconds that its leases last; None: while it lives.
        clock: seconds since 1970; None: the log's.
    """

    def __init__(self, log: EventLog, holder: str, lease: float | None, clock: Callable[[], float] | None) -> None:
        self._log = log
        self.lives = lease is None and holder != BY_HAND and not log.private
        self._be(holder, LEASE if self.lives else lease, clock or log.now)

    def _be(self, holder: str, lease: float | None, clock: Callable[[], float]) -> None:
        self.name = new_holder(
            timed=not self.lives
        )  # also where `holder` stands for people, who outlive their processes
        self.leases = Leases(self._log, holder or self.name, lease, clock)
        self.heartbeat = Heartbeat(self.leases)
        self.out: set[str] = set()  # rounds handed out here
        self._process = os.getpid()

    @property
    def alone(self) -> bool:
        """Whether no other worker holds leases by the same name."""
        return self.leases.holder == self.name

    def be_oneself(self) -> None:
        """Become a worker of its own in a forked child."""
        if self._process != os.getpid():
            before = self.leases
            self._be(BY_HAND if before.holder == BY_HAND else "", before.seconds, before.clock)

    def begin(self) -> None:
        """Hold the rounds that are handed out from now on."""
        if self.lives:
            self.be_oneself()
            self.heartbeat.start()


def _seconds(given: Any) -> bool:
    return (number := as_number(given)) is not None and number >= 0


_OPTIONS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "holder": (lambda given: isinstance(given, str) and not unsafe(given), "a name of characters that can be seen"),
    "lease": (lambda given: given is None or _seconds(given), "a number of seconds from 0, or None"),
    "clock": (lambda given: given is None or callable(given), "a function that returns seconds since 1970, or None"),
    "wait": (_seconds, "a number of seconds from 0"),
    "say": (lambda given: given is None or callable(given), "a function of a text"),
}
"""Options of a worker, with a check and the allowed values in words."""


def check_options(given: Mapping[str, Any]) -> None:
    """Refuse options of workers that are not allowed, before anything is written.

    Raises:
        InvalidOption: naming it, and its allowed values.
    """
    wrong: list[InvalidInput] = [InvalidOption(n, given[n], one_of(_OPTIONS, n)) for n in given if n not in _OPTIONS]
    known = {name: option for name, option in _OPTIONS.items() if name in given}
    wrong += [InvalidOption(n, given[n], allowed) for n, (allows, allowed) in known.items() if not allows(given[n])]
    if wrong:
        raise combine(wrong)
