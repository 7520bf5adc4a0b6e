"""Causal systems in which setting and looking cost money, and nearly the best is to be had for less."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .graph import Diagram
from .published import figure_1
from .scm import Mechanism, StructuralCausalModel
from .system import Priced, System

ROUNDS = 100
_CELLS = (np.arange(200) + 0.5) / 100 - 1  # of what nature draws evenly from −1 to 1


def _even(low: float = -1.0, high: float = 1.0) -> Mechanism:
    return lambda v, r, n: r.uniform(low, high, n)


def _system(
    name: str, graph: Diagram, mechanisms: Mapping[str, Mechanism], mean: Callable[..., float]
) -> System:
    """A context's own part of the target is left out of `mean`: nobody can change it."""
    ranges = dict.fromkeys((*graph.intervenable, *graph.seen), (-1.0, 1.0))
    return System(name, graph, ranges, StructuralCausalModel(graph, mechanisms), 0.0, mean)


def chain() -> System:
    """To set x does nearly what setting the dear z does, and looking at c helps a little."""
    graph = Diagram(
        [("c", "z"), ("x", "z"), ("z", "y"), ("c", "y")], [], target="y", intervenable=("x", "z")
    )
    grid = np.random.default_rng(0).uniform(-1, 1, (3, 4000))

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        c = seen.get("c", grid[0])
        z = actions.get(
            "z", np.clip(actions.get("x", grid[1]) + 0.1 * grid[2] + 0.05 * c, -1.2, 1.2)
        )
        return float(np.mean(-((z - 0.5 - 0.1 * c) ** 2)))

    return _system("chain", graph, {
        "c": _even(),
        "x": _even(),
        "z": lambda v, r, n: np.clip(v["x"] + 0.1 * r.uniform(-1, 1, n) + 0.05 * v["c"], -1.2, 1.2),
        "y": lambda v, r, n: -((v["z"] - 0.5 - 0.1 * v["c"]) ** 2) + 0.3 * v["c"] + r.normal(0, 0.1, n),
    }, mean)  # fmt: skip


def looks() -> System:
    """The dear look says what to do; the cheap one, which follows it, says nearly as much."""
    edges = [("lab", "quick"), ("x", "y"), ("lab", "y"), ("quick", "y")]
    graph = Diagram(edges, [], target="y", intervenable=("x",))

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        lab = _CELLS
        if "quick" in seen:  # evenly about it
            lab = np.linspace(max(-1.0, seen["quick"] - 0.1), min(1.0, seen["quick"] + 0.1), 41)
        lab = seen.get("lab", lab)
        x = actions["x"] if "x" in actions else _CELLS[:, None]
        return float(np.mean(-((x - 0.7 * lab) ** 2)))

    return _system("looks", graph, {
        "lab": _even(),
        "quick": lambda v, r, n: v["lab"] + 0.1 * r.uniform(-1, 1, n),
        "x": _even(),
        "y": lambda v, r, n: -((v["x"] - 0.7 * v["lab"]) ** 2) + 0.05 * v["quick"] + r.normal(0, 0.1, n),
    }, mean)  # fmt: skip


WORLDS: dict[str, tuple[Callable[[], System], Priced]] = {
    "chain": (chain, Priced({"x": 1.0, "z": 5.0, "c": 1.0}, 1.0, 0.05)),
    "looks": (looks, Priced({"x": 0.5, "lab": 5.0, "quick": 0.5}, 1.0, 0.02)),
    "figure-1": (figure_1, Priced({"x1": 0.5, "x2": 2.0, "c": 5.0}, 1.0, 0.1)),
}
"""Prices of setting and of looking, of a round whatever is done, and what may be given up."""
