"""Result of a maximiser, and the treatment of values that are not finite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._arrays import Float
from ..errors import ModelFailure

Value = Callable[[Float[np.ndarray, "r *shape"]], Float[np.ndarray, " r"]]
"""Points `(r, …)` to their values `(r,)`."""

ValueAndGradient = Callable[
    [Float[np.ndarray, "r *shape"]], tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r *shape"]]
]
"""Points `(r, …)` to their values `(r,)` and gradients `(r, …)`."""


@dataclass(frozen=True, eq=False)
class Maximum:
    """The best point found, and every local maximum behind it.

    Attributes:
        point: where the largest value was found, `(d,)` in a box, `(C, A)` on simplices.
        value: that value.
        points: the end of every restart, best first, `(r, …)`.
        values: their values, `(r,)`, `-inf` where no number was found.
    """

    point: Float[np.ndarray, "*shape"]
    value: float
    points: Float[np.ndarray, r * shape]
    values: Float[np.ndarray, " r"]


def best_first(points: Float[np.ndarray, r * shape], values: Float[np.ndarray, " r"]) -> Maximum:
    """Sort restarts by value; ties keep their order.

    Raises:
        ModelFailure: no value is a finite number.

    >>> best_first(np.array([[0.0], [1.0]]), np.array([2.0, 3.0])).point
    array([1.])
    """
    values = finite(values)
    order = np.argsort(-values, kind="stable")
    points, values = points[order], values[order]
    if not values.size or values[0] == -np.inf:
        raise ModelFailure(
            f"the function to maximise is not a finite number at any of {values.size} points tried; "
            "check what was told for infinite or not-a-number values"
        )
    return Maximum(points[0], float(values[0]), points, values)


def finite(values: Float[np.ndarray, " r"]) -> Float[np.ndarray, " r"]:
    """Values with everything that is no finite number as `-inf`: nothing can be gained there.

    >>> finite(np.array([1.0, np.nan, np.inf]))
    array([  1., -inf, -inf])
    """
    return np.where(np.isfinite(values), values, -np.inf)
