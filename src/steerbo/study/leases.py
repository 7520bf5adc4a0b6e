"""One worker's leases: which rounds it holds, and which of the others' it may take over."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .log import BY_HAND, EventLog, Lease, is_gone, is_heard, unseen

LEASE = 60.0
"""Seconds that a worker's rounds stay its own after it was last heard of; it is heard of every third of that."""
LAPSES = 3
"""A round whose lease has run out so often is abandoned: its evaluation may well be what takes its workers down."""


class Taken(NamedTuple):
    """A round that was taken over: how often its leases have run out, and whose it was, where that may still live."""

    token: str
    lapses: int
    whose: str


@dataclass(frozen=True)
class Leases:
    """What one worker knows of leases.

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
        """A lease from now on, on a round whose leases have run out so often."""
        return Lease(self.holder, None if self.seconds is None else self.clock() + self.seconds, lapses)

    def take_over(self, rounds: Collection[str]) -> Iterator[Taken]:
        """Those of the rounds that nobody evaluates any more, each leased to this worker when it comes out.

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
        """Whether its holder has ended, or is this worker, which then does not know of it: its call was cut short."""
        return is_gone(lease.holder) or (lease.holder == self.holder != BY_HAND)

    def next_lapse(self, rounds: Collection[str]) -> float | None:
        """Seconds until the first lease on one of the rounds runs out; None where none does."""
        held = self.log.leases()
        left = (self._left(token, held[token]) for token in rounds if token in held)
        return min((seconds for seconds in left if seconds is not None), default=None)

    def renew(self) -> None:
        """Prolong what this worker holds."""
        if self.seconds is not None:
            self.log.renew(self.holder, self.clock() + self.seconds)

    def drop(self, token: str) -> None:
        """Let go of one round."""
        lease = self.log.leases().get(token)
        if lease is not None and lease.holder == self.holder:
            self.log.claim(token, None, lease)

    def release(self) -> None:
        """Let go of everything, so that it is offered again at once. People keep theirs."""
        if self.holder == BY_HAND:
            return
        for token, lease in self.log.leases().items():
            if lease.holder == self.holder:
                self.log.claim(token, None, lease)
