"""Who works on a study here: a name in leases, the rounds handed out, and a heartbeat that keeps them one's own."""

from __future__ import annotations

import os
from collections.abc import Callable

from .heartbeat import Heartbeat
from .leases import LEASE, Leases
from .log import BY_HAND, EventLog, new_holder


class Worker:
    """One process's part in a study. A forked child is another worker than its parent, which keeps its own rounds.

    Args:
        log: where leases are kept.
        holder: its name there; empty: a new one.
        lease: seconds that its leases last; None: while it lives.
        clock: seconds since 1970.
    """

    def __init__(self, log: EventLog, holder: str, lease: float | None, clock: Callable[[], float]) -> None:
        self._log = log
        self.lives = lease is None and holder != BY_HAND and not log.private
        self._be(holder or new_holder(), LEASE if self.lives else lease, clock)

    def _be(self, holder: str, lease: float | None, clock: Callable[[], float]) -> None:
        self.leases = Leases(self._log, holder, lease, clock)
        self.heartbeat = Heartbeat(self.leases)
        self.out: set[str] = set()  # rounds handed out here
        self.name = new_holder()  # also where `holder` stands for people, who outlive their processes
        self._process = os.getpid()

    def be_oneself(self) -> None:
        """Be another one where this is a forked child."""
        if self._process != os.getpid():
            before = self.leases
            self._be(before.holder if before.holder == BY_HAND else new_holder(), before.seconds, before.clock)

    def begin(self) -> None:
        """Keep what is handed out from now on."""
        if self.lives:
            self.be_oneself()
            self.heartbeat.start()
