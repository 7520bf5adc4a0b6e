"""What time it is where the log is: machines' clocks may be apart by an hour, and leases must not hang on that."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..errors import SteerboError

AGAIN = 3600.0
"""Seconds after which a server is asked again: clocks that nobody sets run apart by some seconds a day."""
SLACK = 1.0
"""Seconds by which this machine's clock may be set before a server is asked again."""


class SharedClock:
    """Seconds since 1970 by a server's clock, which is the same for all who write to it.

    The server is asked at first, every `AGAIN`, and where this machine's clock was set meanwhile, or the machine slept.
    While it cannot be asked, what it said last holds; this machine's clock where it never was.

    Args:
        ask: the server's time.
        here: this machine's.

    >>> clock = SharedClock(lambda: 5000.0, here=lambda: 1400.0)
    >>> clock()
    5000.0
    """

    def __init__(self, ask: Callable[[], float], here: Callable[[], float] = time.time) -> None:
        self._ask, self._here = ask, here
        self._ahead, self._offset, self._asked = 0.0, 0.0, -AGAIN

    def __call__(self) -> float:
        """What time it is."""
        now, offset = time.monotonic(), self._here() - time.monotonic()
        if now - self._asked >= AGAIN or abs(offset - self._offset) > SLACK:
            self._compare(now, offset)
        return self._here() + self._ahead

    def _compare(self, now: float, offset: float) -> None:
        try:
            before = self._here()
            there = self._ask()
        except SteerboError:  # it is away: whoever needs it will say so
            return
        self._ahead, self._offset, self._asked = there - (before + self._here()) / 2, offset, now
