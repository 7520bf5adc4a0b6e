"""Which arms can be paid: no method plays another, and what is left is counted to the last coin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.paying import Paying, Turn
from steerbo.core import Optimizer
from steerbo.errors import InvalidOption
from tests.causal.test_charges import problem as varying
from tests.causal.test_money import PRICES, STAGED, VARIABLES, problem


def paying(optimizer: Optimizer) -> Paying[Any]:
    method = optimizer._method
    assert isinstance(method, Paying)
    return method


@pytest.mark.parametrize("method", ["cheap-first", "coca-bo", "cabo", "coca-bo-no-context", "random"])
def test_no_method_plays_what_it_cannot_pay(method: str) -> None:
    optimizer = sb.Optimizer(problem(), method, seed=0, budget=100, initial=1)
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
        sb.Optimizer(problem(base=7), seed=0, budget=6)
    optimizer = sb.Optimizer(problem(base=7), seed=0, budget=8)
    optimizer.tell(optimizer.ask().token, 1.0)
    assert optimizer.ask() is None
    assert optimizer.status.finished == "no scope fits into what is left of the budget"


def test_without_prices_every_arm_costs_a_round_and_all_fit() -> None:
    optimizer = Optimizer(sb.Causal(STAGED, VARIABLES), "coca-bo", seed=0, rounds=1)
    method = paying(optimizer)
    assert set(method.prices) == {1.0}
    assert method.within_reach(optimizer.history).tolist() == list(range(len(method.arms)))
    assert method.expected(0, {}, {}) is None
    assert method.finished(optimizer.history) == ""


def test_an_arm_costs_its_actions_and_looks_once_and_those_fit_for_which_there_is_money() -> None:
    optimizer = Optimizer(problem(), "cheap-first", seed=0, budget=25)
    method = paying(optimizer)
    for arm, price in zip(method.arms, method.prices, strict=True):
        assert price == 1 + sum(PRICES[name] for name in {*arm.scope.set, *arm.scope.contexts})
    fits = method.within_reach(optimizer.history)
    assert fits.tolist() == np.flatnonzero(method.prices <= 25).tolist()
    assert 0 < len(fits) < len(method.arms)


def test_the_arm_to_be_played_for_a_start_is_one_that_fits() -> None:
    optimizer = Optimizer(problem(), "cheap-first", seed=0, budget=25, initial=1)
    method = paying(optimizer)
    first = method.unready(optimizer.history)
    assert first is not None
    assert method.prices[first] <= 25
    while (suggestion := optimizer.ask()) is not None and method.unready(optimizer.history) is not None:
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
        optimizer.tell(suggestion, 0.0)
        method = paying(optimizer)
        then = method.unready(optimizer.history)
        assert then is None or method.prices[then] <= optimizer.history.remaining
    assert len(optimizer.history) > 1


# -- prices that hang on what is set -----------------------------------------------------------------------------------

WIND = {"wind": 0.25}


def test_the_least_the_fixed_and_the_expected_price_by_hand() -> None:
    """1 a round, 4 · dose + wind, .5 or 3 for rest, .5 for age, and wind for the pulse."""
    method = paying(Optimizer(varying(), "coca-bo", seed=0, budget=50))
    i = next(i for i, arm in enumerate(method.arms) if {"dose", "rest"} <= set(arm.scope.set))
    scope = method.arms[i].scope
    assert {"age", "pulse"} <= set(scope.contexts)
    assert method.fixed(i, WIND) == pytest.approx(1.75)
    assert method.least(i, WIND) == pytest.approx(2.5)
    assert method.least(i, {}) == pytest.approx(4.0), "the wind is at its dearest where nobody saw it"
    assert method.expected(i, {}, WIND) == pytest.approx(2.5)
    assert method.expected(i, {"dose": 0.5}, WIND) == pytest.approx(4.5)
    assert method.expected(i, {"dose": 0.5, "rest": 0.75}, WIND) == pytest.approx(7.0)


def test_what_is_wanted_for_rounds_that_are_out_is_no_longer_there() -> None:
    optimizer = Optimizer(varying(), "coca-bo", seed=0, initial=1, budget=50)
    method = paying(optimizer)
    assert method.purse(optimizer.history) == 50
    suggestion = optimizer.ask(context=WIND)
    assert isinstance(suggestion, sb.Suggestion)
    while suggestion.observe:
        suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
    wanted = optimizer.problem.price(suggestion)
    assert wanted is not None
    assert method.purse(optimizer.history) == pytest.approx(50 - wanted)
    assert method.purse(optimizer.history, suggestion.token) == 50, "its own money it has"
    optimizer.tell(suggestion, 1.0)
    assert method.purse(optimizer.history) == pytest.approx(50 - wanted)
    assert paying(Optimizer(varying(), "coca-bo", seed=0, rounds=9)).purse(optimizer.history) <= 50


def test_a_toll_leaves_for_a_group_what_the_others_do_not_need() -> None:
    optimizer = Optimizer(varying(), "coca-bo", seed=0, initial=1, budget=50)
    method = paying(optimizer)
    i = next(i for i, arm in enumerate(method.arms) if {"dose", "rest"} <= set(arm.scope.set))
    fixed = method.fixed(i, WIND)
    first = method.toll(optimizer.history, Turn(1), i, ["dose"], WIND)
    assert first is not None
    assert first.most == pytest.approx(50 - fixed - 0.5), "the rest at its least"
    second = method.toll(optimizer.history, Turn(1, rate=2.0), i, ["rest"], {**WIND, "dose": 0.5})
    assert second is not None
    assert second.most == pytest.approx(50 - fixed - 2.25), "the dose as it is"
    assert second.exchange == pytest.approx(2.0 / method.model(i).scale)
    assert first.exchange == 0.0
    stated = paying(Optimizer(problem(), "coca-bo", seed=0, budget=50))
    assert stated.toll(optimizer.history, Turn(1), 0, [], {}) is None
