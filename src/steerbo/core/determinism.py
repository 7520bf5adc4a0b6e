"""Determinism: one call at a time, decisions on one BLAS thread, so that the same wheels give the same bits.

Randomness without a running generator: every draw is keyed on (seed, round, stream).
"""

from __future__ import annotations

import ctypes
import functools
import gc
import hashlib
import importlib
import os
import platform
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy
import numpy as np
import scipy
from threadpoolctl import ThreadpoolController

from .. import __version__
from ..errors import SteerboError

P = ParamSpec("P")
T = TypeVar("T")


class CallLock:
    """A lock that its holder may take again. Copied or pickled it is a new one.

    Raises:
        SteerboError: this process was forked while another thread of its parent had it: the state
            is half of two.

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

    @functools.wraps(call)
    def alone(self: S, /, *args: P.args, **named: P.kwargs) -> T:
        with self._lock:
            return call(self, *args, **named)

    return alone


class OneBLASThread:
    """A context in which BLAS uses one thread, for any number of threads of Python at once.

    BLAS's number of threads mostly belongs to the whole process. Were each context to give back the
    number that it found, the first to end would give another its threads back in the middle of a
    decision, and the last would leave the process with one. So the first to begin limits it, and
    the last to end gives it back. Where BLAS runs on OpenMP each thread of Python has a number of
    its own, and is limited by itself.

    Args:
        find: finds this process's BLAS, when it is first needed.
    """

    def __init__(self, find: Callable[[], ThreadpoolController]) -> None:
        self._find = find
        self._lock = threading.Lock()
        self._inside = 0
        self._before: list[int] = []
        self._mine = threading.local()
        # a forked child must not inherit a lock that none of its threads releases
        if hasattr(os, "register_at_fork"):
            release = self._lock.release
            os.register_at_fork(
                before=self._lock.acquire, after_in_parent=release, after_in_child=release
            )

    @functools.cached_property
    def _libraries(self) -> tuple[list[Any], list[Any]]:
        """BLAS libraries with one thread count for the process, and those with one for each Python thread."""
        every = [each for each in self._find().lib_controllers if each.user_api == "blas"]
        shared = [each for each in every if getattr(each, "threading_layer", None) != "openmp"]
        return shared, [each for each in every if each not in shared]

    def __enter__(self) -> None:
        with self._lock:
            shared, own = self._libraries
            if not self._inside:
                self._before = _set(shared, [1] * len(shared))
            self._inside += 1
        self._mine.before = [*getattr(self._mine, "before", []), _set(own, [1] * len(own))]

    def __exit__(self, *error: object) -> None:
        shared, own = self._libraries
        _set(own, self._mine.before.pop())
        with self._lock:
            self._inside -= 1
            if not self._inside:
                _set(shared, self._before)


def _set(libraries: Sequence[Any], numbers: Sequence[int]) -> list[int]:
    """Set the thread counts of libraries; returns the previous ones."""
    before = []
    for library, number in zip(libraries, numbers, strict=True):
        before.append(library.get_num_threads())
        # else the thread that was first is the only one that may
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)
        library.set_num_threads(number)
    return before


@functools.cache
def _controller() -> ThreadpoolController:
    # SciPy's own BLAS must be loaded before the controller looks around. Where a wheel brings it,
    # it is loaded without `scipy.linalg`, which a first suggestion does not need and whose import
    # takes a seventh of a second.
    brought = sorted((Path(scipy.__file__).parent.parent / "scipy.libs").glob("libscipy_openblas*"))
    try:
        ctypes.CDLL(str(*brought))  # one file, or a TypeError
    except (OSError, TypeError):
        importlib.import_module("scipy.linalg")
    return ThreadpoolController()


_DECISIONS = OneBLASThread(_controller)
"""Of this process: were there two, as of two threads that are the first at once, neither would know of the other."""


def one_blas_thread() -> OneBLASThread:
    """A context in which BLAS uses one thread; contexts may lie in one another, and overlap in several threads.

    >>> with one_blas_thread():
    ...     pass
    """
    return _DECISIONS


@contextmanager
def uncollected() -> Iterator[None]:
    """Many small things are made, and none is let go of: looking for some to let go of takes most of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def fingerprint(packages: str = "") -> dict[str, str]:
    """Facts that decide the last bits of a computation: versions, BLAS, and its kernel for this processor.

    `packages` are those of others, with their versions.
    """
    blas = sorted(
        f"{library['internal_api']} {library.get('version')} {library.get('architecture')}"
        for library in _controller().info()
        if library["user_api"] == "blas"
    )
    return {
        "steerbo": __version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "blas": ", ".join(blas),
        **({"packages": packages} if packages else {}),
    }


def keyed(seed: int, round: int, stream: str) -> np.random.Generator:
    """A counter-based generator (Philox) that depends on its three keys and on nothing else.

    >>> keyed(0, 3, "screen").random() == keyed(0, 3, "screen").random()
    True
    """
    key = hashlib.blake2b(f"{seed}|{round}|{stream}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key, "little")))


@dataclass(frozen=True)
class Streams:
    """Random generators of one study, keyed by round and purpose."""

    seed: int

    def __call__(self, round: int, stream: str) -> np.random.Generator:
        """The generator of `stream` in `round`."""
        return keyed(self.seed, round, stream)

    def integer(self, round: int, stream: str) -> int:
        """A whole number below 2³², for libraries that want a seed."""
        return int(self(round, stream).integers(2**32))
