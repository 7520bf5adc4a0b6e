"""Places that were tried and gave nothing: of a box, which has no end of them, those tried last."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .acquisition import Place, Unknown
from .memory import KEPT, MOST


class Tries:
    """Failed and voided tries by place; on a box 256 to 320 places at most.

    >>> tries = Tries()
    >>> for time in (1.0, 5.0):
    ...     tries.add(3, time)
    >>> list(tries)
    [Unknown(place=3, time=5.0, times=2)]
    """

    def __init__(self) -> None:
        self._places: dict[object, Unknown] = {}

    def __iter__(self) -> Iterator[Unknown]:
        return iter(self._places.values())

    def __len__(self) -> int:
        return len(self._places)

    def add(self, place: Place, time: float) -> None:
        """One more, at a time."""
        key = tuple(place) if isinstance(place, np.ndarray) else place
        before = self._places.get(key)
        last, times = (max(time, before.time), before.times + 1) if before else (time, 1)
        self._places[key] = Unknown(place, last, times)
        if isinstance(place, np.ndarray) and len(self._places) > MOST:
            latest = set(sorted(self._places, key=lambda one: self._places[one].time)[-KEPT:])
            self._places = {one: known for one, known in self._places.items() if one in latest}
