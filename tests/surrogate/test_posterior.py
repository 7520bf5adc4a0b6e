"""The posterior as others take it over: joint moments by brute force, slopes by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo.gp import DecayKernel, GPRegression, Kernel, Linear, Matern52, SquaredExponentialKernel
from steerbo.space import Float, Space
from steerbo.surrogate import Columns, Posterior, inverse_root
from tests.gp.examples import covariance as covariance_of

SPACE = Space([Float("a", 0, 2), Float("b", 0, 1, step=0.25)])


def fitted() -> GPRegression[Kernel]:
    random = np.random.default_rng(3)
    model: GPRegression[Kernel] = GPRegression(Matern52([0.4, 0.7], 1.5) + Linear([0, 1], 0.3), noise=0.02)
    model.replace(X := random.random((9, 2)), 5.0 + 3.0 * np.sin(4 * X[:, 0]) + X[:, 1])
    model.set(model.fit())
    return model


def test_moments_are_the_regressions_and_joint() -> None:
    model = fitted()
    found, Z = Posterior.of_regression(model, Columns.of(SPACE)), np.random.default_rng(1).random((5, 2))
    mean, covariance = found.moments(Z)
    alone, sd = model.predict(Z)
    assert_allclose(mean, alone, rtol=1e-9)
    assert_allclose(np.sqrt(np.diag(covariance)), sd, rtol=1e-7)
    assert_allclose(covariance, model.scale**2 * covariance_of(model, Z), rtol=1e-7, atol=1e-9)


def test_before_any_outcome_it_is_the_prior() -> None:
    model = GPRegression(SquaredExponentialKernel([0.3, 0.3]))
    mean, covariance = Posterior.of_regression(model, Columns.of(SPACE)).moments(np.eye(2))
    assert_allclose(mean, 0.0)
    assert_allclose(covariance, model.kernel(np.eye(2), np.eye(2)))


def slope(value: Callable[[np.ndarray], float], Z: np.ndarray) -> np.ndarray:
    """By central differences."""
    found = np.empty(Z.shape)
    for place in np.ndindex(Z.shape):
        step = np.zeros(Z.shape)
        step[place] = 1e-6
        found[place] = (value(Z + step) - value(Z - step)) / 2e-6
    return found


@pytest.mark.parametrize("q", [1, 3])
def test_slopes_are_differences(q: int) -> None:
    found, random = Posterior.of_regression(fitted(), Columns.of(SPACE)), np.random.default_rng(2)
    Z, W, V = random.random((2, q, 2)), random.normal(size=(2, q, q)), random.normal(size=(q, 9))
    assert_allclose(found.prior_slope(Z, W), slope(lambda P: float((W * found.prior(P)).sum()), Z), atol=1e-6)
    assert_allclose(found.cross_slope(Z[0], V), slope(lambda P: float((V * found.cross(P)).sum()), Z[0]), atol=1e-6)


def test_held_columns_are_no_coordinates() -> None:
    random = np.random.default_rng(5)
    kernel = SquaredExponentialKernel([0.4, 0.7]) * DecayKernel(2, 0.2)
    model: GPRegression[Kernel] = GPRegression(kernel, noise=0.02)
    model.replace(random.random((7, 3)), random.normal(size=7))
    found, Z = Posterior.of_regression(model, Columns.of(SPACE), held=(0.9,)), random.random((2, 3, 2))
    mean, sd = model.predict(np.column_stack([Z[0], np.full(3, 0.9)]))
    assert_allclose(found.moments(Z[0])[0], mean, rtol=1e-9)
    assert_allclose(np.sqrt(np.diag(found.moments(Z[0])[1])), sd, rtol=1e-7)
    W, V = random.normal(size=(2, 3, 3)), random.normal(size=(3, 7))
    assert_allclose(found.prior_slope(Z, W), slope(lambda P: float((W * found.prior(P)).sum()), Z), atol=1e-6)
    assert_allclose(found.cross_slope(Z[0], V), slope(lambda P: float((V * found.cross(P)).sum()), Z[0]), atol=1e-6)


def test_the_root_is_one_of_the_inverse() -> None:
    model = fitted()
    root = inverse_root(model.factor)
    gram = model.kernel(model.inputs, model.inputs) + np.diag(model.noises)
    assert_allclose(root @ root.T @ gram, np.eye(len(model)), atol=1e-8)


def test_columns_know_values_and_levels() -> None:
    columns = Columns.of(SPACE)
    assert_allclose(columns.encode({"a": 1.0, "b": 0.25}), [0.5, 0.25])
    assert columns.decode(np.array([0.5, 0.3])) == {"a": 1.0, "b": 0.25}
    assert columns.box.levels[0] is None
    assert columns.box.levels[1] is not None
    assert_allclose(columns.box.levels[1], [0, 0.25, 0.5, 0.75, 1])
