"""Does the posterior mean what it says? Two-sided coverage on functions drawn from the prior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from steerbo.gp import GPRegression, Kernel, Matern32, Matern52, SquaredExponentialKernel

FALSE_ALARM = 1e-3
"""Of each test, for a posterior that is right. Seeds are fixed."""
FUNCTIONS = 400


@pytest.mark.parametrize("noise", [1e-4, 1e-2, 0.3])
@pytest.mark.parametrize(
    "kernel",
    [
        SquaredExponentialKernel([0.1, 0.3]),
        SquaredExponentialKernel([0.5, 1.5], 4.0),
        Matern32([0.3, 0.3]),
        Matern52([0.2, 1.0]),
    ],
    ids=["short", "long", "matern 3/2", "matern 5/2"],
)
def test_intervals_hold_the_truth_as_often_as_they_say(kernel: Kernel, noise: float) -> None:
    """One point is asked of each function, so that the hits are independent."""
    z_scores = np.empty(FUNCTIONS)
    for i in range(FUNCTIONS):
        random = np.random.default_rng(i)
        X = random.random((13, 2))
        root = np.linalg.cholesky(kernel(X, X) + 1e-10 * np.eye(13))
        f = root @ random.standard_normal(13)
        model = GPRegression(kernel, noise=noise)
        model.replace(X[1:], f[1:] + np.sqrt(noise) * random.standard_normal(12))
        mean, sd = model.predict(X[:1])
        z_scores[i] = (f[0] - mean[0]) / sd[0]
    for level in (0.68, 0.95):
        hits = int((np.abs(z_scores) < norm.ppf(0.5 + level / 2)).sum())
        assert binomtest(hits, FUNCTIONS, level).pvalue > FALSE_ALARM / 2


def test_learned_hyperparameters_are_roughly_right() -> None:
    """With 40 observations the learned posterior is not far from the truth: 95 % intervals hold 88 to 99 % of it."""
    hits, kernel = [], Matern52([0.2, 0.6])
    for i in range(25):
        random = np.random.default_rng(i)
        X = random.random((60, 2))
        f = np.linalg.cholesky(kernel(X, X) + 1e-10 * np.eye(60)) @ random.standard_normal(60)
        model = GPRegression(Matern52.over([False, False]))
        model.replace(X[:40], 1e3 * (f[:40] + 0.1 * random.standard_normal(40)))
        model.set(model.fit())
        mean, sd = model.predict(X[40:])
        hits.extend(np.abs(1e3 * f[40:] - mean) < 1.96 * sd)
    assert 0.88 < np.mean(hits) < 0.99
