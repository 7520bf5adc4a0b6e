"""Models of all embeddings, and averages over hyperparameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.core import Optimizer
from steerbo.gp import log_prior
from steerbo.meanfield import MeanField
from steerbo.meanfield import models as models_module
from steerbo.meanfield._gp import Observations, PayoffPosterior, fit, hyperpriors, log_likelihood
from steerbo.meanfield._kernels import PLAIN, ROOT, Embedding, Inputs, PayoffKernel
from steerbo.meanfield._similarity import Similarity
from steerbo.meanfield.acquisition import AveragePayoffUCB
from steerbo.meanfield.models import PayoffMixture, PayoffModels, hyperparameter_draws

SIDE = 6
PLACES = tuple((float(i), float(j)) for i in range(SIDE) for j in range(SIDE))
HILL = np.array([np.exp(-((x - 1) ** 2 + (y - 4) ** 2) / 6) for x, y in PLACES])


def town(features: bool = True) -> MeanField:
    return MeanField(tuple(map(str, range(SIDE**2))), 1000, action_features=PLACES if features else None)


def told(n: int, seed: int = 0) -> Observations:
    """How far from a demand that falls off smoothly on the map."""
    tables = np.random.default_rng(seed).dirichlet(np.full(SIDE**2, 3.0), size=(n, 1))
    wanted = HILL / HILL.sum()
    y = -((np.sqrt(tables[:, 0]) - np.sqrt(wanted)) ** 2).sum(axis=1)
    return Observations(Inputs(tables, tables), (y - y.mean()) / y.std(), np.ones(n), tables[:5])


def refitted(models: PayoffModels, data: Observations) -> dict[str, Any]:
    found = models.refit(data, len(data.values))
    assert found is not None
    return found


def test_on_a_map_the_map_is_likelier() -> None:
    models, data = PayoffModels(town(), "product", "learned"), told(25)
    models.set(refitted(models, data))
    assert models.kernel.embedding.name.startswith("map")
    assert models.used == (models.kernel.embedding.name, "plain", "root")


def test_without_features_there_is_no_map() -> None:
    models = PayoffModels(town(features=False), "product", "learned")
    assert [*models.embeddings] == ["plain", "root"]
    assert [*PayoffModels(town(), "product", "root").embeddings] == ["root"]


def test_features_that_are_all_alike_are_no_map() -> None:
    alike = MeanField(("a", "b", "c"), 10, action_features=((1.0,), (1.0,), (1.0,)))
    assert [*PayoffModels(alike, "product", "learned").embeddings] == ["plain", "root"]


def test_all_embeddings_are_compared_when_due_and_those_in_use_every_round() -> None:
    models, data = PayoffModels(town(), "product", "learned"), told(12)
    first = refitted(models, data)
    maps = [name for name in first if name.startswith("map")]
    assert len(maps) == 2
    assert first["compared"] == 12
    models.set(first)
    later = refitted(models, told(13))
    assert {*later} == {*models.used, "embedding", "compared"}
    assert later["embedding"] == first["embedding"]
    assert later["compared"] == 12


def test_a_log_of_an_earlier_version_is_read() -> None:
    """It has hyperparameters of the chosen embedding alone: the others are fitted where they are asked for."""
    models, data = PayoffModels(town(), "product", "learned"), told(8)
    theta = {"lengthscale": (-0.5).hex(), "actions": (0.0).hex(), "noise": (-6.0).hex()}
    models.set({"root": theta, "embedding": "root", "compared": 7})
    assert models.parameters("root", data)["lengthscale"] == -0.5
    table = np.full((1, 1, SIDE**2), 1 / SIDE**2)
    assert models.ucb(data, None, embedding="plain").variance_reduction(table)[0] == pytest.approx(0.5, abs=0.5)


def test_one_cell_is_a_problem_still() -> None:
    alone = MeanField(("here",), 5, action_features=((1.0, 2.0),))
    models = PayoffModels(alone, "product", "learned")
    ones = np.ones((6, 1, 1))
    data = Observations(Inputs(ones, ones), np.zeros(6), np.ones(6), ones[:5])
    models.set(refitted(models, data))
    assert np.isfinite(models.ucb(data, None).moments(ones[:1])[0]).all()


A = 5


def kernel(embedding: Embedding = ROOT) -> PayoffKernel:
    names, alone = Similarity.of(np.full(A, 1 / A), None), Similarity.of(np.ones(1), None)
    return PayoffKernel("product", embedding, np.ones(1), names, alone)


def averages_of(n: int, seed: int = 0) -> Observations:
    random = np.random.default_rng(seed)
    tables = random.dirichlet(np.ones(A), size=(n, 1))
    values = 3 * tables[:, 0, 0] - 4 * tables[:, 0, 1] ** 2 + 0.3 * random.normal(size=n)
    return Observations(Inputs(tables, tables), (values - values.mean()) / values.std(), np.ones(n), tables[:5])


def test_shares_sum_to_one_and_what_is_out_of_the_question_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    data = averages_of(20)
    best = [(kernel(e), fit(kernel(e), data, None, 30, thorough=True)[0]) for e in (PLAIN, ROOT)]
    found = hyperparameter_draws(best, data, np.random.default_rng(0))
    assert sum(draw.weight for draw in found) == pytest.approx(1.0)
    assert len(found) in (12, 24)
    weigh = {PLAIN: 3.0, ROOT: -5.0}
    monkeypatch.setattr(models_module, "sampled", lambda kernel, *_: ([{}], weigh[kernel.embedding]))
    kept = hyperparameter_draws(best, data, np.random.default_rng(0))
    assert {draw.kernel.embedding.name for draw in kept} == {"plain"}


def test_the_same_draws_come_again() -> None:
    data = averages_of(12)
    best = [(kernel(), fit(kernel(), data, None, 30)[0])]
    one, other = (hyperparameter_draws(best, data, np.random.default_rng(7)) for _ in range(2))
    assert [draw.parameters for draw in one] == [draw.parameters for draw in other]


def test_draws_and_shares_are_those_of_the_posterior_by_quadrature() -> None:
    """Two embeddings with three hyperparameters each, on a grid; 40 dozens, within 5 standard errors."""
    data, means, evidence = averages_of(12), {}, {}
    best = [(kernel(e), fit(kernel(e), data, None, 30, thorough=True)[0]) for e in (PLAIN, ROOT)]
    for each, _ in best:
        priors = hyperpriors(each, data.first)
        sides = [(prior.high - prior.low) / 16 for prior in priors]
        axes = [prior.low + (np.arange(16) + 0.5) * side for prior, side in zip(priors, sides, strict=True)]
        places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(priors))
        density = log_likelihood(each.covariances(data.inputs), data, priors)
        heights = np.array([density(place) + log_prior(priors, place)[0] for place in places])
        cells = np.exp(heights - heights.max())
        means[each.embedding.name] = cells @ places[:, -1] / cells.sum()
        evidence[each.embedding.name] = heights.max() + np.log(cells.sum() * np.prod(sides))
    found = [hyperparameter_draws(best, data, np.random.default_rng(seed)) for seed in range(40)]
    for name, mean in means.items():
        noises = [d.parameters["noise"] for draws in found for d in draws if d.kernel.embedding.name == name]
        assert abs(np.mean(noises) - mean) < 5 * np.std(noises) / np.sqrt(len(noises) / 4)  # chains share their starts
    shares = [sum(d.weight for d in draws if d.kernel.embedding == ROOT) for draws in found]
    wanted = 1 / (1 + np.exp(evidence["plain"] - evidence["root"]))
    assert abs(np.mean(shares) - wanted) < 5 * np.std(shares) / np.sqrt(40) + 0.02


def test_a_mixture_has_the_moments_of_its_parts() -> None:
    data, table = averages_of(10), np.full((1, 1, A), 1 / A)
    parts = [
        (
            share,
            AveragePayoffUCB(
                PayoffPosterior.of(kernel(), data, {"lengthscale": length, "actions": 0.0, "noise": -4.0})
            ),
        )
        for share, length in ((0.3, -0.5), (0.7, 0.4))
    ]
    mean, sd = PayoffMixture(np.array([0.3, 0.7]), [ucb for _, ucb in parts]).moments(table)
    (m1, s1), (m2, s2) = (ucb.moments(table) for _, ucb in parts)
    assert mean == pytest.approx(0.3 * m1 + 0.7 * m2)
    assert sd**2 == pytest.approx(0.3 * (s1**2 + m1**2) + 0.7 * (s2**2 + m2**2) - mean**2)


def test_few_outcomes_leave_more_doubt_than_the_likeliest_hyperparameters() -> None:
    wider = []
    for seed in range(6):
        data = averages_of(9, seed)
        theta, _ = fit(kernel(), data, None, 30, thorough=True)
        draws = hyperparameter_draws([(kernel(), theta)], data, np.random.default_rng(0))
        parts = [AveragePayoffUCB(PayoffPosterior.of(draw.kernel, data, draw.parameters)) for draw in draws]
        mixture = PayoffMixture(np.array([draw.weight for draw in draws]), parts)
        tables = data.inputs.tables
        likeliest = AveragePayoffUCB(PayoffPosterior.of(kernel(), data, theta)).moments(tables)[1]
        wider.append(mixture.moments(tables)[1].mean() / likeliest.mean())
    assert np.mean(wider) > 1.1


def test_of_many_outcomes_the_likeliest_will_do() -> None:
    data = averages_of(401)
    theta = {"lengthscale": -0.3, "actions": 0.0, "noise": -2.0}
    (alone,) = hyperparameter_draws([(kernel(), theta), (kernel(PLAIN), theta)], data, np.random.default_rng(0))
    assert alone.weight == 1.0
    assert alone.parameters == theta


def test_of_many_outcomes_an_answer_conditions_once_on_each_and_is_renewed_after_amend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(models_module, "DRAWN_UP_TO", 5)
    problem = MeanField(("a", "b"), agents=10)
    optimizer, made, of = Optimizer(problem, seed=1), list[int](), PayoffPosterior.of

    def counted(kernel: PayoffKernel, data: Observations, *more: Any) -> PayoffPosterior:
        made.append(len(data.values))
        return of(kernel, data, *more)

    for k in range(8):
        optimizer.tell(optimizer.ask(), float(k % 3))
    optimizer.refit()
    monkeypatch.setattr(PayoffPosterior, "of", counted)
    optimizer.recommend()
    assert made == [8], "the only draw has the posterior of the likeliest hyperparameters"
    optimizer.amend(next(iter(optimizer.history)).suggestion.token, 9.0)
    with monkeypatch.context() as patch:
        patch.setattr(PayoffModels, "mixture", without_sharing(PayoffModels.mixture))
        anew = Optimizer.replay(problem, optimizer.events).recommend()
    assert optimizer.recommend() == anew


def without_sharing(mixture: Any) -> Any:
    return lambda self, draws, data, seen, likeliest=None: mixture(self, draws, data, seen)
