"""What a play costs: only what is known counts, and only this study's rounds are charged."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome


def test_past_costs_teach_and_are_not_charged() -> None:
    law = sb.Uniform()
    problem = sb.CostVarying([sb.Float("t", 0, 1, law=law), sb.Float("ph", 0, 1, law=law)], [["t"], ["ph", "t"]])
    optimizer = sb.Optimizer(problem, "random", budget=30)
    for cost in (4.0, 6.0):
        optimizer.add(1.0, {"t": 0.5, "ph": 0.5}, cost=cost, scope=("t", "ph"))
    optimizer.add(1.0, {"t": 0.5, "ph": 0.5}, cost=99.0)
    assert str(optimizer.status) == "0 rounds, 0 of 30 spent"
    assert {choice.cost for choice in (optimizer.recommend(), *optimizer.recommend().alternatives)} == {None, 5.0}
    with pytest.raises(InvalidOutcome, match=r"scope: \['t', 'p'\] .* one of t, ph \+ t"):
        optimizer.add(1.0, {"t": 0.5, "ph": 0.5}, scope=["t", "p"])
    while (suggestion := optimizer.ask()) is not None and suggestion.scope.set != ("ph", "t"):
        optimizer.tell(suggestion, 1.0, cost=1.0, realised={"t": 0.5, "ph": 0.5})
    assert optimizer.status.reserved == 5.0


def test_an_unknown_cost_does_not_make_a_set_cheap() -> None:
    """A broken play of unknown cost once counted as a play for nothing."""
    law = sb.Uniform()
    problem = sb.CostVarying([sb.Float("t", 0, 1, law=law)], [["t"]])
    optimizer = sb.Optimizer(problem, "random")
    for i in range(4):
        suggestion = optimizer.ask()
        assert suggestion is not None
        if i % 2:
            optimizer.fail(suggestion, "the pump broke")
        else:
            optimizer.tell(suggestion, 1.0, cost=4.0)
    assert optimizer.recommend().cost == 4.0
    assert str(optimizer.status) == "4 rounds, 8 spent and 2 rounds whose cost nobody knows, 2 failed"
    optimizer.amend(list(optimizer.history)[1].suggestion, cost=7.0)
    assert optimizer.recommend().cost == 5.0
