"""Problems that several tests play: Figure 1, and a study in two stages, without and with prices."""

from __future__ import annotations

from typing import Any

import numpy as np

from steerbo.causal import Causal, CausalGraph
from steerbo.core import Suggestion
from steerbo.core.tolerance import Absolute
from steerbo.space import Categorical, Float
from steerbo.testing import Case
from tests.causal.published import FIGURE_1, figure_1

STAGED = CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y",
    target="y",
    intervenable=["dose", "rest"],
)


def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Contexts drawn by nature; the pulse follows the dose."""
    drawn: dict[str, Any] = {"age": str(random.choice(["young", "old"])), "c": random.uniform(-1, 1)}
    drawn["pulse"] = suggestion.values.get("dose", 0.5) + 0.1 * random.random()
    return {name: drawn[name] for name in suggestion.observe}


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Something smooth in whatever was set and seen."""
    numbers = [v for v in (*suggestion.values.values(), *suggestion.context.values()) if isinstance(v, float)]
    return {"value": float(sum(np.cos(3 * (v - 0.3)) for v in numbers) + 0.05 * random.normal())}


def figure(method: Any, **options: Any) -> Case:
    problem = Causal(FIGURE_1, (Float("x1", -1, 1), Float("x2", -1, 1), Float("c", -1, 1)))
    return Case(problem, method, evaluate, look, added={"x1": 0.1, "x2": 0.3, "c": -0.2}, options=options, rounds=7)


def staged(method: Any, **options: Any) -> Case:
    variables = (Float("dose", 0, 1), Float("rest", 0, 1), Categorical("age", ["young", "old"]), Float("pulse", 0, 1))
    added = {"dose": 0.5, "rest": 0.3, "age": "old", "pulse": 0.5}
    return Case(
        Causal(STAGED, variables, minimize=True), method, evaluate, look, added=added, options=options, rounds=8
    )


def priced(
    graph: CausalGraph, names: tuple[str, ...], prices: dict[str, float], method: str = "cheap-first", **options: Any
) -> Case:
    """With contexts measured afterwards, whether they were looked at or not."""
    variables = [Categorical(n, ["young", "old"]) if n == "age" else Float(n, -1, 1) for n in names]

    def measured(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        drawn: dict[str, Any] = {n: "old" if n == "age" else float(random.uniform(-1, 1)) for n in names}
        known = drawn | suggestion.context | suggestion.values
        return evaluate(suggestion, random) | {"realised": {name: known[name] for name in names}}

    problem = Causal(graph, variables, prices=prices, base=1, tolerance=Absolute(0.2))
    added: dict[str, Any] = {name: "old" if name == "age" else 0.4 for name in names}
    return Case(problem, method, measured, look, added=added, options=options, rounds=9)


FIGURE = figure_1().problem


def traded() -> Case:
    """Two outcomes: the one wants the dose to follow the age, the other wants little of it."""
    graph = CausalGraph.from_text("age -> dose -> y; age -> y; dose -> harm", target="y", intervenable=["dose"])

    def seen(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        return {name: float(random.random()) for name in suggestion.observe}

    def both(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        dose, age = suggestion.values["dose"], suggestion.context["age"]
        return {"value": -((dose - age) ** 2) + 0.05 * random.normal(), "realised": {"harm": dose**2}}

    problem = Causal(graph, [Float("dose", 0, 1), Float("age", 0, 1)], outcomes={"harm": "minimize"})
    added = {"dose": 0.4, "age": 0.5, "harm": 0.16}
    return Case(problem, "random-weights", both, seen, added=added, rounds=7)
