"""Linear iterations end at once, each has its own points, and those that are to begin anew do."""

from __future__ import annotations

import numpy as np

from steerbo.meanfield.extrapolation import Extrapolation

MATRICES = np.array(
    [[[0.99, 0.3, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, -0.7]], [[0.5, 0.0, 0.0], [0.4, 0.98, 0.0], [0, 0, 0.2]]]
)
ENDS = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
NONE = np.zeros(2, dtype=bool)


def led(points: np.ndarray) -> np.ndarray:
    """Slowly towards the ends."""
    return np.asarray(ENDS + np.einsum("rij,rj->ri", MATRICES, points - ENDS))


def test_a_linear_iteration_arrives_in_a_few_more_steps_than_it_has_coordinates() -> None:
    ahead, points = Extrapolation(), np.zeros((2, 3))
    for _ in range(7):
        points = ahead.next(points, led(points), np.ones((2, 3)), NONE)
    np.testing.assert_allclose(points, ENDS, atol=1e-6)
    plain = np.zeros((2, 3))
    for _ in range(7):
        plain = led(plain)
    assert np.abs(plain - ENDS).max(axis=1).min() > 0.5, "without it they are far away"


def test_one_iteration_does_not_touch_another() -> None:
    alone, both = Extrapolation(), Extrapolation()
    one, two = np.zeros((2, 3)), np.zeros((2, 3))
    for k in range(4):
        one = alone.next(one, led(one), np.ones((2, 3)), NONE)
        moved = np.stack([led(two)[0], np.full(3, float(k**2))])
        two = both.next(two, moved, np.ones((2, 3)), NONE)
    np.testing.assert_allclose(one[0], two[0], atol=1e-12)


def test_what_begins_anew_goes_on_from_where_it_was_led() -> None:
    ahead, points = Extrapolation(), np.zeros((2, 3))
    for _ in range(3):
        points = ahead.next(points, led(points), np.ones((2, 3)), NONE)
    points += 1.0
    found = ahead.next(points, led(points), np.ones((2, 3)), np.array([True, False]))
    np.testing.assert_allclose(found[0], led(points)[0], rtol=1e-12)
    assert np.abs(found[1] - led(points)[1]).max() > 1e-3


def test_coordinates_that_count_for_nothing_change_nothing() -> None:
    found = []
    for noise in (0.0, 100.0):
        ahead, points = Extrapolation(), np.zeros((2, 3))
        for k in range(3):
            there = led(points)
            there[:, 2] = points[:, 2] + noise * (-1.0) ** k
            points = ahead.next(points, there, np.array([[1.0, 1.0, 0.0]] * 2), NONE)
        found.append(points[1, :2])  # on which the third does not act
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
