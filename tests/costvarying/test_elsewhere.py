"""When a look elsewhere is due, and where it goes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.costvarying.elsewhere import elsewhere
from tests.costvarying.test_money import OVEN, Scripted, value_of

FIXED = replace(
    OVEN,
    variables=(sb.Float("oven", 100, 200, change=sb.Change(fixed=5)), *OVEN.variables[1:]),
    control_sets=[["oven", "speed", "feed"]],
    costs=[1],
)


def played(ovens: list[float], problem: sb.CostVarying = FIXED, budget: float = 1000) -> sb.Optimizer:
    """A study in which the oven was set so."""
    plays = tuple({"oven": oven, "speed": 0.5, "feed": 0.5} for oven in ovens)
    optimizer = sb.Optimizer(problem, Scripted, budget=budget, plays=plays)
    for _ in ovens:
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 0.0)
    return optimizer


def due(optimizer: sb.Optimizer, hold: float = 1.0) -> dict[str, Any] | None:
    return elsewhere(optimizer.problem, optimizer.history, hold, np.random.default_rng(0))  # type: ignore[arg-type]


@pytest.mark.parametrize(("rounds", "time"), [(1, False), (4, False), (5, True), (30, True)])
def test_it_is_time_when_staying_has_cost_as_much_as_a_move(rounds: int, time: bool) -> None:
    assert (due(played([150.0] * rounds)) is not None) is time
    assert (due(played([100.0, *[150.0] * rounds])) is not None) is (rounds > 5), "the move is no stay"


def test_it_goes_where_nothing_was() -> None:
    found = due(played([100.0, *[110.0, 130.0] * 5, *[130.0] * 12]))
    assert found is not None
    assert found["oven"] > 170


def test_there_must_be_money_for_it_and_a_price() -> None:
    assert due(played([150.0] * 20, budget=31)) is not None
    assert due(played([150.0] * 20, budget=30.5)) is None
    assert due(played([150.0] * 20), hold=math.nan) is None
    nature = replace(OVEN, control_sets=[["speed", "feed"], ["oven", "speed"]], costs=[1, 1])
    optimizer = sb.Optimizer(nature, Scripted, plays=tuple({"speed": 0.5, "feed": 0.5} for _ in range(30)))
    for _ in range(30):
        optimizer.ask()
    assert due(optimizer) is None, "nothing that is hard to change is held"


def test_of_choices_one_that_was_not_taken() -> None:
    die = sb.Categorical("oven", ("a", "b", "c"), change=sb.Change(fixed=5))
    problem = replace(FIXED, variables=(die, *OVEN.variables[1:]))
    plays = tuple({"oven": oven, "speed": 0.5, "feed": 0.5} for oven in ("a", "b", *["b"] * 12))
    optimizer = sb.Optimizer(problem, Scripted, plays=plays)
    for _ in plays:
        optimizer.ask()
    assert due(optimizer) == {"oven": "c"}


def test_looks_grow_rarer_and_take_at_most_half_of_the_money() -> None:
    """On a plain function whose best oven is soon known nothing but looks moves it in the end."""
    optimizer = sb.Optimizer(FIXED, budget=260, seed=0)
    while (suggestion := optimizer.ask()) is not None:
        optimizer.tell(suggestion, value_of(suggestion.values))
    looks = [r.number for r in optimizer.history if "elsewhere" in r.suggestion.note]
    assert len(looks) >= 3
    assert np.all(np.diff(looks) >= 5)
    assert 5 * len(looks) <= 130
    assert abs(optimizer.recommend().values["oven"] - 150) < 5
    assert "elsewhere" in str(optimizer.explain())
    again = sb.Optimizer.replay(FIXED, list(optimizer.events))
    assert again.recommend() == optimizer.recommend()
