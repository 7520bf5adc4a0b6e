"""Outcomes that an answer is chosen among, and steps towards it."""

from __future__ import annotations

from typing import Any

import numpy as np

import steerbo as sb
from steerbo.core import Optimizer, Outcome, Streams, reason
from steerbo.core._findings import sentence_of
from steerbo.meanfield import MeanField
from steerbo.meanfield.baselines import Random
from steerbo.meanfield.method import ToldAverage


def method_of(problem: MeanField) -> Random:
    return Random(problem, Random.Options(), Streams(0), Optimizer(problem).history)


def telling(problem: MeanField, outcomes: list[Outcome], seen: dict[str, Any]) -> np.ndarray:
    method = method_of(problem)
    nothing = np.zeros(problem.simplex.shape)
    past = [ToldAverage((0.0, i, 0), str(i), each, nothing, 0.0, b"") for i, each in enumerate(outcomes)]
    method._past = method.history.results, past
    return method._comparable(seen)


def outcomes(name: str, values: list[Any]) -> list[Outcome]:
    return [Outcome(0.0, None, {name: value}) for value in values]


def test_all_of_them_where_nothing_tells_them_apart() -> None:
    assert telling(MeanField(("a", "b"), agents=4), outcomes("x", [1, 2, 3]), {}).all()


def test_the_latest_where_payoffs_drift() -> None:
    problem = MeanField(("a", "b"), agents=4, drift=sb.Decay(0.1))
    assert np.flatnonzero(telling(problem, outcomes("time", [9.0, *range(8)]), {})).tolist() == [0, *range(2, 9)]
    assert telling(problem, outcomes("time", [3.0, 1.0]), {}).all(), "eight at least"
    assert telling(problem, outcomes("time", list(range(40))), {}).sum() == 10, "a quarter of many"


def test_the_nearest_where_something_is_seen() -> None:
    problem = MeanField(("a", "b"), agents=4, variables=(sb.Float("weather", 0, 10, seen=True),))
    found = telling(problem, outcomes("weather", [9.0, 1.0, 2.0, 8.0, 3.0, 4.0, 7.0, 2.4, 2.6, 2.2]), {"weather": 2.5})
    assert np.flatnonzero(found).tolist() == [1, 2, 4, 5, 6, 7, 8, 9]


def test_a_choice_is_the_same_or_another() -> None:
    """How far apart its numbers are means nothing."""
    sky = sb.Categorical("sky", ("clear", "grey", "dark"), seen=True)
    problem = MeanField(("a", "b"), agents=4, variables=(sky,))
    rows = outcomes("sky", ["dark"] * 8 + ["grey"] * 8)
    assert np.flatnonzero(telling(problem, rows, {"sky": "clear"})).tolist() == [*range(8)], "neither is nearer"
    assert np.flatnonzero(telling(problem, rows, {"sky": "grey"})).tolist() == [*range(8, 16)]


def test_a_step_is_as_long_as_a_move_may_be() -> None:
    problem = MeanField(("a", "b"), agents=10, largest_move=0.2, moving_cost=5.0)
    step_towards = method_of(problem)._step_towards
    there = (reason("said", text="there"),)
    here, goal = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    step, reasons = step_towards(problem.region.around(here, problem.largest_move), goal, there)
    assert step.tolist() == [[0.7, 0.3]]
    assert sentence_of(reasons) == "40% of the way to the recommended distribution; the move costs 1"
    near = np.array([[0.6, 0.4]])
    step, reasons = step_towards(problem.region.around(here, problem.largest_move), near, there)
    assert (step.tolist(), sentence_of(reasons)) == ([[0.6, 0.4]], "there; the move costs 0.5")
