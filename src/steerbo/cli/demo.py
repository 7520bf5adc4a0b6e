"""Demonstration: a whole study on the borehole simulator, checked against the simulator itself.

The simulator gives the flow of water through a borehole from the upper to the lower of two
aquifers, in m³ a year (Harper and Gupta 1983, *Sensitivity/uncertainty analysis of a borehole
scenario comparing Latin hypercube sampling and deterministic sensitivity approaches*, report
BMI/ONWI-516):

    f = 2π T_u (H_u − H_l) / ( ln(r/r_w) · (1 + 2 L T_u / (ln(r/r_w) r_w² K_w) + T_u/T_l) )

Ranges and laws are those of Morris, Mitchell and Ylvisaker (1993, Technometrics 35:243) and of
Surjanovic and Bingham's *Virtual Library of Simulation Experiments*: r_w normal, r log-normal, the
rest uniform.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..core import Optimizer, Recommendation, Suggestion, Table, keyed
from ..costvarying import CostVarying, Threshold
from ..errors import MissingExtra
from ..plots import costvarying, save
from ..records import to_dict
from ..space import Float, LogNormal, Normal, Uniform
from ..study import Display, MemoryLog, Study, run_study
from ..study.progress import literal
from .app import group, print_json
from .arguments import AsJson
from .report import console, print_recommendation
from .tables import HEADING, ScreenTable

COSTS = {
    ("rw",): 1.0,
    ("L",): 0.5,
    ("Hl",): 0.7,
    ("rw", "L"): 1.5,
    ("rw", "Hl"): 1.7,
    ("rw", "L", "Hl"): 2.2,
}
"""Mean cost of a play, in thousands: drilling to a radius, choosing the length, pumping the lower aquifer down."""
_SPREAD = 0.05  # of the logarithm of a play's real cost


def flow(x: Mapping[str, Any]) -> float:
    """The flow rate in m³ a year.

    >>> round(flow({"rw": 0.1, "r": 25050, "Tu": 89335, "Hu": 1050, "Tl": 89.55, "Hl": 760, "L": 1400, "Kw": 10950}), 2)
    70.87
    """
    log_ratio = math.log(x["r"] / x["rw"])
    leak = 2 * x["L"] * x["Tu"] / (log_ratio * x["rw"] ** 2 * x["Kw"])
    return (
        2 * math.pi * x["Tu"] * (x["Hu"] - x["Hl"]) / (log_ratio * (1 + leak + x["Tu"] / x["Tl"]))
    )


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


def play(
    problem: CostVarying, suggestion: Suggestion, random: np.random.Generator
) -> dict[str, Any]:
    """Drill one borehole: nature draws the variables not set; returns arguments of `tell`."""
    drawn = {v.name: float(v.distribution.ppf(random.random())) for v in problem.variables}
    realised = {**drawn, **suggestion.values}
    cost = COSTS[tuple(suggestion.scope.set)] * math.exp(_SPREAD * random.normal())
    return {"value": flow(realised), "cost": cost, "realised": realised}


commands = group()

BUDGET, SEED, DRAWS = 45.0, 0, 100_000  # thousands to spend; of the log; of nature, for the truth
_PICTURE = "borehole.png"
_INTRODUCTION = """\
A borehole lets water through from one aquifer to another, and more is better.
Its radius rw, its length L and the head of the lower aquifer Hl can be held at
a cost; rock and aquifers are as nature made them. Every round drills one.
Which of the three are worth paying for? The simulator is Harper and Gupta's
(1983), with its published laws; the prices are ours.
"""


@commands.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the picture.")] = Path("demo"),
    as_json: AsJson = False,
) -> None:
    """Run a study of a published borehole simulator in seconds. The answer is printed, and drawn."""
    problem = borehole()
    study = Study.create(MemoryLog(), problem, budget=BUDGET, seed=SEED)
    progress = Display(console(stderr=True))
    progress.say(_INTRODUCTION)

    def drill(suggestion: Suggestion) -> dict[str, Any]:
        return play(problem, suggestion, keyed(SEED, suggestion.round, "nature"))

    with progress:
        run_study(study, study.session, drill, progress)
    optimizer = study.optimizer
    advice = optimizer.recommend()
    truth = [true_mean(problem, choice) for choice in (advice, *advice.alternatives)]
    picture, missing = _save_picture(optimizer, out)
    if as_json:
        print_json(
            {
                "recommendation": to_dict(advice),
                "explanation": to_dict(optimizer.explain()),
                "status": to_dict(optimizer.status),
                "truth": {"mean": truth[0][0], "standard_error": truth[0][1], "draws": DRAWS},
                "picture": str(picture) if picture else None,
            }
        )
        return
    screen = console()
    print_recommendation(screen, problem, advice)
    screen.print(ScreenTable(_truth_table(advice, truth)))
    status = optimizer.status
    screen.print(
        f"[{HEADING}]Money spent:[/] {status.spent:.4g} of {BUDGET:g} thousand, in {status.rounds} rounds"
    )
    screen.print(
        f"[{HEADING}]Picture:[/]", literal(str(picture) if picture else missing), soft_wrap=True
    )


def true_mean(problem: CostVarying, choice: Recommendation) -> tuple[float, float]:
    """Expected flow of a choice by Monte Carlo over nature's variables, and its standard error."""
    random = keyed(SEED, 0, "truth")
    columns = {
        v.name: np.full(DRAWS, choice.values[v.name])
        if v.name in choice.values
        else v.distribution.ppf(random.random(DRAWS))
        for v in problem.variables
    }
    names = list(columns)
    flows = [
        flow(dict(zip(names, row, strict=True)))
        for row in zip(*(c.tolist() for c in columns.values()), strict=True)
    ]
    return float(np.mean(flows)), float(np.std(flows) / math.sqrt(DRAWS))


def _truth_table(advice: Recommendation, truth: list[tuple[float, float]]) -> Table:
    rows = []
    for choice, (mean, error) in zip((advice, *advice.alternatives), truth, strict=True):
        mark = "→ " if choice is advice else "  "
        bounds = f"{choice.lower:.4g} to {choice.upper:.4g}"
        rows.append((f"{mark}{choice.scope}", choice.mean, bounds, f"{mean:.4g} ± {error:.2g}"))
    title = f"Was the model right? Expected flow (m³ a year); the truth from {DRAWS} draws of the simulator"
    return Table(title, ("hold", "model", "model's bounds", "truth ± standard error"), tuple(rows))


def _save_picture(optimizer: Optimizer, out: Path) -> tuple[Path | None, str]:
    try:
        return save(
            costvarying.figure(optimizer, "flow (m³ a year)", "thousands"), out / _PICTURE
        ), ""
    except MissingExtra as missing:
        return None, f"none: {missing}"
