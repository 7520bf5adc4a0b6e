"""Limits in the variables' units as limits on encoded coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.optim import limited, minimal_conflict, substitute_known
from steerbo.optim._domain import Box
from steerbo.optim._linear import Combination, LinearRow
from steerbo.optim._polytope import Polytope
from steerbo.space import Limit

A, B, M = sb.Float("a", 10, 20), sb.Float("b", 1, 1000, scale="log"), sb.Categorical("m", ["x", "y"])


def nothing(weights: Mapping[str, float], wrong: float) -> float:
    raise AssertionError("nothing is drawn")


def test_what_is_known_is_taken_off_and_what_is_drawn_counts_at_its_quantile() -> None:
    limit = sb.LinearConstraint({"a": 1, "b": 2, "c": -1}, at_most=10, at_least=0, probability=0.8)
    draws = np.arange(1000) / 1000

    def by_quantile(weights: Mapping[str, float], wrong: float) -> float:
        return float(np.quantile(sum(weights.values()) * draws, 1 - wrong))

    rows = substitute_known([limit], ["a"], {"c": 3.0}, (), by_quantile)
    (above, below) = rows
    assert isinstance(above, LinearRow)
    assert isinstance(below, LinearRow)
    assert (dict(above.weights), dict(below.weights)) == ({"a": 1.0}, {"a": -1.0})
    assert above.bound == pytest.approx(10 + 3 - 2 * 0.9, abs=0.01)  # a tenth of what may go wrong is for each side
    assert below.bound == pytest.approx(0 - 3 + 2 * 0.1, abs=0.01)


def test_limits_of_what_nobody_sets_leave_all() -> None:
    limits: list[Limit] = [sb.LinearConstraint({"c": 1}, at_most=0), sb.space.ForbiddenCombination({"m": "x", "k": 1})]
    assert substitute_known(limits, ["a"], {"c": 5.0}, (), nothing) == []
    (kept,) = substitute_known(limits[:1], ["a"], {"c": 5.0}, ("c",), nothing)
    assert limited(Box([0], [1]), [A], [kept]) is None  # what stays breaks it


def test_a_combination_counts_with_what_nature_may_do() -> None:
    forbid = sb.space.ForbiddenCombination({"m": "x", "k": 1})
    assert substitute_known([forbid], ["m"], {"k": 2}, (), nothing) == []
    assert substitute_known([forbid], ["m"], {"k": 1}, (), nothing) == [Combination(0, {"m": ("x",)})]
    assert substitute_known([forbid], ["m"], {}, (), nothing) == [Combination(0, {"m": ("x",)})]


def test_a_region_holds_in_the_units_of_the_variables() -> None:
    left = substitute_known([sb.LinearConstraint({"a": 1, "b": 0.1}, at_most=30)], ["a", "b", "m"], {}, (), nothing)
    left += substitute_known([sb.space.ForbiddenCombination({"m": ["y"]})], ["a", "b", "m"], {}, (), nothing)
    box = Box([0, 0, 0], [1, 1, 1], [None, None, M.levels], [False, False, True])
    region = limited(box, [A, B, M], left)
    assert isinstance(region, Polytope)
    points = region.place(np.random.default_rng(0).random((500, 3)))
    a, b, m = (np.array(column) for column in (A.decode(points[:, 0]), B.decode(points[:, 1]), M.decode(points[:, 2])))
    assert (a + 0.1 * b <= 30).all()
    assert (a + 0.1 * b).max() > 29
    assert (m == "x").all()


def test_of_limits_that_clash_none_can_be_left_out() -> None:
    assert minimal_conflict(5, lambda some: not ({1, 3} <= set(some) or {2, 4} <= set(some))) == [2, 4]


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("kind", ["whole", "stepped"])
def test_settings_that_are_rounded_keep_a_limit_too(kind: str, scale: Any) -> None:
    """More than 100 000 whole values are searched as if all numbers were allowed; the chosen one broke the limit."""
    many: Any = (
        sb.Integer("n", 1, 200_000, scale=scale)
        if kind == "whole"
        else sb.Float("n", 1, 200_000, scale=scale, step=0.5)
    )
    x, n = sb.Float("x", 0, 1), many
    for each in (sb.CostVarying([x, n], [["x", "n"]]), sb.TimeVarying([x, n])):
        limited_one: Any = replace(each, limits=[sb.LinearConstraint({"x": 1, "n": 5e-6}, at_most=0.8)])
        optimizer = sb.Optimizer(limited_one, rounds=20, seed=0)
        for _ in range(10):  # a suggestion that breaks a limit is refused
            asked = optimizer.ask()
            optimizer.tell(asked, asked.values["x"] + 6.5e-6 * asked.values["n"])


def test_sums_that_must_be_equal_leave_no_room_for_rounding() -> None:
    shares = [sb.Integer(name, 0, 10**6) for name in ("a", "b")]
    limits = [sb.LinearConstraint({"a": 1, "b": 1}, at_least=10**6, at_most=10**6)]
    asked = sb.Optimizer(sb.CostVarying(shares, [["a", "b"]], limits=limits), seed=0).ask()
    assert asked.values["a"] + asked.values["b"] == 10**6
