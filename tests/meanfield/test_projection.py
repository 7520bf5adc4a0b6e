"""Projections onto bounds, and Anderson acceleration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.meanfield._region import AndersonAcceleration, DistributionBounds, _factor, _scale

JOINT = np.array([[0.75], [0.25]])


def within(**limits: Any) -> DistributionBounds:
    free: dict[str, Any] = {"least": np.zeros(4), "most": np.ones(4), "cells": None, "present": None}
    return DistributionBounds(JOINT, **{**free, "largest_move": None, **limits})


def tables(seed: int, count: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(4), size=(count, 2))


def test_possible_tables_are_left_alone() -> None:
    np.testing.assert_allclose(within().project(tables(0)), tables(0))
    here = tables(1)
    loose = within(present=tables(2)[0], largest_move=1.0, cells=np.stack([np.zeros((2, 4)), np.ones((2, 4))]))
    np.testing.assert_allclose(loose.project(here), here, atol=1e-7)


def test_what_breaks_a_limit_is_counted_at_its_worst() -> None:
    table = np.array([[[0.6, 0.4, 0.0, 0.0], [0.0, 0.0, 0.2, 0.8]]])  # .45, .3, .05 and .2 of all agents
    assert within(most=np.array([0.4, 0.2, 1, 1])).excess(table) == pytest.approx(0.1)
    assert within(least=np.array([0, 0, 0.25, 0])).excess(table) == pytest.approx(0.2)
    cells = np.stack([np.zeros((2, 4)), np.ones((2, 4))])
    cells[:, 1, 3] = 0.1, 0.5
    assert within(cells=cells).excess(table) == pytest.approx(0.3)
    stay = np.array([[0.6, 0.4, 0.0, 0.0], [0.8, 0.0, 0.2, 0.0]])
    assert within(present=stay, largest_move=0.3).excess(table) == pytest.approx(0.5)
    assert within().excess(table) <= 0.0


def test_a_crowd_of_one_context_is_scaled_down_and_the_others_share_the_rest() -> None:
    """The nearest in divergence: what is not held back keeps its proportions."""
    alone = DistributionBounds(np.array([[1.0]]), np.zeros(4), np.array([0.25, 1, 1, 1]), None, None, None)
    np.testing.assert_allclose(
        alone.project(np.array([[[0.5, 0.3, 0.1, 0.1]]])), [[[0.25, 0.45, 0.15, 0.15]]], atol=1e-6
    )
    wanted = DistributionBounds(np.array([[1.0]]), np.array([0, 0, 0.4, 0]), np.ones(4), None, None, None)
    np.testing.assert_allclose(
        wanted.project(np.array([[[0.5, 0.3, 0.1, 0.1]]])), [[[1 / 3, 0.2, 0.4, 1 / 15]]], atol=1e-6
    )


@pytest.mark.parametrize("seed", range(5))
def test_single_shares_are_cut_at_their_bounds_by_one_factor(seed: int) -> None:
    random, y = np.random.default_rng(seed), tables(seed)
    inside = tables(seed + 50, 1)[0]
    low, high = np.maximum(inside - 0.1 * random.random((2, 4)), 0), np.minimum(inside + 0.1 * random.random((2, 4)), 1)
    factor = _scale(y, low, high)
    np.testing.assert_allclose(np.clip(factor * y, low, high).sum(axis=2), 1.0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_factors_of_a_move_cut_and_lift_as_much_as_may_move(seed: int) -> None:
    y, q, move = tables(seed), tables(seed + 50, 1)[0], 0.05
    low, high = _factor(y, q, move, above=True), _factor(y, q, move, above=False)
    np.testing.assert_allclose(np.maximum(low * y - q, 0).sum(axis=2), move, atol=1e-9)
    np.testing.assert_allclose(np.maximum(q - high * y, 0).sum(axis=2), move, atol=1e-9)
    near = within(present=q, largest_move=move).project(y)
    np.testing.assert_allclose(0.5 * np.abs(near - q).sum(axis=2), move, atol=1e-6)
    np.testing.assert_allclose(near.sum(axis=2), 1.0)


def narrow() -> DistributionBounds:
    """Capacities with hardly more room than agents, single shares that are all but fixed, and short moves."""
    present = np.array([[0.3, 0.3, 0.2, 0.2], [0.1, 0.2, 0.3, 0.4]])
    most = JOINT[:, 0] @ present + np.array([0.0, 0.001, 0.0, 0.001])
    cells = np.stack([np.zeros((2, 4)), np.ones((2, 4))])
    cells[:, 0, 1] = 0.295, 0.31
    return within(most=most, cells=cells, present=present, largest_move=0.02)


def test_where_limits_meet_at_a_narrow_angle_they_are_kept_all_the_same() -> None:
    found = narrow().project(tables(3, 6))
    assert narrow().excess(found) < 1e-7
    np.testing.assert_allclose(narrow().project(found), found, atol=1e-6)


def test_many_tables_are_moved_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    together = narrow().project(tables(3, 6))
    monkeypatch.setattr("steerbo.meanfield._region._AT_ONCE", 8)
    np.testing.assert_allclose(narrow().project(tables(3, 6)), together, atol=1e-7)


def test_the_dual_says_how_near_the_nearest_are() -> None:
    here, start = narrow(), tables(3, 2)
    found = here.project(start)
    apart = (JOINT * found * np.log(found / start)).sum(axis=(1, 2))
    for count in (1, 3, 300):
        logs = np.zeros((2, 3, 2, 4))
        for _ in range(count):
            swept = here._sweep(start * JOINT, logs)
            logs = swept.logs
        assert (swept.dual <= apart + 1e-7).all()
    np.testing.assert_allclose(swept.dual, apart, rtol=0.05)


def test_where_nothing_is_possible_a_limit_is_broken_and_that_is_counted() -> None:
    here = within(most=np.array([0.2, 0.2, 0.2, 0.2]))
    assert here.excess(here.project(tables(0))) > 0.04


def test_shares_that_are_zero_stay_zero() -> None:
    table = np.array([[[0.9, 0.1, 0.0, 0.0], [0.5, 0.0, 0.5, 0.0]]])
    found = within(most=np.array([0.5, 1, 1, 1])).project(table)
    assert (found[table == 0] == 0).all()
    assert (JOINT[:, 0] @ found)[0, 0] <= 0.5 + 1e-6


MATRICES = np.array(
    [[[0.99, 0.3, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, -0.7]], [[0.5, 0.0, 0.0], [0.4, 0.98, 0.0], [0, 0, 0.2]]]
)
ENDS = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
NONE = np.zeros(2, dtype=bool)


def led(points: np.ndarray) -> np.ndarray:
    """Slowly towards the ends."""
    return np.asarray(ENDS + np.einsum("rij,rj->ri", MATRICES, points - ENDS))


def test_a_linear_iteration_arrives_in_a_few_more_steps_than_it_has_coordinates() -> None:
    ahead, points = AndersonAcceleration(), np.zeros((2, 3))
    for _ in range(7):
        points = ahead.next(points, led(points), np.ones((2, 3)), NONE)
    np.testing.assert_allclose(points, ENDS, atol=1e-6)
    plain = np.zeros((2, 3))
    for _ in range(7):
        plain = led(plain)
    assert np.abs(plain - ENDS).max(axis=1).min() > 0.5, "without it they are far away"


def test_one_iteration_does_not_touch_another() -> None:
    alone, both = AndersonAcceleration(), AndersonAcceleration()
    one, two = np.zeros((2, 3)), np.zeros((2, 3))
    for k in range(4):
        one = alone.next(one, led(one), np.ones((2, 3)), NONE)
        moved = np.stack([led(two)[0], np.full(3, float(k**2))])
        two = both.next(two, moved, np.ones((2, 3)), NONE)
    np.testing.assert_allclose(one[0], two[0], atol=1e-12)


def test_what_begins_anew_goes_on_from_where_it_was_led() -> None:
    ahead, points = AndersonAcceleration(), np.zeros((2, 3))
    for _ in range(3):
        points = ahead.next(points, led(points), np.ones((2, 3)), NONE)
    points += 1.0
    found = ahead.next(points, led(points), np.ones((2, 3)), np.array([True, False]))
    np.testing.assert_allclose(found[0], led(points)[0], rtol=1e-12)
    assert np.abs(found[1] - led(points)[1]).max() > 1e-3


def test_coordinates_that_count_for_nothing_change_nothing() -> None:
    found = []
    for noise in (0.0, 100.0):
        ahead, points = AndersonAcceleration(), np.zeros((2, 3))
        for k in range(3):
            there = led(points)
            there[:, 2] = points[:, 2] + noise * (-1.0) ** k
            points = ahead.next(points, there, np.array([[1.0, 1.0, 0.0]] * 2), NONE)
        found.append(points[1, :2])  # on which the third does not act
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


def test_sweeps_end_where_only_shares_that_vanish_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four of twenty shares are a quarter at most: the nearest table is a corner, reached at infinity."""
    counts, sweep = list[int](), DistributionBounds._sweep

    def counted(*given: Any) -> Any:
        counts.append(1)
        return sweep(*given)

    monkeypatch.setattr(DistributionBounds, "_sweep", counted)
    present = np.zeros((1, 20))
    present[0, [1, 2, 7, 18]] = 0.25
    start = np.full((1, 1, 20), 5.77e-7)
    start[0, 0, [0, 2, 7, 18]] = 0.0047, 0.261, 0.694, 0.041
    none, quarter = np.zeros(20), np.full(20, 0.25)
    bounds = DistributionBounds(np.ones((1, 1)), none, quarter, None, present, 0.25)
    (found,) = bounds.project(start / start.sum())
    np.testing.assert_allclose(found[0, [0, 2, 7, 18]], 0.25, atol=1e-3)
    assert len(counts) <= 200
