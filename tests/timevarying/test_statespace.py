"""The filter with an inner state, against regression from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from steerbo.timevarying import MaternInTime
from steerbo.timevarying._filters import StateSpaceFilter
from tests.timevarying.reference import refit

X = 4
DRIFTS = (MaternInTime(5.0, 1.5), MaternInTime(9.0, 1.5))
NOISE = (0.3, 0.2)


def worlds() -> tuple[np.ndarray, np.ndarray]:
    """Prior means (3, X) and covariances (2, X, X)."""
    random = np.random.default_rng(0)
    roots = random.normal(size=(2, X, X + 2))
    return random.normal(size=(3, X)), roots @ roots.transpose(0, 2, 1) / X


def filtered(n: int) -> tuple[StateSpaceFilter, list[tuple[float, int, float]]]:
    means, K = worlds()
    motions = [drift.motion for drift in DRIFTS]
    state = StateSpaceFilter(means, K, motions, np.array(NOISE), np.array([0, 1, 1]))
    random = np.random.default_rng(1)
    times = np.cumsum(random.choice([0.0, 1.0, 2.5], size=n))
    data = [(float(t), int(random.integers(X)), float(random.normal())) for t in times]
    for outcome in data:
        state.observe(*outcome)
    return state, data


@pytest.mark.parametrize("n", [1, 40, 150])
def test_it_is_a_refit(n: int) -> None:
    state, data = filtered(n)
    means, K = worlds()
    for now in (data[-1][0], data[-1][0] + 3.3):
        mean, variance = state.posterior(now)
        for p, g in enumerate(state.group):
            wanted = refit(means[p], K[g], DRIFTS[g], NOISE[g], data, now)
            assert_allclose(mean[p], wanted[0], atol=1e-8)
            assert_allclose(variance[g], wanted[1], atol=1e-8)
            assert state.evidence[p] == pytest.approx(wanted[2], rel=1e-8)


def test_covariances_are_those_that_an_outcome_would_use_up() -> None:
    state, data = filtered(30)
    now = data[-1][0] + 1.0
    column, before = state.covariances(now, np.array([2]))[:, 0], state.posterior(now)[1]
    state.observe(now, 2, 0.0)
    used = column**2 / (column[:, 2] + np.array(NOISE) ** 2)[:, None]
    assert_allclose(before - state.posterior(now)[1], used, atol=1e-9)


def test_a_copy_goes_its_own_way() -> None:
    state, data = filtered(10)
    now = data[-1][0]
    before = [table.copy() for table in state.posterior(now)]
    state.copy().observe(now, 0, 9.0)
    for ours, kept in zip(state.posterior(now), before, strict=True):
        assert_array_equal(ours, kept)
