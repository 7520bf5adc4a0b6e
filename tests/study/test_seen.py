"""What is seen before choosing, in a study: runs are given it, and a round that was chosen for another day is over."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidContext
from steerbo.study import MemoryLog, Study

PROBLEM = sb.CostVarying(
    [sb.Float("heat", 0, 1, law=sb.Uniform()), sb.Float("weather", 0, 30, seen=True)], [["heat"]], costs=[2.0]
)


def study(**more: Any) -> Study:
    return Study.create(MemoryLog(), PROBLEM, "random", **more)


def test_a_run_is_given_what_is_seen_before_each_round() -> None:
    weather = iter([3.0, 8.0, 15.0])
    run = study(rounds=3)
    run.run(
        lambda suggestion: suggestion.context["weather"], request=lambda: {"context": {"weather": next(weather, 9.0)}}
    )
    assert [r.outcome.value for r in run.history if r.outcome] == [3.0, 8.0, 15.0]
    assert [r.realised["weather"] for r in run.history] == [3.0, 8.0, 15.0]
    again = study(rounds=2)
    again.run(lambda suggestion: 1.0, request={"context": {"weather": 7.0}})
    assert [r.suggestion.context for r in again.history] == [{"weather": 7.0}] * 2


def test_a_run_that_is_not_given_it_says_so() -> None:
    run = study(rounds=3)
    with pytest.raises(InvalidContext, match="weather"):
        run.run(lambda suggestion: 1.0)
    assert run.status.rounds == 0


def test_a_round_that_was_chosen_for_another_day_is_given_up() -> None:
    now = [0.0]
    log = MemoryLog()
    said: list[str] = []
    first = Study.create(log, PROBLEM, "random", budget=20, lease=1.0, clock=lambda: now[0])
    old = first.ask(context={"weather": 3.0})
    now[0] += 10
    other = Study.open(MemoryLog(log._memory), PROBLEM, lease=1.0, clock=lambda: now[0], say=said.append)
    same = other.ask(context={"weather": 3})
    assert same.token == old.token, "the same weather: it can still be evaluated"
    now[0] += 10
    third = Study.open(MemoryLog(log._memory), PROBLEM, lease=1.0, clock=lambda: now[0], say=said.append)
    fresh = third.ask(context={"weather": 20.0})
    assert fresh.token != old.token
    assert fresh.context == {"weather": 20.0}
    assert third.history[old.token].state == "abandoned"
    assert third.status.spent == 2.0, "it was begun, and may have been paid for"
    assert "it was chosen for weather = 3, and that has passed" in said[-1]
    with pytest.raises(InvalidContext, match="wether"):
        third.ask(context={"wether": 20.0})
