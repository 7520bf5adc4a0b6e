"""Inflation of bounds where a model's scale rests on few outcomes, or outcomes have surprised the model."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from .._arrays import Float

BOUND = 2.0
"""Half the width of bounds in answers, in standard deviations: about 95 %."""
RECENT = 25
"""Outcomes that the calibration looks back on."""
TRUSTED = 5
"""Imagined outcomes, as far off as the model says, that the calibration starts from."""
BEYOND = 1e6
"""Deviations that a surprise counts as at most: an outcome of 1e100 is no more of one."""
_ALIKE = 4.0 * float(np.finfo(np.float64).eps)  # of the largest outcome: a smaller difference is rounding


def scale_inflation(points: Float[np.ndarray, "n d"], outcomes: Float[np.ndarray, " n"]) -> float:
    """Factor by which bounds are wider as the scale is estimated from these outcomes; infinite without a scale.

    With k different points the scale is a root mean square with k − 1 degrees of freedom, so that a bound of two
    standard deviations becomes the quantile of Student's t: `√(k/(k−1)) t_{k−1} / 2`. One point, or outcomes that are
    all alike, tell no scale at all. Without columns (d = 0) every outcome is one more of the same mean.

    >>> scale_inflation(np.array([[0.1], [0.5], [0.9]]), np.array([3.0, 4.0, 8.0])).__round__(2)
    2.77
    >>> scale_inflation(np.array([[0.1], [0.1]]), np.array([3.0, 4.0]))
    inf
    """
    k = len(np.unique(points, axis=0)) if points.shape[1] else len(points)
    if k < 2 or all_equal(outcomes):
        return math.inf
    return math.sqrt(k / (k - 1)) * float(scipy.special.stdtrit(k - 1, scipy.special.ndtr(BOUND))) / BOUND


def all_equal(outcomes: Float[np.ndarray, " n"]) -> bool:
    """Whether outcomes differ by no more than rounding.

    >>> all_equal(np.array([0.3, 0.1 + 0.2])), all_equal(np.array([0.3, 0.31]))
    (True, False)
    """
    low, high = 0.5 * float(outcomes.min()), 0.5 * float(outcomes.max())  # halves: the difference may not fit
    return bool(high - low <= _ALIKE * max(abs(low), abs(high)))


@dataclass(frozen=True)
class Calibration:
    """Recent standardised residuals of a model's predictions.

    Args:
        surprises: of the latest outcomes, the last one at the end.

    >>> surprised = Calibration().after(4.0)
    >>> round(surprised.factor, 2), round(surprised.inflation, 2)
    (1.87, 6.6)
    """

    surprises: tuple[float, ...] = ()

    def after(self, deviations: float) -> Calibration:
        """Add one residual in predictive deviations; NaN changes nothing."""
        if math.isnan(deviations):
            return self
        return Calibration((*self.surprises, float(np.clip(deviations, -BEYOND, BEYOND)))[-RECENT:])

    @property
    def factor(self) -> float:
        """c: root mean square of the latest surprises and of `TRUSTED` ones of one deviation; at least 1."""
        return self._off(TRUSTED)

    @property
    def inflation(self) -> float:
        """Inflation of the bounds in answers: it starts from one pseudo-outcome.

        A few surprises tell a root mean square only roughly: with k of them, the imagined one included, bounds take the
        quantile of Student's t with k degrees of freedom, of which there are two before any. Infinite where a surprise
        was `BEYOND`: of a model that is as far off nothing can be said.
        """
        if max(map(abs, self.surprises), default=0.0) >= BEYOND:
            return math.inf
        freedom = 1 + max(1, len(self.surprises))
        return self._off(1) * float(scipy.special.stdtrit(freedom, scipy.special.ndtr(BOUND))) / BOUND

    def _off(self, trusted: int) -> float:
        squares = np.square(self.surprises)
        return max(1.0, float(np.sqrt((squares.sum() + trusted) / (len(squares) + trusted))))
