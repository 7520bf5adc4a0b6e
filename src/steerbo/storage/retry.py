"""Retrying log: repeats a call with growing delays while the log is unreachable."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from ..core import Event
from ..errors import LogUnavailable
from .log import LOGGER, EventLog, Lease

T = TypeVar("T")
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
        self, log: EventLog, seconds: float, say: Callable[[str], None], away: Callable[[], None] = lambda: None
    ) -> None:
        self.log, self.seconds, self.say, self.away = log, seconds, say, away
        self.pause: Callable[[float], object] = time.sleep
        self.place, self.private, self.named, self.outbox_files = log.place, log.private, log.named, log.outbox_files

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
            return (tries > 1 and self.log.leases().get(token) == lease) or self.log.claim(token, lease, instead_of)

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
                if waited + pause > self.seconds:
                    raise
                if waited > _QUIET and not said:
                    said = True
                    self.say(
                        f"the log {error.place} is away ({error.said}); it is waited for, up to {self.seconds:g} s"
                    )
                self.pause(pause)
                pause = min(2 * pause, _LONGEST)
            else:
                if said:
                    self.say(f"the log {self.place} is back, after {time.monotonic() - began:.0f} s")
                return result
