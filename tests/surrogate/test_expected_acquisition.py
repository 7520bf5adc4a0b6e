"""Scores averaged over what is drawn, against sums written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from steerbo.gp import GPRegression, Kernel, Linear, Matern52
from steerbo.optim import Box
from steerbo.surrogate import (
    Acquisition,
    Controlled,
    ExpectedAcquisition,
    Observed,
    Part,
    Rows,
    Uncontrolled,
    expected_improvement,
    ucb,
)

PAIRS = Rows(np.array([[0.1, 0.9], [0.5, 0.4], [0.8, 0.3]]), np.array([0.5, 0.2, 0.3]))
ALONE = Rows(np.array([[0.25], [0.75]]), np.array([0.9, 0.1]))
PARTS: list[Part] = [
    Controlled(),
    Uncontrolled(PAIRS, 1),
    Observed(0.6),
    Uncontrolled(ALONE),
    Controlled(),
    Uncontrolled(PAIRS, 0),
]
SCORES: dict[str, Acquisition] = {"upper bound": ucb(4.0), "improvement": expected_improvement(0.3)}


def model() -> GPRegression[Kernel]:
    random = np.random.default_rng(0)
    X = random.random((20, 6))
    found: GPRegression[Kernel] = GPRegression(Matern52.over([False] * 6) + Linear([0, 1]), noise=0.05)
    found.replace(X, np.sin(5 * X[:, 0]) + X @ np.arange(6) / 6)
    return found


def written_out(found: GPRegression[Kernel], point: Any, score: str) -> float:
    """The sum over both laws, one row after the other."""
    total = 0.0
    for (second, first), weight in zip(PAIRS.points, PAIRS.weights, strict=True):
        for (alone,), share in zip(ALONE.points, ALONE.weights, strict=True):
            mean, variance = (
                float(m[0]) for m in found.marginals(np.array([[point[0], first, 0.6, alone, point[1], second]]))
            )
            u = (mean - 0.3) / variance**0.5
            gain = variance**0.5 * (norm.pdf(u) + u * norm.cdf(u))
            total += weight * share * (mean + 2 * variance**0.5 if score == "upper bound" else gain)
    return total


@pytest.mark.parametrize("score", SCORES)
def test_a_score_is_averaged_over_all_laws_at_what_is_known(score: str) -> None:
    found = model()
    average = ExpectedAcquisition.over(found, SCORES[score], PARTS)
    points = np.random.default_rng(1).random((4, 2))
    values, gradient = average.value_and_gradient(points)
    np.testing.assert_allclose(values, average.value(points), rtol=1e-12)
    np.testing.assert_allclose(values, [written_out(found, point, score) for point in points], rtol=1e-9)
    for j in range(2):
        step = 1e-6 * np.eye(2)[j]
        difference = (average.value(points + step) - average.value(points - step)) / 2e-6
        np.testing.assert_allclose(gradient[:, j], difference, rtol=1e-5, atol=1e-7)


def test_the_largest_average_is_found_also_where_nothing_is_set() -> None:
    average = ExpectedAcquisition.over(model(), ucb(4.0), PARTS)
    points, values = average.maximise(Box([0, 0], [1, 1]), seed=0)
    grid = Box([0, 0], [1, 1], [np.linspace(0, 1, 41)] * 2).grid()
    assert values[0] >= average.value(grid).max() - 1e-4
    assert (np.diff(values) <= 0).all()
    fixed: list[Part] = [Observed(points[0, 0]), *PARTS[1:4], Observed(points[0, 1]), PARTS[5]]
    _, (only,) = ExpectedAcquisition.over(model(), ucb(4.0), fixed).maximise(Box([], []), seed=0)
    assert only == pytest.approx(values[0], rel=1e-9)
