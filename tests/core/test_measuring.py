"""Further outcomes are told beside the value: read, insisted on, amended, kept out of everything else."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome, InvalidProblem

PROBLEM = sb.CostVarying(
    [sb.Float("a", 0, 1), sb.Float("b", 0, 1, law=sb.Uniform())],
    [["a"], ["a", "b"]],
    limits=[
        sb.OutcomeConstraint("pressure", at_most=5),
        sb.OutcomeConstraint("flow", at_least=1, at_most=3, probability=0.8),
    ],
)


def asked() -> tuple[sb.Optimizer, sb.core.Suggestion]:
    optimizer = sb.Optimizer(PROBLEM, rounds=9, seed=0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    return optimizer, suggestion


def test_they_are_among_what_really_happened() -> None:
    optimizer, suggestion = asked()
    assert PROBLEM.columns == ("a", "b", "pressure", "flow")
    assert PROBLEM.unmeasured(suggestion) == ("b", "pressure", "flow")
    optimizer.tell(suggestion, 1.0, realised={"b": 0.5, "pressure": 7, "flow": 2})
    assert optimizer.history[suggestion.token].realised["pressure"] == 7.0
    optimizer.amend(suggestion, realised={"pressure": 4.0})
    assert optimizer.history[suggestion.token].realised == {**suggestion.values, "b": 0.5, "pressure": 4.0, "flow": 2.0}
    assert sb.load(optimizer.to_json()).history[suggestion.token].realised["pressure"] == 4.0


@pytest.mark.parametrize(
    ("realised", "said"),
    [
        ({"b": 0.5, "flow": 1}, r"realised\.pressure: None .*expected the measured pressure"),
        ({"b": 0.5, "pressure": float("nan"), "flow": 1}, r"realised\.pressure"),
        ({"b": 0.5, "presure": 1, "flow": 1}, "did you mean 'pressure'"),
        ({"pressure": 1, "flow": 1}, "measured value of 'b'"),
    ],
)
def test_what_is_missing_or_no_number_is_refused_by_name(realised: dict[str, Any], said: str) -> None:
    optimizer, suggestion = asked()
    with pytest.raises(InvalidOutcome, match=said):
        optimizer.tell(suggestion, 1.0, realised=realised)
    assert not optimizer.history.n_completed


def test_what_broke_and_what_is_past_may_lack_them() -> None:
    optimizer, suggestion = asked()
    optimizer.fail(suggestion, "broke", cost=1.0)
    optimizer.add(1.0, {"a": 0.5, "b": 0.5})
    optimizer.add(1.0, {"a": 0.5, "b": 0.5, "pressure": 3})
    assert [data.outcome.realised.get("pressure") for data in optimizer.history.data.values()] == [None, 3.0]


def test_their_names_are_their_own() -> None:
    for name in ("a", "value", "time"):
        with pytest.raises(InvalidProblem, match=r"limits\.0\.name"):
            sb.CostVarying([sb.Float("a", 0, 1)], [["a"]], limits=[sb.OutcomeConstraint(name, at_most=1)])
    with pytest.raises(InvalidProblem, match=r"limits\.1\.name"):
        sb.CostVarying(
            [sb.Float("a", 0, 1)],
            [["a"]],
            limits=[sb.OutcomeConstraint("p", at_most=1), sb.OutcomeConstraint("p", at_least=0)],
        )


def test_kinds_that_learn_no_further_outcome_say_so() -> None:
    with pytest.raises(InvalidProblem, match=r"limits\.0: OutcomeConstraint.*Share or Headcount"):
        sb.MeanField(("a", "b"), agents=5, limits=[sb.OutcomeConstraint("p", at_most=1)])  # type: ignore[list-item]
