"""Functions drawn from the posterior: their moments, and their structured expectations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.gp import GPRegression, Matern32, SquaredExponentialKernel
from steerbo.space import Variable
from steerbo.surrogate import (
    Controlled,
    Expectation,
    Observed,
    Part,
    PosteriorSample,
    ProductKernelPosterior,
    Rows,
    Uncontrolled,
)
from steerbo.surrogate import _thompson as sample_module
from steerbo.surrogate._parts import gauss_rule
from tests.surrogate.examples import a_process, parts, posterior

VARIABLES: list[Variable] = [
    sb.Float("held", 0, 1, law=sb.Uniform()),
    sb.Float("left", 0, 1, law=sb.TruncatedNormal(0.5, 0.2)),
    sb.Categorical("line", ["a", "b", "c"], law=sb.space.Discrete({"a": 0.2, "b": 0.7, "c": 0.1})),
]
CATEGORIES = [0, 0, 3]
NOISE = 0.01


def draw(seed: int) -> tuple[Any, PosteriorSample]:
    process = a_process(VARIABLES)
    gram = np.linalg.inv(process.inverse)
    targets = gram @ process.weights  # α = A (y − m)
    sample = PosteriorSample.draw(process, targets, NOISE, CATEGORIES, np.random.default_rng(seed))
    return process, sample


def test_moments_of_draws_are_the_posteriors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mean and variance at three points over 400 draws, within 4.5 standard errors: a false alarm in 10⁴ runs of
    the test.

    A finite number of features is allowed 5 % of the prior variance on top; there are four times as many as usual, as
    the error falls with their square root.
    """
    monkeypatch.setattr(sample_module, "FEATURES", 4096)
    points = np.array([[0.2, 0.5, 1.0], [0.6, 0.1, 0.0], [0.95, 0.9, 2.0]])
    process, _ = draw(0)
    drawn = np.array([process.mean + draw(seed)[1](points) for seed in range(400)])
    mean, variance = posterior(process, points)
    error = np.sqrt(variance / 400)
    assert (np.abs(drawn.mean(0) - mean) < 4.5 * error).all()
    spread = variance * np.sqrt(2 / 399)
    assert (np.abs(drawn.var(0, ddof=1) - variance) < 4.5 * spread + 0.05 * process.variance).all()


def test_expectations_of_a_draw_against_brute_force() -> None:
    """Over a fine product grid of nature's quantiles: the draw is smooth, so 60 × 3 nodes are enough."""
    _, sample = draw(3)
    rules = [gauss_rule(v, 0.02) for v in VARIABLES]
    average = sample.average(parts(VARIABLES, [0]))
    held = np.array([[0.3], [0.85]])
    for x, got in zip(held[:, 0], average.values(held), strict=True):
        left, line = np.meshgrid(rules[1][0], rules[2][0], indexing="ij")
        weights = np.outer(rules[1][1], rules[2][1]).ravel()
        points = np.column_stack([np.full(left.size, x), left.ravel(), line.ravel()])
        assert got == pytest.approx(float(weights @ sample(points)), abs=1e-6)


def test_expectations_of_a_draw_at_what_is_known_and_over_rows_of_data() -> None:
    _, sample = draw(6)
    rows = Rows(np.array([[0.2, 0.0], [0.7, 2.0], [0.9, 1.0]]), np.array([0.5, 0.2, 0.3]))
    held = np.array([[0.3], [0.85]])
    for x, got in zip(
        held[:, 0],
        sample.average([Controlled(), Uncontrolled(rows, 0), Uncontrolled(rows, 1)]).values(held),
        strict=True,
    ):
        points = np.column_stack([np.full(3, x), rows.points])
        assert got == pytest.approx(float(rows.weights @ sample(points)), rel=1e-9, abs=1e-9)
    both = sample.average([Controlled(), Observed(0.4), Uncontrolled(rows, 1)]).values(held)
    for x, got in zip(held[:, 0], both, strict=True):
        points = np.column_stack([np.full(3, x), np.full(3, 0.4), rows.points[:, 1]])
        assert got == pytest.approx(float(rows.weights @ sample(points)), rel=1e-9, abs=1e-9)


def test_derivatives_against_finite_differences() -> None:
    _, sample = draw(4)
    average = sample.average(parts(VARIABLES, [0, 1]))
    points = np.random.default_rng(0).random((4, 2))
    value, gradient, hessian = average.curved(points)
    np.testing.assert_allclose(value, average.values(points), rtol=1e-12)
    for j in range(2):
        step = np.zeros(2)
        step[j] = 1e-6
        difference = (average.values(points + step) - average.values(points - step)) / 2e-6
        np.testing.assert_allclose(gradient[:, j], difference, rtol=1e-5, atol=1e-6)
        bend = (average.curved(points + step)[1] - average.curved(points - step)[1]) / 2e-6
        np.testing.assert_allclose(hessian[:, j], bend, rtol=1e-5, atol=1e-5)


def test_a_draw_is_near_the_posterior_mean_at_the_data() -> None:
    """Within 6 posterior standard deviations at each of 30 points: a false alarm in 10⁷."""
    process, sample = draw(5)
    mean, variance = posterior(process, process.inputs)
    gap = process.mean + sample(process.inputs) - mean
    assert np.abs(gap / np.sqrt(variance)).max() < 6


def test_moments_of_draws_of_a_function_that_drifts_are_the_posteriors_now() -> None:
    """As above; two outcomes are of one time, and there is one that is yet to come."""
    model = GPRegression(SquaredExponentialKernel([0.5, 0.7]) * Matern32([2.0], dimensions=[2], learn_variance=False))
    random = np.random.default_rng(3)
    X = np.column_stack([random.random((12, 2)), [0, 0, 1, 1.5, 2, 3, 4, 4.5, 5, 5.5, 6, 9]])
    model.replace(X, np.sin(4 * X[:, 0] + X[:, 2]))
    process = ProductKernelPosterior.of(model, np.zeros((0, 3)))
    targets = model.outcomes - process.mean
    at: list[Part] = [Controlled(), Controlled(), Observed(6.5)]
    points = np.array([[0.2, 0.5], [0.6, 0.1], [0.95, 0.9]])
    draws = [
        PosteriorSample.draw(process, targets, model.noise, [0, 0, 0], np.random.default_rng(seed), at=at)
        for seed in range(400)
    ]
    drawn = np.array([process.mean + sample.average(at).values(points) for sample in draws])
    mean, sd = Expectation.over(process, at).moments(points)
    assert (np.abs(drawn.mean(0) - mean) < 4.5 * sd / np.sqrt(400)).all()
    assert (np.abs(drawn.var(0, ddof=1) - sd**2) < 4.5 * sd**2 * np.sqrt(2 / 399) + 0.05 * process.variance).all()
