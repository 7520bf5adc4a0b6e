"""Gaussian process of averages: its data, hyperpriors, fits, posterior, and the test for a change of the payoffs.

Mean and scale of the payoffs are profiled out of the likelihood (`steerbo.gp.Level`):
covariances, noise included, are relative to the scale. With thousands of observations
hyperparameters are learned from a subset and then corrected by all.

Conversion of outcomes to the observations that the Gaussian process is conditioned on, in
standardised units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._arrays import Bool, Float, Int
from ..core import Outcome, Round, context_of
from ..errors import ModelFailure
from ..gp import (
    BEFORE,
    LATEST,
    MANY,
    MIN_TO_CUT,
    MOST_COUNTED,
    Level,
    Parameter,
    Standardisation,
    changepoint_densities,
    choose_subset,
    evenly,
    evidence,
    inverted,
    likely_change,
    log_prior,
    maximum_a_posteriori,
    noise_prior,
    posterior_draws,
    profiled_log_density,
    refine_on_all,
    variance_prior,
)
from ..gp.outliers import LeftOut, add_outlier, supported
from ._kernels import Covariances, Inputs, Parameters, PayoffKernel
from .problem import MeanField

# noise variance, relative to the prior variance of a population's average, and its least; spread of its logarithm
_LIKELY_NOISE, _LEAST_NOISE, _NOISE_SPREAD = math.exp(-3.0), 1e-6, 2.5
# likely lengthscales of distributions, and of their square roots, in distances between these
_PLAIN, _ROOT = 0.25, 0.5
_SPREAD = 1.0  # of a lengthscale's logarithm, and of that of a similarity, which is about 1
_FARTHEST = 5.0  # bounds of a parameter, in standard deviations of its prior
# lengthscales compared, in median distances of the distributions played
_SCREENED = 0.5, 1.0, 2.0, 4.0, 8.0
_MOSTLY_NOISE = -1.0  # log noise variance at which a second climb starts
_CORRECTIONS = 3  # evaluations of the likelihood of all observations

# steps to the scale beside stated errors at most, and the relative one that is the last
_LEVELS, _SETTLED = 20, 1e-3
# outcomes since a change, at least: eight lose .13 ± .03 a round after it (8 studies, noise .01)
_SINCE = 4
_UNKNOWN = 0.6  # share of the prior variance left, above which an outcome cannot be doubted
# of the learned noise: a change that was not modelled inflates it
_NOISE_SHARES = 1.0, 0.1, 0.01, 0.001

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
        number: (n,) number of the outcome that each observation belongs to, from 0, oldest first;
            None: one each.
        extra: (n,) noise variances of doubted outcomes, zero for all others; None: no outcome is
            doubted.
        stated: (n,) squares of the outcomes' stated standard errors; None: none is stated.
        level: scale s² that divides these, as all variances are relative to it: see `at_level`.
    """

    inputs: Inputs
    values: Float[np.ndarray, " n"]
    agents: Float[np.ndarray, " n"]
    first: Float[np.ndarray, "k C A"]
    number: Int[np.ndarray, " n"] | None = None
    extra: Float[np.ndarray, " n"] | None = None
    stated: Float[np.ndarray, " n"] | None = None
    level: float = 1.0

    def at_level(self, kernel: PayoffKernel, parameters: Parameters) -> Observations:
        """Return these with the scale s² that their own profile gives: a fixed point, where errors are stated.

        Stated errors are absolute, and all else is relative to the scale of the payoffs, which is
        profiled. With the level held, the likelihood and its gradient are exact.
        """
        if self.stated is None:
            return self
        near = kernel.covariances(self.inputs)(parameters)
        known = self
        for _ in range(_LEVELS):
            gram = near.copy()
            gram.flat[:: len(gram) + 1] += known.noises(parameters)
            level = Level.profiled(inverted(gram)[0], self.values).scale
            settled = abs(level - known.level) <= _SETTLED * known.level
            known = replace(known, level=level)
            if settled:
                break
        return known

    @property
    def beside(self) -> Float[np.ndarray, " n"] | None:
        """Variances beside the learned noise, (n,): of doubted outcomes, and by stated errors. None: there are none."""
        if self.stated is None:
            return self.extra
        stated = self.stated / self.level
        return stated if self.extra is None else self.extra + stated

    def noise(self, parameters: Parameters) -> Float[np.ndarray, " n"]:
        """Return the learned noise variances, without those `beside` them, (n,)."""
        return np.asarray(np.exp(parameters["noise"]) / self.agents)

    def noises(self, parameters: Parameters) -> Float[np.ndarray, " n"]:
        """Return all noise variances, (n,): learned ones, and those `beside` them."""
        learned = self.noise(parameters)
        return learned if (beside := self.beside) is None else learned + beside

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
        extra = None if self.extra is None else self.extra[kept]
        stated = None if self.stated is None else self.stated[kept]
        values, agents = self.values[kept], self.agents[kept]
        rows = {"inputs": inputs, "values": values, "agents": agents, "number": number}
        return replace(self, **rows, extra=extra, stated=stated)


def informative(
    tables: Sequence[Float[np.ndarray, "C A"]],
    averages: Float[np.ndarray, " n"],
    first: int,
    most: int,
) -> Int[np.ndarray, " m"]:
    """Choose the outcomes that the model is conditioned on if there are more than a factor holds: `most` indices (m,).

    They are the latest, the nearest to the best average in Hellinger distance, and others spread
    over the rest, see `steerbo.gp.choose_subset`. The random first ones are always kept, because
    they show how rough the payoffs are.
    """
    roots = np.sqrt(np.array(tables).reshape(len(tables), -1))
    nearness = -((roots - roots[int(averages.argmax())]) ** 2).sum(axis=1)
    nearness[:first] = np.inf
    return choose_subset(nearness, most)


# -- posterior -------------------------------------------------------------------------------------


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
        cls,
        kernel: PayoffKernel,
        data: Observations,
        parameters: Parameters,
        pending: Inputs | None = None,
    ) -> PayoffPosterior:
        """Condition on the data; `pending` rounds shrink the variance and leave the mean as it is."""
        n, noise = len(data.values), np.exp(parameters["noise"])
        data = data.at_level(kernel, parameters)
        inputs, variances = data.inputs, data.noises(parameters)
        if pending is not None and len(pending):
            weights = np.concatenate([inputs.weights, pending.weights])
            both = (inputs.seen, pending.seen)
            seen = (
                None if both[0] is None or both[1] is None else np.concatenate([both[0], both[1]])
            )
            inputs = Inputs(weights, np.concatenate([inputs.tables, pending.tables]), seen)
            variances = np.append(variances, np.full(len(pending), noise))
        gram = kernel.covariances(inputs)(parameters)
        gram.flat[:: len(gram) + 1] += variances
        inverse, _, jitter = inverted(gram[:n, :n])
        level = Level.profiled(inverse, data.values)
        if n < len(gram):
            inverse, _, jitter = inverted(gram)
        alpha = np.append(level.alpha, np.zeros(len(gram) - n))
        return cls(kernel, parameters, inputs, level.mean, level.scale, alpha, inverse, jitter)

    def at(self, seen: Float[np.ndarray, " c"] | None) -> PayoffPosterior:
        """Return the posterior at encoded values (c,) of the seen variables; itself if the problem has none."""
        factor, known = self.kernel.seen_at(self.parameters), self.inputs.seen
        if seen is None or factor is None or known is None:
            return self
        tau = factor(seen[None], known)[0]
        return replace(self, weights=self.weights * tau, inverse=self.inverse * tau * tau[:, None])

    @property
    def noise(self) -> float:
        """Noise variance of one observation."""
        return self.scale * float(np.exp(self.parameters["noise"]))


# -- hyperparameters -------------------------------------------------------------------------------


def hyperpriors(kernel: PayoffKernel, first: Float[np.ndarray, "k C A"]) -> tuple[Parameter, ...]:
    """Return normal priors of the logarithms of all parameters, the noise variance last.

    The lengthscale's prior does not depend on the data: random first rounds lie close together, and
    if noise hides their differences, a prior at the median of their distances would make everything
    beyond them independent. Its lower bound does, see `_shortest`.
    """
    least, found = _shortest(kernel, first), []
    for name in kernel.names:
        if name.endswith("variance"):
            found.append(variance_prior(1.0, name))
            continue
        mean = _likely_lengthscale(kernel) if name == "lengthscale" else 0.0
        low, high = mean - _FARTHEST * _SPREAD, mean + _FARTHEST * _SPREAD
        low = max(low, least) if name == "lengthscale" else low
        found.append(Parameter(name, mean, mean, _SPREAD, low, high))
    noise = noise_prior(_LIKELY_NOISE, _LIKELY_NOISE, _NOISE_SPREAD, _LEAST_NOISE)
    return (*found, noise)


def _likely_lengthscale(kernel: PayoffKernel) -> float:
    return math.log(_ROOT if kernel.embedding.root else _PLAIN)


def _shortest(kernel: PayoffKernel, first: Float[np.ndarray, "k C A"]) -> float:
    """Return the smallest log lengthscale: that of the median distance between the first distributions.

    With a shorter one all of them are independent, which noise looks like too: a few noisy outcomes
    would pass for exact ones of a payoff that differs everywhere, from which nothing can be
    learned.
    """
    apart = _positive(kernel.covariances(Inputs(first, first)))
    if not apart.size:
        return -math.inf
    return min(0.5 * math.log(float(np.median(apart))), _likely_lengthscale(kernel))


def _positive(covariances: Covariances) -> Float[np.ndarray, " m"]:
    """List the squared distances between different distributions."""
    squares = np.array(covariances.distances)
    return np.asarray(squares[squares > 0])


def _named(priors: Sequence[Parameter], theta: Theta) -> Parameters:
    """Return values θ (p,) by the names that logs hold."""
    return dict(zip([prior.name for prior in priors], theta.tolist(), strict=True))


def _theta(priors: Sequence[Parameter], parameters: Parameters) -> Theta:
    """Return values in the order of the priors, (p,)."""
    return np.array([parameters[prior.name] for prior in priors])


def likelihood(kernel: PayoffKernel, data: Observations, priors: Sequence[Parameter]) -> Likelihood:
    """Return the profiled log likelihood as a function of θ (p,): its value, gradient, and the jitter it took."""
    covariances = kernel.covariances(data.inputs)

    def log_likelihood(theta: Theta) -> tuple[float, Theta, float]:
        parameters = _named(priors, theta)
        gram, pull_back = covariances.linearise(parameters)
        # distances to itself are zero: the pull-back reads nothing of a diagonal
        gram.flat[:: len(gram) + 1] += data.noises(parameters)
        found = evidence(gram, data.values, profiled=True)
        by_noise = np.diagonal(found.pull) @ data.noise(parameters)
        return found.value, np.append(pull_back(found.pull), by_noise), found.jitter

    return log_likelihood


def log_likelihood(
    covariances: Covariances, data: Observations, priors: Sequence[Parameter]
) -> Density:
    """Return the profiled log likelihood as a function of θ (p,), without its gradient."""

    def density(theta: Theta) -> float:
        parameters = _named(priors, theta)
        gram = covariances(parameters)
        gram.flat[:: len(gram) + 1] += data.noises(parameters)
        return profiled_log_density(gram, data.values)

    return density


def sampled(
    kernel: PayoffKernel,
    data: Observations,
    likeliest: Parameters,
    count: int,
    random: np.random.Generator,
) -> tuple[list[Parameters], float]:
    """Draw hyperparameters from their posterior; estimate the log evidence of the kernel: see `gp.posterior_draws`."""
    priors, data = hyperpriors(kernel, data.first), data.at_level(kernel, likeliest)
    sloped = likelihood(kernel, data, priors)
    draws, weight = posterior_draws(
        priors,
        log_likelihood(kernel.covariances(data.inputs), data, priors),
        lambda theta: sloped(theta)[1],
        _theta(priors, likeliest),
        random,
        count=count,
    )
    return [_named(priors, draw) for draw in draws], weight


def fit(
    kernel: PayoffKernel,
    data: Observations,
    start: Parameters | None,
    evaluations: int,
    thorough: bool = False,
) -> tuple[Parameters, float]:
    """Maximise the posterior density of the hyperparameters; return them and the logarithm of the density.

    With few outcomes the density has two modes: all is signal, or most is noise. A `thorough` fit
    also climbs from the second; without a `start` the first is the prior means. Each climb takes at
    most `evaluations` of the likelihood.
    """
    priors = hyperpriors(kernel, data.first)
    middle = np.array([prior.centre for prior in priors])
    data = data.at_level(kernel, start or _named(priors, middle))
    log_likelihood = likelihood(kernel, data, priors)
    starts = [middle if start is None else _theta(priors, start)]
    if thorough:
        starts.append(np.append(middle[:-1], _MOSTLY_NOISE))
    found = maximum_a_posteriori(priors, log_likelihood, starts, evaluations=evaluations)
    return _named(priors, found.theta), found.log_posterior


def corrected(kernel: PayoffKernel, data: Observations, start: Parameters) -> Parameters:
    """Correct hyperparameters learned from `data.subset()` by a few steps on all data: see `gp.refine_on_all`."""
    data = data.at_level(kernel, start)
    priors, some = hyperpriors(kernel, data.first), data.subset()
    found = refine_on_all(
        priors,
        likelihood(kernel, data, priors),
        likelihood(kernel, some, priors),
        _theta(priors, start),
        share=len(some.values) / len(data.values),
        evaluations=_CORRECTIONS,
    )
    return _named(priors, found.theta)


def screen_lengthscales(
    kernel: PayoffKernel, data: Observations, parameters: Parameters
) -> tuple[Parameters, float]:
    """Choose the likeliest of a few lengthscales of the distributions; return parameters and log posterior density.

    It compares many embeddings cheaply, before the promising ones are fitted.
    """
    covariances, data = kernel.covariances(data.inputs), data.at_level(kernel, parameters)
    apart = _positive(covariances)
    unit = 0.5 * np.log(np.median(apart)) if apart.size else 0.0
    priors = hyperpriors(kernel, data.first)
    density, found = log_likelihood(covariances, data, priors), []
    for step in _SCREENED:
        length = float(np.clip(unit + np.log(step), priors[0].low, priors[0].high))
        one = {**parameters, "lengthscale": length}
        theta = _theta(priors, one)
        try:
            found.append((one, density(theta) + log_prior(priors, theta)[0]))
        except ModelFailure:
            found.append((one, -np.inf))
    return max(found, key=lambda pair: pair[1])


# -- doubts ----------------------------------------------------------------------------------------


def another_doubt(
    data: Observations, parameters: Parameters, kernel: PayoffKernel, doubts: Bool[np.ndarray, " n"]
) -> Bool[np.ndarray, " n"] | None:
    """Return `doubts` with the next outcome that is probably wrong; None if no outcome promises enough.

    See `steerbo.gp.outliers`. Only outcomes about whose distribution the others carry information
    are doubted: a disaster at a distribution unlike any other is news, not a mistake.
    """
    if (compared := _left_out(data, parameters, kernel, doubts)) is None:
        return None
    left_out, known = compared
    extra = np.zeros(len(doubts)) if data.extra is None else data.extra
    return add_outlier(left_out, doubts, extra, known, repeats=False)


def still_doubted(
    data: Observations, parameters: Parameters, kernel: PayoffKernel, doubts: Bool[np.ndarray, " n"]
) -> Bool[np.ndarray, " n"]:
    """Return `doubts` without outcomes at distributions unlike any other, and those that neighbours agree with."""
    if (compared := _left_out(data, parameters, kernel, doubts)) is None:
        return np.zeros(len(doubts), dtype=bool)
    left_out, known = compared
    left = doubts & known
    return np.asarray(left & ~supported(left_out.near, left_out.alpha, left, repeats=False))


def _left_out(
    data: Observations, parameters: Parameters, kernel: PayoffKernel, doubts: Bool[np.ndarray, " n"]
) -> tuple[LeftOut, Bool[np.ndarray, " n"]] | None:
    """Compare each outcome with all others, and mark those of whose distribution these know (n,); None: impossible."""
    if len(data.values) < len(doubts):  # a subset of the outcomes
        return None
    try:
        noise = data.at_level(kernel, parameters).noises(parameters)
    except ModelFailure:
        return None
    near = kernel.covariances(data.inputs)(parameters)
    found = LeftOut.of(near, noise, lambda inverse: Level.profiled(inverse, data.values))
    if found is None:
        return None
    # variance of the payoff there, given all other outcomes
    left = 1.0 / found.precision - noise
    return found, left <= _UNKNOWN * np.diagonal(near)


# -- changes ---------------------------------------------------------------------------------------


def outdated(data: Observations, kernel: PayoffKernel, parameters: Parameters) -> int:
    """Return how many outcomes, oldest first, precede a change of the payoffs; 0 if none is likely.

    After a permanent change earlier outcomes mislead: distributions that were best are played on,
    and a fit takes the contradiction for noise. Under a change before outcome k the outcomes before
    and after are independent. It is accepted as `steerbo.gp.likely_change` says, with the noise
    variance free to be smaller than the learned one.
    """
    outcomes = int(data.outcome.max(initial=-1)) + 1
    recent = np.argsort(data.outcome, kind="stable")[-LATEST:]
    number = data.outcome[recent]
    if number.size == 0 or outcomes - number.min() < MIN_TO_CUT:
        return 0
    inputs = data.inputs
    seen = None if inputs.seen is None else inputs.seen[recent]
    gram = kernel.covariances(Inputs(inputs.weights[recent], inputs.tables[recent], seen))(
        parameters
    )
    data = data.at_level(kernel, parameters)
    values, noise = data.values[recent], data.noise(parameters)[recent]
    extra = np.zeros(len(values)) if (beside := data.beside) is None else beside[recent]
    density = np.full(len(values) + 1, -math.inf)
    for share in _NOISE_SHARES:
        try:
            found = changepoint_densities(
                gram + np.diag(share * noise + extra), values, profiled=True
            )
        except ModelFailure:
            continue
        density = np.fmax(density, found)
    tested = np.arange(outcomes - _SINCE, number.min() + BEFORE - 1, -1)
    change = likely_change(density, np.searchsorted(number, tested).tolist(), outcomes)
    return 0 if change is None else int(number[change])


Payoff = tuple[
    Float[np.ndarray, "C A"], Float[np.ndarray, "C A"], float, float, Float[np.ndarray, " c"], int
]
"""Weights of the cells, the distribution, a payoff, the agents averaged over, the seen variables, and the outcome."""

# payoffs of cells that are kept; older rounds with feedback from all agents count by their average
_ROWS = 1200


def standardised(
    problem: MeanField,
    outcomes: Sequence[Outcome],
    tables: Sequence[Float[np.ndarray, "C A"]],
    averages: Float[np.ndarray, " n"],
    first: int,
    *,
    doubts: Bool[np.ndarray, " n"] | None = None,
    softens: bool = True,
) -> tuple[Observations, float, float]:
    """Standardise outcomes; return observations, and the offset and unit that undo it.

    Of more than `MOST_COUNTED` outcomes the `informative` ones are used. Disasters among a
    population's averages (larger is better) are `softened`: taken literally they would set the
    scale of everything. With seen variables they are not, because a low average may be due to a bad
    day and not to the distribution; nor unless one `softens`. Doubted averages set no units.
    """
    doubts = np.zeros(len(outcomes), dtype=bool) if doubts is None else doubts
    if len(outcomes) > MOST_COUNTED:
        kept = informative(tables, averages, first, MOST_COUNTED)
        outcomes = [outcomes[i] for i in kept]
        tables = [tables[i] for i in kept]
        averages = averages[kept]
        doubts = doubts[kept]
    if problem.feedback == "population":
        known = np.array(tables)
        before = problem.before([outcome.realised for outcome in outcomes])
        literal = before.shape[1] or not softens
        y = averages if literal else softened(averages, first, doubts)
        inputs = Inputs(known * problem.shares[:, None], known, _or_none(before))
        agents = np.ones(len(known))
        number = np.arange(len(known))
    else:
        rows = _payoffs(problem, outcomes, tables, averages)
        weights, played, values, behind, seen_before, numbers = zip(*rows, strict=True)
        inputs = Inputs(np.array(weights), np.array(played), _or_none(np.array(seen_before)))
        y, agents, number = np.array(values), np.array(behind), np.array(numbers)
    errors = np.zeros(len(y))  # of feedback that is several numbers none is taken
    if problem.feedback == "population":
        errors = np.array([outcome.sem or 0.0 for outcome in outcomes])
    seen, extra = np.array(tables[:first]), None
    if doubts.any():
        output = Standardisation.fitted(y[~doubts], errors=errors[~doubts])
        extra = np.where(doubts, np.maximum(output.forward(y) ** 2, 1.0), 0.0)
    else:
        output = Standardisation.fitted(y, errors=errors)
    stated = (errors / output.scale) ** 2 if errors.any() else None
    observed = Observations(inputs, output.forward(y), agents, seen, number, extra, stated)
    return observed, output.offset, output.scale


def pending_inputs(problem: MeanField, rounds: Iterable[Round]) -> Inputs:
    """Return the inputs of rounds without an outcome."""
    realised = [{**context_of(played.request), **played.realised} for played in rounds]
    tables = np.array([problem.table(known["distribution"]) for known in realised]).reshape(
        -1, *problem.simplex.shape
    )
    return Inputs(tables * problem.shares[:, None], tables, _or_none(problem.before(realised)))


def _or_none(seen: Float[np.ndarray, "n c"]) -> Float[np.ndarray, "n c"] | None:
    """Return None if the problem has no seen variables and no drift."""
    return seen if seen.shape[1] else None


def softened(
    averages: Float[np.ndarray, " n"], first: int, doubts: Bool[np.ndarray, " n"] | None = None
) -> Float[np.ndarray, " n"]:
    """Compress low averages logarithmically, beyond as far below the first rounds' median as the best is above it.

    Clipping them there would do without noise. With noise, in rounds with little gain so far, it
    would make disasters as large as the noise, and nothing could be learned from either.

    >>> softened(np.array([0.0, 1.0, 2.0, -1.0]), first=3)
    array([ 0.        ,  1.        ,  2.        , -0.69314718])
    """
    counted = (
        np.ones(len(averages), dtype=bool) if doubts is None or doubts[:first].all() else ~doubts
    )
    start = float(np.median(averages[:first][counted[:first]]))
    gain = float(averages[counted].max()) - start
    if gain <= 0:
        return averages
    beyond = np.maximum(start - gain - averages, 0.0)
    return np.asarray(averages + beyond - gain * np.log1p(beyond / gain))


def _payoffs(
    problem: MeanField,
    outcomes: Sequence[Outcome],
    tables: Sequence[Float[np.ndarray, "C A"]],
    averages: Float[np.ndarray, " n"],
) -> list[Payoff]:
    """List payoffs of single agents and cells, newest first."""
    rows: list[Payoff] = []
    sign, shares = problem.sign, problem.shares[:, None]
    newest_first = zip(reversed(outcomes), reversed(tables), averages[::-1].tolist(), strict=True)
    for number, (outcome, table, average) in zip(
        reversed(range(len(outcomes))), newest_first, strict=True
    ):
        (before,) = problem.before([outcome.realised])
        if problem.feedback == "representative":
            c = problem.contexts.index(outcome.realised["context"])
            a = problem.actions.index(outcome.realised["action"])
            rows.append(
                (_cell(table.shape, c, a), table, sign * outcome.value, 1.0, before, number)
            )
        elif len(rows) >= _ROWS:
            rows.append((table * shares, table, average, float(problem.agents), before, number))
        else:
            paid = problem.table(outcome.value)
            agents = np.maximum(np.rint(table * problem.agents_in[:, None]), 1)
            rows.extend(
                (
                    _cell(table.shape, c, a),
                    table,
                    float(sign * paid[c, a]),
                    float(agents[c, a]),
                    before,
                    number,
                )
                for c, a in np.argwhere(table > 0)
            )
    return rows


def _cell(shape: tuple[int, ...], c: int, a: int) -> Float[np.ndarray, "C A"]:
    """Return weights that are one in a single cell."""
    weights = np.zeros(shape)
    weights[c, a] = 1.0
    return weights
