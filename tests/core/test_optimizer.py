"""The protocol itself, on a stub wing with staged contexts."""

from __future__ import annotations

import pytest

from steerbo.core import Optimizer
from steerbo.errors import InvalidContext, OutcomeConflict
from steerbo.testing import WingContract
from tests.core.stub import Nearest, Stub, stub_case


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
    with pytest.raises(OutcomeConflict, match="nothing to look at"):
        optimizer.decide(third, {"age": 0.5})
    optimizer.tell(third, 1.0)
    with pytest.raises(OutcomeConflict, match="told"):
        optimizer.decide(third, {"pulse": 0.7})


def test_a_failed_round_can_be_amended_to_an_outcome() -> None:
    optimizer = Optimizer(Stub(), Nearest, budget=10)
    suggestion = stub_case().ask(optimizer)
    optimizer.fail(suggestion, "no reading", cost=2.0)
    optimizer.amend(suggestion, 0.7, reason="the reading was found")
    assert optimizer.status.told == 1
    assert optimizer.status.spent == 2.0
