"""The search for hyperparameters and its schedule."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.optimize import differential_evolution

from steerbo.errors import ModelFailure
from steerbo.gp import GPPrior, Parameter, SquaredExponentialKernel, maximum_a_posteriori, refit_due
from steerbo.gp._factor import Factor
from steerbo.gp._fit import FitResult
from steerbo.gp._hyperparameters import log_prior

LINE = [Parameter("x", 0.0, 0.0, 100.0, -5.0, 5.0)]


def test_schedule_keeps_the_total_cubic() -> None:
    fits, last = [], 0
    for n in range(1, 5001):
        if refit_due(last, n):
            fits.append(n)
            last = n
    assert fits[:10] == [1, 2, 3, 4, 5, 7, 9, 12, 15, 19]
    assert sum(n**3 for n in fits) < 2.5 * fits[-1] ** 3
    assert not refit_due(20, 20)
    assert not refit_due(20, 3)  # fewer data than before, after an amendment


def test_as_good_as_a_global_search() -> None:
    random = np.random.default_rng(0)
    X = random.random((15, 1))
    z = np.sin(9 * X[:, 0]) + 0.1 * random.normal(size=15)
    prior = GPPrior(SquaredExponentialKernel([0.2]), 1e-2)

    def posterior(theta: np.ndarray) -> float:
        return prior.with_theta(theta).log_likelihood(X, z)[0] + log_prior(prior.parameters, theta)[0]

    found = maximum_a_posteriori(prior.parameters, lambda t: prior.with_theta(t).log_likelihood(X, z), [prior.theta])
    bounds = [(p.low, p.high) for p in prior.parameters]
    best = differential_evolution(lambda t: -posterior(t), bounds, seed=0, maxiter=25, popsize=6)
    assert found.converged
    assert found.log_posterior == pytest.approx(posterior(found.theta))
    assert found.log_posterior > -best.fun - 1e-4


def test_takes_the_better_of_two_basins() -> None:
    def two_basins(theta: np.ndarray) -> tuple[float, np.ndarray, float]:
        x = theta[0]
        return -((x**2 - 4) ** 2) + x, -4 * theta * (x**2 - 4) + 1, 0.0

    one = maximum_a_posteriori(LINE, two_basins, [np.array([-2.0])])
    both = maximum_a_posteriori(LINE, two_basins, [np.array([-2.0]), np.array([2.6])])
    assert one.theta[0] < 0 < both.theta[0]


def test_turns_round_where_nothing_can_be_computed() -> None:
    def cliff(theta: np.ndarray) -> tuple[float, np.ndarray, float]:
        if theta[0] > 1:
            raise ModelFailure("beyond the edge")
        if theta[0] > 0.9:
            return float("nan"), theta, 0.0
        return float(theta[0]), np.ones(1), 0.0

    found = maximum_a_posteriori(LINE, cliff, [np.array([-4.0])])
    assert np.isfinite(found.log_posterior)
    assert -4 < found.theta[0] <= 0.9


def test_keeps_the_start_where_nothing_works_at_all() -> None:
    def nothing(theta: np.ndarray) -> tuple[float, np.ndarray, float]:
        raise ModelFailure("no")

    found = maximum_a_posteriori(LINE, nothing, [np.array([0.5]), np.array([9.0])])
    assert found.theta.tolist() == [0.5]
    assert not found.converged
    assert any("were kept" in note for note in found.notes)


def test_reports_jitter() -> None:
    found = maximum_a_posteriori(LINE, lambda t: (-float(t @ t), -2 * t, 1e-9), [np.ones(1)])
    assert found.jitter == 1e-9
    assert any("1.0e-09" in note for note in found.notes)


def test_ends_after_so_many_evaluations() -> None:
    """A search that is far from its end stops soon, with the best point that it has seen."""
    points: list[float] = []

    def flat_then_steep(theta: np.ndarray) -> tuple[float, np.ndarray, float]:
        points.append(float(theta[0]))
        return -float(np.cosh(theta[0] - 3)), -np.sinh(theta - 3), 0.0

    short = maximum_a_posteriori(LINE, flat_then_steep, [np.array([-4.0])], evaluations=3)
    assert short.evaluations == len(points) < 6
    assert not short.converged
    assert short.theta[0] == min(points, key=lambda x: abs(x - 3))
    assert maximum_a_posteriori(LINE, flat_then_steep, [np.array([-4.0])]).theta[0] == pytest.approx(3, abs=1e-3)


def test_what_is_kept_of_a_fit_holds_no_factor() -> None:
    fit = FitResult(np.zeros(1), -1.0, converged=True, evaluations=3, jitter=0.0, factor=Factor(np.eye(2)))
    kept = pickle.loads(pickle.dumps(fit))
    assert fit.factor is not None
    assert kept.factor is None
    assert (kept.theta.tolist(), kept.log_posterior, kept.evaluations) == ([0.0], -1.0, 3)
