"""Who works on a study here: a name in leases, the rounds handed out, and a heartbeat that keeps them one's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import InvalidInput, InvalidOption, one_of, together
from ..space.fields import as_number
from ..text import unsafe
from .heartbeat import Heartbeat
from .leases import LEASE, Leases
from .log import BY_HAND, EventLog, new_holder


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
        """Whether nobody else holds leases by the same name."""
        return self.leases.holder == self.name

    def be_oneself(self) -> None:
        """Be another one where this is a forked child."""
        if self._process != os.getpid():
            before = self.leases
            self._be(BY_HAND if before.holder == BY_HAND else "", before.seconds, before.clock)

    def begin(self) -> None:
        """Keep what is handed out from now on."""
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
"""What a worker can be told, when it is allowed, and how that is said."""


def check_options(given: Mapping[str, Any]) -> None:
    """Refuse what no worker can be told, before anything is written.

    Raises:
        InvalidOption: naming it, and what is allowed.
    """
    wrong: list[InvalidInput] = [InvalidOption(n, given[n], one_of(_OPTIONS, n)) for n in given if n not in _OPTIONS]
    known = {name: option for name, option in _OPTIONS.items() if name in given}
    wrong += [InvalidOption(n, given[n], allowed) for n, (allows, allowed) in known.items() if not allows(given[n])]
    if wrong:
        raise together(wrong)
