"""Whoever has the turn chooses for those who wait behind it, too: it has read everything, and has learned from it.

A round that is chosen for another is that one's from the first: it has its lease. Whoever finds that while it waits
leaves the line and evaluates it. Who was killed meanwhile is a worker that was lost, and its round is taken over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import SteerboError
from ..record import to_plain
from ..rounds import Place
from .log import Lease
from .logger import LOGGER
from .patience import PatientLog
from .turns import Turns, name_at
from .worker import Worker


class Serving:
    """Chooses for others in one's own turn.

    Args:
        log: where events go.
        turns: where others wait.
        worker: who chooses.
    """

    def __init__(self, log: PatientLog, turns: Turns, worker: Worker) -> None:
        self.log, self.turns, self.worker = log, turns, worker
        self._other = ""  # for whom is being chosen

    def lease(self) -> Lease:
        """On the round that is being chosen."""
        own = self.worker.leases.new()
        return replace(own, holder=self._other) if self._other else own

    def wish(self, request: Mapping[str, Any], place: Place, by: str | None) -> str:
        """What is asked for, in a word: those who wish for the same can be given what another has chosen.

        Empty where others must not choose: for a place in a batch, and for workers of one name, who could not tell
        whose it is.
        """
        if place.of > 1 or not self.worker.alone:
            return ""
        about = request, by, self.worker.leases.seconds
        try:
            return hashlib.sha256(json.dumps(to_plain(about), sort_keys=True).encode()).hexdigest()[:16]
        except (SteerboError, TypeError, ValueError, RecursionError):  # the request will be refused
            return ""

    def serve(self, wish: str, choose: Callable[[], object]) -> None:
        """Choose for everybody behind who wishes for the same, once, until there is nothing left to choose.

        An outcome that comes between is worth more than a choice that does not know of it: that is thrown away. No
        error is raised: whoever waits will have it for itself, if it comes again.
        """
        served, wait, self.log.seconds = dict[str, str](), self.log.seconds, 0.0
        try:
            while (place := self.turns.behind(wish, served)) is not None:
                self._other = name_at(place)
                if choose() is None:
                    break
                served[self._other] = place
            if served:
                self.turns.leave(served.values())  # who is gone without a trace is not served again
        except SteerboError as error:
            LOGGER.debug("what was chosen for %s is thrown away: %s", self._other, error)
        finally:
            self._other, self.log.seconds = "", wait
