"""Projected Newton steps in a box from many starts, for one function or for many functions at once.

Small arrays cost by the call and not by the size, so `maximise_many` moves all functions in step.
SciPy has nothing of the kind: its L-BFGS-B, one restart after another, takes 6 times as long for
one function of two coordinates, 25 times for eight functions of four, and 43 times for 32 functions
of two (sums of 30 bumps, 8 restarts each).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from .._arrays import Bool, Float, Int
from ..errors import InvalidProblem
from ._domain import Box, Maximum, best_first, finite, sobol_points

Curved = Callable[
    [Float[np.ndarray, "r d"], Int[np.ndarray, " r"]],
    tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r d"], Float[np.ndarray, "r d d"]],
]
"""Points `(r, d)` and the numbers `(r,)`, ascending, of the restarts that they belong to; to values `(r,)`, gradients
`(r, d)` and Hessians `(r, d, d)`. Restarts may climb different functions."""

_STEPS = 50  # of a restart, at most
_FIRST_REACH = 0.25  # of the box's width: how far the first step may go
_SUFFICIENT = 1e-4  # of the promised rise must be had (Armijo)
_FLATTEST = 1e-9  # least curvature, as a share of the largest
_TRUSTED = 2  # steps after which a restart's second derivatives say how far it will rise
_SHORTEST = 1e-9  # reach, of the box's width, below which a restart has arrived


def maximise_newton(
    function: Curved,
    starts: Float[np.ndarray, "r d"],
    low: Float[np.ndarray, "*r d"],
    high: Float[np.ndarray, "*r d"],
    *,
    tolerance: float = 1e-10,
    rivals: int = 1,
    together: float = 0.0,
) -> tuple[Float[np.ndarray, "r d"], Float[np.ndarray, " r"]]:
    """Local maxima `(r, d)` above the starts, and their values `(r,)`: no restart ends below its start.

    Args:
        function: points `(r, d)`, and the numbers `(r,)` of the restarts that they belong to, to
            values `(r,)`, gradients `(r, d)` and Hessians `(r, d, d)`, all finite.
        starts: where to begin, `(r, d)`.
        low: lower bounds, `(d,)` or one row for each restart; equal bounds hold a coordinate.
        high: upper bounds, likewise.
        tolerance: a restart whose next step promises less than this share of its value has arrived.
        rivals: restarts in consecutive groups of this size climb the same function, and only the
            highest end counts: one that could not reach the best of its group if it rose twice as
            far as its second derivatives say, gives up.
        together: of rivals that have come so near to each other, in widths of the box, only the
            highest goes on.

    Projected Newton steps (Bertsekas 1982) by the absolute values of the Hessian's eigenvalues, so
    that they lead uphill also where the function is not concave. Each goes no further than a reach
    that doubles after a success and shrinks after a failure.

    >>> def bowl(Z, rows):
    ...     return -((Z - 0.3) ** 2).sum(1), -2 * (Z - 0.3), np.broadcast_to(-2 * np.eye(2), (len(Z), 2, 2))
    >>> points, values = maximise_newton(bowl, np.array([[0.5, 0.9]]), np.zeros(2), np.array([1.0, 0.1]))
    >>> points.round(6)
    array([[0.3, 0.1]])
    """
    low, high = np.broadcast_to(low, starts.shape), np.broadcast_to(high, starts.shape)
    points = np.minimum(np.maximum(starts, low), high)
    values, slopes, curves = function(points, np.arange(len(points)))
    values, slopes, curves = finite(values), slopes.copy(), curves.copy()
    width = np.where(high > low, high - low, 1.0)
    reach = np.full(len(points), _FIRST_REACH)
    rows = np.flatnonzero((values > -np.inf) & (high > low).any(axis=1))  # restarts still moving
    for iteration in range(_STEPS):
        x, f, g = points[rows], values[rows], slopes[rows]
        step = _step(x, g, curves[rows], low[rows], high[rows])
        hopeful = np.ones(len(rows), dtype=bool)
        if rivals > 1 and iteration >= _TRUSTED:
            best = values.reshape(-1, rivals).max(axis=1)[rows // rivals]
            hopeful = f + np.einsum("rd,rd->r", step, g) >= best
            if together:
                hopeful &= ~_met(points / width, values, rows, rivals, together)
        far = (np.abs(step) / width[rows]).max(axis=1)
        step *= np.minimum(1.0, reach[rows] / np.maximum(far, _SHORTEST))[:, None]
        on = (
            hopeful
            & (np.einsum("rd,rd->r", step, g) > tolerance * np.abs(f))
            & (reach[rows] > _SHORTEST)
        )
        rows, x, f, g, step, far = rows[on], x[on], f[on], g[on], step[on], far[on]
        if not rows.size:
            break
        trial = np.minimum(np.maximum(x + step, low[rows]), high[rows])
        # no rise, perhaps, if the step was cut at a bound
        promise = np.einsum("rd,rd->r", trial - x, g)
        new_f, new_g, new_H = function(trial, rows)
        risen = (promise > 0.0) & (new_f - f >= _SUFFICIENT * promise)
        won, lost = rows[risen], rows[~risen]
        points[won] = trial[risen]
        values[won] = new_f[risen]
        slopes[won] = new_g[risen]
        curves[won] = new_H[risen]
        reach[won] = np.minimum(2.0 * reach[won], 1.0)
        reach[lost] = np.minimum(reach[lost], far[~risen]) / 4.0
    return points, values


def _met(
    points: Float[np.ndarray, "r d"],
    values: Float[np.ndarray, " r"],
    rows: Int[np.ndarray, " m"],
    rivals: int,
    together: float,
) -> Bool[np.ndarray, " m"]:
    """Mark restarts that have a higher rival next to them; among equals the first is the higher one."""
    group = rows[:, None] // rivals * rivals + np.arange(rivals)
    near = np.abs(points[group] - points[rows][:, None]).max(axis=2) < together
    ahead = (values[group] > values[rows][:, None]) | (
        (values[group] == values[rows][:, None]) & (group < rows[:, None])
    )
    return np.asarray((near & ahead).any(axis=1))


def _step(
    x: Float[np.ndarray, "r d"],
    g: Float[np.ndarray, "r d"],
    H: Float[np.ndarray, "r d d"],
    low: Float[np.ndarray, "r d"],
    high: Float[np.ndarray, "r d"],
) -> Float[np.ndarray, "r d"]:
    """`|H|⁻¹ g` over the coordinates that no bound holds, zero along the others."""
    free = np.where(g > 0.0, x < high, x > low) & (high > low)
    both = free[:, :, None] & free[:, None, :]
    solve = _solve_two if x.shape[1] == 2 else _solve
    step: Float[np.ndarray, "r d"] = np.where(
        free, solve(np.where(both, H, 0.0), np.where(free, g, 0.0)), 0.0
    )
    return step


def _least_curvature(
    largest: Float[np.ndarray, " r"], g: Float[np.ndarray, "r d"]
) -> Float[np.ndarray, " r"]:
    """Curvature below which a direction counts as this flat, (r,); along a straight line steps stay finite."""
    straight = np.finfo(float).eps * np.abs(g).max(axis=1, initial=0.0)
    return np.maximum(_FLATTEST * largest + np.finfo(float).tiny, straight)


def _solve(H: Float[np.ndarray, "r d d"], g: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
    """`|H|⁻¹ g`."""
    sizes, vectors = np.linalg.eigh(H)
    sizes = np.abs(sizes)
    sizes = np.maximum(sizes, _least_curvature(sizes.max(axis=1), g)[:, None])
    return np.einsum("rde,re->rd", vectors, np.einsum("rde,rd->re", vectors, g) / sizes)


def _solve_two(
    H: Float[np.ndarray, "r 2 2"], g: Float[np.ndarray, "r 2"]
) -> Float[np.ndarray, "r 2"]:
    """`|H|⁻¹ g` in two dimensions by the formula for `f(H)`: an eigendecomposition costs as much as all the rest."""
    middle = 0.5 * (H[:, 0, 0] + H[:, 1, 1])
    # between the eigenvalues middle ± half
    half = np.hypot(0.5 * (H[:, 0, 0] - H[:, 1, 1]), H[:, 0, 1])
    first, second = np.abs(middle + half), np.abs(middle - half)
    least = _least_curvature(np.maximum(first, second), g)
    first, second = 1.0 / np.maximum(first, least), 1.0 / np.maximum(second, least)
    turned = np.einsum("rde,re->rd", H, g) - middle[:, None] * g
    # no longer than g
    turned = np.divide(turned, half[:, None], out=np.zeros_like(turned), where=half[:, None] > 0.0)
    return 0.5 * (first + second)[:, None] * g + 0.5 * (first - second)[:, None] * turned


TOP = 8
"""Points among which starts are looked for first, for each start."""
_APART = 0.1  # root mean square distance of two starts, in box widths

Values = Callable[[Float[np.ndarray, "m p d"]], Float[np.ndarray, "m p"]]
"""Points `(m, p, d)`, p for each of m functions, to values `(m, p)`."""


def maximise_many(
    values: Values,
    curved: Curved,
    boxes: Sequence[Box],
    seed: int,
    *,
    screen: int = 512,
    starts: int = 8,
    tolerance: float = 1e-10,
    together: float = 0.0,
    everywhere: Callable[
        [Float[np.ndarray, "m p d"], Bool[np.ndarray, " m"]], Float[np.ndarray, "k p"]
    ]
    | None = None,
) -> list[Maximum]:
    """Maximise m functions of d continuous coordinates: `maximise_box` for each, at a fraction of the calls.

    The same Sobol points are placed in every box; of each function the best few that lie apart are
    climbed by Newton steps.

    Args:
        values: points `(m, p, d)` to values `(m, p)`, all finite.
        curved: values, gradients and Hessians; the restarts of function k are numbered from
            `k · starts` on.
        boxes: m boxes without levels.
        seed: a whole number; the same one gives the same answer.
        screen: how many Sobol points to try before climbing, at least `starts`.
        starts: how many of the best points of each function to climb from.
        tolerance: a climb ends where a step gains less than this share of the value.
        together: climbs that have come so near to each other, in box widths, go on as one.
        everywhere: where `values` are right for the `TOP · starts` highest of each function alone
            and -inf for others: values of k functions, marked in (m,), at all of their points.

    Raises:
        InvalidProblem: a box has levels, or another dimension than the first.

    >>> centres = np.array([[0.2], [0.7]])
    >>> def bowls(Z, rows):
    ...     away = Z - centres[rows // 2]
    ...     return -(away**2).sum(1), -2 * away, np.full((len(Z), 1, 1), -2.0)
    >>> found = maximise_many(
    ...     lambda Z: -((Z - centres[:, None]) ** 2).sum(2), bowls, [Box([0], [1]), Box([0], [0.5])], 0, starts=2
    ... )
    >>> [each.point.round(6).tolist() for each in found]
    [[0.2], [0.5]]
    """
    for box in boxes:
        if box.dimension != boxes[0].dimension or any(levels is not None for levels in box.levels):
            raise InvalidProblem(
                "boxes", box.levels, f"boxes of {boxes[0].dimension} continuous coordinates"
            )
    unit = sobol_points(max(screen, starts), boxes[0].dimension, seed)
    candidates = np.stack([box.place(unit) for box in boxes])
    width = np.stack([np.where(box.high > box.low, box.high - box.low, 1.0) for box in boxes])
    m, _, d = candidates.shape
    whole = None if everywhere is None else partial(everywhere, candidates)
    screened = values(candidates)
    begin = apart(candidates / width[:, None], screened, starts, whole)
    points = np.take_along_axis(candidates, begin[:, :, None], axis=1).reshape(m * starts, d)
    low, high = (
        np.repeat([getattr(box, side) for box in boxes], starts, axis=0) for side in ("low", "high")
    )
    ends, heights = maximise_newton(
        curved, points, low, high, tolerance=tolerance, rivals=starts, together=together
    )
    found = [
        best_first(*both)
        for both in zip(ends.reshape(m, starts, d), heights.reshape(m, starts), strict=True)
    ]
    if everywhere is not None:
        return found
    screens = zip(candidates, screened, strict=True)
    return [replace(each, screen=screen) for each, screen in zip(found, screens, strict=True)]


def apart(
    points: Float[np.ndarray, "m p d"],
    values: Float[np.ndarray, "m p"],
    starts: int,
    whole: Callable[[Bool[np.ndarray, " m"]], Float[np.ndarray, "k p"]] | None = None,
) -> np.ndarray:
    """Indices `(m, starts)` of the best points that lie apart from better ones, in box widths.

    If there are too few, the best of the rest join them. `whole` gives all values of some
    functions, where `values` has only the highest.

    >>> apart(np.array([[[0.0], [0.01], [0.5]]]), np.array([[3.0, 2.0, 1.0]]), starts=2)
    array([[0, 2]])
    """
    high = TOP * starts
    if high < values.shape[1]:  # of these enough lie apart, nearly always
        least = np.partition(values, -high, axis=1)[:, -high, None]
        top = values >= least
        if (top.sum(axis=1) == high).all():  # no ties
            best = np.nonzero(top)[1].reshape(-1, high)
            near = np.take_along_axis(points, best[:, :, None], axis=1)
            places, short = _greedy(near, np.take_along_axis(values, best, axis=1), starts)
            chosen = np.take_along_axis(best, places, axis=1)
            if short.any():
                chosen[short] = _greedy(
                    points[short], whole(short) if whole else values[short], starts
                )[0]
            return chosen
    return _greedy(points, whole(np.ones(len(values), dtype=bool)) if whole else values, starts)[0]


def _greedy(
    points: Float[np.ndarray, "m p d"], values: Float[np.ndarray, "m p"], starts: int
) -> tuple[Int[np.ndarray, "m starts"], Bool[np.ndarray, " m"]]:
    """Indices (m, starts) of the best points in turn, each apart from those before; and where there were too few."""
    m = len(points)
    each, short = np.arange(m), np.zeros(m, dtype=bool)
    left = values.astype(np.float64)  # -inf: taken
    crowded = np.zeros(values.shape, dtype=bool)
    chosen = np.empty((m, starts), dtype=np.intp)
    for s in range(starts):
        free = np.where(crowded, -np.inf, left)
        pick = free.argmax(axis=1)
        none = free[each, pick] == -np.inf
        if none.any():
            short |= none
            pick = np.where(none, left.argmax(axis=1), pick)
        chosen[:, s] = pick
        left[each, pick] = -np.inf
        gaps = points - points[each, pick][:, None]
        crowded |= np.einsum("mpd,mpd->mp", gaps, gaps) <= _APART**2 * points.shape[2]
    return chosen, short
