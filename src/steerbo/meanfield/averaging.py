"""Answers that do not rest on one guess of the hyperparameters: their posterior, by few draws.

After twenty rounds the likeliest noise is a tenth of the true one, and bounds that take it for granted are too narrow.
Each embedding counts by its evidence (Laplace's approximation at the likeliest hyperparameters); of each a chain of
Metropolis steps, one hyperparameter at a time, gives a dozen sets of them that are as likely as outcomes say. Averages
then have the mean and the variance of the mixture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ..errors import ModelFailure
from ..gp import Parameter, log_prior, mixture_quantile, profiled_log_density
from .acquisition import PayoffBounds, Tables, Values
from .kernels import Parameters, PayoffKernel
from .process import Observations, priors_of, shortest

_DRAWS, _STEPS, _BURN_IN = 12, 240, 60
_WIDTH, _WIDER, _NARROWER = 0.4, 1.3, 0.85  # of a step, and how it changes while the chain warms up
_STEP = 0.15  # of the differences that curvature is measured by
_CURVATURES = 0.1, 1e4
_NEGLIGIBLE = 1e-3
_MOST = 400  # observations, beyond which hyperparameters are known well enough: at 80 bounds widen by six per cent

Density = Callable[[Float[np.ndarray, " p"]], float]
Theta = Float[np.ndarray, " p"]


@dataclass(frozen=True)
class Draw:
    """One set of hyperparameters, with its share of the mixture."""

    share: float
    kernel: PayoffKernel
    parameters: Parameters


def draws(
    fitted: Sequence[tuple[PayoffKernel, Parameters]], data: Observations, random: np.random.Generator
) -> list[Draw]:
    """A dozen of each kernel that is not out of the question; of many observations the likeliest set alone.

    Args:
        fitted: kernels with their likeliest hyperparameters, the likeliest kernel first.
        data: what was observed.
        random: draws steps.
    """
    if len(data.values) > _MOST:
        return [Draw(1.0, *fitted[0])]
    found = []
    for kernel, parameters in fitted:
        priors = priors_of(kernel, shortest(kernel, data.first))
        theta = np.array([parameters[prior.name] for prior in priors])
        density = _density(kernel, data, priors)
        found.append((kernel, priors, theta, density, _log_evidence(density, theta)))
    shares = np.exp(np.array([f[-1] for f in found]) - max(f[-1] for f in found))
    shares /= shares.sum()
    shares = np.where(shares < _NEGLIGIBLE, 0.0, shares) / shares[shares >= _NEGLIGIBLE].sum()
    return [
        Draw(float(share) / _DRAWS, kernel, {prior.name: float(x) for prior, x in zip(priors, one, strict=True)})
        for share, (kernel, priors, theta, density, _) in zip(shares, found, strict=True)
        if share
        for one in chain(density, theta, priors, random)
    ]


def mixed(parts: Sequence[tuple[float, PayoffBounds]], tables: Tables) -> tuple[Values, Values]:
    """Mean and standard deviation of the population's average at tables, of a mixture with these shares."""
    shares = np.array([share for share, _ in parts])
    moments = np.array([bounds.average(tables) for _, bounds in parts])  # (k, 2, r)
    mean = shares @ moments[:, 0]
    return mean, np.sqrt(shares @ (moments[:, 1] ** 2 + (moments[:, 0] - mean) ** 2))


def mixed_quantiles(
    parts: Sequence[tuple[float, PayoffBounds]], table: Float[np.ndarray, "C A"], levels: Sequence[float]
) -> list[float]:
    """Where the mixture of the average at one table reaches these probabilities."""
    shares = np.array([share for share, _ in parts])
    means, deviations = np.array([bounds.average(table[None]) for _, bounds in parts])[:, :, 0].T
    return [mixture_quantile(means, deviations, level, shares) for level in levels]


def _density(kernel: PayoffKernel, data: Observations, priors: Sequence[Parameter]) -> Density:
    """The logarithm of the density of hyperparameters after the data, up to a constant."""
    covariances, names = kernel.covariances(data.inputs), [prior.name for prior in priors]

    def density(theta: Theta) -> float:
        parameters = dict(zip(names, theta.tolist(), strict=True))
        gram, _ = covariances(parameters, slopes=False)
        gram.flat[:: len(gram) + 1] += np.exp(parameters["noise"]) / data.agents
        try:
            return profiled_log_density(gram, data.values) + log_prior(priors, theta)[0]
        except ModelFailure:
            return -np.inf

    return density


def _log_evidence(density: Density, theta: Theta) -> float:
    """Laplace's `ln p(θ) + p/2 ln 2π − ½ ln|H|`; curvatures H are held within bounds, as θ may lie on an edge."""
    p, top = len(theta), density(theta)
    steps = _STEP * np.eye(p)
    hessian = np.empty((p, p))
    for i in range(p):
        for j in range(i + 1):
            corners = [density(theta + a * steps[i] + b * steps[j]) for a in (1, -1) for b in (1, -1)]
            hessian[i, j] = hessian[j, i] = -(corners[0] - corners[1] - corners[2] + corners[3]) / (4 * _STEP**2)
    if not np.isfinite(hessian).all():
        hessian = np.diag(np.full(p, 1.0))
    curvatures = np.clip(np.linalg.eigvalsh(hessian), *_CURVATURES)
    return float(top + 0.5 * p * np.log(2 * np.pi) - 0.5 * np.log(curvatures).sum())


def chain(density: Density, theta: Theta, priors: Sequence[Parameter], random: np.random.Generator) -> list[Theta]:
    """Evenly spaced states of a chain that changes one hyperparameter at a time, within its bounds."""
    here, height = theta, density(theta)
    widths = np.full(len(theta), _WIDTH)
    kept = []
    for step in range(_STEPS):
        i = step % len(theta)
        there = here.copy()
        there[i] += widths[i] * random.standard_normal()
        other = density(there) if priors[i].low <= there[i] <= priors[i].high else -np.inf
        taken = np.log(random.random()) < other - height
        if taken:
            here, height = there, other
        if step < _BURN_IN:
            widths[i] *= _WIDER if taken else _NARROWER
        elif (step - _BURN_IN + 1) % ((_STEPS - _BURN_IN) // _DRAWS) == 0:
            kept.append(here)
    return kept
