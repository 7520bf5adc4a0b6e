"""The covariance of what observations are off by."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.causal.discrepancy import Discrepancy
from steerbo.gp import Matern52
from tests.gp.examples import differences

RANDOM = np.random.default_rng(0)
POINTS = np.column_stack([RANDOM.random((6, 2)), [0.3, 0.0, 0.3, 0.0, 0.3, 0.3]])
KERNEL = Discrepancy(Matern52([0.3, 0.5], variance=1.7), 2)


def test_it_is_the_product_of_both_marks_and_the_kernel() -> None:
    s = POINTS[:, 2]
    expected = np.outer(s, s) * KERNEL.kernel(POINTS, POINTS)
    np.testing.assert_allclose(KERNEL(POINTS, POINTS), expected, atol=1e-15)
    np.testing.assert_allclose(KERNEL.diagonal(POINTS), np.diagonal(expected), atol=1e-15)
    np.testing.assert_allclose(KERNEL.linearise(POINTS)[0], expected, atol=1e-15)


def test_points_without_a_mark_are_plays() -> None:
    assert not KERNEL(POINTS[:, :2], POINTS).any()
    assert not KERNEL(POINTS, POINTS[:, :2]).any()
    assert not KERNEL.diagonal(POINTS[:, :2]).any()
    assert KERNEL.linearise(POINTS[:, :2])[1](np.ones((6, 6))).tolist() == [0.0, 0.0, 0.0]
    assert KERNEL.input_gradient(POINTS[:, :2], POINTS, np.ones((6, 6))).shape == (6, 2)


def test_gradients_are_those_of_finite_differences() -> None:
    W = RANDOM.standard_normal((6, 6))
    W = W + W.T
    theta = np.array([p.value for p in KERNEL.parameters])
    slopes = differences(lambda t: float((W * KERNEL.with_theta(t)(POINTS, POINTS)).sum()), theta)
    np.testing.assert_allclose(KERNEL.linearise(POINTS)[1](W), slopes, rtol=1e-5)
    others = np.column_stack([RANDOM.random((4, 2)), [0.3, 0.0, 0.3, 0.3]])
    V = RANDOM.standard_normal((6, 4))
    found = KERNEL.input_gradient(POINTS, others, V)
    for i in range(6):
        moved = lambda x, i=i: float(V[i] @ KERNEL(np.append(x, POINTS[i, 2])[None], others)[0])  # noqa: E731
        assert found[i, :2] == pytest.approx(differences(moved, POINTS[i, :2]), abs=1e-6)
