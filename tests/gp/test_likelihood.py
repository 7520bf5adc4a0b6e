"""The marginal likelihood against scipy, scikit-learn and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from steerbo.gp import ConstantMean, Level, Matern52, Prior, SquaredExponential, Warp, evidence, inverted

from .examples import PRIORS, differences, points


def covariances(n: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """A Gram matrix and outcomes."""
    random = np.random.default_rng(0)
    root, y = random.normal(size=(n, n)), random.normal(size=n)
    return root @ root.T + 0.1 * np.eye(n), y


def test_equal_to_a_normal_density() -> None:
    K, r = covariances()
    found = evidence(K, r)
    assert found.value == pytest.approx(multivariate_normal(np.zeros(6), K).logpdf(r), rel=1e-10)
    np.testing.assert_allclose(found.alpha, np.linalg.solve(K, r), rtol=1e-8)


@pytest.mark.parametrize("profiled", [False, True])
def test_the_pull_is_the_gradient_by_the_gram_matrix(profiled: bool) -> None:
    K, r = covariances()
    pull = evidence(K, r, profiled).pull
    numeric = np.array([[_slope(K, r, i, j, profiled) for j in range(6)] for i in range(6)])
    np.testing.assert_allclose(pull + pull.T - np.diag(np.diagonal(pull)), numeric, rtol=1e-5, atol=1e-6)


def _slope(K: np.ndarray, r: np.ndarray, i: int, j: int, profiled: bool) -> float:
    def value(by: np.ndarray) -> float:
        moved = K.copy()
        moved[i, j] = moved[j, i] = K[i, j] + by[0]
        return evidence(moved, r, profiled).value

    return float(differences(value, np.zeros(1))[0])


def joint(K: np.ndarray, y: np.ndarray, mean: float, scale: float) -> float:
    """The log density of outcomes, mean and scale, with what is believed of both: written out by scipy."""
    prior = -0.5 * mean**2 / scale - 0.5 * np.log(scale) - 0.5 / scale
    return float(multivariate_normal(np.full(len(y), mean), scale * K).logpdf(y) + prior)


def test_the_level_is_the_likeliest() -> None:
    K, y = covariances()
    level = Level.fitted(np.linalg.inv(K), 3.0 + 2.0 * y)
    search = minimize(lambda x: -joint(K, 3.0 + 2.0 * y, x[0], np.exp(x[1])), np.zeros(2), tol=1e-10)
    np.testing.assert_allclose([level.mean, np.log(level.scale)], search.x, rtol=1e-5)
    np.testing.assert_allclose(level.alpha, np.linalg.solve(K, 3.0 + 2.0 * y - level.mean), rtol=1e-8)


def test_profiled_evidence_is_the_density_at_the_level_but_for_a_constant() -> None:
    K, y = covariances()
    apart = []
    for gram in (K, 0.3 * K, K + np.diag(y**2)):
        level = Level.fitted(np.linalg.inv(gram), y)
        apart.append(evidence(gram, y, profiled=True).value - joint(gram, y, level.mean, level.scale))
    np.testing.assert_allclose(apart, apart[0], rtol=1e-10)


@pytest.mark.parametrize("n", [0, 1, 5, 300])
def test_inverses_are_whole(n: int) -> None:
    """300 rows are worked on in two pieces."""
    K, _ = covariances(n)
    K = K + n * np.eye(n)
    inverse, half_log_determinant, jitter = inverted(K)
    np.testing.assert_allclose(inverse @ K, np.eye(n), atol=1e-10)
    np.testing.assert_array_equal(inverse, inverse.T)
    assert half_log_determinant == pytest.approx(0.5 * np.linalg.slogdet(K)[1])
    assert jitter == 0


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
