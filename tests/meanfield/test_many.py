"""What is learned from some observations and corrected by all is nearly what all of them say."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import MANY, log_prior
from steerbo.meanfield import MeanField
from steerbo.meanfield.embeddings import ROOT
from steerbo.meanfield.kernels import Inputs, PayoffKernel
from steerbo.meanfield.many import corrected, some_of
from steerbo.meanfield.models import PayoffModels
from steerbo.meanfield.process import Observations, fit, likelihood, priors_of, shortest
from steerbo.meanfield.similarity import Similarity

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
    some = some_of(data)
    assert len(some.values) == len(some.agents) == len(some.inputs) == MANY
    assert some.outcome[[0, -1]].tolist() == [N - 1, 0]
    assert np.diff(some.outcome).min() >= -2
    assert some_of(some) is some


def test_three_evaluations_of_all_are_nearly_as_good_as_a_search() -> None:
    kernel, data = told()
    few, _ = fit(kernel, some_of(data), None, 15, thorough=True)
    _, whole = fit(kernel, data, few, 40)
    priors = priors_of(kernel, shortest(kernel, data.first))

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
    models.learn(found)
    assert models.refit(told(N + 1)[1], N + 1) is None
    assert models.likeliest(told()[1], None)[1] == models.fitted[found["embedding"]]
