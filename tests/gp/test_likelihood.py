"""The marginal likelihood against scipy, scikit-learn and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from steerbo.gp import ConstantMean, Matern52, Prior, SquaredExponential, Warp, evidence

from .examples import PRIORS, differences, points


def test_equal_to_a_normal_density() -> None:
    random = np.random.default_rng(0)
    root, r = random.normal(size=(6, 6)), random.normal(size=6)
    K = root @ root.T + 0.1 * np.eye(6)
    found = evidence(K, r)
    assert found.value == pytest.approx(multivariate_normal(np.zeros(6), K).logpdf(r), rel=1e-10)
    np.testing.assert_allclose(found.alpha, np.linalg.solve(K, r), rtol=1e-8)
    numeric = np.array([[_slope(K, r, i, j) for j in range(6)] for i in range(6)])
    np.testing.assert_allclose(
        found.pull + found.pull.T - np.diag(np.diagonal(found.pull)), numeric, rtol=1e-5, atol=1e-6
    )


def _slope(K: np.ndarray, r: np.ndarray, i: int, j: int) -> float:
    def value(by: np.ndarray) -> float:
        moved = K.copy()
        moved[i, j] = moved[j, i] = K[i, j] + by[0]
        return evidence(moved, r).value

    return float(differences(value, np.zeros(1))[0])


def test_nothing_is_certain() -> None:
    assert evidence(np.zeros((0, 0)), np.zeros(0)).value == 0


def test_singular_matrices_are_mended_and_reported() -> None:
    found = evidence(np.ones((3, 3)), np.ones(3))
    assert found.jitter > 0
    assert np.isfinite(found.value)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS.keys())
def test_gradient_agrees_with_finite_differences(prior: Prior) -> None:
    X, z = points(15), np.random.default_rng(1).normal(size=15)
    _, gradient, jitter = prior.log_likelihood(X, z)
    numeric = differences(lambda theta: prior.with_theta(theta).log_likelihood(X, z)[0], prior.theta)
    np.testing.assert_allclose(gradient, numeric, rtol=2e-5, atol=1e-6)
    assert jitter == 0
    assert len(gradient) == len(prior.parameters)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SquaredExponential([0.4, 0.9], 1.7), 1.7 * sk.RBF([0.4, 0.9])),
        (Matern52([0.4, 0.9], 1.7), 1.7 * sk.Matern([0.4, 0.9], nu=2.5)),
    ],
)
def test_value_and_gradient_equal_to_scikit_learn(ours: SquaredExponential, theirs: sk.Kernel) -> None:
    random = np.random.default_rng(0)
    X, z = random.random((20, 2)), random.normal(size=20)
    reference = GaussianProcessRegressor(theirs + sk.WhiteKernel(0.03), optimizer=None, alpha=0.0).fit(X, z)
    value, gradient = reference.log_marginal_likelihood(reference.kernel_.theta, eval_gradient=True)
    mine, slope, _ = Prior(ours, ConstantMean(learned=False), 0.03, Warp()).log_likelihood(X, z)
    assert mine == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(slope[[2, 0, 1, 3]], gradient, rtol=1e-7)  # theirs: the variance first
