"""A process beside this one that finds out which events come next, and gives way to all else.

It is a process, no thread, because a choice of many seconds can then be ended at once: when an outcome comes, when the
study is closed, and when this process dies.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from ..rounds import Asked, Event, Optimizer, Place
from ..rounds.fold import Fold
from .logger import LOGGER

NICE = 10
"""By how much its priority is lower, of 19: on a machine that is busy for days it is not to starve."""
_CHILD = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {} import work; work({})"
_BEGINS = 1.0  # seconds in which a process begins


class Ahead:
    """The events of the next `k` suggestions, as a process finds them; a thread of this one reads them.

    Args:
        fold: the state, which is copied.
        k: so many.
        request: as `ask` takes it.

    Raises:
        Exception: the state cannot be copied, or no process be begun.
    """

    def __init__(self, fold: Fold, k: int, request: Mapping[str, object]) -> None:
        self.k, self.base = k, len(fold.events)
        self.events: list[Event] = []
        self._ended = False
        self._over, self._news, self._since = False, threading.Condition(), time.monotonic()
        state = pickle.dumps((fold, k, dict(request)), protocol=5)
        command = [sys.executable, "-c", _CHILD.format(__name__, NICE), json.dumps(sys.path)]
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        self._child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet)
        self._reader = threading.Thread(target=self._read, args=(state,), daemon=True)
        self._reader.start()

    def _read(self, state: bytes) -> None:
        child = self._child
        assert child.stdin is not None
        assert child.stdout is not None
        with suppress(OSError, EOFError, pickle.PickleError), child.stdout:
            child.stdin.write(state)
            child.stdin.flush()
            while True:
                found = pickle.load(child.stdout)
                with self._news:
                    self.events, self._since = [*self.events, *found], time.monotonic()
                    self._news.notify_all()
        with suppress(OSError):
            child.stdin.close()
        child.wait()
        with self._news:
            self._over = True
            self._news.notify_all()
        if self.found and not self._ended:
            LOGGER.info("prepared %d suggestion%s", self.found, "s" * (self.found > 1))

    @property
    def found(self) -> int:
        """Suggestions that were found so far."""
        return sum(isinstance(each, Asked) for each in self.events)

    def leads_to(self, events: Sequence[Event]) -> bool:
        """Whether what came since is what was found, whoever asked for it."""
        since = events[self.base :]
        return [_unsigned(each) for each in since] == [_unsigned(each) for each in self.events[: len(since)]]

    def ready(self, events: Sequence[Event]) -> int:
        """Suggestions that come after these."""
        return sum(isinstance(each, Asked) for each in self.events[len(events) - self.base :])

    def next(self, events: Sequence[Event], cost: float) -> list[Event]:
        """What comes after these, up to the next suggestion; empty where that is not to be had soon.

        Args:
            events: all there are.
            cost: seconds that a choice takes.
        """
        took = time.monotonic() - self._since
        if 2 * took > cost:
            with self._news:
                self._news.wait_for(lambda: self._over or self.ready(events) > 0, _BEGINS + 1.5 * cost - took)
        coming = self.events[len(events) - self.base :]
        last = next((i for i, each in enumerate(coming) if isinstance(each, Asked)), -1)
        return coming[: last + 1]

    def end(self) -> None:
        """End the process; when it returns nothing is under way."""
        self._ended = True
        self._child.kill()
        self._reader.join()


def _unsigned(event: Event) -> Event:
    return replace(event, by=None) if isinstance(event, Asked) else event


def work(nice: int) -> None:
    """What the process does: it reads a state, and writes down what it leads to, suggestion by suggestion.

    Its input stays open until whoever has begun it needs it no more, or dies: it ends then.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever has begun it
    if hasattr(os, "nice"):
        os.nice(nice)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a method prints is no answer
    fold, k, request = pickle.load(sys.stdin.buffer)
    threading.Thread(target=lambda: os.read(0, 1) or os._exit(1), daemon=True).start()
    optimizer = Optimizer._of(fold)
    for _ in range(k):
        before = len(fold.events)
        if optimizer.ask_at(Place(), request) is None:
            break
        pickle.dump(fold.events[before:], answers)
        answers.flush()
    os._exit(0)
