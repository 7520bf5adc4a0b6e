"""What plays cost where prices hang on what is set or seen, or are learned; no more is spent than there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal._costs import ActionCost, CostModel, PriceRegression
from steerbo.causal.method import CausalMethod
from steerbo.causal.prices import PriceTable
from steerbo.core import Optimizer, Scope, Suggestion
from steerbo.errors import InvalidOption, InvalidOutcome
from steerbo.optim import Box
from steerbo.space import Space
from steerbo.testing import Case, TraitContract
from tests.causal import priced

pytestmark = pytest.mark.few_draws

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


class TestFormulas(TraitContract):
    case = staticmethod(lambda: small(dose="4 * dose + wind", age="wind"))


class TestLearned(TraitContract):
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


def test_settings_that_were_reached_are_paid_for() -> None:
    optimizer = sb.Optimizer(problem({"dose": "1 + 10 * dose", "rest": 1.0}), "random", seed=1, budget=60)
    for reached in (0.1, 0.9):
        suggestion = optimizer.ask(context={"wind": 0.5})
        while suggestion is not None and "dose" not in suggestion.scope.set:
            optimizer.abandon(suggestion)
            suggestion = optimizer.ask(context={"wind": 0.5})
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        planned = optimizer.problem.price(suggestion)
        assert planned is not None
        optimizer.tell(suggestion, 1.0, realised={"dose": reached})
        more = 10 * (reached - suggestion.values["dose"])
        assert optimizer.history[suggestion.token].paid == pytest.approx(planned + more)


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
    at = method.costs.along("dose", np.array([told[0].values["dose"]]), {"wind": 0.5})
    assert at == pytest.approx([2 + told[0].values["dose"]], abs=0.2)
    optimizer.amend(told[0], cost=40.0, reason="the bill came")
    assert method.costs.along("dose", np.array([told[0].values["dose"]]), {"wind": 0.5}) > at + 1


def test_prices_are_learned_at_the_settings_that_were_reached() -> None:
    of = problem({"dose": "learned", "rest": 9})
    optimizer = sb.Optimizer(of, "random", seed=1)
    for reached in np.linspace(0, 1, 12):
        suggestion = optimizer.ask(context={"wind": 0.5})
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        paid = 1 + 9 * ("rest" in suggestion.values) + (2 + 5 * reached) * ("dose" in suggestion.values)
        optimizer.tell(suggestion, 1.0, cost=paid, realised={"dose": reached} if "dose" in suggestion.values else {})
    costs = CostModel(of, optimizer.history)
    at = costs.along("dose", np.array([0.1, 0.9]), {"wind": 0.5})
    assert at == pytest.approx([2.5, 6.5], abs=0.2)


def test_prices_at_values_and_at_the_least() -> None:
    of = problem()
    costs = CostModel(of, Optimizer(of).history)
    assert costs.varying(("dose", "rest", "age")) == ("dose", "rest")
    grid = np.array([[0.5, 0.2], [0.0, 0.9]])
    assert costs.of_rows(("dose", "rest"), grid, {"wind": 1.0}).tolist() == [3.5, 4.0]
    scope = Scope.of({"dose": ["age"], "rest": ["pulse"]})
    assert costs.fixed_of(scope, {"wind": 0.25}) == 1.75
    assert costs.least_of(scope, {"wind": 0.25}) == 2.5
    assert costs.least_of(Scope(["dose"]), {}) == 2.0, "where it is not seen yet, the wind is at its dearest"


def test_what_cannot_be_paid_is_as_near_as_can_be() -> None:
    of = problem({"dose": "10 * dose"})
    costs = CostModel(of, Optimizer(of).history)
    box = Box([0.0], [1.0], [None], [False])
    for most, wanted, found in ((6.0, 0.5, 0.5), (3.0, 0.5, 0.3), (-1.0, 0.5, 0.0)):
        assert ActionCost(costs, {}, most=most).nearest_affordable(("dose",), box, np.array([wanted])) == pytest.approx(
            [found], abs=0.02
        )
    assert ActionCost(costs, {}, value_per_cost=2.0).in_value(("dose",), np.array([[0.5]])).tolist() == [10.0]


SPACE = Space([
    sb.Float("heat", 0, 50), sb.Float("dose", 0, 1), sb.Float("lab", 0, 1), sb.Float("wind", 0, 10, seen=True)
])  # fmt: skip


def learned(noise: float = 0.0) -> PriceRegression:
    """Heat costs the square of its hundredth part, less in wind; dose is known; a look costs 2."""
    tariff = PriceTable.of({"heat": "learned", "lab": "learned", "dose": "3 * dose"}, 1.0, SPACE, ["heat", "dose"])
    found, random = PriceRegression(tariff, ["heat", "dose"]), np.random.default_rng(0)
    for k in range(40):
        known = {"heat": random.uniform(0, 50), "dose": random.random(), "wind": random.uniform(0, 10)}
        look = ["lab"] if k % 2 else []
        cost = 1 + 3 * known["dose"] + (known["heat"] / 20) ** 2 - 0.1 * known["wind"] + 2 * len(look) + 2
        found.add(Scope.of({"heat": look, "dose": []}), known, cost + noise * random.normal())
    return found


def test_a_price_is_found_at_values_and_for_what_is_seen() -> None:
    found, grid = learned(), np.linspace(0.1, 0.9, 9)
    for wind in (2.0, 8.0):
        wanted = (50 * grid / 20) ** 2 - 0.1 * wind + 2
        assert found.along("heat", grid, {"wind": wind}) == pytest.approx(wanted, abs=0.25)
    assert found.along("lab", np.zeros(1), {"wind": 5.0}) == pytest.approx(2.0, abs=0.25)


def test_noise_is_averaged_out() -> None:
    found, grid = learned(noise=0.3), np.linspace(0.1, 0.9, 9)
    wanted = (50 * grid / 20) ** 2 - 0.1 * 5 + 2
    assert found.along("heat", grid, {"wind": 5.0}) == pytest.approx(wanted, abs=0.7)


def test_before_any_cost_nothing_is_known_and_no_price_is_below_0() -> None:
    tariff = PriceTable.of({"heat": "learned"}, 1.0, SPACE, ["heat", "dose"])
    found = PriceRegression(tariff, ["heat", "dose"])
    assert found.along("heat", np.array([0.2, 0.8]), {"wind": 1.0}).tolist() == [0.0, 0.0]
    found.add(Scope(["dose"]), {"dose": 0.5, "wind": 1.0}, 99.0)  # it sets nothing whose price is learned
    assert len(found) == 0
    found.add(Scope(["heat"]), {"heat": 25.0, "wind": 1.0}, 0.25)  # less than a round costs in any case
    assert found.along("heat", np.array([0.5]), {"wind": 1.0}).tolist() == [0.0]


def paying(optimizer: Optimizer) -> CausalMethod[Any]:
    method = optimizer._method
    assert isinstance(method, CausalMethod)
    return method


@pytest.mark.parametrize("method", ["cheap-first", "coca-bo", "cabo", "coca-bo-no-context", "random"])
def test_no_method_plays_what_it_cannot_pay(method: str) -> None:
    optimizer = sb.Optimizer(priced.problem(), method, seed=0, budget=100, initial=1)
    number = 0
    while (suggestion := optimizer.ask()) is not None:
        number += 1
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.1 * (number % 10)))
        optimizer.tell(suggestion, float(number % 3))
        assert optimizer.status.spent <= 100
    assert optimizer.status.finished in ("no scope fits into what is left of the budget", "the budget is spent")
    assert optimizer.recommend().cost is not None


def test_a_budget_below_the_cheapest_scope() -> None:
    with pytest.raises(InvalidOption, match="no scope fits"):
        sb.Optimizer(priced.problem(base=7), seed=0, budget=6)
    optimizer = sb.Optimizer(priced.problem(base=7), seed=0, budget=8)
    optimizer.tell(optimizer.ask().token, 1.0)
    assert optimizer.ask() is None
    assert optimizer.status.finished == "no scope fits into what is left of the budget"


def test_without_prices_every_arm_costs_a_round_and_all_fit() -> None:
    optimizer = Optimizer(sb.Causal(priced.STAGED, priced.VARIABLES), "coca-bo", seed=0, rounds=1)
    method = paying(optimizer)
    assert set(method.costs.minima) == {1.0}
    assert method.costs.affordable().tolist() == list(range(len(method.arms)))
    assert method.costs.expected(0, {}, {}) is None
    assert method.finished() == ""


def test_an_arm_costs_its_actions_and_looks_once_and_those_fit_for_which_there_is_money() -> None:
    optimizer = Optimizer(priced.problem(), "cheap-first", seed=0, budget=25)
    method = paying(optimizer)
    for arm, price in zip(method.arms, method.costs.minima, strict=True):
        assert price == 1 + sum(priced.PRICES[name] for name in {*arm.scope.set, *arm.scope.contexts})
    fits = method.costs.affordable()
    assert fits.tolist() == np.flatnonzero(method.costs.minima <= 25).tolist()
    assert 0 < len(fits) < len(method.arms)


def test_the_arm_to_be_played_for_a_start_is_one_that_fits() -> None:
    optimizer = Optimizer(priced.problem(), "cheap-first", seed=0, budget=25, initial=1)
    method = paying(optimizer)

    def waiting() -> int | None:
        found: int | None = method.needs_initial_plays(method.costs.affordable())
        return found

    first = waiting()
    assert first is not None
    assert method.costs.minima[first] <= 25
    while (suggestion := optimizer.ask()) is not None and waiting() is not None:
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        optimizer.tell(suggestion, 0.0)
        method = paying(optimizer)
        then = waiting()
        assert then is None or method.costs.minima[then] <= optimizer.history.remaining
    assert len(optimizer.history) > 1


# -- prices that hang on what is set -----------------------------------------------------------------------------------

WIND = {"wind": 0.25}


def test_the_least_the_fixed_and_the_expected_price_by_hand() -> None:
    """1 a round, 4 · dose + wind, .5 or 3 for rest, .5 for age, and wind for the pulse."""
    method = paying(Optimizer(problem(), "coca-bo", seed=0, budget=50))
    i = next(i for i, arm in enumerate(method.arms) if {"dose", "rest"} <= set(arm.scope.set))
    scope = method.arms[i].scope
    assert {"age", "pulse"} <= set(scope.contexts)
    assert method.costs.fixed(i, WIND) == pytest.approx(1.75)
    assert method.costs.least(i, WIND) == pytest.approx(2.5)
    assert method.costs.least(i, {}) == pytest.approx(4.0), "the wind is at its dearest where nobody saw it"
    assert method.costs.expected(i, {}, WIND) == pytest.approx(2.5)
    assert method.costs.expected(i, {"dose": 0.5}, WIND) == pytest.approx(4.5)
    assert method.costs.expected(i, {"dose": 0.5, "rest": 0.75}, WIND) == pytest.approx(7.0)


def test_what_is_wanted_for_rounds_that_are_out_is_no_longer_there() -> None:
    optimizer = Optimizer(problem(), "coca-bo", seed=0, initial=1, budget=50)
    method = paying(optimizer)
    assert method.costs.remaining_budget() == 50
    suggestion = optimizer.ask(context=WIND)
    assert isinstance(suggestion, sb.core.Suggestion)
    while suggestion.observe:
        suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
    wanted = optimizer.problem.price(suggestion)
    assert wanted is not None
    assert method.costs.remaining_budget() == pytest.approx(50 - wanted)
    assert method.costs.remaining_budget(suggestion.token) == 50, "its own money it has"
    optimizer.tell(suggestion, 1.0)
    assert method.costs.remaining_budget() == pytest.approx(50 - wanted)
    assert paying(Optimizer(problem(), "coca-bo", seed=0, rounds=9)).costs.remaining_budget() == np.inf


def test_a_toll_leaves_for_a_group_what_the_others_do_not_need() -> None:
    optimizer = Optimizer(problem(), "coca-bo", seed=0, initial=1, budget=50)
    method = paying(optimizer)
    i = next(i for i, arm in enumerate(method.arms) if {"dose", "rest"} <= set(arm.scope.set))
    fixed = method.costs.fixed(i, WIND)
    first = method.costs.of_group(i, ["dose"], WIND, token=None, value_per_cost=0.0)
    assert first is not None
    assert first.most == pytest.approx(50 - fixed - 0.5), "the rest at its least"
    second = method.costs.of_group(i, ["rest"], {**WIND, "dose": 0.5}, token=None, value_per_cost=2.0)
    assert second is not None
    assert second.most == pytest.approx(50 - fixed - 2.25), "the dose as it is"
    assert second.value_per_cost == 2.0
    assert first.value_per_cost == 0.0
    stated = paying(Optimizer(priced.problem(), "coca-bo", seed=0, budget=50))
    assert stated.costs.of_group(0, [], {}, token=None, value_per_cost=0.0) is None
