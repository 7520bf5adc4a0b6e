"""What is paid: every action and look once, failed rounds and abandoned looks, and no more than there is."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.causal.money import checked_prices, price_of
from steerbo.core import Scope
from steerbo.errors import InvalidProblem, OutcomeConflict

STAGED = sb.CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y; age -> rest", target="y", intervenable=["dose", "rest"]
)
VARIABLES = [sb.Float(name, 0, 1) for name in ("dose", "rest", "age", "pulse")]
PRICES = {"dose": 10.0, "rest": 20.0, "age": 3.0, "pulse": 4.0}


def problem(**changed: Any) -> sb.Causal:
    return sb.Causal(STAGED, VARIABLES, **{"prices": PRICES, "base": 1, **changed})


def at_two_looks(**limits: Any) -> tuple[sb.Optimizer, sb.Suggestion]:
    """A round that looks at age, sets the dose, looks at the pulse, and sets the rest."""
    optimizer = sb.Optimizer(problem(), "coca-bo", seed=0, initial=1, **limits)
    while (suggestion := optimizer.ask()) is not None:
        if set(suggestion.scope.contexts) == {"age", "pulse"}:
            return optimizer, suggestion
        optimizer.abandon(suggestion)
    raise AssertionError("no round looks twice")


def test_every_look_is_paid_once() -> None:
    scope = Scope.of({"dose": ["age"], "rest": ["age", "pulse"]})
    assert price_of(scope, PRICES, 1.0) == 38.0
    assert problem().with_price(scope).price == 38.0
    assert sb.Causal(STAGED, VARIABLES).with_price(scope).price is None


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"prices": {"heat": 1.0}}, r"prices.heat: 1.0 .* one of dose, rest, age, pulse"),
        ({"prices": {"y": 1.0}}, "say what that costs by `base`"),
        ({"prices": {"dose": -1.0}}, "prices.dose: -1.0"),
        ({"prices": {"dose": float("nan")}}, "prices.dose: nan"),
        ({"prices": {"dose": float("inf")}}, "prices.dose: inf"),
        ({"prices": [1, 2]}, "prices"),
        ({"base": 0}, "to set nothing would be free for ever"),
        ({"base": None}, "a number above 0"),
        ({"prices": None}, "base: 1.0 .* without prices all scopes cost the same"),
        ({"prices": None, "base": None, "tolerance": sb.Absolute(1.0)}, "tolerance: .* without prices"),
    ],
)
def test_what_is_no_price_is_refused_by_name(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidProblem, match=complaint):
        problem(**changed)


def test_what_is_seen_before_choosing_has_no_price() -> None:
    graph = sb.CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    with pytest.raises(InvalidProblem, match=r"prices.c: .* it is seen before choosing"):
        sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("c", 0, 1, seen=True)], prices={"c": 1.0}, base=1)
    with pytest.raises(InvalidProblem, match="numbers by variable"):
        checked_prices(graph, 3)


def test_all_prices_may_be_zero() -> None:
    free = sb.Causal(STAGED, VARIABLES, prices={}, base=2)
    optimizer = sb.Optimizer(free, seed=0, budget=5)
    asked = []
    while (suggestion := optimizer.ask()) is not None:
        asked.append(suggestion.scope.price)
        optimizer.fail(suggestion)
    assert asked == [2.0, 2.0]
    assert optimizer.status.spent == 4.0


def test_a_failed_play_is_paid_as_far_as_it_came() -> None:
    optimizer, suggestion = at_two_looks(budget=1000)
    optimizer.fail(suggestion, "nobody came")
    assert optimizer.status.spent == 1.0
    optimizer, suggestion = at_two_looks(budget=1000)
    suggestion = optimizer.decide(suggestion, {"age": 0.5})
    optimizer.fail(suggestion, "the dose was spilt")
    assert optimizer.status.spent == 4.0, "whether the dose was given, nobody has said"
    optimizer, suggestion = at_two_looks(budget=1000)
    for seen in ({"age": 0.5}, {"pulse": 0.5}):
        suggestion = optimizer.decide(suggestion, seen)
    optimizer.fail(suggestion, "the pump broke")
    assert optimizer.status.spent == 38.0
    assert optimizer.status.unpriced == 0


def test_a_look_is_paid_though_nobody_goes_on() -> None:
    optimizer, suggestion = at_two_looks(budget=1000)
    assert optimizer.status.reserved == 38.0
    optimizer.abandon(suggestion)
    assert (optimizer.status.spent, optimizer.status.reserved) == (0.0, 0.0)
    optimizer, suggestion = at_two_looks(budget=1000)
    suggestion = optimizer.decide(suggestion, {"age": 0.5})
    optimizer.abandon(suggestion)
    optimizer.abandon(suggestion)
    assert (optimizer.status.spent, optimizer.status.reserved) == (4.0, 0.0)
    with pytest.raises(OutcomeConflict, match="4 is charged"):
        optimizer.abandon(suggestion, charge=2.0)
    suggestion = optimizer.decide(suggestion, {"pulse": 0.5})  # somebody went on after all, and was lost again
    optimizer.abandon(suggestion)
    assert optimizer.status.spent == 18.0
    optimizer.tell(suggestion, 1.0)
    assert (optimizer.status.spent, optimizer.status.unpriced) == (38.0, 0)
    again = sb.Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.status == optimizer.status


def test_a_cost_that_is_told_goes_before_the_prices() -> None:
    optimizer, suggestion = at_two_looks(budget=1000)
    for seen in ({"age": 0.5}, {"pulse": 0.5}):
        suggestion = optimizer.decide(suggestion, seen)
    optimizer.tell(suggestion, 1.0, cost=35.5)
    assert optimizer.status.spent == 35.5
