"""What the model is told: every outcome once, as it stands now, with its time, and what was measured beside it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.costvarying._surrogate import Surrogate
from steerbo.costvarying.method import CostVaryingMethod
from steerbo.optim import Box, FeasibleRegion
from steerbo.surrogate import Controlled, Observed
from tests.costvarying.worlds import PROBLEM, case, drifting_case

DATA = {"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a"}
LIMITED = sb.CostVarying(
    [sb.Float("a", 0, 1), sb.Float("b", 0, 1, law=sb.Uniform())],
    [["a", "b"]],
    limits=[sb.OutcomeConstraint("pressure", at_most=1.0)],
)


def surrogate(optimizer: Optimizer) -> Surrogate:
    method = optimizer._method
    assert isinstance(method, CostVaryingMethod)
    return method.surrogate


def told(optimizer: Optimizer) -> np.ndarray:
    """Rows that the model has: a point and its outcome."""
    model = surrogate(optimizer).model
    return np.column_stack([model.inputs, model.outcomes])


def expected(optimizer: Optimizer) -> np.ndarray:
    """The same, counted from the history by hand."""
    space, sign = optimizer.problem.space, optimizer.problem.sign
    outcomes = [outcome for _, outcome, _ in optimizer.history.outcomes()]
    return np.array([[*space.encode([outcome.realised])[0], sign * outcome.value] for outcome in outcomes])


def in_order(rows: np.ndarray) -> np.ndarray:
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("minimize", [False, True])
def test_the_model_has_every_outcome_as_it_stands_now(minimize: bool) -> None:
    world = case("ucb-psq")
    world = dataclasses.replace(world, problem=dataclasses.replace(PROBLEM, minimize=minimize))
    optimizer = world.play(world.start(), 3)
    optimizer.add(0.5, DATA)
    broken = optimizer.ask()
    assert isinstance(broken, sb.core.Suggestion)
    optimizer.fail(broken, cost=1.0)
    np.testing.assert_allclose(in_order(told(optimizer)), in_order(expected(optimizer)))
    first = next(iter(optimizer.history)).suggestion
    optimizer.amend(first, value=9.0)
    optimizer.amend("added-1", void=True)
    assert len(told(optimizer)) == 3
    assert 9.0 * optimizer.problem.sign in told(optimizer)[:, -1]
    np.testing.assert_allclose(in_order(told(optimizer)), in_order(expected(optimizer)))


def test_hyperparameters_are_learned_by_schedule_and_taken_over() -> None:
    world = case("ucb-psq")
    optimizer = world.play(world.start(), 6)
    learned_from = surrogate(optimizer)
    assert 0 < learned_from.fitted_at <= 6
    learned = [event for event in optimizer.events if isinstance(event, sb.core.Refitted)]
    assert learned
    found, logged = learned_from.model.hyperparameters.to_dict(), learned[-1].hyperparameters["objective"]
    assert list(map(float.fromhex, found["theta"])) == pytest.approx(list(map(float.fromhex, logged["theta"])))
    assert learned_from.refit() is None, "nothing is due"


def times_of(optimizer: Optimizer) -> Any:
    return surrogate(optimizer).model.inputs[:, -1]


def test_data_says_when_it_was_measured_or_it_is_now() -> None:
    world = drifting_case("ucb-psq")
    optimizer = world.play(world.start(), 6)
    optimizer.add(1.0, DATA)
    optimizer.add(1.0, {**DATA, "time": -2})
    times = times_of(optimizer)
    assert times[-2:].tolist() == [optimizer.history.latest.request["time"], -2.0]  # type: ignore[union-attr]
    optimizer.amend("added-2", 1.5)
    optimizer.amend(optimizer.history.latest.suggestion, 1.5)  # type: ignore[union-attr]
    assert sorted(times_of(optimizer)) == sorted(times)
    with pytest.raises(sb.errors.InvalidOutcome, match=r"realised\.time"):
        optimizer.add(1.0, {**DATA, "time": float("nan")})
    again = Optimizer.replay(world.problem, optimizer.events)
    assert again.recommend() == optimizer.recommend()


def limited() -> Optimizer:
    """Five told rounds: the pressure rises with a."""
    optimizer = Optimizer(LIMITED, "ucb-psq", seed=0)
    for _ in range(5):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 0.0, realised={"pressure": 2 * suggestion.values["a"]})
    return optimizer


def pressures(optimizer: Optimizer) -> list[float]:
    found: list[float] = surrogate(optimizer).feasibility.models[0].model.outcomes.tolist()
    return found


def test_what_is_measured_beside_the_value_is_learned_from_plays_failures_and_data() -> None:
    optimizer = limited()
    broken = optimizer.ask()
    assert broken is not None
    optimizer.fail(broken, "burst", cost=1.0, realised={"pressure": 7.0})
    optimizer.add(0.0, {"a": 0.9, "b": 0.5, "pressure": 1.8})
    optimizer.add(0.0, {"a": 0.2, "b": 0.5})
    assert len(told(optimizer)) == 7, "what broke has no value"
    assert pressures(optimizer)[-2:] == [7.0, 1.8]
    assert len(pressures(optimizer)) == 7, "data that say nothing of it are left out"
    before = sorted(pressures(optimizer))
    optimizer.amend("added-2", value=1.0)
    assert sorted(pressures(optimizer)) == before
    first = next(iter(optimizer.history)).suggestion
    optimizer.amend(first, realised={"pressure": 5.5})
    assert 5.5 in pressures(optimizer)
    assert len(pressures(optimizer)) == 7


def test_only_plays_that_keep_to_what_is_asked_are_searched() -> None:
    optimizer = limited()
    for a in np.linspace(0.0, 1.0, 8).tolist():
        optimizer.add(0.0, {"a": a, "b": 0.5, "pressure": 2 * a})
    optimizer.refit()
    learned_from = surrogate(optimizer)
    box = Box([0.0], [1.0])
    guarded = learned_from.feasible(learned_from.feasibility, 0, box, [Controlled(), Observed(0.5)])
    assert isinstance(guarded, FeasibleRegion)
    nothing = Box([], [])
    for a, allowed in ((0.05, True), (0.99, False)):
        found = learned_from.feasible(learned_from.feasibility, 0, nothing, [Observed(a), Observed(0.5)])
        assert (found is not None) == allowed
    world = case("ucb-psq")
    asked_nothing = surrogate(world.play(world.start(), 2))
    assert asked_nothing.feasible(asked_nothing.feasibility, 0, box, [Controlled()]) is box
