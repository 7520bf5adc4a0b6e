"""Suggestions that are chosen before anybody asks for them.

A choice is a function of problem, method, seed and events: what another process chooses from a copy of the state is
what `ask` would choose, to the last bit. So it is used where nothing came between, and thrown away where anything did.
The log does not know of it: it is the same as without.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from ..errors import InvalidRequest, SteerboError
from ..rounds import Asked, Optimizer, Place, Suggestion
from ..rounds.request import check_taken
from ..rounds.suggestion import MOST_AT_ONCE
from ..space.fields import whole
from .ahead import Ahead
from .logger import LOGGER


class Prepared:
    """What is prepared for one study, in this process; a forked child has nothing prepared.

    Args:
        optimizer: the study's.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer, self._events = optimizer, optimizer._fold.events
        self._process = os.getpid()
        self._ahead: Ahead | None = None

    def __len__(self) -> int:
        """How many suggestions are ready."""
        self.check()
        return 0 if (ahead := self._current()) is None else ahead.ready(self._events)

    def _current(self) -> Ahead | None:
        return self._ahead if self._process == os.getpid() else None

    def begin(self, k: int, request: Mapping[str, object]) -> None:
        """Choose the next `k`, unless that is under way; nothing where the state cannot be copied.

        Raises:
            InvalidRequest: the number is none, or `ask` of such a problem never takes this.
        """
        k = whole("k", k, 1, InvalidRequest, most=MOST_AT_ONCE)
        self.check()
        if (ahead := self._current()) is not None and (ahead.k, ahead.base) == (k, len(self._events)):
            return
        self.stop()
        frozen = not sys.executable or getattr(sys, "frozen", False)  # then it is the user's program, not Python
        if frozen or not self.optimizer._fold.whole or not self._can_be_asked(request):
            return
        try:
            self._ahead, self._process = Ahead(self.optimizer._fold, k, request), os.getpid()
        except Exception as error:  # in classes of others anything may be
            LOGGER.info("no suggestions are prepared: no process can be given the state (%s)", error)

    def _can_be_asked(self, request: Mapping[str, object]) -> bool:
        """Whether `ask` takes this: a problem may need what is not known yet, such as today's weather."""
        problem = self.optimizer.problem  # a name that no `ask` takes will not be known later either
        check_taken(request, [field.name for field in problem.asked()], problem.kind, drifts=hasattr(problem, "drift"))
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
        """Throw away what is no longer what `ask` would choose."""
        if (ahead := self._current()) is not None and not ahead.leads_to(self._events):
            LOGGER.info("threw away what was prepared (%d ready): %s came", ahead.found, self._events[-1].kind)
            self.stop()

    def ask(self, request: Mapping[str, object], place: Place, cost: float) -> Suggestion | None:
        """The suggestion that was prepared for this, logged now; None: it is to be chosen.

        What is more than half done is waited for, though not for long: it gives way to all else on the machine.

        Args:
            request: as `ask` takes it.
            place: in its batch.
            cost: seconds that a choice takes.
        """
        self.check()
        if (ahead := self._current()) is None:
            return None
        read = self._read(request)
        if place == Place() or not (place.follows or self.optimizer.problem.space.changes):
            coming = ahead.next(self._events, cost)
            if coming and isinstance(asked := coming[-1], Asked) and asked.request == read:
                for event in coming:
                    self.optimizer.recorder(event)
                return self.optimizer.history[asked.token].suggestion
        LOGGER.info("threw away what was prepared: it is not ready (%d are), or for another request", ahead.found)
        self.stop()  # what is chosen instead comes between
        return None

    def stop(self) -> None:
        """End what is under way, and forget what is ready."""
        if (ahead := self._current()) is not None:
            ahead.end()
        self._ahead = None
