"""Regions of which only what is likely enough is allowed."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import ModelFailure
from steerbo.optim import Box, FeasibleRegion, maximise, maximise_constrained, may_reach, sobol_in_box
from steerbo.optim._polytope import Polytope


def disc(radius: float) -> FeasibleRegion:
    """Within a sum of at most 1.2, and not far from the middle."""
    region = Polytope(Box([0, 0], [1, 1]), np.array([[1.0, 1.0]]), np.array([1.2]))
    return FeasibleRegion(region, lambda points: radius**2 - ((points - 0.5) ** 2).sum(1))


def right(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Larger to the right."""
    return points[:, 0], np.tile([1.0, 0.0], (len(points), 1))


def test_the_largest_value_that_is_allowed_is_found() -> None:
    found = maximise(lambda points: points[:, 0], right, disc(0.3), seed=0)
    assert disc(0.3).allows(found.points).all()
    np.testing.assert_allclose(found.point, [0.8, 0.4], atol=0.02)  # where the sum cuts the disc
    assert found.point[0] > 0.78


def test_climbing_ends_where_it_is_still_allowed() -> None:
    ends, values = maximise_constrained(right, np.array([[0.5, 0.5], [0.55, 0.45]]), disc(0.1))
    assert disc(0.1).allows(ends).all()
    np.testing.assert_allclose(values, 0.6, atol=5e-3)


def test_where_nothing_is_likely_enough_it_is_the_likeliest_without_a_value() -> None:
    none = FeasibleRegion(Box([0, 0], [1, 1]), lambda points: -0.5 - ((points - 0.3) ** 2).sum(1))
    found = maximise(lambda points: points[:, 0], right, none, seed=0)
    assert not found.likely
    assert found.margin == pytest.approx(-0.5, abs=1e-3)
    assert found.rank < maximise(lambda points: -1e12 + points[:, 0], right, disc(0.3), seed=0).rank
    np.testing.assert_allclose(found.point, [0.3, 0.3], atol=0.02)


def test_whole_numbers_are_all_tried() -> None:
    box = Box([0, 0], [3, 3], [np.arange(4.0), np.arange(4.0)])
    found = maximise(lambda p: p.sum(1), None, FeasibleRegion(box, lambda p: 4.0 - p[:, 0] * p[:, 1]), seed=0)
    assert found.point.tolist() in ([3.0, 1.0], [1.0, 3.0], [2.0, 2.0])
    assert found.value == 4.0
    nowhere = maximise(lambda p: p.sum(1), None, FeasibleRegion(box, lambda p: -1.0 - p[:, 0]), seed=0)
    assert nowhere.point[0] == 0.0


@pytest.mark.parametrize("dimension", [3, 7])
def test_so_little_that_no_screened_point_hits_it_is_searched_all_the_same(dimension: int) -> None:
    middle, radius = np.linspace(0.2, 0.8, dimension), 0.04
    little = FeasibleRegion(Box([0] * dimension, [1] * dimension), lambda p: radius**2 - ((p - middle) ** 2).sum(1))
    best = middle[0] + radius
    found = maximise(lambda p: p[:, 0], None, little, seed=0)
    assert little.allows(found.points).all()
    assert best - 0.2 * radius <= found.value <= best
    assert maximise(lambda p: p[:, 0], None, little, seed=0, starts=1).value == pytest.approx(found.value, abs=1e-5)


def two_islands(known: np.ndarray | None) -> FeasibleRegion:
    """A large one to the left, and one to the right that no Sobol point hits."""

    def margin(points: np.ndarray) -> np.ndarray:
        return np.maximum(0.2 - np.abs(points - 0.2).max(1), 0.001 - np.abs(points - [0.9, 0.37]).max(1))

    return FeasibleRegion(Box([0, 0], [1, 1]), margin, known)


def test_islands_around_what_is_known_are_searched_however_small() -> None:
    played = np.array([[0.5, 0.5], [0.9, 0.37], [0.1, 0.1]])
    found = maximise(lambda p: p[:, 0], None, two_islands(played), seed=0)
    assert 0.9 <= found.value <= 0.901
    assert two_islands(played).allows(found.points).all()
    assert maximise(lambda p: p[:, 0], None, two_islands(None), seed=0).value <= 0.4


@pytest.mark.parametrize("unordered", [False, True])
def test_no_point_around_an_island_lies_between_two_levels(unordered: bool) -> None:
    """The answer was a mean between two whole numbers, of settings that were then rounded to one of them."""
    played = np.array([[0.123, 2.0]])

    def margin(points: np.ndarray) -> np.ndarray:
        return np.minimum(0.001 - np.abs(points[:, 0] - 0.123), 0.06 - 0.1 * np.abs(points[:, 1] - 2.0))

    region = FeasibleRegion(Box([0, 0], [1, 5], [None, range(6)], [False, unordered]), margin, played)
    found = maximise(lambda p: np.abs(p[:, 1] - 2.0), None, region, seed=0)
    assert set(found.points[:, 1]) == {2.0}
    ends = region.last_allowed(np.repeat(played, 6, axis=0), np.column_stack([np.full(6, 0.123), np.arange(6.0)]))
    assert ends[:, 1].tolist() == [2.0] * 6


def test_where_only_what_is_known_is_allowed_it_is_found() -> None:
    def margin(points: np.ndarray) -> np.ndarray:
        return np.where(np.abs(points - 0.77).max(1) < 1e-4, 1.0, -1.0)  # no slope leads there

    found = maximise(
        lambda p: p[:, 0], None, FeasibleRegion(Box([0] * 4, [1] * 4), margin, np.full((1, 4), 0.77)), seed=0
    )
    assert found.value >= 0.77


def test_no_point_is_judged_twice_where_none_is_allowed() -> None:
    """To judge a point takes far longer than all else, and a limit out of reach is the usual case of many sets."""
    judged: list[bytes] = []

    def margin(points: np.ndarray) -> np.ndarray:
        judged.extend(point.tobytes() for point in points)
        return np.asarray(-1.0 - (points**2).sum(axis=1))

    def gradients(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return -1.0 - (points**2).sum(axis=1)[:, None], -2.0 * points[:, None]

    region = FeasibleRegion(Box([-1.0, -1.0], [1.0, 1.0]), margin, gradients=gradients)
    found = maximise(lambda points: points[:, 0], None, region, 0, screen=64, starts=4)
    assert np.abs(found.point).max() < 1e-3, "the likeliest is the answer"
    assert not found.likely
    assert len(judged) == len(set(judged)) >= 64


@pytest.mark.parametrize("room", [-1e-4, 1e-4])
def test_a_region_that_no_point_hits_is_reached_by_a_climb_unless_it_is_empty(room: float) -> None:
    region = FeasibleRegion(Box([0, 0], [1, 1]), lambda points: room - ((points - [0.9, 0.37]) ** 2).sum(1))
    points = sobol_in_box(region, 64, seed=0)
    assert not region.allows(points).any()
    assert may_reach(region, points) == (room > 0.0)


def test_a_climb_to_what_is_allowed_ends_as_soon_as_that_is_known() -> None:
    """It is given up where straight slopes lead nowhere near, and goes on where they do."""
    climbed = list[float]()

    def region(top: float) -> FeasibleRegion:
        def gradients(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            climbed.extend(points[:, 0])
            margins = top - (points - 0.5) ** 2
            return margins, (-2.0 * (points - 0.5))[:, None]

        return FeasibleRegion(Box([0.0], [1.0]), lambda points: top - ((points - 0.5) ** 2).sum(1), gradients=gradients)

    beside = np.array([[0.2]])
    assert not may_reach(region(-9.0), beside)
    assert climbed == [0.2]
    climbed.clear()
    assert may_reach(region(0.01), beside)
    assert len(climbed) > 1


def test_a_region_may_be_reached_at_what_is_known_or_by_levels_that_no_climb_exchanges() -> None:
    def margin(points: np.ndarray) -> np.ndarray:
        return np.where(np.abs(points - 0.77).max(1) < 1e-4, 1.0, -1.0)  # no slope leads there

    box, far = Box([0, 0], [1, 1]), np.array([[0.1, 0.1]])
    assert may_reach(FeasibleRegion(box, margin, np.full((1, 2), 0.77)), far)
    assert not may_reach(FeasibleRegion(box, margin), far)
    assert may_reach(FeasibleRegion(Box([0.0, 0.0], [1.0, 9.0], [None, range(10)]), margin), far)


def test_points_that_are_roughly_far_outside_are_not_judged() -> None:
    """Rough margins are off by up to the slack: what is allowed is what the margins themselves allow."""
    judged = list[float]()

    def margin(points: np.ndarray) -> np.ndarray:
        judged.extend(points[:, 0])
        return np.asarray(0.5 - points[:, 0])

    def roughly(points: np.ndarray) -> np.ndarray:
        return np.asarray(0.5 - points[:, 0] + 0.09 * np.sin(99.0 * points[:, 0]))

    region = FeasibleRegion(Box([0.0], [1.0]), margin, roughly=roughly, slack=0.1)
    points = np.linspace(0.0, 1.0, 201)[:, None]
    np.testing.assert_array_equal(region.allows(points), points[:, 0] <= 0.5)
    assert max(judged) < 0.7
    found = maximise(lambda points: points[:, 0], None, region, 0)
    assert found.value == pytest.approx(0.5, abs=1e-4)


def test_ways_back_end_at_the_last_point_that_is_allowed() -> None:
    region = FeasibleRegion(Box([0.0, 0.0], [1.0, 1.0]), lambda points: 0.55 - points[:, 0])
    starts, ends = np.array([[0.0, 0.0], [0.5, 0.5]]), np.array([[1.0, 1.0], [0.2, 1.0]])
    np.testing.assert_allclose(region.last_allowed(starts, ends), [[8 / 15, 8 / 15], [0.2, 1.0]])


def test_a_listed_box_without_a_finite_value_where_it_is_allowed_is_a_model_failure() -> None:
    """Ended a study: one category keeps a limit, and the search for another one found no point at all."""
    region = FeasibleRegion(Box([0.0], [2.0], [range(3)]), lambda points: 0.5 - points[:, 0])
    with pytest.raises(ModelFailure, match="not a finite number"):
        maximise(lambda points: np.where(points[:, 0] == 0.0, -np.inf, 1.0), None, region, 0)


def test_one_climb_begins_on_an_island_that_is_known() -> None:
    """Of 40 such searches 33 ended on the larger, lower island."""
    low, high = np.array([0.3, 0.2]), np.array([[0.8, 0.7]])

    def margin(points: np.ndarray) -> np.ndarray:
        return np.maximum(0.04 - ((points - low) ** 2).sum(1), 4e-4 - ((points - high) ** 2).sum(1))

    def rise(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return -((points - high) ** 2).sum(1), -2 * (points - high)

    region = FeasibleRegion(Box([0, 0], [1, 1]), margin, high)
    found = maximise(lambda points: rise(points)[0], rise, region, 0, screen=128, starts=1)
    np.testing.assert_allclose(found.point, high[0], atol=1e-6)


def test_a_point_that_is_known_to_be_allowed_stays_so_among_many() -> None:
    """Ended a study: a rough margin was off by more than its slack at the only points that were allowed."""

    def margin(points: np.ndarray) -> np.ndarray:
        return np.asarray(1e-3 - abs(points[:, 0] - 0.44170227))

    region = FeasibleRegion(Box([0.0], [1.0]), margin, roughly=lambda points: margin(points) - 0.5, slack=0.3)
    best = np.array([[0.44170227]])
    assert region.allows(best)[0]
    assert region.allows(np.vstack([np.linspace(0.0, 1.0, 50)[:, None], best]))[-1]
    found = maximise(lambda points: points[:, 0], None, region, 0, starts=1)
    assert found.value == pytest.approx(0.4427, abs=2e-3)
