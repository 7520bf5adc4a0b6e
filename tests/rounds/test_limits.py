"""No choice may break a limit, whoever makes it; an explanation says what room is left."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import steerbo as sb
from steerbo.causal.coca_bo import CoCaBO
from steerbo.costvarying.random import Random
from steerbo.errors import SteerboError
from steerbo.rounds.limits import check_decided

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


class BlindLater(CoCaBO):
    """Looks, and then knows of no limits."""

    def decide(self, history: Any, pending: Any, context: Any) -> Any:
        return dataclasses.replace(super().decide(history, pending, context), values={"a": 5.0})


def test_what_is_set_after_a_look_is_checked_too_and_what_nature_broke_is_nobodys_fault() -> None:
    graph = sb.CausalGraph.from_text("c -> a; c -> y; a -> y", target="y", intervenable=["a"])
    limits = [sb.Linear({"a": 1, "c": 1}, at_most=5)]
    problem = sb.Causal(graph, [sb.Float("a", 0, 5), sb.Float("c", 0, 4)], limits=limits)
    optimizer = sb.Optimizer(problem, BlindLater)
    suggestion = optimizer.ask()
    assert suggestion is not None
    with pytest.raises(SteerboError, match=r"coca-bo chose .* breaks a limit of the problem: a \+ c at most 5"):
        optimizer.decide(suggestion, {"c": 1.0})
    assert optimizer.history[suggestion.token].suggestion.observe == ("c",)
    check_decided(problem, "coca-bo", {}, {"a": 4.0, "c": 4.0})


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
