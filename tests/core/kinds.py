"""One problem of each kind, with what was measured once."""

from __future__ import annotations

from typing import Any

import steerbo as sb
from steerbo.core import Problem
from steerbo.timevarying import SquaredExponential

LAW = sb.Uniform()
GRAPH = sb.CausalGraph.from_text("b -> z; z -> y; m -> y", target="y", intervenable=["z", "m"])
PROBLEMS: dict[str, tuple[Problem, dict[str, Any]]] = {
    "cost-varying": (
        sb.CostVarying([sb.Float("t", 0, 9, law=LAW), sb.Float("ph", 4, 8, law=LAW)], [["ph", "t"]]),
        {"t": 5.0, "ph": 6.0},
    ),
    "time-varying": (
        sb.TimeVarying([sb.Float("x", 0, 1), sb.Float("a", 0, 1)], [sb.Prior(SquaredExponential(0.2))]),
        {"x": 0.5, "a": 0.25},
    ),
    "causal": (
        sb.Causal(GRAPH, [sb.Float("z", 0, 1), sb.Float("m", 0, 1), sb.Float("b", 0, 1)]),
        {"z": 0.5, "m": 0.25, "b": 0.75},
    ),
    "mean-field": (
        sb.MeanField(("south", "north"), agents=10, contexts=("night", "day"), counts=True),
        {"distribution": {"night": {"south": 0.5, "north": 0.5}, "day": {"south": 0.75, "north": 0.25}}},
    ),
}
