"""Ours: graphs that may forget a hidden common cause u of an action and the target; observations are given.

u always moves the action, and the target by `a` times u; with a = 0 the graph is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .graph import Diagram
from .published import FIGURE_1, figure_1
from .scm import StructuralCausalModel, Values
from .system import System

STRENGTHS = (0.0, 0.5, 1.5)
OBSERVATIONS, ROUNDS = 100, 60


def _uniform(v: Values, random: np.random.Generator, n: int) -> np.ndarray:
    return random.uniform(-1, 1, n)


def dose(a: float) -> System:
    """One action after looking at one context: y = cos(2 (x − .7 c))."""
    graph = Diagram([("c", "x"), ("c", "y"), ("x", "y")], [], "y", ("x",))

    def expected(v: Mapping[str, Any]) -> Any:
        return np.cos(2 * (v["x"] - 0.7 * v["c"]))

    model = StructuralCausalModel(
        graph,
        {
            "u": _uniform,
            "c": _uniform,
            "x": lambda v, r, n: 0.3 * v["c"] + 0.6 * v["u"] + r.normal(0, 0.2, n),
            "y": lambda v, r, n: expected(v) + a * v["u"] + r.normal(0, 0.2, n),
        },
    )
    ranges = dict.fromkeys(("x", "c"), (-1.0, 1.0))
    return System("dose", graph, ranges, model, 1.0, _mean(model, expected))


def pair(a: float) -> System:
    """Two actions after looking at one context; it is the first that u moves."""
    graph = Diagram([("c", "x1"), ("c", "y"), ("x1", "y"), ("x2", "y")], [], "y", ("x1", "x2"))

    def expected(v: Mapping[str, Any]) -> Any:
        return np.exp(-3 * (v["x1"] - 0.6 * v["c"]) ** 2) + 0.6 * np.cos(
            2 * (v["x2"] + 0.5 * v["c"])
        )

    model = StructuralCausalModel(
        graph,
        {
            "u": _uniform,
            "c": _uniform,
            "x1": lambda v, r, n: 0.2 * v["c"] + 0.6 * v["u"] + r.normal(0, 0.2, n),
            "x2": _uniform,
            "y": lambda v, r, n: expected(v) + a * v["u"] + r.normal(0, 0.2, n),
        },
    )
    ranges = dict.fromkeys(("x1", "x2", "c"), (-1.0, 1.0))
    return System("pair", graph, ranges, model, 1.6, _mean(model, expected))


def figure(a: float) -> System:
    """Figure 1 of the paper, with two arms, of which observations feed one; u moves x1."""
    usual = figure_1()
    mechanisms = dict(usual.model.mechanisms)
    model = StructuralCausalModel(
        FIGURE_1,
        {
            "u": _uniform,
            **mechanisms,
            "x1": lambda v, r, n: 0.5 * v["u1"] + 0.5 * v["u"],
            "y": lambda v, r, n: mechanisms["y"](v, r, n) + a * v["u"],
        },
    )
    return System("figure-1", FIGURE_1, usual.ranges, model, usual.best, usual.mean)


def _mean(
    model: StructuralCausalModel, expected: Callable[[Mapping[str, Any]], Any]
) -> Callable[..., float]:
    """`E[Y | do(actions), contexts]`: what is neither set nor seen is averaged over, as it is by nature."""
    typical = model.sample(4000, np.random.default_rng(0))

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        return float(np.mean(expected({**typical, **seen, **actions})))

    return mean


WORLDS: dict[str, Callable[[float], System]] = {"dose": dose, "pair": pair, "figure-1": figure}
