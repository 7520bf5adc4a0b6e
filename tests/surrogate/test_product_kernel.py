"""Without noise the signal is 10¹¹ times as large as what is left of it: bounds must not be rounding."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Streams
from steerbo.costvarying.baselines import UcbPsq, UcbPsqOptions
from steerbo.gp import Factor
from steerbo.surrogate._parts import gauss_rule
from tests.gp.examples import covariance


@pytest.mark.parametrize("n", [20, 60, 200])
def test_deviations_of_a_smooth_function_without_noise(n: int) -> None:
    """Against the average over quadrature nodes, by the Cholesky factor, with the noise reported: within 2e-4 of
    the signal's deviation. What that noise adds stays below 2e-3 of it."""
    law = sb.TruncatedNormal(0.5, 0.2)
    problem = sb.CostVarying(
        variables=[sb.Float("a", 0, 1, law=law), sb.Float("b", 0, 1, law=law)], control_sets=[["a"], ["a", "b"]]
    )
    history = Optimizer(problem, "ucb-psq").history
    method = UcbPsq(problem, UcbPsqOptions(), Streams(0), history)
    inputs = np.random.default_rng(0).random((n, 2))
    method.model.replace(inputs, -((inputs[:, 0] - 0.3) ** 2) - (inputs[:, 1] - 0.7) ** 2)
    method.model.set(method.model.likeliest())  # without draws all that is compared has the same hyperparameters
    candidates = method.candidates({})
    signal = candidates.posterior.variance**0.5
    assert signal**2 / method.model.noise > 1e7
    nodes, weights = gauss_rule(problem.variables[1], float(candidates.posterior.lengthscales[1]))
    gram = method.model.kernel(inputs, inputs)
    factor = Factor(gram + candidates.posterior.noise * np.eye(n))
    for a in (0.0, 0.3, 0.9):
        points = np.column_stack([np.full(len(nodes), a), nodes])
        average = weights @ method.model.kernel(points, inputs)
        half = factor.half_solve(average)
        prior = float(weights @ method.model.kernel(points, points) @ weights)
        found = float(candidates.expectation(0).of_mean().moments(np.array([[a]]))[1][0])
        assert abs(found - np.sqrt(max(prior - half @ half, 0.0))) < 2e-4 * signal
        joint = covariance(method.model, points)
        assert abs(found - np.sqrt(max(float(weights @ joint @ weights), 0.0))) < 2e-3 * signal
