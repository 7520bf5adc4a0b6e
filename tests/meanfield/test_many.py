"""What is learned from some observations and corrected by all is nearly what all of them say."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import MANY, log_prior
from steerbo.meanfield import MeanField
from steerbo.meanfield.embeddings import ROOT
from steerbo.meanfield.kernels import Inputs, PayoffKernel
from steerbo.meanfield.many import corrected, counted, some_of
from steerbo.meanfield.models import PayoffModels
from steerbo.meanfield.process import Observations, fit, likelihood, priors_of, shortest
from steerbo.meanfield.similarity import Similarity
from steerbo.rounds import Optimizer

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


def test_of_more_outcomes_than_fit_the_first_the_latest_and_the_nearest_to_the_best_count() -> None:
    tables = np.random.default_rng(2).dirichlet(np.ones(A), size=(200, 1))
    averages = -((np.sqrt(tables[:, 0]) - np.sqrt(1 / A)) ** 2).sum(axis=1)
    kept = counted(list(tables), averages, 5, 60)
    assert len(kept) == 60
    assert set(range(5)) | set(range(188, 200)) | {int(averages.argmax())} <= set(kept.tolist())


def test_a_study_of_more_outcomes_goes_on_with_some_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = MeanField(tuple("abcd"), 100)
    optimizer, draw = Optimizer(problem, seed=0), np.random.default_rng(0)
    monkeypatch.setattr("steerbo.meanfield.observations.MOST", 20)
    monkeypatch.setattr("steerbo.meanfield.method.MOST", 20)
    for _ in range(30):
        shares = draw.dirichlet(np.ones(4)).tolist()
        optimizer.add(-shares[0], {"distribution": {"everyone": dict(zip("abcd", shares, strict=True))}})
    assert optimizer.ask() is not None
    said = "Of 30 outcomes 20 are counted"
    assert said in optimizer.explain().summary
    assert said in str(optimizer.status)
    assert optimizer.status.to_dict()["remark"].startswith(said)
