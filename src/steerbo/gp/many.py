"""Hyperparameters of many observations: learned from some of them, and then corrected by all.

One evaluation of the likelihood is O(n³), so what counts is how many there are. Some hundred observations say nearly
what all do, at a small part of the price. From there quasi-Newton steps take three to six evaluations of the whole
likelihood, for they begin with the curvature that these have, scaled to the number of all; a search that has to find
out about curvature takes thirty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from ..errors import ModelFailure
from .fit import Fit, LogLikelihood, maximum_a_posteriori
from .parameters import Parameter, log_prior
from .process import GaussianProcess

MANY = 500
"""Observations that are some: all are learned from until there are more."""
_FIRST, _LATER = 6, 4  # evaluations of the whole likelihood, the first time and from the last hyperparameters on
_STEP = 1e-3  # of the differences of gradients that curvature is
_FARTHEST = 1.0  # of a step, in logarithms
_ENOUGH = 0.01  # what is still to be gained in log density, by the curvature, where steps end

Theta = Float[np.ndarray, " p"]


def evenly(n: int) -> Int[np.ndarray, " m"]:
    """Indices of at most `MANY` of n observations, evenly spaced.

    >>> evenly(3), len(evenly(1200)), int(evenly(1200)[-1])
    (array([0, 1, 2]), 500, 1199)
    """
    return np.arange(n) if n <= MANY else np.linspace(0, n - 1, MANY).astype(np.intp)


def learned(
    initial: GaussianProcess[Any],
    before: Theta,
    X: Float[np.ndarray, "n d"],
    z: Float[np.ndarray, " n"],
    many: tuple[int, int],
) -> Fit:
    """Hyperparameters of a Gaussian process from all outcomes.

    Args:
        initial: with the hyperparameters that a search may begin with.
        before: (p,) those in use.
        X: (n, d) where outcomes are.
        z: (n,) standardised outcomes.
        many: from how many on a search saves time, and from how many on it learns from some of them first.
    """
    n, fixed, parameters = len(z), initial.theta, initial.parameters

    def likelihood(rows: Int[np.ndarray, " m"]) -> LogLikelihood:
        points, values = X[rows], z[rows]
        return lambda theta: initial.with_theta(theta).log_likelihood(points, values)

    short = fixed - np.log(3.0) * np.array(["lengthscale" in p.name for p in parameters])
    starts, whole = [before, fixed, short], likelihood(np.arange(n))
    if n <= many[1]:
        return maximum_a_posteriori(parameters, whole, starts, many=n > many[0])
    some = evenly(n)
    few, known = likelihood(some), not np.array_equal(before, fixed)
    start = before if known else maximum_a_posteriori(parameters, few, starts, many=True).theta
    share, evaluations = len(some) / n, _LATER if known else _FIRST
    return corrected_by_all(parameters, whole, few, start, share=share, evaluations=evaluations)


@dataclass(frozen=True, eq=False)
class _Place:
    """Log posterior density at a point, up to a constant, with its gradient."""

    theta: Theta
    height: float
    slope: Theta
    jitter: float


def corrected_by_all(
    parameters: Sequence[Parameter],
    whole: LogLikelihood,
    few: LogLikelihood,
    start: Theta,
    *,
    share: float,
    evaluations: int,
) -> Fit:
    """The likeliest hyperparameters near `start`, in so many evaluations of the whole likelihood.

    Args:
        parameters: what is believed of each of the p hyperparameters beforehand.
        whole: the likelihood of all observations; it may raise `ModelFailure`.
        few: that of some of them.
        start: (p,) where some observations, or earlier ones, have their maximum.
        share: how many of all those few are, in (0, 1].
        evaluations: at least one.
    """
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    theta = np.clip(start, low, high)
    inverse = _inverse_curvature(parameters, few, share, theta)
    best, left = _Place(theta, -math.inf, np.zeros_like(theta), 0.0), math.inf
    done = 0
    while done < evaluations:
        done += 1
        found = _density(parameters, whole, theta)
        if found is None or found.height <= best.height:
            theta = 0.5 * (theta + best.theta)  # too far
            continue
        if best.height > -math.inf:
            inverse = _updated(inverse, found.theta - best.theta, best.slope - found.slope)
        best = found
        step = inverse @ best.slope
        theta = np.clip(theta + step * min(1.0, _FARTHEST / max(float(np.abs(step).max()), 1e-300)), low, high)
        left = 0.5 * float((theta - best.theta) @ best.slope)
        if left < _ENOUGH:
            break
    notes = [] if left < 10 * _ENOUGH else ["the search for hyperparameters stopped before it converged"]
    if best.height == -math.inf:
        notes = ["no hyperparameters gave covariances that can be factorised: those before were kept"]
    if best.jitter:
        notes.append(f"{best.jitter:.1e} was added to the diagonal of nearly singular covariances")
    return Fit(best.theta, best.height, left < 10 * _ENOUGH, done, best.jitter, tuple(notes))


def _inverse_curvature(
    parameters: Sequence[Parameter], few: LogLikelihood, share: float, theta: Theta
) -> Float[np.ndarray, "p p"]:
    """H⁻¹, H by differences of gradients of some observations, times how many more there are; at least that of one."""
    p = len(theta)
    hessian = np.zeros((p, p))
    for i in range(p):
        ends = [_density(parameters, few, theta + side * _STEP * np.eye(p)[i]) for side in (1.0, -1.0)]
        if ends[0] is not None and ends[1] is not None:
            hessian[i] = -(ends[0].slope - ends[1].slope) / (2 * _STEP)
    hessian /= share
    values, vectors = np.linalg.eigh(0.5 * (hessian + hessian.T))
    return np.asarray((vectors / np.maximum(np.abs(values), 1.0)) @ vectors.T)


def _updated(inverse: Float[np.ndarray, "p p"], step: Theta, fall: Theta) -> Float[np.ndarray, "p p"]:
    """The inverse curvature that agrees with how the slope fell over a step, by the formula of BFGS."""
    along = float(step @ fall)
    if along <= 1e-12:
        return inverse
    rest = np.eye(len(step)) - np.outer(step, fall) / along
    return np.asarray(rest @ inverse @ rest.T + np.outer(step, step) / along)


def _density(parameters: Sequence[Parameter], of: LogLikelihood, theta: Theta) -> _Place | None:
    """None: there is none."""
    try:
        value, slope, jitter = of(theta)
    except ModelFailure:
        return None
    believed, pull = log_prior(parameters, theta)
    height, slope = value + believed, slope + pull
    return _Place(theta, height, slope, jitter) if np.isfinite(height) and np.isfinite(slope).all() else None
