"""What holds of every kernel, of sums and of products."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.gp import Constant, DecayKernel, Kernel, Matern32, SquaredExponentialKernel
from steerbo.gp.kernels import PeriodicKernel
from steerbo.gp.kernels.base import rows_once
from tests.sizes import examples

from ..examples import KERNELS, differences, points, theta_of

every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


@every_kernel
def test_diagonal_is_the_diagonal(kernel: Kernel) -> None:
    X = points(9)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X, X)), rtol=1e-12)


@every_kernel
def test_other_columns_are_not_read(kernel: Kernel) -> None:
    X, others = points(9), [d for d in range(3) if d not in kernel.columns]
    moved = X.copy()
    moved[:, others] += 5.0
    np.testing.assert_array_equal(kernel(moved, X), kernel(X, X))
    assert kernel.width == max(kernel.columns, default=-1) + 1


@every_kernel
def test_hyperparameters_go_in_and_out(kernel: Kernel) -> None:
    X, names = points(9), [parameter.name for parameter in kernel.parameters]
    np.testing.assert_allclose(kernel.with_theta(theta_of(kernel))(X, X), kernel(X, X), rtol=1e-12)
    assert len(set(names)) == len(names)


@every_kernel
def test_pull_back_agrees_with_finite_differences(kernel: Kernel) -> None:
    X, W, theta = points(9), np.random.default_rng(1).normal(size=(9, 9)), theta_of(kernel)
    K, pull = kernel.linearise(X)
    np.testing.assert_allclose(K, kernel(X, X), rtol=1e-12)
    numeric = differences(lambda theta: np.vdot(W, kernel.with_theta(theta)(X, X)), theta)
    np.testing.assert_allclose(pull(W), numeric.reshape(theta.shape), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("n", [9, 300])
@every_kernel
def test_what_a_fit_factorises_is_what_a_posterior_does_bit_by_bit(kernel: Kernel, n: int) -> None:
    """A posterior takes over the factor that a fit ended with, and a replay makes it anew."""
    X = points(n)
    for each in (kernel, kernel * DecayKernel(2, 0.1), kernel + Constant(0.5)):
        assert each.linearise(X)[0].tobytes() == each(X, X).tobytes()


@every_kernel
def test_input_gradients_agree_with_finite_differences(kernel: Kernel) -> None:
    X, Z, W = points(5, 1), points(9, 2), np.random.default_rng(3).normal(size=(5, 9))
    ours, diagonal = kernel.input_gradient(X, Z, W), kernel.diagonal_gradient(X)
    for i, x in enumerate(X):

        def value(numbers: np.ndarray, i: int = i, x: np.ndarray = x) -> np.ndarray:
            moved = np.append(numbers, x[2])[None]
            return np.array([(kernel(moved, Z) @ W[i])[0], kernel.diagonal(moved)[0]])

        numeric = differences(value, x[:2])
        np.testing.assert_allclose(ours[i, :2], numeric[:, 0], rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(diagonal[i, :2], numeric[:, 1], rtol=1e-6, atol=1e-8)


@settings(deadline=None, derandomize=True, max_examples=examples(40))
@given(st.sampled_from(sorted(KERNELS)), st.integers(0, 10**6))
def test_covariances_are_symmetric_and_not_negative(name: str, seed: int) -> None:
    X = np.concatenate([points(12, seed), points(3, seed)])  # with duplicates
    K = KERNELS[name](X, X)
    np.testing.assert_allclose(K, K.T, rtol=0, atol=1e-15 * K.max())
    assert np.linalg.eigvalsh(K).min() > -1e-12 * len(X) * np.abs(K).max()


def test_sums_and_products_are_flat() -> None:
    a, b, c = Constant(1.0), Constant(2.0), Constant(3.0)
    assert (a + b + c).members == (a + (b + c)).members == (a, b, c)
    assert (a * b * c).members == (a, b, c)
    assert (a + b * c).members == (a, b * c)


@pytest.mark.parametrize("drift", [DecayKernel(2, 0.1), PeriodicKernel(2, 5.0, 1.0), Matern32(4.0, dimensions=[2])])
@pytest.mark.parametrize("n", [5, 80])
def test_a_product_splits_into_what_is_searched_and_what_is_known(drift: Kernel, n: int) -> None:
    space = SquaredExponentialKernel([0.3, 0.5], 2.0)
    random = np.random.default_rng(0)
    X, Z = random.random((n, 3)), random.random((7, 3)) * [1, 1, 9]
    for kernel in (space * drift, drift * space):
        searched, factor = kernel.split([2])
        assert searched is space
        assert factor is drift
        np.testing.assert_allclose(kernel(X, Z), space(X, Z) * drift(X, Z), rtol=1e-14)
        now = X.copy()
        now[:, 2] = 4.0  # one time for all
        np.testing.assert_array_equal(kernel(now, Z), space(now, Z) * drift(now, Z))
        assert len(rows_once(drift, now, Z)) == (1 if n > 32 else n)
    assert (space * drift).split([]) == (space * drift, None)
    assert (space * drift).split([0, 1, 2]) == (space * drift, None)
    assert space.split([2]) == (space, None)
    assert (space + drift).split([2]) == (space + drift, None)
