"""Today's settings as places, and the places within reach of them: see `surrogate._reach`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ..core import TIME
from ..space import Categorical
from .problem import TimeVarying, plain_box, restricted_box, scaled

Distances = tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]
"""Encoded distances below and above today's settings."""


class TodaysPlaces:
    """Today's settings as places, at any time and in any context.

    Args:
        problem: the problem, with its `current` settings; they count for nothing where points of a
            finite domain have coordinates of their own.
    """

    def __init__(self, problem: TimeVarying) -> None:
        self.problem = problem
        self.known = problem.today is not None and problem.coordinates is None
        self._seen = [problem.space.index(name) for name in problem.space.seen]

    @property
    def settable(self) -> Bool[np.ndarray, " d"]:
        """Variables that can be moved step by step; categories have no steps."""
        named = [
            v.name in self.problem.settable and not isinstance(v, Categorical)
            for v in self.problem.space
        ]
        return np.array(named)

    def points(self, places: np.ndarray) -> Float[np.ndarray, "r d"]:
        """Places as points in the user's units."""
        return places if self.problem.points is None else self.problem.points[places]

    def at_places(self, points: Float[np.ndarray, "r d"], time: float) -> Float[np.ndarray, "r d"]:
        """Encoded settings of today at a time, in the contexts of points (r, d); 0 for seen ones and categories.

        Without contexts that is one row for all of them.
        """
        contexts, back = np.unique(points[:, self._seen], axis=0, return_inverse=True)
        found = np.array([self._encoded(context, time) for context in contexts])
        return np.where(self.settable, found[back.ravel()], 0.0)

    def _encoded(self, context: Float[np.ndarray, " k"], time: float) -> Float[np.ndarray, " d"]:
        seen = {}
        for column, code in zip(self._seen, context.tolist(), strict=True):
            variable = self.problem.variables[column]
            seen[variable.name] = (
                variable.choices[round(code)] if isinstance(variable, Categorical) else code
            )
        return self.encoded(seen, time)

    def encoded(self, context: Mapping[str, Any], time: float) -> Float[np.ndarray, " d"]:
        """Encoded settings of today at a time, in a context."""
        assert self.problem.today is not None
        values = {**context, **self.problem.today({**context, TIME.name: time})}
        return scaled(
            self.problem,
            self.problem.place([values[name] for name in self.problem.space.names])[None],
        )[0]

    def within(
        self, available: Any, context: Mapping[str, Any], time: float, distances: Distances
    ) -> Any:
        """Restrict available places to those within reach, as `read_available` has them; None where none is."""
        left, problem = self.problem.within(available, context), self.problem
        here, (down, up) = self.encoded(context, time), distances
        low = np.where(self.settable, here - down, -np.inf)
        high = np.where(self.settable, here + up, np.inf)
        if problem.sites is not None or (left is not None and "points" in left):
            listed = (
                range(len(problem.sites)) if problem.sites is not None and left is None else left
            )
            return self._listed(listed, low, high)
        return self._bounds(left, low, high)

    def _listed(
        self, listed: Any, low: Float[np.ndarray, " d"], high: Float[np.ndarray, " d"]
    ) -> Any:
        """Listed places within encoded ends, those of a finite domain as numbers of `choices`; None: there is none."""
        numbered = self.problem.sites is not None
        places = np.array(listed if numbered else listed["points"])
        codes = scaled(self.problem, self.points(places))
        kept = places[((low <= codes) & (codes <= high)).all(axis=1)].tolist()
        if numbered:
            kept = [self.problem.choice_of_site[k] for k in kept]
        return (kept if numbered else {"points": kept}) if kept else None

    def _bounds(
        self, left: Any, low: Float[np.ndarray, " d"], high: Float[np.ndarray, " d"]
    ) -> Any:
        """Available bounds within encoded ends; None: they have nothing in common, or limits leave nothing of it."""
        box = plain_box(self.problem, left)
        near = {"low": box.low.tolist(), "high": box.high.tolist()}
        for j in np.flatnonzero(self.settable).tolist():
            variable = self.problem.variables[j]
            ends = np.clip([low[j], high[j]], 0.0, 1.0)
            least, most = (float(x) for x in variable.decode(ends))
            near["low"][j], near["high"][j] = max(near["low"][j], least), min(near["high"][j], most)
            if near["low"][j] > near["high"][j]:
                return None
        kept = restricted_box(
            self.problem, plain_box(self.problem, near), self.problem.limits or ()
        )
        return None if kept is None else near
