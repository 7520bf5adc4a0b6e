"""Today's settings as places, and the places within reach of them: see `surrogate._reach`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ..core import TIME
from ..optim import ROUNDING
from ..space import Categorical
from ._units import values_at
from .data import Places
from .problem import TimeVarying, plain_box, restricted_box

Distances = tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]
"""Encoded distances below and above today's settings."""


class TodaysPlaces:
    """Today's settings as places, at any time and in any context.

    Args:
        problem: the problem, with its `current` settings; they count for nothing where points of a
            finite domain have coordinates of their own.

    Attributes:
        known: whether today's settings are told, and count.
        settable: variables that can be moved step by step, (d,); categories have no steps.
    """

    def __init__(self, problem: TimeVarying) -> None:
        self.problem = problem
        self.known = problem.today is not None and problem.coordinates is None
        moved = [v.name in problem.settable for v in problem.space]
        self.settable: Bool[np.ndarray, " d"] = np.array(moved) & ~problem.space.categorical
        self._seen = [problem.space.index(name) for name in problem.space.seen]

    def at_points(self, points: Float[np.ndarray, "r d"], time: float) -> Float[np.ndarray, "r d"]:
        """Encoded settings of today at a time, in the contexts of points (r, d); 0 for seen ones and categories.

        Without contexts that is one row for all of them.
        """
        values = values_at(self.problem.space, points)[:, self._seen]
        contexts, back = np.unique(values, axis=0, return_inverse=True)
        found = np.array([self.encoded(self._context(row), time) for row in contexts.tolist()])
        return np.where(self.settable, found[back.ravel()], 0.0)

    def away(self, points: Float[np.ndarray, "r d"], time: float) -> Float[np.ndarray, "r d"]:
        """By how much encoded points differ from today's settings at a time, in their contexts."""
        # rounded, so that a play of today's settings differs from them in nothing
        return np.round(points - self.at_points(points, time), 12)

    def _context(self, row: Sequence[float]) -> dict[str, Any]:
        """Seen values by name; categories are numbers there."""
        variables = [self.problem.variables[column] for column in self._seen]
        return {
            v.name: v.choices[round(x)] if isinstance(v, Categorical) else x
            for v, x in zip(variables, row, strict=True)
        }

    def encoded(self, context: Mapping[str, Any], time: float) -> Float[np.ndarray, " d"]:
        """Encoded settings of today at a time, in a context."""
        assert self.problem.today is not None
        today = self.problem.today({**context, TIME.name: time})
        return self.problem.space.encode([{**context, **today}])[0]

    def within(
        self, left: Places, context: Mapping[str, Any], time: float, distances: Distances
    ) -> Places | None:
        """Restrict places to those within reach; None where none is."""
        here, (down, up) = self.encoded(context, time), distances
        low = np.where(self.settable, here - down, -np.inf)
        high = np.where(self.settable, here + up, np.inf)
        if self.problem.points is not None:
            sites = range(len(self.problem.points)) if left.sites is None else left.sites
            left, points = Places(sites=sites), self.problem.points[np.array(sites)]
        elif left.points is not None:
            points = left.points
        else:
            return self._bounds(left, low, high)
        # levels at the ends are within, whatever rounding has made of the ends
        within = (low - ROUNDING <= points) & (points <= high + ROUNDING)
        near = np.flatnonzero(within.all(axis=1))
        return left.only(near) if near.size else None

    def _bounds(
        self, left: Places, low: Float[np.ndarray, " d"], high: Float[np.ndarray, " d"]
    ) -> Places | None:
        """Bounds within others; None: they have nothing in common, or limits leave nothing of it."""
        box, whole = plain_box(self.problem, left.bounds), plain_box(self.problem, None)
        low, high = np.where(self.settable, whole.snap(np.array([low, high])), [box.low, box.high])
        low, high = np.maximum(low, box.low), np.minimum(high, box.high)
        if (low > high).any():
            return None
        near = np.array([low, high])
        kept = restricted_box(
            self.problem, plain_box(self.problem, near), self.problem.limits or ()
        )
        return None if kept is None else Places(bounds=near)
