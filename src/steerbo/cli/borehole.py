"""Water flow through a borehole: an engineering simulator whose inputs have published natural laws.

The flow rate from the upper to the lower of two aquifers, in m³ a year (Harper and Gupta 1983, *Sensitivity/uncertainty
analysis of a borehole scenario comparing Latin hypercube sampling and deterministic sensitivity approaches*, report
BMI/ONWI-516):

    f = 2π T_u (H_u − H_l) / ( ln(r/r_w) · (1 + 2 L T_u / (ln(r/r_w) r_w² K_w) + T_u/T_l) )

Ranges and laws are those of Morris, Mitchell and Ylvisaker (1993, Technometrics 35:243) and of Surjanovic and
Bingham's *Virtual Library of Simulation Experiments*: r_w normal, r log-normal, the rest uniform.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..costvarying import CostVarying, Threshold
from ..rounds import Suggestion
from ..space import Float, LogNormal, Normal, Uniform

COSTS = {("rw",): 1.0, ("L",): 0.5, ("Hl",): 0.7, ("rw", "L"): 1.5, ("rw", "Hl"): 1.7, ("rw", "L", "Hl"): 2.2}
"""Mean cost of a play, in thousands: drilling to a radius, choosing the length, pumping the lower aquifer down."""
_SPREAD = 0.05


def flow(x: Mapping[str, Any]) -> float:
    """The flow rate in m³ a year.

    >>> round(flow({"rw": 0.1, "r": 25050, "Tu": 89335, "Hu": 1050, "Tl": 89.55, "Hl": 760, "L": 1400, "Kw": 10950}), 2)
    70.87
    """
    log_ratio = math.log(x["r"] / x["rw"])
    leak = 2 * x["L"] * x["Tu"] / (log_ratio * x["rw"] ** 2 * x["Kw"])
    return 2 * math.pi * x["Tu"] * (x["Hu"] - x["Hl"]) / (log_ratio * (1 + leak + x["Tu"] / x["Tl"]))


def borehole() -> CostVarying:
    """Which of radius, length and lower head are worth holding, to let 190 m³ of water through a year?"""
    return CostVarying(
        variables=(
            Float("rw", 0.05, 0.15, law=Normal(0.10, 0.0161812), unit="m"),
            Float("r", 100, 50_000, law=LogNormal(7.71, 1.0056), scale="log", unit="m"),
            Float("Tu", 63_070, 115_600, law=Uniform(), unit="m²/yr"),
            Float("Hu", 990, 1110, law=Uniform(), unit="m"),
            Float("Tl", 63.1, 116, law=Uniform(), unit="m²/yr"),
            Float("Hl", 700, 820, law=Uniform(), unit="m"),
            Float("L", 1120, 1680, law=Uniform(), unit="m"),
            Float("Kw", 9855, 12_045, law=Uniform(), unit="m/yr"),
        ),
        control_sets=tuple(COSTS),
        tolerance=Threshold(190.0),
    )


def play(problem: CostVarying, suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Drill one borehole: nature draws what was not set; returns what `tell` takes."""
    drawn = {v.name: float(v.distribution.ppf(random.random())) for v in problem.variables}
    realised = {**drawn, **suggestion.values}
    cost = COSTS[tuple(suggestion.scope.set)] * math.exp(_SPREAD * random.normal())
    return {"value": flow(realised), "cost": cost, "realised": realised}
