"""Priors of hyperparameters."""

from __future__ import annotations

import numpy as np
from scipy.stats import lognorm

from steerbo.gp import Parameter
from steerbo.gp._hyperparameters import lengthscale, log_prior

from .examples import differences


def test_lengthscale_prior_is_that_of_the_paper() -> None:
    for d in (1, 6, 100):
        believed = lengthscale(1.0, d, "ℓ")
        scales = np.array([0.1, 1.0, 5.0])
        ours = [log_prior([believed], np.log([s]))[0] for s in scales]
        theirs = lognorm(s=np.sqrt(3), scale=np.exp(np.sqrt(2) + np.log(d) / 2)).logpdf(scales)
        np.testing.assert_allclose(np.diff(ours), np.diff(theirs), rtol=1e-10)


def test_gradient_agrees_with_finite_differences() -> None:
    parameters = [Parameter("a", 0.0, 1.0, 2.0, -9, 9), Parameter("b", 0.0, -1.0, 0.5, -9, 9)]
    theta = np.array([0.3, 0.4])
    numeric = differences(lambda t: log_prior(parameters, t)[0], theta)
    np.testing.assert_allclose(log_prior(parameters, theta)[1], numeric, rtol=1e-7)
