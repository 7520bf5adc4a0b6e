"""Feasible regions: a box within linear constraints, without forbidden combinations, where a margin is ≥ 0.

Constraints are on shares u of a coordinate's range: the coordinate itself, or its position on the
linear scale for a logarithmic one. Coordinates with levels split a region into slices, each of them
a polytope.

* `MixedIntegerProgram`: emptiness and extreme points by integer programming. Coordinates count from
  their lowest value in units of their range, or in steps; a category is one 0/1 number for each of
  its levels.
* `hit_and_run`: sampling by steps of many points at once, along random lines, along sums that must
  be equal, and one coordinate at a time.
* `Polytope`: projection, sampling and moves that never leave the region.
* `FeasibleRegion`: a box or polytope with a feasibility margin that was learned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from .._arrays import Bool, Float
from ._domain import ENUMERATED, ROUNDING, Box, Maximum, nearest
from ._lbfgs import differences

Forbidden = Mapping[int, Collection[float]]
"""A combination that must not be: levels by coordinate."""
_EVEN = 1e-9  # of the widest gap: levels that lie evenly


@dataclass(frozen=True, eq=False)
class MixedIntegerProgram:
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
        """Map from the programme's variables v to points: x = base + columns · v, 0 ≤ v ≤ upper, some whole."""
        # the coordinate's share of each variable, upper, whole
        parts: list[tuple[np.ndarray, np.ndarray, int]] = []
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
        return (
            columns,
            base,
            upper,
            np.repeat([w for _, _, w in parts], [len(s) for s, _, _ in parts]),
        )

    def _one_by_one(self, j: int) -> bool:
        """Whether each level of a coordinate is a variable of its own: it may be forbidden, or levels lie unevenly."""
        levels = self.levels[j]
        if levels is None or any(j in each for each in self.forbidden):
            return levels is not None
        gaps = np.diff(levels)
        return bool(gaps.size and np.ptp(gaps) > _EVEN * np.abs(levels).max())

    @cached_property
    def _rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Constraints on the programme's variables: rows with lower and upper bounds."""
        columns, base, _, _ = self._columns
        rows = [self.weights @ columns]
        least, most = [np.full(len(self.bounds), -np.inf)], [self.bounds - self.weights @ base]
        sizes = [
            len(k) if k is not None and self._one_by_one(j) else 1
            for j, k in enumerate(self.levels)
        ]
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

    def at(self, levels: Float[np.ndarray, " d"]) -> MixedIntegerProgram:
        """Fix all coordinates with levels at those of a point."""
        held = [None if k is None else levels[j : j + 1] for j, k in enumerate(self.levels)]
        return MixedIntegerProgram(self.low, self.high, held, self.weights, self.bounds)


INWARDS = 1e-13
"""Of a limit's size: how far inside of it moves aim, so that rounding in other units stays inside, too."""
# of a walk: one step along a random line, and one along each of the moves and of the coordinates
_SWEEPS = 4
# levels of one coordinate that are all looked at where combinations are forbidden
_ENUMERATED = 4096
_LISTED = 2**19  # beginnings of points that are looked at together where all points are listed


def hit_and_run(
    region: Polytope, points: Float[np.ndarray, "n d"], random: np.random.Generator
) -> Float[np.ndarray, "n d"]:
    """Points inside of a region, one for each that is given.

    They begin in the middle of slices, go towards the points that are given as far as limits let,
    and then by turns along a random line (hit and run; Smith 1984), along each of the region's
    moves and along each coordinate in turn, each as far as any other.
    """
    points = points.copy()
    which = (np.arange(len(points)) + random.integers(len(region.middles))) % len(region.middles)
    for s, middle in enumerate(region.middles):
        rows = which == s
        points[rows] = region.nearer(points[rows], middle)
    for _ in range(_SWEEPS):
        if region.directions.size:
            u = region.linear(points)
            way = random.standard_normal((len(u), region.directions.shape[1])) @ region.directions.T
            back, forth = region.reach(u, way)
            points = region.back(u + (back + (forth - back) * random.random(len(u)))[:, None] * way)
        for way in region.moves:
            points = _moved_along(region, points, way, random.random(len(points)))
        for j in range(region.dimension):
            points[:, j] = _moved(region, points, j, random.random(len(points)))
    return points


def _moved_along(
    region: Polytope,
    points: Float[np.ndarray, "n d"],
    way: Float[np.ndarray, " d"],
    unit: Float[np.ndarray, " n"],
) -> Float[np.ndarray, "n d"]:
    """Sample uniformly from the points that lie whole multiples of a move away."""
    u = region.linear(points)
    back, forth = region.reach(u, np.broadcast_to(way, u.shape))
    first, last = np.ceil(np.round(back, 6)), np.floor(np.round(forth, 6))
    times = np.minimum(first + np.floor(unit * (last - first + 1.0)), last)
    moved = region.snap(region.back(u + times[:, None] * way))
    return np.where(region.inside(moved)[:, None], moved, points)


def _moved(
    region: Polytope, points: Float[np.ndarray, "n d"], j: int, unit: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Sample one coordinate uniformly from the interval that the others leave."""
    w = region.weights[:, j]
    if region.exact[w != 0].any():
        return points[:, j]
    u = region.linear(points)
    rest = u @ region.weights.T - np.outer(u[:, j], w)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = (region.bounds - rest) / w
    high = np.where(w > 0, ends, np.inf).min(axis=1, initial=np.inf)
    low = np.where(w < 0, ends, -np.inf).max(axis=1, initial=-np.inf)
    levels = region.levels[j]
    if levels is None:
        below, above = region.back_of(j, low + INWARDS), region.back_of(j, high - INWARDS)
        above = np.maximum(above, below)
        return np.asarray(below + unit * (above - below))
    return _level(region, points, j, (low, high), unit)


def _level(
    region: Polytope,
    points: Float[np.ndarray, "n d"],
    j: int,
    ends: tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]],
    unit: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """A level of coordinate j with u between ends that forms no forbidden combination; as it was if there is none."""
    levels, (low, high) = region.levels[j], ends
    assert levels is not None
    shares, parts = region.linear_of(j, levels), region.level_ends(j)
    if levels.size <= _ENUMERATED and any(j in each for each in region.forbidden):
        fits = (shares >= low[:, None] - region.slack) & (shares <= high[:, None] + region.slack)
        for k, level in enumerate(levels):
            tried = points.copy()
            tried[:, j] = level
            fits[:, k] &= ~region.combined(tried)
        reached = np.cumsum(fits * np.diff(parts), axis=1)
        place = (reached > unit[:, None] * reached[:, -1:]).argmax(axis=1)
        return np.where(fits.any(axis=1), levels[place], points[:, j])
    first = np.searchsorted(shares, low - region.slack)
    after = np.searchsorted(shares, high + region.slack, side="right")
    at = parts[first] + unit * (parts[after] - parts[first])
    place = np.searchsorted(parts[1:-1], at, side="right").clip(first, after - 1)
    return np.where(after > first, levels[place], points[:, j])


_THIN = 1e-8  # the same where limits leave no inside
_SLICES = 12  # of which a walk starts: as many as programmes with random aims find


@dataclass(frozen=True, eq=False)
class Polytope(Box):
    """Points of a box with W u ≤ b, without some combinations of levels.

    Args:
        box: the box that it is part of.
        weights: W, (m, d).
        bounds: b, (m,).
        forbidden: combinations of levels, by coordinate.
        logs: (d,) logarithms of high/low of coordinates that are logarithmic on [0, 1]; 0 for the
            others.

    It may be empty: then there are no `middles`.

    >>> region = Polytope(Box([0, 0], [1, 1]), np.array([[1.0, 1.0]]), np.array([0.5]))
    >>> region.place(np.array([[0.9, 0.9], [0.1, 0.2]])).sum(1) <= 0.5
    array([ True,  True])
    """

    weights: Float[np.ndarray, "m d"]
    bounds: Float[np.ndarray, " m"]
    forbidden: Sequence[Forbidden]
    logs: Float[np.ndarray, " d"]
    constrained: ClassVar[bool] = True

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
        ends = np.abs(self.linear_ends).max(axis=0)
        sizes = np.maximum(np.abs(weights) @ ends, np.abs(bounds))[:, None] + 1e-300
        object.__setattr__(self, "weights", weights / sizes)
        object.__setattr__(self, "bounds", bounds / sizes[:, 0])
        object.__setattr__(self, "forbidden", tuple(forbidden))

    @classmethod
    def of(cls, box: Box) -> Polytope:
        """A box as a polytope, without constraints where it has none; a polytope itself, with its known points."""
        if isinstance(box, Polytope):
            return box
        return cls(box, np.zeros((0, box.dimension)), np.zeros(0))

    @cached_property
    def reduced(self) -> Box | None:
        """A box where each constraint is on one coordinate alone, which is its bound; None: nothing is inside.

        >>> Polytope(Box([0, 0], [1, 1]), np.array([[2.0, 0.0]]), np.array([0.5])).reduced.high.round(6)
        array([0.25, 1.  ])
        """
        moved = self.weights != 0.0
        if self.forbidden or (moved.sum(axis=1) > 1).any():
            return None if self._middle_of_one is None else self
        low, high, levels = self.low.copy(), self.high.copy(), [*self.levels]
        for k, j in np.argwhere(moved).tolist():
            weight, bound = self.weights[k, j], self.bounds[k]
            if (every := levels[j]) is not None:
                left = every[weight * self.linear_of(j, every) <= bound + ROUNDING]
                if not left.size:
                    return None
                levels[j], low[j], high[j] = left, left[0], left[-1]
                continue
            (end,) = self.back_of(j, np.array([bound / weight]))
            if weight > 0.0:
                high[j] = min(high[j], end - INWARDS)
            else:
                low[j] = max(low[j], end + INWARDS)
            least = weight * self.linear_of(j, (low if weight > 0.0 else high)[[j]])[0]
            if least - bound >= _THIN:
                return None
        # both may aim inwards of one number
        middle = np.clip(0.5 * (low + high), self.low, self.high)
        low, high = (np.where(low > high, middle, end) for end in (low, high))
        return Box(low, high, levels, self.unordered)

    # -- the inside --------------------------------------------------------------------------------

    def linear(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Their u."""
        if not self.logs.any():
            return points
        logs = np.where(self.logs > 0, self.logs, 1.0)
        return np.where(self.logs > 0, np.expm1(points * self.logs) / np.expm1(logs), points)

    @cached_property
    def linear_ends(self) -> Float[np.ndarray, "2 d"]:
        """The u of the bounds; those of a value that was measured beyond its variable's range are beyond [0, 1]."""
        return self.linear(np.array([self.low, self.high]))

    def back(self, shares: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """The points of u."""
        if not self.logs.any():
            return shares
        logs = np.where(self.logs > 0, self.logs, 1.0)
        return np.where(
            self.logs > 0,
            np.log1p(np.clip(shares, *self.linear_ends) * np.expm1(logs)) / logs,
            shares,
        )

    def steepness(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """du/dz."""
        logs = np.where(self.logs > 0, self.logs, 1.0)
        return np.where(self.logs > 0, logs * np.exp(points * self.logs) / np.expm1(logs), 1.0)

    def back_of(self, j: int, shares: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Values of one coordinate, within its bounds, at u."""
        points = np.tile(self.linear(self.low[None]), (len(shares), 1))
        points[:, j] = np.clip(shares, *self.linear_of(j, np.array([self.low[j], self.high[j]])))
        return np.asarray(self.back(points)[:, j])

    def allows(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Mark points of the box that satisfy all constraints."""
        return self.inside(points)

    def inside(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Mark points of the box that satisfy linear constraints and have no forbidden combination."""
        within: Bool[np.ndarray, " n"] = (
            self.linear(points) @ self.weights.T <= self.bounds + self.slack
        ).all(axis=1)
        return within & ~self.combined(points)

    def combined(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Mark points with a forbidden combination."""
        found = np.zeros(len(points), dtype=bool)
        for combination in self.forbidden:
            found |= np.all(
                [np.isin(points[:, j], list(some)) for j, some in combination.items()], axis=0
            )
        return found

    @property
    def size(self) -> float:
        """Number of points inside, where all are listed; else that of the box around it."""
        return super().size if self.points is None else float(len(self.points))

    @cached_property
    def points(self) -> Float[np.ndarray, "n d"] | None:
        """All points inside, the last coordinate running fastest, where they are few; None: there are more.

        They are found a coordinate at a time, by what the others add to a sum at least.
        """
        if self.continuous.any():
            return None
        axes = [self.low[j : j + 1] if k is None else k for j, k in enumerate(self.levels)]
        sums = [
            np.outer(self.linear_of(j, axis), self.weights[:, j]) for j, axis in enumerate(axes)
        ]
        more = [each - each.min(axis=0) for each in sums]
        room = self.bounds + self.slack - sum(each.min(axis=0) for each in sums)
        points, added = np.zeros((1, 0)), np.zeros((1, len(room)))
        for axis, extra in zip(axes, more, strict=True):
            near = (extra <= room).all(axis=1)
            axis, extra = axis[near], extra[near]
            if len(points) * len(axis) > _LISTED:
                return None
            rows, which = (added[:, None] + extra <= room).all(axis=2).nonzero()
            if len(rows) > ENUMERATED:
                return None
            points = np.column_stack([points[rows], axis[which]])
            added = added[rows] + extra[which]
        return np.asarray(points[self.inside(points)])

    # -- its slices --------------------------------------------------------------------------------

    @cached_property
    def programme(self) -> MixedIntegerProgram:
        """The region as an integer programme over u."""
        low, high = self.linear_ends
        levels = [None if k is None else self.linear_of(j, k) for j, k in enumerate(self.levels)]
        forbidden = [
            {j: self.linear_of(j, np.array(list(some), dtype=float)) for j, some in each.items()}
            for each in self.forbidden
        ]
        return MixedIntegerProgram(low, high, levels, self.weights, self.bounds, forbidden)

    def linear_of(self, j: int, values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """The u of values of one coordinate."""
        points = np.tile(self.low, (len(values), 1))
        points[:, j] = values
        return np.asarray(self.linear(points)[:, j])

    @cached_property
    def slack(self) -> float:
        """Tolerance of a constraint relative to its size: rounding, and more where there is no interior."""
        middles = self.middles if self.bounds.size else self.low[None]
        return max(
            ROUNDING,
            2.0 * float((self.linear(middles) @ self.weights.T - self.bounds).max(initial=0.0)),
        )

    @cached_property
    def middles(self) -> Float[np.ndarray, "s d"]:
        """A point deep inside of each of some slices, `(s, d)`; none where there is nothing inside."""
        if all(k is None for k in self.levels):  # one slice
            return np.array([] if self._middle_of_one is None else [self._middle_of_one]).reshape(
                -1, self.dimension
            )
        return np.array([*self._inside()]).reshape(-1, self.dimension)

    @property
    def empty(self) -> bool:
        """Whether nothing is inside: known as soon as one point is found."""
        return self.reduced is None

    @cached_property
    def _middle_of_one(self) -> Float[np.ndarray, " d"] | None:
        """The first of the `middles`."""
        return next(self._inside(), None)

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
                if (self.weights @ self.linear(middle[None])[0] - self.bounds).max(
                    initial=0.0
                ) < _THIN:
                    yield middle

    def _middle(
        self, end: Float[np.ndarray, " d"], random: np.random.Generator
    ) -> Float[np.ndarray, " d"]:
        """Centre of a slice, between its ends in opposite directions."""
        free = self.continuous
        if not free.any():
            return self._snapped(end)
        here, ends = self.programme.at(end), []
        for aim in [*np.eye(self.dimension)[free], *random.standard_normal((2, self.dimension))]:
            ends += [found for found in (here.solve(aim), here.solve(-aim)) if found is not None]
        middle = np.mean(ends, axis=0) if ends else end
        rows, exact = self.weights[self.exact][:, free], self.weights[self.exact]
        if rows.size:  # onto exact constraints: programmes are solved to seven digits
            middle[free] += np.linalg.lstsq(
                rows, self.bounds[self.exact] - exact @ middle, rcond=None
            )[0]
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
    def moves(self) -> Float[np.ndarray, "k d"]:
        """Steps in u along sums with two ends, from levels to levels; numbers without levels make up for them.

        A basis of the lattice of such steps, by Euclid's algorithm, and the sums and differences of
        two that are no longer: of one sum of shares every exchange between two of them.

        >>> thirds = [np.arange(4) / 3] * 3
        >>> region = Polytope(Box([0] * 3, [1] * 3, thirds), np.array([[1.0] * 3, [-1.0] * 3]), np.array([1.0, -1]))
        >>> (3 * region.moves).round().tolist()
        [[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0], [0.0, 1.0, -1.0]]
        """
        sizes, free = np.linalg.norm(self.weights, axis=1)[:, None] + 1e-300, self.continuous
        rows = self.weights / sizes
        opposite = (np.abs(rows[:, None] + rows).max(axis=2, initial=0.0) < ROUNDING).any(axis=1)
        rows = rows[opposite]
        steps = np.zeros(self.dimension)
        for j, levels in enumerate(self.levels):
            if levels is not None and levels.size > 1 and rows[:, j].any():
                steps[j] = np.diff(self.linear_of(j, levels)).min()
        basis, left = np.diag(steps)[steps > 0], rows
        for j in np.flatnonzero(free & (rows != 0).any(axis=0)).tolist():  # it makes up for one sum
            k = int(np.argmax(np.append(np.abs(left[:, j]), ROUNDING)))
            if k < len(left):
                left = np.delete(left - np.outer(left[:, j] / left[k, j], left[k]), k, axis=0)
        for row in left:
            nothing = _EVEN * np.abs(row * steps).max()
            while (np.abs(sums := basis @ row) > nothing).sum() > 1:
                size = np.where(np.abs(sums) > nothing, np.abs(sums), np.inf)
                times = np.rint(sums / sums[size.argmin()])
                times[size.argmin()] = 0.0
                basis = basis - np.outer(times, basis[size.argmin()])
            basis = basis[np.abs(sums) <= nothing]
        if free.any() and basis.size:
            basis[:, free] -= np.linalg.lstsq(rows[:, free], rows @ basis.T, rcond=None)[0].T
        longest = np.linalg.norm(basis, axis=1).max(initial=0.0) * (1.0 + _EVEN)
        pairs = [a + sign * b for a, b in combinations(basis, 2) for sign in (1.0, -1.0)]
        return np.array([*basis, *(each for each in pairs if np.linalg.norm(each) <= longest)])

    @cached_property
    def exact(self) -> Bool[np.ndarray, " m"]:
        """Mark rows that an opposite row turns into an equality: W u ≤ b and −W u ≤ −b."""
        both = np.column_stack([self.weights, self.bounds])
        return np.array(
            [(np.abs(row + both).max(axis=1) < ROUNDING).any() for row in both], dtype=bool
        )

    def _snapped(self, shares: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
        return np.asarray(self.snap(self.back(shares[None]))[0])

    # -- points of it ------------------------------------------------------------------------------

    def place(self, unit: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Place points of the unit cube, `(n, d)`, in the region.

        Where all points are listed each coordinate takes a level by how many points have it, of
        those with the levels before it. Else points that the box places inside stay.
        """
        if self.points is not None and 0 < len(self.points) < super().size:
            return self._listed(self.points, unit)
        points = super().place(unit)
        outside = np.flatnonzero(~self.inside(points))
        if outside.size:
            words = np.ascontiguousarray(unit[outside[0]]).view(np.uint32)
            random = np.random.Generator(np.random.Philox(np.random.SeedSequence(words.tolist())))
            points[outside] = hit_and_run(self, points[outside], random)
        return points

    def _listed(
        self, points: Float[np.ndarray, "p d"], unit: Float[np.ndarray, "n d"]
    ) -> Float[np.ndarray, "n d"]:
        """Of the points that are listed those at shares of their number, a coordinate at a time."""
        weights = np.ones(len(points))
        for j, levels in enumerate(self.levels):
            if levels is not None:
                weights *= np.diff(self.level_ends(j))[nearest(levels, points[:, j])]
        ends = np.append(0.0, np.cumsum(weights))
        first, after = np.zeros(len(unit), dtype=int), np.full(len(unit), len(points))
        for j in range(self.dimension):
            at = ends[first] + unit[:, j] * (ends[after] - ends[first])
            which = (np.searchsorted(ends, at, side="right") - 1).clip(first, after - 1)
            begins = np.flatnonzero(
                np.append(True, (np.diff(points[:, : j + 1], axis=0) != 0).any(axis=1))
            )
            group = np.searchsorted(begins, which, side="right") - 1
            first, after = begins[group], np.append(begins, len(points))[group + 1]
        return np.asarray(points[first])

    def grid(self) -> Float[np.ndarray, "n d"]:
        """All points of a finite region."""
        if self.points is not None:
            return self.points
        points = super().grid()
        return points[self.inside(points)]

    def into(self, point: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
        """A point if it is inside; else the nearest feasible one on the ways to it from the slices' middles."""
        if self.inside(point[None])[0]:
            return point
        tried = np.array([self.nearer(point[None], middle)[0] for middle in self.middles])
        return np.asarray(tried[((tried - point) ** 2).sum(axis=1).argmin()])

    def nearer(
        self, points: Float[np.ndarray, "n d"], start: Float[np.ndarray, " d"]
    ) -> Float[np.ndarray, "n d"]:
        """Move from an inner point towards points as far as constraints allow, on lines in u; its levels stay.

        Points may lie beside the equalities, as ends of a climb do by its tolerance: the ways do not.
        """
        u = self.linear(start[None])[0]
        way = (self.linear(points) - u) @ self.along
        return self.back(
            u + self.reach(np.broadcast_to(u, way.shape), way)[1].clip(0.0, 1.0)[:, None] * way
        )

    def reach(self, u: np.ndarray, way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest multiples of directions that stay inside, (n,) each."""
        room = np.maximum(self.bounds - INWARDS - u @ self.weights.T, 0.0)
        pace = way @ self.weights.T
        pace[:, self.exact] = 0.0  # ways lie within these
        pace[np.abs(pace) < ROUNDING * np.abs(way).max(axis=1, initial=0.0)[:, None]] = 0.0
        low, high = self.linear_ends
        room = np.concatenate([room, np.maximum(high - u, 0.0), np.maximum(u - low, 0.0)], axis=1)
        pace = np.concatenate([pace, way, -way], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = room / np.abs(pace)
        forth = np.where(pace > 0, ratio, np.inf).min(axis=1)
        back = np.where(pace < 0, ratio, np.inf).min(axis=1)
        return -np.where(np.isfinite(back), back, 0.0), np.where(np.isfinite(forth), forth, 0.0)


_FEW = 4  # points that are judged in no more time than roughly
_TRIED = 16  # points on the way back to where it is allowed

Margin = Callable[[Float[np.ndarray, "n d"]], Float[np.ndarray, " n"]]
"""Points to by how much they are likely enough; below 0: they are not."""
MarginsAndGradients = tuple[Float[np.ndarray, "n k"], Float[np.ndarray, "n k d"]]
MarginGradients = Callable[[Float[np.ndarray, "n d"]], MarginsAndGradients]
"""Points to k margins, of which the least counts, and their gradients: each is smooth, and the least of them is not."""


@dataclass(frozen=True, eq=False)
class FeasibleRegion(Box):
    """Box or polytope with a margin that must not be negative.

    Args:
        box: a box or a polytope.
        margin: smooth along coordinates without levels.
        known: points to try first, such as those that were played: the allowed region may be
            islands around them, too small for a search to come upon.
        gradients: all margins, of which `margin` is the least, with their gradients; None:
            differences of `margin`.
        roughly: the same as `margin` but for `slack`, found in less time; None: the margin itself.
        slack: by how much `roughly` is taken to be too low at most.

    Attributes:
        without_margin: the box or polytope that was given.
        region: the same as a polytope.
        likeliest: where the margin is largest, as searches found it, by their seeds.

    >>> guarded = FeasibleRegion(Box([0], [1]), lambda points: 0.3 - points[:, 0])
    >>> guarded.allows(np.array([[0.2], [0.4]]))
    array([ True, False])
    """

    without_margin: Box
    region: Polytope
    margin: Margin
    known: Float[np.ndarray, "k d"]
    gradients: MarginGradients
    roughly: Margin | None
    slack: float
    likeliest: dict[int, Maximum]
    _judged: dict[bytes, float]
    _roughly_judged: dict[bytes, float]
    constrained: ClassVar[bool] = True

    def __init__(
        self,
        box: Box,
        margin: Margin,
        known: Float[np.ndarray, "k d"] | None = None,
        gradients: MarginGradients | None = None,
        *,
        roughly: Margin | None = None,
        slack: float = 0.0,
    ) -> None:
        super().__init__(box.low, box.high, box.levels, box.unordered)
        object.__setattr__(self, "without_margin", box)
        object.__setattr__(self, "region", Polytope.of(box))
        object.__setattr__(self, "margin", margin)
        object.__setattr__(self, "known", np.zeros((0, box.dimension)) if known is None else known)
        object.__setattr__(self, "gradients", self._differences if gradients is None else gradients)
        object.__setattr__(self, "roughly", roughly)
        object.__setattr__(self, "slack", slack)
        object.__setattr__(self, "likeliest", {})
        object.__setattr__(self, "_judged", {})
        object.__setattr__(self, "_roughly_judged", {})

    @property
    def size(self) -> float:
        """Number of points of the region, whatever their margin."""
        return self.region.size

    def allows(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Mark points inside with a margin that is not negative."""
        if self.roughly is None or len(points) <= _FEW:
            return self.room(points) >= 0.0
        # where the rough margin is off by more than the slack, one that was judged already counts
        allowed = self.may_allow(points) | self._judged_allowed(points)
        if allowed.any():
            allowed[allowed] = self.room(points[allowed]) >= 0.0
        return allowed

    def _judged_allowed(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Mark points that were judged before, with a margin that is not negative."""
        keys = (row.tobytes() for row in np.ascontiguousarray(points))
        return np.array([self._judged.get(key, -1.0) >= 0.0 for key in keys])

    def may_allow(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Mark points inside whose margin is not surely negative."""
        return self.rough_room(points) >= -self.slack

    def rough_room(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Rough margins of points, (n,), minus infinity outside."""
        if self.roughly is None:
            return self.room(points)
        return self._remembered(self.roughly, points, self._roughly_judged)

    def room(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Margins of points, (n,), minus infinity outside."""
        return self._remembered(self.margin, points, self._judged)

    def _remembered(
        self, judge: Margin, points: Float[np.ndarray, "n d"], judged: dict[bytes, float]
    ) -> Float[np.ndarray, " n"]:
        """Numbers by a judge, minus infinity outside; no point is judged twice."""
        keys = [row.tobytes() for row in np.ascontiguousarray(points)]
        new = [k for k, key in enumerate(keys) if key not in judged]
        if new:
            fresh = points[new]
            found, inside = np.full(len(fresh), -np.inf), self.region.inside(fresh)
            if inside.any():
                found[inside] = judge(fresh[inside])
            judged.update(zip([keys[k] for k in new], found.tolist(), strict=True))
        return np.array([judged[key] for key in keys])

    def place(self, unit: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Place points of the unit cube, `(n, d)`, in the region, whatever their margin."""
        return self.region.place(unit)

    def grid(self) -> Float[np.ndarray, "n d"]:
        """All points of a finite region, whatever their margin."""
        return self.region.grid()

    def into(self, point: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
        """A point of the region, whatever its margin."""
        return self.region.into(point)

    @property
    def tried(self) -> Float[np.ndarray, "k d"]:
        """Known points, moved to the nearest levels, that are feasible."""
        points = np.asarray(self.snap(self.known))
        return points[self.allows(points)]

    def margin_gradient(
        self, points: Float[np.ndarray, "n d"]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n d"]]:
        """The margin with its gradient."""
        margins, slopes = self.gradients(points)
        rows, least = np.arange(len(points)), margins.argmin(axis=1)
        return margins[rows, least], slopes[rows, least]

    def _differences(self, points: Float[np.ndarray, "n d"]) -> MarginsAndGradients:
        values, slopes = differences(self.margin, self.low, self.high, self.continuous)(points)
        return values[:, None], slopes[:, None]

    def last_allowed(
        self, starts: Float[np.ndarray, "n d"], ends: Float[np.ndarray, "n d"]
    ) -> Float[np.ndarray, "n d"]:
        """The points furthest on straight ways from allowed points to others that are allowed, of a few on each.

        Coordinates with levels take the nearest one: between two of them nothing can be set.
        """
        u, v = self.region.linear(starts), self.region.linear(ends)
        shares = np.linspace(1.0, 0.0, _TRIED)[:, None]
        ways = u[:, None] + shares * (v - u)[:, None]
        ways = self.snap(self.region.back(ways.reshape(-1, u.shape[1]))).reshape(ways.shape)
        ways[:, 0], ways[:, -1] = ends, starts
        allowed = self.allows(ways.reshape(-1, u.shape[1])).reshape(len(ways), -1)
        allowed[:, -1] = True  # whatever is said roughly
        return np.asarray(ways[np.arange(len(ways)), allowed.argmax(axis=1)])
