"""Limits in cost-varying problems: kept by every method in every round, at what is seen, with what nature does."""

from __future__ import annotations

import dataclasses
import gc
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Suggestion
from steerbo.errors import InvalidContext, InvalidProblem
from steerbo.optim import FeasibleRegion
from steerbo.records import to_dict
from steerbo.space import Limit
from steerbo.surrogate import ProductKernelPosterior, Search
from steerbo.testing import Case, TraitContract

pytestmark = pytest.mark.few_draws

LIMITS: list[Limit] = [
    sb.LinearConstraint({"a": 1, "b": 2, "n": 0.5}, at_most=9, probability=0.5),
    sb.LinearConstraint({"a": 1}, at_least=0.5),
    sb.space.ForbiddenCombination({"m": ["x", "y"], "n": [1, 2, 3]}),
]
PROBLEM = sb.CostVarying(
    [
        sb.Float("a", 0, 5, law=sb.Uniform()),
        sb.Float("b", 0.01, 5, law=sb.Uniform(), scale="log"),
        sb.Integer("n", 1, 6, law=sb.Uniform()),
        sb.Categorical("m", ["x", "y", "z"], law=sb.Uniform()),
    ],
    [["a"], ["a", "b"], ["a", "b", "n", "m"]],
    limits=LIMITS,
)
METHODS = ["cheap-first", "explore-then-commit", "ucb-cvs", "etc-groups", "ucb-psq", "ts-psq", "random"]


def tell(optimizer: sb.Optimizer, suggestion: Suggestion) -> None:
    """Best at a = 4, b = 2, which together with n = 6 is more than is allowed."""
    x: dict[str, Any] = {"a": 2.0, "b": 1.0, "n": 4, "m": "z", **suggestion.values}
    value = -((x["a"] - 4) ** 2) - (x["b"] - 2) ** 2 + x["n"] + (x["m"] == "y")
    optimizer.tell(suggestion, value, cost=len(suggestion.values), realised={**suggestion.context, **x})


def kept(values: dict[str, Any]) -> bool:
    """Whether settings keep to the limits, to the last bit: half of the time where nature has a part."""
    if "b" not in values:  # half of the time 2 b + n / 2 is less than 6.75
        return 0.5 <= values["a"] <= 9 - 6.6
    if "n" not in values:  # half of the time n is 3 or less
        return bool(0.5 <= values["a"] <= 9 - 1.5 - 2 * values["b"])
    free = values["n"] > 3 or values["m"] == "z"
    return free and values["a"] >= 0.5 and values["a"] + 2 * values["b"] + 0.5 * values["n"] <= 9


@pytest.mark.parametrize("method", METHODS)
def test_no_suggestion_breaks_a_limit(method: str) -> None:
    optimizer = sb.Optimizer(PROBLEM, method, rounds=9, seed=1)
    for _ in range(3):
        for suggestion in optimizer.ask(batch=3):
            assert kept(suggestion.values), suggestion.values
            tell(optimizer, suggestion)
    assert kept(optimizer.recommend().values)
    assert all(kept(other.values) for other in optimizer.recommend().alternatives)
    assert {played.suggestion.scope for played in optimizer.history} == set(PROBLEM.scopes)


@pytest.mark.all_draws
def test_the_best_at_a_limit_is_found_and_explained_and_replayed() -> None:
    optimizer = sb.Optimizer(PROBLEM, "ucb-psq", rounds=30, seed=1)
    for _ in range(15):
        suggestion = optimizer.ask()
        assert suggestion is not None
        tell(optimizer, suggestion)
    best = optimizer.recommend()
    assert best.values["a"] == pytest.approx(3.6, abs=0.15)  # the point of a + 2 b = 6 nearest to (4, 2)
    assert best.values["b"] == pytest.approx(1.2, abs=0.08)
    table = optimizer.explain().tables[-1]
    assert table.title == "Limits"
    assert [row[2] for row in table.rows] == [True, False, best.values["m"] != "z"]
    assert str(LIMITS[0]) in optimizer.explain().text
    again = sb.load(optimizer.to_json())
    assert again.ask() == optimizer.ask()


def test_what_is_seen_counts_as_it_was_seen() -> None:
    problem = sb.CostVarying(
        [sb.Float("a", 0, 5), sb.Float("b", 0, 5), sb.Float("w", 0, 4, seen=True)],
        [["a", "b"]],
        limits=[sb.LinearConstraint({"a": 1, "b": 1, "w": 1}, at_most=5, at_least=4)],
    )
    optimizer = sb.Optimizer(problem, seed=0)
    for k in range(8):
        suggestion = optimizer.ask(context={"w": float(k % 5)})
        assert suggestion is not None
        x = {**suggestion.values, **suggestion.context}
        assert 4 <= x["a"] + x["b"] + x["w"] <= 5
        optimizer.tell(suggestion, x["a"] - x["b"])
    with pytest.raises(InvalidContext, match="within the limits"):
        optimizer.ask(context={"w": 5.5})
    assert len(optimizer.history) == 8  # nothing is logged of it


def test_what_stays_counts_as_it_is() -> None:
    oven = sb.Float("oven", 0, 5, law=sb.Uniform(), change=sb.SwitchingCost(fixed=3))
    problem = sb.CostVarying(
        [oven, sb.Float("b", 0, 5, law=sb.Uniform())],
        [["oven"], ["oven", "b"]],
        costs=[1, 2],
        limits=[sb.LinearConstraint({"oven": 1, "b": 1}, at_most=5, probability=0.3)],
    )
    optimizer = sb.Optimizer(problem, budget=40, seed=0)
    stayed = 0
    while (suggestion := optimizer.ask()) is not None:
        stayed += bool(suggestion.scope.keep)
        x = {"b": 1.0, **suggestion.values}
        assert x["oven"] + suggestion.values.get("b", 0.0) <= 5
        optimizer.tell(suggestion, x["oven"] * x["b"], realised=x)
    assert stayed >= 3


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (
            [sb.LinearConstraint({"a": 1, "b": 1}, at_most=5)],
            r"limits\.0\.probability: None .* \['a'\] leaves b to nature",
        ),
        ([sb.LinearConstraint({"A": 1}, at_most=5)], "did you mean 'a'"),
        (
            [LIMITS[1], sb.LinearConstraint({"n": 1}, at_least=1), sb.LinearConstraint({"a": 2}, at_most=0.5)],
            "'a at least 0.5', '2 a at m",
        ),
        (
            [sb.space.ForbiddenCombination({"m": ["x", "y"]}), sb.space.ForbiddenCombination({"m": "z"})],
            "'not m x or y', 'not m z'",
        ),
        ([{"kind": "forbid", "combination": {"m": "w"}}], r"limits\.0\.combination\.m: 'w'"),
        ([{"kind": "share"}], r"limits\.0\.kind"),
        ([7], "a limit"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_what_clashes(limits: Any, said: str) -> None:
    with pytest.raises(InvalidProblem, match=said) as raised:
        dataclasses.replace(PROBLEM, limits=limits)
    assert "n at least 1" not in str(raised.value)  # it has no part in it


def test_what_nature_leaves_no_room_for_is_refused() -> None:
    problem = dataclasses.replace(PROBLEM, limits=[sb.LinearConstraint({"a": 1, "b": 2}, at_most=5, probability=0.9)])
    with pytest.raises(InvalidProblem, match="feasible settings where a is set"):
        sb.Optimizer(problem)


def test_what_is_seen_at_its_ends_must_leave_room() -> None:
    with pytest.raises(InvalidProblem, match="a is set and w 4 is seen"):
        sb.CostVarying(
            [sb.Float("a", 2, 5), sb.Float("w", 0, 4, seen=True)],
            [["a"]],
            limits=[sb.LinearConstraint({"a": 1, "w": 1}, at_most=5)],
        )


def test_data_that_breaks_a_limit_happened_all_the_same() -> None:
    optimizer = sb.Optimizer(PROBLEM, seed=0)
    optimizer.add(1.0, {"a": 0.0, "b": 5.0, "n": 6, "m": "x"})
    assert optimizer.history.data


def test_a_problem_without_limits_is_written_as_before() -> None:
    assert "limits" not in to_dict(dataclasses.replace(PROBLEM, limits=None))
    assert np.array([to_dict(PROBLEM)["limits"][2]["combination"]["n"]]).tolist() == [[1, 2, 3]]


def _world() -> Case:
    """Sums, a combination and an outcome that are limited, where something is seen and something left to nature."""
    problem = sb.CostVarying(
        [
            sb.Float("a", 0, 4),
            sb.Float("b", 0, 4, law=sb.Uniform(0, 2)),
            sb.Categorical("m", ["steel", "zinc"]),
            sb.Float("w", 0, 1, seen=True),
        ],
        control_sets=[["a", "m"], ["a", "b", "m"]],
        costs=[1, 2],
        limits=[
            sb.LinearConstraint({"a": 1, "b": 1, "w": 1}, at_most=4, probability=0.9),
            sb.LinearConstraint({"a": 1}, at_least=0.5),
            sb.space.ForbiddenCombination({"m": "zinc"}),
            sb.OutcomeConstraint("pressure", at_most=3, probability=0.9),
        ],
    )

    def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        x = {"b": random.uniform(0, 2), **suggestion.values, **suggestion.context}
        happened = {name: x[name] for name in ("a", "b", "m", "w")}
        pressure = float(x["a"] + 0.5 * x["b"] + 0.05 * random.normal())
        value = float(x["a"] - 0.2 * x["b"] ** 2 + 0.05 * random.normal())
        return {"value": value, "realised": {**happened, "pressure": pressure}}

    added = {"a": 4.0, "b": 4.0, "m": "zinc", "w": 0.5, "pressure": 6.0}
    request = {"context": {"w": 0.5}}
    return Case(problem, "cheap-first", evaluate, request=lambda number: request, added=added, rounds=8)


def test_a_set_that_cannot_keep_a_limit_is_no_answer_however_good_and_cheap() -> None:
    """Nature leaves b near .2, where the pressure is 1.6: only where b is set, too, it comes down to 1."""
    variables = [sb.Float("a", 0, 1, law=sb.Uniform()), sb.Float("b", 0, 1, law=sb.TruncatedNormal(0.2, 0.02))]
    limit = sb.OutcomeConstraint("pressure", at_most=1.0, probability=0.9)
    problem = sb.CostVarying(variables, [["a"], ["a", "b"]], [1, 2], tolerance=sb.Absolute(0.01), limits=[limit])
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for a, b in random.random((24, 2)).tolist():
        optimizer.add(-((a - 0.4) ** 2) - 0.5 * b, {"a": a, "b": b, "pressure": 2 - 2 * b})
    advice = optimizer.recommend()
    assert advice.scope.set == ("a", "b")
    assert advice.values["b"] > 0.45


class TestContract(TraitContract):
    """With limits of every kind: what is chosen is held against them at every ask, pending and in batches, too."""

    case = staticmethod(_world)


def test_only_sets_that_may_be_the_answer_are_searched_by_all_climbs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One climb finds settings of the others; the answer is as if all were searched so."""
    longer: list[bool] = []

    within = Search._within_limits

    def counted(search: Any, climbs: int | None = None) -> Any:
        if search.is_limited:
            longer.append(climbs is None)
        return within(search, climbs)

    monkeypatch.setattr(Search, "_within_limits", counted)
    ours = _within_a_budget_of_heat().recommend()
    monkeypatch.setattr(Search, "_within_limits", lambda search, climbs=None: within(search))
    full = _within_a_budget_of_heat().recommend()
    assert len(longer) - sum(longer) == 7
    assert 0 < sum(longer) < 7
    assert (ours.scope, ours.values, ours.mean) == (full.scope, full.values, full.mean)
    best = {each.scope: each.mean or 0.0 for each in full.alternatives}
    for each in ours.alternatives:
        assert best[each.scope] - 0.05 < (each.mean or 0.0) <= best[each.scope] + 1e-6


def test_arrays_of_a_choice_and_an_answer_are_freed_with_them() -> None:
    """Objects that refer to each other stay until a collection, and next to what comes after."""
    kinds = FeasibleRegion, ProductKernelPosterior

    def held() -> int:
        return sum(isinstance(each, kinds) for each in gc.get_objects())

    optimizer = _within_a_budget_of_heat()
    optimizer.ask()  # which conditions models
    gc.collect()
    before = held()
    gc.disable()
    try:
        optimizer.ask()
        assert held() == before
        optimizer.recommend()
        assert held() == before
    finally:
        gc.enable()


def _within_a_budget_of_heat() -> sb.Optimizer:
    """All sets of three variables; what they give grows with their sum, and heat does as well."""
    names = ["a", "b", "c"]
    sets = [[n for k, n in enumerate(names) if number >> k & 1] for number in range(1, 8)]
    problem = sb.CostVarying(
        [sb.Float(name, 0, 1, law=sb.Uniform()) for name in names],
        sets,
        [len(each) for each in sets],
        value_of_one=5.0,
        limits=[sb.OutcomeConstraint("heat", at_most=1.6, probability=0.9)],
    )
    optimizer, draws = sb.Optimizer(problem, seed=0, budget=1e6), np.random.default_rng(0)
    for _ in range(20):
        x = draws.random(3)
        value = float(2.0 * x.sum() + np.sin(6.0 * x[0]))
        heat = float(x.sum() + 0.02 * draws.normal())
        optimizer.add(value, realised={**dict(zip(names, x.tolist(), strict=True)), "heat": heat})
    return optimizer


@pytest.mark.parametrize(
    ("costs", "more"),
    [
        ([1, 3], {"tolerance": sb.Absolute(10)}),
        ([1, 3], {"tolerance": sb.costvarying.Threshold(-5)}),
        ([1, 3], {"value_of_one": 1.0}),
        (["1 + z", "3 + x"], {"value_of_one": 1.0}),
    ],
)
def test_a_limit_is_not_sold_for_money_where_values_hardly_differ(costs: list[Any], more: dict[str, Any]) -> None:
    """A cheap set keeps it half of the time. Cost or tolerance are some thousand deviations of the value."""
    either = [sb.Float("x", 0, 1, law=sb.Uniform()), sb.Float("z", 0, 1, law=sb.Uniform())]
    limits = [sb.OutcomeConstraint("heat", at_most=0.5, probability=0.9)]
    problem = sb.CostVarying(either, [["z"], ["x", "z"]], costs=costs, limits=limits, **more)
    optimizer, nature = sb.Optimizer(problem, rounds=60, seed=0), np.random.default_rng(0)
    for _ in range(9):
        asked = optimizer.ask()
        x = {"x": nature.uniform(), "z": nature.uniform(), **asked.values}
        optimizer.tell(asked, 1.0 + 0.001 * x["x"], realised={**x, "heat": x["x"] + 0.02 * nature.normal()})
    for each in [*optimizer.history][-2:]:
        assert (each.suggestion.limits["heat"] or 0.0) > 0.85, "the cheap set keeps it half of the time"
    assert optimizer.recommend().scope.set == ("x", "z")


@pytest.mark.parametrize("worth", [None, 2.0])
def test_where_nothing_keeps_a_limit_the_likeliest_is_recommended_in_any_unit(worth: float | None) -> None:
    """A tolerance in units of the value was compared with deviations of the limited outcome."""
    found = []
    for unit in (1.0, 1024.0):
        problem = sb.CostVarying(
            [sb.Float("x", 0, 1, law=sb.Uniform()), sb.Float("z", 0, 1, law=sb.Uniform())],
            [["z"], ["x", "z"]],
            costs=[1, 9],
            tolerance=None if worth else sb.Absolute(0.5 * unit),
            value_of_one=None if worth is None else worth / unit,
            limits=[sb.OutcomeConstraint("heat", at_most=-1, probability=0.9)],
        )
        study, draw = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
        for _ in range(9):
            x = {"x": float(draw.uniform()), "z": float(draw.uniform())}
            study.add(unit * round(8 * x["z"]) / 8, {**x, "heat": 0.2 * x["x"]})
        found.append(study.recommend())
    assert found[0].says("none-keeps")
    assert found[0].scope.set == ("x", "z"), "a cheap set that leaves x to nature is less likely to keep it"
    assert found[0].values == found[1].values


@pytest.mark.parametrize("method", ["cheap-first", "ucb-cvs"])
@pytest.mark.parametrize("at_most", [6.1, 5.0])
def test_the_likeliest_set_is_played_where_none_is_likely_though_it_is_dearer(method: str, at_most: float) -> None:
    """Only to hold b near its end keeps the limit; or nothing does, and that comes nearest."""
    variables = [sb.Float("a", 0, 1, law=sb.Uniform()), sb.Float("b", 0, 1, law=sb.Uniform(0, 0.2))]
    limit = sb.OutcomeConstraint("q", at_most=at_most, probability=0.9)
    problem = sb.CostVarying(variables, [["a"], ["a", "b"]], costs=[1, 2], limits=[limit])
    optimizer, nature = sb.Optimizer(problem, method, rounds=30, seed=1), np.random.default_rng(1)
    held = []
    for _ in range(12):
        asked = optimizer.ask()
        at = {"a": nature.random(), "b": nature.uniform(0, 0.2), **asked.values}
        q = 9 - 3 * at["b"] + 0.05 * nature.normal()
        optimizer.tell(asked, at["a"] - at["b"] + 0.02 * nature.normal(), realised={**at, "q": q})
        held.append("b" in asked.values)
    assert all(held[7:]), "the cheaper set never keeps it"
    assert optimizer.recommend().values["b"] > 0.9
    asked = optimizer.ask()
    if method == "cheap-first" and at_most == 5.0:
        assert optimizer.card(asked).why.startswith("no settings are known yet that keep to the limits")
        assert "the likeliest of all were played" in optimizer.explain().text
        assert "holds the cheapest set" not in optimizer.explain().text
    assert sb.load(optimizer.to_json()).explain().text == optimizer.explain().text
