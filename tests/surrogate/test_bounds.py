"""Bounds of several sets at once."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from steerbo.space import Variable
from steerbo.surrogate import Expectation
from steerbo.surrogate._batched_expectation import BatchedBounds
from tests.surrogate.examples import a_process, parts


@pytest.mark.parametrize("beta", [2.0, -1.0])
def test_sets_stacked_are_what_they_are_alone(beta: float) -> None:
    variables: list[Variable] = [sb.Float(f"x{d}", 0, 1, law=sb.TruncatedNormal(0.5, 0.2)) for d in range(4)]
    process = a_process(variables)
    expectations = [Expectation.over(process, parts(variables, held)) for held in ([0, 1], [1, 3], [0, 2])]
    stack = BatchedBounds(expectations, beta)
    points, which = np.random.default_rng(3).random((7, 2)), np.array([0, 0, 0, 0, 2, 2, 2])  # set 1 rests
    value, gradient, hessian = stack.curved(points, which)
    for r, k in enumerate(which):
        plain, slope = expectations[k].bound(points[r : r + 1], beta)
        np.testing.assert_allclose(value[r], plain[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(gradient[r], slope[0], rtol=1e-9, atol=1e-11)
        alone = BatchedBounds([expectations[k]], beta).curved(points[r : r + 1], np.zeros(1, dtype=int))
        np.testing.assert_allclose(hessian[r], alone[2][0], rtol=1e-9, atol=1e-9)
    screened = stack.screened(np.broadcast_to(points, (3, 7, 2)))
    np.testing.assert_allclose(screened[which, range(7)], value, rtol=1e-9)
    everywhere = stack.everywhere(np.broadcast_to(points, (3, 7, 2)), np.arange(3) == 1)
    np.testing.assert_allclose(everywhere, screened[[1]], rtol=1e-12, atol=1e-12)
