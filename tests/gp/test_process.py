"""The likelihood of all that is learned together, against scikit-learn and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

from steerbo.gp import GPPrior, Kernel, Matern52, SquaredExponentialKernel, Stationary

from .examples import PRIORS, differences, points


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS.keys())
def test_gradient_agrees_with_finite_differences(prior: GPPrior[Kernel]) -> None:
    X, z = points(15), np.random.default_rng(1).normal(size=15)
    _, gradient, jitter = prior.log_likelihood(X, z)
    numeric = differences(lambda theta: prior.with_theta(theta).log_likelihood(X, z)[0], prior.theta)
    np.testing.assert_allclose(gradient, numeric, rtol=2e-5, atol=1e-6)
    assert jitter == 0
    assert len(gradient) == len(prior.parameters)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS.keys())
@pytest.mark.parametrize("noise", [0.05, 1e-30])
def test_many_densities_are_the_likelihood(prior: GPPrior[Kernel], noise: float) -> None:
    """Also where outcomes at one point have so little noise that covariances need jitter."""
    X, z, extra = points(15), np.random.default_rng(1).normal(size=15), np.zeros(15)
    X[3], extra[5] = X[4], 2.0
    theta = replace(prior, noise=noise).theta + 0.1 * np.random.default_rng(2).normal(size=len(prior.theta))
    assert prior.log_densities(X, z, extra)(theta) == pytest.approx(
        prior.with_theta(theta).log_likelihood(X, z, extra)[0], rel=1e-9
    )


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SquaredExponentialKernel([0.4, 0.9], 1.7), 1.7 * sk.RBF([0.4, 0.9])),
        (Matern52([0.4, 0.9], 1.7), 1.7 * sk.Matern([0.4, 0.9], nu=2.5)),
    ],
)
def test_value_and_gradient_equal_to_scikit_learn(ours: Stationary, theirs: sk.Kernel) -> None:
    random = np.random.default_rng(0)
    X, z = random.random((20, 2)), random.normal(size=20)
    reference = GaussianProcessRegressor(theirs + sk.WhiteKernel(0.03), optimizer=None, alpha=0.0).fit(X, z)
    value, gradient = reference.log_marginal_likelihood(reference.kernel_.theta, eval_gradient=True)
    mine, slope, _ = GPPrior(ours, 0.03).log_likelihood(X, z)
    assert mine == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(slope[[2, 0, 1, 4]], gradient, rtol=1e-7)  # theirs: the variance first, and no mean
