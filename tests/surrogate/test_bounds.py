"""Bounds of several sets at once."""

from __future__ import annotations

import numpy as np

import steerbo as sb
from steerbo.space import Variable
from steerbo.surrogate import Expectation
from steerbo.surrogate._batched_expectation import BatchedBounds
from tests.surrogate.examples import a_process, parts


def test_sets_stacked_are_what_they_are_alone() -> None:
    variables: list[Variable] = [sb.Float(f"x{d}", 0, 1, law=sb.TruncatedNormal(0.5, 0.2)) for d in range(4)]
    process = a_process(variables)
    expectations = [Expectation.over(process, parts(variables, held)) for held in ([0, 1], [1, 3], [0, 2])]
    stack = BatchedBounds(expectations, [2.0, -1.0])
    points, which = np.random.default_rng(3).random((7, 2)), np.array([0, 0, 1, 3, 4, 5, 5])  # set 1 with β = 2 rests
    value, gradient, hessian = stack.curved(points, which)
    for r, k in enumerate(which):
        plain, slope = expectations[k // 2].bound(points[r : r + 1], [2.0, -1.0][k % 2])
        np.testing.assert_allclose(value[r], plain[0], rtol=1e-12)
        np.testing.assert_allclose(gradient[r], slope[0], rtol=1e-9, atol=1e-11)
        alone = BatchedBounds([expectations[k // 2]], [[2.0, -1.0][k % 2]]).curved(
            points[r : r + 1], np.zeros(1, dtype=int)
        )
        np.testing.assert_allclose(hessian[r], alone[2][0], rtol=1e-9, atol=1e-9)
    screened = stack.screened(np.broadcast_to(points, (6, 7, 2)))
    np.testing.assert_allclose(screened[which, range(7)], value, rtol=1e-9)
    everywhere = stack.everywhere(np.broadcast_to(points, (6, 7, 2)), np.arange(6) == 3)
    np.testing.assert_allclose(everywhere, screened[[3]], rtol=1e-12)
