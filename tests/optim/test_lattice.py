"""Points spread evenly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from steerbo.optim import kronecker


@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_they_are_spread_better_than_by_chance(d: int) -> None:
    """Its centred discrepancy is below that of the best of twenty samples drawn at random with a fixed seed."""
    random = np.random.default_rng(0)
    chance = min(qmc.discrepancy(random.random((256, d))) for _ in range(20))
    assert qmc.discrepancy(kronecker(256, d)) < chance
    assert qmc.discrepancy(kronecker(256, d, seed=3)) < chance


def test_a_shift_is_a_shift() -> None:
    moved = (kronecker(50, 3, seed=1) - kronecker(50, 3)) % 1.0
    np.testing.assert_allclose(moved, np.broadcast_to(moved[0], moved.shape), atol=1e-12)
    np.testing.assert_array_equal(kronecker(50, 3, seed=1), kronecker(50, 3, seed=1))
    assert not np.array_equal(kronecker(50, 3, seed=1), kronecker(50, 3, seed=2))


def test_all_are_in_the_unit_cube_and_none_twice() -> None:
    points = kronecker(4096, 4, seed=0)
    assert points.shape == (4096, 4)
    assert ((points >= 0) & (points < 1)).all()
    assert len(np.unique(points, axis=0)) == 4096
