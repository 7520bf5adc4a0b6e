"""Outcomes with known standard errors: the posterior, the fit, the rule for outliers, against computations by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.errors import InvalidOutcome
from steerbo.gp import GPRegression, SquaredExponentialKernel, replace_outcomes

Regression = GPRegression[SquaredExponentialKernel]


def told(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, outcomes of a wave, and their errors: every other one is fifty times as accurate."""
    random = np.random.default_rng(seed)
    x, errors = random.random((n, 1)), np.where(np.arange(n) % 2, 0.02, 1.0)
    return x, np.sin(6 * x[:, 0]) + errors * random.standard_normal(n), errors


def fitted(*data: Any, seed: int | None = None) -> Regression:
    model = GPRegression(SquaredExponentialKernel([0.3]), seed=seed)
    model.replace(*data)
    model.set(model.fit())
    return model


def by_hand(model: Regression, at: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation by a dense solve in the user's units, each row with its own noise."""
    x, z, s = model.inputs, np.array(at)[:, None], model.scale
    noise = s**2 * model.noise + model.errors**2
    level = float(model.unstandardise(model.mean))
    inverse = np.linalg.inv(s**2 * model.kernel(x, x) + np.diag(noise))
    cross = s**2 * model.kernel(z, x)
    mean = level + cross @ inverse @ (model.outcomes - level)
    variance = s**2 * model.kernel.diagonal(z) - np.einsum("ij,jk,ik->i", cross, inverse, cross)
    return mean, np.sqrt(variance)


def test_the_posterior_is_that_of_a_process_with_its_own_noise_at_each_row() -> None:
    model, at = fitted(*told(24)), [0.05, 0.4, 0.95]
    np.testing.assert_allclose(np.array(model.predict(np.array(at)[:, None])), by_hand(model, at), rtol=1e-7)
    model.extend([[0.33], [0.34]], [3.0, 0.9], [2.0, 0.0])  # later rows, by another path of the factor
    np.testing.assert_allclose(np.array(model.predict(np.array(at)[:, None])), by_hand(model, at), rtol=1e-7)


def test_the_fit_maximises_the_likelihood_with_its_own_noise_at_each_row() -> None:
    """Log posterior density, computed by scipy with a diagonal of its own, at the fit and around it."""
    x, y, errors = told(24)
    model = fitted(x, y, errors)
    stated = (errors / model.scale) ** 2

    def height(theta: np.ndarray) -> float:
        prior = model.prior.with_theta(theta)
        covariance = prior.kernel(x, x) + np.diag(prior.noise + stated)
        z = model.output.forward(y)
        beliefs = [(t - p.centre) / p.spread for t, p in zip(theta, model.prior.parameters, strict=True)]
        law = scipy.stats.multivariate_normal(np.full(24, prior.mean), covariance)
        return float(law.logpdf(z)) - 0.5 * float(np.square(beliefs).sum())

    best = model.prior.theta
    for step in 0.05 * np.concatenate([np.eye(len(best)), -np.eye(len(best))]):
        assert height(best + step) < height(best) + 1e-6


def test_what_is_learned_is_the_noise_beyond_the_stated_errors() -> None:
    """Over 5 draws the learned deviation is below .1, where without errors it is that of the inaccurate half."""
    learned = [model.scale * model.noise**0.5 for k in range(5) for model in [fitted(*told(30, k))]]
    without = [model.scale * model.noise**0.5 for k in range(5) for model in [fitted(*told(30, k)[:2])]]
    assert max(learned) < 0.1
    assert min(without) > 0.4


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 19), st.floats(0.01, 1.0), st.floats(1.1, 100.0))
def test_a_more_precise_row_weighs_more(row: int, error: float, times: float) -> None:
    x, y, _ = told(20)
    model = GPRegression(SquaredExponentialKernel([0.3]), noise=0.01)
    gaps, deviations = [], []
    for own in (error, error * times):
        errors = np.full(20, 0.1)
        errors[row] = own
        model.replace(x, np.where(np.arange(20) == row, y + 1.0, y), errors)
        mean, deviation = model.predict(x[row : row + 1])
        model.replace(x, y, errors)
        gaps.append(mean[0] - model.predict(x[row : row + 1])[0][0])
        deviations.append(deviation[0])
    assert gaps[0] > gaps[1] > 0, "one unit more there moves the mean there"
    assert deviations[0] < deviations[1]


def test_an_outcome_far_off_is_doubted_unless_it_is_told_to_be_inaccurate() -> None:
    x = np.linspace(0, 1, 20)[:, None]
    y = np.sin(6 * x[:, 0]) + 0.05 * np.random.default_rng(1).standard_normal(20)
    y[7] += 8.0
    assert fitted(x, y).doubted == [7]
    assert fitted(x, y, np.where(np.arange(20) == 7, 5.0, 0.0)).doubted == []


def test_errors_that_are_not_stated_change_no_bit() -> None:
    x, y, _ = told(16)
    plain, zero = fitted(x, y, seed=3), fitted(x, y, np.zeros(16), seed=3)
    assert plain.hyperparameters == zero.hyperparameters
    np.testing.assert_array_equal(np.array(plain.predict(x)), np.array(zero.predict(x)))


def test_a_corrected_error_counts_at_once() -> None:
    x, y, errors = told(16)
    model = fitted(x, y, errors)
    replace_outcomes(model, x, y, errors * 0.5)
    np.testing.assert_allclose(np.array(model.predict([[0.4]])), by_hand(model, [0.4]), rtol=1e-7)


@pytest.mark.parametrize("errors", [[-1.0, 0.0], [np.nan, 0.0], [1.0], "much"])
def test_errors_that_cannot_be_are_refused_by_name(errors: Any) -> None:
    model = GPRegression(SquaredExponentialKernel([0.3]))
    with pytest.raises(InvalidOutcome, match="sem"):
        model.extend([[0.1], [0.2]], [1.0, 2.0], errors)
