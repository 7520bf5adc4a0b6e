"""Expected values by a kernel whose factors have tails: averages over nature, gradients and Hessians."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import steerbo as sb
from steerbo.gp import AnovaKernel, GPRegression
from steerbo.surrogate import Controlled, Expectation, LawOf, Part, ProductKernelPosterior, Uncontrolled
from steerbo.surrogate._batched_expectation import BatchedBounds
from steerbo.surrogate._thompson import PosteriorSample

KERNEL = AnovaKernel([0.3, 0.4, 0.5], [0.9, 0.6, 0.8], 1.3, tail=0.6)
X = np.random.default_rng(0).random((8, 3))
Z = np.random.default_rng(1).random((5, 2))
NATURE = LawOf(sb.Float("v", 0, 1, law=sb.Uniform()))
STEP = 1e-5


def model(tail: float) -> GPRegression[AnovaKernel]:
    found = GPRegression(AnovaKernel(KERNEL.lengthscales, KERNEL.weights, 1.3, tail=tail), noise=0.01)
    found.replace(X, np.sin(9 * X[:, 0]) + X[:, 1])
    return found


def expectation(tail: float, last: Part) -> Expectation:
    posterior = ProductKernelPosterior.of(model(tail), np.zeros((0, 3)))
    return Expectation.over(posterior, [Controlled(), Controlled(), last])


@pytest.mark.parametrize("tail", [0.25, 0.6, 3.0])
def test_an_average_over_nature_is_that_of_a_fine_grid(tail: float) -> None:
    grid = (np.arange(4000) + 0.5) / 4000
    fine = [model(tail).means(np.column_stack([np.tile(row, (len(grid), 1)), grid])).mean() for row in Z]
    assert_allclose(expectation(tail, Uncontrolled(NATURE, 0)).mean(Z), fine, atol=1e-6)


def test_bounds_have_their_gradients_and_hessians() -> None:
    stack = BatchedBounds([expectation(tail, Uncontrolled(NATURE, 0)) for tail in (0.6, 3.0)], 1.5)
    which = np.array([0, 0, 0, 1, 1])
    value, gradient, hessian = stack.curved(Z, which)
    one = stack.expectations[0]
    assert_allclose(value[:3], one.bound(Z[:3], 1.5)[0], rtol=1e-10)
    assert_allclose(gradient[:3], one.bound(Z[:3], 1.5)[1], rtol=1e-8)
    for c, step in enumerate(STEP * np.eye(2)):
        above, below = (stack.curved(Z + side * step, which) for side in (1, -1))
        assert_allclose(gradient[:, c], (above[0] - below[0]) / (2 * STEP), rtol=1e-5, atol=1e-7)
        assert_allclose(hessian[:, c], (above[1] - below[1]) / (2 * STEP), rtol=1e-5, atol=1e-6)
    weights = np.cos(np.arange(len(X)))
    _, _, curve = one.weighted(Z, weights)
    for c, step in enumerate(STEP * np.eye(2)):
        up, down = (one.weighted(Z + side * step, weights)[1] for side in (1, -1))
        assert_allclose(curve[:, c], (up - down) / (2 * STEP), rtol=1e-5, atol=1e-7)


def test_draws_of_the_function_have_the_kernels_covariance() -> None:
    empty = GPRegression(KERNEL, noise=0.01)
    empty.replace(X[:1], [0.0])
    posterior = ProductKernelPosterior.of(empty, np.zeros((0, 3)))
    places = np.array([X[0] + 0.5, X[0] + [0.7, 0.5, 0.5]])
    drawn = [
        PosteriorSample.draw(posterior, np.zeros(1), 0.01, [0, 0, 0], np.random.default_rng(k))(places)
        for k in range(800)
    ]
    expected = KERNEL(places, places) - KERNEL(places, X[:1]) @ KERNEL(X[:1], places) / 1.31
    assert_allclose(np.cov(np.array(drawn).T), expected, atol=0.25)
