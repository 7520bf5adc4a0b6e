"""Kernels of a scaled distance."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from steerbo.errors import InvalidProblem
from steerbo.gp import Matern12, Matern32, Matern52, SquaredExponentialKernel, Stationary

from ..examples import KERNELS, points

SCALES = [0.3, 1.1, 2.5]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SquaredExponentialKernel(SCALES, 2.0), 2.0 * sk.RBF(SCALES)),
        (Matern12(SCALES, 2.0), 2.0 * sk.Matern(SCALES, nu=0.5)),
        (Matern32(SCALES, 2.0), 2.0 * sk.Matern(SCALES, nu=1.5)),
        (Matern52(SCALES, 2.0), 2.0 * sk.Matern(SCALES, nu=2.5)),
    ],
)
def test_equal_to_scikit_learn(ours: Stationary, theirs: sk.Kernel) -> None:
    X, Z = np.random.default_rng(0).normal(size=(2, 20, 3))
    np.testing.assert_allclose(ours(X, Z), theirs(X, Z), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.diagonal(X), theirs.diag(X), rtol=1e-12)


@pytest.mark.parametrize("kind", [SquaredExponentialKernel, Matern12, Matern32, Matern52])
def test_no_slope_where_points_coincide(kind: type[Stationary]) -> None:
    X = points(5)[:, :2]
    np.testing.assert_allclose(kind([0.3, 0.4]).input_gradient(X, X, np.eye(5)), 0.0, atol=1e-14)


def test_no_slope_along_a_category() -> None:
    X, W = points(5), np.ones((5, 5))
    assert np.all(KERNELS["categories"].input_gradient(X, X, W)[:, 2] == 0)


def test_categories_are_equally_far_apart() -> None:
    kernel = SquaredExponentialKernel([0.8], categorical=[True])
    codes = np.array([[0.0], [1.0], [7.0]])
    np.testing.assert_allclose(kernel(codes, codes), np.where(np.eye(3) > 0, 1.0, np.exp(-0.5 / 0.64)), rtol=1e-14)


def test_points_far_away_are_no_trouble() -> None:
    far = np.array([[1e100, 0.0], [-1e100, 0.0], [1e6, 0.0], [1e6 + 0.1, 0.0]])
    for kind in (SquaredExponentialKernel, Matern12, Matern32, Matern52):
        kernel = kind([0.3, 0.3])
        K = kernel(far, far)
        near = kernel(np.zeros((1, 2)), np.array([[0.1, 0.0]]))[0, 0]
        np.testing.assert_allclose(K[2, 3], near, rtol=1e-9)  # distances are kept far out
        assert np.array_equal(K[:2, :2], np.eye(2))


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: SquaredExponentialKernel([0.0]), "lengthscales"),
        (lambda: SquaredExponentialKernel([np.nan, 1.0]), "lengthscales"),
        (lambda: SquaredExponentialKernel([1.0, 1.0], dimensions=[0]), "lengthscales"),
        (lambda: SquaredExponentialKernel([]), "dimensions"),
        (lambda: Matern52(1.0, dimensions=[0, 0]), "dimensions"),
        (lambda: Matern52(1.0, dimensions=[-1]), "dimensions"),
        (lambda: Matern32([1.0], categorical=[True, False]), "categorical"),
        (lambda: Matern32([1.0], variance=np.inf), "variance"),
    ],
)
def test_bad_kernels_are_refused_by_field(make: object, field: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        make()  # type: ignore[operator]
    assert caught.value.field == f"kernel.{field}"
