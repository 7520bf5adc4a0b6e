"""What a failure, a round that nobody evaluates, and data of others cost: said once, corrected by name, never twice."""

from __future__ import annotations

import re
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.errors import InvalidInput, InvalidOutcome, OutcomeConflict, UnknownSuggestion
from tests.core.kinds import PROBLEMS

PROBLEM = sb.CostVarying([sb.Float(n, 0, 1, law=sb.Uniform()) for n in ("t", "ph")], [["t"], ["ph"]])
POINT = {"t": 0.5, "ph": 0.5}


def begin(**more: Any) -> Optimizer:
    return Optimizer(PROBLEM, "random", budget=30, seed=1, **more)


def replayed(optimizer: Optimizer) -> Optimizer:
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.status == optimizer.status
    assert again.history.data == optimizer.history.data
    return again


def test_a_charge_is_for_a_cost_that_nobody_knows() -> None:
    optimizer = begin()
    broken = optimizer.ask(1)[0]
    with pytest.raises(
        InvalidOutcome, match=r"charge: 1 is not allowed; expected nothing, since the cost is known to be 1"
    ):
        optimizer.fail(broken, cost=1, charge=1)
    assert optimizer.history[broken.token].state == "open"
    priced = Optimizer(sb.CostVarying(PROBLEM.variables, [["t"]], costs=[2]), "random", budget=30)
    with pytest.raises(InvalidOutcome, match="known to be 2"):
        priced.fail(priced.ask(1)[0], charge=1)


def test_what_is_said_again_of_a_failed_round_is_the_same_or_refused() -> None:
    optimizer = begin()
    broken = optimizer.ask(1)[0]
    optimizer.fail(broken, "pump", charge=2, realised={"t": 0.25})
    logged = optimizer.events
    for same in ({}, {"charge": 2}, {"realised": {"t": 0.25}}, {"reason": "pump"}):
        optimizer.fail(broken, **same)
    assert optimizer.events == logged
    for other in ({"charge": 3}, {"cost": 2}, {"realised": {"t": 0.5}}, {"realised": {"t": 0.25, "ph": 0.5}}):
        with pytest.raises(OutcomeConflict, match="amend"):
            optimizer.fail(broken, **other)


def test_another_reason_is_kept_as_a_remark_once() -> None:
    optimizer = begin()
    broken, left = optimizer.ask(2)
    for reason in ("pump", "pump", "", "the seal of the pump", "the seal of the pump"):
        optimizer.fail(broken, reason, charge=2)
        optimizer.abandon(left, reason)
    kept = ("the seal of the pump",)
    assert optimizer.history.remarks == {broken.token: kept, left.token: kept}
    assert (optimizer.history[broken.token].state, optimizer.history[left.token].state) == ("failed", "abandoned")
    assert optimizer.status == replayed(optimizer).status


def test_a_charge_is_corrected() -> None:
    optimizer = begin()
    broken, told, left = optimizer.ask(3)
    optimizer.fail(broken, charge=20)
    optimizer.tell(told, 1, cost=1, realised=POINT)
    optimizer.amend(broken, charge=2)
    assert (optimizer.status.spent, optimizer.status.estimated) == (3, 2)
    replayed(optimizer)
    with pytest.raises(InvalidOutcome, match="charge"):
        optimizer.amend(told, charge=2)
    with pytest.raises(InvalidOutcome, match="charge"):
        optimizer.amend(broken, cost=1, charge=2)
    with pytest.raises(InvalidOutcome, match="charge"):
        optimizer.amend(broken, charge=True)
    optimizer.amend(broken, cost=4)
    with pytest.raises(InvalidOutcome, match="charge"):
        optimizer.amend(broken, charge=2)
    assert (optimizer.status.spent, optimizer.status.estimated) == (5, 0)
    optimizer.abandon(left, charge=1)
    optimizer.abandon(left, charge=1)
    optimizer.abandon(left)
    with pytest.raises(OutcomeConflict, match="1 is charged"):
        optimizer.abandon(left, charge=2)
    replayed(optimizer)


def test_data_is_charged_and_named_afterwards() -> None:
    optimizer = begin()
    optimizer.add(1, POINT, cost=3)
    optimizer.add(2, POINT)
    assert optimizer.status.spent == 0
    optimizer.amend("added-1", charge=True, scope=["ph"])
    assert optimizer.status.spent == 3
    (ph,) = [scope for scope in PROBLEM.scopes if scope.set == ("ph",)]
    assert optimizer.history.mean_cost(ph) == 3
    optimizer.amend("added-1", cost=4)
    assert optimizer.status.spent == 4, "what is charged stays charged"
    assert optimizer.history.data["added-1"].scope == ph
    with pytest.raises(InvalidOutcome, match="cost"):
        optimizer.amend("added-2", charge=True)
    with pytest.raises(InvalidOutcome, match="true or false"):
        optimizer.amend("added-1", charge=2)
    with pytest.raises(InvalidOutcome, match="scope"):
        optimizer.amend(optimizer.ask(1)[0], scope=["ph"])
    optimizer.amend("added-1", charge=False)
    assert optimizer.status.spent == 0
    optimizer.amend("added-1", charge=True)
    optimizer.amend("added-1", void=True)
    assert optimizer.status.spent == 4, "what was spent is spent"
    assert replayed(optimizer).history.removed == optimizer.history.removed


@pytest.mark.parametrize("kind", PROBLEMS)
def test_void_data_comes_back_by_a_correction(kind: str) -> None:
    problem, measured = PROBLEMS[kind]
    once, again = (Optimizer(problem, seed=1, budget=30) for _ in range(2))
    for optimizer in (once, again):
        for value in (1.0, 2.0, 3.0):
            optimizer.add(value, measured, cost=2, charge=True)
    again.amend("added-2", void=True)
    again.amend("added-2", void=True)
    assert list(again.history.data) == ["added-1", "added-3"]
    for optimizer in (once, again):
        optimizer.amend("added-2", 2.5, cost=3)
    assert again.history.data == once.history.data
    assert list(again.history.data) == ["added-1", "added-2", "added-3"]
    assert not again.history.removed
    assert again.status == once.status
    assert again.recommend() == once.recommend()
    replayed(again)


def test_data_is_no_suggestion() -> None:
    optimizer = begin()
    optimizer.add(1, POINT)
    with pytest.raises(UnknownSuggestion, match=r"added-1 is data, and no suggestion: to correct it, use amend"):
        optimizer.tell("added-1", 2, cost=1)


def test_what_is_taken_back_leaves_nothing() -> None:
    """0.1 + 0.7 − 0.7 is not 0.1 to a computer, and a charge of 2.2e-16 would be spoken of for ever."""
    optimizer = begin()
    one, other, third = optimizer.ask(3)
    optimizer.fail(one, charge=0.1)
    optimizer.fail(other, charge=0.7)
    optimizer.tell(third, 1, cost=0.2, realised=POINT)
    optimizer.amend(other, charge=0)
    optimizer.amend(one, cost=0.1)
    assert optimizer.status.spent == pytest.approx(0.3, abs=1e-15)
    assert optimizer.status.estimated == 0
    assert "(charged" not in str(optimizer.status)
    replayed(optimizer)


@pytest.mark.parametrize("kind", ["cost-varying", "causal"])
def test_a_name_that_heads_a_column_is_explained(kind: str) -> None:
    problem, measured = PROBLEMS[kind]
    first = problem.space.names[0]
    optimizer = sb.Optimizer(problem, "random", rounds=9)
    optimizer.revise(columns={first: "CO2 (ppm)", "value": "Yield"})
    said = re.escape(f"'CO2 (ppm)' is the column of {first} in tables: use {first} here.")
    suggestion = optimizer.ask()
    for call in (optimizer.tell, optimizer.amend, lambda _, value, realised: optimizer.add(value, realised)):
        with pytest.raises(InvalidInput, match=said) as refused:
            call(suggestion, 1.0, realised={"CO2 (ppm)": 600.0, **measured})
        assert refused.value.field.endswith("CO2 (ppm)")
        if call == optimizer.tell:
            optimizer.tell(suggestion, 1.0, realised=measured)
    with pytest.raises(InvalidInput, match=rf"^scope: .*{said}"):
        optimizer.add(1.0, measured, scope=["CO2 (ppm)"])
    with pytest.raises(InvalidInput, match="other") as refused:
        optimizer.add(1.0, {"other": 1.0, **measured})
    assert "column" not in str(refused.value)


def test_another_report_of_the_same_value_says_what_is_different() -> None:
    optimizer = Optimizer(sb.CostVarying([sb.Float("t", 0, 1), sb.Float("ph", 4, 8, law=sb.Uniform())], [["t"]]))
    suggestion = optimizer.ask()
    assert suggestion is not None
    optimizer.tell(suggestion, 7.4, cost=1, realised={"ph": 6.2})
    for value, cost, ph, said in (
        (7.4, 1, 6.9, "(7.4, with ph = 6.2)"),
        (7.4, 2, 6.2, "(7.4, with cost = 1.0)"),
        (7.8, 2, 6.9, "(7.4)"),
    ):
        with pytest.raises(OutcomeConflict, match=re.escape(f"has an outcome already {said}")):
            optimizer.tell(suggestion, value, cost=cost, realised={"ph": ph})
