"""Many processes on one factor, against each of them the plain way; slopes against differences."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo.gp import DecayKernel, GPPosterior, Kernel, Linear, Matern52, SquaredExponentialKernel, evidence
from steerbo.gp.kernels import PeriodicKernel

from .examples import gram_of, lower

SPACE = SquaredExponentialKernel([0.3, 0.5], 2.0)
KERNELS: dict[str, Kernel] = {
    "space": SPACE,
    "space and linear": Matern52([0.3, 0.5]) + Linear([0]),
    "decaying": SPACE * DecayKernel(2, 0.05),
    "periodic": PeriodicKernel(2, 7.0, 1.0) * SPACE,
}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def rows(n: int, seed: int = 0) -> np.ndarray:
    """(n, 3) points in space and time, times in no order."""
    return np.random.default_rng(seed).random((n, 3)) * [1, 1, 20]


def conditioned(kernel: Kernel, n: int = 12) -> tuple[GPPosterior[Kernel], np.ndarray, np.ndarray]:
    """Three processes, half of their rows known from the beginning; the residuals and the Gram matrix."""
    X, half = rows(n), n // 2
    residuals, noise = np.random.default_rng(1).normal(size=(n, 3)), np.linspace(0.1, 0.5, n)
    found = GPPosterior(kernel, X[:half], residuals[:half], noise[:half])
    for i in range(half, n):
        found.append(X[i : i + 1], residuals[i : i + 1], noise[i : i + 1])
    return found, residuals, kernel(X, X) + np.diag(noise)


@every_kernel
def test_every_column_is_a_process_of_its_own(kernel: Kernel) -> None:
    found, residuals, gram = conditioned(kernel)
    Z, X = rows(5, 2), rows(12)
    mean, variance = found.marginals(Z)
    cross = kernel(Z, X)
    assert_allclose(mean, (cross @ np.linalg.solve(gram, residuals)).T, rtol=1e-9)
    assert_allclose(found.means(Z), mean, rtol=1e-12)
    covariance = kernel(Z, Z) - cross @ np.linalg.solve(gram, cross.T)
    assert_allclose(variance, np.diagonal(covariance), rtol=1e-8)
    assert_allclose(found.log_likelihood(), [evidence(gram, column).value for column in residuals.T], rtol=1e-10)


@every_kernel
@pytest.mark.parametrize("pending", [0, 2])
def test_slopes_are_differences(kernel: Kernel, pending: int) -> None:
    found, _, _ = conditioned(kernel)
    Z = rows(4, 3)
    c, v = np.random.default_rng(4).normal(size=(3, 4)), np.random.default_rng(5).normal(size=4)

    def combined(Z: np.ndarray) -> np.ndarray:
        mean, variance = found.marginals(Z)
        return np.asarray((c * mean).sum(axis=0) + v * variance)

    with found.extended(rows(pending, 6), np.full(pending, 0.2)):
        at = found.solve(Z)
        slope = found.slope(at, c, v)
        for j in range(3):
            step = np.eye(3)[j] * 1e-6
            assert_allclose(slope[:, j], (combined(Z + step) - combined(Z - step)) / 2e-6, rtol=1e-6, atol=1e-7)
        assert_allclose(found.slope(at, c, None) + found.slope(at, None, v), slope, rtol=1e-9, atol=1e-12)
        held = found.slope(at, c, v, known=[2])
        assert_allclose(held[:, :2], slope[:, :2], rtol=1e-12)
        assert np.all(held[:, 2] == 0)


@every_kernel
def test_points_without_an_outcome_shrink_the_variance_alone(kernel: Kernel) -> None:
    found, residuals, _ = conditioned(kernel)
    Z, P, X = rows(6, 7), rows(2, 8), rows(12)
    mean, variance = found.marginals(Z)
    likely = found.log_likelihood()
    with found.extended(P[:1], np.array([0.3])), found.extended(P[1:], np.array([0.1])):
        inside = found.marginals(Z)
        assert_allclose(found.log_likelihood(), likely, rtol=1e-12)
        with pytest.raises(AssertionError):
            found.append(X[:1], residuals[:1], np.ones(1))
    both = np.concatenate([X, P])
    whole = kernel(both, both) + np.diag([*np.linspace(0.1, 0.5, 12), 0.3, 0.1])
    cross = kernel(Z, both)
    assert_allclose(inside[0], mean, rtol=1e-12)
    assert_allclose(inside[1], np.diagonal(kernel(Z, Z) - cross @ np.linalg.solve(whole, cross.T)), rtol=1e-8)
    again = found.marginals(Z)
    assert again[0].tobytes() == mean.tobytes()
    assert again[1].tobytes() == variance.tobytes()


def test_bits_do_not_depend_on_who_asked_when() -> None:
    often, once = (conditioned(KERNELS["decaying"])[0] for _ in range(2))
    X, r = rows(90, 9), np.random.default_rng(9).normal(size=(90, 3))
    for i in range(90):
        for each in (often, once):
            each.append(X[i : i + 1], r[i : i + 1], np.array([0.1]))
        often.marginals(X[:2])
        often.log_likelihood()
    Z = rows(5, 10)
    assert once.log_likelihood().tobytes() == often.log_likelihood().tobytes()
    for one, other in zip(once.marginals(Z), often.marginals(Z), strict=True):
        assert one.tobytes() == other.tobytes()


def test_late_outcomes_and_early_ones_are_the_same() -> None:
    found, residuals, _ = conditioned(KERNELS["decaying"])
    other = GPPosterior(KERNELS["decaying"], rows(12)[::-1], residuals[::-1], np.linspace(0.1, 0.5, 12)[::-1])
    Z = rows(5, 2)
    for one, two in zip(found.marginals(Z), other.marginals(Z), strict=True):
        assert_allclose(one, two, rtol=1e-9)
    assert_allclose(found.log_likelihood(), other.log_likelihood(), rtol=1e-10)


def test_nothing_seen_is_the_prior() -> None:
    found = GPPosterior(KERNELS["decaying"], np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0))
    mean, variance = found.marginals(rows(4))
    assert mean.tolist() == [[0.0] * 4] * 2
    assert variance.tolist() == [2.0] * 4
    assert found.log_likelihood().tolist() == [0.0, 0.0]
    with found.extended(rows(1), np.ones(1)):
        assert found.marginals(rows(1))[1][0] == pytest.approx(2 - 4 / 3)


def test_what_is_kept_on_disk_is_small_and_leads_to_the_same_bits() -> None:
    random = np.random.default_rng(6)
    X, r = random.random((300, 2)), random.normal(size=(300, 1))
    given = GPPosterior(SquaredExponentialKernel([0.3, 0.4]), X[:200], r[:200], np.full(200, 0.01))
    _ = given.weights  # in use, when more comes
    for row in range(200, 300):
        given.append(X[row : row + 1], r[row : row + 1], np.array([0.01]))
        _ = given.factor
    written = pickle.dumps(given)
    assert len(written) < 20_000 < given.factor.inverse().nbytes
    again = pickle.loads(written)
    Z = random.random((9, 2))
    assert [part.tobytes() for part in again.marginals(Z)] == [part.tobytes() for part in given.marginals(Z)]
    assert again.factor.inverse().tobytes() == given.factor.inverse().tobytes()


@pytest.mark.parametrize("noise", [0.01, 0.0])
def test_a_factor_is_made_again_from_where_it_was_last_begun_anew(noise: float) -> None:
    """Without noise rows that are there twice need jitter: then it was begun anew before its time, more than once."""
    random = np.random.default_rng(8)
    X = np.repeat(random.random((110, 2)), 2, axis=0)
    given = GPPosterior(SquaredExponentialKernel([0.3, 0.4]), X[:50], np.ones((50, 1)), np.full(50, noise))
    for n in range(50, 220):
        given.append(X[n : n + 1], np.ones((1, 1)), np.array([noise]))
        _ = given.factor
    assert given.factor.jitter > 0 or noise
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(given))))
    later = pickle.loads(pickle.dumps(given))
    assert 50 + 64 <= again.__dict__["_built"] == given.factor.built <= 220
    for found in (given, again, later):
        found.append(np.full((1, 2), 0.5), np.ones((1, 1)), np.array([noise]))
    for found in (again, later):
        assert lower(found.factor).tobytes() == lower(given.factor).tobytes()
        assert gram_of(found.factor).tobytes() == gram_of(given.factor).tobytes()
        assert found.factor.jitter == given.factor.jitter
        assert found.factor.built == given.factor.built
