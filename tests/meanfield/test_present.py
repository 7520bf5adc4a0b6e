"""Where agents are now, and the next step from there."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import InvalidRequest
from steerbo.meanfield import MeanField
from steerbo.meanfield.present import read_present, step_towards
from steerbo.rounds import Optimizer

TWO = {"everyone": {"a": 0.5, "b": 0.5}}


def pair(**changes: float) -> MeanField:
    return MeanField(("a", "b"), agents=10, **changes)  # type: ignore[arg-type]


def test_where_moving_is_free_nobody_needs_to_know() -> None:
    optimizer = Optimizer(pair(), seed=0)
    assert read_present(optimizer.problem, {}, optimizer.history) == {}  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match="largest_move or moving_cost"):
        read_present(pair(), {"current": TWO}, optimizer.history)


def test_left_out_it_is_what_was_played_last() -> None:
    problem = pair(moving_cost=1.0)
    optimizer = Optimizer(problem, seed=0)
    assert read_present(problem, {}, optimizer.history) == {}
    for shares in ([0.2, 0.8], [0.9, 0.1]):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 1.0, realised={"distribution": [shares]})
    assert read_present(problem, {}, optimizer.history) == {"current": {"everyone": {"a": 0.9, "b": 0.1}}}
    assert read_present(problem, {"current": TWO}, optimizer.history) == {"current": TWO}


def test_a_step_is_as_long_as_a_move_may_be() -> None:
    problem = pair(largest_move=0.2, moving_cost=5.0)
    here, goal = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    step, note = step_towards(problem, problem.region.around(here, problem.largest_move), goal, "there")
    assert step.tolist() == [[0.7, 0.3]]
    assert note == "40% of the way to the recommended distribution; the move costs 1"
    near = np.array([[0.6, 0.4]])
    step, note = step_towards(problem, problem.region.around(here, problem.largest_move), near, "there")
    assert (step.tolist(), note) == ([[0.6, 0.4]], "there; the move costs 0.5")
