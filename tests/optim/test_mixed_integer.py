"""Integer programmes over boxes: against all points of small ones."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.optim._polytope import MixedIntegerProgram
from tests.sizes import examples

AXES = [np.arange(4) / 3, np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.1, 1.0])]  # even, a category, uneven


@settings(deadline=None, max_examples=examples(40))
@given(st.integers(0, 10**6))
def test_the_largest_value_is_that_of_all_points(seed: int) -> None:
    random = np.random.default_rng(seed)
    W, b = random.normal(size=(2, 3)), random.normal(size=2) * 0.5
    forbidden = [{1: [0.0, 1.0], 0: [1.0]}, {1: [2.0]}]
    programme = MixedIntegerProgram(np.zeros(3), np.array([1.0, 2.0, 1.0]), AXES, W, b, forbidden)
    aim = random.normal(size=3)
    grid = np.array(list(product(*AXES)))
    kept = (grid @ W.T <= b + 1e-9).all(1) & (grid[:, 1] != 2) & ~((grid[:, 1] <= 1) & (grid[:, 0] == 1))
    found = programme.solve(aim)
    assert (found is None) == (not kept.any())
    if found is not None:
        assert any((found == row).all() for row in grid[kept])
        assert abs(aim @ found - (grid[kept] @ aim).max()) < 1e-9


def test_numbers_go_to_the_ends_of_what_is_left_of_them() -> None:
    programme = MixedIntegerProgram(np.zeros(2), np.ones(2), [None, None], np.array([[1.0, 1.0]]), np.array([0.5]))
    found = programme.solve(np.array([2.0, 1.0]))
    assert found is not None
    np.testing.assert_allclose(found, [0.5, 0.0], atol=1e-7)
    held = MixedIntegerProgram(np.zeros(2), np.ones(2), [None, AXES[0]], np.array([[1.0, 1.0]]), np.array([0.5]))
    inside = held.at(np.array([0.0, 1 / 3])).solve(np.array([1.0, 1.0]))
    assert inside is not None
    np.testing.assert_allclose(inside, [1 / 6, 1 / 3], atol=1e-7)
