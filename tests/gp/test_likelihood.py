"""The marginal likelihood against scipy, scikit-learn and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal

from steerbo.gp import Level, evidence, inverted, profiled_log_density

from .examples import differences


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
    level = Level.profiled(np.linalg.inv(K), 3.0 + 2.0 * y)
    search = minimize(lambda x: -joint(K, 3.0 + 2.0 * y, x[0], np.exp(x[1])), np.zeros(2), tol=1e-10)
    np.testing.assert_allclose([level.mean, np.log(level.scale)], search.x, rtol=1e-5)
    np.testing.assert_allclose(level.alpha, np.linalg.solve(K, 3.0 + 2.0 * y - level.mean), rtol=1e-8)


def test_profiled_evidence_is_the_density_at_the_level_but_for_a_constant() -> None:
    K, y = covariances()
    apart = []
    for gram in (K, 0.3 * K, K + np.diag(y**2)):
        level = Level.profiled(np.linalg.inv(gram), y)
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


@pytest.mark.parametrize("n", [1, 2, 9])
def test_a_profiled_density_alone_is_that_of_the_evidence(n: int) -> None:
    random = np.random.default_rng(n)
    root = random.normal(size=(n, n + 2))
    gram, y = root @ root.T, random.normal(size=n)
    assert profiled_log_density(gram, y) == pytest.approx(evidence(gram, y, profiled=True).value, rel=1e-12)
    assert profiled_log_density(gram[:0, :0], y[:0]) == 0.0
