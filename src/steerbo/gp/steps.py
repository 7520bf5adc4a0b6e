"""Quasi-Newton steps up a log posterior density that is dear to compute, from a curvature that is known beforehand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ..errors import ModelFailure
from .factor import Factor
from .fit import Fit, LogLikelihood, Weighed
from .parameters import Parameter, log_prior

QUARTER = 4
"""A quarter of some observations says how curvature grows with how many there are."""
ENOUGH = 0.05
"""What is still to be gained in log density, by the curvature, where steps end."""
_NEARLY = 0.3  # the same, where one more step is taken of which the density alone is computed
_ALIKE = 0.1  # that step has arrived if it gains what curvature promised, within this
_STEP = 1e-3  # of the differences of gradients that curvature is
_FARTHEST = 1.0  # of a step, in logarithms

Theta = Float[np.ndarray, " p"]
Weigh = Callable[[Theta], Weighed]
"""From hyperparameters (p,) to the log marginal likelihood; it may raise `ModelFailure`."""


@dataclass(frozen=True, eq=False)
class Place:
    """Log posterior density at a point, up to a constant; its gradient when it is asked for."""

    theta: Theta
    height: float
    pull: Theta
    likelihood: Weighed

    @classmethod
    def at(cls, theta: Theta, parameters: Sequence[Parameter], of: Weigh) -> Place | None:
        """None: there is no density."""
        try:
            found = of(theta)
        except ModelFailure:
            return None
        believed, pull = log_prior(parameters, theta)
        height = found.value + believed
        return cls(theta, height, pull, found) if math.isfinite(height) else None

    def slope(self) -> Theta | None:
        """The gradient (p,); None: there is none."""
        slope = self.likelihood.slope() + self.pull
        return slope if np.isfinite(slope).all() else None


def weighing(of: LogLikelihood) -> Weigh:
    """A likelihood that always computes its gradient, too."""

    def weigh(theta: Theta) -> Weighed:
        value, slope, jitter = of(theta)
        return Weighed(value, jitter, lambda: slope)

    return weigh


@dataclass(frozen=True, eq=False)
class Curvature:
    """H, less the Hessian of a log posterior density of m observations, and how it grows with m.

    Attributes:
        vectors: (p, p) of H, one a column.
        values: (p,) of H, none below zero.
        power: (p,) along a vector H grows as m to this power, in [0, 1]: that of noise as m, that of lengthscales of
            what is smooth far less.
    """

    vectors: Float[np.ndarray, "p p"]
    values: Float[np.ndarray, " p"]
    power: Float[np.ndarray, " p"]

    @classmethod
    def found(cls, parameters: Sequence[Parameter], few: Weigh, theta: Theta, fewer: Weigh | None = None) -> Curvature:
        """That of few observations at a point, and of a quarter of them; None: all of it grows as their number."""
        values, vectors = np.linalg.eigh(_by_differences(parameters, few, theta))
        values, power = np.abs(values), np.ones(len(theta))
        if fewer is not None:
            before = np.abs(np.einsum("pi,pq,qi->i", vectors, _by_differences(parameters, fewer, theta), vectors))
            power = np.log(np.maximum(values, 1e-3) / np.maximum(before, 1e-3)) / math.log(QUARTER)
            power = np.clip(power, 0.0, 1.0)
        return cls(vectors, values, power)

    def inverse(self, share: float) -> Float[np.ndarray, "p p"]:
        """H⁻¹ of so many observations that m are this share of them, in (0, 1]; H is at least one."""
        return np.asarray((self.vectors / np.maximum(self.values * share**-self.power, 1.0)) @ self.vectors.T)

    def agreeing(self, inverse: Float[np.ndarray, "p p"]) -> Curvature:
        """As steps have found it, given H⁻¹, growing as before."""
        values, vectors = np.linalg.eigh(inverse)
        power = np.clip((vectors.T @ self.vectors) ** 2 @ self.power, 0.0, 1.0)
        return Curvature(vectors, 1.0 / np.maximum(values, 1e-12), power)


@dataclass(frozen=True, eq=False)
class Climbed:
    """Where steps have led.

    Attributes:
        theta: (p,) the likeliest point that is known.
        height: the log posterior density there; minus infinity: there is none anywhere.
        jitter: what had to be added to the Gram matrix there.
        onward: (p,) where the next step would lead.
        left: what that step would gain, by the curvature.
        inverse: (p, p) H⁻¹, as the steps have found it.
        evaluations: how often a density was computed.
        factor: that of the Gram matrix, if its gradient was not needed there.
    """

    theta: Theta
    height: float
    jitter: float
    onward: Theta
    left: float
    inverse: Float[np.ndarray, "p p"]
    evaluations: int
    factor: Factor | None = None

    @property
    def fit(self) -> Fit:
        """The same as the end of a search."""
        converged = self.left < 2 * ENOUGH
        notes = [] if converged else ["the search for hyperparameters stopped before it converged"]
        if self.height == -math.inf:
            notes = ["no hyperparameters gave covariances that can be factorised: those before were kept"]
        if self.jitter:
            notes.append(f"{self.jitter:.1e} was added to the diagonal of nearly singular covariances")
        return Fit(self.theta, self.height, converged, self.evaluations, self.jitter, tuple(notes), self.factor)


def climbed(
    parameters: Sequence[Parameter],
    of: Weigh,
    start: Theta,
    inverse: Float[np.ndarray, "p p"],
    *,
    evaluations: int,
    hasty: bool = False,
) -> Climbed:
    """The likeliest hyperparameters near `start`, by quasi-Newton steps.

    Args:
        parameters: what is believed of each of the p hyperparameters beforehand.
        of: the likelihood of all observations.
        start: (p,) where to begin.
        inverse: (p, p) H⁻¹ about there.
        evaluations: of the likelihood, about the most, at least one.
        hasty: whether a last short step that gains what it should is the end, without the gradient there.
    """
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    theta = np.clip(start, low, high)
    best, height, slope, jitter = theta, -math.inf, np.zeros_like(theta), 0.0
    left, done = math.inf, 0
    while done < evaluations or (hasty and left < _NEARLY and done == evaluations):
        done += 1
        place = Place.at(theta, parameters, of)
        gain = -math.inf if place is None else place.height - height
        if place is not None and hasty and gain >= 0.0 and left < _NEARLY and abs(gain - left) < _ALIKE:
            found = place.likelihood
            return Climbed(theta, place.height, found.jitter, theta, 0.0, inverse, done, found.factor())
        if left < ENOUGH:
            break
        rise = place.slope() if place is not None and gain > 0.0 else None
        if place is None or rise is None:
            theta = 0.5 * (theta + best)  # too far
            continue
        if height > -math.inf:
            inverse = _updated(inverse, theta - best, slope - rise)
        best, height, slope, jitter = theta, place.height, rise, place.likelihood.jitter
        del place  # it holds matrices
        step = inverse @ slope
        theta = np.clip(theta + step * min(1.0, _FARTHEST / max(float(np.abs(step).max()), 1e-300)), low, high)
        left = 0.5 * float((theta - best) @ slope)
        if left < ENOUGH and not hasty:
            break
    return Climbed(best, height, jitter, theta, left, inverse, done)


def _by_differences(parameters: Sequence[Parameter], few: Weigh, theta: Theta) -> Float[np.ndarray, "p p"]:
    """H, by differences of gradients."""
    p = len(theta)
    hessian = np.zeros((p, p))
    for i in range(p):
        ends = [Place.at(theta + side * _STEP * np.eye(p)[i], parameters, few) for side in (1.0, -1.0)]
        slopes = [None if end is None else end.slope() for end in ends]
        if slopes[0] is not None and slopes[1] is not None:
            hessian[i] = -(slopes[0] - slopes[1]) / (2 * _STEP)
    return 0.5 * (hessian + hessian.T)


def _updated(inverse: Float[np.ndarray, "p p"], step: Theta, fall: Theta) -> Float[np.ndarray, "p p"]:
    """The inverse curvature that agrees with how the slope fell over a step, by the formula of BFGS."""
    along = float(step @ fall)
    if along <= 1e-12:
        return inverse
    rest = np.eye(len(step)) - np.outer(step, fall) / along
    return np.asarray(rest @ inverse @ rest.T + np.outer(step, step) / along)
