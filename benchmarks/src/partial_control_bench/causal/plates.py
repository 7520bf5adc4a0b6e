"""A.3 of the paper: many variables, of which few matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .graph import Diagram
from .scm import StructuralCausalModel, Values
from .system import System


def plates_graph(
    watched: int = 50,
    idle: int = 27,
    intervenable: tuple[str, ...] | None = None,
    contexts: tuple[str, ...] | None = None,
) -> Diagram:
    """A.3's graph with `watched` variables ct and `idle` variables xt; default: all 29 x can be set, all 57 c seen."""
    ct, xt = [f"ct{i}" for i in range(watched)], [f"xt{j}" for j in range(idle)]
    return Diagram(
        [
            *((f"c{i}", f"c{i + 1}") for i in range(6)),
            ("c6", "x2"),
            ("c1", "x2"),
            ("x1", "x2"),
            ("x2", "y"),
            ("c1", "y"),
            *((c, x) for c in ct for x in xt),
            *((x, "c5") for x in xt),
        ],
        [("x1", "c1"), ("x2", "y")],
        target="y",
        intervenable=("x1", "x2", *xt) if intervenable is None else intervenable,
        contexts=(*(f"c{i}" for i in range(7)), *ct) if contexts is None else contexts,
        variables=ct,
    )


def plates(watched: int = 50, idle: int = 27) -> System:
    """A.3: Figure 1's heart among many variables that do not matter. As in the paper, x1 and x2 can be set."""
    ct, xt = [f"ct{i}" for i in range(watched)], [f"xt{j}" for j in range(idle)]
    intervenable = ("x1", "x2")
    graph = plates_graph(watched, idle, intervenable)

    def average(v: Values, names: list[str], n: int) -> np.ndarray:
        return np.mean([v[name] for name in names], axis=0) if names else np.zeros(n)

    mechanisms: dict[str, Any] = {
        "u1": lambda v, r, n: r.uniform(-1, 1, n),
        "u2": lambda v, r, n: r.uniform(-1, 1, n),
        "c0": lambda v, r, n: r.normal(0, 0.2, n),
        "x1": lambda v, r, n: r.normal(v["u1"], 0.1, n),
        "c1": lambda v, r, n: r.normal(v["c0"] - v["u1"], 0.1, n),
    }
    for i in (2, 3, 4):
        mechanisms[f"c{i}"] = lambda v, r, n, i=i: r.normal(v[f"c{i - 1}"], 0.1, n)
    mechanisms.update({name: lambda v, r, n: r.normal(0, 0.2, n) for name in ct})
    mechanisms.update(
        {name: lambda v, r, n: r.uniform(-1, 1 + 0.1 * average(v, ct, n), n) for name in xt}
    )
    mechanisms.update(
        {
            "c5": lambda v, r, n: r.normal(v["c4"] + 0.01 * average(v, xt, n), 0.1),
            "c6": lambda v, r, n: r.normal(v["c5"], 0.1),
            "x2": lambda v, r, n: r.normal(
                0.5 * (v["c1"] + v["c6"]) + v["x1"] + 0.3 * np.abs(v["u2"]), 0.1
            ),
            "y": lambda v, r, n: r.normal(np.cos(v["c1"] - v["x2"]) + 0.1 * v["u2"], 0.01),
        }
    )
    u2 = np.linspace(0, 1, 101)[1::2]
    model = StructuralCausalModel(graph, mechanisms)
    typical = model.sample(2000, np.random.default_rng(0))
    onwards = typical["c6"] - typical["c1"]  # steps that do not depend on c1

    def mean(actions: Mapping[str, Any], seen: Mapping[str, Any]) -> float:
        """What was not looked at is averaged over; where x1 follows nature, all is."""
        natural = not {"x1", "x2"} & actions.keys()
        c1 = typical["c1"] if natural or "c1" not in seen else np.array([seen["c1"]])
        if "x2" in actions:
            return float(np.cos(c1 - actions["x2"]).mean())
        c6 = typical["c6"] if natural else np.array([seen["c6"]]) if "c6" in seen else c1 + onwards
        x1 = typical["x1"] if natural else actions["x1"]
        middle = (0.5 * (c1 - c6) - x1)[:, None] - 0.3 * u2
        return float((np.cos(middle) * np.exp(-0.005)).mean())  # the noise of x2 has variance .01

    ranges = {
        **dict.fromkeys(intervenable, (-2.0, 2.0)),
        **{f"c{i}": (-1.5, 1.5) for i in range(7)},
        **dict.fromkeys(ct, (-0.6, 0.6)),
    }
    return System("plates", graph, ranges, model, 1.0, mean)
