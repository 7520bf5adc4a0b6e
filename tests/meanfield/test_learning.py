"""What the process is told, and what it takes for noise."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.meanfield.kernels import Embedding, Inputs, PayoffKernel
from steerbo.meanfield.observations import softened
from steerbo.meanfield.process import Observations, fit, shortest
from steerbo.meanfield.similarity import Similarity

A = 12


def geometry(embedding: Embedding = "root") -> PayoffKernel:
    names, alone = Similarity.of(np.full(A, 1 / A), None), Similarity.of(np.ones(1), None)
    return PayoffKernel("product", embedding, np.ones(1), names, alone)


def told(values: np.ndarray, first: int, concentration: float = 30.0) -> Observations:
    tables = np.random.default_rng(1).dirichlet(np.full(A, concentration), size=(len(values), 1))
    return Observations(Inputs(tables, tables), values, np.ones(len(values)), tables[:first])


def test_softening_keeps_order_and_everything_good() -> None:
    random = np.random.default_rng(0)
    averages = np.concatenate([random.normal(size=5), 10 * random.normal(size=20)])
    soft = softened(averages, first=5)
    np.testing.assert_array_equal(np.argsort(soft), np.argsort(averages))
    start = np.median(averages[:5])
    mild = averages >= 2 * start - averages.max()
    np.testing.assert_array_equal(soft[mild], averages[mild])
    assert 0 < (~mild).sum() < 20


def test_a_thousandfold_disaster_is_a_few_gains_deep_and_still_apart_from_noise() -> None:
    averages = np.array([0.0, 0.01, -0.01, 0.0, 0.02, -20.0])
    soft = softened(averages, first=5)
    assert -10 * 0.02 < soft[-1] < -5 * 0.02


def test_without_any_gain_nothing_is_changed() -> None:
    averages = np.array([1.0, 1.0, 1.0, -7.0])
    np.testing.assert_array_equal(softened(averages, first=3), averages)


@pytest.mark.parametrize("embedding", ["plain", "root"])
def test_the_shortest_lengthscale_is_the_median_distance(embedding: Embedding) -> None:
    tables = np.random.default_rng(2).dirichlet(np.full(A, 30.0), size=(3, 1))
    phi = tables if embedding == "plain" else np.sqrt(tables)
    apart = [np.linalg.norm(phi[i] - phi[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert np.exp(shortest(geometry(embedding), tables)) == pytest.approx(np.median(apart))


def test_distant_or_equal_first_tables_do_not_forbid_what_is_usual() -> None:
    """Corners lie further apart than any likely lengthscale; equal tables tell nothing."""
    assert np.exp(shortest(geometry(), np.eye(A)[:, None])) == pytest.approx(0.5)
    assert shortest(geometry(), np.full((4, 1, A), 1 / A)) == -np.inf


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_called_noise(seed: int) -> None:
    """Outcomes unrelated to their tables: without the floor, or the second climb, they pass for an erratic payoff."""
    values = np.random.default_rng(seed).normal(size=20)
    for first, thorough in ((0, False), (0, True), (5, False)):
        erratic, _ = fit(geometry(), told(values, first), None, 30, thorough)
        assert np.exp(erratic["noise"]) < 0.01
    found, density = fit(geometry(), told(values, first=5), None, 30, thorough=True)
    assert np.exp(found["noise"]) > 0.1
    assert density > fit(geometry(), told(values, first=5), None, 30)[1]
