from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.errors import InvalidProblem
from steerbo.optim import Box, maximise, maximise_many, sobol_points
from steerbo.optim._newton import _greedy, apart

CENTRES = np.array([[0.2, 0.9], [0.6, 0.1], [1.4, 0.5]])
BOXES = [Box([0, 0], [1, 1]), Box([0, 0.3], [1, 1]), Box([-1, 0], [1, 0.4])]


def hills(points: Any) -> Any:
    """Three functions `(3, p, 2)` to `(3, p)`, each a hill on a wavy plain."""
    away = points - CENTRES[:, None]
    return np.exp(-3 * (away**2).sum(axis=2)) + 0.1 * np.cos(9 * points).sum(axis=2)


def curved(starts: int) -> Any:
    def function(points: Any, rows: Any) -> tuple[Any, Any, Any]:
        away = points - CENTRES[rows // starts]
        hill = np.exp(-3 * (away**2).sum(axis=1))
        gradient = -6 * away * hill[:, None] - 0.9 * np.sin(9 * points)
        hessian = 36 * away[:, :, None] * away[:, None] * hill[:, None, None]
        hessian[:, range(2), range(2)] -= 6 * hill[:, None] + 8.1 * np.cos(9 * points)
        return hill + 0.1 * np.cos(9 * points).sum(axis=1), gradient, hessian

    return function


@pytest.mark.parametrize("seed", range(5))
def test_each_function_is_maximised_as_if_it_were_alone(seed: int) -> None:
    together = maximise_many(hills, curved(6), BOXES, seed, starts=6, screen=128)
    for k, (box, found) in enumerate(zip(BOXES, together, strict=True)):

        def value(points: Any, k: int = k) -> Any:
            return hills(np.broadcast_to(points, (3, *points.shape)))[k]

        alone = maximise(value, None, box, seed=99, screen=1024, starts=20)
        assert found.value == pytest.approx(alone.value, abs=1e-8)
        np.testing.assert_allclose(found.point, alone.point, atol=1e-4)
        assert (found.values[:-1] >= found.values[1:]).all()


def test_a_box_with_levels_or_of_another_dimension_is_refused() -> None:
    for wrong in (Box([0, 0], [1, 1], [None, [0, 1]]), Box([0], [1])):
        with pytest.raises(InvalidProblem, match="2 continuous coordinates"):
            maximise_many(hills, curved(6), [BOXES[0], wrong], 0)


def test_starts_lie_apart_and_are_never_the_same_twice() -> None:
    points, values = np.zeros((1, 5, 1)), np.array([[1.0, 5.0, 3.0, 4.0, 2.0]])
    np.testing.assert_array_equal(apart(points, values, 3), [[1, 3, 2]])  # all crowd: the best of the rest
    points[0, :, 0] = [0.0, 0.5, 0.52, 0.54, 1.0]
    np.testing.assert_array_equal(apart(points, values, 3), [[1, 4, 0]])


@pytest.mark.parametrize("d", [1, 2, 4])
def test_starts_among_the_highest_points_are_those_of_all_points(d: int) -> None:
    """Also where few of these lie apart, where values are the same at many points, and where others are not known."""
    random = np.random.default_rng(d)
    points = np.broadcast_to(sobol_points(256, d, 3), (24, 256, d))
    waves = np.sin(np.einsum("mpd,md->mp", points, random.normal(size=(24, d)) * np.arange(24)[:, None]))
    for values in (waves, waves + 0.1 * random.normal(size=waves.shape), waves.round(1)):
        np.testing.assert_array_equal(apart(points, values, 6), _greedy(points, values, 6)[0])
        highest = np.where(values >= np.partition(values, -48, axis=1)[:, -48, None], values, -np.inf)
        found = apart(points, highest, 6, lambda which, values=values: values[which])  # type: ignore[misc]
        np.testing.assert_array_equal(found, _greedy(points, values, 6)[0])
