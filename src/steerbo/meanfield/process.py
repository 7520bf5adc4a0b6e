"""The Gaussian process of averages: the posterior, and hyperparameters of largest density, mean and scale profiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.linalg import lapack

from ..errors import ModelFailure
from ..gp import cholesky
from .kernels import Geometry, Observations, Parameters

NOISE = (1e-6, 1.0)
"""Bounds of the noise variance, against the variance of a population's average under the prior."""
_PRIORS = {  # of logarithms: centre and standard deviation
    "plain": (float(np.log(0.25)), 1.0),
    "root": (float(np.log(0.5)), 1.0),
    "alike": (0.0, 1.0),
    "variance": (0.0, 1.5),
    "noise": (-9.0, 3.0),
}
_MOSTLY_NOISE = -1.0  # logarithm of the noise variance, where a second climb begins
_SCALE_WEIGHT = 1.0  # observations' worth of belief that standardised outcomes have the prior's scale
_MEAN_VARIANCE = 1.0  # of the constant mean, against the scale


@dataclass(frozen=True, eq=False)
class Data:
    """What was observed, in standardised units.

    Args:
        observations: n of them.
        values: (n,) outcomes.
        agents: (n,) agents behind each, in units of what noise refers to: its variance is divided by this.
        first: (k, C, A) the distributions played first, before there was anything to choose by.
    """

    observations: Observations
    values: Float[np.ndarray, " n"]
    agents: Float[np.ndarray, " n"]
    first: Float[np.ndarray, "k C A"]


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is believed after the data, in standardised units.

    Args:
        geometry, parameters: the kernel.
        observations: n of them, those without an outcome at the end.
        mean, scale: m and s².
        weights: α = K⁻¹ (y − m), zero for observations without an outcome.
        inverse: K⁻¹ with relative covariances (so that variances are s² times what it gives).
    """

    geometry: Geometry
    parameters: Parameters
    observations: Observations
    mean: float
    scale: float
    weights: Float[np.ndarray, " n"]
    inverse: Float[np.ndarray, "n n"]
    jitter: float

    @property
    def noise(self) -> float:
        """The noise variance of one observation."""
        return self.scale * float(np.exp(self.parameters["noise"]))


def solve(
    gram: Float[np.ndarray, "n n"], values: Float[np.ndarray, " n"]
) -> tuple[float, float, Float[np.ndarray, " n"], Float[np.ndarray, "n n"], float, float]:
    """Profiled mean and scale, α, K⁻¹, ½ ln|K| and jitter. The mean has a weak prior about zero, the scale about one.

    Raises:
        ModelFailure: the covariances are not finite, or no jitter makes them covariances.
    """
    n = len(values)
    L, jitter = cholesky(gram)
    lower = lapack.dpotri(L, lower=1)[0]
    inverse = lower + lower.T
    np.fill_diagonal(inverse, np.diagonal(lower))
    ones = inverse.sum(axis=1)
    mean = float(ones @ values / (ones.sum() + 1 / _MEAN_VARIANCE))
    residuals = values - mean
    alpha = inverse @ residuals
    misfit = float(residuals @ alpha) + mean**2 / _MEAN_VARIANCE
    scale = (max(misfit, 0.0) + _SCALE_WEIGHT) / (n + _SCALE_WEIGHT)
    return mean, scale, alpha, inverse, float(np.log(np.diagonal(L)).sum()), jitter


def priors_of(geometry: Geometry) -> dict[str, tuple[float, float]]:
    """Centre and standard deviation of the normal prior of every parameter's logarithm.

    The lengthscale's does not follow the data: random first rounds lie close together, and where noise hides their
    differences a median of their distances would call everything beyond them unrelated.
    """
    found = {"lengthscale": _PRIORS[geometry.embedding], "noise": _PRIORS["noise"]}
    for name in geometry.names:
        found.setdefault(name, _PRIORS["variance" if name.endswith("variance") else "alike"])
    return found


def shortest(geometry: Geometry, first: Float[np.ndarray, "k C A"]) -> float:
    """The least logarithm of the lengthscale: that of the median distance between the first distributions.

    With a shorter one all of them are unrelated, which is what noise looks like too: few noisy outcomes would be taken
    for exact ones of a payoff that is different everywhere, from which nothing can be learned.
    """
    squares = np.array(geometry.gram(Observations(first, first)).distances)
    apart = squares[squares > 0]
    return min(0.5 * float(np.log(np.median(apart))), _PRIORS[geometry.embedding][0]) if apart.size else -np.inf


def fit(
    geometry: Geometry, data: Data, start: Parameters | None, evaluations: int, thorough: bool = False
) -> tuple[Parameters, float]:
    """Hyperparameters of the largest posterior density found in so many evaluations from `start` on; its logarithm.

    With few outcomes the density has two hills: all is signal, or most is noise. `thorough` climbs from the second
    hill too.
    """
    from scipy.optimize import minimize

    covariances = geometry.gram(data.observations)
    priors = priors_of(geometry)
    names = [*geometry.names, "noise"]
    middle = np.array([priors[name][0] for name in names])
    width = np.array([priors[name][1] for name in names])
    bounds = [
        (np.log(NOISE[0]), np.log(NOISE[1])) if name == "noise" else (c - 5 * w, c + 5 * w)
        for name, c, w in zip(names, middle, width, strict=True)
    ]
    i = names.index("lengthscale")
    bounds[i] = (max(bounds[i][0], shortest(geometry, data.first)), bounds[i][1])
    n = len(data.values)

    def loss(theta: Float[np.ndarray, " p"]) -> tuple[float, Float[np.ndarray, " p"]]:
        parameters = dict(zip(names, theta.tolist(), strict=True))
        gram, slopes = covariances(parameters)
        noise = np.exp(parameters["noise"]) / data.agents
        gram[np.diag_indices(n)] += noise
        off = (theta - middle) / width
        try:
            _, scale, alpha, inverse, half_log, _ = solve(gram, data.values)
        except ModelFailure:
            return 1e10, off
        value = 0.5 * (n + _SCALE_WEIGHT) * np.log(scale) + half_log + 0.5 * float(off @ off)
        pull = inverse - np.outer(alpha, alpha) / scale
        slope = [0.5 * float(np.vdot(pull, slopes[name])) for name in names[:-1]]
        slope.append(0.5 * float(np.diagonal(pull) @ noise))
        return value, np.array(slope) + off / width

    starts = [middle if start is None else np.array([start[name] for name in names])]
    if thorough:
        starts.append(np.append(middle[:-1], _MOSTLY_NOISE))
    lower, upper = np.array(bounds).T
    options = {"maxfun": evaluations}
    climbed = [
        minimize(loss, np.clip(x, lower, upper), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        for x in starts
    ]
    found = min(climbed, key=lambda end: float(end.fun))
    return dict(zip(names, found.x.tolist(), strict=True)), -float(found.fun)


def posterior(geometry: Geometry, data: Data, parameters: Parameters, unknown: Observations | None = None) -> Posterior:
    """The posterior; observations in `unknown` have no outcome, and only shrink the variance (GP-BUCB)."""
    gram, _ = geometry.gram(data.observations)(parameters, slopes=False)
    noise = np.exp(parameters["noise"])
    n = len(data.values)
    gram[np.diag_indices(n)] += noise / data.agents
    mean, scale, weights, inverse, _, jitter = solve(gram, data.values)
    observations = data.observations
    if unknown is not None and len(unknown):
        observations = Observations(
            np.concatenate([observations.weights, unknown.weights]),
            np.concatenate([observations.tables, unknown.tables]),
        )
        gram, _ = geometry.gram(observations)(parameters, slopes=False)
        gram[np.diag_indices(len(gram))] += np.concatenate([noise / data.agents, np.full(len(unknown), noise)])
        weights = np.concatenate([weights, np.zeros(len(unknown))])
        inverse = solve(gram, np.zeros(len(gram)))[3]
    return Posterior(geometry, parameters, observations, mean, scale, weights, inverse, jitter)


def to_hex(parameters: Parameters) -> dict[str, str]:
    """As hexadecimal text, to the last bit."""
    return {name: value.hex() for name, value in parameters.items()}


def from_hex(plain: Mapping[str, str]) -> Parameters:
    """The inverse of `to_hex`."""
    return {name: float.fromhex(value) for name, value in plain.items()}
