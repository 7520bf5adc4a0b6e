"""Plays that are still to come: how many, how far apart in time, and in which contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..core import TIME, History, last_time, time_of
from ..space import Categorical, Space

ASSUMED = 20
"""Plays still to come where neither money nor rounds are limited; from so many rounds on, as many as there were."""


MOST_AFTERWARDS = 3.0
"""Plays afterwards that count in the width of bounds, at most, as a multiple of those of the study."""


def plays_to_come(history: History, price: float, switching: float) -> float:
    """Number of plays at a price that remain after a switching cost is paid, by the money and the rounds left.

    Where neither is limited: as many as there were, and at least `ASSUMED`.
    """
    left = [] if history.limit is None else [float(history.limit - len(history))]
    if history.budget is not None and price > 0:
        left.append((history.remaining - switching) / price)
    return max(min(left, default=float(max(len(history), ASSUMED))), 0.0)


def plays_served(history: History, left: float, afterwards: float) -> float:
    """Number of plays that a lesson serves: those left, and those afterwards.

    Of these no more count than three times the study's own plays. A wide bound pays only as far as
    the rounds of the study can narrow it down again: with two thousand plays for sixty rounds
    answers were no better than with two hundred, and plays far worse.
    """
    return left + min(afterwards, MOST_AFTERWARDS * (len(history) + left))


def share_used(history: History, more: float = 0.0) -> float:
    """Share of the rounds, or of the money if that is larger, that is used so far and by paying some more.

    Where neither is limited: of `ASSUMED` rounds.
    """
    rounds = (
        len(history) / (history.limit or ASSUMED)
        if history.limit or history.budget is None
        else 0.0
    )
    return max(
        rounds,
        (history.budget - history.remaining + more) / history.budget if history.budget else 0.0,
    )


def time_between_rounds(history: History) -> float:
    """Mean time between two rounds; 1 where the time of fewer than two is known."""
    times = [time_of(played) for played in history if TIME.name in played.request]
    last = last_time(history)
    # a later one was mistyped: its round is void or abandoned
    times = [time for time in times if time <= last]
    return (max(times) - min(times)) / (len(times) - 1) if len(times) > 1 else 1.0


def persistence(contexts: Sequence[Mapping[str, float]], space: Space) -> float:
    """Likeness of successive encoded contexts: 0 as any two, 1 all the same.

    It is 1 less their mean distance, as a share of that of any two. O(n²) for n contexts.

    >>> from steerbo.space import Float
    >>> wind = Space([Float("wind", 0, 1, seen=True)])
    >>> [persistence([{"wind": x} for x in winds], wind) for winds in ([0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1])]
    [0.0, 0.5, 1.0]
    """
    apart = np.zeros((len(contexts), len(contexts)))
    for name in space.seen:
        # nature draws a missing one
        at = np.array([context.get(name, np.nan) for context in contexts])
        distances = np.nan_to_num(np.abs(np.subtract.outer(at, at)))
        apart += np.sign(distances) if isinstance(space[name], Categorical) else distances
    if not apart.any():
        return 1.0
    successive, pairs = np.diagonal(apart, 1).mean(), len(apart) * (len(apart) - 1)
    return float(np.clip(1.0 - successive * pairs / apart.sum(), 0.0, 1.0))
