"""Hyperparameters of thousands of observations: learned from some of them, and then corrected by all.

One evaluation of the likelihood is O(n³), so what counts is how many there are. Some hundred observations say nearly
what all do, at a small part of the price. From there Newton steps with their curvature, scaled to the number of all,
take three evaluations of the whole likelihood, where a search without curvature would take sixty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from ..errors import ModelFailure
from ..gp import Parameter, log_prior
from .kernels import Inputs, Parameters, PayoffKernel
from .process import Likelihood, Observations, likelihood, priors_of, shortest

MANY = 500
"""Observations, from which on hyperparameters are learned so, and on the growing schedule only."""
_STEP = 1e-3  # of the differences of gradients that curvature is
_EVALUATIONS = 3  # of the whole likelihood
_FARTHEST = 1.0  # of a step, in logarithms

Theta = Float[np.ndarray, " p"]


def some_of(data: Observations) -> Observations:
    """At most `MANY` observations, evenly spaced in time."""
    n = len(data.values)
    if n <= MANY:
        return data
    kept = np.linspace(0, n - 1, MANY).astype(np.intp)
    seen = None if data.inputs.seen is None else data.inputs.seen[kept]
    inputs = Inputs(data.inputs.weights[kept], data.inputs.tables[kept], seen)
    number = None if data.number is None else data.number[kept]
    return replace(data, inputs=inputs, values=data.values[kept], agents=data.agents[kept], number=number)


def corrected(kernel: PayoffKernel, data: Observations, start: Parameters) -> Parameters:
    """Hyperparameters learned from `some_of` the data, as all of the data have them: the likeliest of few."""
    priors = priors_of(kernel, shortest(kernel, data.first))
    low, high = np.array([prior.low for prior in priors]), np.array([prior.high for prior in priors])
    theta = np.array([start[prior.name] for prior in priors])
    inverse = _inverse_curvature(kernel, data, priors, theta)
    whole = likelihood(kernel, data, priors)
    best, height = theta, -np.inf
    for _ in range(_EVALUATIONS):
        found = _density(whole, priors, theta)
        if found is None or found[0] <= height:
            theta = 0.5 * (theta + best)  # too far
            continue
        best, height = theta, found[0]
        step = inverse @ found[1]
        theta = np.clip(theta + step * min(1.0, _FARTHEST / max(float(np.abs(step).max()), 1e-300)), low, high)
    return {prior.name: float(x) for prior, x in zip(priors, best, strict=True)}


def _inverse_curvature(
    kernel: PayoffKernel, data: Observations, priors: Sequence[Parameter], theta: Theta
) -> Float[np.ndarray, "p p"]:
    """H⁻¹, H by differences of gradients of some observations, times how many more there are; at least that of one."""
    some, p = some_of(data), len(theta)
    few = likelihood(kernel, some, priors)
    hessian = np.zeros((p, p))
    for i in range(p):
        ends = [_density(few, priors, theta + side * _STEP * np.eye(p)[i]) for side in (1.0, -1.0)]
        if ends[0] is not None and ends[1] is not None:
            hessian[i] = -(ends[0][1] - ends[1][1]) / (2 * _STEP)
    hessian *= len(data.values) / len(some.values)
    values, vectors = np.linalg.eigh(0.5 * (hessian + hessian.T))
    return np.asarray((vectors / np.maximum(np.abs(values), 1.0)) @ vectors.T)


def _density(of: Likelihood, priors: Sequence[Parameter], theta: Theta) -> tuple[float, Theta] | None:
    """The logarithm of the density and its gradient; None: there is none."""
    try:
        value, slope, _ = of(theta)
    except ModelFailure:
        return None
    believed, pull = log_prior(priors, theta)
    total = value + believed
    return (total, slope + pull) if np.isfinite(total) and np.isfinite(slope).all() else None
