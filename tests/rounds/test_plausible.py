"""Measured values far outside their range: kept, and somebody is asked."""

from __future__ import annotations

import warnings

import pytest

import steerbo as sb
from steerbo.errors import OutOfRangeWarning
from steerbo.rounds import Optimizer
from tests.rounds.stub import Nearest, Stub

PROBLEM = sb.CostVarying(
    [
        sb.Float("t", 10, 30),
        sb.Float("humidity", 20, 90, law=sb.Uniform(), unit="%"),
        sb.Categorical("line", ["a", "b"]),
    ],
    [["t", "line"]],
)


def test_a_typo_is_kept_warned_about_and_amended() -> None:
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=9)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.warns(OutOfRangeWarning, match=r"round 1: humidity = 500 .* 20 to 90 %; it is kept.* amend 1-"):
        optimizer.tell(suggestion, 1.0, realised={"humidity": 500})
    assert optimizer.history[suggestion.token].realised["humidity"] == 500
    with pytest.warns(OutOfRangeWarning, match="humidity = -20"):
        optimizer.amend(suggestion, realised={"humidity": -20})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.amend(suggestion, realised={"humidity": 50})
        Optimizer.replay(PROBLEM, optimizer.events)
    with pytest.warns(OutOfRangeWarning, match=r"added-1: t = 220 .* amend added-1"):
        optimizer.add(1.0, {"t": 220, "humidity": 50, "line": "a"})
    optimizer.amend("added-1", realised={"t": 22})
    assert optimizer.history.added[0].realised == {"t": 22.0, "humidity": 50.0, "line": "a"}


def test_contexts_are_warned_about_once() -> None:
    optimizer = Optimizer(Stub(), Nearest)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.warns(OutOfRangeWarning, match=r"round 1: age = 44 .* among `realised`"):
        suggestion = optimizer.decide(suggestion, {"age": 44})
    suggestion = optimizer.decide(suggestion, {"pulse": 0.5})
    optimizer.tell(suggestion, 1.0)
    optimizer.amend(suggestion, realised={"age": 0.44})
    assert optimizer.history[suggestion.token].realised["age"] == 0.44


@pytest.mark.parametrize(
    ("variable", "near", "far"),
    [
        (sb.Float("x", 20, 90), (-15.0, 125.0), (-15.1, 125.1)),
        (sb.Float("x", 1, 100, scale="log"), (0.11, 990.0), (0.09, 1010.0)),
        (sb.Integer("x", 0, 10), (-5, 15), (-6, 16)),
        (sb.Float("x", -3, 3, law=sb.Normal(0, 1)), (-9.0, 9.0), (-9.6, 9.6)),
    ],
)
def test_far_is_half_a_width_beyond_what_is_usual(
    variable: sb.Float | sb.Integer, near: tuple[float, float], far: tuple[float, float]
) -> None:
    assert [variable.is_far(value) for value in (*near, *far)] == [False, False, True, True]


def test_outcomes_that_are_next_to_nothing_are_kept_with_a_warning() -> None:
    optimizer = sb.Optimizer(PROBLEM, "random", rounds=9)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.warns(OutOfRangeWarning, match=r"round 1: value 1e-300 is kept, but nothing below 1e-100"):
        optimizer.tell(suggestion, 1e-300, realised={"humidity": 50})
    told = optimizer.history[suggestion.token].outcome
    assert told is not None
    assert told.value == 1e-300
    with pytest.warns(OutOfRangeWarning, match="smaller unit"):
        optimizer.add(-1e-120, {"t": 22, "humidity": 50, "line": "a"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.amend(suggestion, 0.0)
        optimizer.amend(suggestion, 1e-99)
        optimizer.add(1e-120, {"t": 23, "humidity": 50, "line": "a"})  # beside a larger one it is as good as 0


def test_payoffs_that_are_next_to_nothing_are_found_in_their_table() -> None:
    optimizer = sb.Optimizer(sb.MeanField(("a", "b"), agents=4, feedback="agents"), "random", rounds=9)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.warns(OutOfRangeWarning, match="value 1e-200 is kept"):
        optimizer.tell(suggestion, {"everyone": {"a": 1e-200, "b": 0.0}})
