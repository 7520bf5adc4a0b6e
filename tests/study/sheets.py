"""Studies that are filled in by hand."""

from __future__ import annotations

import steerbo as sb
from steerbo.study import BY_HAND, MemoryLog, Study

PROBLEM = sb.CostVarying(
    [sb.Float("temperature", 10, 35, law=sb.Uniform()), sb.Float("ph", 4, 8, law=sb.Uniform())],
    [["temperature"], ["temperature", "ph"]],
)


def begin(problem: sb.CostVarying = PROBLEM) -> Study:
    return Study.create(MemoryLog(), problem, "random", budget=100.0, holder=BY_HAND)


LAW = """
[problem]
kind = "cost-varying"
control_sets = [["ph"]]
variables = [
  { kind = "float", name = "ph", low = 4, high = 8 },
  { kind = "float", name = "temp", low = -20, high = 45, law = { kind = "empirical", LAW } },
]
[study]
rounds = 3
"""
