"""Whole and real numbers within linear limits, by integer programming: is there anything, and where are its ends?

Every coordinate is counted from its lowest value in units of its range, or in steps; a category is one number, 0 or 1,
for each of its levels, of which one is 1.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

Forbidden = Mapping[int, Collection[float]]
"""A combination that must not be: levels by coordinate."""
_EVEN = 1e-9  # of the widest gap: levels that lie evenly


@dataclass(frozen=True, eq=False)
class Programme:
    """Points x with W x ≤ b, low ≤ x ≤ high, some of whose coordinates take levels, without some combinations.

    Args:
        low, high: bounds (d,).
        levels: for each coordinate `None`, or the values it can take, ascending.
        weights: W, (m, d), scaled rows.
        bounds: b, (m,).
        forbidden: combinations of levels.
    """

    low: Float[np.ndarray, " d"]
    high: Float[np.ndarray, " d"]
    levels: Sequence[Float[np.ndarray, " k"] | None]
    weights: Float[np.ndarray, "m d"]
    bounds: Float[np.ndarray, " m"]
    forbidden: Sequence[Forbidden] = ()

    def solve(self, aim: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"] | None:
        """A point with the largest `aim · x`; None where there is no point at all."""
        from scipy.optimize import Bounds, LinearConstraint, milp  # start-up time

        columns, base, upper, whole = self._columns
        rows, least, most = self._rows
        found = milp(
            -(columns.T @ aim),
            integrality=whole,
            bounds=Bounds(0.0, upper),
            constraints=LinearConstraint(rows, least, most) if len(rows) else None,
        )
        if found.x is None:
            return None
        variables = np.where(whole > 0, np.rint(found.x), found.x)
        return self._snapped(base + columns @ variables)

    @cached_property
    def _columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """How points follow from the programme's variables v: x = base + columns · v, 0 ≤ v ≤ upper, some whole."""
        parts: list[tuple[np.ndarray, np.ndarray, int]] = []  # the coordinate's share of each variable, upper, whole
        base = self.low.copy()
        for j, levels in enumerate(self.levels):
            if levels is None:
                parts.append((np.array([self.high[j] - self.low[j]]), np.ones(1), 0))
            elif self._one_by_one(j):
                base[j] = 0.0
                parts.append((levels, np.ones(len(levels)), 1))
            else:
                base[j] = levels[0]
                step = (levels[-1] - levels[0]) / max(len(levels) - 1, 1)
                parts.append((np.array([step]), np.array([len(levels) - 1.0]), 1))
        columns = np.zeros((len(parts), sum(len(share) for share, _, _ in parts)))
        first = 0
        for j, (share, _, _) in enumerate(parts):
            columns[j, first : first + len(share)] = share
            first += len(share)
        upper = np.concatenate([top for _, top, _ in parts]) if parts else np.empty(0)
        return columns, base, upper, np.repeat([w for _, _, w in parts], [len(s) for s, _, _ in parts])

    def _one_by_one(self, j: int) -> bool:
        """Whether each level of a coordinate is a variable of its own: it may be forbidden, or levels lie unevenly."""
        levels = self.levels[j]
        if levels is None or any(j in each for each in self.forbidden):
            return levels is not None
        gaps = np.diff(levels)
        return bool(gaps.size and np.ptp(gaps) > _EVEN * np.abs(levels).max())

    @cached_property
    def _rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The limits on the programme's variables: rows, and what they come to at least and at most."""
        columns, base, _, _ = self._columns
        rows = [self.weights @ columns]
        least, most = [np.full(len(self.bounds), -np.inf)], [self.bounds - self.weights @ base]
        sizes = [len(k) if k is not None and self._one_by_one(j) else 1 for j, k in enumerate(self.levels)]
        places = np.cumsum([0, *sizes])
        for j, levels in enumerate(self.levels):
            if levels is not None and self._one_by_one(j):  # one of its levels
                one = np.zeros((1, columns.shape[1]))
                one[0, places[j] : places[j + 1]] = 1.0
                rows.append(one)
                least.append(np.ones(1))
                most.append(np.ones(1))
        for combination in self.forbidden:
            one = np.zeros((1, columns.shape[1]))
            for j, some in combination.items():
                levels = self.levels[j]
                assert levels is not None
                one[0, places[j] : places[j + 1]] = np.isin(levels, list(some))
            rows.append(one)
            least.append(np.full(1, -np.inf))
            most.append(np.full(1, len(combination) - 1.0))
        return np.concatenate(rows), np.concatenate(least), np.concatenate(most)

    def _snapped(self, x: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
        """Levels as they are written, numbers within their bounds."""
        x = np.clip(x, self.low, self.high)
        for j, levels in enumerate(self.levels):
            if levels is not None:
                x[j] = levels[np.abs(levels - x[j]).argmin()]
        return x

    def at(self, levels: Float[np.ndarray, " d"]) -> Programme:
        """The same where all coordinates with levels have those of a point."""
        held = [None if k is None else levels[j : j + 1] for j, k in enumerate(self.levels)]
        return Programme(self.low, self.high, held, self.weights, self.bounds)

    def without(self, rows: Collection[int], combinations: Collection[int]) -> Programme:
        """The same with these limits alone: rows of W and forbidden combinations."""
        kept = sorted(rows)
        forbidden = [self.forbidden[k] for k in sorted(combinations)]
        return Programme(self.low, self.high, self.levels, self.weights[kept], self.bounds[kept], forbidden)
