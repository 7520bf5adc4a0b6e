"""A box within linear limits and without some combinations: drawn from, and moved in, without a step outside.

Limits are on shares u of a coordinate's range: the coordinate itself, or for a logarithmic one what it is on the linear
scale. Coordinates with levels split a region into slices, each of them a polytope.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from .domain import Box
from .maximum import Value, finite
from .programme import Forbidden, Programme
from .walk import INWARDS, walked

_SLACK = 1e-12  # of a limit's size: what rounding leaves
_THIN = 1e-8  # the same where limits leave no inside
_SLICES = 12  # of which a walk starts: as many as programmes with random aims find


@dataclass(frozen=True, eq=False)
class Region(Box):
    """Points of a box with W u ≤ b, without some combinations of levels.

    Args:
        box: what it is part of.
        weights: W, (m, d).
        bounds: b, (m,).
        forbidden: combinations of levels, by coordinate.
        logs: (d,) logarithms of high/low of coordinates that are logarithmic on [0, 1]; 0 for the others.

    It may be empty: then there are no `middles`.

    >>> region = Region(Box([0, 0], [1, 1]), np.array([[1.0, 1.0]]), np.array([0.5]))
    >>> region.place(np.array([[0.9, 0.9], [0.1, 0.2]])).sum(1) <= 0.5
    array([ True,  True])
    """

    weights: Float[np.ndarray, "m d"]
    bounds: Float[np.ndarray, " m"]
    forbidden: Sequence[Forbidden]
    logs: Float[np.ndarray, " d"]

    def __init__(
        self,
        box: Box,
        weights: Float[np.ndarray, "m d"],
        bounds: Float[np.ndarray, " m"],
        forbidden: Sequence[Forbidden] = (),
        logs: Float[np.ndarray, " d"] | None = None,
    ) -> None:
        super().__init__(box.low, box.high, box.levels, box.unordered)
        object.__setattr__(self, "logs", np.zeros(box.dimension) if logs is None else logs)
        ends = np.abs(self.linear(np.array([box.low, box.high]))).max(axis=0)
        sizes = np.maximum(np.abs(weights) @ ends, np.abs(bounds))[:, None] + 1e-300
        object.__setattr__(self, "weights", weights / sizes)
        object.__setattr__(self, "bounds", bounds / sizes[:, 0])
        object.__setattr__(self, "forbidden", tuple(forbidden))

    # -- what is inside ------------------------------------------------------------------------------------------------

    def linear(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Their u."""
        if not self.logs.any():
            return points
        logs = np.where(self.logs > 0, self.logs, 1.0)
        return np.where(self.logs > 0, np.expm1(points * logs) / np.expm1(logs), points)

    def back(self, shares: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """The points of u."""
        if not self.logs.any():
            return shares
        logs = np.where(self.logs > 0, self.logs, 1.0)
        return np.where(self.logs > 0, np.log1p(np.clip(shares, 0.0, 1.0) * np.expm1(logs)) / logs, shares)

    def steepness(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """du/dz."""
        logs = np.where(self.logs > 0, self.logs, 1.0)
        return np.where(self.logs > 0, logs * np.exp(points * logs) / np.expm1(logs), 1.0)

    def back_of(self, j: int, shares: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Values of one coordinate, within its bounds, at u."""
        points = np.tile(self.linear(self.low[None]), (len(shares), 1))
        points[:, j] = np.clip(shares, *self.linear_of(j, np.array([self.low[j], self.high[j]])))
        return np.asarray(self.back(points)[:, j])

    def allows(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Which points of the box keep to all limits."""
        return self.inside(points)

    def inside(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Which points of the box are within what is known beforehand: sums and combinations."""
        within: Bool[np.ndarray, " n"] = (self.linear(points) @ self.weights.T <= self.bounds + self.slack).all(axis=1)
        return within & ~self.combined(points)

    def combined(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Which points have a combination that is forbidden."""
        found = np.zeros(len(points), dtype=bool)
        for combination in self.forbidden:
            found |= np.all([np.isin(points[:, j], list(some)) for j, some in combination.items()], axis=0)
        return found

    def only(self, value: Value) -> Value:
        """A function that is -inf outside, and not called there."""

        def inside(points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
            allowed = self.allows(points)
            values = np.full(len(points), -np.inf)
            if allowed.any():
                values[allowed] = finite(value(points[allowed]))
            return values

        return inside

    # -- its slices ----------------------------------------------------------------------------------------------------

    @cached_property
    def programme(self) -> Programme:
        """The region as an integer programme over u."""
        low, high = self.linear(np.array([self.low, self.high]))
        levels = [None if k is None else self.linear_of(j, k) for j, k in enumerate(self.levels)]
        forbidden = [
            {j: self.linear_of(j, np.array(list(some), dtype=float)) for j, some in each.items()}
            for each in self.forbidden
        ]
        return Programme(low, high, levels, self.weights, self.bounds, forbidden)

    def linear_of(self, j: int, values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """The u of values of one coordinate."""
        points = np.tile(self.low, (len(values), 1))
        points[:, j] = values
        return np.asarray(self.linear(points)[:, j])

    @cached_property
    def slack(self) -> float:
        """By how much of its size a limit may be overstepped: rounding, and more where limits leave no inside."""
        middles = self.middles if self.bounds.size else self.low[None]
        return max(_SLACK, 2.0 * float((self.linear(middles) @ self.weights.T - self.bounds).max(initial=0.0)))

    @cached_property
    def middles(self) -> Float[np.ndarray, "s d"]:
        """A point deep inside of each of some slices, `(s, d)`; none where there is nothing inside."""
        return np.array([*self._inside()]).reshape(-1, self.dimension)

    @cached_property
    def empty(self) -> bool:
        """Whether there are no `middles`: known as soon as one is found."""
        return next(self._inside(), None) is None

    def _inside(self) -> Iterator[Float[np.ndarray, " d"]]:
        random = np.random.Generator(np.random.Philox(0))
        fixed = np.array([k is not None for k in self.levels], dtype=bool)
        found: set[bytes] = set()
        for _ in range(_SLICES if fixed.any() else 1):
            end = self.programme.solve(random.standard_normal(self.dimension))
            if end is None:
                return
            if (key := end[fixed].tobytes()) not in found:
                found.add(key)
                middle = self._middle(end, random)
                if (self.weights @ self.linear(middle[None])[0] - self.bounds).max(initial=0.0) < _THIN:
                    yield middle

    def _middle(self, end: Float[np.ndarray, " d"], random: np.random.Generator) -> Float[np.ndarray, " d"]:
        """Of a slice, between its ends in opposite directions."""
        free = self.continuous
        if not free.any():
            return self._snapped(end)
        here, ends = self.programme.at(end), []
        for aim in [*np.eye(self.dimension)[free], *random.standard_normal((2, self.dimension))]:
            ends += [found for found in (here.solve(aim), here.solve(-aim)) if found is not None]
        middle = np.mean(ends, axis=0) if ends else end
        rows, exact = self.weights[self.exact][:, free], self.weights[self.exact]
        if rows.size:  # onto what is exact: programmes are solved to seven digits
            middle[free] += np.linalg.lstsq(rows, self.bounds[self.exact] - exact @ middle, rcond=None)[0]
        return self._snapped(middle)

    @cached_property
    def directions(self) -> Float[np.ndarray, "d k"]:
        """Along which numbers without levels may move, the others held: an orthonormal basis."""
        free = self.continuous
        rows = self.weights[self.exact][:, free]
        rank = np.linalg.matrix_rank(rows) if rows.size else 0
        basis = np.zeros((self.dimension, int(free.sum()) - rank))
        basis[free] = np.linalg.svd(rows)[2][rank:].T if rank else np.eye(int(free.sum()))
        return basis

    @cached_property
    def along(self) -> Float[np.ndarray, "d d"]:
        """The projection onto these directions."""
        return self.directions @ self.directions.T

    @cached_property
    def exact(self) -> Bool[np.ndarray, " m"]:
        """Which limits another one makes exact: W u ≤ b and −W u ≤ −b."""
        both = np.column_stack([self.weights, self.bounds])
        return np.array([(np.abs(row + both).max(axis=1) < _SLACK).any() for row in both], dtype=bool)

    def _snapped(self, shares: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
        return np.asarray(self.snap(self.back(shares[None]))[0])

    # -- points of it --------------------------------------------------------------------------------------------------

    def place(self, unit: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Points of the unit cube, `(n, d)`, spread over the region: those that the box places inside stay there."""
        points = super().place(unit)
        outside = np.flatnonzero(~self.inside(points))
        if outside.size:
            words = np.ascontiguousarray(unit[outside[0]]).view(np.uint32)
            random = np.random.Generator(np.random.Philox(np.random.SeedSequence(words.tolist())))
            points[outside] = walked(self, points[outside], random)
        return points

    def grid(self) -> Float[np.ndarray, "n d"]:
        """All points of a finite region."""
        points = super().grid()
        return points[self.inside(points)]

    def into(self, point: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
        """A point where that is inside; else how far one comes towards it from the middle of a slice, the nearest."""
        if self.inside(point[None])[0]:
            return point
        tried = np.array([self.nearer(point[None], middle)[0] for middle in self.middles])
        return np.asarray(tried[((tried - point) ** 2).sum(axis=1).argmin()])

    def nearer(self, points: Float[np.ndarray, "n d"], start: Float[np.ndarray, " d"]) -> Float[np.ndarray, "n d"]:
        """As far towards points as limits let, on straight ways in u from a point inside; its levels stay."""
        u, towards = self.linear(start[None])[0], self.linear(points)
        towards = np.where(self.continuous, towards, u)
        way = towards - u
        return self.back(u + self.reach(np.broadcast_to(u, way.shape), way)[1].clip(0.0, 1.0)[:, None] * way)

    def reach(self, u: np.ndarray, way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far along a way points may go back and forth, (n,) each, as multiples of it."""
        room = np.maximum(self.bounds - INWARDS - u @ self.weights.T, 0.0)
        pace = way @ self.weights.T
        pace[:, self.exact] = 0.0  # ways lie within these
        low, high = self.linear(np.array([self.low, self.high]))
        room = np.concatenate([room, np.maximum(high - u, 0.0), np.maximum(u - low, 0.0)], axis=1)
        pace = np.concatenate([pace, way, -way], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = room / np.abs(pace)
        forth = np.where(pace > 0, ratio, np.inf).min(axis=1)
        back = np.where(pace < 0, ratio, np.inf).min(axis=1)
        return -np.where(np.isfinite(back), back, 0.0), np.where(np.isfinite(forth), forth, 0.0)
