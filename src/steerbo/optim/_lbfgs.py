"""Climbing in a box from many starts at once: projected L-BFGS with the restarts on the leading axis.

SciPy's L-BFGS-B climbs one restart after another: time-varying studies take twice as long with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import Bool, Float
from ._domain import Value, ValueAndGradient, finite

_MEMORY = 8  # pairs of steps and gradient changes kept, as is usual (Nocedal & Wright 2006, §7.2)
_FIRST_STEP = 0.1  # of the box's width, before any curvature is known
_SUFFICIENT = 1e-4  # of the promised rise must be had (Armijo)
_BACKTRACKS = 20  # shorter steps that are tried until one rises enough
_PASSES = 3  # over the coordinates that a step would carry through a bound
_CURVED = 1e-12  # least curvature of a pair worth keeping
_RESETS = 2  # of the curvature, when it has misled a restart
_TINY = np.finfo(float).tiny
_LEAST_SHORTFALL = 1e-150  # a shortfall to divide by: promised rises are of order one
_SMALLEST_STEP = 1e-9  # of the box's width: a restart that moves less has arrived
_TOP = 1.0 - 4 * np.finfo(float).eps  # values above are the upper bound, reached but for rounding
# of the box's width: cube root of the rounding unit, best for central differences
_DIFFERENCE = 6e-6


def maximise_batched(
    value_and_gradient: ValueAndGradient,
    starts: Float[np.ndarray, "r d"],
    low: Float[np.ndarray, "*r d"],
    high: Float[np.ndarray, "*r d"],
    *,
    iterations: int = 200,
    tolerance: float = 1e-10,
) -> tuple[Float[np.ndarray, "r d"], Float[np.ndarray, " r"]]:
    """Local maxima `(r, d)` above the starts, and their values `(r,)`: no restart ends below its start.

    Args:
        value_and_gradient: points `(r, d)` to values `(r,)` and gradients `(r, d)`; it sees only
            restarts still moving.
        starts: where to begin, `(r, d)`.
        low: lower bounds, `(d,)` or one row for each restart; equal bounds hold a coordinate.
        high: upper bounds, likewise.
        iterations: the most quasi-Newton steps of a restart.
        tolerance: a restart that gains less than this share of its value in one step has arrived.

    Projected quasi-Newton steps (Bertsekas 1982) with the two-loop recursion (Nocedal & Wright
    2006, Algorithm 7.4) and backtracking along the projected path. Values that are no numbers are
    never accepted.

    >>> def bowl(Z):
    ...     return -((Z - 0.3) ** 2).sum(1), -2 * (Z - 0.3)
    >>> points, values = maximise_batched(bowl, np.array([[0.9, 0.9]]), np.zeros(2), np.ones(2))
    >>> points.round(6)
    array([[0.3, 0.3]])
    """
    low, high = np.broadcast_to(low, starts.shape), np.broadcast_to(high, starts.shape)
    points = np.clip(starts, low, high)
    values, slopes = _evaluate(value_and_gradient, points)
    cube = _Cube(low, high - low, _power_of_two(values, slopes))

    rows = np.flatnonzero((values > -np.inf) & (high > low).any(axis=1))  # restarts still moving
    u = cube.enter(points)[rows]
    f = (values / cube.unit)[rows]
    g = cube.slope(slopes)[rows]
    cube = cube.of(rows)
    steps = np.zeros((_MEMORY, *u.shape))  # newest first; a pair of zeros is no pair
    falls = np.zeros_like(steps)
    resets = np.zeros(len(rows))

    for _ in range(iterations):
        if not rows.size:
            break
        direction = _direction(u, g, steps, falls)
        new_u, new_f, new_g = _line_search(
            value_and_gradient, cube, u, f, g, direction=direction, tolerance=tolerance
        )
        step, fall = new_u - u, g - new_g
        curved = (step * fall).sum(axis=1) > _CURVED * (fall * fall).sum(axis=1)
        steps[:, curved] = np.concatenate([step[None, curved], steps[:-1, curved]])
        falls[:, curved] = np.concatenate([fall[None, curved], falls[:-1, curved]])
        far = np.abs(step).max(axis=1)
        small = (new_f - f <= tolerance * np.maximum(np.abs(f), np.abs(new_f))) | (
            far <= _SMALLEST_STEP
        )
        hopeful = ~_negligible((g * direction).sum(axis=1), f, tolerance)
        misled = small & hopeful & (far < 0.5 * np.abs(direction).max(axis=1)) & (resets < _RESETS)
        resets = resets + misled
        # the curvature promised too much: go on by the gradient alone
        steps[:, misled] = falls[:, misled] = 0.0

        points[rows], values[rows] = cube.leave(new_u), new_f * cube.unit
        on = ~small | misled
        rows, u, f, g, cube = rows[on], new_u[on], new_f[on], new_g[on], cube.of(on)
        steps, falls, resets = steps[:, on], falls[:, on], resets[on]
    return points, values


def differences(
    value: Value,
    low: Float[np.ndarray, " d"],
    high: Float[np.ndarray, " d"],
    moving: Bool[np.ndarray, " d"],
) -> ValueAndGradient:
    """A function's values with its gradient by central differences along the `moving` coordinates, zero elsewhere.

    All `1 + 2 moving.sum()` points of every restart go into one call; near a bound the step is cut
    at the bound.

    >>> rise = differences(lambda Z: Z[:, 0] ** 2, np.zeros(1), np.ones(1), np.array([True]))
    >>> rise(np.array([[0.5]]))[1].round(6)
    array([[1.]])
    """
    columns = np.flatnonzero(moving)

    def value_and_gradient(
        points: Float[np.ndarray, "r d"],
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
        r, d = points.shape
        # the point itself, then up and down by turns
        stencil = np.repeat(points[None], 1 + 2 * columns.size, axis=0)
        for i, j in enumerate(columns):
            reach = _DIFFERENCE * (high[j] - low[j])
            stencil[1 + 2 * i, :, j] = np.minimum(points[:, j] + reach, high[j])
            stencil[2 + 2 * i, :, j] = np.maximum(points[:, j] - reach, low[j])
        values = finite(value(stencil.reshape(-1, d))).reshape(-1, r)
        gradients = np.zeros((r, d))
        for i, j in enumerate(columns):
            up, down = values[1 + 2 * i], values[2 + 2 * i]
            known = (up > -np.inf) & (down > -np.inf)
            across = (stencil[1 + 2 * i] - stencil[2 + 2 * i])[:, j]
            gradients[known, j] = (up[known] - down[known]) / across[known]
        return values[0], gradients

    return value_and_gradient


@dataclass(frozen=True)
class _Cube:
    """Every restart's box as the unit cube, and its values in a unit near one: no scale can overflow a product."""

    low: Float[np.ndarray, "r d"]
    width: Float[np.ndarray, "r d"]
    unit: Float[np.ndarray, " r"]  # a power of two, so that scaling rounds nothing

    def of(self, rows: np.ndarray) -> _Cube:
        """Select some restarts."""
        return _Cube(self.low[rows], self.width[rows], self.unit[rows])

    def enter(self, points: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """Map points (r, d) to the unit cube."""
        u = np.zeros(points.shape)
        np.divide(points - self.low, self.width, out=u, where=self.width > 0)
        return u

    def leave(self, u: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """Map points (r, d) of the unit cube back, never beyond the box."""
        points: Float[np.ndarray, "r d"] = np.minimum(
            self.low + u * self.width, self.low + self.width
        )
        return points

    def slope(self, gradients: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """Scale gradients (r, d) to those in the unit cube."""
        slopes: Float[np.ndarray, "r d"] = gradients / self.unit[:, None] * self.width
        return slopes


def _power_of_two(
    values: Float[np.ndarray, " r"], slopes: Float[np.ndarray, "r d"]
) -> Float[np.ndarray, " r"]:
    sizes = np.max(
        np.abs(np.column_stack([np.where(values > -np.inf, values, 0.0), slopes])), axis=1
    )
    unit: Float[np.ndarray, " r"] = np.ldexp(1.0, np.clip(np.frexp(sizes)[1] - 1, -1000, 1000))
    return unit


def _evaluate(
    value_and_gradient: ValueAndGradient, points: Float[np.ndarray, "r d"]
) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
    values, gradients = value_and_gradient(points)
    # an unknown slope is taken for none
    return finite(values), np.where(np.isfinite(gradients), gradients, 0.0)


def _direction(
    u: Float[np.ndarray, "r d"],
    g: Float[np.ndarray, "r d"],
    steps: Float[np.ndarray, "m r d"],
    falls: Float[np.ndarray, "m r d"],
) -> Float[np.ndarray, "r d"]:
    """Uphill by quasi-Newton steps over the free coordinates, straight to their bounds for the others.

    A coordinate whose step and gradient both point through a bound is bound and the step taken anew
    without it: cutting the step there instead would leave the other coordinates a step that is not
    uphill.
    """
    target = (g > 0.0) - u  # of a bound coordinate: the bound it is pushed to
    free = (target != 0.0) & (g != 0.0)
    for _ in range(_PASSES):
        q = _two_loops(g * free, steps * free, falls * free)
        crossing = free & (g * (q - target) >= 0.0)
        if not crossing.any():
            break
        free &= ~crossing
    q = np.where(free, q, np.where(g != 0.0, target, 0.0))
    q /= np.maximum(np.abs(q).max(axis=1, keepdims=True), 1.0)  # never further than across the box
    return q


def _two_loops(
    g: Float[np.ndarray, "r d"],
    steps: Float[np.ndarray, "m r d"],
    falls: Float[np.ndarray, "m r d"],
) -> Float[np.ndarray, "r d"]:
    """The inverse curvature of the pairs times the gradient; without pairs, or if not uphill, a short gradient step."""
    products = np.einsum("mrd,mrd->mr", steps, falls)
    squares = np.einsum("mrd,mrd->mr", falls, falls)
    known = products > _CURVED * squares
    rho = np.divide(1.0, products, out=np.zeros_like(products), where=known)

    q: Float[np.ndarray, "r d"] = g.copy()
    shares = np.zeros_like(rho)
    kept = np.flatnonzero(known.any(axis=1)).tolist()  # the others change nothing
    for i in kept:
        shares[i] = rho[i] * (steps[i] * q).sum(axis=1)
        q -= shares[i, :, None] * falls[i]
    steepest = _FIRST_STEP / np.maximum(np.abs(g).max(axis=1), _TINY)
    newest = np.argmax(known, axis=0), np.arange(len(g))
    q *= np.divide(products[newest], squares[newest], out=steepest.copy(), where=known[newest])[
        :, None
    ]
    for i in reversed(kept):
        q += (shares[i] - rho[i] * (falls[i] * q).sum(axis=1))[:, None] * steps[i]

    uphill = (q * g).sum(axis=1) > 0.0
    return np.where(uphill[:, None], q, steepest[:, None] * g)


def _negligible(
    promise: Float[np.ndarray, " r"], f: Float[np.ndarray, " r"], tolerance: float
) -> Bool[np.ndarray, " r"]:
    """Mark steps whose promised rise is below the tolerance; a promised fall may rise once it is cut at bounds."""
    return (promise >= 0.0) & (promise <= tolerance * np.abs(f))


def _line_search(
    value_and_gradient: ValueAndGradient,
    cube: _Cube,
    u: Float[np.ndarray, "r d"],
    f: Float[np.ndarray, " r"],
    g: Float[np.ndarray, "r d"],
    *,
    direction: Float[np.ndarray, "r d"],
    tolerance: float,
) -> tuple[Float[np.ndarray, "r d"], Float[np.ndarray, " r"], Float[np.ndarray, "r d"]]:
    """Shorten each restart's step until it rises enough; a restart that finds no such step stays where it is.

    No step is tried that promises less than `tolerance`: close to a maximum it would chase rounding
    errors.
    """
    new_u, new_f, new_g = u.copy(), f.copy(), g.copy()
    promise = (g * direction).sum(axis=1)
    length = np.ones(len(u))
    rows = np.arange(len(u))
    for _ in range(_BACKTRACKS):
        rows = rows[~_negligible(length[rows] * promise[rows], f[rows], tolerance)]
        if not rows.size:
            break
        part = cube.of(rows)
        trial = np.clip(u[rows] + length[rows, None] * direction[rows], 0.0, 1.0)
        trial[trial > _TOP] = 1.0
        values, slopes = _evaluate(value_and_gradient, part.leave(trial))
        values = values / part.unit
        promised = (g[rows] * (trial - u[rows])).sum(axis=1)
        risen = (values > f[rows]) & (values - f[rows] >= _SUFFICIENT * promised)
        won = rows[risen]
        new_u[won], new_f[won], new_g[won] = trial[risen], values[risen], part.slope(slopes)[risen]

        rows, values, promised = rows[~risen], values[~risen], promised[~risen]
        # infinite where there is no value
        short = np.maximum(promised + f[rows] - values, _LEAST_SHORTFALL)
        # the top of the parabola through both values
        length[rows] *= np.clip(promised / short / 2, 0.1, 0.5)
    return new_u, new_f, new_g
