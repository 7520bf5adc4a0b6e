"""Dataset that a process is conditioned on, as they are read: points, outcomes, stated errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import Float
from ..errors import InvalidOutcome

_FARTHEST = 1e100  # squares of numbers beyond may not fit into a float


@dataclass(frozen=True, eq=False)
class Dataset:
    """Outcomes at points, in the order in which they came.

    Args:
        points: (n, d).
        outcomes: (n,), in the user's units.
        errors: (n,), stated standard errors of the outcomes, in the user's units; 0 where nothing
            is stated.
        extra: (n,), noise variances that outcomes which are doubted have beside the common one,
            standardised.
    """

    points: Float[np.ndarray, "n d"]
    outcomes: Float[np.ndarray, " n"]
    errors: Float[np.ndarray, " n"]
    extra: Float[np.ndarray, " n"]

    def __len__(self) -> int:
        return len(self.outcomes)

    def extended(
        self,
        points: Float[np.ndarray, "m d"],
        outcomes: Float[np.ndarray, " m"],
        errors: Float[np.ndarray, " m"],
    ) -> Dataset:
        """The same with more observations, none of which is doubted."""
        more = points, outcomes, errors, np.zeros(len(outcomes))
        if not len(self):  # their points may have more columns
            return Dataset(*more)
        have = self.points, self.outcomes, self.errors, self.extra
        return Dataset(*map(np.concatenate, zip(have, more, strict=True)))

    @property
    def doubted(self) -> list[int]:
        """Numbers of the outcomes that are probably wrong and count for little, ascending."""
        return np.flatnonzero(self.extra).tolist()

    def stated(self, scale: float) -> Float[np.ndarray, " n"]:
        """Noise variances by the stated errors, in units of which one is `scale` of the user's, (n,)."""
        return np.minimum(self.errors / scale, _FARTHEST) ** 2


# -- reading -----------------------------------------------------------------------------------------


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


def read_errors(errors: object, n: int) -> Float[np.ndarray, " n"]:
    """Stated standard errors of n outcomes, (n,); None: nothing is stated of any, which is 0.

    Raises:
        InvalidOutcome: no numbers, not one for each outcome, not finite, or below 0.
    """
    if errors is None:
        return np.zeros(n)
    stated = _numbers(errors, "sem")
    if stated.shape != (n,) or not (np.isfinite(stated) & (stated >= 0.0)).all():
        raise InvalidOutcome("sem", errors, f"{n} finite numbers not below 0, one for each outcome")
    return stated


def _numbers(values: object, field: str) -> np.ndarray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidOutcome(field, values, "numbers") from None
