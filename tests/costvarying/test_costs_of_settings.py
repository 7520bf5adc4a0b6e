"""Costs that hang on the settings: learned where they surely do, and used for net value, answers and predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core.events import Refitted

Cost = Callable[[Mapping[str, float]], float]


def rises(x: Mapping[str, float]) -> float:
    return 1 + x["heat"]


def even(x: Mapping[str, float]) -> float:
    return 3.0


def value(x: Mapping[str, float]) -> float:
    """It is best at a heat of 8, by little."""
    return 20 - 0.02 * (x["heat"] - 8) ** 2 - (x["mix"] - 0.5) ** 2


@cache
def played(cost: Cost, seed: int, rounds: int = 11, worth: float | None = 1.0) -> sb.Optimizer:
    variables = [sb.Float("heat", 0, 10, law=sb.Uniform()), sb.Float("mix", 0, 1, law=sb.Uniform())]
    problem = sb.CostVarying(variables, [["heat"], ["heat", "mix"]], value_of_one=worth)
    study, random = sb.Optimizer(problem, seed=seed, rounds=rounds), np.random.default_rng(seed)
    while (suggestion := study.ask()) is not None:
        x = {"heat": 10 * random.random(), "mix": random.random(), **suggestion.values}
        study.tell(suggestion, value(x) + 0.1 * random.standard_normal(), cost=cost(x), realised=x)
    return study


def refits(study: sb.Optimizer) -> list[Mapping[str, Any]]:
    return [event.hyperparameters for event in study.events if isinstance(event, Refitted)]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_answer_is_where_net_value_is_largest(seed: int) -> None:
    """By the mean cost of each set the heat of the answer was 8 to 9, and its net value about 10.6 of 17.7."""
    study = played(rises, seed)
    advice = study.recommend()
    at = {"mix": 0.5, **advice.values}
    assert value(at) - rises(at) > 17
    assert advice.cost == pytest.approx(rises(at), abs=0.7)
    assert study.history.last(1)[0].suggestion.values["heat"] < 2, "plays go there, too"
    assert study.history.last(1)[0].expected_cost == pytest.approx(rises(at), abs=1.5)
    assert not [each for each in study.status.findings if each.kind == "costs-hang"]


def test_a_prediction_says_what_a_play_costs_there() -> None:
    study = played(rises, 0)
    for heat in (2.0, 9.0):
        assert study.predict({"heat": heat}).cost == pytest.approx(1 + heat, abs=0.7)
    again = sb.load(study.to_json())
    assert again.recommend() == study.recommend()
    assert again.predict({"heat": 9.0}) == study.predict({"heat": 9.0})


def test_costs_that_are_even_are_not_learned_over_settings() -> None:
    study = played(even, 0)
    assert not any("cost" in each for each in refits(study))
    assert study.recommend().cost == 3.0


def test_costs_by_luck_are_luck() -> None:
    """A false alarm in fewer than one of a hundred such studies; of 30 there was none."""
    random = np.random.default_rng(7)
    study = sb.Optimizer(played(even, 0).problem, seed=0)
    for _ in range(20):
        x = {"heat": 10 * random.random(), "mix": random.random()}
        study.add(value(x), x, cost=float(np.exp(0.5 * random.standard_normal())), scope=["heat"])
    study.refit()
    assert refits(study)
    assert not any("cost" in each for each in refits(study))


def test_where_they_are_not_used_it_is_said() -> None:
    study, random = sb.Optimizer(sb.TimeVarying([sb.Float("heat", 0, 10)]), "random", seed=0), np.random.default_rng(0)
    for k in range(20):
        heat = 10 * random.random()
        study.add(heat, {"heat": heat}, cost=1 + heat + (heat > 9) * k)
    (found,) = [each for each in study.status.findings if each.kind == "costs-hang"]
    assert found.values == {"names": ["heat"], "rising": [True], "plays": 20}
    assert "rise with heat" in found.text
