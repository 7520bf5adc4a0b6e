"""Feasibility: constraints on outcomes and failures together, and constraints that hold on average over plays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.gp import GPRegression, SquaredExponentialKernel
from steerbo.optim import Box, FeasibleRegion
from steerbo.surrogate import ConstraintModels, Controlled, FailureModel, Feasibility, build_model, feasible


def heated(on_average: bool = False, outcomes: int = 8) -> Feasibility:
    """heat = x, at most 0.5."""
    limit = sb.OutcomeConstraint("heat", at_most=0.5, probability=0.9, on_average=on_average)

    def point(realised: Any, name: str, played: Any) -> np.ndarray:
        return np.array([realised["x"]])

    def fresh(drift_model: Any) -> GPRegression[Any]:
        return build_model(None, drift_model, SquaredExponentialKernel([0.5]))

    study = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], limits=[limit]))
    for x in np.linspace(0.0, 1.0, outcomes).tolist():
        study.add(0.0, {"x": x, "heat": x})
    return Feasibility(
        FailureModel(np.zeros(1, dtype=bool), point, study.history),
        ConstraintModels({"heat": limit}, fresh, None, ("x",), point, history=study.history),
    )


def test_without_models_and_failures_all_is_feasible() -> None:
    for some in (heated(outcomes=2), Feasibility(heated().failures)):
        assert not some.active
        assert not some.on_average
        assert some.margin([Controlled()]) is None
        assert some.slack("heat", np.zeros((1, 1))) is None
        box = Box([0.0], [1.0])
        assert some.region(box, [Controlled()]) is box


def test_a_region_leaves_out_settings_that_break_a_constraint() -> None:
    some = heated()
    region = some.region(Box([0.0], [1.0]), [Controlled()], near=np.array([[0.1]]))
    assert isinstance(region, FeasibleRegion)
    assert region.allows(np.array([[0.1], [0.9]])).tolist() == [True, False]
    assert some.margin([Controlled()], outcomes=False) is None
    wide = some.region(Box([0.0, 0.0], [1.0, 1.0]), [Controlled()], columns=[1])
    assert isinstance(wide, FeasibleRegion)
    assert wide.allows(np.array([[0.9, 0.1], [0.1, 0.9]])).tolist() == [True, False]
    slack = some.slack("heat", np.array([[0.1]]))
    assert slack is not None
    assert 0.0 < slack < 0.4


def test_feasible_points_come_first() -> None:
    margin = heated().margin([Controlled()])
    assert margin is not None
    points = np.linspace(0.0, 1.0, 5)[:, None]
    assert feasible(margin(points)).tolist() == [0, 1]
    assert feasible(margin(points[3:])).tolist() == [0]


def test_on_average_plays_that_kept_leave_something_over() -> None:
    some = heated(on_average=True)
    played: list[Any] = [
        SimpleNamespace(suggestion=SimpleNamespace(note={"likely": {"heat": 0.95}}), realised={"heat": 0.1})
    ]
    assert some.on_average
    assert some.required(played * 3)["heat"] == pytest.approx(0.9 * 4 - 3)
    assert some.required(played * 99, least=0.1) == {"heat": 0.1}
    likely = some.probabilities([Controlled()], np.array([[0.1], [0.9]]))["heat"]
    assert likely[0] > 0.9 > 0.1 > likely[1]
    assert some.averages(played * 3, {"heat": 0.2}) == {"heat": pytest.approx(0.8)}
    assert heated().required(played) == {"heat": 0.9}
