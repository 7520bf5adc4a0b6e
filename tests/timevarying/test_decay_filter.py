"""The filter that fades, against regression from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from steerbo.timevarying import Decay
from steerbo.timevarying._filters import DecayFilter
from tests.timevarying.reference import refit

X = 5
EPSILONS = (0.0, 0.03, 0.6)


def worlds() -> tuple[np.ndarray, np.ndarray]:
    """Prior means (4, X) and covariances (3, X, X)."""
    random = np.random.default_rng(0)
    roots = random.normal(size=(len(EPSILONS), X, X + 2))
    return random.normal(size=(4, X)), roots @ roots.transpose(0, 2, 1) / X


def grid() -> DecayFilter:
    means, K = worlds()
    rates = np.array([-0.5 * np.log1p(-epsilon) for epsilon in EPSILONS])
    return DecayFilter(means, K, rates, np.array([0.3, 0.2, 0.4]), np.array([0, 1, 2, 1]))


def data(n: int) -> list[tuple[float, int, float]]:
    random = np.random.default_rng(1)
    times = np.cumsum(random.choice([0.0, 1.0, 2.5], size=n))
    return [(float(t), int(random.integers(X)), float(random.normal())) for t in times]


@pytest.mark.parametrize("n", [1, 63, 64, 65, 300])
def test_it_is_a_refit(n: int) -> None:
    means, K = worlds()
    filtered, outcomes = grid(), data(n)
    for outcome in outcomes:
        filtered.observe(*outcome)
    now = outcomes[-1][0] + 1.5
    mean, variance = filtered.posterior(now)
    for p, g in enumerate(filtered.group):
        drift = Decay(EPSILONS[g])
        wanted = refit(means[p], K[g], drift, (0.3, 0.2, 0.4)[g], outcomes, now)
        assert_allclose(mean[p], wanted[0], atol=1e-9)
        assert_allclose(variance[g], wanted[1], atol=1e-9)
        assert filtered.evidence[p] == pytest.approx(wanted[2], rel=1e-9)


def test_covariances_are_those_that_an_outcome_would_use_up() -> None:
    filtered = grid()
    for outcome in data(70):
        filtered.observe(*outcome)
    now = filtered.time + 2.0
    column, before = filtered.covariances(now, np.array([3]))[:, 0], filtered.posterior(now)[1]
    noise = np.array([0.3, 0.2, 0.4]) ** 2
    assert_allclose(column[:, 3], before[:, 3], atol=1e-12)
    filtered.observe(now, 3, 0.0)
    assert_allclose(before - filtered.posterior(now)[1], column**2 / (column[:, 3] + noise)[:, None], atol=1e-10)


def test_an_outcome_that_is_noisier_says_less() -> None:
    plain, inflated = grid(), grid()
    plain.observe(0.0, 2, 1.0)
    inflated.observe(0.0, 2, 1.0, inflation=9.0)
    assert (inflated.posterior(0.0)[1] > plain.posterior(0.0)[1]).all()


def test_a_copy_goes_its_own_way() -> None:
    first = grid()
    for outcome in data(66):
        first.observe(*outcome)
    before = [table.copy() for table in first.posterior(first.time)]
    other = first.copy()
    other.observe(first.time, 0, 9.0)
    for ours, kept in zip(first.posterior(first.time), before, strict=True):
        assert_array_equal(ours, kept)


def test_a_pause_of_any_length_leaves_the_prior() -> None:
    means, K = worlds()
    filtered = grid()
    for outcome in data(80):
        filtered.observe(*outcome)
    filtered.observe(1e9, 0, 1.0)
    mean, variance = filtered.posterior(3e9)
    assert_allclose(mean[2], means[2])
    assert_allclose(variance[1:], [np.diag(K[1]), np.diag(K[2])])
