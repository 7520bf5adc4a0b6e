"""Prefetching of suggestions, computed ahead of `ask` by a process of low priority.

A choice is a function of problem, method, seed and events, so that a copy of the state leads to the
suggestion that `ask` would make, bit for bit. It is used if no event came between, and thrown away
otherwise; the log is the same with and without. A process, unlike a thread, can be ended at once:
when an outcome comes, when the study is closed, and when its parent dies.
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

from ..core import Asked, BatchPosition, Event, Optimizer, Suggestion
from ..core.request import MOST_AT_ONCE, check_taken
from ..core.state import StudyState
from ..errors import InvalidRequest, SteerboError
from ..space.fields import whole
from ..storage.log import LOGGER

NICE = 10
"""Niceness of the process, of 19: on a machine that is busy for days it must not starve."""
_CHILD = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {} import work; work({})"
_BEGINS = 1.0  # seconds in which a process begins


class PrefetchProcess:
    """Events of the next `k` suggestions, computed by another process and read by a thread of this one.

    Raises:
        Exception: the state cannot be copied, or no process be begun.
    """

    def __init__(self, state: StudyState, k: int, request: Mapping[str, object]) -> None:
        self.k, self.base = k, len(state.events)
        self.events: list[Event] = []
        self._ended = False
        self._over, self._news, self._since = False, threading.Condition(), time.monotonic()
        pickled = pickle.dumps((state, k, dict(request)), protocol=5)
        command = [sys.executable, "-c", _CHILD.format(__name__, NICE), json.dumps(sys.path)]
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        self._child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet)
        self._reader = threading.Thread(target=self._read, args=(pickled,), daemon=True)
        self._reader.start()

    def _read(self, pickled: bytes) -> None:
        child = self._child
        assert child.stdin is not None
        assert child.stdout is not None
        with suppress(OSError, EOFError, pickle.PickleError), child.stdout:
            child.stdin.write(pickled)
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
        """Whether the events logged since the prefetch started are a prefix of the prefetched ones."""
        since = events[self.base :]
        return [_unsigned(each) for each in since] == [
            _unsigned(each) for each in self.events[: len(since)]
        ]

    def ready(self, events: Sequence[Event]) -> int:
        """Suggestions that come after these."""
        return sum(isinstance(each, Asked) for each in self.events[len(events) - self.base :])

    def next(self, events: Sequence[Event], cost: float) -> list[Event]:
        """Prefetched events after these, up to the next suggestion; empty where they are not ready soon.

        A choice takes `cost` seconds.
        """
        took = time.monotonic() - self._since
        if 2 * took > cost:
            with self._news:
                self._news.wait_for(
                    lambda: self._over or self.ready(events) > 0, _BEGINS + 1.5 * cost - took
                )
        coming = self.events[len(events) - self.base :]
        last = next((i for i, each in enumerate(coming) if isinstance(each, Asked)), -1)
        return coming[: last + 1]

    def end(self) -> None:
        """End the process; no computation is under way when it returns."""
        self._ended = True
        self._child.kill()
        self._reader.join()


def _unsigned(event: Event) -> Event:
    return replace(event, by=None) if isinstance(event, Asked) else event


def work(nice: int) -> None:
    """Body of the process: read a state, and write the events that follow, suggestion by suggestion.

    It ends when its input is closed: its parent needs it no more, or has died.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    if hasattr(os, "nice"):
        os.nice(nice)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a method's printed text is no answer
    state, k, request = pickle.load(sys.stdin.buffer)
    threading.Thread(target=lambda: os.read(0, 1) or os._exit(1), daemon=True).start()
    optimizer = Optimizer._of(state)
    for _ in range(k):
        before = len(state.events)
        if optimizer.ask_at(BatchPosition(), request) is None:
            break
        pickle.dump(state.events[before:], answers)
        answers.flush()
    os._exit(0)


class Prefetcher:
    """Prefetched suggestions of one study in this process; a forked child has none."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer, self._events = optimizer, optimizer._state.events
        self._process = os.getpid()
        self._ahead: PrefetchProcess | None = None

    def __len__(self) -> int:
        """Number of suggestions that are ready."""
        self.check()
        return 0 if (ahead := self._current()) is None else ahead.ready(self._events)

    def _current(self) -> PrefetchProcess | None:
        return self._ahead if self._process == os.getpid() else None

    def begin(self, k: int, request: Mapping[str, object]) -> None:
        """Choose the next `k`, unless that is under way; nothing where the state cannot be copied.

        Raises:
            InvalidRequest: the number is none, or `ask` of such a problem never takes this.
        """
        k = whole("k", k, 1, InvalidRequest, most=MOST_AT_ONCE)
        self.check()
        if (ahead := self._current()) is not None and (ahead.k, ahead.base) == (
            k,
            len(self._events),
        ):
            return
        self.stop()
        # then it is the user's program, not Python
        frozen = not sys.executable or getattr(sys, "frozen", False)
        if frozen or not self.optimizer._state.whole or not self._can_be_asked(request):
            return
        try:
            self._ahead = PrefetchProcess(self.optimizer._state, k, request)
            self._process = os.getpid()
        except Exception as error:  # in classes of others anything may be
            LOGGER.info(
                "no suggestions are prepared: no process can be given the state (%s)", error
            )

    def _can_be_asked(self, request: Mapping[str, object]) -> bool:
        """Whether `ask` accepts these arguments: a problem may need a context that is not known yet."""
        # a name that no `ask` takes will not be known later either
        problem = self.optimizer.problem
        check_taken(
            request,
            [field.name for field in problem.asked()],
            problem.kind,
            drifts=hasattr(problem, "drift"),
        )
        try:
            self._read(request)
        except SteerboError:
            return False
        return True

    def _read(self, request: Mapping[str, object]) -> Mapping[str, object]:
        problem = self.optimizer.problem
        read: Mapping[str, object] = problem.in_order(
            problem.read_asked(self.optimizer._given(request), self.optimizer.history)
        )
        return read

    def check(self) -> None:
        """Throw away suggestions that `ask` would no longer choose."""
        if (ahead := self._current()) is not None and not ahead.leads_to(self._events):
            LOGGER.info(
                "threw away what was prepared (%d ready): %s came",
                ahead.found,
                self._events[-1].kind,
            )
            self.stop()

    def ask(
        self, request: Mapping[str, object], place: BatchPosition, cost: float
    ) -> Suggestion | None:
        """Log and return the suggestion prepared for a request; None: there is none, and choosing takes `cost` seconds.

        A choice more than half done is waited for, though not for long: it gives way to all else on
        the machine.
        """
        self.check()
        if (ahead := self._current()) is None:
            return None
        read = self._read(request)
        if place == BatchPosition() or not (place.follows or self.optimizer.problem.space.changes):
            coming = ahead.next(self._events, cost)
            if coming and isinstance(asked := coming[-1], Asked) and asked.request == read:
                for event in coming:
                    self.optimizer.recorder(event)
                return self.optimizer.history[asked.token].suggestion
        LOGGER.info(
            "threw away what was prepared: it is not ready (%d are), or for another request",
            ahead.found,
        )
        self.stop()  # another choice comes between
        return None

    def stop(self) -> None:
        """End the process, and drop prefetched suggestions."""
        if (ahead := self._current()) is not None:
            ahead.end()
        self._ahead = None
