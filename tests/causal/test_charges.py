"""What plays cost where prices hang on what is set or seen, or are learned; no more is spent than there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.charges import Charges, Toll
from steerbo.core import Scope, Suggestion
from steerbo.errors import InvalidOutcome
from steerbo.optim import Box
from steerbo.testing import Case, WingContract

STAGED = sb.CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y; age -> rest; wind -> y",
    target="y",
    intervenable=["dose", "rest"],
)
VARIABLES = [*(sb.Float(name, 0, 1) for name in ("dose", "rest", "age", "pulse")), sb.Float("wind", 0, 1, seen=True)]
PRICES: dict[str, Any] = {"dose": "4 * dose + wind", "rest": "0.5 if rest < 0.5 else 3", "age": 0.5, "pulse": "wind"}


def problem(prices: dict[str, Any] = PRICES, **changed: Any) -> sb.Causal:
    return sb.Causal(STAGED, VARIABLES, prices=prices, base=1, tolerance=sb.Absolute(0.1), **changed)


def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    return {name: float(random.random()) for name in suggestion.observe}


def asked(number: int) -> dict[str, Any]:
    return {"context": {"wind": round(number * 0.618 % 1, 3)}}


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    x = {"dose": 0.1, "rest": 0.1, **look_at_all(random), **suggestion.context, **suggestion.values}
    value = -((x["dose"] - x["age"]) ** 2) - (x["rest"] - 0.4) ** 2 + 0.2 * x["wind"] + 0.03 * random.normal()
    return {"value": float(value), "realised": {name: x[name] for name in ("age", "pulse")}}


def look_at_all(random: np.random.Generator) -> dict[str, float]:
    return {name: float(random.random()) for name in ("age", "pulse")}


def case(prices: dict[str, Any], method: str) -> Case:
    return Case(problem(prices), method, evaluate, look, request=asked)


def small(**prices: Any) -> Case:
    """Few scopes: one dose, after one look at most."""
    graph = sb.CausalGraph.from_text("age -> y; dose -> y; wind -> y", target="y", intervenable=["dose"])
    variables = [sb.Float("dose", 0, 1), sb.Float("age", 0, 1), sb.Float("wind", 0, 1, seen=True)]
    of = sb.Causal(graph, variables, prices=prices, base=1, tolerance=sb.Absolute(0.1))
    added = {"dose": 0.5, "age": 0.4, "wind": 0.2}

    def outcome(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        x = {"dose": 0.1, "age": float(random.random()), **suggestion.context, **suggestion.values}
        value = -((x["dose"] - x["age"]) ** 2) + 0.2 * x["wind"] + 0.03 * random.normal()
        return {"value": float(value), "realised": {"age": x["age"]}}

    return Case(of, "cheap-first", outcome, look, request=asked, added=added, options={"initial": 1}, rounds=7)


class TestFormulas(WingContract):
    case = staticmethod(lambda: small(dose="4 * dose + wind", age="wind"))


class TestLearned(WingContract):
    case = staticmethod(lambda: small(dose="learned", age="learned"))


def cost(suggestion: Suggestion) -> float:
    """By hand."""
    wind, values, seen = suggestion.context["wind"], suggestion.values, suggestion.scope.contexts
    paid = 1.0 + 0.5 * ("age" in seen) + wind * ("pulse" in seen)
    paid += 4 * values["dose"] + wind if "dose" in values else 0.0
    return paid + ((0.5 if values["rest"] < 0.5 else 3.0) if "rest" in values else 0.0)


@pytest.mark.parametrize("method", ["cheap-first", "coca-bo", "cabo", "coca-bo-no-context", "random"])
def test_every_play_is_charged_for_what_was_set_and_none_that_cannot_be_paid_is_made(method: str) -> None:
    world = case(PRICES, method)
    options: dict[str, Any] = {} if method == "random" else {"initial": 1}
    optimizer = sb.Optimizer(world.problem, method, seed=3, budget=30, **options)
    spent = 0.0
    while pair := optimizer.ask(batch=2, **asked(len(optimizer.history) + 1)):
        for suggestion in pair:
            decided = world.decide(optimizer, suggestion)
            optimizer.tell(decided, **world.outcome(decided, cost=None))
            spent += cost(optimizer.history[decided.token].suggestion)
            assert optimizer.status.spent == pytest.approx(spent)
        assert spent <= 30 + 1e-9
    assert spent > 25
    again = sb.Optimizer.replay(world.problem, optimizer.events)
    assert again.recommend() == optimizer.recommend()


def test_where_little_is_left_what_is_set_is_what_can_be_paid() -> None:
    """Two rounds are out, and what one of them is to spend the other one has not."""
    prices: dict[str, Any] = {"dose": "10 * dose", "rest": "10 * rest"}
    optimizer = sb.Optimizer(problem(prices), "random", seed=1, budget=6)
    while pair := optimizer.ask(batch=2, context={"wind": 0.5}):
        decided = []
        for suggestion in pair:
            while suggestion.observe:
                suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
            decided.append(suggestion)
        for suggestion in decided:
            optimizer.tell(suggestion, 1.0)
    assert 5 < optimizer.status.spent <= 6 + 1e-9


def test_a_failed_round_is_charged_for_what_was_surely_set() -> None:
    optimizer = sb.Optimizer(problem(), "coca-bo", seed=0, initial=1, budget=1000)
    while True:
        suggestion = optimizer.ask(context={"wind": 0.25})
        assert isinstance(suggestion, Suggestion)
        if {"age", "pulse"} <= set(suggestion.scope.contexts):
            break
        optimizer.abandon(suggestion)
    first = optimizer.decide(suggestion, {"age": 0.5})
    optimizer.fail(optimizer.decide(first, {"pulse": 0.5}), "the pump broke")
    assert optimizer.status.spent == pytest.approx(cost(optimizer.history[suggestion.token].suggestion))
    assert optimizer.status.spent > 1 + 4 * first.values["dose"]


def test_what_is_learned_has_to_be_told() -> None:
    optimizer = sb.Optimizer(problem({"dose": "learned", "rest": 9}), seed=0, budget=50, initial=1)
    told = []
    for number in range(8):
        suggestion = optimizer.ask(context={"wind": 0.5})
        assert isinstance(suggestion, Suggestion)
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        if "dose" not in suggestion.values:
            optimizer.tell(suggestion, 0.1)
            continue
        with pytest.raises(InvalidOutcome, match="cost"):
            optimizer.tell(suggestion, 1.0)
        paid = 1 + 2 + suggestion.values["dose"] + 9 * ("rest" in suggestion.values)
        optimizer.tell(suggestion, 0.2 * number, cost=paid, realised={"age": 0.5, "pulse": 0.5})
        told.append(suggestion)
    method: Any = optimizer._state.method
    at = method.charges.along("dose", np.array([told[0].values["dose"]]), {"wind": 0.5})
    assert at == pytest.approx([2 + told[0].values["dose"]], abs=0.2)
    optimizer.amend(told[0], cost=40.0, reason="the bill came")
    assert method.charges.along("dose", np.array([told[0].values["dose"]]), {"wind": 0.5}) > at + 1


def test_prices_at_values_and_at_the_least() -> None:
    of = problem()
    assert of.tariff is not None
    charges = Charges(of, of.tariff)
    assert charges.varying(("dose", "rest", "age")) == ("dose", "rest")
    grid = np.array([[0.5, 0.2], [0.0, 0.9]])
    assert charges.of(("dose", "rest"), grid, {"wind": 1.0}).tolist() == [3.5, 4.0]
    scope = Scope.of({"dose": ["age"], "rest": ["pulse"]})
    assert charges.fixed(scope, {"wind": 0.25}) == 1.75
    assert charges.least_of(scope, {"wind": 0.25}) == 2.5
    assert charges.least_of(Scope(["dose"]), {}) == 2.0, "where it is not seen yet, the wind is at its dearest"


def test_what_cannot_be_paid_is_as_near_as_can_be() -> None:
    of = problem({"dose": "10 * dose"})
    assert of.tariff is not None
    charges = Charges(of, of.tariff)
    box = Box([0.0], [1.0], [None], [False])
    for most, wanted, found in ((6.0, 0.5, 0.5), (3.0, 0.5, 0.3), (-1.0, 0.5, 0.0)):
        assert Toll(charges, {}, most=most).within(("dose",), box, np.array([wanted])) == pytest.approx(
            [found], abs=0.02
        )
    assert Toll(charges, {}, exchange=2.0).worth(("dose",), np.array([[0.5]])).tolist() == [10.0]
