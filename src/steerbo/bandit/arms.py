"""Statistics of every arm: plays, mean and spread, updated one value at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from ..errors import InvalidOutcome


@dataclass(frozen=True, eq=False)
class Arms:
    """Running statistics of `m` arms; `tell` answers new ones and changes nothing.

    Attributes:
        counts: plays of each arm, `(m,)`.
        means: mean value of each arm, `(m,)`, zero where never played.
        norms: root of the sum of squared deviations from the mean, `(m,)`: unlike the sum itself it cannot overflow.
        lowest: smallest value of each arm, `(m,)`, `inf` where never played.
        highest: largest value of each arm, `(m,)`, `-inf` where never played.

    >>> arms = Arms.new(2).tell(0, 1.0).tell(0, 3.0)
    >>> arms.means, arms.spreads.round(3)
    (array([2., 0.]), array([1.414,   inf]))
    """

    counts: Int[np.ndarray, " m"]
    means: Float[np.ndarray, " m"]
    norms: Float[np.ndarray, " m"]
    lowest: Float[np.ndarray, " m"]
    highest: Float[np.ndarray, " m"]

    @classmethod
    def new(cls, m: int) -> Arms:
        """`m` arms never played."""
        return cls(np.zeros(m, dtype=np.int64), np.zeros(m), np.zeros(m), np.full(m, np.inf), np.full(m, -np.inf))

    def tell(self, arm: int, value: float) -> Arms:
        """The statistics after one more value of one arm (Welford 1962).

        Raises:
            InvalidOutcome: no such arm, or a value that is not a finite number.
        """
        if not 0 <= arm < len(self.counts):
            raise InvalidOutcome("arm", arm, f"a whole number from 0 to {len(self.counts) - 1}")
        if not math.isfinite(value):
            raise InvalidOutcome("value", value, "a finite number")
        n, mean, value = int(self.counts[arm]), float(self.means[arm]), float(value)
        away = value - mean
        return Arms(
            _with(self.counts, arm, n + 1),
            _with(self.means, arm, mean + away / (n + 1)),
            _with(self.norms, arm, math.hypot(self.norms[arm], away * math.sqrt(n / (n + 1)))),
            _with(self.lowest, arm, min(float(self.lowest[arm]), value)),
            _with(self.highest, arm, max(float(self.highest[arm]), value)),
        )

    @property
    def spreads(self) -> Float[np.ndarray, " m"]:
        """Sample standard deviations with N − 1 below the line, `(m,)`; infinite where N < 2: nothing is known."""
        known = self.counts >= 2
        return np.where(known, self.norms / np.sqrt(np.maximum(self.counts - 1, 1)), np.inf)

    @property
    def spans(self) -> Float[np.ndarray, " m"]:
        """Largest less smallest value of each arm, `(m,)`; infinite where N < 2: nothing is known."""
        unknown = np.full(len(self.counts), np.inf)
        spans: Float[np.ndarray, " m"] = np.subtract(self.highest, self.lowest, out=unknown, where=self.counts >= 2)
        return spans

    def lower_bounds(self, radii: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
        """`max(mean − radius, 0)`, `(m,)`: c_i^LCB(t) of Algorithm 1, line 23, for costs, which are never negative.

        >>> Arms.new(2).tell(1, 0.5).lower_bounds(np.array([np.inf, 0.2]))
        array([0. , 0.3])
        """
        bounds: Float[np.ndarray, " m"] = np.maximum(self.means - radii, 0.0)
        return bounds


def _with(values: np.ndarray, arm: int, value: float) -> np.ndarray:
    changed = values.copy()
    changed[arm] = value
    return changed
