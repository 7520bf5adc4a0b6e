"""Times that external data say themselves, and how far ahead of all others a time may be.

A single time far ahead of all others was probably mistyped: nothing is counted from it until
another one is near it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .._evidence import gaps_ahead
from .._parsing import is_number

COMPARED = 100
"""Rounds, and as many pieces of data, that tell the usual step."""


@dataclass(frozen=True, order=True)
class Dated:
    """Time that external data say.

    Args:
        time: the time.
        rounds: number of rounds when it was stated.
        name: of the data.
    """

    time: float
    rounds: int
    name: str


@dataclass(frozen=True)
class Leap:
    """Step to a time that lies far ahead of all others, and the largest step between these."""

    step: float
    largest: float


def far_ahead(time: float, others: Sequence[float]) -> Leap | None:
    """The leap from all other times to one that is far ahead of them; None: it is not, or they are too few.

    >>> far_ahead(55.0, [1.0, 2.0, 3.0, 4.0])
    Leap(step=51.0, largest=1.0)
    >>> far_ahead(54.0, [1.0, 2.0, 3.0, 4.0]), far_ahead(55.0, [1.0])
    (None, None)
    """
    if len(others) < 2:
        return None
    times = sorted(others)
    step = time - times[-1]
    largest = max(after - before for before, after in pairwise(times))
    return Leap(step, largest) if 0 < gaps_ahead(len(times) - 1) * largest < step else None


class Dates:
    """Times of external data, in order."""

    def __init__(self) -> None:
        self._of: dict[str, Dated] = {}
        self._sorted: list[Dated] = []

    def __bool__(self) -> bool:
        return bool(self._sorted)

    def state(self, name: str, time: Any, rounds: int) -> None:
        """State the time of data, or another one; None: they say none, or are void."""
        before = self._of.get(name)
        if before is not None and before.time == time:
            return
        if before is not None:
            del self._sorted[bisect_left(self._sorted, self._of.pop(name))]
        if is_number(time):
            self._of[name] = Dated(float(time), rounds, name)
            insort(self._sorted, self._of[name])

    def reach(self, time: float) -> bool:
        """Whether any of them is at a time or later."""
        return bool(self._sorted) and self._sorted[-1].time >= time

    def last(self, n: int) -> list[Dated]:
        """The n latest ones, or as many as there are, in order."""
        return self._sorted[-n:]

    def stated_since(self, rounds: int, latest: Dated, time: float) -> Dated | None:
        """The latest one after a time, up to another one, that was stated after so many rounds; None: there is none."""
        for dated in reversed(self._sorted):
            if dated.time <= time:
                return None
            if dated.rounds >= rounds and dated <= latest:
                return dated
        return None

    def later(self, time: float, rounds: int) -> Dated | None:
        """The latest one after a time that was stated before there were more than so many rounds; None: there is none.

        >>> dates = Dates()
        >>> dates.state("added-1", 40.0, 0)
        >>> dates.later(30.0, 0).name, dates.later(40.0, 0)
        ('added-1', None)
        """
        for dated in reversed(self._sorted):
            if dated.time <= time:
                return None
            if dated.rounds <= rounds:
                return dated
        return None


def beginning(number: int, time: float, counted: bool = False) -> float:
    """Time of data that came before the first round and say no time: that of this round, which has a number.

    Where the time of rounds is counted, an event before the first of them is one earlier: as of 0,
    where it is their number, else as of the latest data that say their time.

    >>> beginning(1, 1000.0), beginning(1, 1.0), beginning(1, 41.0, counted=True)
    (1000.0, 0.0, 40.0)
    """
    return 0.0 if time == number else time - 1.0 if counted else time
