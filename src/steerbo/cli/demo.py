"""The demonstration: a full study on the borehole simulator, checked against the simulator itself."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ..costvarying import CostVarying
from ..errors import MissingExtra
from ..plots import costvarying
from ..record import to_plain
from ..rounds import Optimizer, Recommendation, Suggestion, Table, keyed
from ..study import Display, MemoryLog, Study, drive
from ..study.progress import literal
from .arguments import AsJson
from .borehole import borehole, flow, play
from .commands import group
from .layout import HEADING, rich_table
from .report import console, print_recommendation
from .screen import print_json

commands = group()

BUDGET, SEED, DRAWS = 45.0, 0, 100_000
_PICTURE = "borehole.png"
_INTRODUCTION = """\
A borehole lets water through from one aquifer to another, and more is better.
Its radius rw, its length L and the head of the lower aquifer Hl can be held at
a price; rock and aquifers are as nature made them. Every play drills one.
Which of the three are worth paying for? The simulator is Harper and Gupta's
(1983), with its published laws; the prices are ours.
"""


@commands.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the picture.")] = Path("demo"),
    as_json: AsJson = False,
) -> None:
    """Which controls of a borehole are worth holding? A full study on a published simulator, with its picture."""
    problem = borehole()
    study = Study.create(MemoryLog(), problem, budget=BUDGET, seed=SEED)
    progress = Display(console(stderr=True))
    progress.say(_INTRODUCTION)
    with progress:
        drive(study, lambda suggestion: _drill(problem, suggestion), progress)
    optimizer = study.optimizer
    advice = optimizer.recommend()
    truth = [true_mean(problem, choice) for choice in (advice, *advice.alternatives)]
    picture, missing = _save_picture(optimizer, out)
    if as_json:
        print_json(
            {
                "recommendation": to_plain(advice),
                "explanation": to_plain(optimizer.explain()),
                "status": to_plain(optimizer.status),
                "truth": {"mean": truth[0][0], "standard_error": truth[0][1], "draws": DRAWS},
                "picture": str(picture) if picture else None,
            }
        )
        return
    screen = console()
    print_recommendation(screen, problem, advice)
    screen.print(rich_table(_truth_table(advice, truth)))
    status = optimizer.status
    screen.print(f"[{HEADING}]Money spent:[/] {status.spent:.4g} of {BUDGET:g} thousand, in {status.rounds} rounds")
    screen.print(f"[{HEADING}]Picture:[/]", literal(str(picture) if picture else missing), soft_wrap=True)


def _drill(problem: CostVarying, suggestion: Suggestion) -> dict[str, Any]:
    return play(problem, suggestion, keyed(SEED, suggestion.round, "nature"))


def true_mean(problem: CostVarying, choice: Recommendation) -> tuple[float, float]:
    """Expected flow of a choice by Monte Carlo over what it leaves to nature, and its standard error."""
    random = keyed(SEED, 0, "truth")
    columns = {
        v.name: np.full(DRAWS, choice.values[v.name])
        if v.name in choice.values
        else v.distribution.ppf(random.random(DRAWS))
        for v in problem.variables
    }
    names = list(columns)
    flows = [
        flow(dict(zip(names, row, strict=True))) for row in zip(*(c.tolist() for c in columns.values()), strict=True)
    ]
    return float(np.mean(flows)), float(np.std(flows) / math.sqrt(DRAWS))


def _truth_table(advice: Recommendation, truth: list[tuple[float, float]]) -> Table:
    rows = tuple(
        (
            ("→ " if choice is advice else "  ") + str(choice.scope),
            choice.mean,
            f"{choice.lower:.4g} to {choice.upper:.4g}",
            f"{mean:.4g} ± {error:.2g}",
        )
        for choice, (mean, error) in zip((advice, *advice.alternatives), truth, strict=True)
    )
    title = f"Was the model right? Expected flow (m³ a year); the truth from {DRAWS} draws of the simulator"
    return Table(title, ("steer", "model", "model's bounds", "truth ± standard error"), rows)


def _save_picture(optimizer: Optimizer, out: Path) -> tuple[Path | None, str]:
    try:
        return costvarying.save(optimizer, out / _PICTURE, value="flow (m³ a year)", money="thousands"), ""
    except MissingExtra as missing:
        return None, f"none: {missing}"
