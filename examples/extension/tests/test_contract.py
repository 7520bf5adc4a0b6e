"""Both methods keep the contract that steerbo's own keep."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from steerbo_furnace import Climb, Furnace, Sweep

import steerbo as sb
from steerbo.extending import Suggestion
from steerbo.testing import Case, WingContract

PLANT = sb.CostVarying(
    [sb.Float("heat", 0, 1, law=sb.Uniform()), sb.Float("damp", 0, 1, law=sb.Uniform())],
    [["heat"], ["heat", "damp"]],
    costs=[1, 3],
)


def strength(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Best at 870 °C."""
    off = (suggestion.values["temperature"] - 870) / 60
    return {"value": 40 - off**2 + 0.1 * random.normal()}


def plant(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Best in the middle; what is not set is anything."""
    realised = {"heat": random.random(), "damp": random.random(), **suggestion.values}
    return {"value": -sum((x - 0.5) ** 2 for x in realised.values()), "realised": realised}


class TestClimb(WingContract):
    """On a furnace."""

    @staticmethod
    def case() -> Case:
        furnace = Furnace(sb.Float("temperature", 600, 1000), 60, 620)
        return Case(furnace, Climb, strength, added={"temperature": 700.0})


class TestSweep(WingContract):
    """On one of steerbo's own problems."""

    @staticmethod
    def case() -> Case:
        return Case(PLANT, Sweep, plant, added={"heat": 0.3, "damp": 0.4})


def test_no_step_is_larger_than_allowed() -> None:
    """Whatever the model believes."""
    case = TestClimb.case()
    optimizer = case.play(case.start(), 12)
    settings = [620.0, *(played.suggestion.values["temperature"] for played in optimizer.history)]
    assert max(abs(after - before) for before, after in pairwise(settings)) <= 60 + 1e-9
    assert abs(optimizer.recommend().values["temperature"] - 870) < 20
