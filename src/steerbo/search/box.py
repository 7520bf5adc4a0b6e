"""The largest value of a function on a box: screen, keep a diverse few, climb, exchange levels."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from .ascent import climb, differences
from .domain import Box, nearest
from .maximum import Maximum, Value, ValueAndGradient, best_first, finite
from .sobol import sobol_in

Indices = Int[np.ndarray, "r n"]

_ENUMERATED = 2048  # points of a finite box that are all tried
_TRIED_IN_FULL = 64  # levels of one coordinate that are all tried; of more, only near ones and far jumps
_ROUNDS = 20  # of climbing and exchanging by turns
_APART = 0.1  # root mean square distance of two starts, in box widths


def maximise_box(
    value: Value,
    value_and_gradient: ValueAndGradient | None,
    box: Box,
    seed: int,
    *,
    screen: int = 512,
    starts: int = 8,
    extra: Float[np.ndarray, "e d"] | None = None,
) -> Maximum:
    """Maximise a function on a box of continuous coordinates, whole numbers and categories.

    Scrambled Sobol points and the `extra` ones are screened; the best few that lie apart are climbed along the
    continuous coordinates and improved one discrete coordinate at a time, by turns, until neither helps. A small
    finite box is enumerated instead, and a box of one point or of no dimension answers that point.

    Args:
        value: points `(n, d)` to values `(n,)`; what is no finite number counts as `-inf`.
        value_and_gradient: points `(r, d)` to values `(r,)` and gradients `(r, d)`, of which the entries of discrete
            coordinates are ignored; `None`: central differences of `value`.
        box: where to search.
        seed: a whole number; the same one gives the same answer.
        screen: how many Sobol points to try before climbing.
        starts: how many of the best points to climb from.
        extra: more points to try, `(e, d)`, such as the best seen so far; moved into the box if outside.

    Raises:
        ModelFailure: the function is a finite number nowhere.

    >>> best = maximise_box(lambda Z: -(Z[:, 0] - 0.3) ** 2 + Z[:, 1], None, Box([0, 0], [1, 2], [None, range(3)]), 0)
    >>> best.point.round(6)
    array([0.3, 2. ])
    """
    if box.size <= _ENUMERATED:
        grid = box.grid()
        ranked = best_first(grid, value(grid))
        return Maximum(ranked.point, ranked.value, ranked.points[:starts], ranked.values[:starts])

    candidates = sobol_in(box, max(screen, starts), seed)
    if extra is not None:
        candidates = np.concatenate([box.snap(extra), candidates])
    screened = best_first(candidates, value(candidates))
    points, values = _diverse(box, screened, starts)

    free = box.continuous
    rise = value_and_gradient or differences(value, box.low, box.high, free)
    changed = np.arange(len(points))
    for _ in range(_ROUNDS):
        if free.any():
            low, high = np.where(free, box.low, points[changed]), np.where(free, box.high, points[changed])
            points[changed], values[changed] = climb(rise, points[changed], low, high)
        before = points[changed].copy()
        points[changed], values[changed] = _exchange(value, box, points[changed], values[changed])
        changed = changed[(points[changed] != before).any(axis=1)]
        if not changed.size:
            break
    return best_first(points, values)


def _diverse(box: Box, screened: Maximum, starts: int) -> tuple[Float[np.ndarray, "r d"], Float[np.ndarray, " r"]]:
    """The best points that lie apart from better ones; if there are too few, the best of the rest as well."""
    width = np.where(box.high > box.low, box.high - box.low, 1.0)
    good = screened.values > -np.inf
    points, values = screened.points[good], screened.values[good]
    crowded = np.zeros(len(points), dtype=bool)
    chosen: list[int] = []
    for _ in range(min(starts, len(points))):
        waiting = ~crowded if not crowded.all() else np.isin(np.arange(len(points)), chosen, invert=True)
        i = int(np.argmax(waiting))
        chosen.append(i)
        gaps = np.where(box.unordered, points != points[i], (points - points[i]) / width)
        crowded |= (gaps**2).mean(axis=1) <= _APART**2
    return points[chosen], values[chosen]


def _exchange(
    value: Value, box: Box, points: Float[np.ndarray, "r d"], values: Float[np.ndarray, " r"]
) -> tuple[Float[np.ndarray, "r d"], Float[np.ndarray, " r"]]:
    """One sweep over the discrete coordinates: each takes its best level with all others held."""
    points, values = points.copy(), values.copy()
    rows = np.arange(len(points))
    for j, levels in enumerate(box.levels):
        if levels is None or levels.size == 1:
            continue
        options = levels[_options(levels, points[:, j], box.unordered[j])]  # (r, k)
        tries = np.repeat(points[:, None], options.shape[1], axis=1)
        tries[:, :, j] = options
        tried = finite(value(tries.reshape(-1, box.dimension))).reshape(options.shape)
        best = tried.argmax(axis=1)
        better = tried[rows, best] > values
        points[better, j] = options[rows, best][better]
        values = np.where(better, tried[rows, best], values)
    return points, values


def _options(levels: Float[np.ndarray, " k"], present: Float[np.ndarray, " r"], unordered: bool) -> Indices:
    """Indices of the levels to try, `(r, n)`: all of a few or of categories, else 1, 2, 4, … up and down."""
    k = levels.size
    if unordered or k <= _TRIED_IN_FULL:
        return np.broadcast_to(np.arange(k), (present.size, k))
    jumps = 2 ** np.arange((k - 1).bit_length())
    near = nearest(levels, present)[:, None] + np.concatenate([-jumps, jumps])
    return np.asarray(np.clip(near, 0, k - 1))
