"""The mixture of hyperparameters is the posterior's, and wider than the likeliest ones where little is known."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import Parameter
from steerbo.meanfield.acquisition import PayoffBounds
from steerbo.meanfield.averaging import chain, draws, mixed
from steerbo.meanfield.embeddings import PLAIN, ROOT, Embedding
from steerbo.meanfield.kernels import Inputs, PayoffKernel
from steerbo.meanfield.process import Observations, fit, posterior
from steerbo.meanfield.similarity import Similarity

A = 5


def kernel(embedding: Embedding = ROOT) -> PayoffKernel:
    names, alone = Similarity.of(np.full(A, 1 / A), None), Similarity.of(np.ones(1), None)
    return PayoffKernel("product", embedding, np.ones(1), names, alone)


def told(n: int, seed: int = 0) -> Observations:
    random = np.random.default_rng(seed)
    tables = random.dirichlet(np.ones(A), size=(n, 1))
    values = 3 * tables[:, 0, 0] - 4 * tables[:, 0, 1] ** 2 + 0.3 * random.normal(size=n)
    return Observations(Inputs(tables, tables), (values - values.mean()) / values.std(), np.ones(n), tables[:5])


def test_shares_sum_to_one_and_what_is_out_of_the_question_is_left_out() -> None:
    data = told(20)
    best = [(kernel(e), fit(kernel(e), data, None, 30, thorough=True)[0]) for e in (PLAIN, ROOT)]
    found = draws(best, data, np.random.default_rng(0))
    assert sum(draw.share for draw in found) == pytest.approx(1.0)
    assert len(found) in (12, 24)
    hopeless = {**best[1][1], "noise": -13.0, "lengthscale": 2.0}
    kept = draws([best[0], (kernel(ROOT), hopeless)], data, np.random.default_rng(0))
    assert {draw.kernel.embedding.name for draw in kept} == {"plain"}


def test_the_same_draws_come_again() -> None:
    data = told(12)
    best = [(kernel(), fit(kernel(), data, None, 30)[0])]
    one, other = (draws(best, data, np.random.default_rng(7)) for _ in range(2))
    assert [draw.parameters for draw in one] == [draw.parameters for draw in other]


def test_a_chain_is_drawn_from_its_density() -> None:
    """A normal one of two coordinates within bounds; 300 chains of 12, so that means are within .1, deviations too."""
    about, spread = np.array([0.5, -1.0]), np.array([0.3, 1.0])
    priors = [Parameter("", 0.0, 0.0, 1.0, -9.0, 9.0), Parameter("", 0.0, 0.0, 1.0, -1.0, 9.0)]
    found = np.concatenate(
        [
            chain(
                lambda t: -0.5 * float((((t - about) / spread) ** 2).sum()), about, priors, np.random.default_rng(seed)
            )
            for seed in range(300)
        ]
    )
    assert found[:, 1].min() >= -1.0
    np.testing.assert_allclose(found.mean(axis=0), [0.5, -1.0 + np.sqrt(2 / np.pi)], atol=0.1)
    np.testing.assert_allclose(found.std(axis=0), [0.3, np.sqrt(1 - 2 / np.pi)], atol=0.1)


def test_a_mixture_has_the_moments_of_its_parts() -> None:
    data, table = told(10), np.full((1, 1, A), 1 / A)
    parts = [
        (share, PayoffBounds(posterior(kernel(), data, {"lengthscale": length, "actions": 0.0, "noise": -4.0})))
        for share, length in ((0.3, -0.5), (0.7, 0.4))
    ]
    mean, sd = mixed(parts, table)
    (m1, s1), (m2, s2) = (bounds.average(table) for _, bounds in parts)
    assert mean == pytest.approx(0.3 * m1 + 0.7 * m2)
    assert sd**2 == pytest.approx(0.3 * (s1**2 + m1**2) + 0.7 * (s2**2 + m2**2) - mean**2)


def test_few_outcomes_leave_more_doubt_than_the_likeliest_hyperparameters() -> None:
    wider = []
    for seed in range(6):
        data = told(9, seed)
        theta, _ = fit(kernel(), data, None, 30, thorough=True)
        parts = [
            (draw.share, PayoffBounds(posterior(draw.kernel, data, draw.parameters)))
            for draw in draws([(kernel(), theta)], data, np.random.default_rng(0))
        ]
        tables = data.inputs.tables
        likeliest = PayoffBounds(posterior(kernel(), data, theta)).average(tables)[1]
        wider.append(mixed(parts, tables)[1].mean() / likeliest.mean())
    assert np.mean(wider) > 1.1


def test_of_many_outcomes_the_likeliest_will_do() -> None:
    data = told(401)
    theta = {"lengthscale": -0.3, "actions": 0.0, "noise": -2.0}
    (alone,) = draws([(kernel(), theta), (kernel(PLAIN), theta)], data, np.random.default_rng(0))
    assert alone.share == 1.0
    assert alone.parameters == theta
