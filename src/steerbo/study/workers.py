"""Where evaluations run, and how others hear that they still do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from ..errors import InvalidOption, ObjectiveFailure
from ..rounds import Suggestion
from .interrupt import Interruptible
from .patience import PatientLog
from .worker import Worker


class Runner:
    """The executor, made anew where that is possible."""

    def __init__(self, executor: Executor | Callable[[], Executor] | None) -> None:
        self._make = None if executor is None or isinstance(executor, Executor) else executor
        self._executor = executor if isinstance(executor, Executor) else None

    def __enter__(self) -> Runner:
        if self._make is not None:
            self._executor = self._made(self._make)
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if self._make is not None and self._executor is not None:
            self._executor.shutdown(wait=kind is None, cancel_futures=True)

    @property
    def elsewhere(self) -> bool:
        """Whether evaluations end while this thread does something else."""
        return self._executor is not None

    def submit(self, objective: Callable[[Suggestion], Any], suggestion: Suggestion) -> Future[Any]:
        """Evaluate; here it is done when this returns."""
        if self._executor is not None:
            return self._executor.submit(objective, suggestion)
        future: Future[Any] = Future()
        try:
            future.set_result(objective(suggestion))
        except (Exception, SystemExit) as error:
            future.set_exception(error)
        return future

    def mend(self, error: BaseException) -> None:
        """A new executor in the place of a broken one."""
        if self._make is None:
            raise ObjectiveFailure(
                f"the executor broke ({error}); what was out is evaluated again by the next run. Give a function that "
                "makes executors, and it goes on by itself"
            ) from None
        self._executor = self._made(self._make)

    @staticmethod
    def _made(make: Callable[[], Executor]) -> Executor:
        """What the user's function makes; what it raises, or makes instead, is the user's."""
        try:
            made = make()
        except Exception as error:
            raise InvalidOption(
                "executor", make, "a function that makes an executor", f"It failed ({error})."
            ) from None
        if not hasattr(made, "submit") or not hasattr(made, "shutdown"):
            raise InvalidOption("executor", made, "an executor of concurrent.futures")
        return made


@contextmanager
def heard_of(worker: Worker, log: PatientLog, interrupt: Interruptible) -> Iterator[None]:
    """While it lasts the worker's leases are renewed, and Ctrl-C stops it from waiting for a log that is away."""

    def pause(seconds: float) -> None:
        with interrupt.evaluation():
            time.sleep(seconds)

    log.pause = pause
    worker.heartbeat.start()
    try:
        yield
    finally:
        log.pause = time.sleep
        if not worker.lives:
            worker.heartbeat.stop()
