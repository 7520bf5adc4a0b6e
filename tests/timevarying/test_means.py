"""Prior means and their slopes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Float, Prior, TimeVarying
from steerbo.timevarying import Bumps, SquaredExponential
from steerbo.timevarying.means import Means
from tests.timevarying.test_kernels import RANDOM, X


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_means_and_their_slopes(sign: float) -> None:
    hills = [Bumps([[0.2, 0.3], [0.8, 0.9]], [1.0, -2.0], 0.3, 0.5), Bumps([[0.5, 0.5]], [3.0], 0.1)]
    given: list[Any] = [*hills, 2.0, lambda X: X[:, 0] ** 2 + np.sin(X[:, 1])]
    priors = [Prior(SquaredExponential(1.0), mean) for mean in given]
    means = Means(TimeVarying([Float("a", 0, 1), Float("b", 0, 1)], priors, minimize=sign < 0))
    plain = [mean(X) if callable(mean) else np.full(5, mean) for mean in given]
    assert_allclose(means(X), sign * np.array(plain), rtol=1e-12)
    weights = RANDOM.random((4, 5))
    slope = means.slope(X, weights)
    for j in range(2):
        step = np.eye(2)[j] * 1e-5
        rise = (weights * (means(X + step) - means(X - step))).sum(axis=0) / 2e-5
        assert_allclose(slope[:, j], rise, rtol=1e-6, atol=1e-7)
