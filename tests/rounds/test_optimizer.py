"""The protocol itself, on a stub wing with staged contexts."""

from __future__ import annotations

import pytest

from steerbo.errors import InvalidContext, InvalidOutcome, InvalidRequest, OutcomeConflict
from steerbo.rounds import Optimizer
from steerbo.testing import Case, WingContract
from tests.rounds.stub import Nearest, Stub, evaluate, look


def stub_case() -> Case:
    return Case(
        Stub(), Nearest, evaluate, look, added={"age": 0.4, "dose": 0.4, "pulse": 0.5, "rest": 0.0}, predicts=False
    )


class TestStub(WingContract):
    case = staticmethod(stub_case)


def test_stages_show_one_context_after_the_other() -> None:
    optimizer = Optimizer(Stub(), Nearest)
    first = optimizer.ask()
    assert first is not None
    assert (first.observe, first.values) == (("age",), {})
    with pytest.raises(InvalidContext, match=r"context\.pulse"):
        optimizer.decide(first, {"age": 0.5, "pulse": 0.7})
    second = optimizer.decide(first, {"age": 0.5})
    assert (second.observe, set(second.values)) == (("pulse",), {"dose"})
    third = optimizer.decide(second, {"pulse": 0.7})
    assert third.observe == ()
    assert set(third.values) == {"dose", "rest"}
    assert third.values["dose"] == second.values["dose"]
    assert third.context == {"age": 0.5, "pulse": 0.7}
    with pytest.raises(InvalidContext):
        optimizer.decide(third, {"age": 0.5})
    optimizer.tell(third, 1.0)
    with pytest.raises(OutcomeConflict, match="told"):
        optimizer.decide(third, {"pulse": 0.7})


def test_requests_a_problem_does_not_know_are_refused() -> None:
    with pytest.raises(InvalidRequest, match=r"time: 3 .* a stub problem does not take it"):
        Optimizer(Stub(), Nearest).ask(time=3)


def test_a_budget_needs_costs_and_reserves_pending_ones() -> None:
    optimizer = Optimizer(Stub(), Nearest, budget=2.5)
    out = optimizer.ask(batch=9)
    assert len(out) == 3, "each is expected to cost 1: the third begins with .5 left"
    assert "reserved" in optimizer.status.finished
    world = stub_case()
    suggestion = world.decide(optimizer, out[0])
    with pytest.raises(InvalidOutcome, match="budget"):
        optimizer.tell(suggestion, 1.0)
    optimizer.tell(suggestion, 1.0, cost=0.1)
    assert optimizer.ask() is not None
    assert str(optimizer.status).startswith("4 rounds, 0.1 of 2.5 spent, 3 pending")


def test_measured_values_outside_the_bounds_are_data() -> None:
    optimizer = Optimizer(Stub(), Nearest)
    world = stub_case()
    suggestion = world.ask(optimizer)
    optimizer.tell(suggestion, 1.0, realised={"dose": 1.2})
    assert optimizer.history[suggestion.token].realised["dose"] == 1.2


def test_a_failed_round_can_be_amended_to_an_outcome() -> None:
    optimizer = Optimizer(Stub(), Nearest, budget=10)
    suggestion = stub_case().ask(optimizer)
    optimizer.fail(suggestion, "no reading", cost=2.0)
    optimizer.amend(suggestion, 0.7, reason="the reading was found")
    assert optimizer.status.told == 1
    assert optimizer.status.spent == 2.0


def test_the_log_gets_every_event_before_the_call_returns() -> None:
    class Refusing(list):  # type: ignore[type-arg]
        def append(self, event: object) -> None:
            if len(self) == 3:
                raise OSError("disk full")
            super().append(event)

    log = Refusing()
    optimizer = Optimizer(Stub(), Nearest, log=log)
    with pytest.raises(OSError, match="disk full"):
        stub_case().ask(optimizer)
    assert log == list(optimizer.events), "what is not in the log did not happen"
    assert optimizer.pending[0].observe == ("pulse",)
