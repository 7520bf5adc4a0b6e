"""Numbers as simulators and data bases return them: in an array, a list or a tuple of one, or as decimals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome

PROBLEM = sb.CostVarying([sb.Float("ph", 4, 8), sb.Integer("lamps", 1, 9, law=sb.Uniform())], [["ph"]])
AS_DECIMAL = pytest.param(lambda x: Decimal(str(x)), id="decimal")


@pytest.mark.parametrize(
    "wrap", [np.array, lambda x: np.array([[x]]), lambda x: (x,), lambda x: [x], np.float32, AS_DECIMAL]
)
def test_one_number_is_a_number(wrap: Any) -> None:
    study = sb.Optimizer(PROBLEM, rounds=3)
    suggestion = study.ask()
    study.tell(suggestion, wrap(1.5), cost=wrap(2.0), realised={"ph": wrap(6.0), "lamps": wrap(3)})
    outcome = study.history[suggestion.token].outcome
    assert outcome is not None
    assert (outcome.value, outcome.cost) == (1.5, 2.0)
    assert outcome.realised == {"ph": 6.0, "lamps": 3}
    assert sb.load(study.to_json()).history[suggestion.token].outcome == outcome


@pytest.mark.parametrize("wrap", [np.array, lambda x: (x,), lambda x: [x], np.float32, AS_DECIMAL])
def test_so_is_a_time(wrap: Any) -> None:
    study = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)]), rounds=3)
    asked = study.ask(time=wrap(2.5))
    assert study.history[asked.token].request["time"] == 2.5


@pytest.mark.parametrize("wrap", [np.array, np.float32, AS_DECIMAL])
def test_so_are_what_is_declared_and_asked_about(wrap: Any) -> None:
    problem = sb.CostVarying([sb.Float("ph", wrap(4), wrap(8))], [["ph"]], costs=[wrap(2)])
    assert problem == sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]], costs=[2])
    study = sb.Optimizer(problem, rounds=3)
    study.tell(study.ask(), 1.0)
    assert study.predict({"ph": wrap(5.5)}) == study.predict({"ph": 5.5})


@pytest.mark.parametrize("value", [(1, 2), [], np.array([1.0, 2.0]), ("1",), (True,), ((1.0,),), np.array([np.nan])])
def test_anything_else_is_refused(value: Any) -> None:
    study = sb.Optimizer(PROBLEM, rounds=3)
    with pytest.raises(InvalidOutcome, match="a finite number"):
        study.tell(study.ask(), value, realised={"lamps": 3})
