"""What prices may say, what they say at values, and what is refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.prices import OUT_OF_REACH, PriceTable, check_prices, price_of
from steerbo.core import Scope
from steerbo.errors import InvalidProblem, OutcomeConflict
from steerbo.records import from_dict, to_dict
from steerbo.space import Space
from steerbo.space.formula import values_of
from tests.causal.priced import PRICES, STAGED, VARIABLES, problem

GRAPH = sb.CausalGraph.from_text(
    "wind -> y; lab -> y; metal -> y; dose -> y", target="y", intervenable=["dose", "metal"]
)
SPACE = Space([
    sb.Float("dose", 0, 100), sb.Categorical("metal", ["steel", "wood"]), sb.Float("lab", 0, 1),
    sb.Float("wind", 0, 10, seen=True),
])  # fmt: skip


def tariff(**prices: Any) -> PriceTable:
    found = PriceTable.of_problem(GRAPH, SPACE, prices, 1.0, None)
    assert found is not None
    return found


def test_a_price_is_paid_at_the_value_that_is_set() -> None:
    found = tariff(dose="0.1 * dose + wind", metal="3 if metal == 'steel' else 1", lab=2.0)
    scope = Scope.of({"dose": ["lab"], "metal": []})
    known = {"dose": 20.0, "metal": "steel", "wind": 0.5, "lab": 0.3}
    assert found.paid(scope, known) == 1 + 2.5 + 3 + 2
    assert found.paid(Scope.of({"dose": []}), known) == 3.5
    assert found.fixed(scope) == 3.0
    assert found.text(scope) == "3 a round, and 0.1 * dose + wind for dose, and 3 if metal == 'steel' else 1 for metal"
    assert found.along("dose", np.array([0.0, 1.0, 0.0]), known).tolist() == [0.5, 10.5, 0.5]
    assert values_of(found.space, "metal") == ["steel", "wood"]


def test_what_is_learned_has_no_price_yet() -> None:
    found = tariff(dose="learned", lab=2.0)
    assert found.learned == ("dose",)
    assert found.paid(Scope.of({"dose": ["lab"]}), {"dose": 3.0}) is None
    assert found.paid(Scope.of({"metal": ["lab"]}), {}) == 3.0
    assert found.text(Scope(["dose"])) == "1 a round, and a learned price for dose"


@pytest.mark.parametrize(
    ("prices", "complaint"),
    [
        ({"dose": "lab"}, r"prices\.dose: 'lab' .* reads one of dose, wind\. It reads 'lab'"),
        ({"lab": "2 * lab"}, r"prices\.lab: .* reads .*wind.* It reads 'lab'"),
        ({"dose": "dose - 1"}, r"prices\.dose: .* a price from 0 .* At \{'dose': 0\.0\} it gives -1"),
        ({"dose": "1e300 * dose"}, r"prices\.dose: .* a price from 0"),
        ({"dose": "1 / dose"}, "it fails: ZeroDivisionError"),
        ({"dose": "wind - 1"}, r"At \{'wind': 0\.0\} it gives -1"),
        ({"metal": "metal"}, "it gives 'steel'"),
        ({"dose": True}, r"prices\.dose: True"),
        ({"dose": [1]}, r"prices\.dose: \[1\] .* a formula, a function, or 'learned'"),
        ({"wind": "1"}, r"prices\.wind: .* it is seen before choosing"),
    ],
)
def test_what_is_no_price_is_refused_by_name(prices: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidProblem, match=complaint):
        tariff(**prices)


def test_where_a_formula_gives_nothing_it_is_never_chosen() -> None:
    found = tariff(dose="1 / abs(dose - 30)")
    assert found.along("dose", np.array([0.3]), {}).tolist() == [OUT_OF_REACH]
    beyond = tariff(dose="wind")  # what is seen may lie beyond its bounds, and no price is below 0
    assert beyond.price("dose", {"wind": -3.0}) == 0.0


def test_prices_are_written_down_and_read_back() -> None:
    problem = sb.Causal(GRAPH, list(SPACE), prices={"dose": "0.1 * dose", "metal": 2, "lab": "learned"}, base=1)
    assert problem.prices == {"dose": "0.1 * dose", "metal": 2.0, "lab": "learned"}
    assert from_dict(sb.Causal, to_dict(problem)) == problem
    assert type(to_dict(problem)["prices"]["metal"]) is float
    kept = sb.Causal(GRAPH, list(SPACE), prices={"dose": lambda dose: dose}, base=1)
    with pytest.raises(InvalidProblem, match="data that can be written as JSON"):
        to_dict(kept)
    said = "1 a round, 0.1 * dose to set dose, 2 to set metal, a learned price to look at lab"
    assert dict(problem.describe())["prices"] == said


def at_two_looks(**limits: Any) -> tuple[sb.Optimizer, sb.core.Suggestion]:
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
        ({"base": 0}, "rounds that set nothing would never end"),
        ({"base": None}, "a number above 0"),
        ({"prices": None}, "base: 1.0 .* without prices all scopes cost the same"),
        ({"prices": None, "base": None, "tolerance": sb.Absolute(1.0)}, "tolerance: .* without prices"),
    ],
)
def test_what_is_no_price_is_refused_by_name_money(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidProblem, match=complaint):
        problem(**changed)


def test_what_is_seen_before_choosing_has_no_price() -> None:
    graph = sb.CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    with pytest.raises(InvalidProblem, match=r"prices.c: .* it is seen before choosing"):
        sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("c", 0, 1, seen=True)], prices={"c": 1.0}, base=1)
    with pytest.raises(InvalidProblem, match="numbers by variable"):
        check_prices(graph, 3)


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
