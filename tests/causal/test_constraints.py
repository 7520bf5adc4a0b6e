"""Limits on what is set in causal problems: kept to the last bit by whatever a scope sets, at what is known by then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal._constraints import ScopeConstraints
from steerbo.causal.identification.scopes import ScopesFound
from steerbo.core import Optimizer, Scope, Suggestion
from steerbo.errors import InvalidContext, InvalidProblem
from steerbo.optim import Box, covering
from steerbo.space import Limit
from steerbo.testing import Case, TraitContract

pytestmark = pytest.mark.few_draws

GRAPH = sb.CausalGraph.from_text(
    "c -> a; c -> y; a -> y; b -> y; m -> y; w -> y", target="y", intervenable=["a", "b", "m"]
)
VARIABLES: list[Any] = [
    sb.Float("a", 0, 5),
    sb.Float("b", 0.01, 5, scale="log"),
    sb.Categorical("m", ["x", "y", "z"]),
    sb.Float("c", 0, 1),
    sb.Float("w", 0, 1),
]
SUM, NEVER = sb.LinearConstraint({"a": 1, "b": 2, "c": 1}, at_most=6), sb.space.ForbiddenCombination({"m": ["x", "y"]})
LIMITS: list[Limit] = [SUM, NEVER]
PRICES = {"a": 1, "b": "1 + 0.2 * b", "m": 0.5, "c": 0.2}
WORLDS: list[tuple[str, dict[str, Any]]] = [
    *((method, {}) for method in ("coca-bo", "cabo", "cobo", "random")),
    ("cheap-first", {"prices": PRICES, "base": 1}),
]


def tell(optimizer: sb.Optimizer, suggestion: Suggestion, c: float) -> Suggestion:
    """Best at a = 4, b = 2, m = y, which is not allowed."""
    while suggestion.observe:
        suggestion = optimizer.decide(suggestion, {name: {"c": c, "w": 0.5}[name] for name in suggestion.observe})
    x: dict[str, Any] = {"a": 2.0, "b": 1.0, "m": "z", "c": c, "w": 0.5, **suggestion.values}
    value = -((x["a"] - 4) ** 2) - (x["b"] - 2) ** 2 + (x["m"] == "y") + x["c"]
    optimizer.tell(suggestion, value, realised={name: x[name] for name in optimizer.problem.space.names})
    return suggestion


def kept(values: dict[str, Any], c: float) -> bool:
    """Whether settings keep to the limits, whatever nature does within its bounds with what is not set."""
    a, b = values.get("a", 5.0), values.get("b", 5.0)
    summed = not {"a", "b"} & values.keys() or a + 2 * b + c <= 6
    return summed and values.get("m", "z") == "z"


@pytest.mark.parametrize("method", ["cheap-first", "random"])
@pytest.mark.parametrize("left", [0.0, 1.5, 3.9])
def test_no_play_is_made_whose_least_price_within_limits_cannot_be_paid(method: str, left: float) -> None:
    graph = sb.CausalGraph.from_text("dose -> y; rest -> y", target="y", intervenable=["dose", "rest"])
    variables = [sb.Float("dose", 0, 1), sb.Float("rest", 0, 1)]
    limits = [sb.LinearConstraint({"dose": 1, "rest": 1}, at_least=1.5), sb.LinearConstraint({"dose": 1}, at_least=0.5)]
    prices = {"dose": "1 + 4 * dose", "rest": "rest"}
    problem = sb.Causal(graph, variables, limits=limits, prices=prices, base=1, tolerance=sb.Absolute(0.1))
    optimizer = sb.Optimizer(problem, method, budget=20.0 + left, seed=3)
    while (suggestion := optimizer.ask()) is not None:
        x = {"dose": 0.5, "rest": 0.5, **suggestion.values}
        optimizer.tell(suggestion, x["dose"] - x["rest"] ** 2, realised=x)
    assert 10 < optimizer.history.spent <= 20.0 + left


@pytest.mark.parametrize("method", ["cheap-first", "random"])
@pytest.mark.parametrize("budget", [20.0, 21.3, 23.1])
def test_what_is_set_first_leaves_what_can_be_paid_later(method: str, budget: float) -> None:
    graph = sb.CausalGraph.from_text(
        "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y", target="y", intervenable=["dose", "rest"]
    )
    variables = [sb.Float(name, 0, 1) for name in ("dose", "rest", "age", "pulse")]
    limits = [sb.LinearConstraint({"dose": 1, "rest": 1}, at_least=1)]
    prices: dict[str, Any] = {"rest": "1 + 4 * rest", "age": 0.1, "pulse": 0.1}
    problem = sb.Causal(graph, variables, limits=limits, prices=prices, base=1, tolerance=sb.Absolute(0.1))
    optimizer, random = sb.Optimizer(problem, method, budget=budget, seed=1), np.random.default_rng(2)
    while (suggestion := optimizer.ask()) is not None:
        seen = {"age": float(random.random()), "pulse": float(random.random())}
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, {name: seen[name] for name in suggestion.observe})
        x = {"dose": 0.5, "rest": 0.5, **seen, **suggestion.values}
        optimizer.tell(suggestion, -((x["dose"] - x["age"]) ** 2) - x["rest"] ** 2, realised=x)
    assert 10 < optimizer.history.spent <= budget


@pytest.mark.parametrize(("method", "more"), WORLDS, ids=[name for name, _ in WORLDS])
def test_no_suggestion_breaks_a_limit(method: str, more: dict[str, Any]) -> None:
    problem = sb.Causal(GRAPH, VARIABLES, limits=LIMITS, **more)
    optimizer, random = sb.Optimizer(problem, method, seed=1), np.random.default_rng(0)
    for _ in range(4):
        for asked in optimizer.ask(batch=2):
            c = float(random.random())
            suggestion = tell(optimizer, asked, c)
            known = suggestion.context.get("c", 1.0)
            assert kept(suggestion.values, known), suggestion
    advice = optimizer.recommend()
    for answer in (advice, *advice.alternatives):
        c = 0.25 if "c" in answer.scope.contexts else 1.0
        act: Any = answer
        if answer.mean is not None:
            assert kept(act({name: {"c": 0.25, "w": 0.5}[name] for name in answer.scope.contexts}), c)


@pytest.mark.all_draws
def test_the_best_at_a_limit_is_found_explained_and_replayed() -> None:
    graph = sb.CausalGraph.from_text("c -> a; c -> y; a -> y; c -> b; b -> y", target="y", intervenable=["a", "b"])
    limit = sb.LinearConstraint({"a": 1, "b": 2, "c": 1}, at_most=6)
    problem = sb.Causal(graph, [v for v in VARIABLES if v.name in {"a", "b", "c"}], limits=[limit])
    optimizer = sb.Optimizer(problem, seed=1)
    for number in range(14):
        asked = optimizer.ask()
        assert asked is not None
        tell(optimizer, asked, (number * 0.618) % 1)
    advice = optimizer.recommend()
    found = advice({"c": 1.0})  # type: ignore[operator]
    assert limit.sum({**found, "c": 1.0}) == pytest.approx(6, abs=1e-6)
    assert found["a"] == pytest.approx(3.4, abs=0.4)  # the point of a + 2 b = 5 nearest to (4, 2)
    assert optimizer.policy({"c": 0.0}).values["a"] + 2 * optimizer.policy({"c": 0.0}).values["b"] <= 6 + 1e-9
    table = optimizer.explain().tables[-1]
    assert (table.title, table.rows[0][2]) == ("Limits", True)
    assert f"at a limit: {limit}" in optimizer.explain().text
    assert sb.load(optimizer.to_json()).ask() == optimizer.ask()


STAGED = sb.CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y", target="y", intervenable=["dose", "rest"]
)


@pytest.mark.parametrize("at_most", [1.2, 0.6])
def test_what_is_set_first_leaves_room_for_what_is_set_later(at_most: float) -> None:
    """Whatever the pulse comes to: it counts, too, and nobody knows it when the dose is set."""
    limits = [
        sb.LinearConstraint({"dose": 1, "rest": 1, "pulse": 0.5}, at_most=at_most),
        sb.LinearConstraint({"rest": 1}, at_least=0.05),
    ]
    variables = [sb.Float(name, 0, 1) for name in ("dose", "rest", "age", "pulse")]
    optimizer = sb.Optimizer(sb.Causal(STAGED, variables, limits=limits), seed=0)
    for number in range(9):
        asked = optimizer.ask()
        assert asked is not None
        decided = optimizer.decide(asked, {"age": 0.3})
        decided = optimizer.decide(decided, {"pulse": float(number % 2)})
        x = {**decided.values, **decided.context}
        assert not limits[0].breaks(x)
        assert x["rest"] >= 0.05
        optimizer.tell(decided, x["dose"] + x["rest"])
    assert limits[0].room({**decided.values, **decided.context}) < 0.6


def test_what_sees_different_things_keeps_to_a_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """x2 does not look at what x1 looks at, nor at x1; but what x1 was set to counts."""
    graph = sb.CausalGraph.from_text(
        "a -> x1 -> y; b -> x2 -> y; a -> y; b -> y", target="y", intervenable=["x1", "x2"]
    )
    problem = sb.Causal(
        graph,
        [sb.Float(name, 0, 1) for name in ("x1", "x2", "a", "b")],
        limits=[sb.LinearConstraint({"x1": 1, "x2": 1}, at_most=1)],
    )
    scope = Scope.of({"x1": ["a"], "x2": ["b"]})
    found = ScopesFound((scope,), complete=True)
    monkeypatch.setattr("steerbo.causal.coca_bo.found_scopes", lambda graph, mode, limit: found)
    optimizer, random = sb.Optimizer(problem, seed=3, initial=3), np.random.default_rng(0)
    for _ in range(10):
        asked = optimizer.ask()
        assert asked is not None
        decided = optimizer.decide(asked, {"a": float(random.random()), "b": float(random.random())})
        assert decided.values["x1"] + decided.values["x2"] <= 1 + 1e-9
        optimizer.tell(decided, decided.values["x1"] + 2 * decided.values["x2"])
    assert decided.values["x1"] + decided.values["x2"] > 0.9


def test_what_is_seen_counts_as_it_was_seen_and_too_much_of_it_is_refused_in_words() -> None:
    graph = sb.CausalGraph.from_text("c -> a; c -> y; a -> y", target="y", intervenable=["a"])
    variables = [sb.Float("a", 0, 5), sb.Float("c", 0, 4)]
    optimizer = sb.Optimizer(
        sb.Causal(graph, variables, limits=[sb.LinearConstraint({"a": 1, "c": 1}, at_most=5)]), seed=0
    )
    for number in range(8):
        asked = optimizer.ask()
        assert asked is not None
        decided = optimizer.decide(asked, {"c": float(number % 5)})
        assert decided.values["a"] + decided.context["c"] <= 5 + 1e-9
        optimizer.tell(decided, decided.values["a"])
    asked, before = optimizer.ask(), len(optimizer.events)
    assert asked is not None
    with pytest.raises(InvalidContext, match=r"c.*6.*a context with feasible settings.*a \+ c at most 5"):
        optimizer.decide(asked, {"c": 6.0})
    assert len(optimizer.events) == before
    assert optimizer.decide(asked, {"c": 5.0}).values["a"] == pytest.approx(0.0, abs=1e-9)
    assert optimizer.policy({"c": 4.5}).values["a"] <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (
            [sb.LinearConstraint({"w": 1}, at_most=0.5)],
            r"limits\.0: .*limit on what is set.*None of its variables",
        ),
        ([sb.LinearConstraint({"zz": 1}, at_most=0.5)], r"limits\.0\.weights"),
        ([sb.LinearConstraint({"a": 1, "w": 1}, at_most=5, probability=0.9)], r"limits\.0\.probability: 0\.9 .*worst"),
        ([sb.OutcomeConstraint("y", at_most=5)], r"limits\.0\.name: 'y' .*told as the value"),
        ([sb.OutcomeConstraint("heat", at_most=5, on_average=True)], r"limits\.0\.on_average: .*causal problems"),
        ([sb.OutcomeConstraint("w", at_most=5)], r"limits\.0\.name: 'w'"),
        (
            [
                sb.LinearConstraint({"b": 1}, at_most=4),
                sb.LinearConstraint({"a": 1}, at_least=4),
                sb.LinearConstraint({"a": 1, "b": 2}, at_most=4),
            ],
            r"\['a at least 4', 'a \+ 2 b at most 4'\]",
        ),
        ([sb.LinearConstraint({"a": 1, "c": 1}, at_most=0.5)], "where c = 1"),
    ],
)
def test_limits_that_nobody_can_keep_to_are_refused(limits: list[Limit], said: str) -> None:
    with pytest.raises(InvalidProblem, match=rf"(?s){said}"):
        sb.Causal(GRAPH, VARIABLES, limits=limits)


def test_scopes_of_which_nature_leaves_nothing_are_left_out_and_that_is_said() -> None:
    """A mixture: who sets one part alone cannot say what the sum will be."""
    graph = sb.CausalGraph.from_text("a -> y; b -> y", target="y", intervenable=["a", "b"])
    mixture = sb.LinearConstraint({"a": 1, "b": 1}, at_most=1, at_least=1)
    given: dict[str, Any] = {"prices": {"a": 1, "b": 1}, "base": 1, "limits": [mixture]}
    optimizer = sb.Optimizer(sb.Causal(graph, [sb.Float("a", 0, 1), sb.Float("b", 0, 1)], **given), seed=0)
    assert dict(optimizer._method.describe())["arms"] == "2 policy scopes; the limits rule out 2 more"
    played = set()
    for _ in range(14):
        asked = optimizer.ask()
        assert asked is not None
        played.add(asked.scope.set)
        assert not asked.values or mixture.sum(asked.values) == pytest.approx(1, abs=1e-9)
        optimizer.tell(asked, asked.values.get("a", 0.0), realised={"a": 0.1, "b": 0.1, **asked.values})
    assert played == {(), ("a", "b")}
    alone = sb.CausalGraph.from_text("a -> y; b -> y", target="y", intervenable=["a"], contexts=[])
    with pytest.raises(InvalidProblem, match=r"a \+ b exactly 1.*a scope that sets a and leaves b to nature"):
        sb.Optimizer(sb.Causal(alone, [sb.Float("a", 0, 1), sb.Float("b", 0, 1)], limits=[mixture]))


def test_wider_bounds_leave_something_to_what_was_played_or_are_refused() -> None:
    graph = sb.CausalGraph.from_text("a -> y; b -> y", target="y", intervenable=["a", "b"])
    limits = [sb.LinearConstraint({"a": 1, "b": 1}, at_most=5)]
    problem = sb.Causal(
        graph, [sb.Float("a", 0, 4), sb.Float("b", 0, 4)], prices={"a": 1, "b": 1}, base=1, limits=limits
    )
    optimizer = sb.Optimizer(problem, seed=0)
    for _ in range(9):
        asked = optimizer.ask()
        assert asked is not None
        optimizer.tell(asked, sum(asked.values.values()), realised={"a": 0.5, "b": 0.5, **asked.values})
    before = len(optimizer.events)
    with pytest.raises(InvalidProblem, match=r"bounds: 'a.*every scope that was tried"):
        optimizer.extend({"b": (0, 7)})
    assert len(optimizer.events) == before
    optimizer.extend({"b": (0, 4.5)})
    assert sb.load(optimizer.to_json()).ask() == optimizer.ask()


def test_regions_are_kept_and_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.causal._constraints._CACHED", 3)
    problem = sb.Causal(GRAPH, VARIABLES, limits=LIMITS)
    limits, arm = ScopeConstraints(problem.limits or (), problem.space), sb.Optimizer(problem)._method.arms[0]  # type: ignore[attr-defined]
    first = limits.region(arm, arm.actions, {"c": 0.5})
    assert limits.region(arm, arm.actions, {"c": 0.5}) is first
    for k in range(5):
        limits.region(arm, arm.actions, {"c": k / 5})
    assert len(limits._regions) == 3


def test_prices_within_limits_are_looked_for_once_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Box] = []
    monkeypatch.setattr("steerbo.causal._costs.covering", lambda box: found.append(box) or covering(box))  # type: ignore[func-returns-value]
    case = priced()
    optimizer = Optimizer(case.problem, case.method, seed=1, **case.options)
    for _ in range(3):
        suggestion = case.ask(optimizer)
        optimizer.tell(suggestion, **case.outcome(suggestion))
    assert found
    assert len({id(box) for box in found}) == len(found)


def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    return {name: float(random.random()) for name in suggestion.observe}


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    x: dict[str, Any] = {"a": 1.0, "b": 0.5, "c": 0.5, **suggestion.values, **suggestion.context}
    return {"value": -((x["a"] - 4) ** 2) - (x["b"] - 2) ** 2 + 0.05 * random.normal(), "realised": x}


def priced() -> Case:
    """What it is told of, and did not suggest, breaks the limit, and happened all the same."""
    graph = sb.CausalGraph.from_text("c -> a; c -> y; a -> y; b -> y", target="y", intervenable=["a", "b"])
    variables = [v for v in VARIABLES if v.name in {"a", "b", "c"}]
    prices: dict[str, Any] = {"a": 1, "b": "1 + 0.2 * b", "c": 0.2}
    problem = sb.Causal(
        graph, variables, prices=prices, base=1, limits=[sb.LinearConstraint({"a": 1, "b": 2}, at_most=11)]
    )
    added = {"a": 4.0, "b": 4.0, "c": 0.5}
    return Case(problem, "cheap-first", evaluate, look, added=added, options={"initial": 1}, rounds=7)


class TestContract(TraitContract):
    case = staticmethod(priced)
