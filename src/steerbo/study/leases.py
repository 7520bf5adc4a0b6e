"""One worker's leases: which rounds it holds, and which of the others' it may take over."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from .log import BY_HAND, EventLog, Lease, is_gone

LEASE = 60.0
"""Seconds that a worker's rounds stay its own after it was last heard of; it is heard of every third of that."""
LAPSES = 3
"""A round whose lease has run out so often is abandoned: its evaluation may well be what takes its workers down."""


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

    def new(self, lapses: int = 0) -> Lease:
        """A lease from now on, on a round whose leases have run out so often."""
        return Lease(self.holder, None if self.seconds is None else self.clock() + self.seconds, lapses)

    def take_over(self, rounds: Collection[str]) -> Iterator[tuple[str, int]]:
        """Those of the rounds that nobody evaluates any more, each leased to this worker when it comes out.

        With each comes how often its leases have run out. A round that another worker takes first is left out.
        """
        held = self.log.leases() if rounds else {}
        for token in rounds:
            lease, now = held.get(token), self.clock()
            lapsed = lease is not None and lease.ran_out(now)
            if lease is not None and not lapsed and not self._let_go(lease):
                continue
            lapses = (lease.lapses if lease else 0) + lapsed
            if self.log.claim(token, self.new(lapses), lease):
                yield token, lapses

    def _let_go(self, lease: Lease) -> bool:
        """Whether its holder has ended, or is this worker, which then does not know of it: its call was cut short."""
        return is_gone(lease.holder) or (lease.holder == self.holder != BY_HAND)

    def next_lapse(self, rounds: Collection[str]) -> float | None:
        """Seconds until the first lease on one of the rounds runs out; None where none does."""
        held = self.log.leases()
        ends = [held[token].until for token in rounds if token in held]
        return min((max(0.0, end - self.clock()) for end in ends if end is not None), default=None)

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
