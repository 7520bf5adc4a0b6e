"""Does it pay to take back priors that were dropped? `python -m benchmarks.timevarying.switching`.

What is run and what is wanted was written down before: `docs/results/timevarying-registered.md`. Finished runs are kept
beside the page of results, and are not run again. The rows of TPE need `optuna`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..runs import command, finished
from . import drifting
from .default import TOYS, world
from .entrants import CONSTANT, TPE, regret
from .rows import figure, ratio, table
from .toy import Toy

KEPT = "runs/timevarying-switching.jsonl"
OURS = "switching-elimination"
PRESENT, AVERAGED = "tempered-elimination", "fully-bayesian"
MANY = "200 priors"
SEEDS = {
    "switch": 32, drifting.LONG: 12, "rates": 32, "moving": 16, "daily cycle": 32, **dict.fromkeys(TOYS, 32), MANY: 16,
}  # fmt: skip
FIRST = 5000
_TPE_SEEDS = 8
_ANYWHERE = ("switch", drifting.LONG, "rates", "moving", "daily cycle")
"""Cases in which all points are always available."""
WANTED = {"switch": 0.75, "rates": 1.1, "moving": 1.1, **dict.fromkeys(TOYS, 1.15)}
METHODS: tuple[tuple[str, str | float | None], ...] = (
    (OURS, 1.5),
    (PRESENT, 1.5),
    (AVERAGED, 1.5),
    (OURS, 2.0),
    (PRESENT, 2.0),
    (AVERAGED, 2.0),
    ("prior-elimination", "theory"),
    ("prior-elimination", 1.5),
    (CONSTANT, None),
    (TPE, None),
)
Cells = Mapping[tuple[str, str, Any], list[float]]


def jobs() -> Iterator[tuple[str, str, str | float | None, int]]:
    """Case, method, β and seed of every run."""
    for case, seeds in SEEDS.items():
        for method, width in METHODS:
            if method in (CONSTANT, TPE) and case not in _ANYWHERE:
                continue
            if method == TPE and case == drifting.LONG:
                continue
            count = min(seeds, _TPE_SEEDS) if method == TPE else seeds
            yield from ((case, method, width, seed) for seed in range(FIRST, FIRST + count))


def run(job: tuple[str, str, str | float | None, int]) -> dict[str, Any]:
    """One run: its average regret of a round."""
    case, method, width, seed = job
    if case == MANY:
        toy = Toy(candidates=200)
        problem, truth, noise, available = toy.problem, toy.truth(seed, 150), toy.noise, toy.available
    else:
        problem, truth, noise, available = world(case, seed)
    average = regret(problem, truth, noise, method, seed, available=available, confidence=width).mean()
    return {"key": "/".join(map(str, job)), "regret": round(float(average), 5)}


def read(place: Path) -> Cells:
    """Average regrets by case, method and β, in order of seeds."""
    done, cells = finished(place), dict[tuple[str, str, Any], list[float]]()
    for case, method, width, seed in jobs():
        if (row := done.get(f"{case}/{method}/{width}/{seed}")) is not None:
            cells.setdefault((case, method, width), []).append(row["regret"])
    return cells


def section(place: Path) -> str:
    """Two tables for the page: average regret of a round in every case, and what was wanted beside what came."""
    cells = read(place)
    cases = [case for case in SEEDS if (case, OURS, 1.5) in cells]
    if not cases:
        return ""
    lines = [(m, w or "", *(figure(cells.get((case, m, w), []), 3) for case in cases)) for m, w in METHODS]
    return table(("method", "β", *cases), lines) + "\n" + _wishes(cells)


def against_the_better(cells: Cells) -> Iterator[tuple[str, str, tuple[float, float], tuple[float, float]]]:
    """By case: the better of the two others, and ours as a share of its regret, and of the present default's."""
    for case in SEEDS:
        ours, tempered, averaged = (cells.get((case, m, 1.5), []) for m in (OURS, PRESENT, AVERAGED))
        if ours and len(ours) == len(tempered) == len(averaged):
            better = min((tempered, averaged), key=np.mean)
            yield case, PRESENT if better is tempered else AVERAGED, ratio(ours, better), ratio(ours, tempered)


def _wishes(cells: Cells) -> str:
    rows = []
    for case, name, against, present in against_the_better(cells):
        limit = WANTED.get(case)
        came = "–" if limit is None else "yes" if against[0] <= limit else "no"
        wanted = "–" if limit is None else f"at most {limit:g}"
        rows.append((case, name, _cell(against), wanted, came, _cell(present)))
    constant = cells.get(("daily cycle", CONSTANT, None), [])
    if daily := cells.get(("daily cycle", OURS, 1.5)):
        below = ratio(daily, constant)
        rows.append(("daily cycle", CONSTANT, _cell(below), "below 1", "yes" if below[0] < 1 else "no", "–"))
    columns = ("case", "the better one", "ours / the better", "wanted", "came true", "ours / tempered-elimination")
    return table(columns, rows)


def _cell(found: tuple[float, float]) -> str:
    return f"{found[0]:.2f} ({found[1]:.2f})"


def main() -> None:
    """Run what is missing, then print the tables."""
    found = find_spec("optuna") is not None
    command(__doc__, KEPT, (job for job in jobs() if found or job[1] != TPE), run, section)


if __name__ == "__main__":
    main()
