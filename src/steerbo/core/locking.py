"""Lock of calls: one call of an optimizer, or of a study, at a time; threads take turns."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ..errors import SteerboError

P = ParamSpec("P")
T = TypeVar("T")


class CallLock:
    """A lock that its holder may take again. Copied or pickled it is a new one.

    Raises:
        SteerboError: this process was forked while another thread of its parent had it: the state is half of two.

    >>> lock = CallLock()
    >>> with lock, lock:
    ...     print("mine")
    mine
    """

    def __init__(self) -> None:
        self._lock, self._process = threading.RLock(), os.getpid()

    def __reduce__(self) -> tuple[type[CallLock], tuple[()]]:
        return CallLock, ()

    def __enter__(self) -> None:
        if self._process != os.getpid():
            if not self._lock.acquire(blocking=False):
                raise SteerboError(
                    "this process was forked in the middle of another thread's call: open the study anew here, or fork "
                    "while no thread uses it"
                )
            self._lock.release()
            self._process = os.getpid()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def free(self) -> bool:
        """Whether this thread would have it at once."""
        if taken := self._lock.acquire(blocking=False):
            self._lock.release()
        return taken


class _Locked(Protocol):
    _lock: CallLock


S = TypeVar("S", bound=_Locked)


def one_at_a_time(call: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """A method that waits until no other thread is in one of the same object."""

    @wraps(call)
    def alone(self: S, /, *args: P.args, **named: P.kwargs) -> T:
        with self._lock:
            return call(self, *args, **named)

    return alone
