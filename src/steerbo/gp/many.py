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
from .counted import MOST
from .fit import Fit, LogLikelihood, maximum_a_posteriori
from .parameters import Parameter, log_prior
from .process import GaussianProcess

MANY = 500
"""Observations that are some: all are learned from until there are more."""
_FIRST, _LATER = 6, 4  # evaluations of the whole likelihood, the first time and from the last hyperparameters on
_PART = 4  # a quarter of thousands of observations says where to begin, and a quarter of that how curvature grows
_STEP = 1e-3  # of the differences of gradients that curvature is
_FARTHEST = 1.0  # of a step, in logarithms
_ENOUGH = 0.05  # what is still to be gained in log density, by the curvature, where steps end

Theta = Float[np.ndarray, " p"]


def evenly(n: int, most: int = MANY) -> Int[np.ndarray, " m"]:
    """Indices of at most so many of n observations, evenly spaced.

    >>> evenly(3), len(evenly(1200)), int(evenly(1200)[-1])
    (array([0, 1, 2]), 500, 1199)
    """
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.intp)


def learned(
    initial: GaussianProcess[Any],
    before: Theta,
    X: Float[np.ndarray, "n d"],
    z: Float[np.ndarray, " n"],
    many: tuple[int, int],
) -> Fit:
    """Hyperparameters of a Gaussian process from all outcomes, or from `MOST` of them that are evenly spaced.

    Args:
        initial: with the hyperparameters that a search may begin with.
        before: (p,) those in use.
        X: (n, d) where outcomes are.
        z: (n,) standardised outcomes.
        many: from how many on a search saves time, and from how many on it learns from some of them first.
    """
    if len(z) > MOST:
        most = evenly(len(z), MOST)
        X, z = X[most], z[most]
    n, fixed, parameters = len(z), initial.theta, initial.parameters

    def likelihood(rows: Int[np.ndarray, " m"]) -> LogLikelihood:
        points, values = X[rows], z[rows]
        return lambda theta: initial.with_theta(theta).log_likelihood(points, values)

    short = fixed - np.log(3.0) * np.array(["lengthscale" in p.name for p in parameters])
    starts, whole = [before, fixed, short], likelihood(np.arange(n))
    if n <= many[1]:
        return maximum_a_posteriori(parameters, whole, starts, many=n > many[0])
    some, known = evenly(n), not np.array_equal(before, fixed)
    start = before if known else maximum_a_posteriori(parameters, likelihood(some), starts, many=True).theta

    def corrected(
        all_of_them: LogLikelihood, by: Int[np.ndarray, " m"], start: Theta, size: int, evaluations: int
    ) -> Fit:
        few, fewer = likelihood(by), likelihood(by[::_PART])
        share = len(by) / size
        return corrected_by_all(parameters, all_of_them, few, start, share=share, evaluations=evaluations, fewer=fewer)

    if len(more := evenly(n, n // _PART)) > len(some):  # a step between: what more say is nearer to what all do
        if not known:
            start = corrected(likelihood(more), some, start, len(more), _FIRST).theta
        some = more
    return corrected(whole, some, start, n, _LATER if known else _FIRST)


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
    fewer: LogLikelihood | None = None,
) -> Fit:
    """The likeliest hyperparameters near `start`, in so many evaluations of the whole likelihood.

    Args:
        parameters: what is believed of each of the p hyperparameters beforehand.
        whole: the likelihood of all observations; it may raise `ModelFailure`.
        few: that of some of them.
        start: (p,) where some observations, or earlier ones, have their maximum.
        share: how many of all those few are, in (0, 1].
        evaluations: at least one.
        fewer: the likelihood of a quarter of some, which says how curvature grows with how many there are: that of
            noise as their number, that of lengthscales of what is smooth far less. None: all of it as their number.
    """
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    theta = np.clip(start, low, high)
    inverse = _inverse_curvature(parameters, few, fewer, share, theta)
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
    notes = [] if left < 2 * _ENOUGH else ["the search for hyperparameters stopped before it converged"]
    if best.height == -math.inf:
        notes = ["no hyperparameters gave covariances that can be factorised: those before were kept"]
    if best.jitter:
        notes.append(f"{best.jitter:.1e} was added to the diagonal of nearly singular covariances")
    return Fit(best.theta, best.height, left < 2 * _ENOUGH, done, best.jitter, tuple(notes))


def _inverse_curvature(
    parameters: Sequence[Parameter], few: LogLikelihood, fewer: LogLikelihood | None, share: float, theta: Theta
) -> Float[np.ndarray, "p p"]:
    """H⁻¹, H that of some observations, grown to that of all; at least that of one."""
    values, vectors = np.linalg.eigh(_curvature(parameters, few, theta))
    values, power = np.abs(values), np.ones(len(theta))
    if fewer is not None:
        before = np.abs(np.einsum("pi,pq,qi->i", vectors, _curvature(parameters, fewer, theta), vectors))
        power = np.clip(np.log(np.maximum(values, 1e-3) / np.maximum(before, 1e-3)) / math.log(_PART), 0.0, 1.0)
    return np.asarray((vectors / np.maximum(values * share**-power, 1.0)) @ vectors.T)


def _curvature(parameters: Sequence[Parameter], few: LogLikelihood, theta: Theta) -> Float[np.ndarray, "p p"]:
    """By differences of gradients."""
    p = len(theta)
    hessian = np.zeros((p, p))
    for i in range(p):
        ends = [_density(parameters, few, theta + side * _STEP * np.eye(p)[i]) for side in (1.0, -1.0)]
        if ends[0] is not None and ends[1] is not None:
            hessian[i] = -(ends[0].slope - ends[1].slope) / (2 * _STEP)
    return 0.5 * (hessian + hessian.T)


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
