"""Outcomes at rows that combine settings with draws of nature, with variances for each row or pooled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.gp import (
    AnovaKernel,
    CrossedOutcomes,
    GPRegression,
    Kernel,
    PooledOutcomes,
    SquaredExponentialKernel,
    UnseenKernel,
)

RANDOM = np.random.default_rng(0)
DRAWS, SETTINGS = RANDOM.random((6, 3)), RANDOM.random((4, 2))
HELD = [0, 2]


def outcomes(kernel: Kernel, unseen: UnseenKernel | None = None) -> CrossedOutcomes:
    """By two members, of twelve observations."""
    members = list[GPRegression[Any]]()
    for scale in (1.0, 1.5):
        model = GPRegression(kernel, unseen=unseen)
        model.replace(np.random.default_rng(1).random((12, 3)), scale * np.arange(12.0) % 5)
        members.append(model)
    return GPRegression.crossed(members, DRAWS, HELD)


@pytest.mark.parametrize("unseen", [None, UnseenKernel(np.zeros(3, dtype=bool))], ids=["known", "with unseen"])
def test_pooled_means_are_those_of_each_row_and_pooled_variances_the_mean_over_draws(
    unseen: UnseenKernel | None,
) -> None:
    each, shares = outcomes(AnovaKernel([0.3, 0.6, 0.9]), unseen), np.array([0.3, 0.3, 0.1, 0.1, 0.1, 0.1])
    exact, pooled = each.moments(SETTINGS), PooledOutcomes(each, shares).moments(SETTINGS)
    np.testing.assert_allclose(pooled.mean, exact.mean, atol=1e-9)
    np.testing.assert_allclose(pooled.variance, np.repeat((exact.variance @ shares)[..., None], 6, axis=2), atol=1e-9)


def test_variances_of_a_kernel_that_has_no_terms_are_those_of_each_row() -> None:
    each = outcomes(SquaredExponentialKernel([0.3, 0.6, 0.9]))
    pooled = PooledOutcomes(each, np.full(6, 1 / 6)).moments(SETTINGS)
    np.testing.assert_allclose(pooled.variance, each.moments(SETTINGS).variance, atol=1e-12)
