"""Are observations worth having where the graph is wrong? `python -m benchmarks.causal.observed`.

Three graphs, each of which may forget a hidden common cause u of an action and the target: u always moves the action,
and the target by `a` times u; with a = 0 the graph is right. 100 observations, then 60 rounds: without them, trusted,
and, with a version that still could, checked by plays. What is run and what is wanted was written down before:
`docs/results/causal-registered.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from partial_control_bench.causal import forgotten
from partial_control_bench.causal.forgotten import OBSERVATIONS, ROUNDS, STRENGTHS
from steerbo.core import Optimizer

from ..runs import command, finished
from .environment import Environment

__all__ = ["OBSERVATIONS", "ROUNDS", "STRENGTHS", "WORLDS", "jobs", "read", "run", "section"]

KEPT = "runs/causal-observations.jsonl"
HOW = ("none", "trusted", "checked")
"""The last one was played with an option that is gone: its runs are kept, and no new ones are made."""
FIRST, SEEDS = 9000, 12


WORLDS: dict[str, Callable[[float], Environment]] = {
    name: lambda a, make=make: Environment.of(make(a))  # type: ignore[misc]
    for name, make in forgotten.WORLDS.items()
}


def jobs() -> Iterator[tuple[str, float, str, int]]:
    """Graph, strength, what is done with observations, and seed of every run; all first seeds first."""
    for seed in range(FIRST, FIRST + SEEDS):
        yield from ((world, a, how, seed) for world in WORLDS for a in STRENGTHS for how in HOW[:2])


def run(job: tuple[str, float, str, int]) -> dict[str, Any]:
    """One run: its regret without noise, averaged over rounds."""
    world, a, how, seed = job
    environment = WORLDS[world](a)
    optimizer = Optimizer(environment.problem, "coca-bo", seed=seed)
    drawn = environment.model.sample(OBSERVATIONS, np.random.default_rng(seed))
    for k in range(OBSERVATIONS if how != "none" else 0):
        measured = {name: float(drawn[name][k]) for name in environment.problem.space.names}
        optimizer.add(float(drawn["y"][k]), measured)
    _, clean, _ = environment.play(optimizer, ROUNDS, seed)
    return {"key": "/".join(map(str, job)), "regret": round(float(clean.mean()), 5)}


Cells = Mapping[tuple[str, float, str], Mapping[int, dict[str, Any]]]


def read(place: Path) -> Cells:
    """Runs by graph, strength, what is done, and seed."""
    done, cells = finished(place), dict[tuple[str, float, str], dict[int, dict[str, Any]]]()
    every = ((world, a, how, FIRST + k) for k in range(SEEDS) for world in WORLDS for a in STRENGTHS for how in HOW)
    for world, a, how, seed in every:
        if (row := done.get(f"{world}/{a}/{how}/{seed}")) is not None:
            cells.setdefault((world, a, how), {})[seed] = row
    return cells


def gaps(cells: Cells, world: str, a: float) -> np.ndarray:
    """Regret of checked observations less that of trusted ones, seed by seed."""
    trusted, checked = (cells.get((world, a, how), {}) for how in ("trusted", "checked"))
    return np.array([checked[seed]["regret"] - trusted[seed]["regret"] for seed in sorted(set(trusted) & set(checked))])


def section(place: Path) -> str:
    """A table for the page: regrets, the paired difference that checking makes, and how often it is spoken of."""
    cells = read(place)
    lines = [
        "| graph | a | none | trusted | checked | checked less trusted, paired | wanted | | said |",
        "|---" * 9 + "|",
    ]
    for world in WORLDS:
        for a in STRENGTHS:
            rows = [cells.get((world, a, how), {}) for how in HOW]
            seeds = sorted(set(rows[0]) & set(rows[1]) & set(rows[2]))
            if len(seeds) < 2:
                continue
            none, trusted, checked = (np.array([row[seed]["regret"] for seed in seeds]) for row in rows)
            paired = checked - trusted
            error = float(paired.std(ddof=1)) / len(seeds) ** 0.5
            ratio = float(paired.mean()) / error
            wanted, came = ("at most 1 error", ratio <= 1) if a == 0 else ("below −2 errors", ratio < -2)
            said = sum(rows[2][seed]["said"] for seed in seeds)
            lines.append(
                f"| {world} | {a:g} | {_mean(none)} | {_mean(trusted)} | {_mean(checked)} | {_mean(paired)} "
                f"({ratio:+.1f}) | {wanted} | {'yes' if came else 'no'} | {said} of {len(seeds)} |"
            )
    return "\n".join(lines) + "\n"


def _mean(values: np.ndarray) -> str:
    return f"{values.mean():.4f} ± {values.std(ddof=1) / len(values) ** 0.5:.4f}"


if __name__ == "__main__":
    command(__doc__, KEPT, jobs(), run, section)
