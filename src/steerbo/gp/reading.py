"""Points and outcomes as a user's code gives them, checked before anything is kept."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from ..errors import InvalidOutcome

_FARTHEST = 1e100  # squares of coordinates beyond may not fit into a float


def read_points(X: object, width: int, more: bool) -> Float[np.ndarray, "n d"]:
    """Points, (n, d), with d = `width`, or with `more` also above it; an empty list is no points.

    Raises:
        InvalidOutcome: no numbers, no rows of that width, not finite, or absurdly far away.
    """
    points = _numbers(X, "points")
    if points.shape[:1] == (0,):
        return np.zeros((0, width))
    if points.ndim != 2 or points.shape[1] < width or (points.shape[1] > width and not more):
        raise InvalidOutcome("points", X, f"rows of {width} numbers")
    if not (np.abs(points) <= _FARTHEST).all():
        raise InvalidOutcome("points", X, f"finite numbers, not beyond {_FARTHEST:g}")
    return points


def read_outcomes(y: object, n: int) -> Float[np.ndarray, " n"]:
    """Outcomes at n points, (n,).

    Raises:
        InvalidOutcome: no numbers, not one for each point, or not finite.
    """
    outcomes = _numbers(y, "value")
    if outcomes.shape != (n,):
        raise InvalidOutcome("value", y, f"{n} numbers, one for each point")
    if not np.isfinite(outcomes).all():
        raise InvalidOutcome("value", y, "a finite number", "If the evaluation broke, use ‹fail›.")
    return outcomes


def _numbers(values: object, field: str) -> np.ndarray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidOutcome(field, values, "numbers") from None
