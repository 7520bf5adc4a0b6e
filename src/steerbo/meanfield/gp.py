"""Gaussian process of averages: its data, hyperpriors, fits, posterior, and the test for a change of the payoffs.

Mean and scale of the payoffs are profiled out of the likelihood (`steerbo.gp.Level`), so covariances, noise included,
are relative to the scale. With thousands of observations hyperparameters are learned from a subset and then corrected
by all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from ..errors import ModelFailure
from ..gp import (
    MANY,
    Level,
    Parameter,
    changepoint_densities,
    chosen,
    corrected_by_all,
    evenly,
    evidence,
    inverted,
    log_prior,
    maximum_a_posteriori,
    profiled_log_density,
)
from .kernels import Covariances, Inputs, Parameters, PayoffKernel

_NOISE = (1e-6, 10.0)  # bounds of the noise variance, relative to the prior variance of a population's average
_PRIORS = {  # of logarithms: mean and standard deviation
    "plain": (float(np.log(0.25)), 1.0),
    "root": (float(np.log(0.5)), 1.0),
    "similarity": (0.0, 1.0),
    "variance": (0.0, 1.5),
    "noise": (-3.0, 2.5),
}
_FARTHEST = 5.0  # bounds of a parameter, in standard deviations of its prior
_SCREENED = 0.5, 1.0, 2.0, 4.0, 8.0  # lengthscales compared, in median distances of the distributions played
_MOSTLY_NOISE = -1.0  # log noise variance at which a second climb starts
_CORRECTIONS = 3  # evaluations of the likelihood of all observations

ENOUGH = 20
"""Number of outcomes from which on changes are tested for."""
LATEST = range(4, 16)
"""Numbers of outcomes since a change that are tested."""
_WINDOW = 400  # latest observations that the test uses
_NOISE_SHARES = 1.0, 0.1, 0.01, 0.001  # of the learned noise: a change that was not modelled inflates it
_ODDS = 4.0  # log odds required for a change, beyond the logarithm of the number of outcomes

Theta = Float[np.ndarray, " p"]
Likelihood = Callable[[Theta], tuple[float, Theta, float]]
Density = Callable[[Theta], float]


@dataclass(frozen=True, eq=False)
class Observations:
    """Observed averages of payoffs, in standardised units.

    Args:
        inputs: n cells' weights and distributions.
        values: (n,) outcomes.
        agents: (n,) number of agents averaged over; the noise variance is divided by it.
        first: (k, C, A) distributions played at random, before there was a model.
        number: (n,) number of the outcome that each observation belongs to, from 0, oldest first; None: one each.
    """

    inputs: Inputs
    values: Float[np.ndarray, " n"]
    agents: Float[np.ndarray, " n"]
    first: Float[np.ndarray, "k C A"]
    number: Int[np.ndarray, " n"] | None = None

    @property
    def outcome(self) -> Int[np.ndarray, " n"]:
        """Number of the outcome that each observation belongs to, oldest first."""
        return np.arange(len(self.values)) if self.number is None else self.number

    def subset(self) -> Observations:
        """Return at most `MANY` observations, evenly spaced in time; itself if there are no more."""
        n = len(self.values)
        if n <= MANY:
            return self
        kept = evenly(n)
        seen = None if self.inputs.seen is None else self.inputs.seen[kept]
        inputs = Inputs(self.inputs.weights[kept], self.inputs.tables[kept], seen)
        number = None if self.number is None else self.number[kept]
        return replace(self, inputs=inputs, values=self.values[kept], agents=self.agents[kept], number=number)


def informative(
    tables: Sequence[Float[np.ndarray, "C A"]], averages: Float[np.ndarray, " n"], first: int, most: int
) -> Int[np.ndarray, " m"]:
    """Choose the outcomes that the model is conditioned on if there are more than a factor holds: indices (m,).

    They are the latest, the nearest to the best one in Hellinger distance, and others spread over the rest, see
    `steerbo.gp.chosen`. The random first ones are always kept, because they show how rough the payoffs are.

    Args:
        tables: distribution played in each outcome.
        averages: (n,) the population's averages, larger is better.
        first: number of outcomes played at random.
        most: number of outcomes to choose.
    """
    roots = np.sqrt(np.array(tables).reshape(len(tables), -1))
    nearness = -((roots - roots[int(averages.argmax())]) ** 2).sum(axis=1)
    nearness[:first] = np.inf
    return chosen(nearness, most)


# -- posterior ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PayoffPosterior:
    """Posterior of the Gaussian process after the data, in standardised units.

    Args:
        kernel, parameters: covariances.
        inputs: n observations, pending ones at the end.
        mean, scale: m and s².
        weights: (n,) α = K⁻¹ (y − m), zero for pending observations.
        inverse: (n, n) K⁻¹ of the relative covariances, so variances are s² times the result.
        jitter: variance added to the diagonal of K.
    """

    kernel: PayoffKernel
    parameters: Parameters
    inputs: Inputs
    mean: float
    scale: float
    weights: Float[np.ndarray, " n"]
    inverse: Float[np.ndarray, "n n"]
    jitter: float

    @classmethod
    def of(
        cls, kernel: PayoffKernel, data: Observations, parameters: Parameters, pending: Inputs | None = None
    ) -> PayoffPosterior:
        """Condition on the data; pending rounds shrink the variance and leave the mean as it is.

        Args:
            kernel: covariances.
            data: n observations.
            parameters: hyperparameters.
            pending: inputs of rounds without an outcome.
        """
        n, noise = len(data.values), np.exp(parameters["noise"])
        inputs, variances = data.inputs, noise / data.agents
        if pending is not None and len(pending):
            weights = np.concatenate([inputs.weights, pending.weights])
            both = (inputs.seen, pending.seen)
            seen = None if both[0] is None or both[1] is None else np.concatenate([both[0], both[1]])
            inputs = Inputs(weights, np.concatenate([inputs.tables, pending.tables]), seen)
            variances = np.append(variances, np.full(len(pending), noise))
        gram, _ = kernel.covariances(inputs)(parameters, slopes=False)
        gram.flat[:: len(gram) + 1] += variances
        inverse, _, jitter = inverted(gram[:n, :n])
        level = Level.fitted(inverse, data.values)
        if n < len(gram):
            inverse, _, jitter = inverted(gram)
        alpha = np.append(level.alpha, np.zeros(len(gram) - n))
        return cls(kernel, parameters, inputs, level.mean, level.scale, alpha, inverse, jitter)

    def at(self, seen: Float[np.ndarray, " c"] | None) -> PayoffPosterior:
        """Return the posterior at encoded values (c,) of the seen variables; itself if the problem has none."""
        if seen is None or self.inputs.seen is None:
            return self
        factor = self.kernel.seen
        tau = factor(self.parameters, factor.squares(seen[None], self.inputs.seen))[0]
        tau = tau * factor.in_time(seen[None], self.inputs.seen)[0]
        return replace(self, weights=self.weights * tau, inverse=self.inverse * tau * tau[:, None])

    @property
    def noise(self) -> float:
        """Noise variance of one observation."""
        return self.scale * float(np.exp(self.parameters["noise"]))


# -- hyperparameters ---------------------------------------------------------------------------------------------------


def hyperpriors(kernel: PayoffKernel, first: Float[np.ndarray, "k C A"]) -> tuple[Parameter, ...]:
    """Return normal priors of the logarithms of all parameters, the noise variance last.

    The lengthscale's prior does not depend on the data: random first rounds lie close together, and if noise hides
    their differences, a prior at the median of their distances would make everything beyond them independent. Its
    lower bound does, see `_shortest`.

    Args:
        kernel: covariances.
        first: distributions played first.
    """
    least, found = _shortest(kernel, first), []
    for name in kernel.names:
        kind = "variance" if name.endswith("variance") else "similarity"
        mean, spread = _prior(kernel) if name == "lengthscale" else _PRIORS[kind]
        low, high = mean - _FARTHEST * spread, mean + _FARTHEST * spread
        low = max(low, least) if name == "lengthscale" else low
        found.append(Parameter(name, mean, mean, spread, low, high))
    mean, spread = _PRIORS["noise"]
    return (*found, Parameter("noise", mean, mean, spread, *np.log(_NOISE).tolist()))


def _prior(kernel: PayoffKernel) -> tuple[float, float]:
    return _PRIORS["root" if kernel.embedding.root else "plain"]


def _shortest(kernel: PayoffKernel, first: Float[np.ndarray, "k C A"]) -> float:
    """Return the smallest log lengthscale: that of the median distance between the first distributions.

    With a shorter one all of them are independent, which noise looks like too: a few noisy outcomes would pass for
    exact ones of a payoff that differs everywhere, from which nothing can be learned.
    """
    apart = _positive(kernel.covariances(Inputs(first, first)))
    return min(0.5 * float(np.log(np.median(apart))), _prior(kernel)[0]) if apart.size else -np.inf


def _positive(covariances: Covariances) -> Float[np.ndarray, " m"]:
    """List the squared distances between different distributions."""
    squares = np.array(covariances.distances)
    return np.asarray(squares[squares > 0])


def likelihood(kernel: PayoffKernel, data: Observations, priors: Sequence[Parameter]) -> Likelihood:
    """Return the profiled log likelihood as a function of θ (p,): its value, gradient, and the jitter it took."""
    covariances, names = kernel.covariances(data.inputs), [prior.name for prior in priors]

    def log_likelihood(theta: Theta) -> tuple[float, Theta, float]:
        parameters = dict(zip(names, theta.tolist(), strict=True))
        gram, slopes = covariances(parameters)
        noise = np.exp(parameters["noise"]) / data.agents
        gram.flat[:: len(gram) + 1] += noise
        found = evidence(gram, data.values, profiled=True)
        gradient = [float(np.vdot(found.pull, slopes[name])) for name in kernel.names]
        return found.value, np.array([*gradient, np.diagonal(found.pull) @ noise]), found.jitter

    return log_likelihood


def log_posterior(covariances: Covariances, data: Observations, priors: Sequence[Parameter]) -> Density:
    """Return the log posterior density as a function of θ (p,), up to a constant; −∞ if K cannot be factorised."""
    names = [prior.name for prior in priors]

    def density(theta: Theta) -> float:
        parameters = dict(zip(names, theta.tolist(), strict=True))
        gram, _ = covariances(parameters, slopes=False)
        gram.flat[:: len(gram) + 1] += np.exp(parameters["noise"]) / data.agents
        try:
            return profiled_log_density(gram, data.values) + log_prior(priors, theta)[0]
        except ModelFailure:
            return -np.inf

    return density


def fit(
    kernel: PayoffKernel, data: Observations, start: Parameters | None, evaluations: int, thorough: bool = False
) -> tuple[Parameters, float]:
    """Maximise the posterior density of the hyperparameters; return them and the logarithm of the density.

    With few outcomes the density has two modes: all is signal, or most is noise. A `thorough` fit also climbs from the
    second.

    Args:
        kernel: covariances.
        data: observations.
        start: hyperparameters to start at; None: the prior means.
        evaluations: largest number of evaluations of the likelihood for each start.
        thorough: whether to start from mostly noise too.
    """
    priors = hyperpriors(kernel, data.first)
    names, log_likelihood = [prior.name for prior in priors], likelihood(kernel, data, priors)
    middle = np.array([prior.centre for prior in priors])
    starts = [middle if start is None else np.array([start[name] for name in names])]
    if thorough:
        starts.append(np.append(middle[:-1], _MOSTLY_NOISE))
    found = maximum_a_posteriori(priors, log_likelihood, starts, evaluations=evaluations)
    return dict(zip(names, found.theta.tolist(), strict=True)), found.log_posterior


def corrected(kernel: PayoffKernel, data: Observations, start: Parameters) -> Parameters:
    """Correct hyperparameters learned from `data.subset()` by a few steps on all data: see `corrected_by_all`."""
    priors, some = hyperpriors(kernel, data.first), data.subset()
    found = corrected_by_all(
        priors,
        likelihood(kernel, data, priors),
        likelihood(kernel, some, priors),
        np.array([start[prior.name] for prior in priors]),
        share=len(some.values) / len(data.values),
        evaluations=_CORRECTIONS,
    )
    return {prior.name: float(x) for prior, x in zip(priors, found.theta, strict=True)}


def screen_lengthscales(kernel: PayoffKernel, data: Observations, parameters: Parameters) -> tuple[Parameters, float]:
    """Choose the likeliest of a few lengthscales of the distributions; return parameters and log posterior density.

    It compares many embeddings cheaply, before the promising ones are fitted.

    Args:
        kernel: covariances.
        data: observations.
        parameters: all other hyperparameters.
    """
    covariances = kernel.covariances(data.inputs)
    apart = _positive(covariances)
    unit = 0.5 * np.log(np.median(apart)) if apart.size else 0.0
    priors = hyperpriors(kernel, data.first)
    density, found = log_posterior(covariances, data, priors), []
    for step in _SCREENED:
        length = float(np.clip(unit + np.log(step), priors[0].low, priors[0].high))
        one = {**parameters, "lengthscale": length}
        found.append((one, density(np.array([one[prior.name] for prior in priors]))))
    return max(found, key=lambda pair: pair[1])


# -- changes -----------------------------------------------------------------------------------------------------------


def outdated(data: Observations, kernel: PayoffKernel, parameters: Parameters) -> int:
    """Return how many outcomes, oldest first, precede a change of the payoffs; 0 if none is likely.

    After a permanent change earlier outcomes mislead: distributions that were best are played on, and a fit takes the
    contradiction for noise. Under a change before outcome k the outcomes before and after are independent. It is
    accepted if its log posterior odds exceed `_ODDS`, with the noise variance free to be smaller than the learned one.

    Args:
        data: observations.
        kernel: covariances.
        parameters: hyperparameters learned from all of the data.
    """
    outcomes = int(data.outcome.max(initial=-1)) + 1
    recent = np.argsort(data.outcome, kind="stable")[-_WINDOW:]
    number = data.outcome[recent]
    if number.size == 0 or outcomes - number.min() < ENOUGH:
        return 0
    inputs = data.inputs
    seen = None if inputs.seen is None else inputs.seen[recent]
    gram, _ = kernel.covariances(Inputs(inputs.weights[recent], inputs.tables[recent], seen))(parameters, slopes=False)
    values, noise = data.values[recent], math.exp(parameters["noise"]) / data.agents[recent]
    density = np.full(len(values) + 1, -math.inf)
    for share in _NOISE_SHARES:
        try:
            found = changepoint_densities(gram + np.diag(share * noise), values, profiled=True)
        except ModelFailure:
            continue
        density = np.fmax(density, found)
    first = np.searchsorted(number, [outcomes - k for k in LATEST])
    gains = density[first] - density[-1]
    best = int(np.argmax(gains))
    return outcomes - LATEST[best] if gains[best] > _ODDS + math.log(outcomes) else 0  # NaN compares as False
