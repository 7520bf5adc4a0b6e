"""The Gaussian process of averages: the posterior, and hyperparameters of largest density; the level is profiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from ..gp import Level, Parameter, evidence, inverted, log_prior, maximum_a_posteriori, profiled_log_density
from .kernels import Inputs, Parameters, PayoffKernel

_NOISE = (1e-6, 10.0)  # bounds of the noise variance, against the variance of a population's average under the prior
_PRIORS = {  # of logarithms: centre and standard deviation
    "plain": (float(np.log(0.25)), 1.0),
    "root": (float(np.log(0.5)), 1.0),
    "similarity": (0.0, 1.0),
    "variance": (0.0, 1.5),
    "noise": (-3.0, 2.5),
}
_FARTHEST = 5.0  # standard deviations of its prior that a parameter may lie off
_SCREENED = 0.5, 1.0, 2.0, 4.0, 8.0  # lengthscales, in median distances of what was played
_MOSTLY_NOISE = -1.0  # logarithm of the noise variance, where a second climb begins

Likelihood = Callable[[Float[np.ndarray, " p"]], tuple[float, Float[np.ndarray, " p"], float]]


@dataclass(frozen=True, eq=False)
class Observations:
    """What was observed, in standardised units.

    Args:
        inputs: n of them.
        values: (n,) outcomes.
        agents: (n,) agents behind each, in units of what noise refers to: its variance is divided by this.
        first: (k, C, A) the distributions played first, before there was anything to choose by.
        number: (n,) of the outcome that each belongs to, from 0, oldest first; None: one each.
    """

    inputs: Inputs
    values: Float[np.ndarray, " n"]
    agents: Float[np.ndarray, " n"]
    first: Float[np.ndarray, "k C A"]
    number: Int[np.ndarray, " n"] | None = None

    @property
    def outcome(self) -> Int[np.ndarray, " n"]:
        """The number of the outcome that each belongs to, oldest first."""
        return np.arange(len(self.values)) if self.number is None else self.number


@dataclass(frozen=True, eq=False)
class PayoffPosterior:
    """What is believed after the data, in standardised units.

    Args:
        kernel, parameters: covariances.
        inputs: n of them, those without an outcome at the end.
        mean, scale: m and s².
        weights: α = K⁻¹ (y − m), zero for observations without an outcome.
        inverse: K⁻¹ with relative covariances (so that variances are s² times what it gives).
    """

    kernel: PayoffKernel
    parameters: Parameters
    inputs: Inputs
    mean: float
    scale: float
    weights: Float[np.ndarray, " n"]
    inverse: Float[np.ndarray, "n n"]
    jitter: float

    def at(self, seen: Float[np.ndarray, " c"]) -> PayoffPosterior:
        """What is believed where this is seen, encoded: see `SeenFactor`."""
        if self.inputs.seen is None:
            return self
        factor = self.kernel.seen
        tau = factor(self.parameters, factor.squares(seen[None], self.inputs.seen))[0]
        tau = tau * factor.in_time(seen[None], self.inputs.seen)[0]
        return replace(self, weights=self.weights * tau, inverse=self.inverse * tau * tau[:, None])

    @property
    def noise(self) -> float:
        """The noise variance of one observation."""
        return self.scale * float(np.exp(self.parameters["noise"]))


def priors_of(kernel: PayoffKernel, least: float = -np.inf) -> tuple[Parameter, ...]:
    """What is believed of the logarithm of every parameter, the noise variance last.

    The lengthscale's prior does not follow the data: random first rounds lie close together, and where noise hides
    their differences a median of their distances would call everything beyond them unrelated.

    Args:
        kernel: covariances.
        least: the least logarithm of the lengthscale, see `shortest`.
    """
    found = []
    for name in kernel.names:
        kind = "variance" if name.endswith("variance") else "similarity"
        centre, spread = _prior(kernel) if name == "lengthscale" else _PRIORS[kind]
        low, high = centre - _FARTHEST * spread, centre + _FARTHEST * spread
        low = max(low, least) if name == "lengthscale" else low
        found.append(Parameter(name, centre, centre, spread, low, high))
    centre, spread = _PRIORS["noise"]
    return (*found, Parameter("noise", centre, centre, spread, *np.log(_NOISE).tolist()))


def _prior(kernel: PayoffKernel) -> tuple[float, float]:
    """Of the logarithm of the distributions' lengthscale."""
    return _PRIORS["root" if kernel.embedding.root else "plain"]


def shortest(kernel: PayoffKernel, first: Float[np.ndarray, "k C A"]) -> float:
    """The least logarithm of the lengthscale: that of the median distance between the first distributions.

    With a shorter one all of them are unrelated, which is what noise looks like too: few noisy outcomes would be taken
    for exact ones of a payoff that is different everywhere, from which nothing can be learned.
    """
    squares = np.array(kernel.covariances(Inputs(first, first)).distances)
    apart = squares[squares > 0]
    return min(0.5 * float(np.log(np.median(apart))), _prior(kernel)[0]) if apart.size else -np.inf


def likelihood(kernel: PayoffKernel, data: Observations, priors: Sequence[Parameter]) -> Likelihood:
    """The log likelihood as a function of these hyperparameters, with its gradient and the jitter that it took."""
    covariances, names = kernel.covariances(data.inputs), [prior.name for prior in priors]

    def log_likelihood(theta: Float[np.ndarray, " p"]) -> tuple[float, Float[np.ndarray, " p"], float]:
        parameters = dict(zip(names, theta.tolist(), strict=True))
        gram, slopes = covariances(parameters)
        noise = np.exp(parameters["noise"]) / data.agents
        gram.flat[:: len(gram) + 1] += noise
        found = evidence(gram, data.values, profiled=True)
        gradient = [float(np.vdot(found.pull, slopes[name])) for name in kernel.names]
        return found.value, np.array([*gradient, np.diagonal(found.pull) @ noise]), found.jitter

    return log_likelihood


def fit(
    kernel: PayoffKernel, data: Observations, start: Parameters | None, evaluations: int, thorough: bool = False
) -> tuple[Parameters, float]:
    """Hyperparameters of the largest posterior density found in so many evaluations from `start` on; its logarithm.

    With few outcomes the density has two hills: all is signal, or most is noise. `thorough` climbs from the second
    hill too.
    """
    priors = priors_of(kernel, shortest(kernel, data.first))
    names, log_likelihood = [prior.name for prior in priors], likelihood(kernel, data, priors)
    middle = np.array([prior.centre for prior in priors])
    starts = [middle if start is None else np.array([start[name] for name in names])]
    if thorough:
        starts.append(np.append(middle[:-1], _MOSTLY_NOISE))
    found = maximum_a_posteriori(priors, log_likelihood, starts, evaluations=evaluations)
    return dict(zip(names, found.theta.tolist(), strict=True)), found.log_posterior


def screened(kernel: PayoffKernel, data: Observations, parameters: Parameters) -> tuple[Parameters, float]:
    """The likeliest of a few lengthscales of the distributions, all else as given, and the logarithm of its density.

    For comparing many embeddings, before a fit of those that are worth it.
    """
    covariances = kernel.covariances(data.inputs)
    squares = np.array(covariances.distances)
    apart = squares[squares > 0]
    unit = 0.5 * np.log(np.median(apart)) if apart.size else 0.0
    priors = priors_of(kernel, shortest(kernel, data.first))
    found = []
    for step in _SCREENED:
        length = float(np.clip(unit + np.log(step), priors[0].low, priors[0].high))
        one = {**parameters, "lengthscale": length}
        gram, _ = covariances(one, slopes=False)
        gram.flat[:: len(gram) + 1] += np.exp(one["noise"]) / data.agents
        believed, _ = log_prior(priors, np.array([one[prior.name] for prior in priors]))
        found.append((one, profiled_log_density(gram, data.values) + believed))
    return max(found, key=lambda pair: pair[1])


def posterior(
    kernel: PayoffKernel, data: Observations, parameters: Parameters, unknown: Inputs | None = None
) -> PayoffPosterior:
    """The posterior; inputs in `unknown` have no outcome, and only shrink the variance (GP-BUCB)."""
    n, inputs, noise = len(data.values), data.inputs, np.exp(parameters["noise"])
    variances = noise / data.agents
    if unknown is not None and len(unknown):
        weights = np.concatenate([inputs.weights, unknown.weights])
        both = (inputs.seen, unknown.seen)
        seen = None if both[0] is None or both[1] is None else np.concatenate([both[0], both[1]])
        inputs = Inputs(weights, np.concatenate([inputs.tables, unknown.tables]), seen)
        variances = np.append(variances, np.full(len(unknown), noise))
    gram, _ = kernel.covariances(inputs)(parameters, slopes=False)
    gram.flat[:: len(gram) + 1] += variances
    inverse, _, jitter = inverted(gram[:n, :n])
    level = Level.fitted(inverse, data.values)
    if n < len(gram):
        inverse, _, jitter = inverted(gram)
    alpha = np.append(level.alpha, np.zeros(len(gram) - n))
    return PayoffPosterior(kernel, parameters, inputs, level.mean, level.scale, alpha, inverse, jitter)
