"""A study in two stages whose weather is seen before choosing, without and with drift."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from steerbo.causal import Causal, CausalGraph
from steerbo.core import Suggestion
from steerbo.space import Categorical, Float
from steerbo.testing import Case

STAGED = CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y; weather -> rest; weather -> y",
    target="y",
    intervenable=["dose", "rest"],
)


VARIABLES = (
    Float("dose", 0, 1),
    Float("rest", 0, 1),
    Categorical("age", ["young", "old"]),
    Float("pulse", 0, 1),
    Float("weather", 0, 30, seen=True),
)


def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    drawn: dict[str, Any] = {"age": str(random.choice(["young", "old"]))}
    drawn["pulse"] = suggestion.values.get("dose", 0.5) + 0.1 * random.random()
    return {name: drawn[name] for name in suggestion.observe}


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """The rest that the weather asks for is the best."""
    x = {"rest": 0.5, "dose": 0.5, **suggestion.values, **suggestion.context}
    return {"value": float((x["rest"] - x["weather"] / 30) ** 2 + (x["dose"] - 0.3) ** 2 + 0.05 * random.normal())}


def asked_with(number: int) -> dict[str, Any]:
    return {"context": {"weather": 30 * round(number * 0.618 % 1, 3)}}


def staged(method: str, **options: Any) -> Case:
    added = {"dose": 0.5, "rest": 0.3, "age": "old", "pulse": 0.5, "weather": 12.0}
    problem = Causal(STAGED, VARIABLES, minimize=True)
    return Case(problem, method, evaluate, look, request=asked_with, added=added, options=options, rounds=8)


def moving(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """The best rest rises by .05 a round."""
    x = {"rest": 0.5, "dose": 0.5, **suggestion.values, **suggestion.context}
    best = 0.2 + 0.05 * suggestion.round
    return {"value": float((x["rest"] - best) ** 2 + (x["dose"] - 0.3) ** 2 + 0.02 * random.normal())}


def clock(number: int) -> dict[str, Any]:
    return {**asked_with(number), "time": 2.0 * number}


def drifting(method: str, drift: Any, rounds: int = 8, **options: Any) -> Case:
    """The world of what is seen before, where the best rest moves, too."""
    world = staged(method, **options)
    added = {**(world.added or {}), "time": 1.0}
    problem = replace(world.problem, drift=drift)  # type: ignore[type-var]
    return Case(problem, method, moving, look, request=clock, added=added, options=options, rounds=rounds)
