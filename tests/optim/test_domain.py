from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.optim import Box
from tests.sizes import examples

MIXED = Box([0, 0, 0, 0.5], [1, 3, 1, 0.5], [None, range(4), [0, 0.25, 1], None], [False, True, False, False])


@settings(deadline=None, max_examples=examples(30), derandomize=True)
@given(unit=st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_places_are_points_of_the_box(unit: list[float]) -> None:
    point = MIXED.place(np.array([unit]))
    np.testing.assert_array_equal(MIXED.snap(point), point)
    assert (point >= MIXED.low).all()
    assert (point <= MIXED.high).all()
    assert point[0, 1] in range(4)
    assert point[0, 2] in (0, 0.25, 1)
    assert point[0, 3] == 0.5


def test_levels_are_as_likely_as_they_lie_far_apart() -> None:
    """A category's are equally likely, and so are even ones; of uneven ones each has half the way to its neighbours."""
    unit = (np.arange(1200) + 0.5)[:, None] / 1200
    for levels, unordered, counts in (
        ([0, 1, 3], True, [400, 400, 400]),
        ([0.1, 0.2, 0.1 + 0.2], False, [400, 400, 400]),
        ([0, 0.25, 1], False, [200, 400, 600]),
        ([7], False, [1200]),
    ):
        placed = Box(levels[:1], levels[-1:], [levels], [unordered]).place(unit)
        np.testing.assert_array_equal(np.unique(placed, return_counts=True)[1], counts)


@pytest.mark.parametrize(
    "kind",
    [
        lambda n: sb.TimeVarying([n]),
        lambda n: sb.CostVarying([n], [["n"]]),
        lambda n: sb.Causal(sb.CausalGraph([("n", "y")], target="y", intervenable=["n"]), [n]),
    ],
)
def test_whole_numbers_on_a_logarithmic_scale_begin_in_all_decades(kind: Callable[[sb.Integer], Any]) -> None:
    optimizer = sb.Optimizer(kind(sb.Integer("n", 1, 10_000, scale="log")), method="random", rounds=40, seed=0)
    played = []
    for _ in range(40):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 0.0)
        played.append(suggestion.values["n"])
    assert 10 <= np.sum(np.array(played) < 100) <= 30, "half of them, give or take 3.2 standard deviations"


def test_snap_finds_the_nearest_level() -> None:
    points = np.array([[-5.0, 9.0, 0.2, 0.0], [0.3, 1.6, 0.7, 9.0]])
    np.testing.assert_array_equal(MIXED.snap(points), [[0, 3, 0.25, 0.5], [0.3, 2, 1, 0.5]])


def test_size_and_grid_of_a_finite_box() -> None:
    box = Box([0, 2, 0], [1, 2, 2], [[0, 1], None, [0, 1, 2]])
    assert box.size == 6
    assert len(np.unique(box.grid(), axis=0)) == 6
    assert (box.grid()[:, 1] == 2).all()
    assert MIXED.size == math.inf
    np.testing.assert_array_equal(MIXED.continuous, [True, False, False, False])


def test_a_box_without_dimensions_is_one_point() -> None:
    assert Box([], []).size == 1
    assert Box([], []).grid().shape == (1, 0)


def test_a_box_cannot_be_changed() -> None:
    given_low = np.zeros(2)
    box = Box(given_low, [1, 1])
    given_low[0] = 9
    assert box.low[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        box.low[0] = 1


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (([0, 2], [1, 1]), r"box\.low\[1\]"),
        (([0, np.nan], [1, 1]), r"box\.low"),
        (([0], [np.inf]), r"box\.high"),
        (([-1.7e308], [1.7e308]), r"box\.low"),
        (([0], [1, 2]), r"box\.high"),
        (([0], [1], [None, None]), r"box\.levels"),
        (([0], [1], [[]]), r"box\.levels\[0\]"),
        (([0], [1], [[0, 2]]), r"box\.levels\[0\]"),
        (([0], [1], [[0, np.nan]]), r"box\.levels\[0\]"),
        (([0], [1], None, [True, False]), r"box\.unordered"),
    ],
)
def test_what_is_not_allowed_is_named(arguments: tuple[Any, ...], field: str) -> None:
    with pytest.raises(InvalidProblem, match=field):
        Box(*arguments)
