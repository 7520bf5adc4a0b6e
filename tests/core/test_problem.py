"""Requests and budgets, as every problem reads them."""

from __future__ import annotations

import pytest

from steerbo.core import Optimizer
from steerbo.errors import InvalidOutcome, InvalidRequest
from tests.core.stub import Nearest, Stub, stub_case


def test_requests_a_problem_does_not_know_are_refused() -> None:
    with pytest.raises(InvalidRequest, match=r"time: 3 .* a stub problem does not take it"):
        Optimizer(Stub(), Nearest).ask(time=3)
    with pytest.raises(InvalidRequest, match=r"available: .* settings of your own, by attach\(values\); if never"):
        Optimizer(Stub(), Nearest).ask(available={"x": (0.0, 0.5)})


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
    assert str(optimizer.status).startswith("4 rounds, 0.1 of 2.5 spent, 3 open")


def test_measured_values_outside_the_bounds_are_data() -> None:
    optimizer = Optimizer(Stub(), Nearest)
    world = stub_case()
    suggestion = world.ask(optimizer)
    optimizer.tell(suggestion, 1.0, realised={"dose": 1.2})
    assert optimizer.history[suggestion.token].realised["dose"] == 1.2
