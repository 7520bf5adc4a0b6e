"""Boxes within limits: what is inside, and points spread over it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.optim import Box, kronecker, maximise, sobol_points
from steerbo.optim._polytope import Polytope
from tests.sizes import examples, size

from .problems import drawn


@settings(deadline=None, max_examples=examples(25))
@given(st.integers(0, 10**6))
def test_points_are_inside_and_depend_on_nothing_but_their_numbers(seed: int) -> None:
    region = drawn(seed)
    unit = np.random.default_rng(seed).random((200, 4))
    points = region.place(unit)
    assert region.allows(points).all()
    assert (region.linear(points) @ region.weights.T <= region.bounds + 1e-12).all()
    assert (np.isin(points[:, 3], [0.0, 1.0])).all()
    np.testing.assert_array_equal(points, region.place(unit))
    np.testing.assert_allclose(region.snap(points), points)


def test_points_that_the_box_places_inside_stay_there_and_the_others_are_spread() -> None:
    region = Polytope(Box([0, 0], [1, 1]), np.array([[1.0, 1.0]]), np.array([0.5]))
    unit = np.random.default_rng(0).random((4000, 2))
    points, inside = region.place(unit), unit.sum(1) <= 0.5
    np.testing.assert_array_equal(points[inside], unit[inside])
    small, beside = (points < 0.25).all(1), (points[:, 0] > 0.25) & (points[:, 1] < 0.25)
    np.testing.assert_allclose([small.mean(), beside.mean()], [0.5, 0.25], atol=0.05)


def test_what_is_exact_is_kept_exactly() -> None:
    mixture = Polytope(Box([0] * 3, [1] * 3), np.array([[1.0, 1, 1], [-1, -1, -1]]), np.array([1.0, -1]))
    points = mixture.place(np.random.default_rng(0).random((300, 3)))
    np.testing.assert_allclose(points.sum(1), 1.0, atol=1e-14)
    assert (points.std(axis=0) > 0.15).all()


@settings(deadline=None, max_examples=examples(25))
@given(st.integers(0, 10_000))
def test_points_beside_an_exact_sum_are_approached_within_it(seed: int) -> None:
    """A climb ends beside it by its tolerance, which a study takes for a broken limit."""
    random = np.random.default_rng(seed)
    region = Polytope(Box(np.zeros(5), np.ones(5)), np.array([np.ones(5), -np.ones(5)]), np.array([1.0, -1.0]))
    beside = random.dirichlet(np.full(5, 0.3), 8) + random.normal(0.0, 1e-8, (8, 5))
    reached = region.nearer(np.clip(beside, 0.0, 1.0), region.middles[0])
    assert np.abs(reached.sum(axis=1) - 1.0).max() < 1e-13
    assert np.abs(reached - beside).max() < 1e-6


def test_whole_numbers_with_an_exact_sum_are_all_found() -> None:
    five = np.arange(6) / 5
    region = Polytope(Box([0, 0], [1, 1], [five, five]), np.array([[1.0, 1], [-1, -1]]), np.array([1.0, -1]))
    assert len(np.unique(region.place(np.random.default_rng(0).random((200, 2))), axis=0)) == 6
    assert len(region.grid()) == 6


def test_a_single_point_that_is_left_is_found() -> None:
    region = Polytope(Box([0, 0], [1, 1]), np.array([[1.0, 1], [-1, 0], [0, -1]]), np.array([1.0, -0.5, -0.5]))
    assert region.allows(np.array([[0.5, 0.5]]))[0]
    np.testing.assert_allclose(region.place(np.array([[0.9, 0.9]])), [[0.5, 0.5]], atol=1e-6)


def test_nothing_left_has_no_middle() -> None:
    nothing = Polytope(Box([0, 0], [1, 1]), np.array([[1.0, 1.0]]), np.array([-0.1]))
    assert nothing.empty
    assert not len(nothing.middles)
    some = Polytope(Box([0, 0], [1, 1], [None, np.array([0.0, 0.5, 1.0])]), np.array([[1.0, 1.0]]), np.array([0.6]))
    assert not some.empty
    assert {0.0, 0.5} == {*some.middles[:, 1]}


def test_a_point_outside_comes_as_near_as_limits_let() -> None:
    region = Polytope(Box([0, 0], [1, 1]), np.array([[1.0, 1.0]]), np.array([0.5]))
    near = region.into(np.array([0.9, 0.9]))
    assert region.allows(near[None])[0]
    assert near.sum() > 0.5 - 1e-9
    np.testing.assert_array_equal(region.into(np.array([0.1, 0.2])), [0.1, 0.2])


def test_a_search_finds_the_largest_value_inside() -> None:
    """All but one of 25 narrow regions at most: of 300 four were missed, no walk beginning in the best slice.

    Of the 12 that are searched by default none is.
    """
    missed = [seed for seed in range(size(25, 12)) if not _found(seed)]
    assert len(missed) <= size(1, 0), missed


def _found(seed: int) -> bool:
    region, centre = drawn(seed), np.array([0.8, 0.2, 0.5, 0.0])

    def value(points: np.ndarray) -> np.ndarray:
        away: np.ndarray = -((points - centre)[:, :3] ** 2).sum(1)
        return away

    found = maximise(value, lambda Z: (value(Z), -2 * (Z - centre) * [1, 1, 1, 0]), region, seed)
    assert region.allows(found.points).all()
    dense = region.place(np.random.default_rng(seed).random((4000, 4)))
    return bool(found.value >= value(dense).max() - 1e-9)


def test_a_coordinate_that_is_linear_has_no_exponential_however_long_it_is() -> None:
    """In user units ranges are as long as they are: an exponential of 1e12 warned of an overflow."""
    region = Polytope(Box([0.0, 0.0], [1e12, 1.0]), np.array([[1.0, 0.0]]), np.array([5e11]), logs=np.array([0.0, 2.0]))
    points = np.array([[4e11, 0.5]])
    with np.errstate(all="raise"):
        steep, linear = region.steepness(points), region.linear(points)
    np.testing.assert_allclose(steep, [[1.0, 2.0 * np.exp(1.0) / np.expm1(2.0)]])
    np.testing.assert_allclose(linear, [[4e11, np.expm1(1.0) / np.expm1(2.0)]])


TENTHS = np.arange(11) / 10


def mixture(levels: Sequence[np.ndarray | None], *limits: tuple[Sequence[float], float]) -> Polytope:
    """Shares with sum one, within further limits: weights and what they add up to at most."""
    d = len(levels)
    rows = [(np.ones(d), 1.0), (-np.ones(d), -1.0), *limits]
    weights, bounds = np.array([w for w, _ in rows]), np.array([b for _, b in rows])
    return Polytope(Box(np.zeros(d), np.ones(d), levels), weights, bounds)


def every(region: Polytope) -> np.ndarray:
    """All points of a lattice, by trying those of the box."""
    grid = np.array([*product(*(k for k in region.levels if k is not None))])
    found: np.ndarray = grid[(grid @ region.weights.T <= region.bounds + 1e-9).all(axis=1)]
    return found


@pytest.mark.parametrize("limits", [[], [([1.0, 1.0, 0.0], 0.6), ([0.0, 1.0, -1.0], 0.2)], [([-1.0, 0.0, 0.0], -0.9)]])
def test_a_small_mixture_has_the_points_of_the_enumeration_each_as_likely(limits: Any) -> None:
    region = mixture([TENTHS] * 3, *limits)
    truth = every(region)
    np.testing.assert_allclose(region.grid(), truth, atol=1e-12)
    assert region.size == len(truth)
    unit = kronecker(100 * len(truth), 3)
    found, counts = np.unique(region.place(unit), axis=0, return_counts=True)
    assert len(found) == len(truth)
    assert counts.max() < 2.5 * counts.min(), "quasi-random points of three coordinates"


def test_points_one_by_one_are_spread_over_a_large_mixture_as_over_its_enumeration() -> None:
    """(0, 1, 0, …) was the first point of every seed: a walk began in one slice, and could not leave it."""
    twentieths = np.arange(21) / 20
    region = mixture([twentieths] * 5)
    assert region.points is None, "too many to list"
    found = np.array([region.place(unit[None])[0] for unit in sobol_points(64, 5, seed=3)])
    assert region.inside(found).all()
    assert len(np.unique(found.round(9), axis=0)) > 60
    np.testing.assert_allclose(found.mean(axis=0), 0.2, atol=0.08)  # four standard errors


def test_points_are_spread_over_a_sum_whose_ends_are_nearer_than_a_step() -> None:
    twentieths = np.arange(21) / 20
    ends = np.array([np.ones(5), -np.ones(5)]), np.array([1.01, -0.96])
    region = Polytope(Box(np.zeros(5), np.ones(5), [twentieths] * 5), *ends)
    found = np.array([region.place(unit[None])[0] for unit in sobol_points(64, 5, seed=3)])
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    assert len(np.unique(found.round(9), axis=0)) > 60


def test_levels_move_where_a_number_without_levels_makes_up_for_them() -> None:
    region = mixture([TENTHS, TENTHS, None])
    found = region.place(sobol_points(64, 3, seed=0))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-12)
    assert len(np.unique(found[:, :2].round(9), axis=0)) > 30


@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1], [2, 3, 5, 1, 4], [1, 2, 3, 4, 5]])
def test_a_search_along_a_sum_finds_one_of_the_best_of_the_enumeration(weights: list[int]) -> None:
    """Whole numbers 0 to 12: moves of different lengths, and of three at a time, keep 2a + 3b + 5c."""
    levels, total = np.arange(13) / 12, 4.0 * sum(weights)
    W = np.array([weights, [-w for w in weights]], dtype=float)
    region = Polytope(Box(np.zeros(5), np.ones(5), [levels] * 5), 12 * W, np.array([total, -total]))
    assert region.points is None
    truth = every(region)
    for seed in range(4):
        random = np.random.default_rng(seed)
        centre, shape = truth[random.integers(len(truth))], random.normal(size=(5, 5))

        def value(points: np.ndarray, centre: np.ndarray = centre, shape: np.ndarray = shape) -> np.ndarray:
            away: np.ndarray = -(((points - centre) @ shape) ** 2).sum(axis=1)
            return away

        found = maximise(value, None, region, seed)
        assert region.inside(found.points).all()
        assert (value(truth) > found.value + 1e-9).mean() < 1e-3


def test_moves_keep_two_sums_and_lead_from_levels_to_levels() -> None:
    ten = np.arange(11) / 10
    sums = np.array([[1.0, 1, 1, 1, 1, 1], [1.0, 0, 2, 0, 3, 0]])
    region = Polytope(
        Box(np.zeros(6), np.ones(6), [ten] * 6), np.concatenate([sums, -sums]), np.array([2.0, 1.5, -2.0, -1.5])
    )
    np.testing.assert_allclose(region.moves @ sums.T, 0.0, atol=1e-12)
    np.testing.assert_allclose(10 * region.moves, np.round(10 * region.moves), atol=1e-9)
    assert np.linalg.matrix_rank(region.moves) == 4
