"""Widths of bounds: radii of arms' means, β of the theory for Gaussian processes, and inflation.

Bounds are inflated where a model's scale rests on few outcomes, or outcomes have surprised the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from .._arrays import Float
from ..errors import InvalidOption

Counts = np.ndarray  # whole numbers, any shape
BOUND = 2.0
"""Half the width of bounds in answers, in standard deviations: about 95 %."""
MISFIT = 1.2
"""Factor by which bounds are wider than a fitted model says, since functions are not quite of the model's class.

Without it bounds hold in 92, 90, 89 and 89 of a hundred cases after 10, 20, 40 and 80 rounds: 1312 plays on functions
drawn for five registrations, none of them a Gaussian process; with it in 96, 95, 95 and 94. Half of the misses are by
less than .06 of the function's standard deviations from 40 rounds on. No single belief was found behind it: other
kernels, priors of lengthscales, noise laws and learning rates were played or compared on stored histories, and cover no
more (docs/results/calibration.md). Of a function of the model's own class, 98 % would be covered.
"""
RECENT = 25
"""Outcomes that the calibration looks back on."""
TRUSTED = 5
"""Imagined outcomes, as far off as the model says, that the calibration starts from."""
BEYOND = 1e6
"""Deviations that a surprise counts as at most: an outcome of 1e100 is no more of one."""
_ALIKE = 4.0 * float(np.finfo(np.float64).eps)  # of the largest outcome: a smaller difference is rounding


def hoeffding_radius(counts: Counts, rounds: float, span: float = 1.0) -> Float[np.ndarray, "*m"]:
    """`span · sqrt(2 ln T / N)`: β_i(t) of Algorithm 1, line 22 (Bayesian optimisation with unknown costs, 2025).

    For values that spread over at most `span`, a mean of N plays is further than this from the truth, to one given
    side, with probability at most `T⁻⁴` (Hoeffding 1963). Infinite for an arm never played.

    Args:
        counts: plays of each arm N, any shape.
        rounds: the number of rounds T, at least one; an estimate will do, and need not be whole.
        span: the width of the interval that values lie in, in their units.

    Raises:
        InvalidOption: `rounds` below one or not a number, `span` negative or not finite.

    >>> hoeffding_radius(np.array([0, 12]), rounds=400).round(3)
    array([  inf, 0.999])
    """
    if not rounds >= 1 or math.isinf(rounds):
        raise InvalidOption("rounds", rounds, "a finite number of at least one")
    _check_span(span)
    radii: Float[np.ndarray, "*m"] = span * np.sqrt(_over(2.0 * math.log(rounds), np.asarray(counts)))
    return radii


def bernstein_radius(
    counts: Counts, spreads: Float[np.ndarray, "*m"], delta: float, span: float | Float[np.ndarray, "*m"] = 1.0
) -> Float[np.ndarray, "*m"]:
    """Radius `sd · sqrt(2 ln(2/δ) / N) + 7 span ln(2/δ) / (3 (N − 1))` (Maurer & Pontil 2009, Theorem 4).

    A mean of N plays is further than this from the truth, to one given side, with probability at most δ. It is the
    shorter the less an arm's values spread. With `delta=T**-4` it promises what `hoeffding_radius` does. Given the
    *observed* span it adapts to the scale of the values, but the promise is then only a good guess: a rare large value
    that was not yet seen is not reckoned with. Infinite for arms played less than twice.

    Args:
        counts: plays of each arm N, any shape.
        spreads: sample standard deviation of each arm, with N − 1 below the line; ignored where N < 2.
        delta: probability of a miss, above 0 and below 1.
        span: the width of the interval that values lie in, one for all or one for each arm; ignored where N < 2.

    Raises:
        InvalidOption: `delta` outside (0, 1), or a span that is negative or not finite.

    >>> bernstein_radius(np.array([1, 50]), np.array([np.inf, 0.02]), delta=0.05, span=0.1).round(4)
    array([   inf, 0.0252])
    """
    _check_delta(delta)
    counts = np.asarray(counts)
    known = counts >= 2
    spans = np.where(known, span, 0.0)
    _check_span(spans)
    log = math.log(2.0) - math.log(delta)
    near = np.where(known, spreads, 0.0) * np.sqrt(_over(2.0 * log, np.where(known, counts, 1)))
    return np.where(known, near + 7.0 * spans / 3.0 * _over(log, np.where(known, counts - 1, 1)), np.inf)


def theory_beta(norm: float, noise_sd: float, gain: float, delta: float) -> float:
    """`β = B + σ sqrt(2 (γ + 1 + ln 1/δ))` (Chowdhury & Gopalan 2017, Theorem 2).

    With probability 1 − δ the truth is within β posterior standard deviations of the mean, at all points and rounds.

    Args:
        norm: bound on the norm of f in the kernel's space B.
        noise_sd: sub-Gaussian scale of the noise σ.
        gain: information gain γ of the observations so far, in nats.
        delta: probability of a miss, above 0 and below 1.

    Raises:
        InvalidOption: an argument outside its range.

    >>> round(theory_beta(norm=1.0, noise_sd=0.1, gain=3.0, delta=0.1), 3)
    1.355
    """
    for field, number in (("norm", norm), ("noise_sd", noise_sd), ("gain", gain)):
        if not 0 <= number < math.inf:
            raise InvalidOption(field, number, "a finite number of at least zero")
    _check_delta(delta)
    return norm + noise_sd * math.sqrt(2.0 * (gain + 1.0 - math.log(delta)))


def _over(numerator: float, counts: np.ndarray) -> Float[np.ndarray, "*m"]:
    shares: Float[np.ndarray, "*m"] = np.divide(numerator, counts, out=np.full(counts.shape, np.inf), where=counts > 0)
    return shares


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise InvalidOption("delta", delta, "a probability above zero and below one")


def _check_span(span: float | Float[np.ndarray, "*m"]) -> None:
    if not (np.isfinite(span) & (np.asarray(span) >= 0)).all():
        raise InvalidOption("span", span, "a finite width of at least zero")


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
