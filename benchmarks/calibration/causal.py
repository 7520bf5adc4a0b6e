"""Causal problems of two or three variables: a context, two actions, a chain with a hidden cause, Figure 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import steerbo as sb
from steerbo.core import Recommendation, Suggestion

from ..causal.environment import Environment
from ..causal.problems import figure_1
from ..causal.scm import StructuralCausalModel
from .world import Function, World, drawn, middles

CONTEXT = sb.CausalGraph.from_text("c -> x; c -> y; x -> y", target="y", intervenable=["x"])
ACTIONS = sb.CausalGraph.from_text("x -> y; z -> y", target="y", intervenable=["x", "z"])
CHAIN = sb.CausalGraph([("x", "z"), ("z", "y")], [("x", "y")], target="y", intervenable=("x", "z"))
NODES = 24


def _at(function: Function, *columns: Any) -> np.ndarray:
    return function(np.stack(np.broadcast_arrays(*map(np.asarray, columns)), axis=-1).reshape(-1, len(columns)))


def _natural(values: Any, random: np.random.Generator, n: int) -> np.ndarray:
    return random.random(n)


def context(function: Function, noise: float) -> Environment:
    """What to do for whom: y is a function of x and c."""
    model = StructuralCausalModel(
        CONTEXT,
        {
            "c": _natural,
            "x": lambda v, r, n: v["c"],
            "y": lambda v, r, n: _at(function, v["x"], v["c"]) + noise * r.standard_normal(n),
        },
    )
    nodes = middles(64)

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        c = np.array([seen["c"]]) if "c" in seen else nodes
        return float(_at(function, actions.get("x", c), c).mean())

    return Environment("context", sb.Causal(CONTEXT, (sb.Float("x", 0, 1), sb.Float("c", 0, 1))), model, 0.0, mean)


def actions(function: Function, noise: float) -> Environment:
    """Two actions and nothing to look at."""
    model = StructuralCausalModel(
        ACTIONS,
        {
            "x": _natural,
            "z": _natural,
            "y": lambda v, r, n: _at(function, v["x"], v["z"]) + noise * r.standard_normal(n),
        },
    )
    nodes = np.meshgrid(middles(32), middles(32))

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        return float(_at(function, actions.get("x", nodes[0]), actions.get("z", nodes[1])).mean())

    return Environment("actions", sb.Causal(ACTIONS, (sb.Float("x", 0, 1), sb.Float("z", 0, 1))), model, 0.0, mean)


def chain(function: Function, noise: float) -> Environment:
    """X moves z, z moves y, and a hidden cause moves x and y: setting nothing may be best."""
    model = StructuralCausalModel(
        CHAIN,
        {
            "u": _natural,
            "x": lambda v, r, n: v["u"],
            "z": lambda v, r, n: 0.8 * v["x"] + 0.2 * r.random(n),
            "y": lambda v, r, n: _at(function, v["z"]) + v["u"] - 0.5 + noise * r.standard_normal(n),
        },
    )
    nodes = np.meshgrid(middles(64), middles(32))

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        return float(_at(function, actions.get("z", 0.8 * actions.get("x", nodes[0]) + 0.2 * nodes[1])).mean())

    return Environment("chain", sb.Causal(CHAIN, (sb.Float("x", 0, 1), sb.Float("z", 0, 1))), model, 0.0, mean)


def world(place: Environment, low: float = 0.0) -> World:
    """Of an environment with at most one context, uniform from `low` to 1."""

    def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        return place.look(suggestion, int(random.integers(2**31)))

    def play(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        return {"value": place.evaluate(suggestion, int(random.integers(2**31)))}

    def truth(advice: Recommendation, number: int) -> float:
        if not (names := advice.scope.contexts):
            return place.mean(advice.values, {})
        seen = [dict.fromkeys(names, low + (1 - low) * float(u)) for u in middles(NODES)]
        return float(np.mean([place.mean(advice(each), each) for each in seen]))  # type: ignore[operator]

    return World(place.problem, play, truth, look)


def bowl(points: np.ndarray) -> np.ndarray:
    """The best x is c."""
    return np.asarray(1 - 4 * (points[:, 0] - points[:, 1]) ** 2)


def threshold(points: np.ndarray) -> np.ndarray:
    """Above a dose that hangs on c there is a penalty."""
    return np.asarray(points[:, 0] - 2.0 * (points[:, 0] > 0.3 + 0.5 * points[:, 1]))


PROBLEMS: dict[str, Callable[[int], World]] = {
    "context, drawn": lambda seed: world(context(drawn([0.3, 0.3], seed), 0.1)),
    "context, drawn, noisy": lambda seed: world(context(drawn([0.3, 0.3], seed), 0.5)),
    "two actions, drawn": lambda seed: world(actions(drawn([0.3, 0.3], seed), 0.1)),
    "chain, drawn": lambda seed: world(chain(drawn([0.2], seed), 0.1)),
    "figure 1": lambda seed: world(figure_1(), low=-1.0),
    "bowl": lambda seed: world(context(bowl, 0.2)),
    "threshold": lambda seed: world(context(threshold, 0.2)),
}
DRAWN = ("context, drawn", "context, drawn, noisy", "two actions, drawn", "chain, drawn")
"""Those whose functions are drawn from a Gaussian process."""
