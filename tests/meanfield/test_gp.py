"""The Gaussian process of averages: posterior, fits, subsets of data, and changes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from steerbo.gp import MANY, Level, from_hex, log_prior, to_hex
from steerbo.meanfield import MeanField
from steerbo.meanfield._gp import Observations, corrected, fit, hyperpriors, informative, likelihood, outdated
from steerbo.meanfield._kernels import ROOT, Inputs, PayoffKernel
from steerbo.meanfield._similarity import Similarity
from steerbo.meanfield.models import PayoffModels

from .samples import Theta, geometry, observed


def density(space: PayoffKernel, data: Observations, theta: Theta) -> float:
    """The logarithm of the density of outcomes, level and hyperparameters, but for a constant: by scipy."""
    gram = space.covariances(data.inputs)(theta)
    gram += np.diag(np.exp(theta["noise"]) / data.agents)
    level = Level.profiled(np.linalg.inv(gram), data.values)
    mean, scale = level.mean, level.scale
    likelihood = multivariate_normal(np.full(len(gram), mean), scale * gram).logpdf(data.values)
    believed = -0.5 * mean**2 / scale - 0.5 * np.log(scale) - 0.5 / scale
    off = [(theta[prior.name] - prior.centre) / prior.spread for prior in hyperpriors(space, data.first)]
    return float(likelihood + believed - 0.5 * np.square(off).sum())


@pytest.mark.parametrize("kind", ["product", "additive"])
def test_a_fit_is_no_worse_than_its_start_and_has_no_slope_left(kind: str) -> None:
    space, data = geometry(kind, "root"), observed()
    start = {prior.name: prior.centre for prior in hyperpriors(space, data.first)}
    early, so_far = fit(space, data, start, 1)
    found, best = fit(space, data, start, 200)
    assert best >= so_far
    reached = density(space, data, found)
    assert reached > density(space, data, start)
    assert best - so_far == pytest.approx(reached - density(space, data, early))
    for name in (*space.names, "noise"):
        for step in (-0.05, 0.05):
            assert density(space, data, {**found, name: found[name] + step}) <= reached + 1e-6


def test_every_parameter_has_a_prior_and_the_lengthscale_a_floor() -> None:
    space = geometry("additive", "plain")
    even, step = np.full((2, 4), 0.25), np.exp(-2.0) / np.sqrt(2.0)
    first = np.array([even, even + step * np.array([1.0, -1.0, 0.0, 0.0])])
    priors = {prior.name: prior for prior in hyperpriors(space, first)}
    assert [*priors] == [*space.names, "noise"]
    assert priors["lengthscale"].low == pytest.approx(-2.0)
    assert all(prior.low < prior.centre < prior.high for name, prior in priors.items() if name != "lengthscale")


def test_what_logs_hold_can_be_read() -> None:
    """As it was written by earlier versions, by name."""
    plain = {"lengthscale": "-0x1.a000000000000p+0", "actions": "0x0.0p+0", "noise": "-0x1.2000000000000p+3"}
    theta = from_hex(plain)
    assert theta == {"lengthscale": -1.625, "actions": 0.0, "noise": -9.0}
    assert to_hex(theta) == plain


A, N = 6, MANY + 120


def told(n: int = N) -> tuple[PayoffKernel, Observations]:
    random = np.random.default_rng(0)
    tables = random.dirichlet(np.ones(A), size=(n, 1))
    values = 3 * tables[:, 0, 0] - 4 * tables[:, 0, 1] ** 2 + 0.1 * random.normal(size=n)
    inputs = Inputs(tables, tables, None)
    data = Observations(inputs, (values - values.mean()) / values.std(), np.ones(n), tables[:5], np.arange(n)[::-1])
    names, alone = Similarity.of(np.full(A, 1 / A), None), Similarity.of(np.ones(1), None)
    return PayoffKernel("product", ROOT, np.ones(1), names, alone), data


def test_some_are_spread_over_all_of_time() -> None:
    _, data = told()
    some = data.subset()
    assert len(some.values) == len(some.agents) == len(some.inputs) == MANY
    assert some.outcome[[0, -1]].tolist() == [N - 1, 0]
    assert np.diff(some.outcome).min() >= -2
    assert some.subset() is some


def test_three_evaluations_of_all_are_nearly_as_good_as_a_search() -> None:
    kernel, data = told()
    few, _ = fit(kernel, data.subset(), None, 15, thorough=True)
    _, whole = fit(kernel, data, few, 40)
    priors = hyperpriors(kernel, data.first)

    def density(theta: dict[str, float]) -> float:
        at = np.array([theta[prior.name] for prior in priors])
        return likelihood(kernel, data, priors)(at)[0] + log_prior(priors, at)[0]

    found = density(corrected(kernel, data, few))
    assert found >= density(few)
    assert found == pytest.approx(whole, abs=0.2)


def test_of_many_observations_hyperparameters_are_learned_on_the_schedule_only() -> None:
    problem = MeanField(tuple("abcdef"), 100)
    models = PayoffModels(problem, "product", "learned")
    found = models.refit(told()[1], N)
    assert found is not None
    models.set(found)
    assert models.refit(told(N + 1)[1], N + 1) is None
    assert models.likeliest(told()[1], None)[1] == models.fitted[found["embedding"]]


def test_of_more_outcomes_than_fit_the_first_the_latest_and_the_nearest_to_the_best_count() -> None:
    tables = np.random.default_rng(2).dirichlet(np.ones(A), size=(200, 1))
    averages = -((np.sqrt(tables[:, 0]) - np.sqrt(1 / A)) ** 2).sum(axis=1)
    kept = informative(list(tables), averages, 5, 60)
    assert len(kept) == 60
    assert set(range(5)) | set(range(188, 200)) | {int(averages.argmax())} <= set(kept.tolist())


PLACES = 4
BEFORE, AFTER = np.array([0.7, 0.1, 0.1, 0.1]), np.array([0.05, 0.05, 0.2, 0.7])


def payoff(table: np.ndarray, wanted: np.ndarray) -> float:
    return -float(((np.sqrt(table) - np.sqrt(wanted)) ** 2).sum())


def changed_at(
    change_at: int, n: int = 30, seed: int = 0, newest_first: bool = False
) -> tuple[PayoffKernel, Observations]:
    random = np.random.default_rng(seed)
    tables = random.dirichlet(np.ones(PLACES), size=(n, 1))
    values = np.array([payoff(t[0], BEFORE if i < change_at else AFTER) for i, t in enumerate(tables)])
    values = (values - values.mean()) / values.std() + 0.05 * random.normal(size=n)
    order = np.arange(n)[::-1] if newest_first else np.arange(n)
    inputs = Inputs(tables[order], tables[order])
    names, alone = Similarity.of(np.full(PLACES, 1 / PLACES), None), Similarity.of(np.ones(1), None)
    data = Observations(inputs, values[order], np.ones(n), tables[:5], order)
    return PayoffKernel("product", ROOT, np.ones(1), names, alone), data


@pytest.mark.parametrize("since", [5, 8, 12])
@pytest.mark.parametrize("newest_first", [False, True])
def test_a_change_is_found_where_it_was(since: int, newest_first: bool) -> None:
    kernel, data = changed_at(30 - since, newest_first=newest_first)
    assert abs(outdated(data, kernel, fit(kernel, data, None, 30, thorough=True)[0]) - (30 - since)) <= 2


@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_forgotten_where_nothing_changed(seed: int) -> None:
    kernel, data = changed_at(0, seed=seed)
    assert outdated(data, kernel, fit(kernel, data, None, 30, thorough=True)[0]) == 0


def test_few_outcomes_are_all_kept() -> None:
    kernel, data = changed_at(10, n=15)
    assert outdated(data, kernel, fit(kernel, data, None, 30, thorough=True)[0]) == 0
    none = Observations(
        Inputs(np.empty((0, 1, PLACES)), np.empty((0, 1, PLACES))), np.empty(0), np.empty(0), np.empty((0, 1, PLACES))
    )
    assert outdated(none, kernel, fit(kernel, data, None, 3)[0]) == 0


def test_outcomes_that_are_all_alike_are_no_change() -> None:
    kernel, data = changed_at(0)
    flat = Observations(data.inputs, np.zeros(30), data.agents, data.first)
    assert outdated(flat, kernel, fit(kernel, flat, None, 30, thorough=True)[0]) == 0
