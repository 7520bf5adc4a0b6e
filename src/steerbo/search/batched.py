"""Many smooth functions maximised in step, each on a box of its own: small arrays cost by the call, not by the size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from ..errors import InvalidProblem
from .domain import Box
from .maximum import Maximum, best_first
from .newton import Curved, climb_curved
from .sobol import sobol_points

_APART = 0.1  # root mean square distance of two starts, in box widths

Values = Callable[[Float[np.ndarray, "m p d"]], Float[np.ndarray, "m p"]]
"""Points `(m, p, d)`, p for each of m functions, to values `(m, p)`."""


def maximise_together(
    values: Values,
    curved: Curved,
    boxes: Sequence[Box],
    seed: int,
    *,
    screen: int = 512,
    starts: int = 8,
    tolerance: float = 1e-10,
    together: float = 0.0,
) -> list[Maximum]:
    """Maximise m functions of d continuous coordinates: `maximise_box` for each, at a fraction of the calls.

    The same Sobol points are placed in every box; of each function the best few that lie apart are climbed
    by Newton steps.

    Args:
        values: points `(m, p, d)` to values `(m, p)`, all finite.
        curved: values, gradients and Hessians; the restarts of function k are numbered from `k · starts` on.
        boxes: m boxes without levels.
        seed: a whole number; the same one gives the same answer.
        screen: how many Sobol points to try before climbing, at least `starts`.
        starts: how many of the best points of each function to climb from.
        tolerance: a climb ends where a step gains less than this share of the value.
        together: climbs that have come so near to each other, in box widths, go on as one.

    Raises:
        InvalidProblem: a box has levels, or another dimension than the first.

    >>> centres = np.array([[0.2], [0.7]])
    >>> def bowls(Z, rows):
    ...     away = Z - centres[rows // 2]
    ...     return -(away**2).sum(1), -2 * away, np.full((len(Z), 1, 1), -2.0)
    >>> found = maximise_together(
    ...     lambda Z: -((Z - centres[:, None]) ** 2).sum(2), bowls, [Box([0], [1]), Box([0], [0.5])], 0, starts=2
    ... )
    >>> [each.point.round(6).tolist() for each in found]
    [[0.2], [0.5]]
    """
    for box in boxes:
        if box.dimension != boxes[0].dimension or any(levels is not None for levels in box.levels):
            raise InvalidProblem("boxes", box.levels, f"boxes of {boxes[0].dimension} continuous coordinates")
    unit = sobol_points(max(screen, starts), boxes[0].dimension, seed)
    candidates = np.stack([box.place(unit) for box in boxes])
    width = np.stack([np.where(box.high > box.low, box.high - box.low, 1.0) for box in boxes])
    m, _, d = candidates.shape
    begin = apart(candidates / width[:, None], values(candidates), starts)
    points = np.take_along_axis(candidates, begin[:, :, None], axis=1).reshape(m * starts, d)
    low, high = (np.repeat([getattr(box, side) for box in boxes], starts, axis=0) for side in ("low", "high"))
    ends, heights = climb_curved(curved, points, low, high, tolerance=tolerance, rivals=starts, together=together)
    return [best_first(*both) for both in zip(ends.reshape(m, starts, d), heights.reshape(m, starts), strict=True)]


def apart(points: Float[np.ndarray, "m p d"], values: Float[np.ndarray, "m p"], starts: int) -> np.ndarray:
    """Indices `(m, starts)` of the best points that lie apart from better ones, in box widths.

    If there are too few, the best of the rest join them.

    >>> apart(np.array([[[0.0], [0.01], [0.5]]]), np.array([[3.0, 2.0, 1.0]]), starts=2)
    array([[0, 2]])
    """
    m = len(points)
    each = np.arange(m)
    left = values.astype(np.float64)  # -inf: taken
    crowded = np.zeros(values.shape, dtype=bool)
    chosen = np.empty((m, starts), dtype=np.intp)
    for s in range(starts):
        free = np.where(crowded, -np.inf, left)
        pick = free.argmax(axis=1)
        none = free[each, pick] == -np.inf
        if none.any():
            pick = np.where(none, left.argmax(axis=1), pick)
        chosen[:, s] = pick
        left[each, pick] = -np.inf
        gaps = points - points[each, pick][:, None]
        crowded |= np.einsum("mpd,mpd->mp", gaps, gaps) <= _APART**2 * points.shape[2]
    return chosen
