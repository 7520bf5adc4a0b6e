"""No choice may break a limit, whoever makes it; an explanation says what room is left."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import steerbo as sb
from steerbo.costvarying.random import Random
from steerbo.errors import SteerboError

PROBLEM = sb.CostVarying(
    [sb.Float("a", 0, 5), sb.Float("b", 0, 5)],
    [["a", "b"]],
    limits=[sb.Linear({"a": 1, "b": 2}, at_most=6), sb.Linear({"a": 1}, at_least=1)],
)


class Blind(Random):
    """Knows of no limits."""

    def choose(self, history: Any, request: Any) -> Any:
        return dataclasses.replace(super().choose(history, request), values={"a": 5.0, "b": 5.0})


def test_a_method_that_knows_of_no_limits_is_stopped_before_anything_is_logged() -> None:
    optimizer = sb.Optimizer(PROBLEM, Blind)
    with pytest.raises(SteerboError, match=r"random chose .* breaks a limit of the problem: a \+ 2 b at most 6"):
        optimizer.ask()
    assert not len(optimizer.history)


def test_an_explanation_says_what_room_is_left() -> None:
    optimizer = sb.Optimizer(PROBLEM, rounds=9, seed=0)
    for _ in range(9):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, suggestion.values["a"] + suggestion.values["b"])
    why, best = optimizer.explain(), optimizer.recommend().values
    assert "What is recommended is at a limit: a + 2 b at most 6." in str(why)
    (first, second) = why.tables[-1].rows
    assert first == ("a + 2 b at most 6", pytest.approx(0, abs=1e-6), True)
    assert second == ("a at least 1", pytest.approx(best["a"] - 1), False)


def test_without_limits_nothing_is_said_of_them() -> None:
    optimizer = sb.Optimizer(dataclasses.replace(PROBLEM, limits=None), rounds=9)
    assert "limit" not in str(optimizer.explain())
