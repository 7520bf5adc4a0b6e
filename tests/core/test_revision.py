"""Limits that are changed on the way: logged with the time, read back by everybody, and nothing else can be."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.core import LimitsRevised, Optimizer
from steerbo.errors import InvalidOption
from steerbo.testing.case import bits
from tests.costvarying import worlds

PROBLEM = sb.CostVarying([sb.Float(n, 0, 1, law=sb.Uniform()) for n in ("t", "ph")], [["t"], ["ph"]])


def test_a_raised_limit_is_logged_once_and_replayed() -> None:
    optimizer = Optimizer(PROBLEM, "random", budget=1, rounds=4)
    optimizer.tell(optimizer.ask(1)[0], 1, cost=1, realised={"t": 0.5, "ph": 0.5})
    assert optimizer.ask() is None
    for _ in range(2):
        optimizer.revise(budget=3, rounds=None, columns={"value": "Yield"})
    (event,) = [event for event in optimizer.events if isinstance(event, LimitsRevised)]
    assert event.changes == {"budget": (1, 3), "columns": ({}, {"value": "Yield"}), "rounds": (4, None)}
    assert event.when.endswith("+00:00")
    assert optimizer.ask() is not None
    for again in (Optimizer.replay(PROBLEM, optimizer.events), sb.load(optimizer.to_json())):
        assert (again.status, again.history.columns) == (optimizer.status, {"value": "Yield"})
        assert again.status.budget == 3
        assert again.events == optimizer.events
    optimizer.extend({"t": (0, 2)})
    assert optimizer.status.budget == 3, "on the wider problem, too"


@pytest.mark.parametrize("method", ["cheap-first", "explore-then-commit"])
def test_what_comes_after_it_is_the_same_after_a_restart(method: str) -> None:
    case = worlds.case(method)
    optimizer = case.play(case.start(budget=20.0), 3)
    optimizer.revise(budget=60.0)
    case.play(optimizer, 3)
    again = Optimizer.replay(case.problem, optimizer.events)
    assert bits(again.status) == bits(optimizer.status)
    assert bits(case.ask(again)) == bits(case.ask(optimizer))


@pytest.mark.parametrize(
    "wrong",
    [{"seed": 3}, {"budget": -1}, {"budget": "much"}, {"rounds": 0}, {"rounds": 1.5}, {"columns": ["value"]},
     {"columns": {"value": 3}}, {"columns": None}, {"columns": {"\ud800": "Yield"}}],
)  # fmt: skip
def test_nothing_else_can_be_revised(wrong: dict[str, Any]) -> None:
    optimizer = Optimizer(PROBLEM, "random", budget=3)
    with pytest.raises(InvalidOption, match=next(iter(wrong))):
        optimizer.revise(**wrong)
    assert len(optimizer.events) == 1


@pytest.mark.parametrize(("budget", "cost", "rounds"), [(1, 0.1, 10), (0.3, 0.1, 3), (2.1, 0.7, 3), (1e6, 0.1e6, 10)])
def test_rounding_neither_buys_a_round_nor_takes_one(budget: float, cost: float, rounds: int) -> None:
    """Ten times 0.1 is 0.9999999999999999 to a computer, and 0.3 less 0.2 is less than 0.1."""
    one = sb.CostVarying(PROBLEM.variables, [["t"]])
    for problem in (one, sb.TimeVarying([sb.Float("t", 0, 1)], [sb.Prior(sb.timevarying.SquaredExponential(0.1))])):
        optimizer = Optimizer(problem, "random", budget=budget)
        while (suggestion := optimizer.ask()) is not None:
            realised = {"t": 0.5, "ph": 0.5} if problem is one else {}
            optimizer.tell(suggestion, 1, cost=cost, realised=realised)
        assert len(optimizer.history) == rounds
        assert optimizer.status.finished == "the budget is spent"
