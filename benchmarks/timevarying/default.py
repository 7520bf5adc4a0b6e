"""Which method, and which β, is safe where nobody chose: `python -m benchmarks.timevarying.default`.

Every candidate plays every case; finished runs are kept beside the page of results, which shows them, and are not
run again. The Intel days need `STEERBO_DATA`, the row of TPE needs `optuna`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.timevarying import TimeVarying

from ..data import folder
from ..runs import finished, keep
from . import daily, drifting, intel
from .entrants import CONSTANT, TPE, regret
from .rows import figure, table
from .toy import Toy

KEPT = "runs/timevarying-default.jsonl"
CANDIDATES: tuple[tuple[str, str | float | None], ...] = (
    ("prior-elimination", "theory"),
    ("prior-elimination", 2.0),
    ("tempered-elimination", "theory"),
    ("tempered-elimination", 2.0),
    ("tempered-elimination", 1.5),
    ("tempered-elimination", 1.0),
    ("fully-bayesian", 2.0),
    ("fully-bayesian", 1.0),
    ("random", None),
    (CONSTANT, None),
    (TPE, None),
)
TOYS = {"toy, ℓ = 0.5": Toy(), "toy, ℓ = 0.05": Toy(lengthscale=0.05), "toy, drift": Toy(epsilon=0.02)}
CASES = ("daily cycle", *drifting.KINDS, *TOYS, *(f"Intel, {day} March" for day in intel.TEST_DAYS))
_FEWER = {"rates": 16, "moving": 8, **dict.fromkeys(TOYS, 16), **{f"Intel, {day} March": 6 for day in intel.TEST_DAYS}}
"""Seeds at most, where runs take long or hardly differ."""
_TOY_ROUNDS = 150
Cells = Mapping[tuple[str, str, Any], list[float]]
FIRST = 1000
"""The first seed: none of these was looked at before the choice was made."""


def jobs(seeds: int) -> Iterator[tuple[str, str, str | float | None, int]]:
    """Case, method, β and seed of every run."""
    for case in CASES:
        if case.startswith("Intel") and folder() is None:
            continue
        for method, width in CANDIDATES:
            if method == TPE and (case != "daily cycle" or not find_spec("optuna")):
                continue
            if method == CONSTANT and case not in ("daily cycle", *drifting.KINDS):
                continue  # a constant may not be available
            last = FIRST + min(seeds, _FEWER.get(case, seeds))
            yield from ((case, method, width, seed) for seed in range(FIRST, last))


def run(case: str, method: str, width: str | float | None, seed: int) -> dict[str, Any]:
    """One run: its average regret of a round."""
    problem, truth, noise, available = world(case, seed)
    options = {} if width is None else {"confidence": width}
    average = regret(problem, truth, noise, method, seed, available=available, **options).mean()
    key = f"{case}/{method}/{width}/{seed}"
    return {"key": key, "case": case, "method": method, "width": width, "regret": round(float(average), 5)}


def world(case: str, seed: int) -> tuple[TimeVarying, np.ndarray, float, Any]:
    """Problem, truth, noise and what is available."""
    if case == "daily cycle":
        return daily.problem(), daily.truth(seed), daily.NOISE, None
    if case in (*drifting.KINDS, drifting.LONG):
        return drifting.problem(case), drifting.truth(case, seed), drifting.NOISE, None
    if case in TOYS:
        toy = TOYS[case]
        return toy.problem, toy.truth(seed, _TOY_ROUNDS), toy.noise, toy.available
    day = _day(int(case.split()[1]))
    return day.problem, day.truth, 0.0, None


@cache
def _day(number: int) -> intel.Day:
    return intel.intel(number)


def read(place: Path) -> Cells:
    """Average regrets by case, method and β."""
    cells: dict[tuple[str, str, Any], list[float]] = {}
    for row in finished(place).values():
        cells.setdefault((row["case"], row["method"], row["width"]), []).append(row["regret"])
    return cells


def at_worst(cells: Cells, method: str, width: Any) -> float:
    """The largest share, over all cases, of what `random` loses."""
    shares = [
        float(np.mean(cells[case, method, width]) / np.mean(cells[case, "random", None]))
        for case in CASES
        if (case, method, width) in cells and (case, "random", None) in cells
    ]
    return max(shares, default=0.0)


def section(place: Path) -> str:
    """The table for the page: average regret of a round in every case, and at worst as a share of random's."""
    cells = read(place)
    cases = [case for case in CASES if (case, "random", None) in cells]
    lines = [
        (m, w or "", *(figure(cells.get((case, m, w), []), 2) for case in cases), f"{at_worst(cells, m, w):.2f}")
        for m, w in CANDIDATES
    ]
    return table(("method", "β", *cases, "at worst"), lines) if cases else ""


def main() -> None:
    """Run what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--runs", type=Path, default=Path("docs/results") / KEPT)
    given = parser.parse_args()
    known = finished(given.runs)
    for job in jobs(given.seeds):
        if "/".join(map(str, job)) not in known:
            keep(given.runs, run(*job))
    print(section(given.runs))


if __name__ == "__main__":
    main()
