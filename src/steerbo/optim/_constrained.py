"""Local maximisation along the continuous coordinates of a box or a region; coordinates with levels are held."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from .._arrays import Float
from ._domain import Box, ValueAndGradient, finite
from ._in_step import Asked, in_step
from ._lbfgs import maximise_batched
from ._polytope import INWARDS, FeasibleRegion, Polytope

CLIMBED = 4
"""Restarts that are climbed in a region: a step takes long."""
_GUARD = 1e-5  # by how much a margin is aimed above 0, so that rounding does not lead below
_ARRIVED = 1e-8  # of a value: no quadratic programme gains less
_FIRST_STEP = 0.1  # of the box's width, before any curvature is known, as in `optim._lbfgs`
_FLAT = 1e-6  # slopes, as shares of a value, that say nothing of how long a step is to be
_REACHES = 1.0, 0.1  # shares of the box's width: all of it, and where that leads lower, nearby
Region = Polytope | FeasibleRegion


def maximise_constrained(
    rise: ValueAndGradient,
    starts: Float[np.ndarray, "r d"],
    box: Box,
    *,
    iterations: int = 200,
    tolerance: float = 1e-10,
) -> tuple[Float[np.ndarray, "r d"], Float[np.ndarray, " r"]]:
    """Local maxima `(r, d)` above the starts, and their values `(r,)`: no restart ends below its start, or outside.

    In a box by `maximise_batched`; in a region by sequential quadratic programmes (SLSQP; Kraft
    1988) from the highest few alone, in step: a step takes long.

    >>> region = Polytope(Box([0, 0], [1, 1]), np.array([[1.0, 2.0]]), np.array([1.0]))
    >>> points, values = maximise_constrained(lambda Z: (Z.sum(1), np.ones(Z.shape)), np.array([[0.1, 0.1]]), region)
    >>> points.round(6)
    array([[1., 0.]])
    """
    if not isinstance(box, Polytope | FeasibleRegion):
        low, high = (np.where(box.continuous, bound, starts) for bound in (box.low, box.high))
        return maximise_batched(rise, starts, low, high, iterations=iterations, tolerance=tolerance)
    options = _options(iterations, tolerance)
    points, values = starts.copy(), finite(rise(starts)[0])
    left = np.argsort(-values, kind="stable")[:CLIMBED]
    left = left[values[left] > -np.inf] if _polytope(box).directions.size else left[:0]
    for reach in _REACHES:
        if left.size:
            ends = _ends(rise, points[left], values[left], box, reach, options=options)
            if isinstance(box, FeasibleRegion) and (beyond := ~box.allows(ends)).any():
                ends[beyond] = box.last_allowed(points[left][beyond], ends[beyond])
            reached = rise(ends)[0]
            higher = reached > values[left]  # else it leapt over a valley, and is repeated nearby
            points[left[higher]], values[left[higher]] = ends[higher], reached[higher]
            left = left[~higher]
    return points, values


def climb_inside(
    rise: ValueAndGradient,
    start: Float[np.ndarray, "1 d"],
    box: FeasibleRegion,
    *,
    iterations: int = 200,
    tolerance: float = 1e-10,
) -> tuple[Float[np.ndarray, "1 d"], Float[np.ndarray, " 1"]] | None:
    """Local maximum near a point that need not be allowed, and its value; None where the climb ends outside or lower.

    >>> region = FeasibleRegion(Box([0], [1]), lambda points: 0.3 - points[:, 0])
    >>> point, _ = climb_inside(lambda Z: (Z[:, 0], np.ones(Z.shape)), np.array([[0.4]]), region)
    >>> point.round(4)
    array([[0.3]])
    """
    options, before = _options(iterations, tolerance), finite(rise(start)[0])
    end = _ends(rise, start, before, box, _REACHES[0], options=options)
    after = finite(rise(end)[0])
    lower = after == -np.inf or (after < before and box.allows(start)[0])  # it leapt over a valley
    return None if lower or not box.allows(end)[0] else (end, after)


def _options(iterations: int, tolerance: float) -> dict[str, Any]:
    """Options of SLSQP."""
    return {"maxiter": iterations, "ftol": max(tolerance, _ARRIVED)}


def _polytope(box: Region) -> Polytope:
    return box.region if isinstance(box, FeasibleRegion) else box


def _ends(
    rise: ValueAndGradient,
    starts: Float[np.ndarray, "r d"],
    values: Float[np.ndarray, " r"],
    box: Region,
    reach: float,
    *,
    options: Mapping[str, Any],
) -> Float[np.ndarray, "r d"]:
    """Ends, whatever their margin, of climbs no further than a share of the box's width along each coordinate."""
    slopes = rise(starts)[1]
    climbs = [
        partial(_climb, box, start, reach, first=float(value), slope=slope, options=options)
        for start, value, slope in zip(starts, values, slopes, strict=True)
    ]

    def judged(points: Float[np.ndarray, "n d"]) -> list[tuple[np.ndarray, ...]]:
        found: list[np.ndarray] = [*rise(points)]
        if isinstance(box, FeasibleRegion):
            found += box.gradients(points)
        return [*zip(*found, strict=True)]

    found = np.array(in_step(judged, climbs))
    ends = starts.copy()
    for k in np.flatnonzero(np.isfinite(found).all(axis=1)):
        ends[k] = _polytope(box).nearer(found[k : k + 1], starts[k])[0]
    return ends


def _climb(
    box: Region,
    start: Float[np.ndarray, " d"],
    reach: float,
    ask: Asked,
    *,
    first: float,
    slope: Float[np.ndarray, " d"],
    options: Mapping[str, Any],
) -> Float[np.ndarray, " d"]:
    """End of one climb, wherever rounding leads it; `ask`: the function and margins, all with gradients."""
    from scipy.optimize import minimize  # start-up time

    region, free = _polytope(box), box.continuous
    low, width = region.low[free], (region.high - region.low)[free]
    along = slope[free] * width
    steep = float(np.abs(along).max()) if np.isfinite(along).all() else 0.0
    value = max(abs(first), 1e-3 * steep) or 1.0  # in any unit
    # SLSQP's first step is the slope
    scale = steep / _FIRST_STEP if steep > _FLAT * value else value
    exact = options["ftol"] * value / scale
    # SLSQP goes on until constraints are broken by no more than that, and all within the guard is
    # allowed
    unit = exact / _GUARD

    def whole(share: Float[np.ndarray, " c"]) -> Float[np.ndarray, " d"]:
        point = start.copy()
        point[free] = np.minimum(low + np.clip(share, 0.0, 1.0) * width, region.high[free])
        return point

    asked = _latest(lambda share: ask(whole(share)))

    def fall(share: Float[np.ndarray, " c"]) -> tuple[float, Float[np.ndarray, " c"]]:
        value, slope = asked(share)[:2]
        known = bool(np.isfinite(value) and np.isfinite(slope).all())
        return (
            (-float(value) / scale, -slope[free] * width / scale)
            if known
            else (1e10, np.zeros(len(low)))
        )

    constraints = _constraints(region, lambda share: whole(share)[None])
    if isinstance(box, FeasibleRegion):
        constraints.append(
            {
                "type": "ineq",
                "fun": lambda share: unit * (asked(share)[2] - _GUARD),
                "jac": lambda share: unit * asked(share)[3][:, free] * width,
            }
        )
    begin = (start[free] - low) / width
    found = minimize(
        fall,
        begin,
        jac=True,
        method="SLSQP",
        bounds=[*zip(np.maximum(begin - reach, 0.0), np.minimum(begin + reach, 1.0), strict=True)],
        constraints=constraints,
        options={**options, "ftol": exact},
    )
    return whole(found.x)


def _constraints(
    region: Polytope, whole: Callable[[np.ndarray], np.ndarray]
) -> list[dict[str, Any]]:
    """Constraints on the moving coordinates in SLSQP's form: functions ≥ 0, and functions = 0."""
    free = region.continuous
    width = (region.high - region.low)[free]
    moving = (region.weights[:, free] != 0).any(axis=1)
    kept, exact = moving & ~region.exact, _independent(region, moving)
    constraints: list[dict[str, Any]] = []
    for kind, rows, margin in (("ineq", np.flatnonzero(kept), INWARDS), ("eq", exact, 0.0)):
        if rows.size:
            W, b = region.weights[rows], region.bounds[rows] - margin

            def room(share: np.ndarray, W: np.ndarray = W, b: np.ndarray = b) -> np.ndarray:
                return np.asarray(b - W @ region.linear(whole(share))[0])

            def slope(share: np.ndarray, W: np.ndarray = W) -> np.ndarray:
                return np.asarray(-(W * region.steepness(whole(share)))[:, free] * width)

            constraints.append({"type": kind, "fun": room, "jac": slope})
    return constraints


def _latest(rise: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], Any]:
    """Cache the latest call of a function: SLSQP asks for a value, and then for its gradient."""
    last: dict[bytes, Any] = {}

    def found(share: np.ndarray) -> Any:
        if (key := share.tobytes()) not in last:
            last.clear()
            last[key] = rise(share)
        return last[key]

    return found


def _independent(region: Polytope, moving: np.ndarray) -> np.ndarray:
    """Drop equality constraints that follow from the others: SLSQP takes independent ones."""
    chosen: list[int] = []
    for row in np.flatnonzero(moving & region.exact).tolist():
        tried = region.weights[[*chosen, row]][:, region.continuous]
        if np.linalg.matrix_rank(tried) == len(tried):
            chosen.append(row)
    return np.array(chosen, dtype=int)
