"""Prior means."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import ConstantMean, LinearMean

from .examples import differences, points

MEANS = [ConstantMean(0.4), ConstantMean(0.4, learned=False), LinearMean((0, 1), 0.4, (1.0, -2.0)), LinearMean((1,))]


@pytest.mark.parametrize("mean", MEANS, ids=str)
def test_gradients_agree_with_finite_differences(mean: ConstantMean | LinearMean) -> None:
    X, w = points(6), np.random.default_rng(0).normal(size=6)
    theta = np.array([p.value for p in mean.parameters])
    numeric = differences(lambda t: w @ mean.with_theta(t)(X), theta)
    np.testing.assert_allclose(mean.gradient(X, w), numeric.reshape(-1), rtol=1e-6, atol=1e-8)
    inputs = differences(lambda x: mean(x[None])[0], X[0])
    np.testing.assert_allclose(mean.input_gradient(X)[0], inputs, rtol=1e-6, atol=1e-8)
