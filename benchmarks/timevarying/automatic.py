"""What do priors made of the outcomes cost and give? `python -m benchmarks.timevarying.automatic`.

What is run and what is wanted was written down before: `docs/results/timevarying-registered.md`. The rows of TPE need
`optuna`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..runs import command, finished
from .entrants import CONSTANT, TPE, regret
from .rows import figure, ratio, table
from .unknown import KINDS, ROUNDS
from .window_gp import window_gp

KEPT = "runs/timevarying-automatic.jsonl"
FIRST, SEEDS = 7000, 8
OURS = ("switching-elimination", "tempered-elimination", "fully-bayesian")
_BETA = 1.5
WINDOWS = {"GP, window of 30": 30, "GP, window of 60": 60, "GP, all outcomes": ROUNDS}
METHODS = (*OURS, *WINDOWS, TPE, CONSTANT, "random")
_STILL = 1.25

Job = tuple[str, str, int]
Cells = Mapping[tuple[str, str], list[float]]


def jobs() -> Iterator[Job]:
    """Problem, method and seed of every run."""
    for kind in KINDS:
        for method in METHODS:
            yield from ((kind, method, seed) for seed in range(FIRST, FIRST + SEEDS))


def run(job: Job) -> dict[str, Any]:
    """One run: its average regret of a round, as a share of what a random play loses."""
    kind, method, seed = job
    unknown = KINDS[kind]
    problem, truth = unknown.problem, unknown.draw(kind, seed)
    lost = truth.max(axis=1, keepdims=True) - truth
    if method in WINDOWS:
        assert problem.points is not None
        found = window_gp(problem.points, truth, unknown.noise, seed, WINDOWS[method])
    else:
        options: dict[str, Any] = {"confidence": _BETA} if method in OURS else {}
        found = regret(problem, truth, unknown.noise, method, seed, **options)
    share = float(found.mean() / lost.mean())
    return {"key": "/".join(map(str, job)), "regret": round(share, 5)}


def read(place: Path) -> Cells:
    """Shares by kind of problem and method, in order of seeds."""
    done, cells = finished(place), dict[tuple[str, str], list[float]]()
    for kind, method, seed in jobs():
        if (row := done.get(f"{kind}/{method}/{seed}")) is not None:
            cells.setdefault((kind, method), []).append(row["regret"])
    return cells


def section(place: Path) -> str:
    """Two tables for the page: regret as a share of a random play's, and ours against the rivals."""
    cells = read(place)
    kinds = [kind for kind in KINDS if (kind, OURS[0]) in cells]
    if not kinds:
        return ""
    lines = [(method, *(figure(cells.get((kind, method), []), 3) for kind in kinds)) for method in METHODS]
    return table(("method", *kinds), lines) + "\n" + _wishes(cells)


def against_the_best(cells: Cells) -> Iterator[tuple[str, str, tuple[float, float], float]]:
    """By kind: the best rival that is allowed there, ours as a share of its regret, and the share that was wanted."""
    for kind in KINDS:
        ours = cells.get((kind, OURS[0]), [])
        names = ["GP, window of 30", "GP, window of 60"] if KINDS[kind].drifts else ["GP, all outcomes"]
        rivals = {name: cells[kind, name] for name in (*names, TPE) if len(cells.get((kind, name), [])) == len(ours)}
        if ours and rivals:
            name = min(rivals, key=lambda rival: np.mean(rivals[rival]))
            yield kind, name, ratio(ours, rivals[name]), 1.0 if KINDS[kind].drifts else _STILL


def _wishes(cells: Cells) -> str:
    rows = [
        (kind, name, f"{found[0]:.2f} ({found[1]:.2f})", f"at most {limit:g}", "yes" if found[0] <= limit else "no")
        for kind, name, found, limit in against_the_best(cells)
    ]
    return table(("problem", "the best rival", "ours / rival", "wanted", "came true"), rows)


def main() -> None:
    """Run what is missing, then print the tables."""
    found = find_spec("optuna") is not None
    command(__doc__, KEPT, (job for job in jobs() if found or job[1] != TPE), run, section)


if __name__ == "__main__":
    main()
