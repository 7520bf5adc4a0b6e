"""Kernels of others: as they are in scikit-learn and GPyTorch, wherever one of ours is taken."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import kernels as sk

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.gp import Constant, GPRegression, Matern52, SquaredExponentialKernel, called
from steerbo.gp.kernels import Called, Fixed

X, Z = np.random.default_rng(0).random((2, 5, 2))


def test_ours_stays_what_it_is() -> None:
    kernel = Matern52([0.3, 0.4])
    assert called(kernel, 2) is kernel


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(InvalidProblem, match="kernel: 'rbf' is not allowed"):
        called("rbf", 2)


def test_a_kernel_of_scikit_learn_in_a_regression() -> None:
    theirs = GPRegression(called(sk.Matern([0.3, 0.4], nu=2.5), 2), noise=0.01)
    ours = GPRegression(Matern52([0.3, 0.4]), noise=0.01)
    for model in (theirs, ours):
        model.replace(X, X.sum(axis=1))
    for one, other in zip(theirs.moments_and_gradients(Z), ours.moments_and_gradients(Z), strict=True):
        assert_allclose(one, other, atol=1e-6)
    assert not theirs.kernel.gradients
    assert ours.kernel.gradients
    theirs.set(theirs.fit())
    assert theirs.last is not None, "noise and mean are learned; the kernel stays"
    assert_allclose(theirs.kernel(X, Z), ours.kernel(X, Z))


def test_sums_and_products_say_that_slopes_are_differences() -> None:
    foreign = called(sk.DotProduct(1.0), 2)
    assert not (foreign + Constant(2.0)).gradients
    assert not Fixed(foreign).gradients
    assert not (foreign * SquaredExponentialKernel([0.3, 0.4])).gradients
    assert_allclose(foreign.diagonal_gradient(X), 2 * X, atol=1e-8)
    assert_allclose((foreign + Constant(2.0)).diagonal(X), (X**2).sum(axis=1) + 3.0)


def test_a_function_that_answers_no_matrix_is_refused_by_name() -> None:
    with pytest.raises(InvalidProblem, match="covariances of all pairs"):
        Called(lambda X, Z: X[:, 0], 2)(X, Z)


def test_a_kernel_of_gpytorch_in_a_prior_and_a_regression() -> None:
    gpytorch = pytest.importorskip("gpytorch", reason="GPyTorch is not installed: pip install 'steerbo[botorch]'")
    theirs = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=2)).double()
    theirs.base_kernel.lengthscale = [0.3, 0.4]
    theirs.outputscale = 2.0
    ours = Matern52([0.3, 0.4], 2.0)
    assert_allclose(called(theirs, 2)(X, Z), ours(X, Z), rtol=1e-6)
    problem = sb.TimeVarying([sb.Float("a", 0, 1), sb.Float("b", 0, 1)], [sb.Prior(theirs)])
    optimizer = sb.Optimizer(problem, "gp-ucb", confidence=2.0)
    for value in (1.0, 2.0):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, value)
    assert optimizer.recommend().mean is not None
