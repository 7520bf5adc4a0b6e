"""Filters want outcomes in order of time: what it takes to put a late one where it belongs, and no more.

Every 64 outcomes a copy of the filters is put by, and the last four copies are kept, with the outcomes since the
oldest of them: a late outcome goes back to the last copy before it, and what came after is filtered again. So what is
held does not grow with the number of rounds, however many of them are late.

Written down (`pickle`), that is the oldest copy and the outcomes since, fewer than 256; they are filtered again, with
the same arithmetic in the same order, when it is read back. What comes of it is the same to the last bit.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Any

from ..core.determinism import one_blas_thread
from .acquisition import Datum
from .decay_filter import Grid
from .statespace import StateSpace

EVERY = 64
"""Outcomes between two copies."""
KEPT = 4
"""Copies."""

Filters = list[Grid | StateSpace]


class Ordered:
    """Filters of the same outcomes, in order of time.

    Args:
        origin: the filters before any outcome.
    """

    def __init__(self, origin: Sequence[Grid | StateSpace]) -> None:
        self.origin = _copied(origin)
        self.restart()

    def restart(self) -> None:
        """Forget all outcomes."""
        self._begin((-math.inf, -math.inf, self.origin), [])

    def _begin(self, first: tuple[float, float, Filters], recent: Sequence[Datum]) -> None:
        self.filters = _copied(first[2])
        self.copies = [(first[0], first[1], _copied(first[2]))]  # the time and number of the last outcome in each
        self.recent: list[Datum] = []  # since the oldest copy, in order
        self._since = 0  # outcomes since the newest copy
        for datum in recent:
            self.add(datum)

    def add(self, datum: Datum, inflation: float = 1.0) -> bool:
        """Take an outcome in, its noise variance multiplied; False if it is older than the oldest copy."""
        if self.recent and datum[:2] < self.recent[-1][:2]:
            return self._insert(datum)
        self.recent.append(datum)
        self._absorb(datum, inflation)
        self._tidy()
        return True

    def _absorb(self, datum: Datum, inflation: float = 1.0) -> None:
        for f in self.filters:
            f.observe(datum.time, datum.place, datum.value, inflation)
        self._since += 1
        if self._since == EVERY:
            self._since = 0
            self.copies.append((datum.time, datum.number, _copied(self.filters)))

    def _insert(self, late: Datum) -> bool:
        """Go back to before it, and filter again from there."""
        place = bisect_left([copy[:2] for copy in self.copies], late[:2]) - 1
        if place < 0:
            return False
        insort(self.recent, late, key=lambda datum: datum[:2])
        del self.copies[place + 1 :]
        time, number, filters = self.copies[place]
        self.filters, self._since = _copied(filters), 0
        for datum in [datum for datum in self.recent if datum[:2] > (time, number)]:
            self._absorb(datum)
        self._tidy()
        return True

    def _tidy(self) -> None:
        """Let go of the oldest copies, and of what is older than those that are left."""
        if len(self.copies) > KEPT:
            del self.copies[:-KEPT]
            first = self.copies[0][:2]
            self.recent = [datum for datum in self.recent if datum[:2] > first] or self.recent[-1:]

    def __getstate__(self) -> dict[str, Any]:
        """What is written down."""
        return {"origin": self.origin, "first": self.copies[0], "recent": [tuple(datum) for datum in self.recent]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What was written down."""
        self.origin = state["origin"]
        with one_blas_thread():
            self._begin(state["first"], [Datum(*row) for row in state["recent"]])


def _copied(filters: Sequence[Grid | StateSpace]) -> Filters:
    return [f.copy() for f in filters]
