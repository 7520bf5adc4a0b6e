"""Each limit alone by its closed form, and by how much tables break them. All together: see `test_region`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.meanfield.projection import Within, _factor, _scale

JOINT = np.array([[0.75], [0.25]])


def within(**limits: Any) -> Within:
    free: dict[str, Any] = {"least": np.zeros(4), "most": np.ones(4), "cells": None, "present": None}
    return Within(JOINT, **{**free, "largest_move": None, **limits})


def tables(seed: int, count: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(4), size=(count, 2))


def test_possible_tables_are_left_alone() -> None:
    np.testing.assert_allclose(within().nearest(tables(0)), tables(0))
    here = tables(1)
    loose = within(present=tables(2)[0], largest_move=1.0, cells=np.stack([np.zeros((2, 4)), np.ones((2, 4))]))
    np.testing.assert_allclose(loose.nearest(here), here, atol=1e-7)


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
    alone = Within(np.array([[1.0]]), np.zeros(4), np.array([0.25, 1, 1, 1]), None, None, None)
    np.testing.assert_allclose(
        alone.nearest(np.array([[[0.5, 0.3, 0.1, 0.1]]])), [[[0.25, 0.45, 0.15, 0.15]]], atol=1e-6
    )
    wanted = Within(np.array([[1.0]]), np.array([0, 0, 0.4, 0]), np.ones(4), None, None, None)
    np.testing.assert_allclose(
        wanted.nearest(np.array([[[0.5, 0.3, 0.1, 0.1]]])), [[[1 / 3, 0.2, 0.4, 1 / 15]]], atol=1e-6
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
    near = within(present=q, largest_move=move).nearest(y)
    np.testing.assert_allclose(0.5 * np.abs(near - q).sum(axis=2), move, atol=1e-6)
    np.testing.assert_allclose(near.sum(axis=2), 1.0)


def narrow() -> Within:
    """Capacities with hardly more room than agents, single shares that are all but fixed, and short moves."""
    present = np.array([[0.3, 0.3, 0.2, 0.2], [0.1, 0.2, 0.3, 0.4]])
    most = JOINT[:, 0] @ present + np.array([0.0, 0.001, 0.0, 0.001])
    cells = np.stack([np.zeros((2, 4)), np.ones((2, 4))])
    cells[:, 0, 1] = 0.295, 0.31
    return within(most=most, cells=cells, present=present, largest_move=0.02)


def test_where_limits_meet_at_a_narrow_angle_they_are_kept_all_the_same() -> None:
    found = narrow().nearest(tables(3, 6))
    assert narrow().excess(found) < 1e-7
    np.testing.assert_allclose(narrow().nearest(found), found, atol=1e-6)


def test_many_tables_are_moved_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    together = narrow().nearest(tables(3, 6))
    monkeypatch.setattr("steerbo.meanfield.projection._AT_ONCE", 8)
    np.testing.assert_allclose(narrow().nearest(tables(3, 6)), together, atol=1e-7)


def test_the_dual_says_how_near_the_nearest_are() -> None:
    here, start = narrow(), tables(3, 2)
    found = here.nearest(start)
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
    assert here.excess(here.nearest(tables(0))) > 0.04


def test_shares_that_are_zero_stay_zero() -> None:
    table = np.array([[[0.9, 0.1, 0.0, 0.0], [0.5, 0.0, 0.5, 0.0]]])
    found = within(most=np.array([0.5, 1, 1, 1])).nearest(table)
    assert (found[table == 0] == 0).all()
    assert (JOINT[:, 0] @ found)[0, 0] <= 0.5 + 1e-6
