"""The kernel of data from several sources, and posteriors of what is here given such data."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import AnovaKernel, GPRegression, SourcesKernel
from steerbo.surrogate import Controlled, Expectation, ProductKernelPosterior

KERNEL = SourcesKernel(AnovaKernel([0.4, 0.7]), 2, (0.8, 0.3), (2.0, 0.5))
RANDOM = np.random.default_rng(0)
POINTS = np.column_stack([RANDOM.random((9, 2)), [0, 0, 0, 1, 1, 1, 2, 2, 2]])


def test_it_is_the_covariance_of_functions_with_one_in_common() -> None:
    """Of `b_s + ρ_s f + √(1 − ρ_s²) g_s`, written down by hand."""
    inner = KERNEL.inner(POINTS, POINTS)
    to_here, offsets, s = np.array([1.0, 0.8, 0.3]), np.array([0.0, 2.0, 0.5]), POINTS[:, 2].astype(int)
    in_common = np.outer(to_here[s], to_here[s]) * inner
    own = np.where(s[:, None] == s, (1 - to_here[s] ** 2)[:, None] * inner + offsets[s][:, None], 0.0)
    assert np.allclose(KERNEL(POINTS, POINTS), in_common + own)
    assert np.allclose(KERNEL.diagonal(POINTS), np.diag(in_common + own))
    assert np.allclose(KERNEL(POINTS[:, :2], POINTS), KERNEL(POINTS * [1, 1, 0], POINTS)), "points without it are here"


def test_its_pull_back_is_the_difference_of_covariances() -> None:
    W, theta, step = RANDOM.standard_normal((9, 9)), np.array([p.value for p in KERNEL.parameters]), 1e-6
    gram, pull = KERNEL.linearise(POINTS)
    assert np.allclose(gram, KERNEL(POINTS, POINTS))
    for i, slope in enumerate(pull(W)):
        ends = [
            (W * KERNEL.with_theta(theta + side * step * np.eye(len(theta))[i])(POINTS, POINTS)).sum()
            for side in (1, -1)
        ]
        assert slope == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-5)


def model(outcomes: np.ndarray, points: np.ndarray = POINTS) -> GPRegression[SourcesKernel]:
    found = GPRegression(KERNEL, noise=0.01, seed=0)
    found.replace(points, outcomes)
    return found


def test_the_expected_value_of_a_scope_is_that_of_here() -> None:
    """By the product of columns, and by the regression itself; with a pending point, and of many rows."""
    points = np.column_stack([RANDOM.random((180, 2)), np.arange(180) % 3])
    for rows in (POINTS, points):
        regression, pending = model(np.sin(5 * rows[:, 0]) + rows[:, 2], rows), np.array([[0.5, 0.5]])
        some = RANDOM.random((4, 2))
        posterior = ProductKernelPosterior.of(regression, pending)
        mean, deviation = Expectation.over(posterior, [Controlled(), Controlled()]).moments(some)
        with regression.with_fantasies(pending):
            expected, variance = regression.marginals(some)
        assert np.allclose(mean, expected)
        assert np.allclose(deviation, np.sqrt(variance))
        coarse = posterior.coarse
        again = GPRegression(KERNEL, noise=0.01)
        again.replace(rows[posterior.some[posterior.some < len(rows)]], np.zeros(sum(posterior.some < len(rows))))
        with again.with_fantasies(pending if len(rows) in posterior.some else np.empty((0, 2))):
            _, variance = again.marginals(some)
        rough = Expectation.over(coarse, [Controlled(), Controlled()]).moments(some)[1]
        assert np.allclose(rough, np.sqrt(variance)), "fewer rows, the same covariances"


def test_units_are_those_of_here_however_far_another_source_is() -> None:
    regression = model(np.where(POINTS[:, 2] > 0, 1000.0, 0.0) + POINTS[:, 0])
    found = regression.likeliest()
    assert abs(found.output.offset) < 2.0
    assert found.output.scale < 2.0
    assert not found.doubted
