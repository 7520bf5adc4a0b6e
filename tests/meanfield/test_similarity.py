"""Similarities of cells: names, features, landmarks, and their derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.meanfield._gp import Observations, _shortest, fit
from steerbo.meanfield._kernels import PLAIN, ROOT, Embedding, Inputs, PayoffKernel
from steerbo.meanfield._similarity import ALL_PAIRS_UP_TO, AllPairs, Similarity, ToLandmarks, features_of

A = 12


def geometry(embedding: Embedding = ROOT) -> PayoffKernel:
    names, alone = Similarity.of(np.full(A, 1 / A), None), Similarity.of(np.ones(1), None)
    return PayoffKernel("product", embedding, np.ones(1), names, alone)


def told(values: np.ndarray, first: int, concentration: float = 30.0) -> Observations:
    tables = np.random.default_rng(1).dirichlet(np.full(A, concentration), size=(len(values), 1))
    return Observations(Inputs(tables, tables), values, np.ones(len(values)), tables[:first])


@pytest.mark.parametrize("embedding", [PLAIN, ROOT], ids=lambda embedding: embedding.name)
def test_the_shortest_lengthscale_is_the_median_distance(embedding: Embedding) -> None:
    tables = np.random.default_rng(2).dirichlet(np.full(A, 30.0), size=(3, 1))
    phi = tables if embedding is PLAIN else np.sqrt(tables)
    apart = [np.linalg.norm(phi[i] - phi[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert np.exp(_shortest(geometry(embedding), tables)) == pytest.approx(np.median(apart))


def test_distant_or_equal_first_tables_do_not_forbid_what_is_usual() -> None:
    """Corners lie further apart than any likely lengthscale; equal tables tell nothing."""
    assert np.exp(_shortest(geometry(), np.eye(A)[:, None])) == pytest.approx(0.5)
    assert _shortest(geometry(), np.full((4, 1, A), 1 / A)) == -np.inf


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_called_noise(seed: int) -> None:
    """Outcomes unrelated to their tables do not pass for an erratic payoff, however the fit begins."""
    values = np.random.default_rng(seed).normal(size=20)
    for thorough in (False, True):
        found, _ = fit(geometry(), told(values, first=5), None, 30, thorough)
        assert np.exp(found["noise"]) > 0.1


M = 300
SQUARE = np.random.default_rng(0).random((M, 2))
ROWS = np.random.default_rng(1).dirichlet(np.ones(M), size=4)


def pairs(x: np.ndarray) -> AllPairs:
    return AllPairs(((x[:, None] - x) ** 2).sum(axis=2))


@pytest.mark.parametrize("lengthscale", [0.3, 0.5, 1.0, 20.0])
def test_on_a_map_landmarks_are_as_good_as_all_pairs(lengthscale: float) -> None:
    all_of_them, some = pairs(SQUARE).gaussian(lengthscale), ToLandmarks.of(SQUARE, 150).gaussian(lengthscale)
    np.testing.assert_allclose(some.times(ROWS), all_of_them.times(ROWS), rtol=1e-7)
    np.testing.assert_allclose(some.slope(ROWS), all_of_them.slope(ROWS), rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("lengthscale", [0.02, 0.1])
def test_few_landmarks_make_a_kernel_of_its_own(lengthscale: float) -> None:
    """Variances are one, nothing is negative, and the slope is that of this kernel."""
    kernel = ToLandmarks.of(SQUARE, 20).gaussian(lengthscale)
    whole = kernel.times(np.eye(M))
    np.testing.assert_allclose(np.diagonal(whole), 1.0)
    assert np.linalg.eigvalsh(whole).min() > -1e-9
    up, down = (
        ToLandmarks.of(SQUARE, 20).gaussian(lengthscale * np.exp(step)).times(np.eye(M)) for step in (1e-5, -1e-5)
    )
    np.testing.assert_allclose(kernel.slope(np.eye(M)), (up - down) / 2e-5, atol=1e-6)


def test_landmarks_are_spread_and_found_once() -> None:
    """Of places that are there many times, one each: then nothing is approximate."""
    few = np.repeat(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]), 5, axis=0)
    found = ToLandmarks.of(few)
    assert len(found.chosen) == 3
    np.testing.assert_allclose(found.gaussian(0.7).times(np.eye(15)), pairs(few).gaussian(0.7).kernel, atol=1e-8)


@pytest.mark.parametrize("m", [3, ALL_PAIRS_UP_TO + 1])
def test_features_that_are_all_the_same_are_none(m: int) -> None:
    assert features_of([(2.0, 5.0)] * m) is None
    assert Similarity.of(np.full(m, 1 / m), [(2.0, 5.0)] * m).features is None


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_the_unit_of_features_does_not_matter(unit: float) -> None:
    given = SQUARE[:40] * unit
    found, expected = (features_of(x.tolist()) for x in (given, SQUARE[:40]))
    assert isinstance(found, AllPairs)
    assert isinstance(expected, AllPairs)
    assert np.median(found.squares[found.squares > 0]) == pytest.approx(1.0)
    np.testing.assert_allclose(found.squares, expected.squares, rtol=1e-6)


def test_many_cells_of_which_one_differs() -> None:
    """Those that are looked at for the unit may all be the same."""
    given = [(0.0,)] * (2 * ALL_PAIRS_UP_TO)
    given[7] = (3.0,)
    similarity = Similarity.of(np.full(2 * ALL_PAIRS_UP_TO, 1 / (2 * ALL_PAIRS_UP_TO)), given)
    alone = np.zeros(2 * ALL_PAIRS_UP_TO)
    alone[7] = 1.0
    mixed = similarity.mix(alone, 1.0) * similarity.own(1.0) ** -1
    assert mixed[7] == pytest.approx(1.0)
    assert mixed[0] == pytest.approx(np.exp(-0.5))


def test_many_cells_and_few_agree_at_the_border() -> None:
    """The same map with a cell more: what is worked out by landmarks is nearly what all pairs gave."""
    places = np.random.default_rng(3).random((ALL_PAIRS_UP_TO + 1, 2))
    weights = np.random.default_rng(4).dirichlet(np.ones(ALL_PAIRS_UP_TO))
    few = Similarity.of(np.full(ALL_PAIRS_UP_TO, 1 / ALL_PAIRS_UP_TO), places[:-1].tolist())
    many = Similarity.of(np.append(np.full(ALL_PAIRS_UP_TO, 1 / ALL_PAIRS_UP_TO), 0.0), places.tolist())
    assert isinstance(few.features, AllPairs)
    assert isinstance(many.features, ToLandmarks)
    one, other = few.mix(weights, 0.8), many.mix(np.append(weights, 0.0), 0.8)[:-1]
    np.testing.assert_allclose(one, other, rtol=0.02)  # but for the unit, a median of nearly all distances
