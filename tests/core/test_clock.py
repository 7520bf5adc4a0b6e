"""What time it is, and how much of it a study is about."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.core import horizon, now, time_of
from steerbo.core._context import read_when
from steerbo.errors import InvalidOutcome
from tests.costvarying.worlds import DRIFTING


def test_the_time_is_the_last_rounds() -> None:
    optimizer = sb.Optimizer(DRIFTING, "random")
    assert now(optimizer.history) == 0.0
    optimizer.ask(batch=2)
    assert [time_of(played) for played in optimizer.history] == [1.0, 2.0]
    optimizer.ask(time=2.5)
    assert now(optimizer.history) == 2.5


def test_a_study_is_about_what_has_passed_and_what_its_limits_leave() -> None:
    for limits, expected in (
        ({}, 6.0),
        ({"rounds": 8}, 24.0),
        ({"rounds": 2}, 6.0),
        ({"budget": 10.0}, 15.0),
        ({"budget": 10.0, "rounds": 100}, 15.0),
    ):
        optimizer = sb.Optimizer(DRIFTING, "random", **limits)
        for _ in range(2):
            optimizer.fail(optimizer.ask(batch=1)[0], cost=2)
        assert horizon(optimizer.history, 6.0) == pytest.approx(expected)
    assert horizon(sb.Optimizer(DRIFTING, budget=3).history, 6.0) == 6.0


def test_data_may_say_when() -> None:
    assert read_when({"x": 1, "time": 3}) == (3.0, {"x": 1})
    assert read_when({"x": 1}) == (None, {"x": 1})
    for time in ("now", float("inf"), True, None):
        with pytest.raises(InvalidOutcome, match=r"realised\.time"):
            read_when({"time": time})
