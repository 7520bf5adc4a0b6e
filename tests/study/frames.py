"""A played study for tables of other packages."""

from __future__ import annotations

import steerbo as sb
from steerbo.study import MemoryLog, Study

REASON = "pandas is not installed: pip install 'steerbo[pandas]'"


def study() -> Study:
    variables = [sb.Float("t", 10, 35, law=sb.Normal(22, 3)), sb.Float("ph", 4, 8, law=sb.Uniform())]
    return Study.create(MemoryLog(), sb.CostVarying(variables, [["t"], ["ph"]]), "random", budget=30, seed=1)


def played() -> Study:
    made = study()
    first, second = made.ask(batch=2)
    made.tell(first, value=1.5, cost=1, realised={"t": 20.0, "ph": 6.0} | first.values)
    made.fail(second, "the pump broke", cost=0.5)
    made.add(7.25, realised={"t": 21.5, "ph": 5.123456789012345})
    return made
