"""Small cost-varying worlds for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

import steerbo as sb
from steerbo.rounds import Suggestion
from steerbo.testing import Case

PROBLEM = sb.CostVarying(
    variables=(
        sb.Float("temperature", 10, 35, law=sb.TruncatedNormal(22, 3), unit="°C"),
        sb.Float("ph", 4, 8, law=sb.Uniform()),
        sb.Integer("plants", 1, 4, law=sb.Uniform()),
        sb.Categorical("line", ("a", "b"), law=sb.Discrete({"a": 0.3, "b": 0.7})),
    ),
    control_sets=(("temperature",), ("ph", "line"), ("temperature", "ph", "plants", "line")),
)


def growth(x: dict[str, Any]) -> float:
    """Best at 25 °C, pH 6, three plants on line b."""
    heat, acid = (x["temperature"] - 25) / 10, (x["ph"] - 6) / 2
    return float(2 - heat**2 - acid**2 - 0.2 * (x["plants"] - 3) ** 2 + 0.3 * (x["line"] == "b"))


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Nature draws what was not set."""
    realised = dict(suggestion.values)
    for variable in PROBLEM.variables:
        u = np.array([random.random()])
        if variable.name not in realised:
            realised[variable.name] = variable.decode(variable.encoded_ppf(u))[0]
    cost = len(suggestion.values) * (1 + 0.1 * random.random())
    return {"value": growth(realised) + 0.05 * random.normal(), "cost": cost, "realised": realised}


def case(method: str, **options: Any) -> Case:
    """The world with one method."""
    added = {"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a"}
    return Case(PROBLEM, method, evaluate, added=added, options=options)
