from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import InvalidProblem
from steerbo.optim import Box, sobol_in_box, sobol_points
from steerbo.optim._domain import KEPT_DIMENSIONS, KEPT_POWER, _digits

from .sobol_file import digits_of_scipy


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 100, 512])
@pytest.mark.parametrize("d", [0, 1, 5])
def test_any_number_of_points_repeats_and_stays_inside(n: int, d: int) -> None:
    points = sobol_points(n, d, seed=3)
    assert points.shape == (n, d)
    assert ((points >= 0) & (points < 1)).all()
    np.testing.assert_array_equal(points, sobol_points(n, d, seed=3))


def test_seeds_differ_and_the_largest_is_fine() -> None:
    assert not np.array_equal(sobol_points(8, 2, 0), sobol_points(8, 2, 1))
    assert sobol_points(8, 2, 2**64 - 1).shape == (8, 2)


def test_points_are_spread_more_evenly_than_chance() -> None:
    cells = np.unique(np.floor(sobol_points(256, 2, 0) * 16), axis=0)
    assert len(cells) == 256  # one in each of 16 × 16 cells; independent points would fill some 162


def test_levels_are_met_equally_often() -> None:
    points = sobol_in_box(Box([0, 0], [1, 3], [None, range(4)]), 64, 0)
    np.testing.assert_array_equal(np.unique(points[:, 1], return_counts=True)[1], [16] * 4)


def test_too_many_dimensions_are_refused() -> None:
    with pytest.raises(InvalidProblem, match="dimension"):
        sobol_points(2, 30_000, 0)


@pytest.mark.parametrize("d", range(1, KEPT_DIMENSIONS + 2))
def test_digits_are_those_of_scipy(d: int) -> None:
    for power in (0, 1, 6, KEPT_POWER):
        np.testing.assert_array_equal(_digits(power, d), digits_of_scipy(power, d))


def test_more_points_than_are_kept_are_those_of_scipy() -> None:
    power = KEPT_POWER + 1
    np.testing.assert_array_equal(_digits(power, 3), digits_of_scipy(power, 3))
