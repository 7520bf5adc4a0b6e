"""Whether others write to the same log just now, and whether what is computed here is worth that they wait for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
QUIET = 4
"""Calls in a row without an event of others, after which a worker takes it that it is alone."""
CHEAP = 0.02
"""Seconds of processor time: a choice that costs less is sooner made again than waited for."""
UNKNOWN = 0.05
"""Seconds that a choice costs as far as nobody knows."""
TRIES = 10
"""Calls that are refused so often in a row wait for their turn, however little they cost."""


class Company:
    """What one worker knows of the others, by their events, and of what its own choices cost."""

    def __init__(self) -> None:
        self.quiet = QUIET - 1  # calls in a row before which there were no events of others; one knocks at first
        self.cost = UNKNOWN  # seconds of processor time of the dearest choice of late
        self._heard = 0  # events of others since the last call

    def heard(self, events: int) -> None:
        """So many events of others were read."""
        self._heard += events

    def called(self) -> None:
        """Everything is read, and something is computed on it."""
        self.quiet, self._heard = 0 if self._heard else self.quiet + 1, 0

    def met(self) -> None:
        """Another's event came between."""
        self.quiet = 0

    def given(self) -> None:
        """Another has chosen for this worker, which therefore does not know what it costs just now."""
        self.cost = max(self.cost, UNKNOWN)

    @property
    def matters(self) -> bool:
        """Whether there may be others who write just now, and what they compute is worth a wait."""
        return self.quiet < QUIET and self.dear

    @property
    def dear(self) -> bool:
        """Whether what is computed is worth a wait."""
        return self.cost > CHEAP

    def timed(self, choose: Callable[[], T]) -> T:
        """Choose, and remember what that costs."""
        began = time.thread_time()
        try:
            return choose()
        finally:
            self.cost = max(time.thread_time() - began, 0.8 * self.cost)
