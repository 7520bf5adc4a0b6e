"""Values, gradients and factors of all kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.gaussian_process import kernels as sk

from steerbo.errors import InvalidOption, InvalidProblem
from steerbo.gp import Constant, Decay, Kernel, Linear, Matern32, Matern52, SquaredExponential

from ..examples import KERNELS, differences, points

every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
SCALES = [0.3, 1.1, 2.5]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SquaredExponential(SCALES, 2.0), 2.0 * sk.RBF(SCALES)),
        (Matern32(SCALES, 2.0), 2.0 * sk.Matern(SCALES, nu=1.5)),
        (Matern52(SCALES, 2.0), 2.0 * sk.Matern(SCALES, nu=2.5)),
        (Linear([0, 1, 2], 1.5, centre=0.0) + Constant(0.4), 1.5 * sk.DotProduct(0.0) + sk.ConstantKernel(0.4)),
        (Matern52(0.7, dimensions=[0, 1, 2]) * Constant(3.0), 3.0 * sk.Matern(0.7, nu=2.5)),
    ],
)
def test_equal_to_scikit_learn(ours: Kernel, theirs: sk.Kernel) -> None:
    X, Z = np.random.default_rng(0).normal(size=(2, 20, 3))
    np.testing.assert_allclose(ours(X, Z), theirs(X, Z), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.diagonal(X), theirs.diag(X), rtol=1e-12)


def test_decay_is_that_of_the_paper() -> None:
    t = np.arange(5.0)[:, None]
    np.testing.assert_allclose(Decay(0.3, 0)(t, t), 0.7 ** (np.abs(t - t.T) / 2), rtol=1e-12)


@every_kernel
def test_diagonal_is_the_diagonal(kernel: Kernel) -> None:
    X = points(9)
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X, X)), rtol=1e-12)


@every_kernel
def test_hyperparameters_go_in_and_out(kernel: Kernel) -> None:
    X = points(9)
    np.testing.assert_allclose(kernel.with_theta(kernel.theta)(X, X), kernel(X, X), rtol=1e-12)
    assert len(kernel.names) == len(set(kernel.names)) == len(kernel.theta)
    assert kernel.width <= 3


@every_kernel
def test_pull_back_agrees_with_finite_differences(kernel: Kernel) -> None:
    X, W = points(9), np.random.default_rng(1).normal(size=(9, 9))
    numeric = differences(lambda theta: np.vdot(W, kernel.with_theta(theta)(X, X)), kernel.theta)
    np.testing.assert_allclose(kernel.gradient(X, W), numeric, rtol=1e-6, atol=1e-8)


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


def test_no_slope_along_a_category() -> None:
    X, W = points(5), np.ones((5, 5))
    assert np.all(KERNELS["categories"].input_gradient(X, X, W)[:, 2] == 0)


def test_categories_are_equally_far_apart() -> None:
    kernel = SquaredExponential([0.8], categorical=[True])
    codes = np.array([[0.0], [1.0], [7.0]])
    np.testing.assert_allclose(kernel(codes, codes), np.where(np.eye(3) > 0, 1.0, np.exp(-0.5 / 0.64)), rtol=1e-14)


@pytest.mark.parametrize(
    "kernel",
    [
        SquaredExponential([0.4, 0.9, 2.0], 1.7, categorical=[False, False, True]),
        SquaredExponential(0.6, dimensions=[0, 2]),
        Matern52(0.4, 2.0, [0]) * Matern32(0.9, 1.5, [1]) * Matern52(0.8, 1.0, [2], categorical=[True]),
        Constant(2.0) * Decay(0.3, 1) * SquaredExponential(0.5, dimensions=[0]) * Linear([2], 3.0),
    ],
)
def test_factors_multiply_to_the_kernel(kernel: Kernel) -> None:
    X, Z = points(6, 1), points(7, 2)
    product = np.prod([kernel.factor(d)(X[:, d], Z[:, d]) for d in range(3)], axis=0)
    np.testing.assert_allclose(kernel.variance * product, kernel(X, Z), rtol=1e-12)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kernel", [Matern52([0.4, 0.9]), Linear([0, 1]), Constant() + Constant()])
def test_kernels_that_do_not_factorise_say_so(kernel: Kernel) -> None:
    with pytest.raises(InvalidOption, match="product of one-dimensional kernels"):
        kernel.factor(0)


def test_sums_and_products_are_flat() -> None:
    a, b, c = Constant(1.0), Constant(2.0), Constant(3.0)
    assert (a + b + c).members == (a + (b + c)).members == (a, b, c)
    assert (a * b * c).members == (a, b, c)
    assert (a + b * c).members == (a, b * c)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.sampled_from(sorted(KERNELS)), st.integers(0, 10**6))
def test_covariances_are_symmetric_and_not_negative(name: str, seed: int) -> None:
    X = np.concatenate([points(12, seed), points(3, seed)])  # with duplicates
    K = KERNELS[name](X, X)
    np.testing.assert_allclose(K, K.T, rtol=0, atol=1e-15 * K.max())
    assert np.linalg.eigvalsh(K).min() > -1e-12 * len(X) * np.abs(K).max()


def test_points_far_away_are_no_trouble() -> None:
    far = np.array([[1e100, 0.0], [-1e100, 0.0], [1e6, 0.0], [1e6 + 0.1, 0.0]])
    for kernel in (SquaredExponential([0.3, 0.3]), Matern32([0.3, 0.3]), Matern52([0.3, 0.3])):
        K = kernel(far, far)
        near = kernel(np.zeros((1, 2)), np.array([[0.1, 0.0]]))[0, 0]
        np.testing.assert_allclose(K[2, 3], near, rtol=1e-9)  # distances are kept far out
        assert np.array_equal(K[:2, :2], np.eye(2))


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: SquaredExponential([0.0]), "lengthscales"),
        (lambda: SquaredExponential([np.nan, 1.0]), "lengthscales"),
        (lambda: SquaredExponential([1.0, 1.0], dimensions=[0]), "lengthscales"),
        (lambda: SquaredExponential([]), "dimensions"),
        (lambda: Matern52(1.0, dimensions=[0, 0]), "dimensions"),
        (lambda: Matern52(1.0, dimensions=[-1]), "dimensions"),
        (lambda: Matern32([1.0], categorical=[True, False]), "categorical"),
        (lambda: Matern32([1.0], variance=np.inf), "variance"),
        (lambda: Constant(-1.0), "variance"),
        (lambda: Linear([]), "dimensions"),
        (lambda: Linear([0], centre=np.nan), "centre"),
        (lambda: Decay(1.0, 0), "rate"),
        (lambda: Decay(0.0, 0), "rate"),
        (lambda: Decay(0.5, -1), "dimension"),
    ],
)
def test_bad_kernels_are_refused_by_field(make: object, field: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        make()  # type: ignore[operator]
    assert caught.value.field == f"kernel.{field}"
