"""A worker's leases are renewed while it lives, so that they can have an end that anybody sees."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable

from ..errors import SteerboError
from .leases import Leases
from .logger import LOGGER


class Heartbeat:
    """Renews leases every third of the time they last, from `start` until `stop`, or until nobody has it any more.

    A forked child has no heartbeat of its own until it calls `start`.
    """

    def __init__(self, leases: Leases) -> None:
        self.leases = leases
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    def start(self) -> None:
        """Begin, where it has not begun."""
        if self._thread is None and self.leases.seconds is not None:
            self._over = threading.Event()
            weakref.finalize(self, self._over.set)
            arguments = self.leases.renew, self._over, self.leases.seconds / 3
            self._thread = threading.Thread(target=renewing, args=arguments, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End; when it returns nothing is under way."""
        self._over.set()
        if self._thread is not None and self._process == os.getpid():
            self._thread.join()
        self._thread = None


def renewing(renew: Callable[[], None], over: threading.Event, wait: float) -> None:
    """Call it every `wait` seconds until it is over, whatever becomes of a single call."""
    while not over.wait(wait):
        try:
            renew()
        except SteerboError as error:  # the log is busy or away: whoever needs it will say so
            LOGGER.debug("leases could not be renewed just now: %s", error)
