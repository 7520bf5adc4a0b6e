"""fork: what a process holds open is closed or set aside before it, so that the child never shares it.

SQLite must not be carried across a fork, not even unused: its locks belong to the process, while its memory of having
them is copied. So idle connections are closed before it, and opened again by whoever needs them.
"""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from typing import Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """Something that is told of forks."""

    def before_fork(self) -> None:
        """Let go of what a child must not inherit, and hold still."""

    def after_fork(self) -> None:
        """Go on, in the parent and in the child."""


class _Forks:
    """All that is told. There is one of it in a process, as there is one `fork`."""

    def __init__(self) -> None:
        self._told: WeakSet[Forkable] = WeakSet()
        self._lock = threading.Lock()
        self._stopped = ExitStack()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._before, after_in_parent=self._after, after_in_child=self._after)

    def tell(self, thing: Forkable) -> None:
        """Tell it of every fork, for as long as it is there."""
        with self._lock:
            self._told.add(thing)

    def _before(self) -> None:
        self._lock.acquire()
        for thing in list(self._told):
            self._stopped.callback(thing.after_fork)
            thing.before_fork()

    def _after(self) -> None:
        self._stopped.close()
        self._lock.release()


FORKS = _Forks()
