"""Walks stay inside, come to every part of a region, and are uniform where that can be counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from steerbo import Float, Integer
from steerbo.optim import Box
from steerbo.optim._polytope import Polytope, _moved, hit_and_run
from tests.sizes import examples

from .problems import drawn


def triangle() -> Polytope:
    return Polytope(Box([0, 0], [1, 1]), np.array([[1.0, 1.0]]), np.array([0.5]))


def sheet() -> Polytope:
    """Three shares with sum one."""
    return Polytope(Box([0] * 3, [1] * 3), np.array([[1.0, 1, 1], [-1, -1, -1]]), np.array([1.0, -1]))


@settings(deadline=None, max_examples=examples(15), derandomize=True)
@given(st.integers(0, 10**6))
def test_every_step_is_inside_and_what_was_given_is_left_alone(seed: int) -> None:
    region, random = drawn(seed), np.random.default_rng(seed)
    given_ = Box.place(region, random.random((60, 4)))
    before = given_.copy()
    found = hit_and_run(region, given_, random)
    assert region.inside(found).all()
    np.testing.assert_array_equal(given_, before)


def test_a_walk_hangs_on_its_numbers_alone() -> None:
    points = np.random.default_rng(0).random((30, 2))
    one, two, other = (hit_and_run(triangle(), points, np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


@pytest.mark.parametrize("make", [triangle, sheet])
def test_where_it_comes_to_is_uniform(make: Any) -> None:
    """The first coordinate over its largest value has the distribution 1 − (1 − t)². False alarm: one in 1000."""
    region = make()
    points = hit_and_run(region, np.ones((800, region.dimension)), np.random.default_rng(0))
    largest = 0.5 if region.dimension == 2 else 1.0
    assert kstest(points[:, 0] / largest, lambda t: 1 - (1 - np.clip(t, 0, 1)) ** 2).pvalue > 1e-3


def test_one_coordinate_is_uniform_in_what_the_others_leave() -> None:
    points = np.tile([0.0, 0.2], (500, 1))
    unit = np.random.default_rng(0).random(500)
    np.testing.assert_allclose(_moved(triangle(), points, 0, unit), 0.3 * unit, atol=1e-9)


def test_what_is_exact_moves_along_the_sheet_only() -> None:
    points = np.array([[0.2, 0.3, 0.5]])
    np.testing.assert_array_equal(_moved(sheet(), points, 0, np.array([0.9])), [0.2])


def stepped(forbidden: Any = ()) -> Polytope:
    """Fifths and a number, with sum at most .65."""
    five = np.arange(6) / 5
    return Polytope(Box([0, 0], [1, 1], [five, None]), np.array([[1.0, 1.0]]), np.array([0.65]), forbidden)


def test_levels_are_as_likely_as_each_other_and_within_the_limit() -> None:
    points = np.tile([0.2, 0.01], (400, 1))
    found = _moved(stepped(), points, 0, (np.arange(400) + 0.5) / 400)
    levels, counts = np.unique(found, return_counts=True)
    np.testing.assert_allclose(levels, [0.0, 0.2, 0.4, 0.6])
    assert counts.tolist() == [100] * 4


def test_a_forbidden_level_is_left_out_and_where_none_is_left_one_stays() -> None:
    points = np.tile([0.2, 0.01], (400, 1))
    unit = (np.arange(400) + 0.5) / 400
    levels, counts = np.unique(_moved(stepped([{0: [0.0, 0.4]}]), points, 0, unit), return_counts=True)
    np.testing.assert_allclose(levels, [0.2, 0.6])
    assert counts.tolist() == [200] * 2
    all_of_them = [{0: [0.0, 0.2, 0.4, 0.6]}]
    np.testing.assert_allclose(_moved(stepped(all_of_them), points, 0, unit), 0.2)
    crowded = np.tile([0.4, 0.9], (3, 1))  # beyond the limit whatever the level is
    np.testing.assert_array_equal(_moved(stepped(), crowded, 0, np.array([0.1, 0.5, 0.9])), 0.4)


@pytest.mark.parametrize("forbidden", [[], [{1: Integer("n", 1, 1000, scale="log").encode([3]).tolist()}]])
def test_logarithmic_coordinates_are_sampled_evenly_in_their_decades(forbidden: list[Any]) -> None:
    """Of a region that the box around it does not help with: x + 0.001 n at most 100."""
    x, n = Float("x", 1e-4, 1e4, scale="log"), Integer("n", 1, 1000, scale="log")
    box = Box([0, 0], [1, 1], [None, n.levels])
    logs = np.log([1e8, 1e3])
    u = np.array([1e4 - 1e-4, 999.0])
    region = Polytope(box, np.array([[1.0, 1e-3]]) * u, np.array([100.0 - 1e-4 - 1e-3]), forbidden, logs)
    points = hit_and_run(region, np.full((800, 2), 0.9), np.random.default_rng(0))
    decades = np.log10(x.decode(points[:, 0]))
    assert np.mean(decades < -1) == pytest.approx(0.5, abs=0.08), "4.5 standard errors"
    assert np.mean(np.array(n.decode(points[:, 1])) <= 31) == pytest.approx(0.5, abs=0.08)
    assert region.inside(points).all()
