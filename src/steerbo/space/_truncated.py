"""The truncated normal law: accurate far in the tails, and from the moments that it has after truncation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from .._arrays import Float

_FARTHEST = 1e4  # parent sds from the mean to the nearer bound: beyond, rounding of log Φ costs more than 1e-8
_FLAT = 1e-8  # largest relative change of the density across the bounds that is taken for none
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(128)


@dataclass(frozen=True)
class TruncatedNormalDistribution:
    """The normal law with the given parent moments, conditioned on [low, high]."""

    parent_mean: float
    parent_sd: float
    low: float
    high: float
    atoms: ClassVar[None] = None

    @property
    def mean(self) -> float:
        """The mean after truncation."""
        return self._moments[0]

    @property
    def sd(self) -> float:
        """The standard deviation after truncation."""
        return self._moments[1]

    @property
    def support(self) -> tuple[float, float]:
        """The bounds."""
        return self.low, self.high

    def ppf(self, u: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The quantile at `u`, by whichever tail is the thinner one."""
        u = np.asarray(u, float)
        (a, b), log_z = self._ends, self._log_mass
        with np.errstate(divide="ignore"):
            below = np.logaddexp(scipy.special.log_ndtr(a), np.log(u) + log_z)  # log Φ of the answer
            above = np.logaddexp(scipy.special.log_ndtr(-b), np.log1p(-u) + log_z)  # log (1 − Φ) of the answer
        from_below, from_above = (scipy.special.ndtri_exp(np.minimum(logs, 0.0)) for logs in (below, above))
        z = np.where(below < above, from_below, -from_above)
        if a < 0 < b:  # where the bounds are close about the mean, Φ hardly changes: erf can be inverted precisely
            centred = scipy.special.erf(a / math.sqrt(2)) + 2 * u * math.exp(log_z)
            z = np.where(np.abs(centred) < 0.5, math.sqrt(2) * scipy.special.erfinv(np.clip(centred, -0.5, 0.5)), z)
        return np.asarray(np.clip(self.parent_mean + self.parent_sd * z, self.low, self.high))

    def cdf(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The probability of at most `x`."""
        (a, _), log_z = self._ends, self._log_mass
        z = (np.clip(np.asarray(x, float), self.low, self.high) - self.parent_mean) / self.parent_sd
        return np.clip(np.exp(log_mass(a, z) - log_z), 0.0, 1.0)

    def density(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The parent's density over the mass inside; 0 outside."""
        x = np.asarray(x, float)
        z = (np.clip(x, self.low, self.high) - self.parent_mean) / self.parent_sd
        heights = np.exp(-(z**2) / 2 - self._log_mass) / (self.parent_sd * math.sqrt(2 * math.pi))
        return np.where((x >= self.low) & (x <= self.high), heights, 0.0)

    @property
    def _ends(self) -> tuple[float, float]:
        return (self.low - self.parent_mean) / self.parent_sd, (self.high - self.parent_mean) / self.parent_sd

    @cached_property
    def _log_mass(self) -> float:
        a, b = self._ends
        return float(log_mass(a, b))

    @cached_property
    def _moments(self) -> tuple[float, float]:
        width, precision = self.high - self.low, ((self.high - self.low) / self.parent_sd) ** 2
        mean, variance = _unit_moments((self.parent_mean - self.low) / width * precision, precision)
        return self.low + width * mean, width * math.sqrt(variance)


def log_mass(a: float, b: ArrayLike) -> Float[np.ndarray, " ..."]:
    """log(Φ(b) − Φ(a)) for a ≤ b without cancellation in either tail; −∞ where they are equal.

    >>> float(np.round(log_mass(30.0, 31.0), 6))
    -454.321244
    """
    b = np.asarray(b, float)
    near, far = (np.abs(a), np.abs(b)) if a >= 0 else (-b, np.full_like(b, -a))  # both tails mirrored to the right
    with np.errstate(divide="ignore", invalid="ignore"):
        log_near, log_far = scipy.special.log_ndtr(-near), scipy.special.log_ndtr(-far)
        tail = log_near + np.log1p(-np.exp(np.minimum(log_far - log_near, 0.0)))
        middle = np.log((scipy.special.erf(b / math.sqrt(2)) - scipy.special.erf(a / math.sqrt(2))) / 2)
    return np.asarray(np.where((a < 0) & (b > 0), middle, tail))


def reach(mean: float, low: float, high: float) -> float:
    """The supremum of the standard deviations that a normal law truncated to [low, high] can have about this mean.

    It is that of the exponential law on [low, high] with this mean, the limit of ever wider parents.

    >>> round(reach(0.5, 0, 1), 6)
    0.288675
    """
    width = high - low
    return width * math.sqrt(_unit_moments(_tilt((mean - low) / width, 0.0), 0.0)[1])


def parent_of(mean: float, sd: float, low: float, high: float) -> tuple[float, float]:
    """Mean and standard deviation of the parent whose truncation to [low, high] has the given ones; sd below `reach`.

    With density ∝ exp(hx − tx²/2) on the unit interval, the variance at fixed mean falls with t, from the exponential
    law's at t = 0 to at most the wanted one at t = 1/variance: a root in between.

    >>> [round(x, 4) for x in parent_of(0.5, 0.02**0.5, 0, 1)]
    [0.5, 0.1418]
    """
    from scipy.optimize import brentq

    width = high - low
    m, v = (mean - low) / width, (sd / width) ** 2

    def excess(t: float) -> float:
        return _unit_moments(_tilt(m, t), t)[1] / v - 1

    if excess(1 / v) >= 0:  # the bounds are too far away to matter
        return mean, sd
    t = brentq(excess, 0.0, 1 / v, xtol=1e-14, rtol=1e-14)
    return low + width * _tilt(m, t) / t, width / math.sqrt(t)


def too_far(parent_mean: float, parent_sd: float, low: float, high: float) -> bool:
    """Whether the bounds lie so far in the parent's tail that its quantiles would be inaccurate."""
    return max(low - parent_mean, parent_mean - high) / parent_sd > _FARTHEST


def is_flat(parent_mean: float, parent_sd: float, low: float, high: float) -> bool:
    """Whether the parent's density does not change between the bounds, to 1e-8: then the law is uniform."""
    steepest = max(abs(low - parent_mean), abs(high - parent_mean), parent_sd) / parent_sd
    return (high - low) / parent_sd * steepest < _FLAT


def _tilt(m: float, t: float) -> float:
    """The h for which exp(hx − tx²/2) on [0, 1] has mean m: the mean rises with h."""
    from scipy.optimize import brentq

    def excess(h: float) -> float:
        return _unit_moments(h, t)[0] - m

    guess, step = t * m, 1.0 + math.sqrt(t)
    rising = excess(guess) < 0
    near = guess
    far = guess + step if rising else guess - step
    while (excess(far) < 0) == rising:
        step *= 2
        near, far = far, far + step if rising else far - step
    return float(brentq(excess, near, far, xtol=1e-13, rtol=1e-14))


def _unit_moments(h: float, t: float) -> tuple[float, float]:
    """Mean and variance of the density ∝ exp(hx − tx²/2) on [0, 1], by quadrature about its mode."""
    mode = min(max(h / t, 0.0), 1.0) if t > 0 else float(h > 0)
    slope = abs(h - t * mode)
    reached = 80 / (slope + math.sqrt(slope**2 + 80 * t)) if slope + t > 0 else 1.0  # the density has fallen by e⁻⁴⁰
    left, right = max(mode - reached, 0.0) - mode, min(mode + reached, 1.0) - mode
    x = left + (right - left) * (_NODES + 1) / 2
    weights = _WEIGHTS * np.exp((h - t * mode) * x - t * x**2 / 2)
    weights /= weights.sum()
    mean = float(weights @ x)
    return mode + mean, float(weights @ (x - mean) ** 2)
