"""Ctrl-C: at once while something is evaluated, after it is written while events are."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interruptible:
    """Ctrl-C stops an evaluation at once; while events are computed and written it waits until they are.

    So do the signals that end a session or a batch job, since an external command would outlive them. Use it as a
    context around the loop, and `evaluation()` around what may be stopped. A second Ctrl-C does not wait.
    """

    def __init__(self) -> None:
        self._stoppable = self._wanted = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruptible:
        if threading.current_thread() is threading.main_thread():
            known = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
            heard = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]  # nohup
            self._before = {number: signal.signal(number, self._handle) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, *_: object) -> None:
        if self._stoppable or self._wanted:
            raise KeyboardInterrupt
        self._wanted = True

    def check(self) -> None:
        """Stop here if that was wanted."""
        if self._wanted:
            raise KeyboardInterrupt

    @contextmanager
    def evaluation(self) -> Iterator[None]:
        """What runs inside may be stopped."""
        self.check()
        self._stoppable = True
        try:
            yield
        finally:
            self._stoppable = False
