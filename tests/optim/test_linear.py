"""Limits in the variables' units as limits on encoded coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.optim import limited, minimal_conflict, on_steps, substitute_known
from steerbo.optim._domain import Box
from steerbo.optim._linear import Combination, LinearRow
from steerbo.optim._polytope import Polytope
from steerbo.space import Limit
from tests.sizes import examples

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


@settings(deadline=None, max_examples=examples(100))
@given(st.integers(0, 10**6))
def test_limits_on_one_coordinate_are_its_bounds(seed: int) -> None:
    """What is left is as when each were a row of a polytope, and has a point where that has one."""
    random = np.random.default_rng(seed)
    variables: list[Any] = [A, B, sb.Integer("k", 0, 9), sb.Float("s", -1, 1, step=0.5)]
    box = Box(np.zeros(4), np.ones(4), [variable.levels for variable in variables])
    limits, middles = list[Limit](), {"a": 15.0, "b": 30.0, "k": 4.0, "s": 0.0}
    for name in random.permutation([*middles])[: random.integers(1, 5)].tolist():
        end, weight = float(middles[name] + random.integers(-4, 5) * 0.25 * middles[name]), random.choice([-2.0, 0.5])
        width = random.choice([0.0, 1.0, 1e3])
        limits.append(sb.LinearConstraint({name: weight}, at_most=weight * end, at_least=weight * end - width))
    if random.random() < 0.3:
        limits.append(sb.LinearConstraint({"a": 1, "b": 0.1}, at_most=35))
    left = substitute_known(limits, [*middles], {}, (), nothing)
    region = limited(box, variables, left)
    points = box.place(random.random((400, 4)))
    values = [dict(zip(middles, row, strict=True)) for row in zip(*map(_decoded, variables, points.T), strict=True)]
    kept = np.array([all(each.kept(some) for each in left) for some in values])
    if region is None:
        assert not kept.any()
        return
    region = region.reduced
    assert region is not None
    assert isinstance(region, Polytope) == (len(limits[-1].names) > 1)
    np.testing.assert_array_equal(region.allows(points), kept)
    inside = region.place(random.random((50, 4)))
    for row in zip(*map(_decoded, variables, inside.T), strict=True):
        assert all(each.kept(dict(zip(middles, row, strict=True))) for each in left)


def _decoded(variable: Any, column: np.ndarray) -> Any:
    return variable.decode(column)


def test_settings_beyond_a_bound_are_moved_to_it() -> None:
    left = substitute_known([sb.LinearConstraint({"a": 1}, at_most=12)], ["a"], {}, (), nothing)
    region = limited(Box([0], [1]), [A], left)
    assert region is not None
    region = region.reduced
    assert type(region) is Box
    assert not region.allows(np.array([[0.5]])).any()
    np.testing.assert_allclose(region.into(np.array([0.5])), [0.2])
    np.testing.assert_array_equal(region.into(np.array([0.1])), [0.1])


@pytest.mark.parametrize("kind", [sb.CostVarying, sb.TimeVarying])
def test_limits_on_one_variable_of_many_steps_leave_its_ends(kind: Any) -> None:
    """More than 100 000 steps are searched as a continuum; half a step of room was left on both sides."""

    def played(variable: Any, **ends: Any) -> set[float]:
        limit = sb.LinearConstraint({"a": 1}, **ends)
        sets = [[["a"]]] if kind is sb.CostVarying else []
        optimizer, found = sb.Optimizer(kind([variable], *sets, limits=[limit]), seed=1), set()
        for _ in range(6):
            suggestion = optimizer.ask()
            found.add(suggestion.values["a"])
            optimizer.tell(suggestion, suggestion.values["a"])
        return found

    whole = sb.Integer("a", 0, 1_000_000)
    assert played(whole, at_least=776, at_most=776.9) == {776}
    assert played(whole, at_least=775, at_most=777) == {775, 776, 777}
    assert played(whole, at_least=999_999) == {999_999, 1_000_000}
    assert 0.5 in played(sb.Float("a", 0, 1, step=1e-6), at_most=0.5)
    for most in (10**6, 10**9):
        with pytest.raises(InvalidProblem, match=r"776\.1"):
            played(sb.Integer("a", 0, most), at_least=776.1, at_most=776.9)


@pytest.mark.parametrize("kind", [sb.CostVarying, sb.TimeVarying])
@pytest.mark.parametrize("make", ["shares", "vans"])
def test_first_plays_of_mixtures_are_spread(kind: Any, make: str) -> None:
    """The first five were (0, 1, 0) each, whatever the seed."""
    names = ["a", "b", "c"]
    shares = [sb.Float(name, 0, 1, step=0.05) for name in names]
    variables, total = (shares, 1) if make == "shares" else ([sb.Integer(name, 0, 12) for name in names], 12)
    limit = sb.LinearConstraint(dict.fromkeys(names, 1), at_least=total, at_most=total)
    optimizer = sb.Optimizer(kind(variables, *([[names]] if kind is sb.CostVarying else []), limits=[limit]), seed=1)
    played = []
    for _ in range(5):
        suggestion = optimizer.ask()
        played.append([suggestion.values[name] / total for name in names])
        optimizer.tell(suggestion, -suggestion.values["a"])
    gaps = np.abs(np.array(played)[:, None] - np.array(played)[None]).max(axis=2)[np.triu_indices(5, 1)]
    np.testing.assert_allclose(np.sum(played, axis=1), 1.0, atol=1e-12)
    assert gaps.min() > 0.0, "none twice"
    assert gaps.mean() > 0.25, "of points drawn at random .33"


@settings(deadline=None, max_examples=examples(25))
@given(st.integers(0, 10**6))
def test_the_nearest_settings_on_steps_are_those_of_all(seed: int) -> None:
    random = np.random.default_rng(seed)
    variables: list[Any] = [sb.Integer("a", -2, 6), sb.Float("b", 0, 1, step=0.125), sb.Integer("c", 1, 5)]
    names = [v.name for v in variables]
    W, b = random.integers(-4, 5, (2, 3)) * np.array([1, 8, 1]), random.integers(-4, 12, 2)
    rows = [LinearRow(0, dict(zip(names, w.tolist(), strict=True)), end) for w, end in zip(W, b.tolist(), strict=True)]
    near = {"a": random.uniform(-2, 6), "b": random.uniform(0, 1), "c": random.uniform(1, 5)}
    grid = np.array([*product(range(-2, 7), np.arange(9) / 8, range(1, 6))])
    kept, ranges = grid[(grid @ W.T <= b).all(axis=1)], np.array([8, 1, 4])
    found = on_steps(variables, near, rows)
    assert (found is None) == (not len(kept))
    if found is not None:
        at = np.array([*found.values()])
        assert (W @ at <= b).all()
        assert (kept == at).all(axis=1).any()
        start = np.array([round(near["a"]), round(8 * near["b"]) / 8, round(near["c"])])
        shares = (np.abs(kept - start) / ranges).sum(axis=1)
        assert (np.abs(at - start) / ranges).sum() == pytest.approx(shares.min())


EUROS = [sb.Integer(name, 0, 1_000_000) for name in "abc"]
MANY: list[tuple[list[Any], dict[str, float], dict[str, float]]] = [
    (EUROS, {"a": 1, "b": 1, "c": 1}, {"at_least": 1_000_000, "at_most": 1_000_000}),
    (EUROS[:2], {"a": 1, "b": 1}, {"at_most": 776}),
    (EUROS[:2], {"a": 3, "b": -2}, {"at_least": 1, "at_most": 1}),
    ([EUROS[0], sb.Float("b", 0, 1e6)], {"a": 1, "b": 1}, {"at_least": 1e6, "at_most": 1e6}),
    ([sb.Float(name, 0, 1, step=1e-6) for name in "abc"], {"a": 1, "b": 2, "c": 1}, {"at_least": 1, "at_most": 1}),
]


@pytest.mark.parametrize("kind", [sb.CostVarying, sb.TimeVarying])
@pytest.mark.parametrize(("variables", "weights", "ends"), MANY)
def test_limits_on_sums_of_many_steps_are_kept_to_their_ends(
    kind: Any, variables: Any, weights: Any, ends: Any
) -> None:
    """Three parts of a million in whole numbers ended the study: each was rounded by itself."""
    limit, names = sb.LinearConstraint(weights, **ends), [v.name for v in variables]
    sets = [[names]] if kind is sb.CostVarying else []
    optimizer, found = sb.Optimizer(kind(variables, *sets, limits=[limit]), seed=2), []
    for _ in range(8):
        suggestion = optimizer.ask()
        found.append(suggestion.values)
        optimizer.tell(suggestion, sum(weights[name] * suggestion.values[name] for name in names))
    answer = optimizer.recommend().values
    for values in (*found, answer):
        assert not limit.breaks(values)
        assert all(v.check_setting(values[v.name]) == values[v.name] for v in variables)
    assert limit.room(answer) == pytest.approx(0.0, abs=1e-6), "the end of the limit, where it is best"


@pytest.mark.parametrize("kind", [sb.CostVarying, sb.TimeVarying])
def test_a_sum_that_no_steps_have_is_refused(kind: Any) -> None:
    sets = [[["a", "b"]]] if kind is sb.CostVarying else []
    limit = sb.LinearConstraint({"a": 2, "b": 2}, at_least=777, at_most=777)
    with pytest.raises(InvalidProblem, match="777"):
        kind(EUROS[:2], *sets, limits=[limit])


def test_a_search_for_steps_that_is_given_up_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether any steps keep three sums of six whole numbers may take hours to find out."""
    monkeypatch.setattr("steerbo.optim._linear._SECONDS", 0.0)
    row = LinearRow(0, {"a": 3.0, "b": 5.0}, -7.0)
    assert on_steps([sb.Integer("a", 0, 9), sb.Integer("b", -9, 9)], {"a": 4.2, "b": 6.0}, [row]) is not None
