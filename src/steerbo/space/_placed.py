"""Distributions: laws placed on a variable's bounds, in user units; with closed formulas or finitely many atoms.

The truncated normal law is accurate far in the tails, and is found from the moments that it has
after truncation. SciPy's is off by up to 9e-6, and takes 7 to 13 times as long.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike

from .._arrays import Float
from ..errors import InvalidProblem

# parent sds from the mean to the nearer bound: beyond, rounding of log Φ costs more than 1e-8
_FARTHEST = 1e4
_FLAT = 1e-8  # largest relative change of the density across the bounds that is taken for none
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(128)  # Gauss-Legendre rule
Atomic = tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"]]


class Distribution(Protocol):
    """A law with everything resolved, in user units. Arrays of any shape; `u` lies in [0, 1].

    `support` is (low, high), either may be infinite; `atoms` is None for a continuous law, else
    (values (k,) ascending, weights (k,) summing to one). `density` exists for continuous laws only.
    """

    @property
    def mean(self) -> float:
        """Mean."""

    @property
    def sd(self) -> float:
        """Standard deviation."""

    @property
    def support(self) -> tuple[float, float]:
        """Lower and upper end; either may be infinite."""

    @property
    def atoms(self) -> Atomic | None:
        """Values (k,), ascending, and their weights (k,); None of a continuous law."""

    def ppf(self, u: ArrayLike) -> Float[np.ndarray, " ..."]:
        """Quantiles at probabilities `u`, of their shape."""

    def cdf(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """Probabilities of values up to `x`, of its shape."""

    def density(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """Densities at `x`, of its shape; of continuous laws only."""


@dataclass(frozen=True)
class UniformDistribution:
    """Equally likely everywhere between `low` and `high`."""

    low: float
    high: float
    atoms: ClassVar[None] = None

    @property
    def mean(self) -> float:
        """(low + high) / 2."""
        return self.low + (self.high - self.low) / 2

    @property
    def sd(self) -> float:
        """(high − low) / √12."""
        return (self.high - self.low) / math.sqrt(12)

    @property
    def support(self) -> tuple[float, float]:
        """The bounds."""
        return self.low, self.high

    def ppf(self, u: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The quantile at `u`."""
        return np.clip(
            self.low + np.asarray(u, float) * (self.high - self.low), self.low, self.high
        )

    def cdf(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The probability of at most `x`."""
        inside = np.clip(np.asarray(x, float), self.low, self.high)
        return np.asarray((inside - self.low) / (self.high - self.low))

    def density(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """1 / (high − low) inside, 0 outside."""
        x = np.asarray(x, float)
        return np.where((x >= self.low) & (x <= self.high), 1 / (self.high - self.low), 0.0)


@dataclass(frozen=True)
class NormalDistribution:
    """The normal law, unbounded."""

    mean: float
    sd: float
    support: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    atoms: ClassVar[None] = None

    def ppf(self, u: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The quantile at `u`."""
        with np.errstate(over="ignore"):
            return np.asarray(self.mean + self.sd * scipy.special.ndtri(np.asarray(u, float)))

    def cdf(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The probability of at most `x`."""
        return np.asarray(scipy.special.ndtr(_standard(x, self.mean, self.sd)))

    def density(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The bell curve."""
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(-(_standard(x, self.mean, self.sd) ** 2) / 2) / (
                self.sd * math.sqrt(2 * math.pi)
            )


@dataclass(frozen=True)
class LogNormalDistribution:
    """The law of exp(Z) for a normal Z with mean `log_mean` and standard deviation `log_sd`."""

    log_mean: float
    log_sd: float
    support: ClassVar[tuple[float, float]] = (0.0, math.inf)
    atoms: ClassVar[None] = None

    @property
    def mean(self) -> float:
        """exp(log_mean + log_sd²/2); infinite where a float cannot hold it."""
        with np.errstate(over="ignore", under="ignore"):
            return float(np.exp(self.log_mean + np.float64(self.log_sd) ** 2 / 2))

    @property
    def sd(self) -> float:
        """The mean times √(exp(log_sd²) − 1); infinite where a float cannot hold it."""
        with np.errstate(over="ignore", under="ignore"):
            half = np.sqrt(
                -np.expm1(-(np.float64(self.log_sd) ** 2))
            )  # so that exp(log_sd²) appears once, in one exponent
            return float(np.exp(self.log_mean + np.float64(self.log_sd) ** 2) * half)

    def ppf(self, u: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The quantile at `u`."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(
                np.exp(self.log_mean + self.log_sd * scipy.special.ndtri(np.asarray(u, float)))
            )

    def cdf(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The probability of at most `x`."""
        with np.errstate(divide="ignore"):
            log_x = np.log(np.maximum(np.asarray(x, float), 0.0))
        return np.asarray(scipy.special.ndtr(_standard(log_x, self.log_mean, self.log_sd)))

    def density(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The normal density of log x, divided by x; 0 at and below 0."""
        x = np.asarray(x, float)
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            log_x = np.log(np.maximum(x, 0.0))
            exponent = -(_standard(log_x, self.log_mean, self.log_sd) ** 2) / 2 - np.where(
                x > 0, log_x, 0.0
            )
            return np.exp(exponent) / (self.log_sd * math.sqrt(2 * math.pi))


@dataclass(frozen=True)
class BetaDistribution:
    """The Beta(a, b) law stretched from [0, 1] onto [low, high]."""

    a: float
    b: float
    low: float
    high: float
    atoms: ClassVar[None] = None

    @property
    def mean(self) -> float:
        """Low + (high − low) · a / (a + b)."""
        return self.low + (self.high - self.low) * self.a / (self.a + self.b)

    @property
    def sd(self) -> float:
        """(high − low) · √(ab / (a + b + 1)) / (a + b)."""
        total = self.a + self.b
        return (self.high - self.low) * math.sqrt(self.a / total * (self.b / total) / (total + 1))

    @property
    def support(self) -> tuple[float, float]:
        """The bounds."""
        return self.low, self.high

    def ppf(self, u: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The quantile at `u`."""
        inside = scipy.special.betaincinv(self.a, self.b, np.asarray(u, float))
        return np.asarray(np.clip(self.low + (self.high - self.low) * inside, self.low, self.high))

    def cdf(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The probability of at most `x`."""
        return np.asarray(scipy.special.betainc(self.a, self.b, self._inside(x)))

    def density(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The density; infinite at a bound whose shape parameter is below 1, and 0 outside."""
        x = np.asarray(x, float)
        z = self._inside(x)
        with np.errstate(over="ignore", under="ignore"):
            logs = scipy.special.xlogy(self.a - 1, z) + scipy.special.xlog1py(self.b - 1, -z)
            logs -= scipy.special.betaln(self.a, self.b)
            heights = np.exp(logs) / (self.high - self.low)
        return np.where((x >= self.low) & (x <= self.high), heights, 0.0)

    def _inside(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        return np.asarray(
            (np.clip(np.asarray(x, float), self.low, self.high) - self.low) / (self.high - self.low)
        )


def _standard(x: ArrayLike, mean: float, sd: float) -> Float[np.ndarray, " ..."]:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray((np.asarray(x, float) - mean) / sd)


@dataclass(frozen=True, eq=False)
class Atoms:
    """A law with `weights` (k,), summing to one, on the points `values` (k,), ascending. Make one by `of`."""

    values: Float[np.ndarray, " k"]
    weights: Float[np.ndarray, " k"]

    @classmethod
    def of(cls, values: ArrayLike, weights: ArrayLike) -> Atoms:
        """Sorted, duplicates merged, weightless points dropped, weights scaled to sum to one.

        >>> Atoms.of([3, 1, 3], [1, 2, 1]).weights
        array([0.5, 0.5])
        """
        points, place = np.unique(np.asarray(values, float), return_inverse=True)
        shares = np.asarray(weights, float)
        summed = np.bincount(place, shares / shares.max())
        kept = summed > 0
        return cls(points[kept], summed[kept] / summed.sum())

    @property
    def atoms(self) -> Atomic:
        """The points and their weights."""
        return self.values, self.weights

    @property
    def mean(self) -> float:
        """The weighted mean of the points."""
        return float(self.weights @ self.values)

    @property
    def sd(self) -> float:
        """The weighted standard deviation of the points."""
        away = self.values - self.mean
        # scaled before squaring: points may be as large as 1e300
        largest = float(np.abs(away).max()) or 1.0
        return largest * math.sqrt(self.weights @ (away / largest) ** 2)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest point."""
        return float(self.values[0]), float(self.values[-1])

    def ppf(self, u: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The smallest point whose cumulative weight reaches `u`."""
        place = np.searchsorted(self._cumulative, np.asarray(u, float), side="left")
        return self.values[np.minimum(place, self.values.size - 1)]

    def cdf(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """The weight at and below `x`."""
        place = np.searchsorted(self.values, np.asarray(x, float), side="right")
        return np.where(place > 0, self._cumulative[place - 1], 0.0)

    def density(self, x: ArrayLike) -> Float[np.ndarray, " ..."]:
        """Points with weights have no density.

        Raises:
            InvalidProblem: always.
        """
        raise InvalidProblem("density", x, "a continuous law", "Read atoms instead.")

    @cached_property
    def _cumulative(self) -> Float[np.ndarray, " k"]:
        summed = np.minimum(np.cumsum(self.weights), 1.0)
        summed[-1] = 1.0
        return summed


def duplicate(values: Iterable[Hashable]) -> Hashable | None:
    """The first value that appears a second time (1, 1.0 and True are the same), or None.

    >>> duplicate(["a", "b", "a"])
    'a'
    """
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


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

    @property
    def parent_mass(self) -> float:
        """The probability that the parent has between the bounds."""
        return math.exp(self._log_mass)

    def ppf(self, u: ArrayLike) -> Float[np.ndarray, " ..."]:
        """Quantile at `u`, computed by the thinner tail."""
        u = np.asarray(u, float)
        (a, b), log_z = self._ends, self._log_mass
        with np.errstate(divide="ignore"):
            # log Φ of the answer
            below = np.logaddexp(scipy.special.log_ndtr(a), np.log(u) + log_z)
            # log (1 − Φ) of the answer
            above = np.logaddexp(scipy.special.log_ndtr(-b), np.log1p(-u) + log_z)
        from_below, from_above = (
            scipy.special.ndtri_exp(np.minimum(logs, 0.0)) for logs in (below, above)
        )
        z = np.where(below < above, from_below, -from_above)
        # where the bounds are close about the mean, Φ hardly changes: erf can be inverted precisely
        if a < 0 < b:
            centred = scipy.special.erf(a / math.sqrt(2)) + 2 * u * math.exp(log_z)
            z = np.where(
                np.abs(centred) < 0.5,
                math.sqrt(2) * scipy.special.erfinv(np.clip(centred, -0.5, 0.5)),
                z,
            )
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
        return (self.low - self.parent_mean) / self.parent_sd, (
            self.high - self.parent_mean
        ) / self.parent_sd

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
    # both tails mirrored to the right
    near, far = (np.abs(a), np.abs(b)) if a >= 0 else (-b, np.full_like(b, -a))
    with np.errstate(divide="ignore", invalid="ignore"):
        log_near, log_far = scipy.special.log_ndtr(-near), scipy.special.log_ndtr(-far)
        tail = log_near + np.log1p(-np.exp(np.minimum(log_far - log_near, 0.0)))
        middle = np.log(
            (scipy.special.erf(b / math.sqrt(2)) - scipy.special.erf(a / math.sqrt(2))) / 2
        )
    return np.asarray(np.where((a < 0) & (b > 0), middle, tail))


def reach(mean: float, low: float, high: float) -> float:
    """The supremum of the standard deviations that a normal law truncated to [low, high] can have about this mean.

    It is that of the exponential law on [low, high] with this mean, the limit of ever wider
    parents.

    >>> round(reach(0.5, 0, 1), 6)
    0.288675
    """
    width = high - low
    return width * math.sqrt(_unit_moments(_tilt((mean - low) / width, 0.0), 0.0)[1])


def parent_of(mean: float, sd: float, low: float, high: float) -> tuple[float, float]:
    """Mean and standard deviation of the parent whose truncation to [low, high] has the given ones; sd below `reach`.

    With density ∝ exp(hx − tx²/2) on the unit interval, the variance at fixed mean falls with t,
    from the exponential law's at t = 0 to at most the wanted one at t = 1/variance: a root in
    between.

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
    # the density has fallen by e⁻⁴⁰
    reached = 80 / (slope + math.sqrt(slope**2 + 80 * t)) if slope + t > 0 else 1.0
    left, right = max(mode - reached, 0.0) - mode, min(mode + reached, 1.0) - mode
    x = left + (right - left) * (_NODES + 1) / 2
    weights = _WEIGHTS * np.exp((h - t * mode) * x - t * x**2 / 2)
    weights /= weights.sum()
    mean = float(weights @ x)
    return mode + mean, float(weights @ (x - mean) ** 2)
