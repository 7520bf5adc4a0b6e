"""What is best may move along a line with what is seen: does that gain? `python -m benchmarks.causal.slanted`.

What is run was written down before: `docs/results/causal-registered.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.rounds import Optimizer

from ..runs import command, finished
from .results import ENVIRONMENTS, ROUNDS

KEPT = "causal-slanted.jsonl"
FIRST = 7000
SEEDS = {"figure-1": 60, "cosine": 20, "psa-2": 6, "psa-1": 6}

Job = tuple[str, str, int]


def jobs() -> Iterator[Job]:
    """Problem, model and seed of every run, those that the question hangs on first."""
    yield from (("figure-1", "slanted", FIRST + k) for k in range(SEEDS["figure-1"]))
    for name, seeds in SEEDS.items():
        for k in range(seeds):
            if name != "figure-1":
                yield name, "slanted", FIRST + k
            yield name, "default", FIRST + k


def run(job: Job) -> dict[str, Any]:
    """One run: regret without noise, on average, over the last hundred rounds and up to some rounds."""
    name, model, seed = job
    environment = ENVIRONMENTS[name]()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=seed, slanted=model == "slanted")
    _, clean, scopes = environment.play(optimizer, ROUNDS, seed)
    most = max(set(scopes), key=scopes.count)
    return {
        "key": "/".join(map(str, job)),
        "clean": round(float(clean.mean()), 6),
        "last": round(float(clean[-100:].mean()), 6),
        "curve": [round(float(clean[:t].mean()), 6) for t in (50, 100, 200, 400, ROUNDS)],
        "others": sum(scope != most for scope in scopes),
    }


def section(place: Path) -> str:
    """A table for the page: regret without noise (standard error), and the difference paired by seed."""
    done = finished(place)
    lines = [
        "| problem | slopes learned | default, the same seeds | paired difference | last 100 rounds |",
        "|" + "---|" * 5,
    ]
    for name, seeds in SEEDS.items():
        ours = {k: done[key] for k in range(seeds) if (key := f"{name}/slanted/{FIRST + k}") in done}
        theirs = {k: done[key] for k in ours if (key := f"{name}/default/{FIRST + k}") in done}
        cells = [_mean([row["clean"] for row in some.values()]) for some in (ours, theirs)]
        cells.append(_mean([ours[k]["clean"] - row["clean"] for k, row in theirs.items()]))
        cells.append(_mean([row["last"] for row in ours.values()]))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _mean(values: list[float]) -> str:
    if len(values) < 2:
        return "–"
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f} ({len(values)})"


def main() -> None:
    """Play what is missing, then print the table."""
    command(__doc__, KEPT, jobs(), run, section)


if __name__ == "__main__":
    main()
